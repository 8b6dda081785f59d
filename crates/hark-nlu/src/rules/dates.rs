//! Days and spans of days: "tomorrow", "next friday", "the 3rd of march", "in two weeks", "christmas".

use super::{Reckoning, lengths};
use chrono::{Datelike, Days, Months, NaiveDate, NaiveDateTime, NaiveTime, Weekday};
use hark_language::phrases;
use hark_language::time::{Feast, Unit, Which};

/// A day, several days, or a moment that was reckoned from now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dated {
    /// One day.
    Day(NaiveDate),
    /// From the first day up to, but not including, the second.
    Days(NaiveDate, NaiveDate),
    /// "in two hours", "now".
    Moment(NaiveDateTime),
}

/// What was found and how many words it takes.
type Read = Option<(Dated, usize)>;

/// The longest date that `words` begin with.
pub fn read(words: &[&str], by: &Reckoning) -> Read {
    let mut best: Read = None;
    let mut keep = |found: Read, before: usize| {
        if let Some((dated, used)) = found
            && best.is_none_or(|(_, known)| used + before > known)
        {
            best = Some((dated, used + before));
        }
    };
    keep(relative(words, by), 0);
    keep(plain(words, by), 0);
    if let Some(on) = phrases::starts(by.lexicon.time.on, words) {
        keep(plain(&words[on..], by), on);
        keep(day_of_month(&words[on..], by), on);
    }
    if let Some(week) = phrases::starts(by.lexicon.time.week_before, words)
        && let Some((Dated::Day(day), used)) = weekday(&words[week..], by)
    {
        keep(ahead_of(day, 7).map(|day| (Dated::Day(day), used)), week);
    }
    if let Some(during) = phrases::starts(by.lexicon.time.during, words) {
        keep(month(&words[during..], by), during);
        keep(which_unit(&words[during..], by), during);
    }
    best
}

/// A date without "on".
fn plain(words: &[&str], by: &Reckoning) -> Read {
    let found = [
        digits(words, by),
        named_day(words, by),
        weekday(words, by),
        weekday_in_month(words, by),
        month_day(words, by),
        which_unit(words, by),
        feast(words, by),
        edge(words, by),
        month(words, by),
    ];
    found.into_iter().flatten().reduce(|best, other| if other.1 > best.1 { other } else { best })
}

/// A day that its month does not have, as it was said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NoSuchDay {
    /// From 1.
    pub day: u32,
    /// From 1; beyond 12 there is no such month either.
    pub month: u32,
    /// Where it was said.
    pub year: Option<i32>,
}

/// The day that `words` begin with, where no calendar has it: "february 29 2027", "the 31st of april", `2027-02-30`.
pub fn no_such_day(words: &[&str], by: &Reckoning) -> Option<(NoSuchDay, usize)> {
    let fraction = |said: &Said| said.month > 12 || said.day > 31;
    let written = in_digits(words, by).filter(|said| said.used == 1 || !fraction(said));
    let said = written.or_else(|| in_words(words, by))?;
    let Said { day, month, year, used } = said;
    said.day(by).is_none().then_some((NoSuchDay { day, month, year }, used))
}

/// A day of a month as it was said, and how many words it took.
#[derive(Clone, Copy)]
struct Said {
    day: u32,
    month: u32,
    year: Option<i32>,
    used: usize,
}

impl Said {
    /// That day, or the next of that number; `None` where there is none.
    fn day(&self, by: &Reckoning) -> Option<NaiveDate> {
        match self.year {
            Some(year) => NaiveDate::from_ymd_opt(year, self.month, self.day),
            None => coming(self.month, self.day, by),
        }
    }

    fn read(self, by: &Reckoning) -> Read {
        Some((Dated::Day(self.day(by)?), self.used))
    }
}

fn digits(words: &[&str], by: &Reckoning) -> Read {
    in_digits(words, by)?.read(by)
}

