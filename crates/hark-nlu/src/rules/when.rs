//! Moments: a day, a part of the day and a time, in any order: "tomorrow evening at eight".

use super::Reckoning;
use super::clock::{self, Clock, Open};
use super::dates::{self, Dated};
use super::window;
use chrono::{Days, NaiveDate, NaiveDateTime, NaiveTime, Timelike};
use hark_core::calendar::When;
use hark_language::phrases;
use hark_language::time::{Half, Part};

/// A date without a time of day.
pub fn date(words: &[&str], by: &Reckoning) -> Option<(When, usize)> {
    let (dated, used) = dates::read(words, by).or_else(|| of_a_day(words, by))?;
    match dated {
        Dated::Day(day) => Some((When::Day(day), used)),
        Dated::Days(from, to) => Some((When::Days(from, to), used)),
        Dated::Moment(_) => None,
    }
}

/// From one time to another of a day, before or behind the day: "from two to four tomorrow".
pub fn period(words: &[&str], by: &Reckoning) -> Option<(When, usize)> {
    let today = by.now.date();
    if let Some((window, used)) = window::read(words, by, LAST_AFTERNOON_HOUR) {
        let here = window.on(today);
        let next = if here.start() > by.now { here } else { window.on(today + Days::new(1)) };
        return match dates::read(&words[used..], by) {
            Some((Dated::Day(day), more)) => Some((window.on(day), used + more)),
            _ => Some((next, used)),
        };
    }
    let (Dated::Day(day), used) = dates::read(words, by)? else { return None };
    let (window, more) = window::read(&words[used..], by, LAST_AFTERNOON_HOUR)?;
    Some((window.on(day), used + more))
}

/// "Tomorrow's", "next friday's": the day that something is of.
fn of_a_day(words: &[&str], by: &Reckoning) -> Option<(Dated, usize)> {
    let names = &by.lexicon.tools.names;
    let at = words.iter().take(3).position(|word| names.without_possessive(word) != *word)?;
    let mut bare = words[..=at].to_vec();
    bare[at] = names.without_possessive(bare[at]);
    dates::read(&bare, by).filter(|(_, used)| *used == bare.len())
}

/// What was said of a moment so far.
#[derive(Debug, Clone, Copy, Default)]
struct Said {
    dated: Option<Dated>,
    part: Option<Part>,
    clock: Option<Clock>,
}

/// The longest moment that `words` begin with, and how many words it takes.
pub fn read(words: &[&str], by: &Reckoning) -> Option<(When, usize)> {
    let lexicon = by.lexicon;
    let mut said = Said::default();
    let mut used = 0;
    loop {
        let rest = &words[used..];
        let fresh = said.dated.is_none() && said.part.is_none();
        if fresh && let Some((part, more)) = phrases::find(lexicon.time.today_parts, rest) {
            said = Said { dated: Some(Dated::Day(by.now.date())), part: Some(part), ..said };
            used += more;
        } else if let Some((clock, more)) = same_time(rest, &said, by) {
            said.clock = Some(clock);
            used += more;
        } else if let Some((clock, more)) = clock_at(rest, &said, by) {
            said.clock = Some(clock);
            used += more;
        } else if said.dated.is_none()
            && let Some((dated, more)) = dates::read(rest, by)
        {
            if matches!(dated, Dated::Moment(_)) {
                // "in two hours" stands alone: no day and no time go with it.
                let alone = (settle(Said { dated: Some(dated), ..said }, by), more);
                return (used == 0).then_some(alone).or_else(|| (used > 0).then(|| (settle(said, by), used)));
            }
            said.dated = Some(dated);
            used += more;
        } else if said.part.is_none()
            && let Some((part, more)) = part_at(rest, &said, by)
        {
            said.part = Some(part);
            used += more;
        } else {
            break;
        }
    }
    (used > 0).then(|| (settle(said, by), used))
}

/// "This time" of another day: what the clock shows now.
fn same_time(words: &[&str], said: &Said, by: &Reckoning) -> Option<(Clock, usize)> {
    let used = phrases::starts(by.lexicon.time.this_time, words).filter(|_| said.clock.is_none())?;
    let day = said.dated.is_some()
        || dates::read(&words[used..], by).is_some_and(|(dated, _)| matches!(dated, Dated::Day(_)));
    let minutes = by.now.hour() * 60 + by.now.minute();
    day.then_some((Clock { minutes, half: Open::Exact, marked: true }, used))
}

/// A time of day. A bare number is one only behind a day or before one.
fn clock_at(words: &[&str], said: &Said, by: &Reckoning) -> Option<(Clock, usize)> {
    if said.clock.is_some() {
        return None;
    }
    let (clock, used) = clock::read(words, by.lexicon)?;
    // "From two to four" is no two minutes before four.
    if window::read(words, by, LAST_AFTERNOON_HOUR).is_some_and(|(_, whole)| whole <= used) {
        return None;
    }
    // "march 3rd": the number belongs to the date.
    if let Some((_, longer)) = dates::read(words, by).filter(|_| said.dated.is_none())
        && longer >= used
    {
        return None;
    }
    let rest = &words[used..];
    let before_day = said.dated.is_none()
        && (part_at(rest, said, by).is_some()
            || phrases::find(by.lexicon.time.today_parts, rest).is_some()
            || dates::read(rest, by).is_some_and(|(dated, _)| !matches!(dated, Dated::Moment(_))));
    let behind_day = said.dated.is_some() || said.part.is_some();
    (clock.marked || before_day || behind_day).then_some((clock, used))
}

