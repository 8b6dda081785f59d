//! Finds a PIN in what was said or typed, "four two one seven" as well as "4217", and puts
//! [`MASK`] in its place, so that nobody reads it afterwards.

use hark_core::number_words::{SMALL, TENS};
use hark_core::pin::{MASK, PIN_MIN_DIGITS, PinCode};
use std::ops::Range;

/// Words of one digit, English and German.
const DIGITS: &[(&str, u8)] = &[
    ("zero", 0),
    ("oh", 0),
    ("one", 1),
    ("two", 2),
    ("three", 3),
    ("four", 4),
    ("five", 5),
    ("six", 6),
    ("seven", 7),
    ("eight", 8),
    ("nine", 9),
    ("null", 0),
    ("eins", 1),
    ("ein", 1),
    ("zwei", 2),
    ("zwo", 2),
    ("drei", 3),
    ("vier", 4),
    ("fünf", 5),
    ("sechs", 6),
    ("sieben", 7),
    ("acht", 8),
    ("neun", 9),
];

/// What recognisers write for digits they heard; counts between digits only.
const ALIKE: &[(&str, u8)] =
    &[("o", 0), ("won", 1), ("to", 2), ("too", 2), ("for", 4), ("fore", 4), ("ate", 8)];

/// Ten to nineteen; one word for two digits.
const TEENS: &[&str] = SMALL.split_at(10).1;

/// What was found in a text.
#[derive(Debug, PartialEq, Eq)]
pub struct Found {
    /// The digits, when they can be a PIN.
    pub pin: Option<PinCode>,
    /// The text without them.
    pub masked: String,
}

/// Looks for the digits of a PIN. While one is `awaited` every run of digits counts; otherwise four running,
/// if they are most of what was said: "set a timer for ten minutes" is left alone.
pub fn find(text: &str, awaited: bool) -> Option<Found> {
    let words = words(text);
    let run = longest_run(&words)?;
    let digits: String = digits_of(&words[run.clone()]);
    let rest = words.len() - run.len();
    let enough = digits.len() >= PIN_MIN_DIGITS;
    if !(awaited || enough && rest <= 4) {
        return None;
    }
    // A single number beside other words is a request, not an attempt: "turn off two lights".
    if awaited && !enough && rest > 0 {
        return None;
    }
    let from = words[run.start].at.start;
    let to = words[run.end - 1].at.end;
    let masked = format!("{}{MASK}{}", &text[..from], &text[to..]);
    Some(Found { pin: PinCode::new(&digits), masked })
}

/// The text fit to be shown while somebody may be in the middle of a PIN.
pub fn mask_unfinished(text: &str, awaited: bool) -> Option<String> {
    let words = words(text);
    let only_digits = !words.is_empty() && words.iter().all(|word| digits(&word.text).is_some());
    if only_digits || awaited && longest_run(&words).is_some() {
        return Some(MASK.to_owned());
    }
    find(text, awaited).map(|found| found.masked)
}

struct Word {
    text: String,
    at: Range<usize>,
}

fn words(text: &str) -> Vec<Word> {
    let mut words: Vec<Word> = Vec::new();
    let mut open = false;
    for (at, c) in text.char_indices() {
        let end = at + c.len_utf8();
        match words.last_mut().filter(|_| open && c.is_alphanumeric()) {
            Some(word) => {
                word.text.extend(c.to_lowercase());
                word.at.end = end;
            }
            None if c.is_alphanumeric() => {
                words.push(Word { text: c.to_lowercase().collect(), at: at..end });
            }
            None => {}
        }
        open = c.is_alphanumeric();
    }
    words
}

/// The digits a word stands for: itself, a number word, or nothing for "double", which is one of them.
fn digits(word: &str) -> Option<String> {
    if word.bytes().all(|byte| byte.is_ascii_digit()) {
        return Some(word.to_owned());
    }
    if let Some((_, digit)) = DIGITS.iter().find(|(name, _)| *name == word) {
        return Some(digit.to_string());
    }
    if let Some(teen) = TEENS.iter().position(|name| *name == word) {
        return Some((10 + teen).to_string());
    }
    if let Some(ten) = TENS.iter().position(|name| *name == word) {
        return Some((20 + 10 * ten).to_string());
    }
    matches!(word, "double" | "triple").then(String::new)
}

fn alike(word: &str) -> Option<u8> {
    ALIKE.iter().find(|(name, _)| *name == word).map(|(_, digit)| *digit)
}

