//! Numbers, percentages and temperatures.

use hark_language::{Lexicon, phrases};

/// "five", "two and a half", "half a dozen", "a couple of"; an ordinal counts too.
pub fn number(words: &[&str], lexicon: &Lexicon) -> Option<(f64, usize)> {
    let plain = lexicon.numbers.number(words);
    let amount = phrases::find(lexicon.numbers.amounts, words);
    let share = phrases::find(lexicon.numbers.shares, words);
    let ordinal = lexicon.numbers.ordinal(words).map(|(value, used)| (value as f64, used));
    let (value, used) = [plain, amount, ordinal, share].into_iter().flatten().reduce(longer)?;
    // "two and a half" is in the number already; "a dozen and a half" is not said.
    Some((value, used))
}

/// The one that takes more words; the first of equals.
fn longer(one: (f64, usize), other: (f64, usize)) -> (f64, usize) {
    if other.1 > one.1 { other } else { one }
}

/// "fifty percent", "half", "a quarter", "fifty": 0 to 100.
pub fn percentage(words: &[&str], lexicon: &Lexicon) -> Option<(f64, usize)> {
    let share =
        phrases::find(lexicon.numbers.shares, words).map(|(share, used)| ((share * 100.0).round(), used));
    let number = lexicon.numbers.number(words).map(|(value, used)| {
        (value, used + phrases::starts(lexicon.numbers.percent, &words[used..]).unwrap_or(0))
    });
    let found = match (share, number) {
        (Some(share), Some(number)) if number.1 > share.1 => number,
        (Some(share), _) => share,
        (None, number) => number?,
    };
    (0.0..=100.0).contains(&found.0).then_some(found)
}

/// "21 degrees celsius": the number, the unit when it was said, the words.
pub fn temperature(words: &[&str], lexicon: &Lexicon) -> Option<(f64, Option<&'static str>, usize)> {
    let (value, mut used) = lexicon.numbers.number(words)?;
    used += phrases::starts(lexicon.numbers.degrees, &words[used..]).unwrap_or(0);
    let unit = phrases::find(lexicon.numbers.temperature_units, &words[used..]);
    let (unit, more) = unit.map_or((None, 0), |(unit, more)| (Some(unit.text()), more));
    (value.abs() < 1000.0).then_some((value, unit, used + more))
}
