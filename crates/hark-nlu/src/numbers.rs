//! English numbers: from a value to the words people say, and back.

use hark_core::number_words::{SMALL, TENS};

/// Words above a hundred, largest first.
const LARGE: [(u64, &str); 3] = [(1_000_000_000, "billion"), (1_000_000, "million"), (1_000, "thousand")];

/// The largest number that has words here.
pub const MAX: u64 = 999_999_999_999;

/// Most digits after the point that are spoken.
const MAX_DECIMALS: usize = 6;

/// Words of a whole number up to [`MAX`], "one hundred and five" rather than "one hundred five".
pub fn integer_words(value: u64) -> Vec<&'static str> {
    integer(value, true)
}

fn integer(value: u64, with_and: bool) -> Vec<&'static str> {
    if value == 0 {
        return vec![SMALL[0]];
    }
    let mut words = Vec::new();
    let mut rest = value.min(MAX);
    for (size, name) in LARGE {
        if rest >= size {
            words.extend(below_thousand(rest / size, with_and));
            words.push(name);
            rest %= size;
        }
    }
    if rest > 0 {
        // "two thousand and five", but "two thousand one hundred and five".
        if with_and && !words.is_empty() && rest < 100 {
            words.push("and");
        }
        words.extend(below_thousand(rest, with_and));
    }
    words
}

fn below_thousand(value: u64, with_and: bool) -> Vec<&'static str> {
    let mut words = Vec::new();
    if value >= 100 {
        words.push(SMALL[(value / 100) as usize % 10]);
        words.push("hundred");
        if with_and && !value.is_multiple_of(100) {
            words.push("and");
        }
    }
    let rest = (value % 100) as usize;
    if rest >= 20 {
        words.push(TENS[rest / 10 - 2]);
        if !rest.is_multiple_of(10) {
            words.push(SMALL[rest % 10]);
        }
    } else if rest > 0 {
        words.push(SMALL[rest]);
    }
    words
}

/// Words of any number, "minus two point five"; at most six digits after the point.
pub fn to_words(value: f64) -> Vec<&'static str> {
    let mut words = Vec::new();
    if value < 0.0 {
        words.push("minus");
    }
    let text = format!("{:.*}", MAX_DECIMALS, value.abs());
    let (whole, decimals) = text.split_once('.').unwrap_or((&text, ""));
    words.extend(integer_words(whole.parse().unwrap_or(MAX)));
    words.extend(decimal_words(decimals.trim_end_matches('0')));
    words
}

/// "point two five" for `25`; nothing for no digits.
pub fn decimal_words(digits: &str) -> Vec<&'static str> {
    if digits.is_empty() {
        return Vec::new();
    }
    let mut words = vec!["point"];
    words.extend(digit_words(digits));
    words
}

/// Digits one by one: "zero zero seven".
pub fn digit_words(digits: &str) -> Vec<&'static str> {
    digits.chars().filter_map(|digit| digit.to_digit(10)).map(|digit| SMALL[digit as usize]).collect()
}

/// The ways people say a number, the usual one first.
pub fn spellings(value: f64) -> Vec<Vec<&'static str>> {
    let mut all = vec![to_words(value)];
    let sign: &[&str] = if value < 0.0 { &["minus"] } else { &[] };
    let whole = value.abs().trunc() as u64;
    let fraction = value.abs().fract();
    let mut wholes = vec![integer(whole, true), integer(whole, false)];
    if (100..200).contains(&whole) || (1000..2000).contains(&whole) {
        wholes.extend(wholes.clone().into_iter().map(|mut words| {
            words[0] = "a";
            words
        }));
    }
    if (1100..10_000).contains(&whole) && whole.is_multiple_of(100) && !whole.is_multiple_of(1000) {
        let mut hundreds = below_thousand(whole / 100, true);
        hundreds.push("hundred");
        wholes.push(hundreds);
    }
    for words in wholes {
        if fraction == 0.0 {
            all.push([sign, &words].concat());
        } else {
            let text = format!("{fraction:.*}", MAX_DECIMALS);
            let digits = text.trim_start_matches("0.").trim_end_matches('0');
            all.push([sign, &words, &decimal_words(digits)].concat());
            if fraction == 0.5 {
                all.push([sign, &words, &["and", "a", "half"]].concat());
            }
        }
    }
    let mut unique: Vec<Vec<&'static str>> = Vec::new();
    for words in all {
        if !unique.contains(&words) {
            unique.push(words);
        }
    }
    unique
}

/// The number that all of `words` say together; `None` when they are not one number.
pub fn parse(words: &[&str]) -> Option<f64> {
    parse_prefix(words).filter(|(_, used)| *used == words.len()).map(|(value, _)| value)
}

