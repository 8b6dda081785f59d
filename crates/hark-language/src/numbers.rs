//! Numbers of a language: from a value to the words people say, and back.
//!
//! One grammar serves every language: the words of 0 to 99 are listed, and greater numbers are counted in
//! scales (hundreds, thousands …). In languages with compound numbers a whole number below a million is one word.

use crate::phrases::{Phrase, Phrases, Table, find, starts};
use serde::Deserialize;
use std::collections::{HashMap, HashSet};

/// The largest number that has words.
pub const MAX: u64 = 999_999_999_999_999;

/// Digits after the point that are spoken at most.
const MAX_DECIMALS: usize = 6;

/// In compound languages numbers below this are one word.
const COMPOUND_BELOW: u64 = 1_000_000;

/// A number that others are counted in.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scale {
    /// 100, 1000, 1000000 …
    pub size: u64,
    /// The ways to say exactly one of it, the usual one first: "one hundred", "a hundred".
    pub one: Phrases,
    /// Its name behind other counts, the usual one first: "hundred".
    pub many: Phrases,
}

/// `numbers.toml` of a language.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct NumberWords {
    /// The words of 0 to 99.
    pub below_hundred: Phrases,
    /// Other words of numbers below 100.
    pub also: Table<u64>,
    /// Spellings of letters within compound numbers: "fuenf".
    pub letters: Table<Phrase>,
    /// Whether whole numbers below a million are one word.
    pub compound: bool,
    /// Ascending, beginning with the hundred.
    pub scales: Vec<Scale>,
    /// "and": may be said between the parts of a number, and is the word of `&`.
    pub and: Phrase,
    /// Whether it is usually said: "one hundred *and* five".
    pub say_and: bool,
    /// Whether people count hundreds above a thousand: "twelve hundred".
    pub hundreds_above_thousand: bool,
    /// The ordinals of 1 to 99 without their endings.
    pub ordinals: Phrases,
    /// Endings of ordinals; one empty ending where they have none.
    pub ordinal_endings: Phrases,
    /// The ordinal of 100, without its ending.
    pub hundredth: Phrase,
    /// What is written behind the digits of an ordinal: "nd".
    pub ordinal_marks: Phrases,
    /// Words of a negative sign, the usual one first.
    pub negative: Phrases,
    /// What is said behind a whole number for a half more: "and a half", "einhalb".
    pub half: Phrase,
    /// Digits behind the point that are said otherwise: "oh".
    pub digits: Table<u64>,
    /// Fractions that stand alone or behind a whole number and "and".
    pub fractions: Table<f64>,
    /// Numbers that people say without naming them: "a couple of", "half a dozen".
    pub amounts: Table<f64>,
    /// Shares: "half", "three quarters".
    pub shares: Table<f64>,
    /// Shares behind a unit: "an hour *and a half*".
    pub and_shares: Table<f64>,
    /// What `.` and `,` are in numbers: true when the comma stands before decimals.
    pub decimal_comma: bool,
    /// The word before decimals.
    pub point: Phrase,
    /// The word of `-` before a number.
    pub minus: Phrase,
    /// The word of `^` between numbers, and of the `e` in `1e3` with the one below before it and ten between.
    pub power: Phrase,
    /// See `power`.
    pub times: Phrase,
    /// The word of a zero before a minute: "seven *oh* five"; `None`: not said.
    pub oh: Option<Phrase>,
    /// Written signs and their words: `%`, `½`, `°`.
    pub signs: Table<Phrase>,
    /// `½` behind a number: "and a half".
    pub half_behind: Phrase,
    /// Fractions with a stroke: `1/2`.
    pub strokes: Table<Phrase>,
    /// "percent", behind a number.
    pub percent: Phrases,
    /// "degrees", behind a number.
    pub degrees: Phrases,
    /// Units of temperature, `celsius` or `fahrenheit`.
    pub temperature_units: Table<Phrase>,
    /// The word of another stroke.
    pub over: Phrase,
    /// Short units that are spoken in full behind a number in digits.
    pub short_units: Table<Phrase>,
}

