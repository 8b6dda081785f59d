//! Times of day: "half past seven", "7:30 pm", "quarter to nine", "noon", "nineteen thirty".

use super::{Prefer, Reckoning};
use chrono::NaiveTime;
use hark_language::time::{Half, Part};
use hark_language::{Lexicon, phrases};

/// A time of day as it was said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Clock {
    /// Minutes since midnight; below 12 hours when the half of the day is open.
    pub minutes: u32,
    /// Which half of the day; `None` when nothing tells.
    pub half: Open,
    /// Whether it can be nothing but a time: "at seven", "7 pm", but not a bare "seven".
    pub marked: bool,
}

/// What is known of the half of the day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Open {
    /// Nothing: there are two such times a day.
    Either,
    /// All: there is one such time a day.
    Exact,
    /// Midnight, which ends the day that is named.
    Midnight,
}

const HALF_DAY: u32 = 12 * 60;

/// Minutes.
const HALF_HOUR: i64 = 30;

impl Clock {
    fn of(hour: u32, minute: i64) -> Option<Self> {
        let minutes = i64::from(hour) * 60 + minute;
        if hour > 24 || hour == 24 && minute > 0 {
            return None;
        }
        if hour == 24 {
            return Some(Self { minutes: 0, half: Open::Midnight, marked: false });
        }
        let exact = hour == 0 || hour > 12;
        let minutes = u32::try_from(minutes.rem_euclid(24 * 60)).ok()?;
        Some(if exact {
            Self { minutes, half: Open::Exact, marked: false }
        } else {
            Self { minutes: minutes % HALF_DAY, half: Open::Either, marked: false }
        })
    }

    fn exact(hour: u32, minute: u32) -> Self {
        let half = if (hour, minute) == (0, 0) { Open::Midnight } else { Open::Exact };
        Self { minutes: hour * 60 + minute, half, marked: true }
    }

    /// With the half of the day that was said; "13 am" is what it was without.
    pub fn in_half(self, half: Half) -> Self {
        match (self.half, half) {
            (Open::Either, Half::Am) => Self { half: Open::Exact, ..self },
            (Open::Either, Half::Pm) => Self { minutes: self.minutes + HALF_DAY, half: Open::Exact, ..self },
            _ => self,
        }
    }

    /// With the part of the day that was said; the second value says that it is on the following day.
    pub fn in_part(self, part: Part) -> (Self, bool) {
        let hour = self.minutes / 60;
        match (self.half, part) {
            (Open::Midnight, _) => (self, true),
            (Open::Exact, Part::Evening | Part::Night) => (self, hour < 5),
            (Open::Exact, _) => (self, false),
            (Open::Either, Part::Morning) => (self.in_half(Half::Am), false),
            (Open::Either, Part::Noon | Part::Afternoon) => (self.in_half(Half::Pm), false),
            (Open::Either, Part::Evening | Part::Night) => match hour {
                0 => (self.in_half(Half::Am), true),
                1..=4 => (self.in_half(Half::Am), true),
                _ => (self.in_half(Half::Pm), false),
            },
        }
    }

    /// With the usual half of the day, for a day of its own or for every day.
    pub fn usual(self, prefer: Prefer, afternoon_up_to: u32) -> Self {
        let hour = self.minutes / 60;
        match (self.half, prefer) {
            (Open::Either, Prefer::Morning) if hour > 0 => self.in_half(Half::Am),
            // Twelve is noon.
            (Open::Either, _) if hour <= afternoon_up_to => self.in_half(Half::Pm),
            (Open::Either, _) => self.in_half(Half::Am),
            _ => self,
        }
    }

    /// The time; the half of the day is settled.
    pub fn time(&self) -> NaiveTime {
        let minutes = self.minutes % (24 * 60);
        NaiveTime::from_hms_opt(minutes / 60, minutes % 60, 0).unwrap_or(NaiveTime::MIN)
    }
}

/// The time of day that `words` begin with, and how many words it takes.
pub fn read(words: &[&str], lexicon: &Lexicon) -> Option<(Clock, usize)> {
    let at = phrases::starts(lexicon.time.at, words);
    let from = at.unwrap_or(0);
    let found = bare(&words[from..], lexicon).map(|(clock, used)| (clock, from + used, at.is_some()));
    // "before" and "till" are said before a time, "half" is a time and an amount.
    let (clock, used, at) =
        found.or_else(|| bare(words, lexicon).map(|(clock, used)| (clock, used, false)))?;
    let follows = &words[used..];
    let numbers = &lexicon.numbers;
    // "Three *and a half*" is no hour.
    let is_part = numbers.number(&words[from..used]).is_some()
        && numbers.number(&words[from..]).is_some_and(|(_, whole)| from + whole > used);
    let amount = is_part
        || phrases::find(lexicon.time.units, follows).is_some()
        || phrases::starts(numbers.percent, follows).is_some()
        || phrases::starts(numbers.degrees, follows).is_some()
        || phrases::find(numbers.temperature_units, follows).is_some()
        || follows.first() == Some(&numbers.point.text());
    (!amount).then_some((Clock { marked: clock.marked || at, ..clock }, used))
}

