//! What the voice needs to say a text: where its sentences end, and how what is written with digits and signs is
//! said. The words of whole numbers and ordinals are those of `numbers.toml`. Unlike other phrases these are written as
//! the language writes them, capitals included.

use crate::numbers::Numbers;
use crate::phrases::{Phrase, Phrases, Table};
use serde::de::Error;
use serde::{Deserialize, Deserializer};

/// `speech.toml` of a language. What is left out is not said otherwise than it is written.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Speech {
    /// A sentence by which a voice is brought to the loudness of others.
    pub sample: String,
    /// Full stops that end no sentence.
    pub stops: Stops,
    /// Numbers beyond their words.
    pub numbers: WrittenNumbers,
    /// How one of something is counted.
    pub one: One,
    /// How ordinals are written and end.
    pub ordinals: Ordinals,
    /// Dates.
    pub dates: Dates,
    /// Times of day.
    pub times: Times,
    /// Abbreviations.
    pub abbreviations: Abbreviations,
    /// Signs and their words, empty for what is not said.
    pub symbols: Table<Phrase>,
    /// Addresses of pages and mailboxes.
    pub web: Web,
    /// What is said for code.
    pub code: Code,
    /// Amounts of money.
    pub money: Money,
    /// Units by their sign; some are written in several ways.
    pub units: Table<Noun>,
    /// Signs of units that are words as well: no unit where a word follows.
    pub ambiguous_units: Phrases,
}

/// Full stops that end no sentence; abbreviations in lower case, without the last stop.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Stops {
    /// Whatever follows.
    pub always: Phrases,
    /// When a number follows.
    pub before_number: Phrases,
    /// When the name of a weekday follows.
    pub before_weekday: Phrases,
    /// Single letters that are words; any other with a stop is an initial.
    pub letters: Phrases,
}

/// How the year of a date is said.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum YearStyle {
    /// As any number.
    #[default]
    Number,
    /// 1100 to 1999 in hundreds: "nineteen hundred ninety nine".
    Hundreds,
    /// In two numbers: "twenty twenty six".
    Pairs,
}

/// How a decade is written and said: "1990s".
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Decades {
    /// What is written behind the year.
    pub mark: Phrase,
    /// Endings of the year's last word and what they become; the first that fits does.
    pub endings: Vec<(Phrase, Phrase)>,
}

/// What is said of numbers beyond the words of `numbers.toml`.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct WrittenNumbers {
    /// Words of numbers that are written with a capital.
    pub nouns: Phrases,
    /// `+` before a number.
    pub plus: Phrase,
    /// The dash of a range.
    pub to: Phrase,
    /// The cross of a size: "three *by* four".
    pub times: Phrase,
    /// Fractions and what else has words of its own.
    pub fractions: Table<Phrase>,
    /// A number of four digits behind one of these is a year; lower case.
    pub year_after: Phrases,
    /// How years are said.
    pub years: YearStyle,
    /// How decades are; `None` where they are not written.
    pub decades: Option<Decades>,
    /// The sign between groups of three digits.
    pub grouping: Option<char>,
    /// Whether the `and` of `numbers.toml` is left out within a number: "two hundred five".
    pub without_and: bool,
    /// Words behind which three digits and more are said one by one; lower case.
    pub spelled_after: Phrases,
    /// The colon of a ratio or a score.
    pub ratio: Phrase,
    /// Roman numbers behind a name.
    pub roman: Roman,
}

/// Roman numbers behind a name, which are ordinals: "Elizabeth II".
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Roman {
    /// What is said in front of the ordinal; without it they are left as they are written.
    pub article: Phrase,
    /// Words behind which they count: "World War II"; lower case.
    pub counted_after: Phrases,
}

/// How one of something is said.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct One {
    /// Of what has no gender that matters; `None` where it is the number.
    pub plain: Option<Phrase>,
    /// By gender, where it is said otherwise.
    pub genders: Table<Phrase>,
    /// Behind words that change it.
    pub after: Vec<OneAfter>,
    /// Whether nouns are known by their capital, and counted by the gender that `gender_endings` tell.
    pub capitalised_nouns: bool,
    /// Genders of nouns by how they end, in lower case.
    pub gender_endings: Table<Phrase>,
}

