//! The alphabet of hibari's phonemes: Kokoro's, in which a diphthong or an affricate is one letter. What espeak-ng writes
//! in the International Phonetic Alphabet is rewritten into it.

use crate::error::SpeakingError;
use std::collections::HashMap;
use std::path::Path;

/// No alphabet is longer.
const MAX_BYTES: u64 = 64 * 1024;

/// Between the two signs of one sound, as espeak-ng is asked to write it.
pub(crate) const TIE: char = '^';

/// What espeak-ng writes, and what the alphabet has for it; the first that fits is taken.
const FROM_ESPEAK: &[(&str, &str)] = &[
    ("ʔˌn\u{329}", "tn"),
    ("ʔn\u{329}", "tn"),
    ("ʔn", "tn"),
    ("ʔ", "t"),
    ("ɾ", "T"),
    ("a^ɪ", "I"),
    ("a^ʊ", "W"),
    ("d^ʒ", "ʤ"),
    ("e^ɪ", "A"),
    ("t^ʃ", "ʧ"),
    ("ɔ^ɪ", "Y"),
    ("ə^l", "ᵊl"),
    ("e", "A"),
    ("ʲo", "jo"),
    ("ʲə", "jə"),
    ("ʲ", ""),
    ("ɚ", "əɹ"),
    ("r", "ɹ"),
    ("x", "k"),
    ("ç", "k"),
    ("ɐ", "ə"),
    ("ɬ", "l"),
    ("\u{303}", ""),
];

/// The same for the accents apart.
const AMERICAN: &[(&str, &str)] =
    &[("o^ʊ", "O"), ("ɜːɹ", "ɜɹ"), ("ɜː", "ɜɹ"), ("ɪə", "iə"), ("o", "ɔ"), ("ː", "")];
const BRITISH: &[(&str, &str)] = &[("e^ə", "ɛː"), ("iə", "ɪə"), ("ə^ʊ", "Q"), ("o", "ɔ")];

/// Letters of vowels.
const VOWELS: &str = "AIOQWYaiuæɑɒɔəɛɜɪʊʌᵻᵊ";

/// Numbers of the letters, from the `vocab.json` that comes with the voice.
#[derive(Debug, Clone)]
pub(crate) struct Alphabet {
    ids: HashMap<char, i64>,
    british: bool,
}

impl Alphabet {
    /// Reads the letters.
    ///
    /// # Errors
    /// When the file is missing, no JSON object of letters and small numbers, or not whole.
    pub(crate) fn read(path: &Path, british: bool) -> Result<Self, SpeakingError> {
        let wrong = |why: String| SpeakingError::Alphabet { path: path.to_owned(), why };
        let size = std::fs::metadata(path).map_err(|error| wrong(error.to_string()))?.len();
        if size > MAX_BYTES {
            return Err(wrong(format!("{size} bytes are too many")));
        }
        let text = std::fs::read_to_string(path).map_err(|error| wrong(error.to_string()))?;
        let ids: HashMap<char, i64> =
            serde_json::from_str(&text).map_err(|error| wrong(error.to_string()))?;
        if let Some((letter, id)) = ids.iter().find(|(_, id)| !(1..1000).contains(*id)) {
            return Err(wrong(format!("the letter {letter:?} has the number {id}")));
        }
        if let Some(missing) =
            [' ', '.', '?', 'ə', 'ˈ', 'A', 'ʧ'].iter().find(|letter| !ids.contains_key(letter))
        {
            return Err(wrong(format!("the letter {missing:?} is missing")));
        }
        Ok(Self { ids, british })
    }

    /// Letters for what espeak-ng wrote with [`TIE`].
    pub(crate) fn letters_of_espeak(&self, ipa: &str) -> String {
        let accent = if self.british { BRITISH } else { AMERICAN };
        let mut letters = String::with_capacity(ipa.len());
        let mut rest = ipa;
        while let Some(next) = rest.chars().next() {
            let found = FROM_ESPEAK.iter().chain(accent).find(|(from, _)| rest.starts_with(from));
            if let Some((from, to)) = found {
                letters.push_str(to);
                rest = &rest[from.len()..];
                continue;
            }
            rest = &rest[next.len_utf8()..];
            match next {
                // A consonant that is a syllable: the alphabet has a vowel before it.
                '\u{329}' => {
                    let consonant = letters.pop();
                    letters.extend(consonant.into_iter().flat_map(|consonant| ['ᵊ', consonant]));
                }
                TIE => {}
                other => letters.push(other),
            }
        }
        letters
    }