/// The numbers of one language.
#[derive(Debug, Default, Deserialize)]
#[serde(try_from = "NumberWords")]
pub struct Numbers {
    words: NumberWords,
    /// Numbers below 100 by their first word.
    below_hundred: Index,
    ordinals: Index,
    /// The words that numbers begin with which are not compounds.
    firsts: HashSet<&'static str>,
    /// The parts of compound numbers, the longest first.
    parts: Vec<&'static str>,
}

type Index = HashMap<&'static str, Vec<(&'static str, u64)>>;

impl TryFrom<NumberWords> for Numbers {
    type Error = String;

    fn try_from(words: NumberWords) -> Result<Self, String> {
        for (name, list, full) in
            [("below_hundred", words.below_hundred, 100), ("ordinals", words.ordinals, 99)]
        {
            if !list.is_empty() && list.len() != full {
                return Err(format!("`{name}` must list {full} words, it lists {}", list.len()));
            }
        }
        if words.below_hundred.is_empty() && !words.scales.is_empty() {
            return Err("`scales` need `below_hundred`".to_owned());
        }
        let ascends = words.scales.windows(2).all(|two| two[0].size < two[1].size);
        if words.scales.first().is_some_and(|first| first.size != 100) || !ascends {
            return Err("`scales` must ascend from the hundred".to_owned());
        }
        if words.scales.iter().any(|scale| scale.one.is_empty() || scale.many.is_empty()) {
            return Err("each of `scales` needs `one` and `many`".to_owned());
        }
        let said = words.below_hundred.iter().enumerate().map(|(value, phrase)| (*phrase, value as u64));
        let below_hundred = index(said.chain(words.also.iter().copied()));
        let ordinals = index(words.ordinals.iter().enumerate().map(|(at, phrase)| (*phrase, at as u64 + 1)));
        let mut parts: Vec<&str> = below_hundred.values().flatten().map(|(phrase, _)| *phrase).collect();
        for scale in &words.scales {
            parts.extend(scale.many.iter());
        }
        parts.push(words.and.text());
        parts.retain(|part| !part.is_empty() && !part.contains(' '));
        parts.sort_unstable_by_key(|part| std::cmp::Reverse(part.len()));
        let scales = words.scales.iter().flat_map(|scale| scale.one.iter()).copied();
        let fractions = words.fractions.iter().map(|(phrase, _)| *phrase);
        let phrases =
            scales.chain(fractions).chain(words.negative.iter().copied()).chain([words.point.text()]);
        let mut firsts: HashSet<&str> = below_hundred.keys().copied().collect();
        firsts.extend(phrases.filter_map(|phrase| phrase.split(' ').next()));
        Ok(Self { words, below_hundred, ordinals, firsts, parts })
    }
}

impl std::ops::Deref for Numbers {
    type Target = NumberWords;

    fn deref(&self) -> &NumberWords {
        &self.words
    }
}

