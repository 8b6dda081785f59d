//! From the wall clock of the house to moments and back: the one place where a time zone is put on.

use crate::names::normal;
use chrono::{DateTime, Duration, FixedOffset, Local, LocalResult, NaiveDateTime, TimeZone};
use croner::Cron;
use croner::errors::CronError;
use croner::parser::{CronParser, Seconds, Year};
use hark_core::calendar::Recurrence;

/// How a time on the wall is kept.
const WALL: &str = "%Y-%m-%dT%H:%M:%S";

/// As many times as can come twice when clocks are set back: every minute of some hours.
const MAX_REPEATED: usize = 200;

/// Longest gap that setting clocks forward leaves, in hours.
const MAX_GAP_H: i64 = 3;

/// A time zone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Zone {
    /// That of the machine, with its summer time.
    #[default]
    Local,
    /// Always this far from UTC.
    Fixed(FixedOffset),
}

impl Zone {
    /// What the clock on the wall shows.
    pub fn wall(self, unix_ms: i64) -> NaiveDateTime {
        let utc = DateTime::from_timestamp_millis(unix_ms).unwrap_or_default();
        match self {
            Self::Local => utc.with_timezone(&Local).naive_local(),
            Self::Fixed(offset) => utc.with_timezone(&offset).naive_local(),
        }
    }

    /// The moment at which the clock on the wall shows this, milliseconds since the Unix epoch. Of an hour
    /// that comes twice the first; an hour that is left out is counted from before the clocks were set.
    pub fn unix_ms(self, wall: NaiveDateTime) -> i64 {
        match self {
            Self::Local => moment(&Local, wall),
            Self::Fixed(offset) => moment(&offset, wall),
        }
    }

    /// Its name in the tz database, such as `Europe/Berlin`; `None` where the machine does not tell it, or goes by another one.
    pub fn name(self, unix_ms: i64) -> Option<String> {
        let Self::Local = self else { return None };
        let name = std::env::var("TZ").ok().filter(|name| !name.is_empty());
        let name = name.or_else(|| iana_time_zone::get_timezone().ok())?;
        let zone: chrono_tz::Tz = name.parse().ok()?;
        let utc = DateTime::from_timestamp_millis(unix_ms)?;
        (utc.with_timezone(&zone).naive_local() == self.wall(unix_ms)).then_some(name)
    }

    /// Whether its clocks show the same as those of the zone `name` of the tz database, on every day of the year from a moment
    /// on (some zones differ in summer only). `None` where the database has no such zone.
    pub fn agrees_with(self, name: &str, unix_ms: i64) -> Option<bool> {
        const DAY_MS: i64 = 86_400_000;
        let other: chrono_tz::Tz = name.parse().ok()?;
        let mut days = (0..=366).map(|day| unix_ms.saturating_add(day * DAY_MS));
        Some(days.all(|day| {
            let utc = DateTime::from_timestamp_millis(day).unwrap_or_default();
            utc.with_timezone(&other).naive_local() == self.wall(day)
        }))
    }

    /// What the clock on the wall shows at a moment, for [`Zone::of_wall`]; `None` where that does not lead back to
    /// the moment: within a minute, or the second time of an hour that comes twice.
    pub fn wall_of(self, unix_ms: i64) -> Option<String> {
        const MINUTE_MS: i64 = 60_000;
        let wall = self.wall(unix_ms);
        let leads_back = unix_ms.rem_euclid(MINUTE_MS) == 0 && self.unix_ms(wall) == unix_ms;
        leads_back.then(|| wall.format(WALL).to_string())
    }

    /// The moment a kept wall time means here and now.
    pub fn of_wall(self, wall: &str) -> Option<i64> {
        NaiveDateTime::parse_from_str(wall, WALL).ok().map(|wall| self.unix_ms(wall))
    }

    /// How far the wall is ahead of UTC at a moment, milliseconds.
    pub fn offset_ms(self, unix_ms: i64) -> i64 {
        self.wall(unix_ms).and_utc().timestamp_millis().saturating_sub(unix_ms)
    }

    /// When a repetition set at `set_unix_ms` comes next after `after_unix_ms`; `None` when it never does or
    /// the rule cannot be read.
    pub fn next(self, rule: &str, set_unix_ms: i64, after_unix_ms: i64) -> Option<i64> {
        if !rule.contains('=') {
            return self.next_by_cron(rule, after_unix_ms);
        }
        let (rule, set) = (Recurrence::parse(rule)?, self.wall(set_unix_ms));
        let mut wall = self.wall(after_unix_ms);
        // When clocks are set back the wall shows times again that have been: those are passed over.
        for _ in 0..MAX_REPEATED {
            wall = rule.next_after(set, wall)?;
            let next = self.unix_ms(wall);
            if next > after_unix_ms {
                return Some(next);
            }
        }
        None
    }
}

