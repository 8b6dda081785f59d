//! Events of iCalendar texts (RFC 5545): which of them fall into a span of time, recurring ones one by one, and new ones as text.
//! `edit` changes what is there already.

use crate::attendees::{self, Attendee};
use calcard::icalendar::dates::TimeOrDelta;
use calcard::icalendar::{
    ICalendar, ICalendarComponent, ICalendarComponentType, ICalendarParameter, ICalendarParameterName,
    ICalendarParameterValue, ICalendarProperty, ICalendarStatus, ICalendarValue,
};
use calcard::{Entry, Parser, common::timezone::Tz};
use chrono::{DateTime, Duration, NaiveDate, NaiveDateTime, Utc};
use hark_core::text::one_line;
use std::collections::BTreeSet;
use std::str::FromStr;

/// Most times of recurring events of one file that are gone through, from their first on.
const MAX_TIMES: usize = 20_000;
/// Years for which the VTIMEZONE of a new event lists the rules of its zone.
const ZONE_YEARS: i64 = 10;
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
    /// Who is invited: at most 100.
    pub attendees: Vec<Attendee>,
    /// Who invites.
    pub organizer: Option<String>,
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
    /// How it comes again: a rule of RFC 5545 without times of day, which are those of its first time.
    pub repeats: Option<String>,
    /// The time zone in which it keeps its time of day, such as `Europe/Berlin`; without one it keeps that of any wall clock.
    /// For events that repeat.
    pub zone: Option<String>,
}

/// When a new event is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Time {
    /// Whole days: the first, and the first after it.
    Days(NaiveDate, NaiveDate),
    /// From a moment to a moment, seconds since the Unix epoch.
    Moments(i64, i64),
}

/// One occurrence of an event, and its component in the iCalendar text.
#[derive(Debug, Clone)]
pub(crate) struct Occurrence {
    pub(crate) event: Event,
    /// When it begins, in the time zone of its text.
    pub(crate) begins: DateTime<Tz>,
    /// It is one time of a series that was changed, and has a component of its own.
    pub(crate) is_override: bool,
}

/// The events of a text that touch the span from `from` to before `to`, by the wall clock, in no order. What cannot be read
/// is left out, and counted in the second value.
pub(crate) fn read(
    text: &str,
    (from, to): (NaiveDateTime, NaiveDateTime),
    wall: Wall<'_>,
) -> (Vec<Occurrence>, usize) {
    let (mut found, mut unread) = (Vec::new(), 0);
    let mut parser = Parser::new(text);
    loop {
        match parser.entry() {
            Entry::ICalendar(calendar) => {
                for part in parts(calendar) {
                    unread += of_calendar(&part, (from, to), wall, &mut found);
                }
            }
            Entry::Eof => return (found, unread),
            Entry::TooManyComponents => return (found, unread + 1),
            Entry::VCard(_) => {}
            _ => unread += 1,
        }
    }
}

/// Says of a series that counts in UTC that this is its time zone: the library that expands it looks for one by its name alone,
/// and takes it for the time of any wall clock otherwise.
fn in_utc(component: &mut ICalendarComponent) {
    if component.property(&ICalendarProperty::Rrule).is_none() {
        return;
    }
    // A task may tell when it is due alone.
    let has_start = component.property(&ICalendarProperty::Dtstart).is_some();
    let name = if has_start { ICalendarProperty::Dtstart } else { ICalendarProperty::Due };
    let Some(begins) = component.property_mut(&name) else { return };
    let value = begins.values.first();
    if matches!(value, Some(ICalendarValue::PartialDateTime(time)) if time.tz_hour.is_some()) {
        let value = ICalendarParameterValue::Text("Etc/UTC".to_owned());
        begins.params.push(ICalendarParameter { name: ICalendarParameterName::Tzid, value });
    }
}

/// A calendar, with each series of which a time was changed in a calendar of its own: the library that expands them takes
/// a changed time for one of the series that begins at it, of whatever event, and only where both count the same revisions.
pub(crate) fn parts(mut calendar: ICalendar) -> Vec<ICalendar> {
    calendar.components.iter_mut().for_each(in_utc);
    let uid = |component: &ICalendarComponent| component.uid().unwrap_or_default().to_owned();
    let changed: BTreeSet<String> =
        calendar.components.iter().filter(|part| part.is_recurrence_override()).map(uid).collect();
    if changed.is_empty() {
        return vec![calendar];
    }
    let is_event = |component: &ICalendarComponent| component.component_type.is_event_or_todo();
    let with = |keep: &dyn Fn(&str) -> bool| {
        let keeps = |component: &&ICalendarComponent| !is_event(component) || keep(&uid(component));
        let mut components: Vec<ICalendarComponent> =
            calendar.components.iter().filter(keeps).cloned().collect();
        for component in components.iter_mut().filter(|component| is_event(component)) {
            component.entries.retain(|entry| entry.name != ICalendarProperty::Sequence);
        }
        ICalendar { components }
    };
    let rest = with(&|uid| !changed.contains(uid));
    changed.iter().map(|one| with(&|uid| uid == one)).chain([rest]).collect()
}

