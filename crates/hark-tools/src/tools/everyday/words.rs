//! `word.spell` and `word.define`: the letters of a word, and what it means.

use crate::dictionary::DictionaryError;
use crate::tools::args::Args;
use crate::tools::outcome::{Failure, Outcome, Prepared, blocking};
use crate::tools::services::Services;
use hark_core::tool::{
    error_code,
    reason::{self, Part},
};
use hark_language::Lexicon;
use serde_json::{Value, json};
use std::sync::Arc;

/// Meanings that are told at most.
const MAX_MEANINGS: usize = 5;

/// `word.spell`.
pub fn spell(services: &Arc<Services>, args: &Args) -> Result<Prepared, Failure> {
    let language = language(services, args);
    let word = asked_word(args.text("word").unwrap_or_default(), language);
    let letters: Vec<Vec<String>> = word.split_whitespace().map(|part| letters(part, language)).collect();
    if letters.iter().all(Vec::is_empty) {
        return Err(Failure::new(error_code::BAD_ARGUMENT, "that has no letters")
            .because(reason::NO_LETTERS)
            .with("argument", json!("word")));
    }
    let text: Vec<String> = letters.iter().map(|part| part.join(", ")).collect();
    Ok(Prepared::Answer(Outcome::answer(json!({
        "word": word, "letters": letters.concat(), "text": text.join("; "),
    }))))
}

/// The letters of a word as they are said: capitals, so that a voice names them; signs by their names.
fn letters(word: &str, language: &Lexicon) -> Vec<String> {
    let named = |letter: char| {
        let name = language.everyday.signs.get(letter.encode_utf8(&mut [0; 4]));
        match name {
            Some(name) => Some(name.to_string()),
            None if letter.is_alphanumeric() => Some(letter.to_uppercase().collect()),
            None => None,
        }
    };
    word.chars().filter_map(named).collect()
}

/// Whether there is a dictionary of the language that is spoken here.
pub fn ready(services: &Services) -> Result<(), Failure> {
    services.dictionaries.find(&services.language).map(drop).map_err(Failure::from)
}

/// `word.define`.
pub fn define(services: &Arc<Services>, args: &Args) -> Result<Prepared, Failure> {
    let language = language(services, args);
    let asked = asked_word(args.text("word").unwrap_or_default(), language);
    let unknown = |word: &str| {
        Failure::new(error_code::NOT_FOUND, format!("the dictionary does not have {word}"))
            .because(reason::NO_DEFINITION)
            .with("word", json!(word))
    };
    if language.everyday.pronouns.contains(&asked.to_lowercase()) {
        return Err(unknown(&asked));
    }
    let dictionary = services.dictionaries.find(language.code)?;
    let articles = language.tools.names.articles;
    Ok(blocking(move || {
        let bare = articles.iter().find_map(|article| strip_word(&asked, article)).unwrap_or(&asked);
        let found = dictionary.look_up(bare)?;
        let Some(found) = found else {
            return Err(unknown(bare));
        };
        let meanings: Vec<&String> = found.meanings.iter().take(MAX_MEANINGS).collect();
        Ok(Outcome::answer(json!({
            "word": found.word, "count": found.meanings.len(), "meaning": meanings.first(), "meanings": meanings,
        })))
    }))
}

/// The language that the word is of: the one that was asked in, else the one that is spoken here.
fn language(services: &Services, args: &Args) -> &'static Lexicon {
    hark_language::of(args.text("language").unwrap_or(&services.language))
}

/// The word without "the word" before it.
fn asked_word(said: &str, language: &Lexicon) -> String {
    let said = said.trim().trim_matches(['"', '“', '”', '„', '?', '!', '.']);
    let before = language.everyday.before_word;
    before.iter().find_map(|words| strip_word(said, words)).unwrap_or(said).to_owned()
}

/// What follows `word` at the beginning of `text`.
fn strip_word<'t>(text: &'t str, word: &str) -> Option<&'t str> {
    let (head, rest) = text.split_at_checked(word.len())?;
    let follows = head.to_lowercase() == *word && rest.starts_with(' ');
    follows.then(|| rest.trim_start()).filter(|rest| !rest.is_empty())
}

impl From<DictionaryError> for Failure {
    fn from(error: DictionaryError) -> Self {
        let message = error.to_string();
        match error {
            DictionaryError::Missing { language } => Self::not_set_up(Part::Dictionary, message)
                .fix(format!("run `hark models pull dictionary_{language}`")),
            DictionaryError::NoneFor { .. } => Self::new(error_code::UNSUPPORTED, message),
            DictionaryError::Unreadable { .. } => Self::new(error_code::FAILED, message)
                .with("detail", Value::Null)
                .fix("run `hark models verify`, and pull the dictionary again"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_are_said_one_by_one() {
        for (language, word, expected) in [
            ("en", "rhythm", "R H Y T H M"),
            ("en", "mother-in-law", "M O T H E R hyphen I N hyphen L A W"),
            ("en", "o'clock", "O apostrophe C L O C K"),
            ("en", "mp3!", "M P 3"),
            ("de", "Straße", "S T R A Eszett E"),
            ("de", "Öl", "Ö L"),
            ("xx", "ok-", "O K"),
        ] {
            assert_eq!(letters(word, hark_language::of(language)).join(" "), expected, "{word}");
        }
    }

    #[test]
    fn what_is_said_before_a_word_is_not_the_word() {
        let english = hark_language::of("en");
        for (said, expected) in [
            ("the word rhythm", "rhythm"),
            ("The Word rhythm?", "rhythm"),
            ("the word", "the word"),
            ("the wordsmith", "the wordsmith"),
            ("", ""),
        ] {
            assert_eq!(asked_word(said, english), expected);
        }
        assert_eq!(strip_word("ärger", "a"), None);
    }
}
