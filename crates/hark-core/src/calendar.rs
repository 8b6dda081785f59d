//! Moments and repetitions as slots carry them: text of ISO 8601 and RFC 5545, in local time without a
//! zone. Whoever acts on them puts the zone on.

use chrono::{Datelike, Days, Duration, NaiveDate, NaiveDateTime, NaiveTime, Timelike, Weekday};
use std::collections::BTreeSet;
use std::fmt;
use std::ops::RangeInclusive;

/// Years that are read.
const YEARS: RangeInclusive<i32> = 1..=9999;

/// When something is: a moment, a day, or a stretch of either. Spans end before their second value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum When {
    /// A day; no time was said: `2026-11-23`.
    Day(NaiveDate),
    /// `2026-11-23T07:00:00`. With a fraction of a second, which nobody says, it was reckoned from now: "in ten minutes".
    Moment(NaiveDateTime),
    /// `2026-11-28/2026-11-30`: the two days of a weekend.
    Days(NaiveDate, NaiveDate),
    /// `2026-11-23T06:00:00/2026-11-23T12:00:00`.
    Span(NaiveDateTime, NaiveDateTime),
}

impl When {
    /// A day and a time that were said apart: "on friday wake me at six".
    pub fn joined(said: &str, more: &str) -> Option<Self> {
        match (Self::parse(said)?, Self::parse(more)?) {
            (Self::Day(day) | Self::Days(day, _), Self::Moment(at))
            | (Self::Moment(at), Self::Day(day) | Self::Days(day, _)) => {
                Some(Self::Moment(day.and_time(at.time())))
            }
            // "Tomorrow evening … at six": the one of the two hours that lies in it.
            (Self::Span(from, to), Self::Moment(at)) | (Self::Moment(at), Self::Span(from, to)) => {
                let said = from.date().and_time(at.time());
                let half_a_day = Duration::hours(12);
                let hours = [said, said + half_a_day, said - half_a_day];
                Some(Self::Moment(hours.into_iter().find(|at| (from..=to).contains(at)).unwrap_or(said)))
            }
            _ => None,
        }
    }

    /// Reads what `Display` writes. `None` for another form, and for years outside of 1 to 9999, so that adding days or months
    /// stays within the range of the calendar's type.
    pub fn parse(text: &str) -> Option<Self> {
        let (when, years) = match text.split_once('/') {
            None => match moment(text) {
                Some(at) => (Self::Moment(at), [at.year(); 2]),
                None => text.parse().ok().map(|day: NaiveDate| (Self::Day(day), [day.year(); 2]))?,
            },
            Some((from, to)) => match (from.parse::<NaiveDate>(), to.parse::<NaiveDate>()) {
                (Ok(from), Ok(to)) => (Self::Days(from, to), [from.year(), to.year()]),
                _ => {
                    let (from, to) = (moment(from)?, moment(to)?);
                    (Self::Span(from, to), [from.year(), to.year()])
                }
            },
        };
        years.iter().all(|year| YEARS.contains(year)).then_some(when)
    }

    /// Its first moment.
    pub fn start(&self) -> NaiveDateTime {
        match self {
            Self::Day(day) | Self::Days(day, _) => day.and_time(NaiveTime::MIN),
            Self::Moment(at) | Self::Span(at, _) => *at,
        }
    }

    /// The moment at which it is over; that of a moment is the moment itself.
    pub fn end(&self) -> NaiveDateTime {
        match self {
            Self::Day(day) => day.succ_opt().unwrap_or(*day).and_time(NaiveTime::MIN),
            Self::Days(_, end) => end.and_time(NaiveTime::MIN),
            Self::Moment(at) | Self::Span(_, at) => *at,
        }
    }

    /// Whether a time of day was said.
    pub fn has_time(&self) -> bool {
        matches!(self, Self::Moment(_) | Self::Span(_, _))
    }
}

