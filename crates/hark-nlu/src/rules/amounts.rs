//! Numbers, percentages and temperatures.

use crate::tongue::{self, Tongue};

/// "five", "two and a half", "half a dozen", "a couple of"; an ordinal counts too.
pub fn number(words: &[&str], tongue: &Tongue) -> Option<(f64, usize)> {
    let plain = (tongue.number)(words);
    let amount = tongue::find(tongue.amounts, words);
    let share = tongue::find(tongue.shares, words);
    let ordinal = (tongue.ordinal)(words).map(|(value, used)| (value as f64, used));
    let (value, used) = [plain, amount, ordinal, share].into_iter().flatten().reduce(longer)?;
    // "two and a half" is in the number already; "a dozen and a half" is not said.
    Some((value, used))
}

/// The one that takes more words; the first of equals.
fn longer(one: (f64, usize), other: (f64, usize)) -> (f64, usize) {
    if other.1 > one.1 { other } else { one }
}

/// "fifty percent", "half", "a quarter", "fifty": 0 to 100.
pub fn percentage(words: &[&str], tongue: &Tongue) -> Option<(f64, usize)> {
    let percent: &[&str] = &["percent", "per cent", "prozent"];
    let share = tongue::find(tongue.shares, words).map(|(share, used)| ((share * 100.0).round(), used));
    let number = (tongue.number)(words)
        .map(|(value, used)| (value, used + tongue::starts_any(percent, &words[used..]).unwrap_or(0)));
    let found = match (share, number) {
        (Some(share), Some(number)) if number.1 > share.1 => number,
        (Some(share), _) => share,
        (None, number) => number?,
    };
    (0.0..=100.0).contains(&found.0).then_some(found)
}

/// "21 degrees celsius": the number, the unit when it was said, the words.
pub fn temperature(words: &[&str], tongue: &Tongue) -> Option<(f64, Option<&'static str>, usize)> {
    let (value, mut used) = (tongue.number)(words)?;
    used += tongue::starts_any(&["degrees", "degree", "grad"], &words[used..]).unwrap_or(0);
    let unit = match words.get(used) {
        Some(&"celsius" | &"centigrade") => Some("celsius"),
        Some(&"fahrenheit") => Some("fahrenheit"),
        _ => None,
    };
    (value.abs() < 1000.0).then_some((value, unit, used + usize::from(unit.is_some())))
}