/// How one of something is said behind some words.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OneAfter {
    /// The words, in lower case.
    pub words: Phrases,
    /// As in [`One`].
    pub plain: Phrase,
    /// As in [`One`].
    #[serde(default)]
    pub genders: Table<Phrase>,
}

impl One {
    /// How one of this gender is said behind `before` (lower case, empty for none); `None` where it is the number.
    pub fn said(&self, gender: Option<&str>, before: &str) -> Option<&'static str> {
        let after = self.after.iter().find(|after| after.words.contains(before));
        let (plain, genders) =
            after.map_or((self.plain, self.genders), |after| (Some(after.plain), after.genders));
        gender.and_then(|gender| genders.get(gender)).or(plain).map(Phrase::text)
    }

    /// The gender of a noun, as far as its ending tells.
    pub fn gender_of(&self, noun: &str) -> Option<&'static str> {
        let noun = noun.to_lowercase();
        self.gender_endings.iter().find(|(ending, _)| noun.ends_with(ending)).map(|(_, gender)| gender.text())
    }
}

/// Ordinals, as they are written and said.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Ordinals {
    /// Whether they are written with a full stop: "2.". Others have the `ordinal_marks` of `numbers.toml`.
    pub stop: bool,
    /// Words behind which a number with a full stop is an ordinal; lower case.
    pub after: Phrases,
    /// The usual ending.
    pub ending: Phrase,
    /// Other endings, and the words behind which they are said.
    pub endings: Table<Phrases>,
}

impl Ordinals {
    /// The ending behind `before` (lower case).
    pub fn ending_after(&self, before: &str) -> &'static str {
        let other = self.endings.iter().find(|(_, words)| words.contains(before));
        other.map_or(self.ending.text(), |(ending, _)| ending)
    }
}

/// Which days of a month are said as ordinals.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OrdinalDays {
    /// None.
    #[default]
    None,
    /// The first of the month.
    First,
    /// All.
    All,
}

/// Dates: the full name first, then how it is abbreviated, in lower case without the stop.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Dates {
    /// January to December.
    pub months: [Phrases; 12],
    /// Monday to Sunday.
    pub weekdays: [Phrases; 7],
    /// Whether the month is said before the day, and written there.
    pub month_first: bool,
    /// Which days are ordinals.
    pub ordinal_days: OrdinalDays,
    /// What stands between day and year, with its spaces.
    pub before_year: Phrase,
    /// Words behind which two numbers with a slash are a date; lower case.
    pub slash_after: Phrases,
}

impl Dates {
    /// 0–11 for the name of a month, or its abbreviation without the stop, in any case.
    pub fn month(&self, word: &str) -> Option<usize> {
        position(&self.months, word)
    }

    /// 0–6, Monday first.
    pub fn weekday(&self, word: &str) -> Option<usize> {
        position(&self.weekdays, word)
    }
}

fn position(names: &[Phrases], word: &str) -> Option<usize> {
    let word = word.to_lowercase();
    names.iter().position(|names| names.iter().any(|name| name.to_lowercase() == word))
}

/// A half of the day.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct HalfOfDay {
    /// How it is written behind a time, in any case; the longest first.
    pub written: Phrases,
    /// How it is said.
    pub said: Phrase,
}

/// Times of day.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Times {
    /// Whether they are said in twelve hours, with the half of the day.
    pub twelve_hours: bool,
    /// What is written behind hours, and said between them and the minutes.
    pub hour: Option<Noun>,
    /// What is said behind a full hour without a half of the day.
    pub oclock: Phrase,
    /// Midnight to noon.
    pub am: HalfOfDay,
    /// Noon to midnight.
    pub pm: HalfOfDay,
    /// Seconds behind minutes.
    pub seconds: Noun,
    /// Whether a full stop may stand between hours and minutes where `hour` follows.
    pub stop: bool,
    /// Parts of a length of time: "1h 20m".
    pub lengths: Lengths,
}

/// What the parts of a length of time are called.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Lengths {
    /// By their letters, which stand right behind the number, in two parts and more.
    pub letters: Table<Noun>,
    /// Hours, minutes and seconds, of which "0:04:30" is made; with none of them it is a time of day.
    pub clock: Vec<Noun>,
}