/// The longest number that `words` begin with, and how many of them it takes.
pub fn parse_prefix(words: &[&str]) -> Option<(f64, usize)> {
    if let Some((sign, rest)) = words.split_first()
        && matches!(*sign, "minus" | "negative")
    {
        return parse_prefix(rest).filter(|(value, _)| *value >= 0.0).map(|(value, used)| (-value, used + 1));
    }
    if let Some(fraction) = fraction_prefix(words) {
        return Some(fraction);
    }
    let (whole, mut used) = match whole_prefix(words) {
        Some((whole, used)) => (whole as f64, used),
        None if words.first() == Some(&"point") => (0.0, 0),
        None => return None,
    };
    if words.get(used) == Some(&"point") {
        let digits: Vec<u64> = words[used + 1..].iter().map_while(|word| small(word)).collect();
        let digits: Vec<u64> = digits.into_iter().take_while(|digit| *digit < 10).collect();
        if !digits.is_empty() {
            let text: String = digits.iter().map(u64::to_string).collect();
            let value: f64 = format!("{whole}.{text}").parse().ok()?;
            used += 1 + digits.len();
            // "one point five million"
            let large = words.get(used).and_then(|word| LARGE.iter().find(|(_, name)| name == word));
            let large = large.map(|(size, _)| value * *size as f64).filter(|value| *value <= MAX as f64);
            return Some(large.map_or((value, used), |value| (value, used + 1)));
        }
    }
    if words.get(used) == Some(&"and")
        && let Some((fraction, length)) = fraction_prefix(&words[used + 1..])
    {
        used += 1 + length;
        return Some((whole + fraction, used));
    }
    (used > 0).then_some((whole, used))
}

/// "half", "a half", "a quarter", "three quarters".
fn fraction_prefix(words: &[&str]) -> Option<(f64, usize)> {
    match words {
        ["a", "half", ..] => Some((0.5, 2)),
        ["half", ..] => Some((0.5, 1)),
        ["a" | "one", "quarter", ..] => Some((0.25, 2)),
        ["three", "quarters", ..] => Some((0.75, 2)),
        _ => None,
    }
}

fn small(word: &str) -> Option<u64> {
    if word == "oh" {
        return Some(0);
    }
    SMALL.iter().position(|name| *name == word).map(|value| value as u64)
}

fn tens(word: &str) -> Option<u64> {
    TENS.iter().position(|name| *name == word).map(|value| (value as u64 + 2) * 10)
}

/// The longest whole number that `words` begin with, in words or in digits of one word.
pub fn whole_prefix(words: &[&str]) -> Option<(u64, usize)> {
    let first = words.first()?;
    if first.chars().all(|c| c.is_ascii_digit()) {
        return first.parse().ok().filter(|value| *value <= MAX).map(|value| (value, 1));
    }
    let (mut total, mut used) = (0, 0);
    let mut limit = u64::MAX;
    loop {
        let skip = usize::from(used > 0 && words.get(used) == Some(&"and"));
        let Some((group, length)) = hundreds_prefix(&words[used + skip..]) else { break };
        let after = used + skip + length;
        let large = words.get(after).and_then(|word| LARGE.iter().find(|(_, name)| name == word));
        match large {
            Some((size, _)) if *size < limit && group < 1000 => {
                total += group * size;
                limit = *size;
                used = after + 1;
            }
            _ if used == 0 || group < limit => {
                total += group;
                used = after;
                break;
            }
            _ => break,
        }
    }
    (used > 0 && total <= MAX).then_some((total, used))
}

/// Up to "nine hundred and ninety nine", also "twelve hundred" and "a hundred".
fn hundreds_prefix(words: &[&str]) -> Option<(u64, usize)> {
    let (head, used) = match words {
        ["a", "hundred" | "thousand" | "million" | "billion", ..] => (1, 1),
        _ => tens_prefix(words)?,
    };
    if words.get(used) != Some(&"hundred") || head == 0 {
        return Some((head, used));
    }
    let skip = usize::from(words.get(used + 1) == Some(&"and"));
    match tens_prefix(&words[used + 1 + skip..]).filter(|(tail, _)| *tail > 0) {
        Some((tail, length)) => Some((head * 100 + tail, used + 1 + skip + length)),
        None => Some((head * 100, used + 1)),
    }
}

fn tens_prefix(words: &[&str]) -> Option<(u64, usize)> {
    let first = words.first()?;
    if let Some(value) = SMALL.iter().position(|name| name == first) {
        return Some((value as u64, 1));
    }
    let ten = tens(first)?;
    match words.get(1).and_then(|word| SMALL.iter().position(|name| name == word)) {
        Some(one) if (1..10).contains(&one) => Some((ten + one as u64, 2)),
        _ => Some((ten, 1)),
    }
}

/// Ordinals of 1 to 19.
const ORDINALS: [&str; 19] = [
    "first",
    "second",
    "third",
    "fourth",
    "fifth",
    "sixth",
    "seventh",
    "eighth",
    "ninth",
    "tenth",
    "eleventh",
    "twelfth",
    "thirteenth",
    "fourteenth",
    "fifteenth",
    "sixteenth",
    "seventeenth",
    "eighteenth",
    "nineteenth",
];