/// How many words a time takes that leaves out its hour: "half past", "ten to".
pub fn without_hour(words: &[&str], lexicon: &Lexicon) -> Option<usize> {
    let minutes = || {
        let (_, used) = lexicon.numbers.whole(words)?;
        let (_, more) = phrases::find(lexicon.time.minutes_to, &words[used..])?;
        Some(used + more)
    };
    phrases::find(lexicon.time.past, words).map(|(_, used)| used).or_else(minutes)
}

/// A time of day on its own, where nothing but a time can stand.
pub fn time_of_day(words: &[&str], by: &Reckoning) -> Option<(String, usize)> {
    let (clock, mut used) = read(words, by.lexicon)?;
    if let Some((part, more)) = phrases::find(by.lexicon.time.parts, &words[used..]) {
        used += more;
        return Some((clock.in_part(part).0.time().to_string(), used));
    }
    let [am, pm] = [Half::Am, Half::Pm].map(|half| clock.in_half(half).time());
    let said = match (clock.half, by.prefer) {
        (Open::Either, Prefer::Either) => format!("{am}/{pm}"),
        (Open::Either, Prefer::Usual) if (am..pm).contains(&by.now.time()) => pm.to_string(),
        (Open::Either, Prefer::Usual) => am.to_string(),
        _ => clock.usual(by.prefer, 5).time().to_string(),
    };
    Some((said, used))
}

fn bare(words: &[&str], lexicon: &Lexicon) -> Option<(Clock, usize)> {
    let clear = named(words, lexicon)
        .or_else(|| minutes_to(words, lexicon))
        .or_else(|| past(words, lexicon))
        .or_else(|| military(words, lexicon));
    let (mut clock, mut used) = clear.or_else(|| hour_and_minute(words, lexicon))?;
    if let Some(more) = phrases::starts(lexicon.time.oclock, &words[used..]) {
        used += more;
        clock.marked = true;
    }
    if let Some((half, more)) = phrases::find(lexicon.time.halves, &words[used..]) {
        used += more;
        clock = Clock { marked: true, ..clock.in_half(half) };
    }
    let is_hour = lexicon.time.last_bare_hour.is_none_or(|last| clock.minutes <= last * 60);
    (clear.is_some() || clock.marked || is_hour).then_some((clock, used))
}

/// "noon"
fn named(words: &[&str], lexicon: &Lexicon) -> Option<(Clock, usize)> {
    let ((hour, minute), used) = phrases::find(lexicon.time.named_times, words)?;
    Some((Clock::exact(hour, minute), used))
}

/// "half past seven", "quarter to nine"; in German "halb acht".
fn past(words: &[&str], lexicon: &Lexicon) -> Option<(Clock, usize)> {
    let (offset, used) = phrases::find(lexicon.time.past, words)?;
    let rest = &words[used..];
    if let Some(((hour, _), more)) = phrases::find(lexicon.time.named_times, rest) {
        return Some((around(hour, offset), used + more));
    }
    let (hour, more) = lexicon.numbers.whole(rest)?;
    let clock = Clock::of(u32::try_from(hour).ok().filter(|hour| (1..=24).contains(hour))?, offset)?;
    Some((Clock { marked: true, ..clock }, used + more))
}

/// Minutes before or after noon or midnight.
fn around(hour: u32, offset: i64) -> Clock {
    let minutes = (i64::from(hour) * 60 + offset).rem_euclid(24 * 60);
    Clock { minutes: minutes as u32, half: Open::Exact, marked: true }
}

/// "five to seven", "ten minutes past six", "fünf vor halb acht".
fn minutes_to(words: &[&str], lexicon: &Lexicon) -> Option<(Clock, usize)> {
    let (count, mut used) = lexicon.numbers.whole(words)?;
    let count = i64::try_from(count).ok().filter(|count| (1..60).contains(count))?;
    if let Some((hark_language::time::Unit::Minute, more)) = phrases::find(lexicon.time.units, &words[used..])
    {
        used += more;
    }
    let (sign, more) = phrases::find(lexicon.time.minutes_to, &words[used..])?;
    used += more;
    let rest = &words[used..];
    if let Some(((hour, _), more)) = phrases::find(lexicon.time.named_times, rest) {
        return Some((around(hour, sign * count), used + more));
    }
    // "Fünf vor halb acht", where "halb" is half an hour before; nobody says "six to quarter past six" of one time.
    let is_half_before =
        phrases::find(lexicon.time.past, rest).is_some_and(|(offset, _)| offset == -HALF_HOUR);
    if let Some((clock, more)) = past(rest, lexicon).filter(|_| is_half_before) {
        let minutes = (i64::from(clock.minutes) + sign * count).rem_euclid(i64::from(HALF_DAY));
        return Some((Clock { minutes: minutes as u32, ..clock }, used + more));
    }
    let (hour, more) = lexicon.numbers.whole(rest)?;
    let clock = Clock::of(u32::try_from(hour).ok().filter(|hour| (1..=24).contains(hour))?, sign * count)?;
    Some((Clock { marked: true, ..clock }, used + more))
}