/// "2026-12-01", "1.12.", "twelve over twenty five" (12/25).
fn in_digits(words: &[&str], by: &Reckoning) -> Option<Said> {
    let first = words.first()?;
    let number = |text: &&str| text.parse::<u32>().ok();
    let year_of = |year: u32| i32::try_from(year).ok();
    if first.contains('-') {
        let parts: Vec<u32> =
            first.split('-').collect::<Vec<_>>().iter().map(number).collect::<Option<_>>()?;
        let [year, month, day] = parts.as_slice() else { return None };
        return Some(Said { day: *day, month: *month, year: Some(year_of(*year)?), used: 1 });
    }
    if first.contains('.') {
        let parts: Vec<&str> = first.split('.').filter(|part| !part.is_empty()).collect();
        let parts: Vec<u32> = parts.iter().map(number).collect::<Option<_>>()?;
        return match parts.as_slice() {
            [day, month] => Some(Said { day: *day, month: *month, year: None, used: 1 }),
            [day, month, year] => {
                Some(Said { day: *day, month: *month, year: Some(year_of(*year)?), used: 1 })
            }
            _ => None,
        };
    }
    let (one, used) = by.lexicon.numbers.whole(words)?;
    if words.get(used) != Some(&by.lexicon.numbers.over.text()) {
        return None;
    }
    let (two, more) = by.lexicon.numbers.whole(&words[used + 1..])?;
    let used = used + 1 + more;
    let (one, two) = (u32::try_from(one).ok()?, u32::try_from(two).ok()?);
    let (month, day) = if by.lexicon.numbers.decimal_comma || one > 12 { (two, one) } else { (one, two) };
    let year = year(&words[used..], by);
    let more = year.map_or(0, |(_, more)| more);
    Some(Said { day, month, year: year.map(|(year, _)| year), used: used + more })
}

/// "today", "tomorrow week".
fn named_day(words: &[&str], by: &Reckoning) -> Read {
    let (ahead, mut used) = phrases::find(by.lexicon.time.days, words)?;
    let mut day = ahead_of(by.now.date(), ahead)?;
    // "a week tomorrow" stands elsewhere; this is "tomorrow week".
    if let Some(week) = phrases::starts(by.lexicon.time.week_behind, &words[used..]) {
        day = ahead_of(day, 7)?;
        used += week;
    }
    Some((Dated::Day(day), used))
}

/// "now".
fn now(words: &[&str], by: &Reckoning) -> Read {
    phrases::starts(by.lexicon.time.now, words).map(|used| (Dated::Moment(by.now), used))
}

/// "friday", "next friday", "friday next week", "friday the 13th", "monday week".
fn weekday(words: &[&str], by: &Reckoning) -> Read {
    let today = by.now.date();
    let (which, mut used) =
        phrases::find(by.lexicon.time.which, words).map_or((None, 0), |(which, used)| (Some(which), used));
    // "next week friday", "next week on friday"
    let mut week = None;
    if let (Some(which), Some((Unit::Week, more))) =
        (which, phrases::find(by.lexicon.time.units, &words[used..]))
    {
        used += more + phrases::starts(by.lexicon.time.on, &words[used + more..]).unwrap_or(0);
        week = Some(which);
    }
    let (weekday, more) = phrases::find(by.lexicon.time.weekdays, &words[used..])?;
    used += more;
    // "friday the 13th", "monday, march 3rd": the date says which one, if it is such a day.
    let on = phrases::starts(by.lexicon.time.on, &words[used..]).unwrap_or(0);
    for skip in [on, 0] {
        let rest = &words[used + skip..];
        if let Some((Dated::Day(day), more)) = month_day(rest, by).or_else(|| digits(rest, by)) {
            return Some((Dated::Day(day), used + skip + more));
        }
        if let Some((number, more)) = by.lexicon.numbers.ordinal(rest)
            && phrases::find(by.lexicon.time.units, &rest[more..]).is_none()
            && let Some(day) = weekday_on_the(weekday, number, today)
        {
            return Some((Dated::Day(day), used + skip + more));
        }
    }
    let ahead = i64::from(weekday.num_days_from_monday()) - i64::from(today.weekday().num_days_from_monday());
    let nearest = if ahead > 0 { ahead } else { ahead + 7 };
    // "friday next week", "friday of next week", "friday after next"
    let mut behind = None;
    let of = phrases::starts(by.lexicon.time.of, &words[used..]).unwrap_or(0);
    if let Some((which, more)) = phrases::find(by.lexicon.time.which, &words[used + of..])
        && let Some((Unit::Week, unit)) = phrases::find(by.lexicon.time.units, &words[used + of + more..])
    {
        used += of + more + unit;
        behind = Some(which);
    } else if let Some(more) = phrases::starts(by.lexicon.time.after_next_behind, &words[used..]) {
        used += more;
        behind = Some(Which::AfterNext);
    } else if let Some(week) = phrases::starts(by.lexicon.time.week_behind, &words[used..])
        && which.is_none()
    {
        return Some((Dated::Day(ahead_of(today, nearest + 7)?), used + week));
    }
    let ahead = match week.or(behind).or(which) {
        None | Some(Which::Coming) => nearest,
        Some(Which::This) if week.or(behind).is_some() => ahead,
        Some(Which::This) => nearest % 7,
        Some(Which::Next) => ahead + 7,
        Some(Which::AfterNext) => ahead + 14,
        Some(Which::Last) if week.or(behind).is_some() => ahead - 7,
        Some(Which::Last) => {
            if ahead < 0 {
                ahead
            } else {
                ahead - 7
            }
        }
    };
    Some((Dated::Day(ahead_of(today, ahead)?), used))
}

