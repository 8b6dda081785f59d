//! What stands round a statement and says nothing of it, where two statements stand in one sentence, and sentences that
//! correct what was told. The words are those of `memory.toml`.

use hark_core::memory::SaidCorrection;
use hark_language::memory::Memory;
use hark_language::phrases;

/// Words at most of what a correction puts in the place of something else.
const MAX_CORRECTED: usize = 8;

/// A word of a text: where it stands, and in the form in which words are compared.
pub(super) struct Word {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) lower: String,
    /// A comma or another mark of a pause stands behind it.
    pauses: bool,
}

pub(super) fn words_of(text: &str) -> Vec<Word> {
    let mut at = 0;
    let raw = text.split_whitespace().map(move |word| {
        let start = at + text[at..].find(word).unwrap_or(0);
        at = start + word.len();
        (start, word)
    });
    raw.filter_map(|(start, word)| {
        let bare = word.trim_matches(|c: char| !c.is_alphanumeric() && c != '\'' && c != '’');
        let begin = start + word.find(bare)?;
        let lower = bare.to_lowercase().replace('’', "'");
        let pauses = word.ends_with([',', ';', ':', '–', '-']);
        (!bare.is_empty()).then_some(Word { start: begin, end: begin + bare.len(), lower, pauses })
    })
    .collect()
}

pub(super) fn lower(words: &[Word]) -> Vec<&str> {
    words.iter().map(|word| word.lower.as_str()).collect()
}

/// A sentence without what leads in and what comes behind: "by the way", "you know".
pub(super) fn bare<'t>(text: &'t str, memory: &Memory) -> &'t str {
    let words = words_of(text);
    let said = lower(&words);
    let (mut from, mut to) = (0, said.len());
    while let Some(length) = phrases::starts(memory.leads, &said[from..to]).filter(|it| from + it < to) {
        from += length;
    }
    while let Some(length) = phrases::ends(memory.tails, &said[from..to]).filter(|it| from + it < to) {
        to -= length;
    }
    let start = words.get(from).filter(|_| from > 0).map_or(0, |first| first.start);
    let end = words.get(to.wrapping_sub(1)).filter(|_| to < said.len()).map_or(text.len(), |last| last.end);
    text[start..end].trim()
}

/// Whether a sentence says of itself that it may not be so: "maybe", "if", "he said".
pub(super) fn is_doubtful(text: &str, memory: &Memory) -> bool {
    let words = words_of(text);
    let said = lower(&words);
    (0..said.len()).any(|at| phrases::starts(memory.doubts, &said[at..]).is_some())
}

/// The ways in which a sentence may be two: at "and", at "but", at a comma.
pub(super) fn halves<'t>(text: &'t str, memory: &Memory) -> Vec<(&'t str, &'t str)> {
    let words = words_of(text);
    let said = lower(&words);
    let mut found = Vec::new();
    for at in 1..words.len() {
        let joined = phrases::starts(memory.connectors, &said[at..]).unwrap_or(0);
        if joined == 0 && !words[at - 1].pauses {
            continue;
        }
        let (Some(last), Some(next)) = (words.get(at - 1), words.get(at + joined)) else { continue };
        found.push((&text[..last.end], &text[next.start..]));
    }
    found
}

/// The first word of a sentence, which may be its subject.
pub(super) fn first_word(text: &str) -> Option<&str> {
    let words = words_of(text);
    words.first().map(|word| &text[word.start..word.end])
}

/// How many words at the beginning say that something is corrected: "no, sorry".
pub(super) fn correcting(said: &[&str], memory: &Memory) -> usize {
    let mut from = 0;
    while let Some(length) = phrases::starts(memory.corrects, &said[from..]) {
        from += length;
    }
    from
}

