//! Part of a day: "between nine and five", "from 8 am to 8 pm".

use super::Reckoning;
use super::clock::{self, Clock, Open};
use chrono::{Duration, NaiveDate, NaiveTime};
use hark_core::calendar::{Frequency, Recurrence, When};
use hark_language::phrases;
use hark_language::time::Half;

/// Words that a time of day has at most.
const LONGEST_TIME: usize = 8;

/// From one time of day to a later one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    from: NaiveTime,
    to: NaiveTime,
}

impl Window {
    /// It on a day.
    pub fn on(&self, day: NaiveDate) -> When {
        When::Span(day.and_time(self.from), day.and_time(self.to))
    }

    /// Every so many minutes or hours of this part of every day, beginning with its first moment. Its last moment
    /// counts where whole hours lie between the times. `None` when no rule can say so.
    pub fn every(&self, often: &Recurrence) -> Option<Recurrence> {
        let minutes = match often.frequency {
            Frequency::Hourly => often.interval.checked_mul(60)?,
            Frequency::Minutely => often.interval,
            _ => return None,
        };
        let step = Duration::minutes(i64::from(minutes));
        let whole_hours = minutes.is_multiple_of(60);
        let within = |at: &NaiveTime| if whole_hours { *at <= self.to } else { *at < self.to };
        let next = |at: &NaiveTime| {
            let (next, passed_midnight) = at.overflowing_add_signed(step);
            (passed_midnight == 0).then_some(next)
        };
        let times = std::iter::successors(Some(self.from), next).take_while(within);
        Recurrence::every(Frequency::Daily).at_times(times.collect())
    }
}

/// The window that `words` begin with, and how many words it takes. A bare hour up to `afternoon_up_to` is in the afternoon.
pub fn read(words: &[&str], by: &Reckoning, afternoon_up_to: u32) -> Option<(Window, usize)> {
    let lexicon = by.lexicon;
    let start = phrases::starts(lexicon.time.between, words)?;
    // Word by word up to the joint: "nine to five" is also nine minutes before five.
    let parted = |at: &usize| {
        let joint = [lexicon.time.joins, lexicon.time.to]
            .into_iter()
            .find_map(|it| phrases::starts(it, &words[*at..]))?;
        let (from, used) = clock::read(&words[start..*at], lexicon)?;
        (start + used == *at).then_some((from, *at + joint))
    };
    let longest = words.len().min(start + LONGEST_TIME);
    let (mut from, rest) = (start + 1..longest).find_map(|at| parted(&at))?;
    let (to, used) = clock::read(&words[rest..], lexicon)?;
    // "Between eight and ten pm" is all in the evening, "between nine and five pm" is not.
    let until = to.time();
    if (from.half, to.half) == (Open::Either, Open::Exact) && from.in_half(Half::Pm).time() < until {
        from = if until.signed_duration_since(from.in_half(Half::Pm).time()) < Duration::hours(6) {
            from.in_half(Half::Pm)
        } else {
            from.in_half(Half::Am)
        };
    }
    let from = from.usual(by.prefer, afternoon_up_to).time();
    let to = after(to, from, by);
    (from < to).then_some((Window { from, to }, rest + used))
}

/// A time of day that comes after another of the same day, where its half of the day is open.
pub fn after(clock: Clock, before: NaiveTime, by: &Reckoning) -> NaiveTime {
    let halves = [Half::Am, Half::Pm].map(|half| clock.in_half(half).time());
    let later = halves.into_iter().find(|time| *time > before);
    match clock.half {
        Open::Either => later.unwrap_or_else(|| clock.usual(by.prefer, 4).time()),
        _ => clock.time(),
    }
}