/// The next such weekday that is the n-th of its month.
fn weekday_on_the(weekday: Weekday, number: u64, today: NaiveDate) -> Option<NaiveDate> {
    let number = u32::try_from(number).ok().filter(|number| (1..=31).contains(number))?;
    (0..48).find_map(|months| {
        let day = (today - Days::new(u64::from(today.day0())))
            .checked_add_months(Months::new(months))?
            .with_day(number)?;
        (day >= today && day.weekday() == weekday).then_some(day)
    })
}

/// "the first tuesday of october", "last monday in march 2027".
fn weekday_in_month(words: &[&str], by: &Reckoning) -> Read {
    let the = phrases::starts(by.lexicon.time.articles, words).unwrap_or(0);
    let words = &words[the..];
    let (which, mut used) = match phrases::starts(by.lexicon.time.last, words) {
        Some(used) => (None, used),
        None => {
            let (number, used) = by.lexicon.numbers.ordinal(words)?;
            (Some(u8::try_from(number).ok().filter(|number| (1..=5).contains(number))?), used)
        }
    };
    let (weekday, more) = phrases::find(by.lexicon.time.weekdays, &words[used..])?;
    used += more;
    let of = phrases::starts(by.lexicon.time.of, &words[used..]);
    used += of.or_else(|| phrases::starts(by.lexicon.time.during, &words[used..]))?;
    let (month, more) = phrases::find(by.lexicon.time.months, &words[used..])?;
    used += more;
    let day_in = |year: i32| match which {
        Some(number) => NaiveDate::from_weekday_of_month_opt(year, month, weekday, number),
        None => (4..=5)
            .rev()
            .find_map(|number| NaiveDate::from_weekday_of_month_opt(year, month, weekday, number)),
    };
    let today = by.now.date();
    let day = match year(&words[used..], by) {
        Some((year, more)) => {
            used += more;
            day_in(year)?
        }
        None => (0..2).filter_map(|ahead| day_in(today.year() + ahead)).find(|day| *day >= today)?,
    };
    Some((Dated::Day(day), the + used))
}

/// "the 3rd of march", "3 march 2027", "march third".
fn month_day(words: &[&str], by: &Reckoning) -> Read {
    in_words(words, by)?.read(by)
}

/// The same, whether there is such a day or not.
fn in_words(words: &[&str], by: &Reckoning) -> Option<Said> {
    let ordinal = |words: &[&str]| {
        let number = by.lexicon.numbers.ordinal(words).or_else(|| by.lexicon.numbers.whole(words));
        number
            .and_then(|(number, used)| Some((u32::try_from(number).ok()?, used)))
            .filter(|(day, _)| (1..=99).contains(day))
    };
    let the = phrases::starts(by.lexicon.time.articles, words).unwrap_or(0);
    let (month, day, used) = if let Some((day, used)) = ordinal(&words[the..]) {
        let used = the + used;
        let of = phrases::starts(by.lexicon.time.of, &words[used..]).unwrap_or(0);
        let (month, more) = phrases::find(by.lexicon.time.months, &words[used + of..])?;
        (month, day, used + of + more)
    } else {
        let (month, used) = phrases::find(by.lexicon.time.months, words)?;
        let the = phrases::starts(by.lexicon.time.articles, &words[used..]).unwrap_or(0);
        let (day, more) = ordinal(&words[used + the..])?;
        (month, day, used + the + more)
    };
    let year = year(&words[used..], by);
    let more = year.map_or(0, |(_, more)| more);
    Some(Said { day, month, year: year.map(|(year, _)| year), used: used + more })
}

