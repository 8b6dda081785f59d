//! Words that tell lasting statements from passing ones, and how a statement is told back to whoever made it. What is
//! a statement at all stands in the sentence files of `memory/`.

use crate::phrases::{self, Phrase, Phrases, Table};
use serde::Deserialize;

/// `memory.toml` of a language.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Memory {
    /// Words with which no lasting thing begins, because they point at what is here and now, or say nothing: "this",
    /// "it", "here".
    pub passing: Phrases,
    /// Words that stand where a name could and are none: "angry", "home".
    pub conditions: Phrases,
    /// Endings of such words: "ing".
    pub condition_endings: Phrases,
    /// What stands behind the name of an owner: "'s".
    pub possessive: Phrases,
    /// Words that tell of what is nobody else's business: "password".
    pub private: Phrases,
    /// Words of a sentence that turn into others when it is told to the one who said it: "my" into "your". The longest
    /// counts.
    pub told_back: Table<Phrase>,
}

impl Memory {
    /// Whether something begins with words that point at what is here and now.
    pub fn is_passing(&self, text: &str) -> bool {
        let words = words(text);
        words.is_empty() || phrases::starts(self.passing, &borrowed(&words)).is_some()
    }

    /// Whether some words are how somebody is, rather than a name.
    pub fn is_condition(&self, text: &str) -> bool {
        let words = words(text);
        let Some(first) = words.first() else { return true };
        let ends = self
            .condition_endings
            .iter()
            .any(|ending| first.len() > ending.len() + 2 && first.ends_with(ending));
        ends || phrases::starts(self.conditions, &borrowed(&words)).is_some()
    }

    /// A name without the ending that makes it an owner: "Anna's" is "Anna".
    pub fn owner<'t>(&self, text: &'t str) -> &'t str {
        let lower = text.to_lowercase();
        let mut endings = self.possessive.iter().filter(|ending| lower.ends_with(**ending));
        let shorter = endings.next().and_then(|ending| text.get(..text.len() - ending.len()));
        shorter.filter(|name| !name.is_empty()).unwrap_or(text)
    }

    /// A sentence as it is told to the one who said it.
    pub fn told_back(&self, text: &str) -> String {
        let said: Vec<&str> = text.split_whitespace().collect();
        let trim =
            |word: &str| word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase().replace('’', "'");
        let lower: Vec<String> = said.iter().map(|word| trim(word)).collect();
        let lower = borrowed(&lower);
        let mut told: Vec<String> = Vec::new();
        let mut at = 0;
        while at < said.len() {
            match phrases::find(self.told_back, &lower[at..]) {
                Some((other, length)) if length > 0 => {
                    told.push(other.text().to_owned());
                    at += length;
                }
                _ => {
                    told.push(said[at].to_owned());
                    at += 1;
                }
            }
        }
        told.join(" ").trim_end_matches(['.', '!', ' ']).to_owned()
    }
}

/// Lower-case words without the punctuation around them.
fn words(text: &str) -> Vec<String> {
    let trim =
        |word: &str| word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase().replace('’', "'");
    text.split_whitespace().map(trim).filter(|word| !word.is_empty()).collect()
}

fn borrowed(words: &[String]) -> Vec<&str> {
    words.iter().map(String::as_str).collect()
}

#[cfg(test)]
mod tests {
    #[test]
    fn what_is_said_is_told_back() {
        for (code, said, told) in [
            ("en", "my wife is Anna.", "your wife is Anna"),
            ("en", "I am allergic to nuts", "you are allergic to nuts"),
            ("en", "I don't like olives", "you don't like olives"),
            ("en", "we're going to Rome in May", "you're going to Rome in May"),
            ("de", "meine Frau heißt Anna", "deine Frau heißt Anna"),
            ("de", "ich mag Jazz", "du magst Jazz"),
            ("xx", "my wife is Anna", "my wife is Anna"),
        ] {
            assert_eq!(crate::of(code).memory.told_back(said), told, "{said}");
        }
    }

    #[test]
    fn what_passes_and_how_somebody_is_are_no_names() {
        let english = &crate::of("en").memory;
        for text in ["this song", "it", "you", "not Anna"] {
            assert!(english.is_passing(text), "{text}");
        }
        for text in ["angry", "coming home", "in the kitchen"] {
            assert!(english.is_passing(text) || english.is_condition(text), "{text}");
        }
        for text in ["Anna", "jazz", "Rome"] {
            assert!(!english.is_passing(text) && !english.is_condition(text), "{text}");
        }
        assert_eq!((english.owner("Anna's"), english.owner("Anna")), ("Anna", "Anna"));
        assert_eq!(crate::of("de").memory.owner("Annas"), "Anna");
    }
}
