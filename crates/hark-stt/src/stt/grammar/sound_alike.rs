//! Other spellings of a text that was heard without a grammar: a word that the home does not know may be one of its words that
//! sounds much the same, "sealing" the "ceiling".

use super::acoustic_model::Phone;
use super::forced_alignment::Pronunciations;
use std::collections::HashMap;

/// Phones of an unknown word that another word may differ in, and of how many at least.
const MAX_DISTANCE: usize = 1;
const MIN_PHONES: usize = 3;

/// Most texts.
const MAX_TEXTS: usize = 4;

/// How a word is said, where that is known.
pub(super) type SaidAs = Option<Vec<Phone>>;

/// The text with one of its words spelt as a word of the home, unknown ones first, and of those the nearest. A word that the
/// home knows becomes only one that sounds the same. `phones_of` tells how words are said, where that is known.
pub(super) fn respelt(
    text: &str,
    known: &HashMap<String, Pronunciations>,
    phones_of: &dyn Fn(&[String]) -> Vec<SaidAs>,
) -> Vec<String> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let plain = |word: &&str| word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    let plain: Vec<String> = words.iter().map(plain).collect();
    let mut found = Vec::new();
    for ((place, plain), told) in plain.iter().enumerate().zip(phones_of(&plain)) {
        let known_as = known.get(plain).and_then(|said| said.first().cloned());
        let is_known = known_as.is_some();
        let is_number = plain.contains(|c: char| c.is_ascii_digit());
        let Some(said) = known_as.or(told).filter(|_| !is_number) else { continue };
        let max_distance = if is_known || said.len() < MIN_PHONES { 0 } else { MAX_DISTANCE };
        for (other, pronunciations) in known.iter().filter(|(other, _)| *other != plain) {
            let distance = |phones: &Vec<Phone>| strsim::generic_levenshtein(&said, phones);
            let near = pronunciations.iter().map(distance).min().filter(|it| *it <= max_distance);
            found.extend(near.map(|distance| (is_known, distance, place, other)));
        }
    }
    found.sort_unstable();
    found.truncate(MAX_TEXTS);
    let replaced = |(_, _, place, other): (bool, usize, usize, &String)| {
        let mut words = words.clone();
        words[place] = other;
        words.join(" ")
    };
    found.into_iter().map(replaced).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_word_becomes_one_that_sounds_much_the_same_and_a_known_one_the_same() {
        let phones = |word: &str| word.bytes().collect::<Vec<_>>();
        let mut known: HashMap<_, _> =
            ["kettle", "ceiling", "on"].map(|word| (word.to_owned(), vec![phones(word)])).into();
        known.insert("four".into(), vec![phones("for")]);
        known.insert("for".into(), vec![phones("for")]);
        let tell = |words: &[String]| words.iter().map(|word| Some(phones(word))).collect();
        let respelt = |text: &str| respelt(text, &known, &tell);
        assert_eq!(respelt("Cettle on."), ["kettle on."]);
        assert_eq!(respelt("Ceiling, for in"), ["Ceiling, four in"], "too short to be another word");
        assert!(respelt("cattle 20 on").is_empty(), "two sounds are others");
    }
}