/// What a sentence puts in the place of something that was told: "no, it's Tuesday, not Monday", "I meant Stephen".
pub(super) fn correction(text: &str, memory: &Memory, language: &str) -> Option<SaidCorrection> {
    let words = words_of(text);
    let said = lower(&words);
    let from = correcting(&said, memory);
    let corrects = from > 0;
    let piece = |from: usize, to: usize| {
        let (first, last) = (words.get(from)?, words.get(to.checked_sub(1)?)?);
        (from < to).then(|| text[first.start..last.end].to_owned())
    };
    // "Not the 12th but the 13th".
    if let Some(not) = phrases::starts(memory.not, &said[from..]) {
        let begin = from + not;
        let (at, but) =
            (begin..said.len()).find_map(|at| Some((at, phrases::starts(memory.but, &said[at..])?)))?;
        let (old, new) = (piece(begin, at)?, piece(at + but, said.len())?);
        return Some(SaidCorrection { new, old: Some(old), language: language.to_owned() });
    }
    let not = (from + 1..said.len()).find_map(|at| Some((at, phrases::starts(memory.not, &said[at..])?)));
    let (end, old) = match not {
        Some((at, length)) => (at, Some((at + length, said.len()))),
        None => (said.len(), None),
    };
    let without_frame = from + phrases::starts(memory.it_is, &said[from..end]).unwrap_or(0);
    let framed = without_frame > from || phrases::starts(memory.meant, &said).is_some();
    let Some((begin, to)) = old else {
        // Without "not …" it must say that it corrects: "I meant Stephen", "no wait, he's 35".
        let length = end.saturating_sub(without_frame);
        return (corrects && framed && (1..=MAX_CORRECTED / 2).contains(&length))
            .then(|| piece(without_frame, end))?
            .map(|new| SaidCorrection { new, old: None, language: language.to_owned() });
    };
    let count = to - begin;
    // "I'm not sure" corrects nothing.
    if !(corrects || framed || words[end - 1].pauses) {
        return None;
    }
    if count == 0 || count > MAX_CORRECTED || end <= without_frame {
        return None;
    }
    // As many words as are taken back: "we fly on the 13th, not the 12th".
    let new_from = end.saturating_sub(count).max(without_frame);
    let (new, old) = (piece(new_from, end)?, piece(begin, to)?);
    Some(SaidCorrection { new, old: Some(old), language: language.to_owned() })
}

/// A sentence that tells of a change, without the words at its beginning that correct, and whether there were such words: "no, it's on friday", "she works at the museum now".
pub(super) fn change(text: &str, memory: &Memory) -> Option<(String, bool)> {
    let words = words_of(text);
    let said = lower(&words);
    let from = correcting(&said, memory);
    let changes = (from..said.len()).any(|at| phrases::starts(memory.changes, &said[at..]).is_some());
    let first = words.get(from)?;
    // Behind "not" stands what it was.
    let is_not = |at: &usize| words[*at - 1].pauses && phrases::starts(memory.not, &said[*at..]).is_some();
    let end = (from + 1..said.len()).find(is_not).map_or(text.len(), |at| words[at - 1].end);
    (from > 0 || changes).then(|| (text[first.start..end].to_owned(), from > 0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn english() -> &'static Memory {
        &hark_language::of("en").memory
    }

    #[test]
    fn what_leads_in_and_what_comes_behind_says_nothing() {
        for (said, left) in [
            ("by the way, my wife is Anna", "my wife is Anna"),
            ("oh and just so you know Tom is a plumber.", "Tom is a plumber."),
            ("I'm lactose intolerant by the way", "I'm lactose intolerant"),
            ("and he can't eat shellfish either", "he can't eat shellfish"),
            ("well", "well"),
        ] {
            assert_eq!(bare(said, english()), left, "{said}");
        }
        assert!(is_doubtful("maybe my brother is a pilot", english()));
        assert!(!is_doubtful("my brother is a pilot", english()));
    }

    #[test]
    fn a_correction_says_what_is_so_and_what_is_not() {
        let of = |said: &str| {
            let found = correction(said, english(), "en")?;
            Some((found.new, found.old))
        };
        let pair = |new: &str, old: &str| Some((new.to_owned(), Some(old.to_owned())));
        assert_eq!(of("no, it's Tuesday not Monday"), pair("Tuesday", "Monday"));
        assert_eq!(of("no, we fly on the 13th, not the 12th"), pair("the 13th", "the 12th"));
        assert_eq!(of("not the 12th but the 13th"), pair("the 13th", "the 12th"));
        assert_eq!(of("sorry, I meant Stephen"), Some(("Stephen".into(), None)));
        assert_eq!(of("no wait, he's 35"), Some(("35".into(), None)));
        for said in ["no", "it's Tuesday", "my wife is Anna", "I'm not sure", "no, thanks", "not now"] {
            assert_eq!(of(said), None, "{said}");
        }
    }
}
