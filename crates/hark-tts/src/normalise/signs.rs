//! Abbreviations, signs, bullets and the marks of Markdown.

use super::units::unit_at;
use super::{At, Said, digits};

/// "e.g." is "for example".
pub(super) fn abbreviation(at: &At<'_>) -> Option<Said> {
    let table = &at.language.speech.abbreviations;
    let found =
        table.words.iter().filter_map(|(short, words)| Some((short, words, matched(at.rest(), short)?)));
    let (short, words, bytes) = found.max_by_key(|(_, _, bytes)| *bytes)?;
    let after = &at.rest()[bytes..];
    let next = after.trim_start().chars().next();
    if table.before_number.contains(short) && !next.is_some_and(|c| c.is_ascii_digit()) {
        return None;
    }
    if table.before_name.contains(short) && !next.is_some_and(char::is_uppercase) {
        return None;
    }
    Some(Said::new(bytes, with_stop(words.text(), after)))
}

/// The words of an abbreviation, whose stop may be the sentence's as well.
pub(super) fn with_stop(words: &str, after: &str) -> String {
    format!("{words}{}", if after.trim_start().is_empty() { "." } else { "" })
}

/// How much of `rest` is the abbreviation `short`; a space after an inner stop does not matter.
pub(super) fn matched(rest: &str, short: &str) -> Option<usize> {
    let mut left = rest;
    let mut parts = short.split_inclusive('.').peekable();
    while let Some(part) = parts.next() {
        let head = left.get(..part.len()).filter(|head| head.to_lowercase() == part)?;
        left = &left[head.len()..];
        if parts.peek().is_some() {
            left = left.strip_prefix([' ', '\u{a0}', '\u{202f}']).unwrap_or(left);
        }
    }
    // "etc.pp" and "no.5a" are something else, "No.5" is not.
    (!left.starts_with(char::is_alphabetic)).then_some(rest.len() - left.len())
}

/// A sign: said, dropped, or turned into a pause. `None`: it is copied.
pub(super) fn read(at: &At<'_>) -> Option<Said> {
    let rest = at.rest();
    let sign = rest.chars().next()?;
    let bytes = sign.len_utf8();
    let after = &rest[bytes..];
    let next = after.chars().next();
    let previous = at.before().chars().next_back();
    let starts = at.before().trim().is_empty();
    let apart = next.is_none_or(char::is_whitespace);
    let drop = Some(Said::new(bytes, ""));
    match sign {
        // Bullets, headings and quotations at the start of a line.
        '-' | '–' | '—' | '*' | '•' | '·' | '▪' | '◦' | '+' if starts && apart => drop,
        '#' | '>' if starts && (apart || next == Some('#')) => drop,
        '–' | '—' | '-' | '−' => dash(at, previous, next, apart),
        '*' if digit(previous) && digit(next) => table(at, '×', bytes),
        '*' | '`' | '•' | '·' | '\u{fe0f}' | '\u{200d}' => drop,
        '_' | '\\' => Some(Said::new(bytes, " ")),
        '|' => Some(Said::new(bytes, ",")),
        '/' if behind_money(at) && unit_at(after, at.language).is_some() => per(at, after),
        '/' if letter(previous) && letter(next) => Some(Said::new(bytes, " ")),
        '/' if apart
            && digit(at.before().trim_end().chars().next_back())
            && digit(after.trim_start().chars().next()) =>
        {
            table(at, '÷', bytes)
        }
        '/' if apart && previous.is_none_or(char::is_whitespace) => Some(Said::new(bytes, ",")),
        '/' if !letter(next) || previous.is_none_or(char::is_whitespace) => None,
        ':' if is_ratio(at, after) => Some(Said::new(bytes, at.language.speech.numbers.ratio.text()))
            .filter(|said| !said.words.is_empty()),
        '~' | '#' if !digit(after.trim_start().chars().next()) => drop,
        '<' | '>' if !digit(after.trim_start_matches(['=', ' ']).chars().next()) => drop,
        '\u{1f000}'..='\u{1faff}' | '\u{2600}'..='\u{27bf}' => drop,
        _ => table(at, sign, bytes),
    }
}

/// "$0.32/kWh": the price of one.
fn per(at: &At<'_>, after: &str) -> Option<Said> {
    let (sign, noun) = unit_at(after, at.language)?;
    let per = at.language.speech.symbols.get("/")?;
    Some(Said::new(1 + sign.len(), format!("{} {}", per.text(), noun.one)))
}

/// Whether an amount of money or a number stands in front.
fn behind_money(at: &At<'_>) -> bool {
    let before = at.before();
    before.ends_with(|c: char| c.is_ascii_digit())
        || at.language.speech.money.coins.iter().any(|(sign, _)| before.ends_with(sign))
}

/// Whether a colon stands between two short numbers: "16:9", and no port behind an address.
fn is_ratio(at: &At<'_>, after: &str) -> bool {
    let before = at.before();
    let left = before.len() - before.trim_end_matches(|c: char| c.is_ascii_digit()).len();
    let is_alone = !before[..before.len() - left].ends_with(['.', ':', ',']);
    let short = 1..=2;
    short.contains(&left) && short.contains(&digits(after).len()) && is_alone
}

fn table(at: &At<'_>, sign: char, bytes: usize) -> Option<Said> {
    let symbols = at.language.speech.symbols;
    symbols.get(sign.encode_utf8(&mut [0; 4])).map(|words| Said::new(bytes, words.text()))
}

/// A dash between numbers is a range, between words with spaces a pause; in a word it stays.
fn dash(at: &At<'_>, previous: Option<char>, next: Option<char>, apart: bool) -> Option<Said> {
    let sign = at.rest().chars().next()?;
    let bytes = sign.len_utf8();
    if apart && previous.is_none_or(char::is_whitespace) {
        let ranged = sign == '–' && digit(at.before().trim_end().chars().next_back());
        let number = digit(at.rest()[bytes..].trim_start().chars().next());
        return Some(match ranged && number {
            true => Said::new(bytes, at.language.speech.numbers.to.text()),
            false => Said::new(bytes, ","),
        });
    }
    if sign == '—' {
        return Some(Said::new(bytes, ","));
    }
    let behind_half = sign == '–' && previous == Some('.');
    if !digit(next) || !(behind_half || previous.is_some_and(|c| c.is_ascii_digit() || "°%€$C".contains(c)))
    {
        return if sign == '–' { Some(Said::new(bytes, " ")) } else { None };
    }
    let left = at.before().chars().rev().take_while(char::is_ascii_digit).count();
    let right = digits(&at.rest()[bytes..]).len();
    // "10-15" is a range, "555-1234" a number to be dialled.
    let chained = at.before().trim_end_matches(|c: char| c.is_ascii_digit()).ends_with('-')
        || at.rest()[bytes + right..].starts_with('-');
    let alike = (left <= 2 && right <= 2) || (left == right && left <= 4);
    let range = sign != '-' || (alike && !chained);
    let words = if range { at.language.speech.numbers.to.text() } else { "," };
    Some(Said::new(bytes, words))
}

fn digit(character: Option<char>) -> bool {
    character.is_some_and(|c| c.is_ascii_digit())
}

fn letter(character: Option<char>) -> bool {
    character.is_some_and(char::is_alphabetic)
}
