//! Lengths of time: "an hour and a half", "90 seconds", "1h 30m", "two weeks".

use super::Found;
use chrono::{Duration, Months, NaiveDateTime};
use hark_language::time::Unit;
use hark_language::{Lexicon, phrases};
use serde_json::Value;

/// A length as it was said: calendar units stay what they are, and 90 minutes are not an hour and a half.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Length {
    /// Months of the calendar; a year has twelve.
    pub months: u32,
    /// Days of the calendar; a week has seven.
    pub days: u32,
    /// Hours.
    pub hours: u32,
    /// Minutes; may exceed 59.
    pub minutes: u32,
    /// Seconds; may exceed 59.
    pub seconds: u32,
}

/// Longest length of hours, minutes and seconds, in seconds: 9,999 hours.
const MAX_SECONDS: f64 = 9_999.0 * 3600.0;

impl Length {
    /// Whether it is made of days, weeks, months and years alone.
    pub fn is_of_days(&self) -> bool {
        (self.hours, self.minutes, self.seconds) == (0, 0, 0)
    }

    /// Hours, minutes and seconds together, and 24 hours for each day. Months do not count.
    pub fn total_seconds(&self) -> u64 {
        let hours = u64::from(self.hours) + 24 * u64::from(self.days);
        hours * 3600 + u64::from(self.minutes) * 60 + u64::from(self.seconds)
    }

    /// That much after `from`, or before it; `None` beyond what a calendar has.
    pub fn after(&self, from: NaiveDateTime, forward: bool) -> Option<NaiveDateTime> {
        let months = Months::new(self.months);
        let rest = Duration::seconds(i64::try_from(self.total_seconds()).ok()?);
        if forward {
            from.checked_add_months(months)?.checked_add_signed(rest)
        } else {
            from.checked_sub_months(months)?.checked_sub_signed(rest)
        }
    }

    /// Home Assistant's slots: only what was said, days as hours. `None` with months, which have no
    /// length in hours.
    pub fn slots(&self) -> Option<Found> {
        let hours = u64::from(self.hours) + 24 * u64::from(self.days);
        let parts =
            [("hours", hours), ("minutes", u64::from(self.minutes)), ("seconds", u64::from(self.seconds))];
        let said: Found = parts
            .into_iter()
            .filter(|(_, count)| *count > 0)
            .map(|(name, count)| (name, Value::from(count)))
            .collect();
        (self.months == 0 && !said.is_empty()).then_some(said)
    }

    /// Adds a count of a unit; fractions go to the units below. `None` where nothing comes out even.
    fn add(&mut self, count: f64, unit: Unit) -> Option<()> {
        let (whole, rest) = (count.trunc(), count.fract());
        let whole = (0.0..=100_000.0).contains(&whole).then_some(whole as u32)?;
        let (times, lower) = match unit {
            Unit::Second => {
                self.seconds += whole;
                return (rest == 0.0).then_some(());
            }
            Unit::Minute => {
                self.minutes += whole;
                (60.0, Unit::Second)
            }
            Unit::Hour => {
                self.hours += whole;
                (60.0, Unit::Minute)
            }
            Unit::Day => {
                self.days += whole;
                (24.0, Unit::Hour)
            }
            Unit::Week => {
                self.days += 7 * whole;
                (7.0, Unit::Day)
            }
            Unit::Fortnight => {
                self.days += 14 * whole;
                (14.0, Unit::Day)
            }
            Unit::Month => {
                self.months += whole;
                // Half a month has two weeks.
                (if rest == 0.5 { 14.0 / 0.5 } else { 30.0 }, Unit::Day)
            }
            Unit::Year => {
                self.months += 12 * whole;
                (12.0, Unit::Month)
            }
            Unit::Weekend | Unit::Quarter => return None,
        };
        if rest == 0.0 {
            return Some(());
        }
        // 0.1 hours are six minutes, whatever binary fractions say; seconds are not divided.
        let below = rest * times;
        let even = (below * 1e6).round() / 1e6;
        self.add(if lower == Unit::Second { even.round() } else { even }, lower)
    }
}