/// A time of day as slots carry it. Where its half of the day was not said there are two, `07:00:00/19:00:00`: the one
/// nearer to `near` is meant. `None` when it is something else.
pub fn time_near(text: &str, near: NaiveTime) -> Option<NaiveTime> {
    const DAY_S: i64 = 24 * 3600;
    let away = |time: &NaiveTime| {
        let apart = (*time - near).num_seconds().abs();
        apart.min(DAY_S - apart)
    };
    let times: Vec<NaiveTime> = text.split('/').map(|time| time.parse().ok()).collect::<Option<_>>()?;
    times.into_iter().min_by_key(away)
}

/// Minutes without seconds are understood too.
fn moment(text: &str) -> Option<NaiveDateTime> {
    ["%Y-%m-%dT%H:%M:%S%.f", "%Y-%m-%dT%H:%M"]
        .iter()
        .find_map(|format| NaiveDateTime::parse_from_str(text, format).ok())
}

/// The moment that is meant by a stretch of time in which something is to be done: its middle; of a night, which reaches
/// into the next day, its beginning.
pub fn moment_within(from: NaiveDateTime, to: NaiveDateTime) -> NaiveDateTime {
    let is_night = to.date() > from.date() && to.time() > NaiveTime::MIN;
    if is_night { from } else { from + (to - from) / 2 }
}

impl fmt::Display for When {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Day(day) => write!(f, "{day}"),
            Self::Days(from, to) => write!(f, "{from}/{to}"),
            Self::Moment(at) => write!(f, "{}", at.format("%Y-%m-%dT%H:%M:%S%.f")),
            Self::Span(from, to) => {
                write!(f, "{}/{}", from.format("%Y-%m-%dT%H:%M:%S"), to.format("%Y-%m-%dT%H:%M:%S"))
            }
        }
    }
}

/// The unit of a repetition, by its name in RFC 5545.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Frequency {
    /// Every so many minutes.
    Minutely,
    /// Every so many hours.
    Hourly,
    /// Every so many days.
    Daily,
    /// Every so many weeks.
    Weekly,
    /// Every so many months.
    Monthly,
    /// Every so many years.
    Yearly,
}

const FREQUENCIES: [(Frequency, &str); 6] = [
    (Frequency::Minutely, "MINUTELY"),
    (Frequency::Hourly, "HOURLY"),
    (Frequency::Daily, "DAILY"),
    (Frequency::Weekly, "WEEKLY"),
    (Frequency::Monthly, "MONTHLY"),
    (Frequency::Yearly, "YEARLY"),
];

const DAY_NAMES: [(Weekday, &str); 7] = [
    (Weekday::Mon, "MO"),
    (Weekday::Tue, "TU"),
    (Weekday::Wed, "WE"),
    (Weekday::Thu, "TH"),
    (Weekday::Fri, "FR"),
    (Weekday::Sat, "SA"),
    (Weekday::Sun, "SU"),
];

/// A repetition: the part of RFC 5545's recurrence rules that people say.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Recurrence {
    /// Its unit.
    pub frequency: Frequency,
    /// Every so many units; 1 is every one.
    pub interval: u32,
    /// On these days of the week. The number counts within a month, -1 is the last: `1MO`.
    pub days: Vec<(Option<i8>, Weekday)>,
    /// On these days of the month, 1 to 31; -1 is the last.
    pub month_days: Vec<i8>,
    /// In this month, 1 to 12.
    pub month: Option<u32>,
    /// At this time of day, to the minute; `None` when none was said.
    pub time: Option<NaiveTime>,
    /// And at these later ones. With the first they are every one of some hours at every one of some minutes.
    pub later: Vec<NaiveTime>,
}

impl Recurrence {
    /// Every unit.
    pub fn every(frequency: Frequency) -> Self {
        Self {
            frequency,
            interval: 1,
            days: Vec::new(),
            month_days: Vec::new(),
            month: None,
            time: None,
            later: Vec::new(),
        }
    }

    /// At several times of day; `None` when they are not every one of some hours at every one of some minutes, which
    /// is all that a rule can say.
    #[must_use]
    pub fn at_times(self, mut times: Vec<NaiveTime>) -> Option<Self> {
        times.sort_unstable();
        times.dedup();
        let (hours, minutes) = (hours(&times), minutes(&times));
        let mut times = (hours.len() * minutes.len() == times.len()).then_some(times)?.into_iter();
        let time = times.next()?;
        Some(Self { time: Some(time), later: times.collect(), ..self })
    }

