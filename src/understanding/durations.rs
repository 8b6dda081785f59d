//! Lengths of time, written or spoken: "an hour and a half", "90 seconds", "1h 30m".

use super::{numbers, text};

/// A length of time as hours, minutes and seconds; minutes and seconds may exceed 59 as they were said.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Length {
    /// Whole hours.
    pub hours: u64,
    /// Whole minutes.
    pub minutes: u64,
    /// Whole seconds.
    pub seconds: u64,
}

/// Longest length understood, in seconds: 999 hours.
const MAX_SECONDS: f64 = 999.0 * 3600.0;

impl Length {
    /// The whole length in seconds.
    pub fn total_seconds(self) -> u64 {
        self.hours * 3600 + self.minutes * 60 + self.seconds
    }

    /// The usual division of a number of seconds: 5400 is 1 hour and 30 minutes.
    pub fn from_seconds(total: u64) -> Self {
        Self { hours: total / 3600, minutes: total / 60 % 60, seconds: total % 60 }
    }

    /// Spoken form: "one hour and thirty minutes"; nothing at all is "zero seconds".
    pub fn to_words(self) -> String {
        let parts: Vec<String> = [(self.hours, "hour"), (self.minutes, "minute"), (self.seconds, "second")]
            .into_iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, unit)| {
                let plural = if count == 1 { "" } else { "s" };
                format!("{} {unit}{plural}", numbers::integer_words(count).join(" "))
            })
            .collect();
        match parts.split_last() {
            None => "zero seconds".to_owned(),
            Some((last, [])) => last.clone(),
            Some((last, first)) => format!("{} and {last}", first.join(" ")),
        }
    }
}

/// The length that `written` says, and nothing else; `None` when it is not one or longer than 999 hours.
pub fn parse(written: &str) -> Option<Length> {
    let words = text::words(written);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let mut total = 0.0;
    let mut at = 0;
    let mut last_unit = f64::INFINITY;
    while at < words.len() {
        at += usize::from(at > 0 && words[at] == "and");
        let (seconds, unit, used) = part(&words[at..])?;
        if unit >= last_unit {
            return None;
        }
        (total, last_unit, at) = (total + seconds, unit, at + used);
        // "an hour and a half": half of the unit just said.
        if let Some((share, used)) = share_of_unit(&words[at..]) {
            total += share * unit;
            at += used;
        }
    }
    (total > 0.0 && total <= MAX_SECONDS && total.fract() == 0.0).then(|| Length::from_seconds(total as u64))
}

/// "and a half", "and a quarter" when no unit follows.
fn share_of_unit(words: &[&str]) -> Option<(f64, usize)> {
    let (share, used) = match words {
        ["and", "a", "half", ..] => (0.5, 3),
        ["and", "a", "quarter", ..] => (0.25, 3),
        ["and", "three", "quarters", ..] => (0.75, 3),
        _ => return None,
    };
    words.get(used).is_none_or(|next| *next == "and").then_some((share, used))
}

/// One count with its unit: seconds, the unit in seconds, words used.
fn part(words: &[&str]) -> Option<(f64, f64, usize)> {
    let (count, used) = match words {
        ["half", "a" | "an", ..] => (0.5, 2),
        ["a", "quarter", "of", "a" | "an", ..] => (0.25, 4),
        ["three", "quarters", "of", "a" | "an", ..] => (0.75, 4),
        ["a", "couple", "of", ..] => (2.0, 3),
        ["a" | "an", next, ..] if unit(next).is_some() => (1.0, 1),
        _ => numbers::parse_prefix(words)?,
    };
    let unit = unit(words.get(used)?)?;
    (count >= 0.0).then_some((count * unit, unit, used + 1))
}

/// Seconds of a unit.
fn unit(word: &str) -> Option<f64> {
    match word {
        "hour" | "hours" => Some(3600.0),
        "minute" | "minutes" => Some(60.0),
        "second" | "seconds" => Some(1.0),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn lengths_in_words_and_digits() {
        for (text, seconds) in [
            ("five minutes", 300),
            ("an hour and a half", 5400),
            ("90 seconds", 90),
            ("half an hour", 1800),
            ("half a minute", 30),
            ("two and a half minutes", 150),
            ("2.5 hours", 9000),
            ("1h 30m", 5400),
            ("1h30m10s", 5410),
            ("10-minute", 600),
            ("a minute", 60),
            ("a minute and 20 seconds", 80),
            ("one hour, 5 minutes and three seconds", 3903),
            ("three quarters of an hour", 2700),
            ("a couple of minutes", 120),
            ("two hours and a quarter", 8100),
        ] {
            assert_eq!(parse(text).map(Length::total_seconds), Some(seconds), "{text}");
        }
        for text in ["", "five", "minutes", "five bananas", "1000 hours", "five minutes two hours", "0 s"] {
            assert_eq!(parse(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn a_length_comes_back_from_its_words(seconds in 1u64..360_000) {
            let length = Length::from_seconds(seconds);
            prop_assert_eq!(parse(&length.to_words()), Some(length));
        }
    }
}