/// "march 2027", "next march".
fn month(words: &[&str], by: &Reckoning) -> Read {
    let (which, used) =
        phrases::find(by.lexicon.time.which, words).map_or((None, 0), |(which, used)| (Some(which), used));
    let (month, more) = phrases::find(by.lexicon.time.months, &words[used..])?;
    let used = used + more;
    let today = by.now.date();
    let said = year(&words[used..], by);
    let this = NaiveDate::from_ymd_opt(today.year(), month, 1)?;
    let year = match (said, which) {
        (Some((year, _)), _) => year,
        (None, Some(Which::Last)) => today.year() - i32::from(month >= today.month()),
        (None, Some(Which::This)) => today.year(),
        (None, Some(Which::Next | Which::AfterNext)) => today.year() + i32::from(month <= today.month()),
        _ => today.year() + i32::from(this.month() < today.month()),
    };
    let first = NaiveDate::from_ymd_opt(year, month, 1)?;
    Some((
        Dated::Days(first, first.checked_add_months(Months::new(1))?),
        used + said.map_or(0, |(_, more)| more),
    ))
}

/// A year from 1900 to 2199: "two thousand and twenty six", "twenty twenty six", "nineteen ninety nine".
fn year(words: &[&str], by: &Reckoning) -> Option<(i32, usize)> {
    let skip = phrases::starts(by.lexicon.time.of, words).unwrap_or(0);
    let rest = &words[skip..];
    if let Some((which, used)) = phrases::find(by.lexicon.time.which, rest)
        && let Some((Unit::Year, more)) = phrases::find(by.lexicon.time.units, &rest[used..])
    {
        let ahead = match which {
            Which::Last => -1,
            Which::This | Which::Coming => 0,
            Which::Next => 1,
            Which::AfterNext => 2,
        };
        return Some((by.now.year() + ahead, skip + used + more));
    }
    let (value, used) = by.lexicon.numbers.whole(rest)?;
    if (1900..2200).contains(&value) {
        return Some((i32::try_from(value).ok()?, skip + used));
    }
    let (below, more) =
        by.lexicon.numbers.whole(&rest[used..]).filter(|(below, _)| (10..100).contains(below))?;
    let value = matches!(value, 19..=21).then_some(value * 100 + below)?;
    Some((i32::try_from(value).ok()?, skip + used + more))
}

/// "the 15th": the next one. Only behind "on" or "the".
fn day_of_month(words: &[&str], by: &Reckoning) -> Read {
    let (number, mut used) = by.lexicon.numbers.ordinal(words)?;
    let number = u32::try_from(number).ok().filter(|number| (1..=31).contains(number))?;
    if phrases::find(by.lexicon.time.units, &words[used..]).is_some() {
        return None;
    }
    let today = by.now.date();
    let first = today - Days::new(u64::from(today.day0()));
    // "the 15th of next month"
    let of = phrases::starts(by.lexicon.time.of, &words[used..]).unwrap_or(0);
    if let Some((Dated::Days(first, _), more)) = which_unit(&words[used + of..], by)
        && first.day() == 1
    {
        used += of + more;
        return Some((Dated::Day(first.with_day(number)?), used));
    }
    let found = (0..12).find_map(|months| {
        first.checked_add_months(Months::new(months))?.with_day(number).filter(|day| *day >= today)
    });
    Some((Dated::Day(found?), used))
}

