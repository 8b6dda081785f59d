//! What the voice must know of a language: the tables in `languages/`, read once.

use serde::Deserialize;
use std::collections::HashMap;
use std::sync::LazyLock;

/// Which grammar of number words and dates a table is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Family {
    /// "twenty one", "one hundred and five", "November twenty first".
    English,
    /// "einundzwanzig", "hundertfünf", "einundzwanzigster November".
    German,
}

/// The tables of one language.
#[derive(Debug)]
pub struct Language {
    /// The grammar behind the tables.
    pub family: Family,
    /// The tables.
    pub tables: Tables,
}

/// One file of `languages/`; see its comments.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tables {
    pub phrases: PhraseTable,
    pub numbers: NumberTable,
    pub dates: DateTable,
    pub times: TimeTable,
    /// Lower-case, with the full stop.
    pub abbreviations: HashMap<String, String>,
    pub symbols: HashMap<char, String>,
    pub web: WebTable,
    pub code: CodeTable,
    /// Singular and plural of the money and of its hundredth; empty when there is no hundredth.
    pub currency: HashMap<String, [String; 4]>,
    /// Singular, plural and, where it matters, the gender.
    pub units: HashMap<String, Vec<String>>,
}

/// What is said for code that cannot be said.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CodeTable {
    /// In a sentence.
    pub span: String,
    /// As a sentence.
    pub block: String,
}

/// Full stops that end no sentence. Lower-case, without the last stop.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PhraseTable {
    pub always: Vec<String>,
    pub before_number: Vec<String>,
    pub ordinal_after: Vec<String>,
}

/// Words for numbers.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NumberTable {
    /// 0 to 19.
    pub small: [String; 20],
    /// 20, 30 … 90.
    pub tens: [String; 8],
    pub hundred: String,
    /// Singular and plural of 1,000, 1,000,000 …
    pub large: [[String; 2]; 4],
    pub and: String,
    pub minus: String,
    pub plus: String,
    pub point: String,
    pub to: String,
    pub times: String,
    pub over: String,
    /// Ordinals that are not made by an ending, by the last number word.
    pub ordinals: HashMap<String, String>,
    pub fractions: HashMap<String, String>,
    pub year_after: Vec<String>,
    pub grouping: char,
    pub decimal: char,
}

/// Words for dates: the full name first, then how it is abbreviated, lower-case without the stop.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DateTable {
    pub months: [Vec<String>; 12],
    pub weekdays: [Vec<String>; 7],
    pub day_dative_after: Vec<String>,
    pub day_definite_after: Vec<String>,
    pub one_dative_after: Vec<String>,
}

/// Words for times.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TimeTable {
    pub oclock: String,
    pub seconds: [String; 2],
    pub am: String,
    pub pm: String,
}

/// Words for addresses.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WebTable {
    pub dot: String,
    pub slash: String,
    pub at: String,
    pub dash: String,
    pub underscore: String,
    pub colon: String,
}

static ENGLISH: LazyLock<Language> =
    LazyLock::new(|| Language::parse(Family::English, include_str!("languages/en.toml")));
static GERMAN: LazyLock<Language> =
    LazyLock::new(|| Language::parse(Family::German, include_str!("languages/de.toml")));

impl Language {
    /// The tables for a tag such as `en`, `en-GB` or `de_AT`; `None` for a language without.
    pub fn of(tag: &str) -> Option<&'static Self> {
        match tag.trim().split(['-', '_']).next().unwrap_or_default().to_lowercase().as_str() {
            "en" => Some(&ENGLISH),
            "de" => Some(&GERMAN),
            _ => None,
        }
    }

    /// Reads all tables now, so that the first reply does not wait for them.
    pub fn load_all() {
        LazyLock::force(&ENGLISH);
        LazyLock::force(&GERMAN);
    }

    fn parse(family: Family, text: &str) -> Self {
        // The text is part of the program, and the tests read it.
        #[allow(clippy::expect_used)]
        let tables = toml::from_str(text).expect("the language tables fit their structure");
        Self { family, tables }
    }
}

impl DateTable {
    /// 0–11 for the name of a month, or its abbreviation without the stop, in any case.
    pub fn month(&self, word: &str) -> Option<usize> {
        position(&self.months, word)
    }

    /// 0–6, Monday first.
    pub fn weekday(&self, word: &str) -> Option<usize> {
        position(&self.weekdays, word)
    }
}

fn position(names: &[Vec<String>], word: &str) -> Option<usize> {
    let word = word.to_lowercase();
    names.iter().position(|names| names.iter().any(|name| name.to_lowercase() == word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tables_are_read_and_found_by_tag() {
        for (tag, family) in [
            ("en", Family::English),
            ("en_GB", Family::English),
            ("de", Family::German),
            ("DE-at", Family::German),
        ] {
            assert_eq!(Language::of(tag).map(|language| language.family), Some(family), "{tag}");
        }
        assert!(Language::of("fr").is_none() && Language::of("").is_none());
        let dates = &Language::of("de").unwrap().tables.dates;
        assert_eq!(
            (dates.month("oktober"), dates.month("Okt"), dates.weekday("Sonntag")),
            (Some(9), Some(9), Some(6))
        );
    }
}
