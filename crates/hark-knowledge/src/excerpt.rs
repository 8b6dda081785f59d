//! A passage cut down to what there is room for, around the sentence that answers: at ends of sentences, so that nothing is
//! told by halves.

use crate::sentences::sentences;
use std::ops::Range;

/// What stands where text was left out.
const LEFT_OUT: &str = "…";

/// At most `most_chars` characters of a passage: the sentences of `answer` (bytes in `passage`), and of those around it as many
/// as there is room for. An answer that is longer than that is cut at its end.
pub fn excerpt(passage: &str, answer: Range<usize>, most_chars: usize) -> String {
    if passage.chars().count() <= most_chars {
        return passage.to_owned();
    }
    let all = sentences(passage);
    let is_touched = |sentence: &Range<usize>| sentence.start < answer.end && answer.start < sentence.end;
    let first = all.iter().position(is_touched).unwrap_or_default();
    let last = all.iter().rposition(is_touched).unwrap_or(first);
    // Both marks, and the blanks beside them.
    let room = most_chars.saturating_sub(4);
    let of = |first: usize, last: usize| {
        all.get(first).zip(all.get(last)).map(|(one, other)| one.start..other.end)
    };
    let length = |range: &Range<usize>| passage.get(range.clone()).map_or(0, |text| text.chars().count());
    let (mut first, mut last) = (first, last);
    // One behind and one before in turn: what "it" is stands before, and what follows from it behind.
    let mut is_behind = true;
    loop {
        let fits = |first, last| of(first, last).is_some_and(|range| length(&range) <= room);
        let (behind, before) =
            (last + 1 < all.len() && fits(first, last + 1), first > 0 && fits(first - 1, last));
        match (behind, before) {
            (false, false) => break,
            (true, before) if is_behind || !before => last += 1,
            _ => first -= 1,
        }
        is_behind = !is_behind;
    }
    let range = of(first, last).unwrap_or_default();
    let text = passage.get(range.clone()).unwrap_or_default();
    let is_cut = text.chars().count() > room;
    let text: String = text.chars().take(room).collect();
    let before = if first > 0 { format!("{LEFT_OUT} ") } else { String::new() };
    let behind = if is_cut || last + 1 < all.len() { format!(" {LEFT_OUT}") } else { String::new() };
    format!("{before}{}{behind}", text.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Forty sentences, of which one answers.
    fn passage(answering: usize) -> (String, Range<usize>) {
        let (mut text, mut answer) = (String::new(), 0..0);
        for number in 0..40 {
            let sentence = format!("Sätze number {number} tells of something else entirely.");
            let sentence =
                if number == answering { "Error E5 means low pressure.".to_owned() } else { sentence };
            if number == answering {
                answer = text.len()..text.len() + sentence.len();
            }
            text = format!("{text}{sentence} ");
        }
        (text, answer)
    }

    #[test]
    fn the_sentence_that_answers_is_there_wherever_it_stands_and_all_others_are_whole() {
        for answering in [0, 1, 20, 38, 39] {
            let (text, answer) = passage(answering);
            let cut = excerpt(&text, answer, 300);
            assert!(cut.contains("Error E5 means low pressure."), "{answering}: {cut}");
            assert!(cut.chars().count() <= 300, "{answering}: {cut}");
            assert!(cut.chars().count() > 200, "the room is used: {cut}");
            let inner = cut.trim_start_matches("… ").trim_end_matches(" …");
            assert!(text.contains(inner) && inner.ends_with('.'), "{answering}: {cut}");
            assert!(inner.starts_with("Sätze") || inner.starts_with("Error"), "{answering}: {cut}");
            let marks = (!text.starts_with(inner), !text.trim().ends_with(inner));
            assert_eq!((cut.starts_with('…'), cut.ends_with('…')), marks, "{cut}");
        }
        let (text, answer) = passage(20);
        let cut = excerpt(&text, answer, 300);
        for beside in ["number 19", "number 21"] {
            assert!(cut.contains(beside), "{cut}");
        }
    }

    #[test]
    fn what_fits_stays_as_it_is_and_a_long_answer_ends_where_there_is_no_more_room() {
        assert_eq!(excerpt("Short. And whole.", 0..6, 100), "Short. And whole.");
        let long = "ä".repeat(500);
        let cut = excerpt(&long, 0..long.len(), 100);
        assert_eq!(cut.chars().count(), 98);
        assert!(cut.ends_with(" …"));
        // A range that is none of this passage cuts nothing apart.
        assert!(excerpt(&long, 9_000..9_100, 100).chars().count() <= 100);
        assert_eq!(excerpt("", 0..0, 0), "");
    }
}
