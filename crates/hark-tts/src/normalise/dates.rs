//! Dates: "2026-11-21", "21.11.2026", "11/21/2026", "Oct. 3rd, 2026", "3. Oktober 2026".

use super::numbers::{cardinal, ordinal, year};
use super::{At, Said, blank, digits, ends_here, letters, ordinal_mark};
use hark_language::speech::OrdinalDays;

/// Days of a list that are gone back over, to the word before the first.
const LISTED_DAYS: usize = 5;

/// A date as far as it was written.
struct Date {
    day: u64,
    /// 0–11.
    month: usize,
    year: Option<u64>,
    bytes: usize,
}

pub(super) fn read(at: &At<'_>) -> Option<Said> {
    let date = numeric(at).or_else(|| day_first(at)).or_else(|| month_first(at))?;
    let dates = &at.language.speech.dates;
    let month = dates.months.get(date.month)?.first()?;
    let is_ordinal = match dates.ordinal_days {
        OrdinalDays::All => true,
        OrdinalDays::First => date.day == 1,
        OrdinalDays::None => false,
    };
    let day = match is_ordinal {
        true => ordinal(date.day, &governor(at), at.language),
        false => cardinal(date.day, at.language),
    };
    let day = if dates.month_first { format!("{month} {day}") } else { format!("{day} {month}") };
    let year = date.year.map(|value| format!("{}{}", dates.before_year.text(), year(value, at.language)));
    Some(Said::new(date.bytes, day + &year.unwrap_or_default()))
}

/// The word that tells how an ordinal ends, in lower case: in "am 3. und 4. Mai" it stands before the first.
fn governor(at: &At<'_>) -> String {
    let is_day =
        |word: &str| word.trim_end_matches(',').strip_suffix('.').is_some_and(|day| digits(day) == day);
    let and = at.language.numbers.and.text();
    let words: Vec<&str> = at.before().split_whitespace().rev().take(LISTED_DAYS * 2).collect();
    let listed = words.iter().take_while(|word| **word == and || is_day(word)).count();
    let has_day = words[..listed].iter().any(|word| is_day(word));
    match words.get(listed).filter(|_| has_day) {
        Some(word) => word.to_lowercase(),
        None => at.word_before(),
    }
}

/// Three numbers, or two with stops.
fn numeric(at: &At<'_>) -> Option<Date> {
    let rest = at.rest();
    let first = digits(rest);
    let mark = rest[first.len()..].chars().next().filter(|mark| matches!(mark, '-' | '.' | '/'))?;
    let second = digits(&rest[first.len() + 1..]);
    let two = first.len() + 1 + second.len();
    let third = rest[two..].strip_prefix(mark).map(digits);
    let is_behind = |words: hark_language::phrases::Phrases| words.contains(at.word_before().as_str());
    if mark == '/'
        && third.is_none()
        && ends_here(&rest[two..])
        && is_behind(at.language.speech.dates.slash_after)
    {
        let by_month = if at.language.speech.dates.month_first { date(second, first, "", two) } else { None };
        return by_month.or_else(|| date(first, second, "", two));
    }
    let whole = two + 1 + third?.len();
    if !ends_here(&rest[whole..]) || rest[whole..].starts_with('/') {
        return None;
    }
    match (mark, third?) {
        ('-', day) if first.len() == 4 => date(day, second, first, whole),
        // "21.11." without a year; the stop is the date's when the sentence goes on.
        ('.', "") if at.language.speech.ordinals.stop => {
            let after = rest[whole..].trim_start();
            let goes_on = after.starts_with(|c: char| c.is_lowercase() || ",;:)".contains(c));
            date(first, second, "", if goes_on { whole } else { two })
        }
        // "2.4." is a number at the end of a sentence.
        ('.', year) if !year.is_empty() => date(first, second, year, whole),
        ('/', year) if at.language.speech.dates.month_first => {
            date(second, first, year, whole).or_else(|| date(first, second, year, whole))
        }
        ('/', year) => date(first, second, year, whole),
        _ => None,
    }
}

