//! Events of iCalendar texts (RFC 5545): which of them fall into a span of time, recurring ones one by one, and new ones as text.

use calcard::icalendar::dates::TimeOrDelta;
use calcard::icalendar::{
    ICalendar, ICalendarComponent, ICalendarComponentType, ICalendarProperty, ICalendarStatus, ICalendarValue,
};
use calcard::{Entry, Parser, common::timezone::Tz};
use chrono::{DateTime, Duration, NaiveDate, NaiveDateTime, Utc};

/// Most times of recurring events of one file that are gone through, from their first on.
const MAX_TIMES: usize = 20_000;
/// Most characters of a title or place.
const MAX_CHARS: usize = 200;

/// What a wall clock of the house shows at a moment, seconds since the Unix epoch.
pub type Wall<'a> = &'a dyn Fn(i64) -> NaiveDateTime;

/// An event, or a task that is due, at one of its times.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// Its id in the calendar; the same for each time of a recurring one.
    pub uid: String,
    /// What it is called; empty when it has no name.
    pub title: String,
    /// Where it is.
    pub place: Option<String>,
    /// When it begins, by the wall clock of the house.
    pub start: NaiveDateTime,
    /// When it is over.
    pub end: NaiveDateTime,
    /// It takes whole days; `end` is the first midnight after it.
    pub is_all_day: bool,
    /// It comes again.
    pub repeats: bool,
    /// It is a task that is due, not an event.
    pub is_task: bool,
}

/// An event that is to be added.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewEvent {
    /// What it is called.
    pub title: String,
    /// Where it is.
    pub place: Option<String>,
    /// When it is.
    pub time: Time,
    /// A reminder so many minutes before it begins.
    pub remind_minutes: Option<u32>,
}

/// When a new event is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Time {
    /// Whole days: the first, and the first after it.
    Days(NaiveDate, NaiveDate),
    /// From a moment to a moment, seconds since the Unix epoch.
    Moments(i64, i64),
}

/// The events of a text that touch the span from `from` to before `to`, by the wall clock, in no order. What cannot be read
/// is left out, and counted in the second value.
pub(crate) fn read(
    text: &str,
    (from, to): (NaiveDateTime, NaiveDateTime),
    wall: Wall<'_>,
) -> (Vec<Event>, usize) {
    let (mut found, mut unread) = (Vec::new(), 0);
    let mut parser = Parser::new(text);
    loop {
        match parser.entry() {
            Entry::ICalendar(calendar) => unread += of_calendar(&calendar, (from, to), wall, &mut found),
            Entry::Eof => return (found, unread),
            Entry::TooManyComponents => return (found, unread + 1),
            Entry::VCard(_) => {}
            _ => unread += 1,
        }
    }
}

fn of_calendar(
    calendar: &ICalendar,
    (from, to): (NaiveDateTime, NaiveDateTime),
    wall: Wall<'_>,
    found: &mut Vec<Event>,
) -> usize {
    let expanded = calendar.expand_dates(Tz::Floating, MAX_TIMES);
    for time in expanded.events {
        let Some(component) = calendar.components.get(time.comp_id as usize) else { continue };
        let is_task = component.component_type == ICalendarComponentType::VTodo;
        let is_over =
            matches!(component.status(), Some(ICalendarStatus::Cancelled | ICalendarStatus::Completed));
        if is_over || !is_task && component.component_type != ICalendarComponentType::VEvent {
            continue;
        }
        let is_all_day = is_date(component);
        let (first, last) = (
            time.start,
            match time.end {
                TimeOrDelta::Time(end) => end,
                TimeOrDelta::Delta(length) => time.start.checked_add_signed(length).unwrap_or(time.start),
            },
        );
        let (start, mut end) = if is_all_day {
            (first.naive_local(), last.naive_local())
        } else {
            (at_wall(first, wall), at_wall(last, wall))
        };
        if is_all_day && end <= start {
            end = start + Duration::days(1);
        }
        // One that takes no time is at its moment.
        let touches = start < to && (end > from || end <= start && start >= from);
        if touches {
            found.push(Event {
                uid: component.uid().unwrap_or_default().to_owned(),
                title: text_of(component, &ICalendarProperty::Summary).unwrap_or_default(),
                place: text_of(component, &ICalendarProperty::Location),
                start,
                end: end.max(start),
                is_all_day,
                repeats: component.is_recurrent_or_override(),
                is_task,
            });
        }
    }
    expanded.errors.len()
}