fn of_calendar(
    calendar: &ICalendar,
    (from, to): (NaiveDateTime, NaiveDateTime),
    wall: Wall<'_>,
    found: &mut Vec<Occurrence>,
) -> usize {
    let expanded = calendar.expand_dates(Tz::Floating, MAX_TIMES);
    for time in expanded.events {
        let Some(component) = calendar.components.get(time.comp_id as usize) else { continue };
        let is_task = component.component_type == ICalendarComponentType::VTodo;
        let is_over =
            matches!(component.status(), Some(ICalendarStatus::Cancelled | ICalendarStatus::Completed));
        // The library takes a task without a day for one of the day on which it was written down.
        let is_undated = is_task
            && [ICalendarProperty::Dtstart, ICalendarProperty::Due]
                .iter()
                .all(|name| component.property(name).is_none());
        if is_over || is_undated || !is_task && component.component_type != ICalendarComponentType::VEvent {
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
            let event = Event {
                uid: component.uid().unwrap_or_default().to_owned(),
                title: text_of(component, &ICalendarProperty::Summary).unwrap_or_default(),
                place: text_of(component, &ICalendarProperty::Location),
                start,
                end: end.max(start),
                is_all_day,
                repeats: component.is_recurrent_or_override(),
                is_task,
                attendees: attendees::of(component),
                organizer: attendees::organizer(component),
            };
            found.push(Occurrence { event, begins: first, is_override: component.is_recurrence_override() });
        }
    }
    expanded.errors.len()
}

/// A time of the calendar on the wall of the house; one without a zone is on every wall the same.
pub(crate) fn at_wall(time: DateTime<Tz>, wall: Wall<'_>) -> NaiveDateTime {
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
    Some(one_line(text, MAX_CHARS)).filter(|text| !text.is_empty())
}

/// A calendar with this event alone; `uid` and `now` are its id and when it is made.
pub(crate) fn write(event: &NewEvent, uid: &str, now: DateTime<Utc>, wall: Wall<'_>) -> String {
    let mut lines = vec![
        "BEGIN:VCALENDAR".to_owned(),
        "VERSION:2.0".to_owned(),
        format!("PRODID:-//Hark//hark {}//EN", env!("CARGO_PKG_VERSION")),
    ];
    let is_local = event.repeats.is_some() && matches!(event.time, Time::Moments(..));
    lines.extend(event.zone.iter().filter(|_| is_local).flat_map(|name| zone_lines(name, now.timestamp())));
    lines.extend([
        "BEGIN:VEVENT".to_owned(),
        format!("UID:{uid}"),
        format!("DTSTAMP:{}", now.format("%Y%m%dT%H%M%SZ")),
    ]);
    let zone = event.zone.as_deref().and_then(|name| Tz::from_str(name).ok());
    match event.time {
        Time::Days(first, after) => {
            lines.push(format!("DTSTART;VALUE=DATE:{}", first.format("%Y%m%d")));
            lines.push(format!("DTEND;VALUE=DATE:{}", after.format("%Y%m%d")));
        }
        // What repeats keeps its time of day when clocks are set.
        Time::Moments(from, to) if event.repeats.is_some() => {
            let (names, at): (String, &dyn Fn(i64) -> NaiveDateTime) = match (&zone, &event.zone) {
                (Some(zone), Some(name)) => {
                    (format!(";TZID={name}"), &|s| utc(s).with_timezone(zone).naive_local())
                }
                _ => (String::new(), wall),
            };
            lines.push(format!("DTSTART{names}:{}", at(from).format("%Y%m%dT%H%M%S")));
            lines.push(format!("DTEND{names}:{}", at(to).format("%Y%m%dT%H%M%S")));
        }
        Time::Moments(from, to) => {
            lines.push(format!("DTSTART:{}", utc(from).format("%Y%m%dT%H%M%SZ")));
            lines.push(format!("DTEND:{}", utc(to).format("%Y%m%dT%H%M%SZ")));
        }
    }
    lines.extend(event.repeats.as_ref().map(|rule| format!("RRULE:{}", escaped_rule(rule))));
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

/// The rules of a time zone, which a text that names it has to tell too; none where it is not known.
pub(crate) fn zone_lines(name: &str, from: i64) -> Vec<String> {
    let root = ICalendarComponent { component_type: ICalendarComponentType::VCalendar, ..Default::default() };
    let mut calendar = ICalendar { components: vec![root] };
    let mut text = String::new();
    let to = from.saturating_add(ZONE_YEARS * 366 * 24 * 3600);
    if calendar.add_timezone(name, from, to).is_none() || calendar.write_to(&mut text).is_err() {
        return Vec::new();
    }
    let is_root = |line: &&str| !matches!(*line, "BEGIN:VCALENDAR" | "END:VCALENDAR");
    text.lines().filter(is_root).map(str::to_owned).collect()
}

pub(crate) fn utc(unix_s: i64) -> DateTime<Utc> {
    DateTime::from_timestamp(unix_s, 0).unwrap_or_default()
}

/// A rule as a value: only what rules are made of.
pub(crate) fn escaped_rule(rule: &str) -> String {
    rule.chars().filter(|c| c.is_ascii_alphanumeric() || matches!(c, '=' | ';' | ',' | '-' | '+')).collect()
}

/// A text as a value (RFC 5545, 3.3.11): nothing in it can end its line.
pub(crate) fn escaped(text: &str) -> String {
    one_line(text, MAX_CHARS).replace('\\', "\\\\").replace(';', "\\;").replace(',', "\\,")
}

/// A line of at most 75 bytes with its end; the rest stands in the next ones (RFC 5545, 3.1).
pub(crate) fn folded(line: &str) -> String {
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
