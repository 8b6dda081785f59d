//! Values in what the household tells: days, times of day and numbers, each with its place, so that a correction puts one in
//! the place of another of its kind.

use crate::rules::{Prefer, Reckoning, Rule, is_days, longest};
use crate::text;
use chrono::NaiveDateTime;
use hark_core::memory::{SaidValue, ValueKind};
use hark_language::{Lexicon, phrases};

/// Words of the number of a day at most: "twenty first".
const MAX_OF_ORDINAL: usize = 2;

/// The values of a text in the order in which they were said. A number that may be an hour is a number.
pub(super) fn values(said: &str, lexicon: &'static Lexicon) -> Vec<SaidValue> {
    let tokens = text::tokenise(said, lexicon);
    let words: Vec<&str> = tokens.iter().map(|token| token.word.as_str()).collect();
    let by = Reckoning { lexicon, now: NaiveDateTime::default(), prefer: Prefer::default() };
    let mut found: Vec<SaidValue> = Vec::new();
    let is_oh = |word: &str| lexicon.numbers.oh.is_some_and(|oh| oh.text() == word);
    let is_digit = |word: &&str| is_oh(word) || lexicon.numbers.number(&[*word]).is_some();
    // The word behind the last number.
    let mut number = None;
    let mut at = 0;
    while at < words.len() {
        let (values, used) = begins_with(&words[at..], &by);
        for (kind, from, length) in values {
            // "Mondays and wednesdays, *thursday's* his swimming": with that something else begins.
            let begins = |at: usize| {
                let word = &said[tokens[at].start..tokens[at].end];
                word.contains(['\'', '’']) && lexicon.memory.owner(word) != word
            };
            let length = (1..length).find(|it| begins(at + from + it)).unwrap_or(length);
            let (first, behind) = (at + from, at + from + length);
            let (start, end) = (tokens[first].start, tokens[behind - 1].end);
            let is_plain = words[first..behind].iter().all(is_digit);
            // "Two oh six six" is one number, although a part of it is a time.
            match found.last_mut().filter(|_| is_plain && number == Some(first)) {
                Some(last) => *last = SaidValue { kind: ValueKind::Number, start: last.start, end },
                None => found.push(SaidValue { kind, start, end }),
            }
            number =
                is_plain.then(|| behind + usize::from(words.get(behind).is_some_and(|word| is_oh(word))));
        }
        at += used;
    }
    with_coins(said, found, lexicon)
}

/// Numbers with the coins that they count, as one value: "two pound fifty" is put right by "three pound".
fn with_coins(said: &str, found: Vec<SaidValue>, lexicon: &Lexicon) -> Vec<SaidValue> {
    let coin_behind = |end: usize| {
        let word = said[end..].split_whitespace().next()?;
        let behind = end + said[end..].find(word)? + word.len();
        lexicon.memory.coins.contains(word.to_lowercase().as_str()).then_some(behind)
    };
    let mut all: Vec<SaidValue> = Vec::new();
    let mut coin = None;
    for value in found {
        let is_number = value.kind == ValueKind::Number;
        let goes_on = |end: usize| is_number && said[end..value.start].trim().is_empty();
        let end = coin_behind(value.end).filter(|_| is_number);
        match all.last_mut().filter(|_| coin.is_some_and(goes_on)) {
            Some(last) => last.end = end.unwrap_or(value.end),
            None => all.push(SaidValue { end: end.unwrap_or(value.end), ..value }),
        }
        coin = end;
    }
    all
}

