//! Words for lengths, days, dates, times of day and repetitions.

use crate::phrases::{Phrase, Phrases, Table};
use chrono::Weekday;
use serde::{Deserialize, Deserializer};

/// A unit of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Unit {
    /// One second.
    Second,
    /// 60 seconds.
    Minute,
    /// 60 minutes.
    Hour,
    /// A day, which may have 23 or 25 hours.
    Day,
    /// Seven days.
    Week,
    /// Saturday and Sunday.
    Weekend,
    /// Two weeks.
    Fortnight,
    /// A month of the calendar.
    Month,
    /// Three months.
    Quarter,
    /// A year of the calendar.
    Year,
}

/// A part of the day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Part {
    /// 6 to 12.
    Morning,
    /// 12 to 14.
    Noon,
    /// 12 to 18.
    Afternoon,
    /// 18 to 22.
    Evening,
    /// 22 to 6.
    Night,
}

/// Which one of several days, weeks … is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Which {
    /// The one at hand, or the nearest to come.
    This,
    /// The one that comes first from now on.
    Coming,
    /// That of the week (month, year) after this one.
    Next,
    /// The one after the next.
    AfterNext,
    /// That of the week (month, year) before this one.
    Last,
}

/// Which half of the day a time belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Half {
    /// 0 to 12.
    Am,
    /// 12 to 24.
    Pm,
}

/// A day that has a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(untagged)]
pub enum Feast {
    /// Month and day.
    Fixed {
        /// 1 to 12.
        month: u32,
        /// 1 to 31.
        day: u32,
    },
    /// Relative to Easter Sunday.
    Easter {
        /// Days after Easter Sunday, negative before it.
        easter: i64,
    },
    /// The n-th weekday of a month.
    Nth {
        /// 1 to 12.
        month: u32,
        /// Which weekday.
        weekday: Weekday,
        /// 1 is the first of the month.
        nth: u8,
    },
}

/// Several weekdays that have a name together.
#[derive(Debug, Clone, Copy)]
pub struct Weekdays(&'static [Weekday]);

impl Weekdays {
    /// The days, as the language lists them.
    pub fn days(self) -> &'static [Weekday] {
        self.0
    }
}

impl<'de> Deserialize<'de> for Weekdays {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Self(Vec::deserialize(deserializer)?.leak()))
    }
}

/// `time.toml` of a language.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Time {
    /// The word between hours and minutes of `7:30`, when there is one.
    pub clock_word: Option<Phrase>,
    /// The largest number that is an hour without another word beside it, where there is one: nobody says "at twenty" for
    /// eight in the evening.
    pub last_bare_hour: Option<u32>,
    /// Units of time.
    pub units: Table<Unit>,
    /// "a", "an", "one": a single unit follows.
    pub one: Phrases,
    /// "and".
    pub joins: Phrases,
    /// "of a": between a share and its unit.
    pub of_a: Phrases,
    /// More of a unit behind one of it: "a minute *or two*".
    pub or_more: Table<f64>,
    /// "exactly", "about": said before lengths and times, and without meaning here.
    pub roughly: Phrases,
    /// Days from today.
    pub days: Table<i64>,
    /// Names of weekdays.
    pub weekdays: Table<Weekday>,
    /// Weekdays as a habit: "mondays".
    pub habits: Table<Weekday>,
    /// Months.
    pub months: Table<u32>,
    /// The names of January to December in full.
    pub month_names: Phrases,
    /// Cities and countries by their names, with the name of their zone in the tz database where that is not called after them.
    pub zones: Table<Phrase>,
    /// Feasts.
    pub feasts: Table<Feast>,
    /// "this", "next".
    pub which: Table<Which>,
    /// "on", "the": said before dates.
    pub on: Phrases,
    /// "in", "during": said before months.
    pub during: Phrases,
    /// "of": between the day and the month.
    pub of: Phrases,
    /// "at the end of": with the unit behind it.
    pub end_of: Phrases,
    /// "at the beginning of".
    pub begin_of: Phrases,
    /// "in", "within": a length from now follows.
    pub hence: Phrases,
    /// When the request before it is carried out: "and the fan *at the same time*".
    pub same_time: Phrases,
    /// The same in one word, at the end: "and the fan *then* as well".
    pub then: Phrases,
    /// "at this time": on another day, at the time it is now.
    pub this_time: Phrases,
    /// "from now": behind a length.
    pub from_now: Phrases,
    /// "from": a day follows.
    pub from: Phrases,
    /// "before that": a length before it is before the time that was said first.
    pub sooner: Phrases,
    /// "after that", "later": the same behind it.
    pub afterwards: Phrases,
    /// "ago", behind a length.
    pub ago: Phrases,
    /// "vor": a length that has passed follows.
    pub since: Phrases,
    /// "now".
    pub now: Phrases,
    /// "at", "by", "around".
    pub at: Phrases,
    /// Times with a name: hour and minute.
    pub named_times: Table<(u32, u32)>,
    /// "half past": 30 minutes after the hour that follows, counted in minutes.
    pub past: Table<i64>,
    /// "to", "past" behind a count of minutes: the sign.
    pub minutes_to: Table<i64>,
    /// "o'clock", "uhr".
    pub oclock: Phrases,
    /// "hundred hours": the military way to say full hours.
    pub hundred: Phrases,
    /// "am", "in the morning": which half of the day.
    pub halves: Table<Half>,
    /// Parts of today: "tonight", "this morning".
    pub today_parts: Table<Part>,
    /// Parts of a day that was said, or of any day: "morning", "in the evening".
    pub parts: Table<Part>,
    /// "every", "each".
    pub every: Phrases,
    /// "every day".
    pub each_day: Phrases,
    /// "other", "second": every so many.
    pub every_other: Table<u32>,
    /// "daily", "weekly".
    pub adverbs: Table<Unit>,
    /// "weekdays": Monday to Friday, and the like.
    pub day_sets: Table<Weekdays>,
    /// The same, where no "every" stands before it.
    pub habit_sets: Table<Weekdays>,
    /// "monday *to* friday".
    pub to: Phrases,
    /// "between", "from": two times of day follow.
    pub between: Phrases,
    /// "last" of a month.
    pub last: Phrases,
    /// "of the month", "of every month".
    pub of_month: Phrases,
    /// "once a", before a unit.
    pub once_a: Phrases,
    /// Parts of the day as a habit: "mornings", "abends".
    pub habit_parts: Table<Part>,
    /// What may be said before a day or a unit and says nothing: "the".
    pub articles: Phrases,
    /// What may be said before a part of the day: "*in the* morning".
    pub before_parts: Phrases,
    /// What may end a length from now: "in two days' *time*".
    pub hence_end: Phrases,
    /// What makes a day that of a week later behind it: "tomorrow *week*".
    pub week_behind: Phrases,
    /// What says in front of a length that something is to be done after it: "*wait* ten minutes and …".
    pub delays: Phrases,
    /// What makes a weekday that of a week later before it: "*a week on* Tuesday".
    pub week_before: Phrases,
    /// What makes a weekday that of the week after next behind it: "friday *after next*".
    pub after_next_behind: Phrases,
}