    /// All its times of day, the first first.
    pub fn times(&self) -> impl Iterator<Item = NaiveTime> {
        self.time.into_iter().chain(self.later.iter().copied())
    }

    /// The days of the week on which it comes, all of them where it is daily; `None` where it says more than that.
    pub fn days_of_week(&self) -> Option<Vec<Weekday>> {
        let Self { frequency, interval: 1, days, month_days, month: None, time: None, later } = self else {
            return None;
        };
        let says_no_more = month_days.is_empty() && later.is_empty();
        let days: Option<Vec<Weekday>> = match (frequency, days.as_slice()) {
            (Frequency::Daily, []) => Some(DAY_NAMES.map(|(day, _)| day).to_vec()),
            (Frequency::Daily | Frequency::Weekly, [_, ..]) => {
                days.iter().map(|(number, day)| number.is_none().then_some(*day)).collect()
            }
            _ => None,
        };
        days.filter(|_| says_no_more)
    }

    /// Reads what `Display` writes, in any order of keys; `None` when it is something else.
    pub fn parse(text: &str) -> Option<Self> {
        let mut found = Self::every(Frequency::Daily);
        let (mut frequency, mut hours, mut minutes) = (None, Vec::new(), vec![0]);
        for part in text.split(';') {
            let (key, value) = part.split_once('=')?;
            match key {
                "FREQ" => frequency = FREQUENCIES.iter().find(|(_, name)| *name == value),
                "INTERVAL" => found.interval = value.parse().ok().filter(|count| *count > 0)?,
                "BYDAY" => found.days = value.split(',').map(day).collect::<Option<_>>()?,
                "BYMONTHDAY" => {
                    found.month_days = numbers(value)?;
                }
                "BYMONTH" => found.month = Some(value.parse().ok()?),
                "BYHOUR" => hours = numbers(value)?,
                "BYMINUTE" => minutes = numbers(value)?,
                _ => return None,
            }
        }
        found.frequency = frequency?.0;
        if !hours.is_empty() {
            let both = hours.iter().flat_map(|hour| minutes.iter().map(|minute| (*hour, *minute)));
            let times = both.map(|(hour, minute)| NaiveTime::from_hms_opt(hour, minute, 0));
            found = found.at_times(times.collect::<Option<_>>()?)?;
        }
        let in_month = found.month_days.iter().all(|day| (-1..=31).contains(day) && *day != 0);
        (in_month && found.month.is_none_or(|month| (1..=12).contains(&month))).then_some(found)
    }

    /// The first time after `after`. A repetition that was set at `set` begins with the first fitting time
    /// after that, and every second, third … unit is counted from there. Without a time of day, midnight.
    /// `None` when it never comes, such as on the 31st of February.
    pub fn next_after(&self, set: NaiveDateTime, after: NaiveDateTime) -> Option<NaiveDateTime> {
        let step = match self.frequency {
            Frequency::Minutely => Some(Duration::minutes(1)),
            Frequency::Hourly => Some(Duration::hours(1)),
            _ => None,
        };
        if let Some(step) = step {
            let step = step.checked_mul(i32::try_from(self.interval).ok()?)?;
            let passed = (after - set).num_seconds().max(0) / step.num_seconds().max(1);
            return set.checked_add_signed(step.checked_mul(i32::try_from(passed + 1).ok()?)?);
        }
        let first_time = self.time.unwrap_or(NaiveTime::MIN);
        let first_day = set.date();
        let mut first = None;
        // The rarest: a 29th of February with an interval.
        let most = 366 * 8 * u64::from(self.interval.clamp(1, 50));
        for ahead in 0..most {
            let day = first_day.checked_add_days(Days::new(ahead))?;
            let last = self.later.last().map_or(first_time, |time| *time);
            if day.and_time(last) <= set || !self.fits(day, first.unwrap_or(day), set.date()) {
                continue;
            }
            first.get_or_insert(day);
            let mut times = std::iter::once(first_time).chain(self.later.iter().copied());
            if let Some(time) = times.find(|time| day.and_time(*time) > set.max(after)) {
                return Some(day.and_time(time));
            }
        }
        None
    }

