//! What differs from language to language where things are parsed by rule: words, as tables.
//!
//! A phrase of a table is made of spoken words (lower case, no punctuation). Where several phrases of a
//! table fit, the longest does.

mod english;
mod german;
pub mod kin;
pub mod provisos;
pub mod talk;

use chrono::Weekday;
use kin::Kin;
use provisos::Provisos;
use talk::Talk;

/// A unit of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Unit {
    /// One second.
    Second,
    /// 60 seconds.
    Minute,
    /// 60 minutes.
    Hour,
    /// A day, which may have 23 or 25 hours.
    Day,
    /// Seven days.
    Week,
    /// Saturday and Sunday.
    Weekend,
    /// Two weeks.
    Fortnight,
    /// A month of the calendar.
    Month,
    /// Three months.
    Quarter,
    /// A year of the calendar.
    Year,
}

/// A part of the day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// 6 to 12.
    Morning,
    /// 12 to 14.
    Noon,
    /// 12 to 18.
    Afternoon,
    /// 18 to 22.
    Evening,
    /// 22 to 6.
    Night,
}

/// Which one of several days, weeks … is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Which {
    /// The one at hand, or the nearest to come.
    This,
    /// The one that comes first from now on.
    Coming,
    /// That of the week (month, year) after this one.
    Next,
    /// The one after the next.
    AfterNext,
    /// That of the week (month, year) before this one.
    Last,
}

/// Which half of the day a time belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Half {
    /// 0 to 12.
    Am,
    /// 12 to 24.
    Pm,
}

/// A day that has a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Feast {
    /// Month and day.
    Fixed(u32, u32),
    /// Days after Easter Sunday.
    Easter(i64),
    /// The n-th weekday of a month.
    Nth(u32, Weekday, u8),
}

/// Phrases and what they stand for.
pub type Table<T> = &'static [(&'static str, T)];

/// A plain set of phrases.
pub type Phrases = &'static [&'static str];

/// A number and how many words it takes.
pub type NumberAt<T> = Option<(T, usize)>;

/// The words of one language.
#[derive(Debug)]
pub struct Tongue {
    /// ISO 639-1.
    pub code: &'static str,

    // ---- numbers
    /// Words of a whole number.
    pub integer_words: fn(u64) -> Vec<String>,
    /// The ways to say a number, the usual one first.
    pub spellings: fn(f64) -> Vec<String>,
    /// The longest number at the beginning of the words: whole, with decimals or a fraction.
    pub number: fn(&[&str]) -> NumberAt<f64>,
    /// The longest whole number at the beginning of the words.
    pub whole: fn(&[&str]) -> NumberAt<u64>,
    /// The longest ordinal at the beginning of the words.
    pub ordinal: fn(&[&str]) -> NumberAt<u64>,
    /// Words of an ordinal in digits, "2nd"; `None` when its ending is none of this language.
    pub ordinal_words: fn(u64, &str) -> Option<Vec<String>>,
    /// Numbers that people say without naming them: "a couple of", "half a dozen".
    pub amounts: Table<f64>,
    /// Shares: "half", "three quarters".
    pub shares: Table<f64>,
    /// Shares behind a unit: "an hour *and a half*".
    pub more: Table<f64>,

