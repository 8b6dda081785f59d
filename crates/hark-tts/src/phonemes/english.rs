//! English text as phonemes, for the hibari voices and for Kokoro's, which have one alphabet.

use super::alphabet::{Alphabet, TIE};
use super::phonemiser::Phonemiser;
use crate::phonemes::clauses::phonemes;
use crate::voices::espeak::Espeak;
use hark_core::Fault;
use std::path::Path;
use std::sync::Arc;

/// What makes phonemes of English text.
#[derive(Clone)]
pub enum English {
    /// Hark's own.
    Own(Arc<Phonemiser>),
    /// espeak-ng, where the parts of the other are not there.
    Espeak(Espeak),
}

/// Whether an accent, `en-US` or `en-GB`, is the British one.
pub fn is_british(language: &str) -> bool {
    language.eq_ignore_ascii_case("en-GB")
}

/// Makes phonemes of English text in one accent.
#[derive(Clone)]
pub struct EnglishReader {
    pub(crate) alphabet: Alphabet,
    english: English,
    /// The tag of its accent, as espeak-ng has it.
    accent: &'static str,
}

impl EnglishReader {
    /// With the letters in the file `alphabet`. `language` is the accent, `en-US` or `en-GB`.
    ///
    /// # Errors
    /// `MissingPart` when the file is missing or not of this kind.
    pub fn open(alphabet: &Path, language: &str, english: English) -> Result<Self, Fault> {
        let british = is_british(language);
        let accent = if british { "en-gb" } else { "en-us" };
        Ok(Self { alphabet: Alphabet::read(alphabet, british)?, english, accent })
    }

    /// Phonemes of a phrase with its marks.
    ///
    /// # Errors
    /// When espeak-ng makes them, and fails.
    pub(crate) fn phonemes(&self, text: &str) -> Result<String, Fault> {
        let of_ipa = |ipa: &str| self.alphabet.letters_of_ipa(ipa);
        match &self.english {
            English::Own(phonemiser) => Ok(phonemiser.phonemes(text, of_ipa)),
            English::Espeak(espeak) => {
                let of_words = |words: &str| {
                    Ok(self.alphabet.letters_of_espeak(&espeak.tied_ipa(words, self.accent, TIE)?))
                };
                phonemes(text, of_words, of_ipa)
            }
        }
    }

    /// Numbers of the phonemes.
    pub(crate) fn ids(&self, phonemes: &str) -> Vec<i64> {
        self.alphabet.ids(phonemes)
    }
}