    /// Letters for phonemes as people write them, without ties.
    pub(crate) fn letters_of_ipa(&self, ipa: &str) -> String {
        let mut tied = ipa.replace(['.', '\u{361}'], "");
        for (from, _) in FROM_ESPEAK.iter().chain(AMERICAN).chain(BRITISH) {
            if from.contains(TIE) {
                tied = tied.replace(&from.replace(TIE, ""), from);
            }
        }
        // People write the stress before the syllable, the voice has it before the vowel.
        let mut letters = String::with_capacity(tied.len());
        let mut stress = None;
        for letter in self.letters_of_espeak(&tied).chars() {
            match letter {
                'ˈ' | 'ˌ' => stress = Some(letter),
                vowel if VOWELS.contains(vowel) => letters.extend(stress.take().into_iter().chain([vowel])),
                other => letters.push(other),
            }
        }
        letters
    }

    /// Numbers of the letters; those that the voice has no sound for are left out.
    pub(crate) fn ids(&self, letters: &str) -> Vec<i64> {
        letters.chars().filter_map(|letter| self.ids.get(&letter).copied()).collect()
    }
}

/// The signs of the International Phonetic Alphabet for letters of the voice.
pub(crate) fn ipa_of_letters(letters: &str) -> String {
    let mut ipa = String::with_capacity(letters.len() * 2);
    // One long vowel, as espeak-ng writes it too.
    for letter in letters.replace("ɜɹ", "ɜːɹ").chars() {
        match letter {
            'A' => ipa.push_str("eɪ"),
            'I' => ipa.push_str("aɪ"),
            'O' => ipa.push_str("oʊ"),
            'Q' => ipa.push_str("əʊ"),
            'W' => ipa.push_str("aʊ"),
            'Y' => ipa.push_str("ɔɪ"),
            'ʤ' => ipa.push_str("dʒ"),
            'ʧ' => ipa.push_str("tʃ"),
            'T' => ipa.push('ɾ'),
            'ᵊ' => ipa.push('ə'),
            other => ipa.push(other),
        }
    }
    ipa
}

#[cfg(test)]
mod tests {
    use super::*;

    fn alphabet(british: bool) -> Alphabet {
        Alphabet { ids: [(' ', 16), ('ə', 83)].into_iter().collect(), british }
    }

    #[test]
    fn sounds_of_two_signs_become_one_letter() {
        for (ipa, letters) in [
            ("lˈa^ɪt", "lˈIt"),
            ("kˈɪt^ʃən", "kˈɪʧən"),
            ("bˈʌʔn\u{329}", "bˈʌtn"),
            ("wˈɔːɾɚ", "wˈɔTəɹ"),
            ("tˈɜːn", "tˈɜɹn"),
            ("ɡˈo^ʊɪŋ", "ɡˈOɪŋ"),
            ("lˈɪɾə^l", "lˈɪTᵊl"),
            ("ɹˈɪðm\u{329}", "ɹˈɪðᵊm"),
            ("", ""),
            ("\u{329}", ""),
        ] {
            assert_eq!(alphabet(false).letters_of_espeak(ipa), letters, "{ipa}");
        }
        assert_eq!(alphabet(true).letters_of_espeak("ɡˈə^ʊɪŋ"), "ɡˈQɪŋ");
        assert_eq!(alphabet(true).letters_of_espeak("bˈɑːθ"), "bˈɑːθ");
    }

    #[test]
    fn phonemes_as_people_write_them_are_read_too() {
        for (ipa, letters) in [("ʃɪˈvɔːn", "ʃɪvˈɔn"), ("naɪˈdʒɪə.ri.ə", "nIʤˈiəɹiə"), ("t͡ʃaʊ", "ʧW")]
        {
            assert_eq!(alphabet(false).letters_of_ipa(ipa), letters, "{ipa}");
        }
    }

    #[test]
    fn letters_become_phonemes_again() {
        assert_eq!(ipa_of_letters("ʧˈAnʤɪŋ lˈITᵊl tˈɜɹn"), "tʃˈeɪndʒɪŋ lˈaɪɾəl tˈɜːɹn");
    }

    #[test]
    fn letters_without_a_sound_are_left_out() {
        assert_eq!(alphabet(false).ids("ə ☂ə"), [83, 16, 83]);
    }

    #[test]
    fn a_file_that_is_no_alphabet_is_refused_and_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("vocab.json");
        for (text, why) in [
            ("", "EOF"),
            ("[1]", "map"),
            (r#"{"ab": 1}"#, "character"),
            (r#"{"a": -1}"#, "-1"),
            (r#"{"a": 1}"#, "missing"),
        ] {
            std::fs::write(&path, text).unwrap();
            let error = Alphabet::read(&path, false).unwrap_err().to_string();
            assert!(error.contains("vocab.json") && error.contains(why), "{error}");
        }
        assert!(Alphabet::read(&folder.path().join("none"), false).is_err());
    }
}