fn date(day: &str, month: &str, year: &str, bytes: usize) -> Option<Date> {
    let day = day.parse().ok().filter(|value| (1..=31).contains(value) && day.len() <= 2)?;
    let month: usize = month.parse().ok().filter(|value| (1..=12).contains(value) && month.len() <= 2)?;
    let year = match year.len() {
        0 => None,
        2 => Some(2000 + year.parse::<u64>().ok()?),
        4 => Some(year.parse().ok().filter(|value| (1000..3000).contains(value))?),
        _ => return None,
    };
    Some(Date { day, month: month - 1, year, bytes })
}

/// "3. Oktober 2026", "3rd October", "3 Oct 2026".
fn day_first(at: &At<'_>) -> Option<Date> {
    let rest = at.rest();
    let day = digits(rest);
    let after = &rest[day.len()..];
    let stop = at.language.speech.ordinals.stop;
    let mark = match stop {
        true => usize::from(after.starts_with('.')),
        false => ordinal_mark(after, at.language).unwrap_or(0),
    };
    let gap = blank(&after[mark..]);
    if gap == 0 || (stop && mark == 0) {
        return None;
    }
    let month_at = day.len() + mark + gap;
    let (month, end) = month(at, month_at)?;
    let day = day.parse().ok().filter(|value| (1..=31).contains(value))?;
    let (year, bytes) = year_behind(rest, end);
    Some(Date { day, month, year, bytes })
}

/// "October 3rd, 2026", "Oct. 3".
fn month_first(at: &At<'_>) -> Option<Date> {
    let rest = at.rest();
    if !at.language.speech.dates.month_first || !rest.starts_with(char::is_uppercase) {
        return None;
    }
    let (month, end) = month(at, 0)?;
    let gap = blank(&rest[end..]);
    let day = digits(&rest[end + gap..]);
    let behind = end + gap + day.len();
    let behind = behind + ordinal_mark(&rest[behind..], at.language).unwrap_or(0);
    let decimal = rest[behind..].strip_prefix(['.', ':']).is_some_and(|more| !digits(more).is_empty());
    if gap == 0 || !ends_here(&rest[behind..]) || decimal {
        return None;
    }
    let day = day.parse().ok().filter(|value| (1..=31).contains(value) && day.len() <= 2)?;
    let (year, bytes) = year_behind(rest, behind);
    Some(Date { day, month, year, bytes })
}

/// The month named at `start`, and where its name ends, with the stop of an abbreviation.
fn month(at: &At<'_>, start: usize) -> Option<(usize, usize)> {
    let rest = at.rest();
    let name = letters(&rest[start..]);
    let dates = &at.language.speech.dates;
    let month = dates.month(name)?;
    let end = start + name.len();
    let full = dates.months[month].first().is_some_and(|whole| whole.eq_ignore_ascii_case(name));
    // At the end of a sentence the stop is left to it.
    let stop = !full && rest[end..].starts_with('.') && !rest[end + 1..].trim().is_empty();
    Some((month, end + usize::from(stop)))
}

/// A year behind `end`, with a comma or without.
fn year_behind(rest: &str, end: usize) -> (Option<u64>, usize) {
    let comma = usize::from(rest[end..].starts_with(','));
    let gap = blank(&rest[end + comma..]);
    let digits = digits(&rest[end + comma + gap..]);
    let whole = end + comma + gap + digits.len();
    let unit = rest[whole..]
        .strip_prefix([':', '.', ','])
        .is_some_and(|more| more.starts_with(|c: char| c.is_ascii_digit()));
    match digits.parse() {
        Ok(value @ 1000..3000) if gap > 0 && digits.len() == 4 && ends_here(&rest[whole..]) && !unit => {
            (Some(value), whole)
        }
        _ => (None, end),
    }
}
