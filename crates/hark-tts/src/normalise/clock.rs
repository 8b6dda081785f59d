//! Times of day: "14:05", "7 a.m.", "14.30 Uhr".

use super::numbers::{cardinal, counted, minute};
use super::{At, Said, blank, digits, ends_here, letters};
use hark_language::speech::{Noun, Times};

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
    let times = &at.language.speech.times;
    if let Some(length) = length(at) {
        return Some(length);
    }
    if let Some(time) = written(at, ':') {
        return Some(length_on_clock(at, &time).unwrap_or_else(|| said(at, &time)));
    }
    if times.twelve_hours {
        let hour = digits(rest);
        let (half, bytes) = half(&rest[hour.len()..], times)?;
        let time = Time { hour: in_range(hour, 1..=2, 12)?, minute: 0, second: None, bytes: hour.len() };
        return Some(Said::new(time.bytes + bytes, in_twelve_hours(at, &time, Some(half))));
    }
    let names_hour = |time: &Time| hour_word(&rest[time.bytes..], times) > 0;
    let stopped = || written(at, '.').filter(|time| times.stop && names_hour(time));
    stopped().or_else(|| whole_hour(rest, times)).map(|time| said(at, &time))
}

/// "14:05" or "14:05:30".
fn written(at: &At<'_>, mark: char) -> Option<Time> {
    let rest = at.rest();
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
    (!goes_on && (ends_here(after) || half(after, &at.language.speech.times).is_some())).then_some(time)
}

/// "1h 20m".
fn length(at: &At<'_>) -> Option<Said> {
    let rest = at.rest();
    let (mut letters_read, mut words, mut end) = (Vec::new(), Vec::new(), 0);
    loop {
        let begin = end + if words.is_empty() { 0 } else { blank(&rest[end..]) };
        let number = digits(&rest[begin..]);
        let letter = letters(&rest[begin + number.len()..]);
        let noun = at.language.speech.times.lengths.letters.get(letter);
        let Some((value, noun)) = number.parse().ok().zip(noun) else { break };
        if letters_read.contains(&letter) {
            return None;
        }
        letters_read.push(letter);
        words.push(counted_noun(value, noun, at));
        end = begin + number.len() + letter.len();
        // "4m30s".
        if !ends_here(&rest[end..]) && digits(&rest[end..]).is_empty() {
            return None;
        }
    }
    (words.len() > 1 && ends_here(&rest[end..])).then(|| Said::new(end, words.join(" ")))
}

/// "0:04:30", which is no time of day.
fn length_on_clock(at: &At<'_>, time: &Time) -> Option<Said> {
    let second = time.second.filter(|second| time.hour == 0 && (time.minute > 0 || *second > 0))?;
    let nouns = &at.language.speech.times.lengths.clock;
    let parts = [time.hour, time.minute, second];
    let parts = parts.into_iter().zip(nouns).filter(|(value, _)| *value > 0);
    let words: Vec<String> = parts.map(|(value, noun)| counted_noun(value, *noun, at)).collect();
    (!words.is_empty()).then(|| Said::new(time.bytes, words.join(" ")))
}

fn counted_noun(value: u64, noun: Noun, at: &At<'_>) -> String {
    let name = if value == 1 { noun.one } else { noun.many };
    format!("{} {name}", counted(value, noun.gender, at.language))
}

/// "14 Uhr", "1 Uhr".
fn whole_hour(rest: &str, times: &Times) -> Option<Time> {
    let hours = digits(rest);
    let time = Time { hour: in_range(hours, 1..=2, 24)?, minute: 0, second: None, bytes: hours.len() };
    (hour_word(&rest[time.bytes..], times) > 0).then_some(time)
}

fn in_range(digits: &str, length: std::ops::RangeInclusive<usize>, most: u64) -> Option<u64> {
    digits.parse().ok().filter(|value| length.contains(&digits.len()) && *value <= most)
}

/// Bytes of what is written behind hours, such as " Uhr".
fn hour_word(after: &str, times: &Times) -> usize {
    let gap = blank(after);
    let word = letters(&after[gap..]);
    let known = times.hour.is_some_and(|hour| !word.is_empty() && (word == hour.one || word == hour.many));
    if gap > 0 && known { gap + word.len() } else { 0 }
}

/// "am", "PM", "a.m.", with the space in front; without the last stop where that ends the sentence.
fn half(after: &str, times: &Times) -> Option<(Half, usize)> {
    let gap = blank(after);
    let word = &after[gap..];
    for (marks, half) in [(times.am.written, Half::Am), (times.pm.written, Half::Pm)] {
        for mark in marks.iter() {
            let Some(head) = word.get(..mark.len()).filter(|head| head.eq_ignore_ascii_case(mark)) else {
                continue;
            };
            let end = &word[head.len()..];
            if !ends_here(end) {
                continue;
            }
            let goes_on = |c: char| c.is_lowercase() || ",;:–-".contains(c);
            let last = mark.ends_with('.') && !end.trim_start().starts_with(goes_on);
            return Some((half, gap + head.len() - usize::from(last)));
        }
    }
    None
}

fn said(at: &At<'_>, time: &Time) -> Said {
    let times = &at.language.speech.times;
    let after = &at.rest()[time.bytes..];
    if !times.twelve_hours {
        return Said::new(time.bytes + hour_word(after, times), in_a_day(at, time));
    }
    let half = half(after, times);
    let words = in_twelve_hours(at, time, half.map(|(half, _)| half));
    Said::new(time.bytes + half.map_or(0, |(_, bytes)| bytes), words)
}

/// "two oh five p m".
fn in_twelve_hours(at: &At<'_>, time: &Time, half: Option<Half>) -> String {
    let times = &at.language.speech.times;
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
        0 if half.is_none() && time.second.is_none() => words = format!("{words} {}", times.oclock.text()),
        0 if time.second.is_none() => {}
        value => words = format!("{words} {}", minute(value, at.language)),
    }
    words.push_str(&seconds(at, time));
    match half {
        Some(Half::Am) => format!("{words} {}", times.am.said.text()),
        Some(Half::Pm) => format!("{words} {}", times.pm.said.text()),
        None => words,
    }
}

/// "vierzehn Uhr fünf".
fn in_a_day(at: &At<'_>, time: &Time) -> String {
    let mut words = match at.language.speech.times.hour {
        Some(hour) => {
            let name = if time.hour == 1 { hour.one } else { hour.many };
            format!("{} {name}", counted(time.hour, hour.gender, at.language))
        }
        None => cardinal(time.hour, at.language),
    };
    if time.minute > 0 || time.second.is_some() {
        words = format!("{words} {}", minute(time.minute, at.language));
    }
    words + &seconds(at, time)
}

fn seconds(at: &At<'_>, time: &Time) -> String {
    let Some(second) = time.second else { return String::new() };
    let noun = at.language.speech.times.seconds;
    format!(" {} {}", at.language.numbers.and.text(), counted_noun(second, noun, at))
}
