//! The tables of phrases against their rules.

use super::{Prefer, Reckoning, Rule, longest};
use crate::text;
use chrono::NaiveDateTime;
use serde_json::Value;

/// A Sunday morning in November.
fn reckoning(language: &str, prefer: Prefer) -> Reckoning {
    let now = NaiveDateTime::parse_from_str("2026-11-22T10:00:00", "%Y-%m-%dT%H:%M:%S").unwrap();
    Reckoning { lexicon: hark_language::of(language), now, prefer }
}

/// What all of a text means; empty when the rule does not take all of it.
fn meaning(rule: Rule, text: &str, by: &Reckoning) -> String {
    let words = text::words(text, by.lexicon);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match longest(rule, &words, by) {
        Some((found, used)) if used == words.len() => {
            let plain = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            let parts = found.iter().map(|(name, value)| match *name {
                "" => plain(value),
                "hours" => format!("{value}h"),
                "minutes" => format!("{value}m"),
                "seconds" => format!("{value}s"),
                name => format!("{name}={}", plain(value)),
            });
            parts.collect::<Vec<_>>().join(" ")
        }
        _ => String::new(),
    }
}

fn check(rule: Rule, language: &str, prefer: Prefer, rows: &[(&str, &str)]) {
    let by = reckoning(language, prefer);
    let wrong: Vec<String> = rows
        .iter()
        .map(|(text, expected)| (text, expected, meaning(rule, text, &by)))
        .filter(|(_, expected, found)| found != *expected)
        .map(|(text, expected, found)| format!("{text}\n  expected {expected}\n  found    {found}"))
        .collect();
    assert!(wrong.is_empty(), "{} of {} wrong\n{}", wrong.len(), rows.len(), wrong.join("\n"));
}

#[test]
fn moments() {
    check(Rule::Datetime, "en", Prefer::Usual, super::date_rows::DAYS);
    check(Rule::Datetime, "en", Prefer::Usual, super::date_rows::MOMENTS);
    check(Rule::Datetime, "en", Prefer::Usual, super::date_rows::NEITHER);
    check(Rule::Datetime, "en", Prefer::Morning, super::date_rows::ALARMS);
    check(Rule::Time, "en", Prefer::Usual, super::date_rows::TIMES);
}

#[test]
fn lengths_and_amounts() {
    check(Rule::Duration, "en", Prefer::Usual, super::duration_rows::DURATIONS);
    check(Rule::Number, "en", Prefer::Usual, super::duration_rows::NUMBERS);
    check(Rule::Percentage, "en", Prefer::Usual, super::duration_rows::PERCENTAGES);
    check(Rule::Temperature, "en", Prefer::Usual, super::duration_rows::TEMPERATURES);
}

#[test]
fn repetitions() {
    check(Rule::Recurrence, "en", Prefer::Usual, super::recurrence_rows::REPETITIONS);
}

#[test]
fn german() {
    check(Rule::Datetime, "de", Prefer::Usual, super::german_rows::MOMENTS);
    check(Rule::Duration, "de", Prefer::Usual, super::german_rows::DURATIONS);
    check(Rule::Recurrence, "de", Prefer::Usual, super::german_rows::REPETITIONS);
    check(Rule::Number, "de", Prefer::Usual, super::german_rows::NUMBERS);
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