    /// Whether it comes on `day`; `first` is the first day on which it came, `set` the day it was set.
    fn fits(&self, day: NaiveDate, first: NaiveDate, set: NaiveDate) -> bool {
        let weekday = self.days.is_empty() || self.days.iter().any(|named| names(*named, day));
        let month_day = self.month_days.is_empty()
            || self
                .month_days
                .iter()
                .any(|number| i64::from(*number) == i64::from(day.day()) || *number == -1 && is_last(day));
        let month = self.month.is_none_or(|month| month == day.month());
        let unsaid = self.days.is_empty() && self.month_days.is_empty();
        let as_set = match self.frequency {
            Frequency::Weekly => !unsaid || day.weekday() == set.weekday(),
            Frequency::Monthly => !unsaid || day.day() == set.day(),
            Frequency::Yearly => {
                (!unsaid || day.day() == set.day()) && (self.month.is_some() || day.month() == set.month())
            }
            _ => true,
        };
        let monday = |day: NaiveDate| day - Days::new(u64::from(day.weekday().num_days_from_monday()));
        let months = |day: NaiveDate| i64::from(day.year()) * 12 + i64::from(day.month0());
        let units = match self.frequency {
            Frequency::Weekly => (monday(day) - monday(first)).num_weeks(),
            Frequency::Monthly => months(day) - months(first),
            Frequency::Yearly => i64::from(day.year()) - i64::from(first.year()),
            _ => (day - first).num_days(),
        };
        weekday && month_day && month && as_set && units % i64::from(self.interval.max(1)) == 0
    }
}

fn numbers<T: std::str::FromStr>(text: &str) -> Option<Vec<T>> {
    text.split(',').map(|number| number.parse().ok()).collect()
}

/// The hours of some times, each once.
fn hours(times: &[NaiveTime]) -> BTreeSet<u32> {
    times.iter().map(NaiveTime::hour).collect()
}

/// The minutes of some times, each once.
fn minutes(times: &[NaiveTime]) -> BTreeSet<u32> {
    times.iter().map(NaiveTime::minute).collect()
}

fn day(text: &str) -> Option<(Option<i8>, Weekday)> {
    let (number, name) = text.split_at_checked(text.len().checked_sub(2)?)?;
    let weekday = DAY_NAMES.iter().find(|(_, known)| *known == name)?.0;
    let number = if number.is_empty() { None } else { Some(number.parse().ok()?) };
    Some((number, weekday))
}

fn names((number, weekday): (Option<i8>, Weekday), day: NaiveDate) -> bool {
    let in_month = i64::from(day.day0()) / 7 + 1;
    weekday == day.weekday()
        && match number {
            None => true,
            Some(-1) => is_next_month(day, 7),
            Some(number) => i64::from(number) == in_month,
        }
}

fn is_last(day: NaiveDate) -> bool {
    is_next_month(day, 1)
}

/// Whether the month is over so many days later; at the end of the calendar it is.
fn is_next_month(day: NaiveDate, days: u64) -> bool {
    day.checked_add_days(Days::new(days)).is_none_or(|later| later.month() != day.month())
}

impl fmt::Display for Recurrence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let frequency = FREQUENCIES.iter().find(|(known, _)| *known == self.frequency);
        write!(f, "FREQ={}", frequency.map_or("DAILY", |(_, name)| name))?;
        if self.interval != 1 {
            write!(f, ";INTERVAL={}", self.interval)?;
        }
        if !self.days.is_empty() {
            let days = self.days.iter().map(|(number, weekday)| {
                let name = DAY_NAMES.iter().find(|(known, _)| known == weekday).map_or("", |(_, name)| name);
                number.map_or_else(|| name.to_owned(), |number| format!("{number}{name}"))
            });
            write!(f, ";BYDAY={}", days.collect::<Vec<_>>().join(","))?;
        }
        if !self.month_days.is_empty() {
            write!(f, ";BYMONTHDAY={}", row(&self.month_days))?;
        }
        if let Some(month) = self.month {
            write!(f, ";BYMONTH={month}")?;
        }
        if self.time.is_some() {
            let times: Vec<NaiveTime> = self.times().collect();
            write!(f, ";BYHOUR={};BYMINUTE={}", row(hours(&times)), row(minutes(&times)))?;
        }
        Ok(())
    }
}

