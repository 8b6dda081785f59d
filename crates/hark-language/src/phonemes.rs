//! Words that are said otherwise in a sentence than alone, and words that lexicons lack.

use serde::Deserialize;
use std::collections::HashMap;

/// `phonemes.toml` of a language.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Phonemes {
    /// Ends of words that are words of their own to a tagger of parts of speech.
    pub clitics: Vec<String>,
    /// What is said for the ending of a possessive behind a name that is written in phonemes.
    pub possessive: Possessive,
    /// The forms of words in lower case; the first that fits is said.
    pub words: HashMap<String, Vec<Form>>,
}

/// The ending of a possessive: "'s".
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Possessive {
    /// How it is written.
    pub written: Vec<String>,
    /// How it is said; the first that fits.
    pub said: Vec<SaidEnding>,
}

/// How an ending is said behind some sounds.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SaidEnding {
    /// Signs of the International Phonetic Alphabet, of which the last sound must be one; `None` for any.
    pub after: Option<String>,
    /// The phonemes of the ending, in the same alphabet.
    pub said: String,
}

/// One way to say a word.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Form {
    /// Beginnings of parts of speech, of which the word must have one; none for any.
    #[serde(default)]
    pub tags: Vec<String>,
    /// What must follow.
    pub before: Option<Following>,
    /// Words in lower case, of which one must follow; none for any.
    #[serde(default)]
    pub next: Vec<String>,
    /// Words in lower case, of which one must be among the three words in front; none for any.
    #[serde(default)]
    pub after: Vec<String>,
    /// The phonemes, in the letters of the voice.
    pub said: String,
    /// Those of British English, where they differ.
    pub british: Option<String>,
}

/// What follows a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Following {
    /// A word that begins with a vowel.
    Vowel,
    /// Another word.
    Consonant,
    /// None, or a mark.
    Pause,
}
