//! Texts in which slots are marked: `wake me at [time : seven]`, as public data sets have them.

use crate::text;
use hark_core::SlotSpan;
use hark_language::Lexicon;

/// A text with its marks taken out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MarkedText {
    /// The text without marks.
    pub text: String,
    /// Its spoken words.
    pub words: Vec<String>,
    /// Which of these words are marked, in order.
    pub spans: Vec<SlotSpan>,
}

impl MarkedText {
    /// Reads a text; what is no mark stays as it is.
    pub fn of(marked: &str, lexicon: &'static Lexicon) -> Self {
        let (mut text, mut marks, mut rest) = (String::new(), Vec::new(), marked);
        while let Some((before, slot, inner, after)) = next_mark(rest) {
            text.push_str(before);
            let start = text.len();
            text.push_str(inner);
            marks.push((slot, start..text.len()));
            rest = after;
        }
        text.push_str(rest);
        let tokens = text::tokenise(&text, lexicon);
        let span = |(slot, bytes): (&str, std::ops::Range<usize>)| {
            let within = |at: &usize| tokens[*at].start >= bytes.start && tokens[*at].end <= bytes.end;
            let mut inside = (0..tokens.len()).filter(within);
            let start = inside.next()?;
            let end = inside.next_back().unwrap_or(start) + 1;
            Some(SlotSpan { slot: slot.to_owned(), start, end })
        };
        let spans = marks.into_iter().filter_map(span).collect();
        let words = tokens.into_iter().map(|token| token.word).collect();
        Self { text, words, spans }
    }
}

/// What stands before the next mark, its slot, its words, and the rest.
fn next_mark(text: &str) -> Option<(&str, &str, &str, &str)> {
    let (before, rest) = text.split_once('[')?;
    let (mark, after) = rest.split_once(']')?;
    let (slot, inner) = mark.split_once(':')?;
    Some((before, slot.trim(), inner.trim(), after))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_become_spans_of_spoken_words() {
        let marked = MarkedText::of(
            "set [house_place : kitchen] lights to [change_amount : 20%]!",
            hark_language::of("en"),
        );
        assert_eq!(marked.text, "set kitchen lights to 20%!");
        assert_eq!(marked.words.join(" "), "set kitchen lights to twenty percent");
        let spans: Vec<_> =
            marked.spans.iter().map(|span| (span.slot.as_str(), span.start, span.end)).collect();
        assert_eq!(spans, [("house_place", 1, 2), ("change_amount", 4, 6)]);
    }

    #[test]
    fn what_is_no_mark_stays() {
        for text in ["a [b", "no : mark", "] and ["] {
            assert_eq!(MarkedText::of(text, hark_language::of("en")).text, text);
        }
    }
}