/// With commas between them.
fn row<T: ToString>(values: impl IntoIterator<Item = T>) -> String {
    values.into_iter().map(|value| value.to_string()).collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_again() {
        for text in [
            "2026-11-23",
            "2026-11-23T07:00:00",
            "2026-11-23T07:00:00.250",
            "2026-11-28/2026-11-30",
            "2026-11-23T06:00:00/2026-11-23T12:00:00",
        ] {
            assert_eq!(When::parse(text).map(|when| when.to_string()).as_deref(), Some(text));
        }
        assert_eq!(When::parse("2026-11-23T07:00").unwrap().to_string(), "2026-11-23T07:00:00");
        for text in ["", "tomorrow", "2026-13-01", "2026-11-23T25:00", "2026-11-23/"] {
            assert_eq!(When::parse(text), None, "{text}");
        }
        for text in [
            "FREQ=DAILY;BYHOUR=9;BYMINUTE=0",
            "FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,WE;BYHOUR=19;BYMINUTE=30",
            "FREQ=MONTHLY;BYDAY=1MO,-1FR",
            "FREQ=YEARLY;BYMONTHDAY=24;BYMONTH=12",
            "FREQ=MONTHLY;BYMONTHDAY=-1",
            "FREQ=MINUTELY;INTERVAL=15",
            "FREQ=DAILY;BYHOUR=9,12,15;BYMINUTE=0",
            "FREQ=WEEKLY;BYDAY=MO;BYHOUR=9,10;BYMINUTE=0,30",
        ] {
            assert_eq!(Recurrence::parse(text).map(|every| every.to_string()).as_deref(), Some(text));
        }
        for text in ["", "FREQ=SOMETIMES", "FREQ=DAILY;BYHOUR=24", "BYDAY=MO", "FREQ=MONTHLY;BYMONTHDAY=0"] {
            assert_eq!(Recurrence::parse(text), None, "{text}");
        }
    }

    #[test]
    fn years_outside_of_1_to_9999_are_not_read() {
        for (text, end) in [
            ("9999-12-31", "10000-01-01"),
            ("0001-01-01", "1-01-02"),
            ("9999-12-31T23:59", "9999-12-31"),
            ("0001-01-01/9999-12-31", "9999-12-31"),
        ] {
            let end_of = When::parse(text).unwrap().end().date();
            assert_eq!(format!("{}-{}", end_of.year(), end_of.format("%m-%d")), end);
        }
        for text in [
            "+262142-12-31",
            "-262143-01-01",
            "+10000-01-01",
            "0000-12-31",
            "+262142-12-31T23:59",
            "0000-12-31T00:00",
            "2026-11-23/+262142-12-31",
            "-262143-01-01/2026-11-23",
            "2026-11-23T06:00/+262142-12-31T12:00",
        ] {
            assert_eq!(When::parse(text), None, "{text}");
        }
        assert_eq!(When::Day(NaiveDate::MAX).end().date(), NaiveDate::MAX);
        assert!(is_last(NaiveDate::MAX) && names((Some(-1), NaiveDate::MAX.weekday()), NaiveDate::MAX));
    }

    #[test]
    fn of_two_times_of_day_the_nearer_is_meant() {
        let at = |text: &str| text.parse::<NaiveTime>().unwrap();
        assert_eq!(time_near("08:00:00/20:00:00", at("07:00:00")), Some(at("08:00:00")));
        assert_eq!(time_near("08:00:00/20:00:00", at("19:00:00")), Some(at("20:00:00")));
        assert_eq!(time_near("11:00:00/23:00:00", at("00:30:00")), Some(at("23:00:00")));
        assert_eq!(time_near("08:00:00", at("19:00:00")), Some(at("08:00:00")));
        for text in ["", "eight", "08:00:00/", "25:00:00"] {
            assert_eq!(time_near(text, at("07:00:00")), None, "{text}");
        }
    }

    #[test]
    fn the_next_time_is_found() {
        for (rule, set, after, next) in [
            ("FREQ=DAILY;BYHOUR=9;BYMINUTE=0", "2026-11-22T10:00", "2026-11-22T10:00", "2026-11-23T09:00"),
            ("FREQ=DAILY;BYHOUR=9;BYMINUTE=0", "2026-11-22T08:00", "2026-11-22T08:00", "2026-11-22T09:00"),
            ("FREQ=DAILY;BYHOUR=9;BYMINUTE=0", "2026-11-22T08:00", "2026-11-22T09:00", "2026-11-23T09:00"),
            (
                "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR;BYHOUR=7;BYMINUTE=0",
                "2026-11-20T08:00",
                "2026-11-20T08:00",
                "2026-11-23T07:00",
            ),
            (
                "FREQ=WEEKLY;INTERVAL=2;BYDAY=MO;BYHOUR=7;BYMINUTE=0",
                "2026-11-22T08:00",
                "2026-11-23T07:00",
                "2026-12-07T07:00",
            ),
            ("FREQ=WEEKLY", "2026-11-22T08:00", "2026-11-22T08:00", "2026-11-29T00:00"),
            ("FREQ=MONTHLY;BYDAY=1MO", "2026-11-22T08:00", "2026-11-22T08:00", "2026-12-07T00:00"),
            ("FREQ=MONTHLY;BYMONTHDAY=-1", "2026-11-22T08:00", "2026-11-30T00:00", "2026-12-31T00:00"),
            (
                "FREQ=YEARLY;BYMONTHDAY=24;BYMONTH=12;BYHOUR=18;BYMINUTE=0",
                "2026-12-25T08:00",
                "2026-12-25T08:00",
                "2027-12-24T18:00",
            ),
            (
                "FREQ=YEARLY;BYMONTHDAY=29;BYMONTH=2",
                "2026-12-25T08:00",
                "2026-12-25T08:00",
                "2028-02-29T00:00",
            ),
            ("FREQ=MINUTELY;INTERVAL=15", "2026-11-22T08:00", "2026-11-22T08:20", "2026-11-22T08:30"),
            ("FREQ=HOURLY", "2026-11-22T08:10", "2026-11-22T08:10", "2026-11-22T09:10"),
            // Several times a day: the next of this day, then the first of the next.
            (
                "FREQ=DAILY;BYHOUR=9,12,15;BYMINUTE=0",
                "2026-11-22T10:00",
                "2026-11-22T10:00",
                "2026-11-22T12:00",
            ),
            (
                "FREQ=DAILY;BYHOUR=9,12,15;BYMINUTE=0",
                "2026-11-22T10:00",
                "2026-11-22T15:00",
                "2026-11-23T09:00",
            ),
            (
                "FREQ=WEEKLY;BYDAY=MO;BYHOUR=9;BYMINUTE=0,30",
                "2026-11-23T09:10",
                "2026-11-23T09:30",
                "2026-11-30T09:00",
            ),
            // Not every month has a 31st.
            (
                "FREQ=MONTHLY;BYMONTHDAY=31;BYHOUR=9;BYMINUTE=0",
                "2026-11-22T08:00",
                "2026-12-31T09:00",
                "2027-01-31T09:00",
            ),
        ] {
            let at = |text: &str| moment(text).unwrap();
            let found = Recurrence::parse(rule).unwrap().next_after(at(set), at(after));
            assert_eq!(found, Some(at(next)), "{rule}");
        }
        let never = Recurrence::parse("FREQ=YEARLY;BYMONTHDAY=31;BYMONTH=2").unwrap();
        let now = moment("2026-11-22T08:00").unwrap();
        assert_eq!(never.next_after(now, now), None);
    }
}
