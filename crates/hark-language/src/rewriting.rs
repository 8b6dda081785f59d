//! Requests for other words: "say that shorter", "translate it into German".

use crate::phrases::{Phrase, Phrases, Table};
use serde::Deserialize;

/// `rewriting.toml` of a language. Phrases as they are typed, in lower case.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Rewriting {
    /// In front and at the end, without a meaning of their own: "please".
    pub polite: Phrases,
    /// Verbs that want a style after what they are about: "*say* that shorter".
    pub say: Phrases,
    /// Styles, at the end: "in simple words".
    pub styles: Table<Change>,
    /// Verbs that say what is wanted.
    pub acts: Vec<Act>,
    /// Verbs before what is translated.
    pub translate: Phrases,
    /// Words before the name of a language: "*into* French".
    pub into: Phrases,
    /// Questions for a translation: "*how do you say* …".
    pub how: Phrases,
    /// What was said last: "that", "your answer".
    pub last: Phrases,
    /// The text on the clipboard.
    pub clipboard: Phrases,
    /// In front of a text that is named: "*this text*: …".
    pub this: Phrases,
    /// Names of languages, with their ISO 639-1 codes.
    pub language_names: Table<Phrase>,
    /// Endings that such a name may have.
    pub language_endings: Phrases,
}

/// Verbs that say what is wanted: "summarise", "fass … zusammen".
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Act {
    /// The verbs, at the beginning.
    pub verbs: Phrases,
    /// What ends their sentence, where something does.
    #[serde(default)]
    pub end: Phrase,
    /// What is wanted.
    pub change: Change,
}

/// What can be wanted of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Change {
    /// Fewer words.
    Shorter,
    /// One sentence.
    Sentence,
    /// Simpler words.
    Simpler,
    /// A list.
    List,
    /// More politeness.
    Polite,
    /// More formality.
    Formal,
    /// Other words.
    Reworded,
    /// What it says in short.
    Summary,
    /// No mistakes.
    Corrected,
}

impl Change {
    /// As prompts and traces call it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Shorter => "shorter",
            Self::Sentence => "sentence",
            Self::Simpler => "simpler",
            Self::List => "list",
            Self::Polite => "polite",
            Self::Formal => "formal",
            Self::Reworded => "reworded",
            Self::Summary => "summary",
            Self::Corrected => "corrected",
        }
    }
}

impl Rewriting {
    /// ISO 639-1 code of the language of this name.
    pub fn language(&self, name: &str) -> Option<&'static str> {
        let name = name.trim().to_lowercase();
        let stems = self.language_endings.iter().filter_map(|ending| name.strip_suffix(ending));
        std::iter::once(name.as_str())
            .chain(stems)
            .find_map(|name| self.language_names.get(name))
            .map(Phrase::text)
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn names_of_languages_are_those_of_one_language() {
        let code = |name, language| crate::of(language).rewriting.language(name);
        for (name, language, expected) in [
            ("German", "en", Some("de")),
            ("Deutsch", "de", Some("de")),
            ("Französische", "de", Some("fr")),
            ("deutsch", "en", None),
            ("german", "de", None),
            ("Germane", "en", None),
            ("german", "xx", None),
        ] {
            assert_eq!(code(name, language), expected, "{name} in {language}");
        }
    }
}