/// A part of the day; in German "morgen" is one only behind a day.
fn part_at(words: &[&str], said: &Said, by: &Reckoning) -> Option<(Part, usize)> {
    let skip = phrases::starts(by.lexicon.time.before_parts, words).unwrap_or(0);
    let direct = phrases::find(by.lexicon.time.parts, words);
    let behind = phrases::find(by.lexicon.time.parts, &words[skip..]).map(|(part, used)| (part, used + skip));
    let found = [direct, behind].into_iter().flatten().max_by_key(|(_, used)| *used)?;
    let is_day = phrases::find(by.lexicon.time.days, words).is_some();
    // "Morning, turn on the radio" is a greeting.
    let is_bare = skip == 0 && said.dated.is_none() && said.clock.is_none();
    (said.dated.is_some() || !is_day && !is_bare).then_some(found)
}

fn settle(said: Said, by: &Reckoning) -> When {
    let today = by.now.date();
    let day = match said.dated {
        Some(Dated::Moment(at)) => return When::Moment(at),
        Some(Dated::Days(from, to)) => match (said.clock, said.part) {
            (None, None) => return When::Days(from, to),
            _ => Some(from),
        },
        Some(Dated::Day(day)) => Some(day),
        None => None,
    };
    match (day, said.clock, said.part) {
        (Some(day), Some(clock), part) => When::Moment(on_day(day, clock, part, by)),
        (Some(day), None, Some(part)) => span(day, part),
        (Some(day), None, None) => When::Day(day),
        (None, Some(clock), part) => When::Moment(next(clock, part, by)),
        (None, None, Some(part)) => {
            let here = span(today, part);
            if here.start() > by.now { here } else { span(today + Days::new(1), part) }
        }
        (None, None, None) => When::Moment(by.now),
    }
}

/// A part of a day. A night reaches into the next day.
fn span(day: NaiveDate, part: Part) -> When {
    let at = |hour: u64| {
        (day + Days::new(hour / 24)).and_time(NaiveTime::MIN) + chrono::Duration::hours((hour % 24) as i64)
    };
    let (from, to) = match part {
        Part::Morning => (6, 12),
        Part::Noon => (12, 14),
        Part::Afternoon => (12, 18),
        Part::Evening => (18, 24),
        Part::Night => (22, 30),
    };
    When::Span(at(from), at(to))
}

/// A time on a day that was said.
fn on_day(day: NaiveDate, clock: Clock, part: Option<Part>, by: &Reckoning) -> NaiveDateTime {
    if let Some(part) = part {
        let (clock, following) = clock.in_part(part);
        return (day + Days::new(u64::from(following))).and_time(clock.time());
    }
    match clock.half {
        Open::Midnight => (day + Days::new(1)).and_time(NaiveTime::MIN),
        Open::Exact => day.and_time(clock.time()),
        Open::Either if day == by.now.date() => {
            let [am, pm] = [Half::Am, Half::Pm].map(|half| day.and_time(clock.in_half(half).time()));
            if am > by.now { am } else { pm }
        }
        Open::Either => day.and_time(clock.usual(by.prefer, LAST_AFTERNOON_HOUR).time()),
    }
}

/// A bare hour up to it is in the afternoon.
const LAST_AFTERNOON_HOUR: u32 = 5;

/// Before this hour hardly anybody is up.
const SMALL_HOURS: u32 = 6;

/// A time that is not further off is meant at any hour.
const SOON_HOURS: i64 = 4;

/// A time without a day: the next one, by day where both halves of the day are possible.
fn next(clock: Clock, part: Option<Part>, by: &Reckoning) -> NaiveDateTime {
    let today = by.now.date();
    let coming = |time: NaiveTime| {
        let here = today.and_time(time);
        if here > by.now { here } else { here + chrono::Duration::days(1) }
    };
    if let Some(part) = part {
        return coming(clock.in_part(part).0.time());
    }
    match clock.half {
        Open::Either if by.prefer == super::Prefer::Usual => {
            let [am, pm] = [Half::Am, Half::Pm].map(|half| coming(clock.in_half(half).time()));
            // "At four" is in the small hours only for those who are up then.
            let is_soon = am - by.now <= chrono::Duration::hours(SOON_HOURS);
            if am.hour() < SMALL_HOURS && !is_soon { pm } else { am.min(pm) }
        }
        _ => coming(clock.usual(by.prefer, LAST_AFTERNOON_HOUR).time()),
    }
}
