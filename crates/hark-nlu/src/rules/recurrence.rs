//! Repetitions: "every weekday at seven", "every other monday", "daily at 9", "mondays and thursdays".
//!
//! Without "am" or "in the evening" a bare hour from 5 to 11 is in the morning, 12 is noon, and 1 to 4
//! are in the afternoon. A part of the day without an hour stands for one: morning 8:00, noon 12:00,
//! afternoon 15:00, evening 19:00, night 22:00. What a rule of RFC 5545 does not say, such as "twice a
//! day", is not understood.

use super::clock::{self, Clock};
use super::dates::{self, Dated};
use super::{Reckoning, lengths, window};
use chrono::{Datelike, NaiveTime, Weekday};
use hark_core::calendar::{Frequency, Recurrence};
use hark_language::phrases;
use hark_language::time::{Feast, Part, Unit};

/// A repetition, the part of the day in it, and the words.
type Read = Option<(Recurrence, Option<Part>, usize)>;

/// The longest repetition that `words` begin with, and how many words it takes.
pub fn read(words: &[&str], by: &Reckoning) -> Option<(Recurrence, usize)> {
    let before = clock::read(words, by.lexicon).filter(|(clock, _)| clock.marked);
    let mut used = before.map_or(0, |(_, used)| used);
    let mut part = None;
    if let (Some(_), Some((said, more))) = (before, phrases::find(by.lexicon.time.parts, &words[used..])) {
        part = Some(said);
        used += more;
    }
    let (mut every, said, more) = repeats(&words[used..], by)?;
    used += more;
    part = part.or(said);
    let mut clock = before.map(|(clock, _)| clock);
    let mut second: Option<Clock> = None;
    loop {
        let rest = &words[used..];
        if by_the_clock(&every)
            && let Some((span, more)) = window::read(rest, by, 4)
        {
            every = span.every(&every)?;
            used += more;
        } else if every.time.is_some() && clock::read(rest, by.lexicon).is_some() {
            return None;
        } else if clock.is_none()
            && every.time.is_none()
            && let Some((time, more)) = clock::read(rest, by.lexicon)
        {
            clock = Some(time);
            used += more;
        } else if part.is_none()
            && let Some((said, more)) = phrases::find(by.lexicon.time.parts, rest)
        {
            part = Some(said);
            used += more;
        } else if every.frequency == Frequency::Daily
            && every.interval == 1
            && let Some((set, more)) = set_behind(rest, by)
        {
            // "every morning on weekdays", "at seven in the morning on mondays"
            (every.frequency, every.days) = (Frequency::Weekly, set);
            used += more;
        } else if every.month.is_none()
            && !by_the_clock(&every)
            && let Some((month, more)) = month_behind(rest, by)
        {
            every.month = Some(month);
            used += more;
        } else if let Some((days, more)) = without_days(&every, rest, by) {
            (every.frequency, every.days) = (Frequency::Weekly, days);
            used += more;
        } else if clock.is_some()
            && second.is_none()
            && let Some((time, more)) = another(rest, by)
        {
            second = Some(time);
            used += more;
        } else {
            break;
        }
    }
    let time = match (clock, part) {
        (Some(clock), Some(part)) => Some(clock.in_part(part).0.time()),
        (Some(clock), None) => Some(clock.usual(by.prefer, 4).time()),
        (None, Some(part)) => usual_time(part),
        (None, None) => None,
    };
    every.time = time.or(every.time);
    if let (Some(time), Some(second)) = (time, second) {
        every = every.at_times(vec![time, window::after(second, time, by)])?;
    }
    // "every hour at seven" says nothing.
    (!(by_the_clock(&every) && every.time.is_some())).then_some((every, used))
}

/// Whether it comes every so many minutes or hours.
fn by_the_clock(every: &Recurrence) -> bool {
    matches!(every.frequency, Frequency::Hourly | Frequency::Minutely)
}

/// A second time of day behind the first: "and at five", "and 8 pm".
fn another(words: &[&str], by: &Reckoning) -> Option<(Clock, usize)> {
    let join = phrases::starts(by.lexicon.time.joins, words)?;
    let (clock, used) = clock::read(&words[join..], by.lexicon).filter(|(clock, _)| clock.marked)?;
    Some((clock, join + used))
}