/// "this weekend", "next week", "last month", "the next three days".
fn which_unit(words: &[&str], by: &Reckoning) -> Read {
    let lexicon = by.lexicon;
    let today = by.now.date();
    let (which, used) = match phrases::find(lexicon.time.which, words) {
        Some(found) => found,
        // "the weekend" is the one to come.
        None => match phrases::find(lexicon.time.units, words) {
            // "Weekends" are a habit.
            Some((Unit::Weekend, used)) if phrases::find(lexicon.time.habit_sets, words).is_none() => {
                return Some((days(weekend(today), 2)?, used));
            }
            _ => return None,
        },
    };
    let rest = &words[used..];
    if let Some((unit, more)) = phrases::find(lexicon.time.units, rest) {
        return Some((unit_of(which, unit, today)?, used + more));
    }
    if !matches!(which, Which::Next | Which::Coming) {
        return None;
    }
    let (length, more) = lengths::read(rest, lexicon).filter(|(length, _)| length.is_of_days())?;
    let end = length.after(by.now, true)?.date();
    Some((Dated::Days(today, end), used + more))
}

fn unit_of(which: Which, unit: Unit, today: NaiveDate) -> Option<Dated> {
    let ahead = match which {
        Which::This | Which::Coming => 0,
        Which::Next => 1,
        Which::AfterNext => 2,
        Which::Last => -1,
    };
    let monday = today - Days::new(u64::from(today.weekday().num_days_from_monday()));
    let month = today - Days::new(u64::from(today.day0()));
    match unit {
        Unit::Day => Some(Dated::Day(ahead_of(today, ahead)?)),
        Unit::Week => days(ahead_of(monday, 7 * ahead)?, 7),
        // On a Saturday or Sunday this weekend is the one at hand.
        Unit::Weekend => days(ahead_of(monday, 5 + 7 * ahead)?, 2),
        Unit::Month => months(add_months(month, ahead)?, 1),
        Unit::Quarter => {
            let first = add_months(month, -i64::from(today.month0() % 3))?;
            months(add_months(first, 3 * ahead)?, 3)
        }
        Unit::Year => months(add_months(month, 12 * ahead - i64::from(today.month0()))?, 12),
        _ => None,
    }
}

/// The Saturday of the weekend at hand or to come.
fn weekend(today: NaiveDate) -> NaiveDate {
    let monday = today - Days::new(u64::from(today.weekday().num_days_from_monday()));
    monday + Days::new(5)
}

fn days(first: NaiveDate, count: u64) -> Option<Dated> {
    Some(Dated::Days(first, first.checked_add_days(Days::new(count))?))
}

fn months(first: NaiveDate, count: u32) -> Option<Dated> {
    Some(Dated::Days(first, first.checked_add_months(Months::new(count))?))
}

fn add_months(day: NaiveDate, count: i64) -> Option<NaiveDate> {
    let months = Months::new(u32::try_from(count.unsigned_abs()).ok()?);
    if count < 0 { day.checked_sub_months(months) } else { day.checked_add_months(months) }
}

fn ahead_of(day: NaiveDate, count: i64) -> Option<NaiveDate> {
    day.checked_add_signed(chrono::Duration::try_days(count)?)
}

/// "christmas", "next easter".
fn feast(words: &[&str], by: &Reckoning) -> Read {
    let (which, used) =
        phrases::find(by.lexicon.time.which, words).map_or((None, 0), |(which, used)| (Some(which), used));
    let (feast, more) = phrases::find(by.lexicon.time.feasts, &words[used..])?;
    let used = used + more;
    let today = by.now.date();
    let of = |year: i32| day_of(feast, year);
    if let Some((year, more)) = year(&words[used..], by) {
        return Some((Dated::Day(of(year)?), used + more));
    }
    let day = match which {
        Some(Which::Last) => (0..2).find_map(|ago| of(today.year() - ago).filter(|day| *day < today))?,
        _ => (0..2).find_map(|ahead| of(today.year() + ahead).filter(|day| *day >= today))?,
    };
    Some((Dated::Day(day), used))
}

/// The day of a feast in a year.
pub fn day_of(feast: Feast, year: i32) -> Option<NaiveDate> {
    match feast {
        Feast::Fixed { month, day } => NaiveDate::from_ymd_opt(year, month, day),
        Feast::Easter { easter: after } => ahead_of(easter(year)?, after),
        Feast::Nth { month, weekday, nth } => NaiveDate::from_weekday_of_month_opt(year, month, weekday, nth),
    }
}

