//! Slots that are parsed by rule instead of being looked up: lengths, moments, repetitions, amounts.
//!
//! Each rule reads spoken words (`text::words`) from the first on and says how many it took. Nothing here
//! reads a clock: the moment from which "tomorrow" counts comes with the call.
//!
//! What is ambiguous is decided once, here:
//! - A bare "at seven" is the next seven, in the morning or in the evening. With a day, 6 to 11 are in the
//!   morning, 12 is noon and 1 to 5 are in the afternoon; with today, the next that is still to come.
//!   Where the list says `prefer: morning`, a bare hour is in the morning; with `prefer: either` a time of day alone is
//!   both.
//! - "friday", "on friday" and "this friday" are the next Friday after today ("this friday" may be today).
//!   "next friday" is the Friday of the week after this one; weeks begin on Monday.
//! - "the 15th" and "march 3rd" without a year are the next ones, today included.
//! - "midnight" belongs to the evening before it: "friday at midnight" is when Friday ends.
//! - `12/25` is month before day in English unless that is impossible, and day before month elsewhere.

mod amounts;
mod clock;
mod dates;
mod lengths;
mod recurrence;
mod sums;
mod when;
mod window;

#[cfg(test)]
mod tests;

pub use clock::without_hour;
pub use dates::{NoSuchDay, no_such_day};
pub use lengths::{Length, length_behind, read as length};
pub use recurrence::{each_day, is_days, other_days};

use chrono::NaiveDateTime;
use hark_core::calendar::When;
use hark_language::Lexicon;
use serde_json::{Number, Value};

/// How a list's value is parsed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Rule {
    /// A moment, a day or a span: ISO 8601, local time.
    Datetime,
    /// The same without a time of day.
    Date,
    /// From one time of a day to another: ISO 8601, local time.
    Period,
    /// A time of day: `HH:MM:SS`; with `prefer: either` two of them where the half of the day was not said.
    Time,
    /// A length of time: `hours`, `minutes`, `seconds`.
    Duration,
    /// A repetition: RFC 5545.
    Recurrence,
    /// A number.
    Number,
    /// 0 to 100.
    Percentage,
    /// A number of degrees, with its unit where that is said.
    Temperature,
    /// A sum, with digits and signs: `13 * 57`.
    Sum,
}

/// Words at most of what a rule reads: nobody says a longer date, length or sum in one breath.
pub const MAX_WORDS: usize = 40;

/// Names of the rules in sentence files.
pub const NAMES: [(&str, Rule); 10] = [
    ("datetime", Rule::Datetime),
    ("date", Rule::Date),
    ("period", Rule::Period),
    ("time", Rule::Time),
    ("duration", Rule::Duration),
    ("recurrence", Rule::Recurrence),
    ("number", Rule::Number),
    ("percentage", Rule::Percentage),
    ("temperature", Rule::Temperature),
    ("sum", Rule::Sum),
];

/// Which of two possible hours is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Prefer {
    /// As the module says.
    #[default]
    Usual,
    /// In the morning: alarms.
    Morning,
    /// That of any day, whatever time it is now: "every Saturday … at nine".
    EachDay,
    /// Both: of a time of day alone, `07:00:00/19:00:00`. Elsewhere as usual.
    Either,
}

/// What stays the same while a sentence is read.
#[derive(Debug, Clone, Copy)]
pub struct Reckoning {
    /// The language.
    pub lexicon: &'static Lexicon,
    /// Local time.
    pub now: NaiveDateTime,
    /// Which of two possible hours is meant.
    pub prefer: Prefer,
}

/// What a rule puts into slots: the endings of their names behind the list's own slot (empty: that slot
/// itself), and the values.
pub type Found = Vec<(&'static str, Value)>;

/// Whether some words are a time, a day or a number, which "it" is not: "wake me at eight and … five minutes before *that*".
pub fn is_time(words: &[&str], by: &Reckoning) -> bool {
    let is_whole = |rule| longest(rule, words, by).is_some_and(|(_, used)| used == words.len());
    [Rule::Datetime, Rule::Time, Rule::Date, Rule::Number].into_iter().any(is_whole)
}

/// A day or moment as a slot has it; `None` in a year that no slot has ("in a hundred thousand years").
fn written((when, used): (When, usize)) -> Option<(Found, usize)> {
    let text = when.to_string();
    When::parse(&text).map(|_| (vec![("", text.into())], used))
}

/// The longest piece that `words` begin with, and how many words it takes.
pub fn longest(rule: Rule, words: &[&str], by: &Reckoning) -> Option<(Found, usize)> {
    let one = |value: Value| vec![("", value)];
    match rule {
        Rule::Datetime => when::read(words, by).and_then(written),
        Rule::Date => when::date(words, by).and_then(written),
        Rule::Period => when::period(words, by).and_then(written),
        Rule::Time => clock::time_of_day(words, by).map(|(time, used)| (one(time.into()), used)),
        Rule::Duration => {
            lengths::read(words, by.lexicon).and_then(|(length, used)| Some((length.slots()?, used)))
        }
        Rule::Recurrence => {
            recurrence::read(words, by).map(|(every, used)| (one(every.to_string().into()), used))
        }
        Rule::Number => amounts::number(words, by.lexicon).map(|(number, used)| (one(plain(number)), used)),
        Rule::Percentage => {
            amounts::percentage(words, by.lexicon).map(|(number, used)| (one(plain(number)), used))
        }
        Rule::Temperature => amounts::temperature(words, by.lexicon).map(|(number, unit, used)| {
            let unit = unit.map(|unit| ("_unit", Value::from(unit)));
            (one(plain(number)).into_iter().chain(unit).collect(), used)
        }),
        Rule::Sum => sums::read(words, by.lexicon).map(|(sum, used)| (one(sum.into()), used)),
    }
}

/// Every piece that `words` begin with, the longest first: "tomorrow at seven" and "tomorrow".
pub fn all(rule: Rule, words: &[&str], by: &Reckoning) -> Vec<(Found, usize)> {
    let mut found: Vec<(Found, usize)> = Vec::new();
    let mut words = words;
    while let Some((value, used)) = longest(rule, words, by) {
        found.push((value, used));
        if used == 0 {
            break;
        }
        words = &words[..used - 1];
    }
    found
}

/// A whole number stays one.
fn plain(value: f64) -> Value {
    if value.fract() == 0.0 && value.abs() < 9e15 {
        Value::from(value as i64)
    } else {
        // Thirds have many digits that nobody said.
        Number::from_f64((value * 1e6).round() / 1e6).map_or(Value::Null, Value::Number)
    }
}