fn index(phrases: impl Iterator<Item = (&'static str, u64)>) -> Index {
    let mut index = Index::new();
    for (phrase, value) in phrases {
        let first = phrase.split(' ').next().unwrap_or_default();
        index.entry(first).or_default().push((phrase, value));
    }
    index
}

/// The longest phrase of an index that `words` begin with.
fn look_up(index: &Index, words: &[&str]) -> Option<(u64, usize)> {
    let phrases = index.get(words.first()?)?;
    let fits =
        phrases.iter().filter_map(|(phrase, value)| Some((*value, crate::phrases::length(phrase, words)?)));
    fits.max_by_key(|(_, length)| *length)
}

/// A count and how many words it takes.
type Found<T> = Option<(T, usize)>;

impl Numbers {
    /// The words of a whole number up to [`MAX`]; its digits in a language without words for numbers.
    pub fn integer_words(&self, value: u64) -> String {
        self.say(value.min(MAX), self.say_and)
    }

    fn say(&self, value: u64, with_and: bool) -> String {
        let Some(scale) = self.scales.iter().rev().find(|scale| value >= scale.size) else {
            let listed = usize::try_from(value).ok().and_then(|value| self.words.below_hundred.get(value));
            return listed.map_or_else(|| value.to_string(), |word| (*word).to_owned());
        };
        let (count, rest) = (value / scale.size, value % scale.size);
        let space = if self.compound && scale.size < COMPOUND_BELOW { "" } else { " " };
        let head = match count {
            1 => scale.one[0].to_owned(),
            // "einhunderteintausend": the one before a scale is said as alone before it.
            _ if space.is_empty() && count % 100 == 1 && scale.one[0] != scale.many[0] => {
                format!("{}{}", self.say(count - 1, with_and), scale.one[0])
            }
            _ => format!("{}{space}{}", self.say(count, with_and), scale.many[0]),
        };
        if rest == 0 {
            return head;
        }
        // "two thousand and five", but "two thousand one hundred and five".
        let and = with_and && (scale.size == 100 || rest < 100);
        let and = if and { format!("{} ", self.and.text()) } else { String::new() };
        format!("{head}{space}{and}{}", self.say(rest, with_and))
    }

    /// Digits one by one: "zero zero seven".
    pub fn digit_words(&self, digits: &str) -> String {
        let words =
            digits.chars().filter_map(|digit| digit.to_digit(10)).map(|digit| self.say(digit.into(), false));
        words.collect::<Vec<_>>().join(" ")
    }

    /// The ways people say a number, the usual one first; at most six digits after the point.
    pub fn spellings(&self, value: f64) -> Vec<String> {
        let text = format!("{:.*}", MAX_DECIMALS, value.abs());
        let (whole, decimals) = text.split_once('.').unwrap_or((&text, ""));
        let whole: u64 = whole.parse().unwrap_or(MAX).min(MAX);
        let decimals = decimals.trim_end_matches('0');
        let sign = self.negative.first().filter(|_| value < 0.0).map(|sign| format!("{sign} "));
        let sign = sign.unwrap_or_default();
        let mut all = Vec::new();
        for words in self.whole_spellings(whole) {
            if decimals.is_empty() {
                all.push(format!("{sign}{words}"));
                continue;
            }
            all.push(format!("{sign}{words} {} {}", self.point.text(), self.digit_words(decimals)));
            if decimals == "5" && !self.half.is_empty() && !self.compound {
                all.push(format!("{sign}{words} {}", self.half.text()));
            }
        }
        let alone = self.also.iter().filter(|(_, value)| *value == whole).map(|(word, _)| word);
        if decimals.is_empty() {
            all.extend(alone.map(|word| format!("{sign}{word}")));
        } else if decimals == "5" && self.compound && sign.is_empty() && (1..20).contains(&whole) {
            let head = alone
                .min_by_key(|word| word.len())
                .map_or_else(|| self.say(whole, false), |word| (*word).to_owned());
            all.push(format!("{head}{}", self.half.text()));
        }
        let mut unique = Vec::with_capacity(all.len());
        for words in all {
            if !unique.contains(&words) {
                unique.push(words);
            }
        }
        unique
    }

    fn whole_spellings(&self, whole: u64) -> Vec<String> {
        let mut all = vec![self.integer_words(whole), self.say(whole, false)];
        if let Some(scale) = self.scales.iter().rev().find(|scale| whole >= scale.size)
            && whole / scale.size == 1
        {
            for words in all.clone() {
                let rest = &words[scale.one[0].len()..];
                all.extend(scale.one[1..].iter().map(|one| format!("{one}{rest}")));
            }
        }
        let in_hundreds =
            (1100..10_000).contains(&whole) && whole.is_multiple_of(100) && !whole.is_multiple_of(1000);
        if in_hundreds && self.hundreds_above_thousand {
            all.push(format!("{} {}", self.say(whole / 100, false), self.scales[0].many[0]));
        }
        all
    }

    /// The longest number that `words` begin with (whole, with decimals or a fraction), and how many words it takes.
    pub fn number(&self, words: &[&str]) -> Found<f64> {
        if !self.may_begin(words.first()?) {
            return None;
        }
        if let Some(sign) = starts(self.negative, words) {
            let unsigned = self.number(&words[sign..]).filter(|(value, _)| *value >= 0.0);
            return unsigned.map(|(value, used)| (-value, used + sign));
        }
        if let Some(fraction) = find(self.fractions, words) {
            return Some(fraction);
        }
        if let Some(half) = words.first().and_then(|word| self.compound_half(word)) {
            return Some((half, 1));
        }
        let is = |at: usize, phrase: Phrase| !phrase.is_empty() && words.get(at) == Some(&phrase.text());
        let (whole, used) = match self.whole(words) {
            Some(whole) => whole,
            None if is(0, self.point) => (0, 0),
            None => return None,
        };
        if is(used, self.point)
            && let Some((value, digits)) = self.decimals(whole, &words[used + 1..])
        {
            return Some(self.times_scale(value, used + 1 + digits, words));
        }
        if is(used, self.and)
            && let Some((fraction, more)) = find(self.fractions, &words[used + 1..])
            && fraction < 1.0
            && used > 0
        {
            return Some(self.times_scale(whole as f64 + fraction, used + 1 + more, words));
        }
        (used > 0).then_some((whole as f64, used))
    }

    /// The number that all of `words` say together; `None` when they are not one number.
    pub fn parse(&self, words: &[&str]) -> Option<f64> {
        self.number(words).filter(|(_, used)| *used == words.len()).map(|(value, _)| value)
    }

    /// A number of some words with the scale that stands behind it: "one point five million", "two and a half thousand".
    fn times_scale(&self, value: f64, used: usize, words: &[&str]) -> (f64, usize) {
        let scale = self.scales.iter().find_map(|scale| Some((scale, starts(scale.many, &words[used..])?)));
        let scaled = scale.map(|(scale, more)| (value * scale.size as f64, used + more));
        scaled.filter(|(value, _)| *value <= MAX as f64).unwrap_or((value, used))
    }

    /// The digits behind the point, with the whole number before it, and how many words they take.
    fn decimals(&self, whole: u64, words: &[&str]) -> Found<f64> {
        let digit = |word: &&str| {
            let said = self.words.below_hundred.iter().take(10).position(|digit| digit == word);
            said.map(|value| value as u64).or_else(|| self.digits.get(word))
        };
        let digits: String = words.iter().map_while(digit).map(|digit| digit.to_string()).collect();
        let value = format!("{whole}.{digits}").parse().ok().filter(|_| !digits.is_empty());
        value.map(|value| (value, digits.len()))
    }

    /// "zweieinhalb": a compound of a whole number and a half.
    fn compound_half(&self, word: &str) -> Option<f64> {
        let head = word.strip_suffix(self.half.text()).filter(|_| self.compound && !self.half.is_empty())?;
        let whole = self.compound_value(head).filter(|whole| (1..100).contains(whole))?;
        Some(whole as f64 + 0.5)
    }

    /// Whether a number may begin with a word: most words are seen at once to be none.
    fn may_begin(&self, word: &str) -> bool {
        self.compound || self.firsts.contains(word) || word.starts_with(|c: char| c.is_ascii_digit())
    }

    /// The longest whole number that `words` begin with, in words or in digits of one word.
    pub fn whole(&self, words: &[&str]) -> Found<u64> {
        let first = words.first().filter(|first| self.may_begin(first))?;
        if !first.is_empty() && first.chars().all(|c| c.is_ascii_digit()) {
            return first.parse().ok().filter(|value| *value <= MAX).map(|value| (value, 1));
        }
        if self.compound {
            let value = |words: &[&str]| Some((self.compound_value(words.first()?)?, 1));
            return self.scaled(words, value, COMPOUND_BELOW, false);
        }
        self.scaled(words, |words| self.below_thousand(words), 101, true)
    }

    /// Counts of scales from `from` up, in falling order, and what is left; `count` reads what stands before one.
    fn scaled(
        &self,
        words: &[&str],
        count: impl Fn(&[&str]) -> Found<u64>,
        from: u64,
        joined: bool,
    ) -> Found<u64> {
        let (mut total, mut used, mut limit) = (0_u64, 0, u64::MAX);
        loop {
            let scales = || self.scales.iter().filter(|scale| (from..limit).contains(&scale.size));
            let and = used > 0 && joined && words.get(used) == Some(&self.and.text());
            let at = used + usize::from(and);
            let rest = words.get(at..).unwrap_or_default();
            let single = scales().filter_map(|scale| Some((scale.size, starts(scale.one, rest)?)));
            let single = single.max_by_key(|(_, length)| *length);
            let counted = || {
                let (count, length) = count(rest)?;
                let named =
                    scales().find_map(|scale| Some((scale.size, starts(scale.many, &rest[length..])?)));
                let named = named.filter(|_| (1..1000).contains(&count) || (from > 1000 && count > 0));
                Some(named.map_or((count, length, None), |(size, more)| {
                    (count.saturating_mul(size), length + more, Some(size))
                }))
            };
            let part = single.map(|(size, length)| (size, length, Some(size))).or_else(counted);
            match part {
                Some((value, length, Some(size))) => {
                    total = total.saturating_add(value);
                    (used, limit) = (at + length, size);
                }
                Some((value, length, None)) if used == 0 || (value > 0 && value < limit) => {
                    (total, used) = (total + value, at + length);
                    break;
                }
                _ => break,
            }
        }
        (used > 0 && total <= MAX).then_some((total, used))
    }

    /// Up to "nine hundred and ninety nine", also "twelve hundred" and "a hundred".
    fn below_thousand(&self, words: &[&str]) -> Found<u64> {
        let head = look_up(&self.below_hundred, words);
        let Some(hundred) = self.scales.first() else { return head };
        let counted = head
            .filter(|(count, _)| *count > 0)
            .and_then(|(count, used)| Some((count * 100, used + starts(hundred.many, &words[used..])?)));
        let one = starts(hundred.one, words).map(|used| (100, used));
        let Some((hundreds, used)) = counted.or(one) else { return head };
        let and = usize::from(words.get(used) == Some(&self.and.text()));
        let tail = look_up(&self.below_hundred, words.get(used + and..)?).filter(|(tail, _)| *tail > 0);
        Some(tail.map_or((hundreds, used), |(tail, length)| (hundreds + tail, used + and + length)))
    }

    /// The value of a compound number below a million.
    fn compound_value(&self, word: &str) -> Option<u64> {
        if let Some((value, _)) = look_up(&self.below_hundred, &[word]) {
            return Some(value);
        }
        let word =
            self.letters.iter().fold(word.to_owned(), |word, (typed, letters)| word.replace(typed, letters));
        let mut rest = word.as_str();
        let mut parts = Vec::new();
        while !rest.is_empty() {
            let part = self.parts.iter().find(|part| rest.starts_with(**part))?;
            parts.push(*part);
            rest = &rest[part.len()..];
        }
        let value = self.scaled(&parts, |parts| self.below_thousand(parts), 101, true);
        value.filter(|(value, used)| *used == parts.len() && *value < COMPOUND_BELOW).map(|(value, _)| value)
    }

    /// The longest ordinal below 1000 that `words` begin with, and how many words it takes.
    pub fn ordinal(&self, words: &[&str]) -> Found<u64> {
        if self.compound {
            let word = words.first()?;
            let mut stems = self.ordinal_endings.iter().filter_map(|ending| word.strip_suffix(ending));
            return stems.find_map(|stem| self.compound_ordinal(stem)).map(|value| (value, 1));
        }
        if let Some(ordinal) = look_up(&self.ordinals, words) {
            return Some(ordinal);
        }
        let hundred = self.scales.first()?;
        let is_hundredth = |at: usize| words.get(at) == Some(&self.hundredth.text());
        let single = hundred
            .one
            .iter()
            .any(|one| one.rsplit_once(' ').is_some_and(|(one, _)| words.first() == Some(&one)));
        let digit =
            look_up(&self.below_hundred, words).filter(|(digit, used)| (1..10).contains(digit) && *used == 1);
        let (count, used) = digit.or(single.then_some((1, 1))).unwrap_or((1, 0));
        if is_hundredth(used) {
            return Some((count * 100, used + 1));
        }
        let used = match starts(hundred.one, words).filter(|_| count == 1) {
            Some(used) => used,
            None => used + starts(hundred.many, &words[used..]).filter(|_| digit.is_some())?,
        };
        let and = usize::from(words.get(used) == Some(&self.and.text()));
        let (rest, more) = look_up(&self.ordinals, words.get(used + and..)?)?;
        Some((count * 100 + rest, used + and + more))
    }

    fn compound_ordinal(&self, stem: &str) -> Option<u64> {
        let hundreds = |head: &str| match head {
            "" => Some(0),
            head => self.compound_value(head).filter(|value| value.is_multiple_of(100) && *value < 1000),
        };
        let ordinals = self.words.ordinals.iter().enumerate();
        let mut below =
            ordinals.filter_map(|(at, ordinal)| Some(hundreds(stem.strip_suffix(ordinal)?)? + at as u64 + 1));
        let hundredth = || match stem.strip_suffix(self.hundredth.text())? {
            "" => Some(100),
            head => {
                self.compound_value(head).filter(|count| (1..10).contains(count)).map(|count| count * 100)
            }
        };
        below.next().or_else(hundredth)
    }

    /// The words of a written ordinal below 1000, "2nd"; `None` when `mark` is none of this language.
    pub fn ordinal_words(&self, value: u64, mark: &str) -> Option<String> {
        let ending = self.ordinal_endings.first().filter(|_| self.ordinal_marks.contains(mark))?;
        let (hundreds, below) = (value / 100 * 100, usize::try_from(value % 100).ok()?);
        if value == 0 || value > 999 {
            return None;
        }
        let Some(ordinal) = below.checked_sub(1).map(|at| self.words.ordinals.get(at)) else {
            let words = self.say(hundreds, false);
            return Some(format!(
                "{}{}{ending}",
                words.strip_suffix(self.scales.first()?.many[0])?,
                self.hundredth.text()
            ));
        };
        let ordinal = ordinal?;
        if hundreds == 0 {
            return Some(format!("{ordinal}{ending}"));
        }
        let and = if self.say_and { format!("{} ", self.and.text()) } else { String::new() };
        let space = if self.compound { "" } else { " " };
        Some(format!("{}{space}{and}{ordinal}{ending}", self.say(hundreds, false)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn split(text: &str) -> Vec<&str> {
        text.split(' ').collect()
    }

    #[test]
    fn numbers_are_said_as_people_do() {
        for (language, value, text) in [
            ("en", 0, "zero"),
            ("en", 99, "ninety nine"),
            ("en", 105, "one hundred and five"),
            ("en", 2005, "two thousand and five"),
            (
                "en",
                1_234_567,
                "one million two hundred and thirty four thousand five hundred and sixty seven",
            ),
            ("de", 0, "null"),
            ("de", 21, "einundzwanzig"),
            ("de", 101, "einhunderteins"),
            ("de", 101_000, "einhunderteintausend"),
            ("de", 2_000_000_000_001, "zwei billionen eins"),
            ("de", 2026, "zweitausendsechsundzwanzig"),
            ("de", 1_000_021, "eine million einundzwanzig"),
        ] {
            let numbers = &crate::of(language).numbers;
            assert_eq!(numbers.integer_words(value), text);
            assert_eq!(numbers.whole(&split(text)), Some((value, split(text).len())), "{text}");
        }
    }

    #[test]
    fn what_people_say_is_understood() {
        for (language, text, value) in [
            ("en", "a half", Some(0.5)),
            ("en", "half", Some(0.5)),
            ("en", "point five", Some(0.5)),
            ("en", "three quarters", Some(0.75)),
            ("en", "two and a half", Some(2.5)),
            ("en", "two and a half thousand", Some(2500.0)),
            ("en", "one and a half million", Some(1_500_000.0)),
            ("en", "one hundred five", Some(105.0)),
            ("en", "a hundred and five", Some(105.0)),
            ("en", "twelve hundred", Some(1200.0)),
            ("en", "a million", Some(1_000_000.0)),
            ("en", "negative five", Some(-5.0)),
            ("en", "minus two point oh five", Some(-2.05)),
            ("en", "42", Some(42.0)),
            ("en", "two thousand five", Some(2005.0)),
            ("en", "one point five million", Some(1_500_000.0)),
            ("en", "", None),
            ("en", "five six", None),
            ("en", "and five", None),
            ("en", "hundred", None),
            ("en", "twenty twenty", None),
            ("en", "minus minus one", None),
            ("de", "hundertfünf", Some(105.0)),
            ("de", "eine", Some(1.0)),
            ("de", "einundzwanzig komma fünf", Some(21.5)),
            ("de", "minus zwei", Some(-2.0)),
            ("de", "anderthalb", Some(1.5)),
            ("de", "zweieinhalb", Some(2.5)),
            ("de", "fuenfunddreissig", Some(35.0)),
            ("de", "neunzehnhundertneunundneunzig", Some(1999.0)),
            ("de", "zwo", Some(2.0)),
            ("de", "lampe", None),
            ("de", "und", None),
            ("de", "hundertlampe", None),
            ("de", "zwanzigund", None),
        ] {
            assert_eq!(crate::of(language).numbers.parse(&split(text)), value, "{text}");
        }
        assert_eq!(crate::of("en").numbers.number(&split("five and the lamp")), Some((5.0, 1)));
    }

    #[test]
    fn ordinals_are_understood() {
        for (language, text, value) in [
            ("en", "first", Some(1)),
            ("en", "twenty first", Some(21)),
            ("en", "a hundredth", Some(100)),
            ("en", "three hundred and second", Some(302)),
            ("en", "twenty", None),
            ("en", "hundred", None),
            ("de", "ersten", Some(1)),
            ("de", "siebten", Some(7)),
            ("de", "achter", Some(8)),
            ("de", "zwanzigsten", Some(20)),
            ("de", "einunddreißigste", Some(31)),
            ("de", "hundertersten", Some(101)),
            ("de", "zwei", None),
            ("de", "minute", None),
            ("de", "einte", None),
            ("de", "zwanzigten", None),
        ] {
            let words = split(text);
            let expected = value.map(|value| (value, words.len()));
            assert_eq!(crate::of(language).numbers.ordinal(&words), expected, "{text}");
        }
    }

    #[test]
    fn written_ordinals_come_back_from_their_words() {
        for language in crate::all() {
            let Some(mark) = language.numbers.ordinal_marks.first() else { continue };
            for value in 1..1000 {
                let words = language.numbers.ordinal_words(value, mark).unwrap();
                let words = split(&words);
                assert_eq!(language.numbers.ordinal(&words), Some((value, words.len())), "{words:?}");
            }
        }
    }

    proptest! {
        #[test]
        fn a_number_comes_back_from_its_words(value in 0u64..=MAX) {
            for language in crate::all() {
                let words = language.numbers.integer_words(value);
                let words = split(&words);
                prop_assert_eq!(language.numbers.whole(&words), Some((value, words.len())), "{:?}", words);
            }
        }

        #[test]
        fn every_spelling_means_the_number(value in -100_000i64..100_000, tenths in 0i64..10) {
            let value = (value * 10 + tenths) as f64 / 10.0;
            for language in crate::all() {
                for spelling in language.numbers.spellings(value) {
                    prop_assert_eq!(language.numbers.parse(&split(&spelling)), Some(value), "{}", spelling);
                }
            }
        }
    }
}
