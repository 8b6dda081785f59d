//! Spoken numbers, dates, lengths, repetitions and sums. What a rule reads takes at least one word and no more than there
//! are, is the same when only those words are there, and has a value in the form that its slot promises: finite numbers,
//! real days and times, repetitions that come after now.

use chrono::{NaiveDate, NaiveDateTime, NaiveTime};
use hark_core::calendar::{Recurrence, When};
use hark_language::numbers::MAX;
use hark_nlu::rules::{Found, MAX_WORDS, NAMES, Prefer, Reckoning, Rule, all, longest};
use hark_nlu::text;
use serde_json::Value;

/// Longest input in bytes.
const MAX_BYTES: usize = 400;
/// Longest duration in seconds: 9,999 hours.
const MAX_DURATION_S: u64 = 9_999 * 3600;

/// Checks one phrase.
pub fn check(data: &[u8]) {
    let Ok(input) = std::str::from_utf8(data) else { return };
    if input.len() > MAX_BYTES {
        return;
    }
    for lexicon in hark_language::all() {
        let tokens = text::tokenise(input, lexicon);
        for token in &tokens {
            assert!(input.get(token.start..token.end).is_some(), "{token:?} is no part of the input");
        }
        let words: Vec<&str> = tokens.iter().map(|token| token.word.as_str()).take(MAX_WORDS).collect();
        for now in moments() {
            for prefer in [Prefer::Usual, Prefer::Morning, Prefer::Either] {
                let by = Reckoning { lexicon, now, prefer };
                NAMES.iter().for_each(|(_, rule)| read(*rule, &words, &by));
            }
        }
    }
    input.split(|c: char| !c.is_ascii_digit()).filter_map(|digits| digits.parse().ok()).for_each(round_trip);
}

/// A usual morning, and the last second before a leap day.
fn moments() -> [NaiveDateTime; 2] {
    let at = |year, month, day, hour, minute, second| {
        NaiveDate::from_ymd_opt(year, month, day).and_then(|day| day.and_hms_opt(hour, minute, second))
    };
    [at(2026, 11, 22, 10, 0, 0), at(2028, 2, 28, 23, 59, 59)].map(Option::unwrap_or_default)
}

fn read(rule: Rule, words: &[&str], by: &Reckoning) {
    let Some((found, used)) = longest(rule, words, by) else { return };
    assert!((1..=words.len()).contains(&used), "{rule:?} takes {used} of {words:?}");
    value(rule, &found, by);
    let alone = longest(rule, &words[..used], by);
    assert_eq!(alone, Some((found, used)), "{rule:?} of {words:?} and of its first {used} words");
    let ends: Vec<usize> = all(rule, words, by).iter().map(|(_, used)| *used).collect();
    assert!(ends.is_sorted_by(|longer, shorter| longer > shorter), "{ends:?}");
}

/// Whether what was found is what the rule promises.
fn value(rule: Rule, found: &Found, by: &Reckoning) {
    let main = found.iter().find(|(name, _)| name.is_empty()).map(|(_, value)| value);
    let number = || main.and_then(Value::as_f64).filter(|number| number.is_finite());
    let said = || main.and_then(Value::as_str).unwrap_or_default();
    let is_right = match rule {
        Rule::Number => number().is_some(),
        Rule::Percentage => number().is_some_and(|number| (0.0..=100.0).contains(&number)),
        Rule::Temperature => number().is_some_and(|number| number.abs() <= 1000.0),
        Rule::Datetime => {
            When::parse(said()).is_some_and(|when| when.to_string() == said() && when.start() <= when.end())
        }
        Rule::Date => When::parse(said())
            .is_some_and(|when| !when.has_time() && when.to_string() == said() && when.start() < when.end()),
        Rule::Period => When::parse(said())
            .is_some_and(|when| when.has_time() && when.to_string() == said() && when.start() < when.end()),
        Rule::Time => {
            (1..=2).contains(&said().split('/').count())
                && said().split('/').all(|time| time.parse::<NaiveTime>().is_ok())
        }
        Rule::Duration => duration(found).is_some_and(|seconds| (1..=MAX_DURATION_S).contains(&seconds)),
        Rule::Recurrence => Recurrence::parse(said()).is_some_and(|every| {
            every.to_string() == said() && every.next_after(by.now, by.now).is_none_or(|next| next > by.now)
        }),
        Rule::Sum => {
            !said().is_empty() && !["inf", "nan"].iter().any(|word| said().to_lowercase().contains(word))
        }
    };
    assert!(is_right, "{rule:?}: {found:?}");
}

/// Seconds of the slots of a length; `None` when one of them is no count.
fn duration(found: &Found) -> Option<u64> {
    let parts = found.iter().map(|(name, value)| {
        let size = match *name {
            "hours" => 3600,
            "minutes" => 60,
            "seconds" => 1,
            _ => return None,
        };
        value.as_u64().filter(|count| *count > 0)?.checked_mul(size)
    });
    parts.sum()
}

/// A number in words is that number again, in every language.
fn round_trip(value: u64) {
    if value > MAX {
        return;
    }
    for lexicon in hark_language::all() {
        let said = lexicon.numbers.integer_words(value);
        let words: Vec<&str> = said.split(' ').collect();
        assert_eq!(lexicon.numbers.whole(&words), Some((value, words.len())), "{}: {said}", lexicon.code);
    }
}
