//! Words that are written short: weekdays and months, Roman numbers behind a name, what stands behind a name, compass points.

use super::numbers::{cardinal, ordinal};
use super::signs::{matched, with_stop};
use super::{At, Said, blank, clock, dates, ends_here, letters};

/// Roman tens and ones up to 39; greater ones are rather words in capitals.
const TENS: [&str; 4] = ["", "X", "XX", "XXX"];
const ONES: [&str; 10] = ["", "I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX"];

pub(super) fn read(at: &At<'_>) -> Option<Said> {
    let word = letters(at.rest());
    if word.starts_with(char::is_uppercase) {
        let said = calendar(at, word).or_else(|| roman(at, word)).or_else(|| behind_name(at));
        if said.is_some() {
            return said;
        }
    }
    let abbreviations = &at.language.speech.abbreviations;
    let capitals = abbreviations.capitals.get(word).filter(|_| ends_here(&at.rest()[word.len()..]));
    capitals.map(|words| Said::new(word.len(), words.text())).or_else(|| ending(at, word))
}

/// "Mon–Fri", "Tue, 3 Dec", "Thu 14:30", "from Mon. on".
fn calendar(at: &At<'_>, word: &str) -> Option<Said> {
    let dates = &at.language.speech.dates;
    let kinds = [&dates.weekdays[..], &dates.months[..]];
    let short = |word: &str, names: &[hark_language::phrases::Phrases]| {
        let lower = word.to_lowercase();
        let listed = names.iter().find(|names| names.iter().any(|name| *name == lower))?;
        listed.first().copied()
    };
    let (names, full) = kinds.into_iter().find_map(|names| Some((names, short(word, names)?)))?;
    let rest = at.rest();
    let stop = usize::from(rest[word.len()..].starts_with('.'));
    let end = word.len() + stop;
    let after = &rest[end..];
    if let Some(behind) = after.strip_prefix(['–', '-']) {
        let second = letters(behind);
        let last = short(second, names)?;
        let mark = after.len() - behind.len();
        let bytes = end + mark + second.len();
        let to = at.language.speech.numbers.to.text();
        // At the end of a sentence the stop is left to it.
        let goes_on = rest[bytes..].strip_prefix('.').is_some_and(|more| !more.trim().is_empty());
        let stop = usize::from(stop > 0 && goes_on);
        return Some(Said::new(bytes + stop, format!("{full} {to} {last}")));
    }
    let comma = usize::from(after.starts_with(','));
    let gap = blank(&after[comma..]);
    let next = At { text: at.text, pos: at.pos + end + comma + gap, language: at.language };
    let is_dated = gap > 0 && (dates::read(&next).is_some() || comma == 0 && clock::read(&next).is_some());
    let goes_on =
        stop > 0 && gap > 0 && next.rest().starts_with(|c: char| c.is_lowercase() || c.is_ascii_digit());
    (is_dated || goes_on).then(|| Said::new(end, full))
}

/// "Elizabeth II", "World War II", "Ludwig XIV."
fn roman(at: &At<'_>, word: &str) -> Option<Said> {
    let roman = &at.language.speech.numbers.roman;
    let name = at.name_before();
    let is_name = name.starts_with(char::is_uppercase) && name.ends_with(char::is_alphabetic);
    let is_counted = roman.counted_after.contains(at.word_before().as_str());
    if roman.article.is_empty() || !(is_name && word.len() > 1 || is_counted) {
        return None;
    }
    let after = &at.rest()[word.len()..];
    let tens = TENS.iter().rposition(|tens| word.starts_with(tens))?;
    let ones = ONES.iter().position(|ones| *ones == &word[TENS[tens].len()..])?;
    let value = (tens * 10 + ones) as u64;
    if value == 0 || !ends_here(after) || after.starts_with('-') {
        return None;
    }
    if is_counted {
        return Some(Said::new(word.len(), cardinal(value, at.language)));
    }
    let article = roman.article.text();
    let stop = at.language.speech.ordinals.stop && after.starts_with(". ");
    let words = format!("{article} {}", ordinal(value, article, at.language));
    Some(Said::new(word.len() + usize::from(stop), words))
}

/// "Baker St."
fn behind_name(at: &At<'_>) -> Option<Said> {
    let table = &at.language.speech.abbreviations;
    let name = at.name_before();
    if !name.starts_with(char::is_uppercase) || !name.ends_with(char::is_alphabetic) {
        return None;
    }
    let mut found = table.after_name.iter();
    let (short, words, bytes) =
        found.find_map(|(short, words)| Some((short, words, matched(at.rest(), short)?)))?;
    let after = &at.rest()[bytes..];
    let is_title = table.before_name.contains(short) && after.trim_start().starts_with(char::is_uppercase);
    (!is_title).then(|| Said::new(bytes, with_stop(words.text(), after)))
}

/// "Bahnhofstr."
fn ending(at: &At<'_>, word: &str) -> Option<Said> {
    let after = at.rest()[word.len()..].strip_prefix('.')?;
    let mut endings = at.language.speech.abbreviations.endings.iter();
    let (stem, words) = endings.find_map(|(short, words)| {
        let stem = word.strip_suffix(short.trim_end_matches('.')).filter(|stem| !stem.is_empty())?;
        Some((stem, words.text()))
    })?;
    Some(Said::new(word.len() + 1, with_stop(&format!("{stem}{words}"), after)))
}
