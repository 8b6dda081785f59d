//! Times of day: "14:05", "7 a.m.", "14.30 Uhr".

use super::numbers::cardinal;
use super::{At, Said, blank, digits, ends_here, letters};

/// Half of the day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Half {
    Am,
    Pm,
}

struct Time {
    hour: u64,
    minute: u64,
    second: Option<u64>,
    bytes: usize,
}

pub(super) fn read(at: &At<'_>) -> Option<Said> {
    let rest = at.rest();
    if let Some(time) = written(rest, ':') {
        return Some(said(at, &time));
    }
    if at.is_german() {
        let dotted = written(rest, '.').filter(|time| o_clock(&rest[time.bytes..]) > 0);
        return dotted.or_else(|| whole_hour(rest)).map(|time| said(at, &time));
    }
    let hour = digits(rest);
    let (half, bytes) = half(&rest[hour.len()..])?;
    let time = Time { hour: in_range(hour, 1..=2, 12)?, minute: 0, second: None, bytes: hour.len() };
    let words = english(at, &time, Some(half));
    Some(Said::new(time.bytes + bytes, words))
}

/// "14:05" or "14:05:30" at the start of `rest`.
fn written(rest: &str, mark: char) -> Option<Time> {
    let hours = digits(rest);
    let minutes = digits(rest[hours.len()..].strip_prefix(mark)?);
    let mut time = Time {
        hour: in_range(hours, 1..=2, 24)?,
        minute: in_range(minutes, 2..=2, 59)?,
        second: None,
        bytes: hours.len() + 1 + minutes.len(),
    };
    if let Some(seconds) =
        rest[time.bytes..].strip_prefix(mark).map(digits).filter(|digits| !digits.is_empty())
    {
        time.second = Some(in_range(seconds, 2..=2, 59)?);
        time.bytes += 1 + seconds.len();
    }
    // "14:05" is a time, "14:05.2" and "14:050" are something else.
    let after = &rest[time.bytes..];
    let goes_on = after.strip_prefix(['.', ',', ':']).is_some_and(|more| !digits(more).is_empty());
    (!goes_on && (ends_here(after) || half(after).is_some())).then_some(time)
}

/// "14 Uhr", "1 Uhr".
fn whole_hour(rest: &str) -> Option<Time> {
    let hours = digits(rest);
    let time = Time { hour: in_range(hours, 1..=2, 24)?, minute: 0, second: None, bytes: hours.len() };
    (o_clock(&rest[time.bytes..]) > 0).then_some(time)
}

fn in_range(digits: &str, length: std::ops::RangeInclusive<usize>, most: u64) -> Option<u64> {
    digits.parse().ok().filter(|value| length.contains(&digits.len()) && *value <= most)
}

/// Bytes of " Uhr".
fn o_clock(after: &str) -> usize {
    let gap = blank(after);
    if gap > 0 && letters(&after[gap..]) == "Uhr" { gap + 3 } else { 0 }
}

/// "am", "PM", "a.m.", with the space in front; without the last stop where that ends the sentence.
fn half(after: &str) -> Option<(Half, usize)> {
    let gap = blank(after);
    let word = &after[gap..];
    for (marks, half) in [(["a.m.", "am"], Half::Am), (["p.m.", "pm"], Half::Pm)] {
        for mark in marks {
            let Some(head) = word.get(..mark.len()).filter(|head| head.eq_ignore_ascii_case(mark)) else {
                continue;
            };
            let end = &word[head.len()..];
            if !ends_here(end) {
                continue;
            }
            let last = mark.ends_with('.') && !end.trim_start().starts_with(|c: char| c.is_lowercase());
            return Some((half, gap + head.len() - usize::from(last)));
        }
    }
    None
}

fn said(at: &At<'_>, time: &Time) -> Said {
    let after = &at.rest()[time.bytes..];
    if at.is_german() {
        return Said::new(time.bytes + o_clock(after), german(at, time));
    }
    let half = half(after);
    let words = english(at, time, half.map(|(half, _)| half));
    Said::new(time.bytes + half.map_or(0, |(_, bytes)| bytes), words)
}

fn english(at: &At<'_>, time: &Time, half: Option<Half>) -> String {
    let table = &at.language.tables.times;
    let half = half.or(match time.hour {
        0 | 24 => Some(Half::Am),
        13.. => Some(Half::Pm),
        _ => None,
    });
    let hour = match time.hour % 12 {
        0 => 12,
        hour => hour,
    };
    let mut words = cardinal(hour, at.language);
    match time.minute {
        0 if half.is_none() && time.second.is_none() => words = format!("{words} {}", table.oclock),
        0 if time.second.is_none() => {}
        minute @ 0..10 => words = format!("{words} oh {}", cardinal(minute, at.language)),
        minute => words = format!("{words} {}", cardinal(minute, at.language)),
    }
    words.push_str(&seconds(at, time));
    match half {
        Some(Half::Am) => format!("{words} {}", table.am),
        Some(Half::Pm) => format!("{words} {}", table.pm),
        None => words,
    }
}

fn german(at: &At<'_>, time: &Time) -> String {
    let hour = if time.hour == 1 { "ein".into() } else { cardinal(time.hour, at.language) };
    let mut words = format!("{hour} {}", at.language.tables.times.oclock);
    if time.minute > 0 || time.second.is_some() {
        words = format!("{words} {}", cardinal(time.minute, at.language));
    }
    words + &seconds(at, time)
}

fn seconds(at: &At<'_>, time: &Time) -> String {
    let Some(second) = time.second else { return String::new() };
    let (table, and) = (&at.language.tables.times, &at.language.tables.numbers.and);
    let (count, name) = match second {
        1 if at.is_german() => ("eine".into(), &table.seconds[0]),
        1 => (cardinal(1, at.language), &table.seconds[0]),
        _ => (cardinal(second, at.language), &table.seconds[1]),
    };
    format!(" {and} {count} {name}")
}