/// Ordinals of 20, 30 … 90.
const TEN_ORDINALS: [&str; 8] =
    ["twentieth", "thirtieth", "fortieth", "fiftieth", "sixtieth", "seventieth", "eightieth", "ninetieth"];

/// The words of an ordinal from 1 to 999; `None` beyond.
pub fn ordinal_words(value: u64) -> Option<Vec<&'static str>> {
    let (hundreds, rest) = (value / 100, (value % 100) as usize);
    let mut words = match hundreds {
        0 => Vec::new(),
        1..=9 => vec![SMALL[hundreds as usize]],
        _ => return None,
    };
    match (hundreds, rest) {
        (0, 0) => return None,
        (_, 0) => words.push("hundredth"),
        (0, _) => {}
        _ => words.extend(["hundred", "and"]),
    }
    match (rest / 10, rest % 10) {
        (_, 0) if rest == 0 => {}
        (2.., 0) => words.push(TEN_ORDINALS[rest / 10 - 2]),
        (2.., ones) => words.extend([TENS[rest / 10 - 2], ORDINALS[ones - 1]]),
        _ => words.push(ORDINALS[rest - 1]),
    }
    Some(words)
}

/// The longest ordinal below 1000 that `words` begin with, and how many of them it takes.
pub fn ordinal_prefix(words: &[&str]) -> Option<(u64, usize)> {
    if let Some(value) = ORDINALS.iter().position(|name| words.first() == Some(name)) {
        return Some((value as u64 + 1, 1));
    }
    if let Some(value) = TEN_ORDINALS.iter().position(|name| words.first() == Some(name)) {
        return Some(((value as u64 + 2) * 10, 1));
    }
    if words.first() == Some(&"hundredth") {
        return Some((100, 1));
    }
    if let Some(tens) = tens(words.first()?) {
        let ones = ORDINALS[..9].iter().position(|name| words.get(1) == Some(name))?;
        return Some((tens + ones as u64 + 1, 2));
    }
    let hundreds = match *words.first()? {
        "a" => 1,
        word => small(word).filter(|value| (1..10).contains(value))?,
    };
    if words.get(1) == Some(&"hundredth") {
        return Some((hundreds * 100, 2));
    }
    let after = 2 + usize::from(words.get(2) == Some(&"and"));
    let (rest, used) = match words.get(1) {
        Some(&"hundred") => ordinal_prefix(words.get(after..)?).filter(|(rest, _)| *rest < 100)?,
        _ => return None,
    };
    Some((hundreds * 100 + rest, after + used))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn words(text: &str) -> Vec<&str> {
        text.split(' ').collect()
    }

    #[test]
    fn says_numbers_as_people_do() {
        for (value, text) in [
            (0.0, "zero"),
            (13.0, "thirteen"),
            (40.0, "forty"),
            (99.0, "ninety nine"),
            (105.0, "one hundred and five"),
            (2005.0, "two thousand and five"),
            (1_234_567.0, "one million two hundred and thirty four thousand five hundred and sixty seven"),
            (-7.0, "minus seven"),
            (20.25, "twenty point two five"),
        ] {
            assert_eq!(to_words(value).join(" "), text);
        }
    }

    #[test]
    fn understands_what_people_say() {
        for (text, value) in [
            ("a half", 0.5),
            ("half", 0.5),
            ("point five", 0.5),
            ("three quarters", 0.75),
            ("two and a half", 2.5),
            ("one hundred five", 105.0),
            ("a hundred and five", 105.0),
            ("twelve hundred", 1200.0),
            ("a million", 1_000_000.0),
            ("negative five", -5.0),
            ("minus two point oh five", -2.05),
            ("42", 42.0),
            ("two thousand five", 2005.0),
            ("one point five million", 1_500_000.0),
        ] {
            assert_eq!(parse(&words(text)), Some(value), "{text}");
        }
        for text in ["", "lamp", "five six", "and five", "hundred", "twenty twenty", "minus minus one"] {
            assert_eq!(parse(&words(text)), None, "{text}");
        }
        assert_eq!(parse_prefix(&words("five and the lamp")), Some((5.0, 1)));
    }

    #[test]
    fn ordinals_come_back_from_their_words() {
        for value in 1..1000 {
            let words = ordinal_words(value).unwrap();
            assert_eq!(ordinal_prefix(&words), Some((value, words.len())), "{words:?}");
        }
        assert_eq!(ordinal_prefix(&words("a hundredth")), Some((100, 2)));
        for text in ["lamp", "twenty", "five", "hundred", "zero"] {
            assert_eq!(ordinal_prefix(&words(text)), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn a_number_comes_back_from_its_words(value in 0u64..=MAX) {
            prop_assert_eq!(parse(&integer_words(value)), Some(value as f64));
        }

        #[test]
        fn every_spelling_means_the_number(value in -1_000_000i64..1_000_000, tenths in 0i64..10) {
            let value = (value * 10 + tenths) as f64 / 10.0;
            for spelling in spellings(value) {
                prop_assert_eq!(parse(&spelling), Some(value), "{:?}", spelling);
            }
        }
    }
}