/// The longest length that `words` begin with, and how many words it takes.
pub fn read(words: &[&str], lexicon: &Lexicon) -> Option<(Length, usize)> {
    let mut length = Length::default();
    let mut used = phrases::starts(lexicon.time.roughly, words).unwrap_or(0);
    let mut last: Option<Unit> = None;
    loop {
        let join =
            if last.is_some() { phrases::starts(lexicon.time.joins, &words[used..]).unwrap_or(0) } else { 0 };
        let Some((count, unit, taken)) = part(&words[used + join..], lexicon, last) else { break };
        if last.is_some_and(|last| unit >= last) {
            break;
        }
        let mut longer = length;
        if longer.add(count, unit).is_none() {
            break;
        }
        (length, last) = (longer, Some(unit));
        used += join + taken;
        // "an hour and a half": half of the unit just said, unless a unit follows: "and half a minute".
        if let Some((share, taken)) = phrases::find(lexicon.numbers.and_shares, &words[used..])
            && phrases::starts(lexicon.time.of_a, &words[used + taken..]).is_none()
            && phrases::find(lexicon.time.units, &words[used + taken..]).is_none()
            && length.add(share, unit).is_some()
        {
            used += taken;
        }
        // "A minute or two".
        if count == 1.0
            && let Some((more, taken)) = phrases::find(lexicon.time.or_more, &words[used..])
            && length.add(more, unit).is_some()
        {
            used += taken;
        }
    }
    let seconds = length.total_seconds() as f64;
    (last.is_some() && (length.months > 0 || seconds > 0.0) && seconds <= MAX_SECONDS)
        .then_some((length, used))
}

/// One count with its unit, and the words of both.
fn part(words: &[&str], lexicon: &Lexicon, last: Option<Unit>) -> Option<(f64, Unit, usize)> {
    let unit_at = |at: usize| phrases::find(lexicon.time.units, words.get(at..).unwrap_or_default());
    // "an hour"
    let one = phrases::starts(lexicon.time.one, words).and_then(|used| Some((1.0, used, unit_at(used)?)));
    // "half an hour", "three quarters of an hour"
    let share = phrases::find(lexicon.numbers.shares, words).and_then(|(share, used)| {
        let of = phrases::starts(lexicon.time.of_a, &words[used..]).unwrap_or(0);
        Some((share, used + of, unit_at(used + of)?))
    });
    // "two and a half hours", "a couple of minutes"
    let amount = phrases::find(lexicon.numbers.amounts, words)
        .and_then(|(count, used)| Some((count, used, unit_at(used)?)));
    let number = lexicon.numbers.number(words).and_then(|(count, used)| Some((count, used, unit_at(used)?)));
    let found = [share, amount, number, one].into_iter().flatten().max_by_key(|(_, used, _)| *used);
    if let Some((count, used, (unit, unit_words))) = found {
        return (count >= 0.0).then_some((count, unit, used + unit_words));
    }
    // "1h30": the unit below goes without saying.
    let below = match last? {
        Unit::Hour => Unit::Minute,
        Unit::Minute => Unit::Second,
        _ => return None,
    };
    let (count, used) = lexicon.numbers.whole(words)?;
    // "Five minutes and one for ten": another timer, not a second more.
    let counts = count > 1 || words[0].starts_with(|first: char| first.is_ascii_digit());
    (counts && count < 60).then_some((count as f64, below, used))
}

/// A length behind "for the next", where "hour" is one hour.
pub fn length_behind(words: &[&str], lexicon: &Lexicon) -> Option<(Length, usize)> {
    read(words, lexicon).or_else(|| {
        phrases::find(lexicon.time.units, &words[..words.len().min(1)])?;
        let one = lexicon.numbers.integer_words(1);
        let (length, used) = read(&[&[one.as_str()], words].concat(), lexicon)?;
        Some((length, used - 1))
    })
}