/// A time of the calendar on the wall of the house; one without a zone is on every wall the same.
fn at_wall(time: DateTime<Tz>, wall: Wall<'_>) -> NaiveDateTime {
    if time.timezone().is_floating() { time.naive_local() } else { wall(time.timestamp()) }
}

/// Whether it begins on a day and at no time of it.
fn is_date(component: &ICalendarComponent) -> bool {
    let begins = [ICalendarProperty::Dtstart, ICalendarProperty::Due];
    let entry = begins.iter().find_map(|name| component.property(name));
    let value = entry.and_then(|entry| entry.values.first());
    matches!(value, Some(ICalendarValue::PartialDateTime(time)) if time.has_date() && !time.has_time())
}

/// A text on one line, without what would move a terminal's cursor.
fn text_of(component: &ICalendarComponent, name: &ICalendarProperty) -> Option<String> {
    let text = component.property(name)?.values.first()?.as_text()?;
    Some(plain(text, MAX_CHARS)).filter(|text| !text.is_empty())
}

/// A text on one line of at most so many characters.
pub(crate) fn plain(text: &str, most: usize) -> String {
    let words = text.split(|c: char| c.is_whitespace() || c.is_control()).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join(" ").chars().take(most).collect()
}

/// A calendar with this event alone; `uid` and `now` are its id and when it is made.
pub(crate) fn write(event: &NewEvent, uid: &str, now: DateTime<Utc>) -> String {
    let mut lines = vec![
        "BEGIN:VCALENDAR".to_owned(),
        "VERSION:2.0".to_owned(),
        format!("PRODID:-//Hark//hark {}//EN", env!("CARGO_PKG_VERSION")),
        "BEGIN:VEVENT".to_owned(),
        format!("UID:{uid}"),
        format!("DTSTAMP:{}", now.format("%Y%m%dT%H%M%SZ")),
    ];
    match event.time {
        Time::Days(first, after) => {
            lines.push(format!("DTSTART;VALUE=DATE:{}", first.format("%Y%m%d")));
            lines.push(format!("DTEND;VALUE=DATE:{}", after.format("%Y%m%d")));
        }
        Time::Moments(from, to) => {
            let utc = |s: i64| {
                DateTime::from_timestamp(s, 0).unwrap_or_default().format("%Y%m%dT%H%M%SZ").to_string()
            };
            lines.push(format!("DTSTART:{}", utc(from)));
            lines.push(format!("DTEND:{}", utc(to)));
        }
    }
    lines.push(format!("SUMMARY:{}", escaped(&event.title)));
    lines.extend(event.place.as_ref().map(|place| format!("LOCATION:{}", escaped(place))));
    if let Some(minutes) = event.remind_minutes {
        let alarm = ["BEGIN:VALARM", "ACTION:DISPLAY"].map(str::to_owned);
        lines.extend(alarm);
        lines.push(format!("TRIGGER:-PT{minutes}M"));
        lines.push(format!("DESCRIPTION:{}", escaped(&event.title)));
        lines.push("END:VALARM".to_owned());
    }
    lines.extend(["END:VEVENT", "END:VCALENDAR"].map(str::to_owned));
    lines.iter().map(|line| folded(line)).collect()
}

/// A text as a value (RFC 5545, 3.3.11): nothing in it can end its line.
fn escaped(text: &str) -> String {
    plain(text, MAX_CHARS).replace('\\', "\\\\").replace(';', "\\;").replace(',', "\\,")
}

/// A line of at most 75 bytes with its end; the rest stands in the next ones (RFC 5545, 3.1).
fn folded(line: &str) -> String {
    const MOST: usize = 74;
    let (mut folded, mut used) = (String::new(), 0);
    for c in line.chars() {
        if used + c.len_utf8() > MOST {
            folded.push_str("\r\n ");
            used = 1;
        }
        used += c.len_utf8();
        folded.push(c);
    }
    folded.push_str("\r\n");
    folded
}

#[cfg(test)]
#[path = "events_tests.rs"]
mod tests;