fn usual_time(part: Part) -> Option<NaiveTime> {
    let hour = match part {
        Part::Morning => 8,
        Part::Noon => 12,
        Part::Afternoon => 15,
        Part::Evening => 19,
        Part::Night => 22,
    };
    NaiveTime::from_hms_opt(hour, 0, 0)
}

/// The repetition itself, without its time.
fn repeats(words: &[&str], by: &Reckoning) -> Read {
    let lexicon = by.lexicon;
    let every = phrases::starts(lexicon.time.every, words);
    let found = [
        every.and_then(|used| {
            behind_every(&words[used..], by).map(|(rule, part, more)| (rule, part, used + more))
        }),
        of_the_month(words, by),
        habits(words, by),
        adverb(words, by),
        once(words, by),
    ];
    found.into_iter().flatten().reduce(|best, other| if other.2 > best.2 { other } else { best })
}

/// What can stand behind "every".
fn behind_every(words: &[&str], by: &Reckoning) -> Read {
    let lexicon = by.lexicon;
    let found = [
        counted(words, by),
        weekdays(words, by, false),
        phrases::find(lexicon.time.day_sets, words).map(|(days, used)| (weekly(days.days()), None, used)),
        of_unit(words, 1, by),
        phrases::find(lexicon.time.parts, words)
            .map(|(part, used)| (Recurrence::every(Frequency::Daily), Some(part), used)),
        yearly(words, by),
        month_day(words, by),
        bare_month_day(words, by),
    ];
    found.into_iter().flatten().reduce(|best, other| if other.2 > best.2 { other } else { best })
}

fn weekly(days: &[Weekday]) -> Recurrence {
    let days = days.iter().map(|day| (None, *day)).collect();
    Recurrence { days, ..Recurrence::every(Frequency::Weekly) }
}

/// "other day", "two weeks", "15 minutes", "second monday", "half hour".
fn counted(words: &[&str], by: &Reckoning) -> Read {
    let lexicon = by.lexicon;
    if let Some((count, used)) = phrases::find(lexicon.time.every_other, words) {
        let rest = &words[used..];
        let found = weekdays(rest, by, false).or_else(|| of_unit(rest, 1, by));
        if let Some((every, part, more)) = found {
            return Some((Recurrence { interval: every.interval * count, ..every }, part, used + more));
        }
    }
    if let Some((count, used)) = lexicon.numbers.whole(words).filter(|(count, _)| (1..1000).contains(count))
        && let Some((every, part, more)) = of_unit(&words[used..], u32::try_from(count).ok()?, by)
    {
        return Some((every, part, used + more));
    }
    // "hour and a half", "half hour", "one and a half hours"
    let one = [&lexicon.time.one[..lexicon.time.one.len().min(1)], words].concat();
    let single = || lengths::read(&one, lexicon).map(|(length, used)| (length, used - 1));
    let found = lengths::read(words, lexicon).or_else(single);
    let (length, used) = found.filter(|(length, used)| length.months == 0 && *used > 1)?;
    let minutes = u32::try_from(length.total_seconds() / 60).ok()?;
    let whole = length.total_seconds().is_multiple_of(60) && minutes > 0 && length.days == 0;
    let every = match minutes % 60 {
        0 => Recurrence { interval: minutes / 60, ..Recurrence::every(Frequency::Hourly) },
        _ => Recurrence { interval: minutes, ..Recurrence::every(Frequency::Minutely) },
    };
    whole.then_some((every, None, used))
}