/// "nineteen hundred hours", "zero seven hundred", "nineteen thirty" written as `1930`.
fn military(words: &[&str], lexicon: &Lexicon) -> Option<(Clock, usize)> {
    let zero = usize::from(is_zero(words.first()?, lexicon));
    let (value, mut used) =
        lexicon.numbers.whole(&words[zero..]).filter(|(value, _)| (100..=2400).contains(value))?;
    used += zero;
    let full = value % 100 == 0;
    // "one hundred percent" and "two thousand" are no times; "at nineteen hundred" is.
    if full && value % 1000 == 0 && value != 1000 && value != 2000 {
        return None;
    }
    let hours = phrases::starts(lexicon.time.hundred, &words[used..]);
    used += hours.unwrap_or(0);
    let (hour, minute) = (u32::try_from(value / 100).ok()?, u32::try_from(value % 100).ok()?);
    if minute > 59 || hour > 24 {
        return None;
    }
    let exact = hours.is_some() || zero > 0 || hour > 12;
    let clock = Clock::of(hour, i64::from(minute))?;
    let half = if exact && clock.half == Open::Either { Open::Exact } else { clock.half };
    let minutes = if exact { hour % 24 * 60 + minute } else { clock.minutes };
    Some((Clock { minutes, half, marked: hours.is_some() || zero > 0 }, used))
}

fn is_zero(word: &str, lexicon: &Lexicon) -> bool {
    lexicon.numbers.oh.is_some_and(|oh| oh.text() == word)
        || lexicon.numbers.below_hundred.first() == Some(&word)
}

/// "seven", "seven thirty", "seven oh five", "sieben uhr dreißig", "zero seven thirty".
fn hour_and_minute(words: &[&str], lexicon: &Lexicon) -> Option<(Clock, usize)> {
    let zero = usize::from(words.len() > 1 && is_zero(words[0], lexicon));
    let digit = lexicon.numbers.whole(&words[zero..]).filter(|(hour, _)| zero == 0 || (1..10).contains(hour));
    let (hour, used) = match digit {
        Some((hour, used)) => (u32::try_from(hour).ok().filter(|hour| *hour <= 24)?, used),
        // "zero thirty"
        None => (0, 0),
    };
    let mut used = used + zero;
    if used == 0 {
        return None;
    }
    // A zero alone is a number as any other.
    let mut marked = zero > 0 && digit.is_some();
    if let Some(more) =
        lexicon.time.clock_word.filter(|word| words.get(used) == Some(&word.text())).map(|_| 1)
    {
        used += more;
        marked = true;
    }
    let minute = minute(&words[used..], lexicon);
    used += minute.map_or(0, |(_, more)| more);
    let said = minute.map_or(0, |(minute, _)| minute);
    let clock = Clock::of(hour, i64::from(said))?;
    let clock = Clock { marked: marked || minute.is_some(), ..clock };
    // A leading zero is said by those who count to 24.
    Some((if zero > 0 { clock.in_half(Half::Am) } else { clock }, used))
}

/// The minutes behind an hour: "thirty", "oh five", "point three zero".
fn minute(words: &[&str], lexicon: &Lexicon) -> Option<(u32, usize)> {
    let (first, rest) = words.split_first()?;
    let digit = |word: Option<&&str>| {
        word.and_then(|word| lexicon.numbers.whole(&[word]))
            .filter(|(digit, _)| *digit < 10)
            .map(|(digit, _)| digit as u32)
    };
    if is_zero(first, lexicon) {
        return digit(rest.first()).map(|minute| (minute, 2));
    }
    if *first == lexicon.numbers.point.text() {
        let tens = digit(rest.first()).filter(|tens| *tens < 6)?;
        return Some(digit(rest.get(1)).map_or((tens * 10, 2), |ones| (tens * 10 + ones, 3)));
    }
    let (minute, used) = lexicon.numbers.whole(words)?;
    let least = if lexicon.numbers.oh.is_some() { 10 } else { 0 };
    u32::try_from(minute).ok().filter(|minute| (least..60).contains(minute)).map(|minute| (minute, used))
}
