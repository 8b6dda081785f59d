//! Pronunciations: from the CMU dictionary that comes with the acoustic model, and for words it lacks from espeak-ng's
//! IPA (`phones`). By them a word that was heard without a grammar may be a word of the home that sounds much the same,
//! "sealing" the "ceiling".

use super::acoustic_model::Phone;
use super::error::GrammarError;
use super::forced_alignment::Pronunciations;
use super::phones;
use hark_core::ports::Pronounce;
use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

/// Phones of an unknown word that another word may differ in, and of how many at least.
const MAX_DISTANCE: usize = 1;
const MIN_PHONES: usize = 3;

/// Most texts.
const MAX_TEXTS: usize = 4;

/// All pronunciations of the CMU dictionary.
pub(super) struct CmuDictionary {
    text: String,
}

impl CmuDictionary {
    /// Reads the file; 135,000 lines, some hundredths of a second.
    pub(super) fn load(path: &Path) -> Result<Self, GrammarError> {
        if !path.is_file() {
            return Err(GrammarError::NoAcousticModel(path.to_owned()));
        }
        let text = fs::read_to_string(path)
            .map_err(|source| GrammarError::File { path: path.to_owned(), source })?;
        Ok(Self { text })
    }

    /// Every word with its pronunciations, alternates included.
    pub(super) fn index(&self) -> HashMap<&str, Vec<&str>> {
        self.index_where(140_000, |_| true)
    }

    /// The same of these words.
    pub(super) fn index_of(&self, words: &[String]) -> HashMap<&str, Vec<&str>> {
        self.index_where(words.len(), |base| words.iter().any(|word| word == base))
    }

    fn index_where(&self, capacity: usize, is_wanted: impl Fn(&str) -> bool) -> HashMap<&str, Vec<&str>> {
        let mut index: HashMap<&str, Vec<&str>> = HashMap::with_capacity(capacity);
        for line in self.text.lines() {
            if let Some((word, phones)) = line.split_once(' ') {
                let base = word.split_once('(').map_or(word, |(base, _)| base);
                if is_wanted(base) {
                    index.entry(base).or_default().push(phones.trim());
                }
            }
        }
        index
    }
}

/// The pronunciations a decoder gets.
#[derive(Debug, Default)]
pub(super) struct PronunciationLexicon {
    words: BTreeMap<String, Vec<String>>,
    /// Words without a pronunciation; they cannot be recognised.
    pub(super) unpronounceable: Vec<String>,
}

impl PronunciationLexicon {
    /// Looks every word up, asking `pronounce` for what the dictionary lacks.
    pub(super) fn build(
        words: &[String],
        index: &HashMap<&str, Vec<&str>>,
        pronounce: &dyn Pronounce,
    ) -> Self {
        let mut lexicon = Self::default();
        for word in words {
            let phones = match index.get(word.as_str()) {
                Some(known) => known.iter().map(|phones| (*phones).to_owned()).collect(),
                None => espeak_pronunciation(word, pronounce).into_iter().collect::<Vec<_>>(),
            };
            if phones.is_empty() {
                lexicon.unpronounceable.push(word.clone());
            } else {
                lexicon.words.insert(word.clone(), phones);
            }
        }
        lexicon
    }

    /// Adds a word under a name of its own with pronunciations that are already known.
    pub(super) fn add(&mut self, name: String, phones: &[&str]) {
        self.words.insert(name, phones.iter().map(|phones| (*phones).to_owned()).collect());
    }

    /// The phones of a word as it is usually said.
    pub(super) fn phones(&self, word: &str) -> Option<&str> {
        self.words.get(word)?.first().map(String::as_str)
    }

    /// Whether the word can be heard.
    pub(super) fn has(&self, word: &str) -> bool {
        self.words.contains_key(word)
    }

    /// The pronunciations of words, as `phone` numbers their phones; words with unknown phones are left
    /// out.
    pub(super) fn pronunciations(
        &self,
        words: &[String],
        phone: impl Fn(&str) -> Option<u8>,
    ) -> HashMap<String, Vec<Vec<u8>>> {
        let mut pronunciations = HashMap::with_capacity(words.len());
        for word in words {
            let Some(phones) = self.words.get(word) else { continue };
            let known = phones.iter().filter_map(|phones| phones.split_whitespace().map(&phone).collect());
            pronunciations.insert(word.clone(), known.collect());
        }
        pronunciations
    }

    /// The file PocketSphinx reads: `word PH ON ES`, alternates as `word(2)`.
    pub(super) fn to_text(&self) -> String {
        let mut text = String::new();
        for (word, pronunciations) in &self.words {
            for (number, phones) in pronunciations.iter().enumerate() {
                let _ = match number {
                    0 => writeln!(text, "{word} {phones}"),
                    _ => writeln!(text, "{word}({}) {phones}", number + 1),
                };
            }
        }
        text
    }
}

/// What espeak-ng says of a word; a voice that is not there only costs this word.
fn espeak_pronunciation(word: &str, pronounce: &dyn Pronounce) -> Option<String> {
    if word.contains(['(', '<', '[', ' ']) {
        return None;
    }
    let ipa = pronounce.ipa(word, super::LANGUAGE).ok()?;
    phones::from_ipa(&ipa).map(|phones| phones.join(" "))
}

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
    use hark_core::{Fault, FaultKind};

    struct Scripted;
    impl Pronounce for Scripted {
        fn ipa(&self, word: &str, _language: &str) -> Result<String, Fault> {
            match word {
                "lumo" => Ok("lˈuːmoʊ".to_owned()),
                _ => Err(Fault::new(FaultKind::MissingPart, "voice", "no data", "")),
            }
        }
    }

    #[test]
    fn words_come_from_the_dictionary_then_from_the_rules_then_not_at_all() {
        let dictionary = CmuDictionary { text: "lamp L AE M P\nthe DH AH\nthe(2) DH IY\n".to_owned() };
        let words: Vec<String> = ["the", "lamp", "lumo", "xyz"].map(str::to_owned).to_vec();
        let mut lexicon = PronunciationLexicon::build(&words, &dictionary.index(), &Scripted);
        lexicon.add("~lamp".to_owned(), &["L AE M P"]);
        assert_eq!(lexicon.unpronounceable, ["xyz"]);
        assert!(lexicon.has("lumo") && !lexicon.has("xyz"));
        assert_eq!(
            lexicon.to_text(),
            "lamp L AE M P\nlumo L UW M OW\nthe DH AH\nthe(2) DH IY\n~lamp L AE M P\n"
        );
    }

    #[test]
    fn a_missing_dictionary_is_a_missing_part() {
        let fault = Fault::from(CmuDictionary::load(Path::new("/nowhere/cmudict")).err().unwrap());
        assert_eq!(fault.kind, FaultKind::MissingPart);
        assert!(fault.message.contains("/nowhere/cmudict"));
    }

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