/// "day", "week on monday", "month on the 15th".
fn of_unit(words: &[&str], count: u32, by: &Reckoning) -> Read {
    let lexicon = by.lexicon;
    let (unit, used) = phrases::find(lexicon.time.units, words)?;
    let (frequency, times) = match unit {
        Unit::Minute => (Frequency::Minutely, 1),
        Unit::Hour => (Frequency::Hourly, 1),
        Unit::Day => (Frequency::Daily, 1),
        Unit::Week => (Frequency::Weekly, 1),
        Unit::Fortnight => (Frequency::Weekly, 2),
        Unit::Month => (Frequency::Monthly, 1),
        Unit::Quarter => (Frequency::Monthly, 3),
        Unit::Year => (Frequency::Yearly, 1),
        Unit::Second | Unit::Weekend => return None,
    };
    let every = Recurrence { interval: count * times, ..Recurrence::every(frequency) };
    let rest = &words[used..];
    let on = phrases::starts(lexicon.time.on, rest).unwrap_or(0);
    let detail = match frequency {
        Frequency::Weekly => weekdays(&rest[on..], by, false),
        Frequency::Monthly => day_numbers(&rest[on..], by),
        Frequency::Yearly => yearly(&rest[on..], by),
        _ => None,
    };
    Some(match detail {
        Some((detail, part, more)) => {
            (Recurrence { frequency, interval: every.interval, ..detail }, part, used + on + more)
        }
        None => (every, None, used),
    })
}

/// "monday, wednesday and friday", "monday morning"; as a habit "mondays and thursdays", "monday to friday".
fn weekdays(words: &[&str], by: &Reckoning, habit: bool) -> Read {
    let lexicon = by.lexicon;
    let name = |words: &[&str]| {
        let habits = phrases::find(lexicon.time.habits, words);
        if habit { habits } else { habits.or_else(|| phrases::find(lexicon.time.weekdays, words)) }
    };
    let (first, mut used) = name(words)?;
    let mut days = vec![first];
    loop {
        let mut skip = phrases::starts(lexicon.time.joins, &words[used..]).unwrap_or(0);
        if !habit {
            skip += phrases::starts(lexicon.time.every, &words[used + skip..]).unwrap_or(0);
        }
        skip += phrases::starts(lexicon.time.on, &words[used + skip..]).unwrap_or(0);
        let Some((day, more)) = name(&words[used + skip..]) else { break };
        used += skip + more;
        if !days.contains(&day) {
            days.push(day);
        }
    }
    days.sort_by_key(Weekday::num_days_from_monday);
    let part = phrases::find(lexicon.time.parts, &words[used..])
        .or_else(|| phrases::find(lexicon.time.habit_parts, &words[used..]));
    used += part.map_or(0, |(_, more)| more);
    Some((weekly(&days), part.map(|(part, _)| part), used))
}

/// "monday to friday", "mondays", "on weekdays", "evenings".
fn habits(words: &[&str], by: &Reckoning) -> Read {
    let lexicon = by.lexicon;
    let on = phrases::starts(lexicon.time.on, words)
        .or_else(|| phrases::starts(lexicon.time.from, words))
        .unwrap_or(0);
    let rest = &words[on..];
    let day = |words: &[&str]| {
        let habits = phrases::find(lexicon.time.habits, words);
        habits.or_else(|| phrases::find(lexicon.time.weekdays, words))
    };
    // "Monday to Friday", "Tuesdays to Saturdays".
    let range = || {
        let (from, used) = day(rest)?;
        let to = used + phrases::starts(lexicon.time.to, &rest[used..])?;
        let (until, more) = day(&rest[to..])?;
        let mut days = vec![from];
        while days.len() < 7 && days[days.len() - 1] != until {
            days.push(days[days.len() - 1].succ());
        }
        days.sort_by_key(Weekday::num_days_from_monday);
        Some((weekly(&days), None, on + to + more))
    };
    if let Some(range) = range() {
        return Some(range);
    }
    if let Some((days, used)) = phrases::find(lexicon.time.habit_sets, words) {
        return Some((weekly(days.days()), None, used));
    }
    if let Some((days, used)) = phrases::find(lexicon.time.habit_sets, rest) {
        return Some((weekly(days.days()), None, on + used));
    }
    if let Some((every, part, used)) = weekdays(rest, by, true) {
        return Some((every, part, on + used));
    }
    if let Some((part, used)) = phrases::find(lexicon.time.habit_parts, rest) {
        return Some((Recurrence::every(Frequency::Daily), Some(part), on + used));
    }
    let (from, used) = phrases::find(lexicon.time.weekdays, rest)?;
    // "Saturday *mornings*."
    let (part, more) = phrases::find(lexicon.time.habit_parts, &rest[used..])?;
    Some((weekly(&[from]), Some(part), on + used + more))
}

