//! Where sentences and words begin and end. The same functions cut a passage when it is indexed and when it is
//! searched, so that stored vectors find their words again.

use std::ops::Range;
use unicode_segmentation::UnicodeSegmentation;

/// Letters and digits of a word that is told from others by its own vector, at least; digits always are.
const MIN_LETTERS: usize = 3;

/// Sentences of a text, as ranges of bytes without the blanks around them. A line ends a sentence.
pub(crate) fn sentences(text: &str) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let first = found.len();
        for (start, piece) in line.split_sentence_bound_indices() {
            let start = at + start + (piece.len() - piece.trim_start().len());
            let end = start + piece.trim().len();
            if start == end {
                continue;
            }
            match found[first..].last_mut() {
                Some(before) if ends_open(&text[before.clone()]) => before.end = end,
                _ => found.push(start..end),
            }
        }
        at += line.len();
    }
    found
}

/// Whether the full stop at the end is that of an abbreviation or of a number, as in "Dr.", "e.g." and "1.".
fn ends_open(sentence: &str) -> bool {
    let Some(rest) = sentence.strip_suffix('.') else { return false };
    let word = rest.rsplit(char::is_whitespace).next().unwrap_or(rest);
    let last = word.rsplit('.').next().unwrap_or(word);
    let letters = last.chars().count();
    let is_number = !last.is_empty() && letters <= 2 && last.bytes().all(|byte| byte.is_ascii_digit());
    let is_capitalised = last.starts_with(char::is_uppercase) && last.chars().skip(1).all(char::is_lowercase);
    is_number && (word == rest || letters < 2)
        || letters == 1 && last.chars().all(char::is_alphabetic)
        || is_capitalised && (2..=3).contains(&letters)
}

/// Words of a text: what stands between blanks.
pub(crate) fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.split_whitespace().map(move |word| (word.as_ptr() as usize - text.as_ptr() as usize, word))
}

/// Whether a word gets a vector of its own in the index.
pub(crate) fn is_indexed(word: &str) -> bool {
    let count = word.chars().filter(|c| c.is_alphanumeric()).count();
    count >= MIN_LETTERS || word.chars().any(char::is_numeric) || word.chars().any(is_ideograph)
}

fn is_ideograph(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}')
}

/// A word as it is compared: letters and digits in lower case.
pub(crate) fn folded(word: &str) -> String {
    let trimmed = word.trim_matches(|c: char| !c.is_alphanumeric());
    trimmed.chars().flat_map(char::to_lowercase).map(without_accent).collect()
}

/// The letter without the accents of Western European languages.
fn without_accent(c: char) -> char {
    match c {
        'à' | 'á' | 'â' | 'ã' | 'ä' | 'å' => 'a',
        'è' | 'é' | 'ê' | 'ë' => 'e',
        'ì' | 'í' | 'î' | 'ï' => 'i',
        'ò' | 'ó' | 'ô' | 'õ' | 'ö' => 'o',
        'ù' | 'ú' | 'û' | 'ü' => 'u',
        'ç' => 'c',
        'ñ' => 'n',
        c => c,
    }
}

/// Whether two folded words are forms of one word: most of the longer one is the beginning of both, and the endings
/// are short.
pub(crate) fn is_same_word(one: &str, other: &str) -> bool {
    const MAX_ENDING: usize = 3;
    const MIN_STEM: usize = 4;
    if one == other {
        return true;
    }
    let common = one.bytes().zip(other.bytes()).take_while(|(a, b)| a == b).count();
    let (shorter, longer) = (one.len().min(other.len()), one.len().max(other.len()));
    // "egg" and "eggs".
    let is_plural = common == shorter && shorter >= 3 && longer == shorter + 1;
    let is_form = common >= MIN_STEM && longer - common <= MAX_ENDING && common * 5 >= longer * 3;
    let has_digit = one.bytes().chain(other.bytes()).any(|byte| byte.is_ascii_digit());
    (is_plural || is_form) && !has_digit
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(text: &str) -> Vec<&str> {
        sentences(text).into_iter().map(|range| &text[range]).collect()
    }

    #[test]
    fn a_full_stop_of_an_abbreviation_ends_nothing() {
        assert_eq!(
            cut("Call Dr. Smith on 3. May at noon. It costs 4.50 euros, e.g. on Sunday. Done"),
            ["Call Dr. Smith on 3. May at noon.", "It costs 4.50 euros, e.g. on Sunday.", "Done"]
        );
        assert_eq!(cut("Press it. Wait!\nThen  go\n"), ["Press it.", "Wait!", "Then  go"]);
        assert_eq!(cut("1. Open the door."), ["1. Open the door."]);
    }

    #[test]
    fn forms_of_a_word_are_the_same_word() {
        for (one, other) in
            [("cleaned", "cleaning"), ("leak", "leaks"), ("egg", "eggs"), ("filter", "filters")]
        {
            assert!(is_same_word(one, other), "{one} {other}");
        }
        for (one, other) in [("pan", "pay"), ("battle", "battery"), ("2024", "20245"), ("form", "formation")]
        {
            assert!(!is_same_word(one, other), "{one} {other}");
        }
    }

    #[test]
    fn short_words_have_no_vector() {
        assert!(
            !is_indexed("of")
                && !is_indexed("–")
                && is_indexed("4")
                && is_indexed("tap,")
                && is_indexed("水")
        );
        assert_eq!(folded("„Größe,"), "große");
    }
}