    // ---- written signs
    /// What `.` and `,` are in numbers: true when the comma stands before decimals.
    pub decimal_comma: bool,
    /// The word before decimals.
    pub point: &'static str,
    /// The word of `-` before a number.
    pub minus: &'static str,
    /// The word of `^` between numbers, and of the `e` in `1e3` with the one below before it and ten between.
    pub power: &'static str,
    /// See `power`.
    pub times: &'static str,
    /// The word of `&`.
    pub and: &'static str,
    /// The word between hours and minutes of `7:30`, when there is one.
    pub clock_word: Option<&'static str>,
    /// The word of a zero before a minute: "seven *oh* five"; `None`: not said.
    pub oh: Option<&'static str>,
    /// Written signs and their words: `%`, `½`, `°`.
    pub signs: &'static [(char, &'static str)],
    /// `½` behind a number: "and a half".
    pub half_behind: &'static str,
    /// Fractions with a stroke: `1/2`.
    pub strokes: &'static [(&'static str, &'static str)],
    /// The word of another stroke.
    pub over: &'static str,
    /// Short units that are spoken in full behind a number in digits.
    pub short_units: &'static [(&'static str, &'static str)],
    /// Words that are often typed otherwise.
    pub spelt: &'static [(&'static str, &'static str)],

    // ---- requests
    /// Words between two requests.
    pub requests: Phrases,
    /// Words for a thing that was named before.
    pub it: Phrases,

    /// What can be set several of in one sentence, and one of it: "timers", "a timer".
    pub several: Table<&'static str>,
    /// One of them: "one", "another".
    pub one_of_them: Phrases,

    // ---- lengths
    /// Units of time.
    pub units: Table<Unit>,
    /// "a", "an", "one": a single unit follows.
    pub one: Phrases,
    /// "and".
    pub joins: Phrases,
    /// "of a": between a share and its unit.
    pub of_a: Phrases,
    /// "exactly", "about": said before lengths and times, and without meaning here.
    pub roughly: Phrases,

    // ---- days
    /// Days from today.
    pub days: Table<i64>,
    /// Names of weekdays.
    pub weekdays: Table<Weekday>,
    /// Weekdays as a habit: "mondays".
    pub habits: Table<Weekday>,
    /// Months.
    pub months: Table<u32>,
    /// Feasts.
    pub feasts: Table<Feast>,
    /// "this", "next".
    pub which: Table<Which>,
    /// "on", "the": said before dates.
    pub on: Phrases,
    /// "in", "during": said before months.
    pub during: Phrases,
    /// "of": between the day and the month.
    pub of: Phrases,
    /// "at the end of": with the unit behind it.
    pub end_of: Phrases,
    /// "at the beginning of".
    pub begin_of: Phrases,
    /// "in", "within": a length from now follows.
    pub hence: Phrases,
    /// "at this time": on another day, at the time it is now.
    pub this_time: Phrases,
    /// "from now": behind a length.
    pub from_now: Phrases,
    /// "from": a day follows.
    pub from: Phrases,
    /// "ago", behind a length.
    pub ago: Phrases,
    /// "vor": a length that has passed follows.
    pub since: Phrases,
    /// "now".
    pub now: Phrases,

    // ---- times of day
    /// "at", "by", "around".
    pub at: Phrases,
    /// Times with a name: hour and minute.
    pub named_times: Table<(u32, u32)>,
    /// "half past": 30 minutes after the hour that follows, counted in minutes.
    pub past: Table<i64>,
    /// "to", "past" behind a count of minutes: the sign.
    pub minutes_to: Table<i64>,
    /// "o'clock", "uhr".
    pub oclock: Phrases,
    /// "hundred hours": the military way to say full hours.
    pub hundred: Phrases,
    /// "am", "in the morning": which half of the day.
    pub halves: Table<Half>,
    /// Parts of today: "tonight", "this morning".
    pub today_parts: Table<Part>,
    /// Parts of a day that was said, or of any day: "morning", "in the evening".
    pub parts: Table<Part>,

    // ---- repetitions
    /// "every", "each".
    pub every: Phrases,
    /// "other", "second": every so many.
    pub every_other: Table<u32>,
    /// "daily", "weekly".
    pub adverbs: Table<Unit>,
    /// "weekdays": Monday to Friday, and the like.
    pub day_sets: Table<&'static [Weekday]>,
    /// The same, where no "every" stands before it.
    pub habit_sets: Table<&'static [Weekday]>,
    /// "monday *to* friday".
    pub to: Phrases,
    /// "between", "from": two times of day follow.
    pub between: Phrases,
    /// "last" of a month.
    pub last: Phrases,
    /// "of the month", "of every month".
    pub of_month: Phrases,
    /// "once a", before a unit.
    pub once_a: Phrases,
    /// Parts of the day as a habit: "mornings", "abends".
    pub habit_parts: Table<Part>,

    // ---- things
    /// Words that name the same thing.
    pub kin: &'static Kin,

    // ---- people
    /// What is said around requests.
    pub talk: &'static Talk,
    /// Conditions, lengths and exceptions of requests.
    pub provisos: &'static Provisos,
}

impl Tongue {
    /// The words of a language; those of English where there are none.
    pub fn of(code: &str) -> &'static Self {
        match code {
            "de" => &german::GERMAN,
            _ => &english::ENGLISH,
        }
    }
}

/// The longest phrase of a table that `words` begin with: what it stands for, and its words.
pub fn find<T: Copy>(table: Table<T>, words: &[&str]) -> Option<(T, usize)> {
    let fits = table.iter().filter_map(|(phrase, value)| Some((*value, length(phrase, words)?)));
    fits.max_by_key(|(_, length)| *length)
}

/// The longest of some phrases that `words` begin with: how many words it has.
pub fn starts(phrases: Phrases, words: &[&str]) -> Option<usize> {
    phrases.iter().filter_map(|phrase| length(phrase, words)).max()
}

/// Words of the phrase when `words` begin with it.
fn length(phrase: &str, words: &[&str]) -> Option<usize> {
    // Most phrases begin otherwise.
    if !phrase.starts_with(words.first()?) {
        return None;
    }
    let mut count = 0;
    for word in phrase.split(' ') {
        if words.get(count) != Some(&word) {
            return None;
        }
        count += 1;
    }
    Some(count)
}

/// How many words the longest of some phrases takes at the end.
pub fn ends(phrases: Phrases, words: &[&str]) -> Option<usize> {
    let most = phrases.iter().map(|phrase| phrase.split(' ').count()).max().unwrap_or(0);
    (1..=words.len().min(most)).rev().find(|count| {
        let tail = &words[words.len() - count..];
        phrases.iter().any(|phrase| length(phrase, tail) == Some(*count))
    })
}

/// As [`starts`], for phrases of all languages.
pub fn starts_any(phrases: &[&str], words: &[&str]) -> Option<usize> {
    phrases.iter().filter_map(|phrase| length(phrase, words)).max()
}