/// A day of the week, and which one of the month when it is not every.
pub type NthWeekday = (Option<i8>, Weekday);

/// Days behind a repetition that was daily so far.
fn set_behind(words: &[&str], by: &Reckoning) -> Option<(Vec<NthWeekday>, usize)> {
    let (every, _, used) = habits(words, by)?;
    (!every.days.is_empty()).then_some((every.days, used))
}

/// The only month of a repetition: "every day *in december*".
fn month_behind(words: &[&str], by: &Reckoning) -> Option<(u32, usize)> {
    let mark = phrases::starts(by.lexicon.time.during, words)?;
    let (month, used) = phrases::find(by.lexicon.time.months, &words[mark..])?;
    Some((month, mark + used))
}

/// The days that are left of every day, or of some days of the week: "except at the weekend".
fn without_days(every: &Recurrence, words: &[&str], by: &Reckoning) -> Option<(Vec<NthWeekday>, usize)> {
    let said = [by.lexicon.qualifiers.exceptions, by.lexicon.qualifiers.day_exceptions];
    let mark = said.into_iter().filter_map(|it| phrases::starts(it, words)).max()?;
    let (days, used) = other_days(every, &words[mark..], by)?;
    Some((days, mark + used))
}

/// The days that are left without those that some words begin with.
pub fn other_days(every: &Recurrence, words: &[&str], by: &Reckoning) -> Option<(Vec<NthWeekday>, usize)> {
    let lexicon = by.lexicon;
    let (mut set, mut used) = set_of_days(words, by)?;
    // "Wednesday and the weekend."
    let joins = lexicon.requests.connectors;
    while let Some((more, further)) = phrases::starts(joins, &words[used..]).and_then(|one| {
        let (days, length) = set_of_days(&words[used + one..], by)?;
        Some((days, one + length))
    }) {
        set.extend(more);
        used += further;
    }
    let days = match (every.frequency, every.interval) {
        (Frequency::Daily, 1) => each_day(),
        (Frequency::Weekly, 1) => every.days.clone(),
        _ => return None,
    };
    let left: Vec<NthWeekday> = days.into_iter().filter(|day| !set.contains(day)).collect();
    (!left.is_empty() && left.len() < 7).then_some((left, used))
}

/// All days of the week.
pub fn each_day() -> Vec<NthWeekday> {
    (0..7).filter_map(|day| Some((None, Weekday::try_from(day).ok()?))).collect()
}

/// Days of the week that some words begin with: "on mondays and tuesdays", "the weekend".
fn set_of_days(words: &[&str], by: &Reckoning) -> Option<(Vec<NthWeekday>, usize)> {
    let lexicon = by.lexicon;
    let mut used = 0;
    let small = [lexicon.time.on, lexicon.time.at, lexicon.things.articles];
    while let Some(length) = small.iter().find_map(|small| phrases::starts(*small, &words[used..])) {
        used += length;
    }
    let rest = &words[used..];
    let of_set =
        phrases::find(lexicon.time.day_sets, rest).map(|(days, more)| (weekly(days.days()).days, more));
    let (set, more) = of_set.or_else(|| {
        let (every, _, more) = weekdays(rest, by, false)?;
        Some((every.days, more))
    })?;
    Some((set, used + more))
}

/// Whether some words begin with days of the week: "sundays", "on the weekend".
pub fn is_days(words: &[&str], by: &Reckoning) -> bool {
    other_days(&Recurrence::every(Frequency::Daily), words, by).is_some()
}

/// "daily", "weekly on monday".
fn adverb(words: &[&str], by: &Reckoning) -> Read {
    let (unit, used) = phrases::find(by.lexicon.time.adverbs, words)?;
    let name = by.lexicon.time.units.iter().find(|(_, known)| *known == unit)?.0;
    let rest = [&[name], &words[used..]].concat();
    let (every, part, more) = of_unit(&rest, 1, by)?;
    Some((every, part, used + more - 1))
}

