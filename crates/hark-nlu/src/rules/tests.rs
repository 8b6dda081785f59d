//! How far the rules read; what they make of phrases stands in `tests/data/rules`.

use super::{Prefer, Reckoning, Rule, longest};
use crate::text;
use chrono::NaiveDateTime;

/// A Sunday morning in November.
fn reckoning(language: &str, prefer: Prefer) -> Reckoning {
    let now = NaiveDateTime::parse_from_str("2026-11-22T10:00:00", "%Y-%m-%dT%H:%M:%S").unwrap();
    Reckoning { lexicon: hark_language::of(language), now, prefer }
}

#[test]
fn what_follows_is_left_alone() {
    let by = reckoning("en", Prefer::Usual);
    for (rule, text, taken) in [
        (Rule::Datetime, "tomorrow at seven and turn off the lamp", "tomorrow at seven"),
        (Rule::Datetime, "at seven to feed the cat", "at seven"),
        (Rule::Datetime, "tomorrow for five minutes", "tomorrow"),
        (Rule::Date, "tomorrow's reminders", "tomorrow's"),
        (Rule::Date, "next friday's alarms", "next friday's"),
        (Rule::Datetime, "in ten minutes at home", "in ten minutes"),
        (Rule::Datetime, "on friday that it is raining", "on friday"),
        (Rule::Duration, "five minutes and turn off the lamp", "five minutes"),
        (Rule::Duration, "an hour on the pizza timer", "an hour"),
        (Rule::Duration, "two hours and the lamp", "two hours"),
        (Rule::Recurrence, "every monday to take out the bins", "every monday"),
        (Rule::Number, "five and the lamp", "five"),
    ] {
        let words = text::words(text, by.lexicon);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let used = longest(rule, &words, &by).map_or(0, |(_, used)| used);
        assert_eq!(words[..used].join(" "), taken);
    }
}

#[test]
fn shorter_readings_come_after_longer_ones() {
    let by = reckoning("en", Prefer::Usual);
    let found = super::all(Rule::Datetime, &["tomorrow", "at", "seven", "thirty"], &by);
    let ends: Vec<usize> = found.iter().map(|(_, used)| *used).collect();
    assert_eq!(ends, [4, 3, 1]);
}