impl Zone {
    fn next_by_cron(self, line: &str, after_unix_ms: i64) -> Option<i64> {
        let (cron, utc) = (cron(line).ok()?, DateTime::from_timestamp_millis(after_unix_ms)?);
        let next = match self {
            Self::Local => next_of(&cron, utc.with_timezone(&Local)),
            Self::Fixed(offset) => next_of(&cron, utc.with_timezone(&offset)),
        };
        next.filter(|next| *next > after_unix_ms)
    }
}

fn next_of<Z: TimeZone>(cron: &Cron, after: DateTime<Z>) -> Option<i64> {
    cron.find_next_occurrence(&after, false).ok().map(|next| next.timestamp_millis())
}

/// The time zone of a city or country: by the words of a language of the house, else by the names that the tz database
/// calls its zones after ("Asia/Tokyo"). `None` for a place that neither knows.
pub fn of_place(place: &str) -> Option<chrono_tz::Tz> {
    let place = normal(place);
    let languages = hark_language::all();
    let called = languages.iter().find_map(|language| language.time.zones.get(&place));
    if let Some(zone) = called {
        return zone.parse().ok();
    }
    let city = |zone: &&chrono_tz::Tz| {
        let name = zone.name().rsplit('/').next().unwrap_or_default();
        zone.name().contains('/') && normal(&name.replace('_', " ")) == place
    };
    chrono_tz::TZ_VARIANTS.iter().find(city).copied()
}

/// Why a line is none of cron.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub struct CronLineError(CronError);

/// Whether this is a line of cron: five fields, without seconds, or a name such as `@daily`.
///
/// # Errors
/// Why it is not.
pub fn check_cron(line: &str) -> Result<(), CronLineError> {
    cron(line).map(drop).map_err(CronLineError)
}

fn cron(line: &str) -> Result<Cron, CronError> {
    CronParser::builder().seconds(Seconds::Disallowed).year(Year::Disallowed).build().parse(line.trim())
}

fn moment<Z: TimeZone>(zone: &Z, wall: NaiveDateTime) -> i64 {
    let gap = (0..=MAX_GAP_H).map(Duration::hours);
    let found = gap.into_iter().find_map(|gap| {
        // Of two, chrono does not always name the earlier one first.
        let first = match zone.from_local_datetime(&(wall - gap)) {
            LocalResult::None => return None,
            LocalResult::Single(at) => at.timestamp_millis(),
            LocalResult::Ambiguous(one, other) => one.timestamp_millis().min(other.timestamp_millis()),
        };
        Some(first + gap.num_milliseconds())
    });
    found.unwrap_or_else(|| wall.and_utc().timestamp_millis())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> NaiveDateTime {
        NaiveDateTime::parse_from_str(text, "%Y-%m-%dT%H:%M").unwrap()
    }

    #[test]
    fn wall_and_moment_belong_together() {
        for zone in [Zone::Local, Zone::Fixed(FixedOffset::east_opt(3600).unwrap())] {
            for text in ["2026-11-22T07:00", "2027-06-01T23:59", "2026-01-01T00:00"] {
                assert_eq!(zone.wall(zone.unix_ms(at(text))), at(text), "{zone:?}");
            }
        }
        let east = Zone::Fixed(FixedOffset::east_opt(3600).unwrap());
        assert_eq!(east.unix_ms(at("1970-01-01T01:00")), 0);
    }

    #[test]
    fn zones_agree_that_show_the_same_all_year() {
        let winter = Zone::Fixed(FixedOffset::east_opt(0).unwrap()).unix_ms(at("2026-12-01T12:00"));
        let east = Zone::Fixed(FixedOffset::east_opt(3600).unwrap());
        assert_eq!(east.agrees_with("Africa/Lagos", winter), Some(true));
        assert_eq!(east.agrees_with("Europe/Berlin", winter), Some(false), "in summer not");
        assert_eq!(east.agrees_with("UTC", winter), Some(false));
        assert_eq!(east.agrees_with("Nowhere/Here", winter), None);
    }

    #[test]
    fn a_repetition_comes_at_the_hour_of_the_wall() {
        let zone = Zone::Fixed(FixedOffset::east_opt(3600).unwrap());
        let set = zone.unix_ms(at("2026-11-21T14:05"));
        let next = zone.next("FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR;BYHOUR=7;BYMINUTE=0", set, set).unwrap();
        assert_eq!(zone.wall(next), at("2026-11-23T07:00"));
        assert_eq!(zone.next("whenever", set, set), None);
        let next = |line: &str| zone.next(line, set, set).map(|next| zone.wall(next));
        assert_eq!(next("0 9 * * *"), Some(at("2026-11-22T09:00")));
        assert_eq!(next("*/15 8-18 * * 1-5"), Some(at("2026-11-23T08:00")));
        assert_eq!(next("30 6 1 * *"), Some(at("2026-12-01T06:30")));
        assert_eq!(next("@daily"), Some(at("2026-11-22T00:00")));
        assert_eq!(next("0 0 31 2 *"), None, "never");
        for line in ["", "0 9 * *", "0 0 9 * * *", "61 9 * * *", "0 9 * * caturday", "x"] {
            assert!(check_cron(line).is_err(), "{line:?}");
        }
    }
}