/// "once a week".
fn once(words: &[&str], by: &Reckoning) -> Read {
    let used = phrases::starts(by.lexicon.time.once_a, words)?;
    let (every, part, more) = of_unit(&words[used..], 1, by)?;
    Some((every, part, used + more))
}

/// "the first monday of the month", "every last friday of the month", "on the 15th of every month".
fn of_the_month(words: &[&str], by: &Reckoning) -> Read {
    let lexicon = by.lexicon;
    let start = phrases::starts(lexicon.time.every, words)
        .or_else(|| phrases::starts(lexicon.time.on, words))
        .unwrap_or(0);
    let (found, part, used) = day_numbers(&words[start..], by)?;
    let of = phrases::starts(lexicon.time.of_month, &words[start + used..])?;
    Some((found, part, start + used + of))
}

/// "15th of the month" and "15th" behind "every" and "every month on the".
fn month_day(words: &[&str], by: &Reckoning) -> Read {
    let (found, part, used) = day_numbers(words, by)?;
    let of = phrases::starts(by.lexicon.time.of_month, &words[used..])?;
    Some((found, part, used + of))
}

/// "first monday", "last friday", "31st" behind "every", where nothing says that a month is meant. "Second", "third" and
/// so on are every so many there.
fn bare_month_day(words: &[&str], by: &Reckoning) -> Read {
    let (found, part, used) = day_numbers(words, by)?;
    let counts = by.lexicon.time.every_other.iter().any(|(word, _)| words.first() == Some(word));
    let unit = phrases::find(by.lexicon.time.units, &words[used - 1..]).is_some();
    (!counts && !unit).then_some((found, part, used))
}

/// "first monday", "last friday", "15th", "last day", "1st and 15th".
fn day_numbers(words: &[&str], by: &Reckoning) -> Read {
    let lexicon = by.lexicon;
    let monthly = Recurrence::every(Frequency::Monthly);
    let the = phrases::starts(lexicon.time.articles, words).unwrap_or(0);
    let rest = &words[the..];
    let last = phrases::starts(lexicon.time.last, rest).map(|used| (-1, used));
    let number =
        lexicon.numbers.ordinal(rest).and_then(|(number, used)| Some((i8::try_from(number).ok()?, used)));
    let (number, mut used) = last.or(number)?;
    if let Some((day, more)) = phrases::find(lexicon.time.weekdays, &rest[used..]).filter(|_| number <= 4) {
        return Some((Recurrence { days: vec![(Some(number), day)], ..monthly }, None, the + used + more));
    }
    if let Some((Unit::Day, more)) = phrases::find(lexicon.time.units, &rest[used..]) {
        used += more;
    } else if number < 0 {
        return None;
    }
    let mut numbers = vec![number];
    while let Some(join) = phrases::starts(lexicon.time.joins, &rest[used..]) {
        let skip = join + phrases::starts(lexicon.time.articles, &rest[used + join..]).unwrap_or(0);
        let Some((more, words)) = lexicon.numbers.ordinal(&rest[used + skip..]) else { break };
        numbers.push(i8::try_from(more).ok()?);
        used += skip + words;
    }
    let month_days = numbers.iter().all(|number| (-1..=31).contains(number)).then_some(numbers)?;
    Some((Recurrence { month_days, ..monthly }, None, the + used))
}

/// "march 3rd", "3rd of march", "christmas".
fn yearly(words: &[&str], by: &Reckoning) -> Read {
    let (dated, used) = dates::read(words, by)?;
    let Dated::Day(day) = dated else { return None };
    // Only what names a month: "tomorrow" and "monday" repeat otherwise. A feast that moves does not fit.
    let named =
        words[..used].iter().any(|word| by.lexicon.time.months.iter().any(|(month, _)| month == word));
    let feast = phrases::find(by.lexicon.time.feasts, words)
        .is_some_and(|(feast, _)| matches!(feast, Feast::Fixed { .. }));
    let every = Recurrence {
        month_days: vec![i8::try_from(day.day()).ok()?],
        month: Some(day.month()),
        ..Recurrence::every(Frequency::Yearly)
    };
    (named || feast).then_some((every, None, used))
}