/// Easter Sunday of the Gregorian calendar (the computus of Meeus, Jones and Butcher).
fn easter(year: i32) -> Option<NaiveDate> {
    let (golden, century, of_century) = (year % 19, year / 100, year % 100);
    let correction = (century + 8) / 25;
    let epact = (19 * golden + century - century / 4 - (century - correction + 1) / 3 + 15) % 30;
    let weekday = (32 + 2 * (century % 4) + 2 * (of_century / 4) - epact - of_century % 4) % 7;
    let late = (golden + 11 * epact + 22 * weekday) / 451;
    let day = epact + weekday - 7 * late + 114;
    NaiveDate::from_ymd_opt(year, u32::try_from(day / 31).ok()?, u32::try_from(day % 31 + 1).ok()?)
}

/// "the end of the month": its last day. Of a week it is Sunday.
fn edge(words: &[&str], by: &Reckoning) -> Read {
    let lexicon = by.lexicon;
    let end = phrases::starts(lexicon.time.end_of, words);
    let used = end.or_else(|| phrases::starts(lexicon.time.begin_of, words))?;
    let the = phrases::starts(lexicon.time.articles, &words[used..]).unwrap_or(0);
    let (span, more) = match phrases::find(lexicon.time.units, &words[used + the..]) {
        Some((unit, more)) => (unit_of(Which::This, unit, by.now.date())?, the + more),
        None => which_unit(&words[used..], by).or_else(|| month(&words[used..], by))?,
    };
    let Dated::Days(first, after) = span else { return None };
    let day = if end.is_some() { after - Days::new(1) } else { first };
    Some((Dated::Day(day), used + more))
}

/// "in two weeks", "two days from now", "a week from friday", "three days ago", "a week on monday", "now".
fn relative(words: &[&str], by: &Reckoning) -> Read {
    let lexicon = by.lexicon;
    let ahead = |length: lengths::Length, forward: bool| {
        let at = length.after(by.now, forward)?;
        Some(if length.is_of_days() { Dated::Day(at.date()) } else { Dated::Moment(at) })
    };
    if let Some(in_) = phrases::starts(lexicon.time.hence, words)
        && let Some((length, used)) = lengths::read(&words[in_..], lexicon)
    {
        let used = in_ + used;
        let more = phrases::starts(lexicon.time.from_now, &words[used..])
            .or_else(|| phrases::starts(lexicon.time.hence_end, &words[used..]))
            .unwrap_or(0);
        return Some((ahead(length, true)?, used + more));
    }
    if let Some(since) = phrases::starts(lexicon.time.since, words)
        && let Some((length, used)) = lengths::read(&words[since..], lexicon)
    {
        return Some((ahead(length, false)?, since + used));
    }
    let Some((length, used)) = lengths::read(words, lexicon) else { return now(words, by) };
    if let Some(more) = phrases::starts(lexicon.time.from_now, &words[used..]) {
        return Some((ahead(length, true)?, used + more));
    }
    if let Some(more) = phrases::starts(lexicon.time.ago, &words[used..]) {
        return Some((ahead(length, false)?, used + more));
    }
    // "a week from friday", "a week tomorrow", "two weeks on monday"
    let from = phrases::starts(lexicon.time.from, &words[used..]).unwrap_or(0);
    let on = phrases::starts(lexicon.time.on, &words[used + from..]).unwrap_or(0);
    let (base, more) = [from + on, from]
        .iter()
        .find_map(|skip| plain(&words[used + skip..], by).map(|(base, more)| (base, skip + more)))?;
    let Dated::Day(day) = base else { return None };
    let at = length.after(day.and_time(NaiveTime::MIN), true)?;
    length.is_of_days().then_some((Dated::Day(at.date()), used + more))
}

/// The next day of that month and number, today included.
fn coming(month: u32, day: u32, by: &Reckoning) -> Option<NaiveDate> {
    let today = by.now.date();
    (0..9).find_map(|ahead| {
        NaiveDate::from_ymd_opt(today.year() + ahead, month, day).filter(|day| *day >= today)
    })
}