/// The words that hold the most digits in a row; the last of equals.
fn longest_run(words: &[Word]) -> Option<Range<usize>> {
    let counts = |word: &Word| digits(&word.text).is_some() || alike(&word.text).is_some();
    let mut best: Option<(usize, Range<usize>)> = None;
    let mut at = 0;
    while at < words.len() {
        let end = at + words[at..].iter().take_while(|word| counts(word)).count();
        if end == at {
            at += 1;
            continue;
        }
        let run = trimmed(words, at..end);
        let length = digits_of(&words[run.clone()]).len();
        if length > 0 && best.as_ref().is_none_or(|(most, _)| length >= *most) {
            best = Some((length, run));
        }
        at = end;
    }
    best.map(|(_, run)| run)
}

/// "for" and "to" before the digits are words of the sentence, unless there are too few digits without them.
fn trimmed(words: &[Word], run: Range<usize>) -> Range<usize> {
    let real = |at: &usize| digits(&words[*at].text).is_some();
    if run.clone().filter(real).count() < 2 {
        let from = run.clone().find(real).unwrap_or(run.end);
        let to = run.clone().rfind(real).map_or(from, |last| last + 1);
        return from..to;
    }
    let length = digits_of(&words[run.clone()]).len();
    let from = run.clone().find(real).unwrap_or(run.start);
    let without = digits_of(&words[from..run.end]).len();
    if without >= PIN_MIN_DIGITS && without < length { from..run.end } else { run }
}

fn digits_of(words: &[Word]) -> String {
    let mut all = String::new();
    let mut times = 1;
    let mut at = 0;
    while at < words.len() {
        let word = &words[at].text;
        at += 1;
        match word.as_str() {
            "double" => times = 2,
            "triple" => times = 3,
            word => {
                let mut part = match digits(word) {
                    Some(part) => part,
                    None => alike(word).map(|digit| digit.to_string()).unwrap_or_default(),
                };
                // "forty two" is 42.
                if TENS.contains(&word)
                    && let Some(unit) = words.get(at).and_then(|next| digits(&next.text))
                    && unit.len() == 1
                    && unit != "0"
                {
                    part = format!("{}{unit}", &part[..1]);
                    at += 1;
                }
                (0..times).for_each(|_| all.push_str(&part));
                times = 1;
            }
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn pin(text: &str, awaited: bool) -> Option<String> {
        find(text, awaited)?.pin.map(|pin| pin.digits().to_owned())
    }

    #[test]
    fn digits_are_found_however_they_are_said() {
        for text in [
            "4217",
            "4 2 1 7",
            "four two one seven",
            "Four, two, one, seven.",
            "the PIN is four two one seven please",
            "it's 42 17",
            "forty two seventeen",
            "for to one seven",
            "for two won seven",
            "vier zwei eins sieben",
            "my code is 4-2-1-7",
        ] {
            assert_eq!(pin(text, true).as_deref(), Some("4217"), "{text}");
            let masked = find(text, true).unwrap().masked;
            assert!(masked.contains(MASK), "{masked}");
            for digit in ["4", "two", "zwei", "seven", "sieben"] {
                assert!(!masked.to_lowercase().contains(digit), "{masked}");
            }
        }
        assert_eq!(pin("double four oh nine", true).as_deref(), Some("4409"));
        assert_eq!(pin("unlock it with 4217", true).as_deref(), Some("4217"));
        assert_eq!(find("unlock it with 4217", true).unwrap().masked, "unlock it with [PIN]");
    }

    #[test]
    fn requests_are_left_alone() {
        for text in ["set a timer for ten minutes", "turn off two lights", "what time is it", "yes", "to", ""]
        {
            assert_eq!(find(text, true), None, "{text}");
            assert_eq!(find(text, false), None, "{text}");
        }
        assert_eq!(find("remind me on the first of may 2027 at 1830 to call them", false), None);
        assert_eq!(pin("four two one seven", false).as_deref(), Some("4217"), "a late one is hidden too");
        // Too short for a PIN: hidden, and no attempt.
        assert_eq!(find("four two", true), Some(Found { pin: None, masked: MASK.into() }));
    }

    #[test]
    fn the_beginning_of_a_pin_is_hidden_too() {
        for text in ["four", "four two", "4", "the pin is four two"] {
            assert_eq!(mask_unfinished(text, true).as_deref(), Some(MASK), "{text}");
        }
        assert_eq!(mask_unfinished("four two", false).as_deref(), Some(MASK));
        assert_eq!(mask_unfinished("turn on the light", true), None);
        assert_eq!(mask_unfinished("set a timer for ten", false), None);
    }

    proptest! {
        #[test]
        fn no_text_breaks_it_and_no_pin_stays_in_it(text in ".{0,60}", digits in "[0-9]{4,12}") {
            for awaited in [true, false] {
                let _ = (find(&text, awaited), mask_unfinished(&text, awaited));
            }
            let found = find(&format!("it is {digits}"), true).unwrap();
            prop_assert!(!found.masked.contains(&digits));
            let pin = found.pin.unwrap();
            prop_assert_eq!(pin.digits(), digits.as_str());
        }
    }
}
