//! Phonemes of the voices that speak no English: espeak-ng's, with one letter for what Kokoro's alphabet has one letter for,
//! as the voices were trained.

use crate::phonemes::alphabet::{Alphabet, TIE};
use crate::phonemes::clauses::phonemes;
use crate::voices::espeak::Espeak;
use hark_core::Fault;
use std::path::Path;

/// Sounds of two signs that are one letter.
const ONE_LETTER: [(&str, &str); 11] = [
    ("a^ɪ", "I"),
    ("a^ʊ", "W"),
    ("d^z", "ʣ"),
    ("d^ʒ", "ʤ"),
    ("e^ɪ", "A"),
    ("o^ʊ", "O"),
    ("ə^ʊ", "Q"),
    ("s^s", "S"),
    ("t^s", "ʦ"),
    ("t^ʃ", "ʧ"),
    ("ɔ^ɪ", "Y"),
];

/// Makes phonemes of text in one language.
pub struct OtherReader {
    alphabet: Alphabet,
    espeak: Espeak,
    language: String,
}

impl OtherReader {
    /// With the letters in the file `alphabet`, for a language tag of espeak-ng.
    ///
    /// # Errors
    /// `MissingPart` when the file is missing or not of this kind.
    pub fn open(alphabet: &Path, language: &str, espeak: Espeak) -> Result<Self, Fault> {
        Ok(Self { alphabet: Alphabet::read(alphabet, false)?, espeak, language: language.to_owned() })
    }

    /// Phonemes of a phrase with its marks.
    pub(super) fn phonemes(&self, text: &str) -> Result<String, Fault> {
        let of_words = |words: &str| Ok(letters(&self.espeak.tied_ipa(words, &self.language, TIE)?));
        phonemes(text, of_words, letters_of_untied)
    }

    /// Numbers of the phonemes.
    pub(super) fn ids(&self, phonemes: &str) -> Vec<i64> {
        self.alphabet.ids(phonemes)
    }
}

/// Letters for what espeak-ng wrote.
fn letters(ipa: &str) -> String {
    let joined = ONE_LETTER.iter().fold(ipa.to_owned(), |ipa, (from, to)| ipa.replace(from, to));
    joined.replace([TIE, '-'], "")
}

/// Letters for phonemes as people write them, without ties.
fn letters_of_untied(ipa: &str) -> String {
    let ipa = ipa.replace(['.', '\u{361}'], "");
    ONE_LETTER.iter().fold(ipa, |ipa, (from, to)| ipa.replace(&from.replace(TIE, ""), to))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sounds_of_two_signs_become_one_letter() {
        for (ipa, expected) in
            [("t^ʃˈa^ʊ", "ʧˈW"), ("pˈit^sa", "pˈiʦa"), ("bõʒˈuʁ", "bõʒˈuʁ"), ("a-b^c", "abc"), ("", "")]
        {
            assert_eq!(letters(ipa), expected, "{ipa}");
        }
        assert_eq!(letters_of_untied("t͡ʃa.ʊ"), "ʧW");
    }
}