/// The values that words begin with, each with its first word and its count of them, and how many words they take in all.
fn begins_with(words: &[&str], by: &Reckoning) -> (Vec<(ValueKind, usize, usize)>, usize) {
    let used = |rule| longest(rule, words, by).map_or(0, |(_, used)| used);
    let (number, time) = (used(Rule::Number), used(Rule::Time));
    // "Every monday at five" is a day and an hour.
    let until_at = (0..words.len()).find(|at| phrases::starts(by.lexicon.time.at, &words[*at..]).is_some());
    let recurring = used(Rule::Recurrence).min(until_at.unwrap_or(usize::MAX));
    let day = used(Rule::Date).max(if is_days(words, by) { recurring.max(1) } else { recurring });
    let ordinal = |at: usize| {
        let lengths = (1..=MAX_OF_ORDINAL).filter_map(|length| words.get(at..at + length)).rev();
        let is_one = |piece: &[&str]| by.lexicon.numbers.ordinal(piece).is_some();
        lengths.filter(|piece| is_one(piece) && is_one(&piece[piece.len() - 1..])).map(<[_]>::len).next()
    };
    // "The eighteenth of february" is put right by "the nineteenth".
    let is_month = |at: &usize| phrases::find(by.lexicon.time.months, &words[*at..]).is_some();
    let numbered = (0..day).find_map(|at| Some((at, ordinal(at)?)));
    if let (Some((at, length)), Some(month)) = (numbered, (0..day).find(is_month)) {
        let mut both = vec![(ValueKind::DayOfMonth, at, length), (ValueKind::Month, month, 1)];
        both.sort_by_key(|(_, from, _)| *from);
        return (both, day);
    }
    // "On" and "at" stay where they stand.
    let small = [by.lexicon.time.on, by.lexicon.time.at].into_iter();
    let leads = small.filter_map(|list| phrases::starts(list, words)).max().unwrap_or(0);
    let one = |kind, length: usize| (vec![(kind, 0, length)], length);
    match ordinal(0) {
        // "A tuesday" is the tuesday.
        _ if words.len() > 1 && by.lexicon.things.articles.contains(words[0]) => (Vec::new(), 1),
        _ if leads > 0 && leads < words.len() => (Vec::new(), leads),
        _ if day > 0 && day > number => one(ValueKind::Day, day),
        Some(length) if length >= number => one(ValueKind::DayOfMonth, length),
        _ if time > number => one(ValueKind::Time, time),
        _ if number > 0 => one(ValueKind::Number, number),
        _ => (Vec::new(), 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_times_and_numbers_are_told_apart() {
        let of = |said: &str| -> Vec<(ValueKind, String)> {
            let found = values(said, hark_language::of("en"));
            found.into_iter().map(|value| (value.kind, said[value.start..value.end].to_owned())).collect()
        };
        let (day, time, number) = (ValueKind::Day, ValueKind::Time, ValueKind::Number);
        let date = ValueKind::DayOfMonth;
        assert_eq!(
            of("helen has a dentist appointment on thursday at half past two"),
            [(day, "thursday".into()), (time, "half past two".into())]
        );
        assert_eq!(of("it's on the nineteenth"), [(date, "nineteenth".into())]);
        assert_eq!(of("a size five and a half"), [(number, "five and a half".into())]);
        assert_eq!(of("it starts at two o'clock"), [(time, "two o'clock".into())]);
        assert_eq!(of("on tuesday at seven"), [(day, "tuesday".into()), (number, "seven".into())]);
        assert_eq!(
            of("every monday at five, from the third of may"),
            [
                (day, "every monday".into()),
                (number, "five".into()),
                (date, "third".into()),
                (ValueKind::Month, "may".into())
            ]
        );
        assert_eq!(of("on october tenth"), [(ValueKind::Month, "october".into()), (date, "tenth".into())]);
        assert_eq!(
            of("no i meant mondays and wednesdays thursday's his swimming"),
            [(day, "mondays and wednesdays".into()), (day, "thursday's".into())]
        );
        assert_eq!(of("they cost two pound fifty each"), [(number, "two pound fifty".into())]);
        assert_eq!(of("they're three pound now"), [(number, "three pound".into())]);
        assert_eq!(of("my wife is called anna"), []);
        assert_eq!(of("recycling's on a tuesday"), [(day, "tuesday".into())]);
        assert_eq!(of("the code's four seven one nine"), [(number, "four seven one nine".into())]);
        assert_eq!(of("it's two eight oh six now"), [(number, "two eight oh six".into())]);
        assert_eq!(of("it's two oh six six now"), [(number, "two oh six six".into())]);
    }
}