/// Abbreviations, in lower case with their stops.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Abbreviations {
    /// Those that are words of their own unless a number follows.
    pub before_number: Phrases,
    /// Those that stand in front of a name.
    pub before_name: Phrases,
    /// All of them, written out.
    pub words: Table<Phrase>,
    /// What is said otherwise behind a name: "Baker *St.*"
    pub after_name: Table<Phrase>,
    /// What words end with, written out.
    pub endings: Table<Phrase>,
    /// Words in capitals, without stops.
    pub capitals: Table<Phrase>,
}

/// What is said for code that cannot be said.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Code {
    /// In a sentence.
    pub span: Phrase,
    /// As a sentence.
    pub block: Phrase,
}

/// The signs of addresses.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Web {
    /// `.`
    pub dot: Phrase,
    /// `/`
    pub slash: Phrase,
    /// `@`
    pub at: Phrase,
    /// `-`
    pub dash: Phrase,
    /// `_`
    pub underscore: Phrase,
    /// `:`
    pub colon: Phrase,
}

/// Amounts of money.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Money {
    /// Whether hundredths behind whole money have their name: "five dollars *and fifty cents*".
    pub names_hundredths: bool,
    /// Currencies by their sign or code.
    pub coins: Table<Coin>,
    /// Signs right behind an amount: "$3bn".
    pub scales: Table<Phrase>,
}

/// A currency.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(try_from = "Vec<Noun>")]
pub struct Coin {
    /// The money.
    pub whole: Noun,
    /// Its hundredth, where there is one.
    pub hundredth: Option<Noun>,
}

impl TryFrom<Vec<Noun>> for Coin {
    type Error = String;

    fn try_from(nouns: Vec<Noun>) -> Result<Self, String> {
        match nouns[..] {
            [whole] => Ok(Self { whole, hundredth: None }),
            [whole, hundredth] => Ok(Self { whole, hundredth: Some(hundredth) }),
            _ => Err(format!("a currency is a noun and that of its hundredth, not {} nouns", nouns.len())),
        }
    }
}

/// A noun that is counted: singular, plural and, where it matters, its gender.
#[derive(Debug, Clone, Copy, Default)]
pub struct Noun {
    /// Singular.
    pub one: &'static str,
    /// Plural.
    pub many: &'static str,
    /// A key of [`One::genders`].
    pub gender: Option<&'static str>,
}

impl<'de> Deserialize<'de> for Noun {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let words = Phrases::deserialize(deserializer)?;
        match words[..] {
            [one, many] => Ok(Self { one, many, gender: None }),
            [one, many, gender] => Ok(Self { one, many, gender: Some(gender) }),
            _ => Err(D::Error::custom(format!(
                "a noun is singular, plural and perhaps gender, not {} words",
                words.len()
            ))),
        }
    }
}

impl Numbers {
    /// The sign before decimals.
    pub fn decimal_sign(&self) -> char {
        if self.decimal_comma { ',' } else { '.' }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_of_something_depends_on_its_gender_and_on_the_word_before() {
        let german = &crate::of("de").speech.as_ref().unwrap().one;
        for (gender, before, said) in [
            (None, "", "ein"),
            (Some("f"), "", "eine"),
            (None, "vor", "einem"),
            (Some("f"), "vor", "einer"),
            (Some("n"), "", "ein"),
        ] {
            assert_eq!(german.said(gender, before), Some(said), "{gender:?} {before}");
        }
        assert_eq!((german.gender_of("Lampe"), german.gender_of("Schalter")), (Some("f"), None));
        assert_eq!(crate::of("en").speech.as_ref().unwrap().one.said(None, "in"), None);
    }

    #[test]
    fn ordinals_end_as_the_word_before_asks_for() {
        let german = &crate::of("de").speech.as_ref().unwrap().ordinals;
        let endings = ["der", "am", "ein"].map(|before| german.ending_after(before));
        assert_eq!(endings, ["e", "en", "er"]);
    }

    #[test]
    fn nouns_and_currencies_are_whole() {
        let speech = |text: &str| toml::from_str::<Speech>(text).map_err(|error| error.to_string());
        let noun = speech("units = { h = [\"hour\"] }").unwrap_err();
        assert!(noun.contains("singular, plural"), "{noun}");
        let coin = speech("money = { coins = { EUR = [] } }").unwrap_err();
        assert!(coin.contains("0 nouns"), "{coin}");
        let yen = speech("money = { coins = { JPY = [[\"yen\", \"yen\"]] } }").unwrap();
        assert!(yen.money.coins.get("JPY").unwrap().hundredth.is_none());
    }
}
