//! Edits an event in its iCalendar text. Changing one occurrence of a series adds a component of its own, removing one adds an
//! exception; everything else in the text stays as it was.

use crate::attendees::{Answer, is_same};
use crate::content_lines::{ContentLines, Property};
use crate::error::PersonalError;
use crate::events::{Occurrence, Time, Wall, escaped};
use crate::series::Completion;
use calcard::common::timezone::Tz;
use calcard::icalendar::timezone::TzResolver;
use calcard::{Entry, Parser};
use chrono::{DateTime, Duration, NaiveDateTime, NaiveTime, TimeZone, Utc};
use std::ops::Range;

const DAY: &str = "%Y%m%d";
const MOMENT: &str = "%Y%m%dT%H%M%S";
/// What a calendar is about; without any of it, nothing is left of it.
const ENTRIES: [&str; 4] = ["VEVENT", "VTODO", "VJOURNAL", "VFREEBUSY"];

/// The `PARTSTAT` of an attendee who has not answered.
const UNANSWERED: &str = "NEEDS-ACTION";

/// What is to be different about an event.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Change {
    /// What it is called.
    pub title: Option<String>,
    /// Where it is.
    pub place: Option<String>,
    /// When it is.
    pub time: Option<Time>,
}

/// Which times of a series are meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Series {
    /// The one that was found.
    One,
    /// Every one.
    All,
}

/// In what form a text tells a moment.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Form {
    Date,
    Utc,
    /// That of any wall clock.
    Floating,
    Zoned(Tz),
}

impl Form {
    fn of(property: Property<'_>, zones: &TzResolver<String>) -> Self {
        let zone = property.param("TZID").and_then(|name| zones.resolve(name));
        match (Self::written(property.value), zone) {
            (Self::Floating, Some(zone)) => Self::Zoned(zone),
            (form, _) => form,
        }
    }

    /// As a value shows it, without its time zone.
    fn written(value: &str) -> Self {
        match value.trim() {
            value if value.ends_with('Z') => Self::Utc,
            value if !value.contains('T') => Self::Date,
            _ => Self::Floating,
        }
    }

    /// A moment as this form counts it.
    fn local(self, moment: &DateTime<Tz>) -> NaiveDateTime {
        match self {
            Self::Date | Self::Floating => moment.naive_local(),
            Self::Utc => moment.naive_utc(),
            Self::Zoned(zone) => moment.with_timezone(&zone).naive_local(),
        }
    }

    /// The same of seconds since the Unix epoch.
    fn at(self, unix_s: i64, wall: Wall<'_>) -> NaiveDateTime {
        let utc = DateTime::from_timestamp(unix_s, 0).unwrap_or_default();
        match self {
            Self::Date | Self::Floating => wall(unix_s),
            Self::Utc => utc.naive_utc(),
            Self::Zoned(zone) => zone.from_utc_datetime(&utc.naive_utc()).naive_local(),
        }
    }

    fn write(self, local: NaiveDateTime) -> String {
        match self {
            Self::Date => local.format(DAY).to_string(),
            Self::Utc => format!("{}Z", local.format(MOMENT)),
            Self::Floating | Self::Zoned(_) => local.format(MOMENT).to_string(),
        }
    }
}

/// A value as it is counted in its own form; `None` when it is none.
fn local(value: &str) -> Option<NaiveDateTime> {
    let value = value.trim().trim_end_matches('Z');
    let day = || chrono::NaiveDate::parse_from_str(value, DAY).ok().map(|day| day.and_time(NaiveTime::MIN));
    NaiveDateTime::parse_from_str(value, MOMENT).ok().or_else(day)
}

/// An event in its text.
struct Editing {
    lines: ContentLines,
    zones: TzResolver<String>,
    uid: String,
    now: DateTime<Utc>,
}

/// The text with a changed event.
///
/// # Errors
/// When it is not there, or cannot be changed so.
pub(crate) fn change(
    text: &str,
    found: &Occurrence,
    change: &Change,
    series: Series,
    (now, wall): (DateTime<Utc>, Wall<'_>),
) -> Result<String, PersonalError> {
    if found.event.is_task && change.time.is_some() {
        return Err(PersonalError::BadEvent("when a task is due is changed in the program it is from"));
    }
    let mut editing = Editing::of(text, &found.event.uid, now)?;
    let is_series = found.event.repeats && series == Series::All;
    if is_series {
        if let Some(time) = change.time {
            editing.move_all(found, time, wall)?;
        }
        for at in 0..editing.of_event().len() {
            let component = editing.of_event()[at].clone();
            editing.name(component, change);
        }
        return Ok(editing.lines.into_text());
    }
    let component = match found.event.repeats && !found.is_override {
        true => editing.split_off(&found.begins)?,
        false => editing.component(&found.begins, found.is_override)?,
    };
    let component = match change.time {
        Some(time) => editing.retime(component, time, wall)?,
        None => component,
    };
    editing.name(component, change);
    Ok(editing.lines.into_text())
}

/// The text without an event; `None` when nothing is left in it.
///
/// # Errors
/// When it is not there.
pub(crate) fn remove(
    text: &str,
    found: &Occurrence,
    series: Series,
    now: DateTime<Utc>,
) -> Result<Option<String>, PersonalError> {
    let mut editing = Editing::of(text, &found.event.uid, now)?;
    if found.event.repeats && series == Series::One {
        editing.leave_out(found)?;
    } else {
        while let Some(component) = editing.of_event().pop() {
            editing.lines.remove(component);
        }
    }
    let is_left = !editing.lines.components(&ENTRIES).is_empty();
    Ok(is_left.then(|| editing.lines.into_text()))
}

/// The text with a task that is done.
///
/// # Errors
/// When it is not there, or cannot be changed so.
pub(crate) fn complete(
    text: &str,
    uid: &str,
    completion: &Completion,
    now: DateTime<Utc>,
) -> Result<String, PersonalError> {
    let mut editing = Editing::of(text, uid, now)?;
    let task = match completion {
        Completion::Whole => editing.master()?,
        Completion::Later { by, elapsed, count } => {
            editing.move_on(*by, *elapsed, *count)?;
            return Ok(editing.lines.into_text());
        }
        Completion::One(time) if time.is_override => editing.component(&time.begins, true)?,
        Completion::One(time) => editing.split_off(&time.begins)?,
    };
    let at = now.format("%Y%m%dT%H%M%SZ");
    let task = editing.put(task, "STATUS", "COMPLETED");
    let task = editing.put(task, "COMPLETED", &at.to_string());
    let task = editing.put(task, "PERCENT-COMPLETE", "100");
    editing.revise(task);
    Ok(editing.lines.into_text())
}

/// The text with an answer to an invitation, of whoever has one of these addresses.
///
/// # Errors
/// When it is not there, or nobody of them is invited.
pub(crate) fn answer(
    text: &str,
    found: &Occurrence,
    (addresses, answer): (&[String], Answer),
    series: Series,
    now: DateTime<Utc>,
) -> Result<String, PersonalError> {
    let mut editing = Editing::of(text, &found.event.uid, now)?;
    if found.event.repeats && series == Series::One {
        let component = match found.is_override {
            true => editing.component(&found.begins, true)?,
            false => editing.split_off(&found.begins)?,
        };
        return match editing.answer(component, (addresses, answer), None) {
            0 => Err(PersonalError::NotInvited),
            _ => Ok(editing.lines.into_text()),
        };
    }
    let master = editing.master().ok();
    let old = master.as_ref().map(|master| editing.answers(master)).unwrap_or_default();
    let meant = match found.is_override {
        true => editing.component(&found.begins, true).ok(),
        false => None,
    };
    // The components of which every answer is given anew; of the others what was answered for one time alone stays.
    let is_meant = |part: &Range<usize>| [&master, &meant].into_iter().flatten().any(|one| one == part);
    let whole: Vec<bool> = editing.of_event().iter().map(is_meant).collect();
    let mut answered = 0;
    for (at, is_whole) in whole.into_iter().enumerate() {
        let component = editing.of_event()[at].clone();
        answered += editing.answer(component, (addresses, answer), Some(&old).filter(|_| !is_whole));
    }
    if answered == 0 { Err(PersonalError::NotInvited) } else { Ok(editing.lines.into_text()) }
}

impl Editing {
    fn of(text: &str, uid: &str, now: DateTime<Utc>) -> Result<Self, PersonalError> {
        if uid.is_empty() {
            return Err(PersonalError::BadEvent("the event has no id in its calendar"));
        }
        let Entry::ICalendar(calendar) = Parser::new(text).entry() else { return Err(PersonalError::Gone) };
        let zones = calendar.build_owned_tz_resolver();
        let editing = Self { lines: ContentLines::of(text), zones, uid: uid.to_owned(), now };
        if editing.of_event().is_empty() { Err(PersonalError::Gone) } else { Ok(editing) }
    }

    /// The components of the event.
    fn of_event(&self) -> Vec<Range<usize>> {
        let mut all = self.lines.components(&ENTRIES);
        all.retain(|part| self.lines.property(part, "UID").is_some_and(|uid| uid.value.trim() == self.uid));
        all
    }

    /// The component that tells all times of the event but those that were changed.
    fn master(&self) -> Result<Range<usize>, PersonalError> {
        let is_master = |part: &Range<usize>| self.lines.property(part, "RECURRENCE-ID").is_none();
        self.of_event().into_iter().find(is_master).ok_or(PersonalError::Gone)
    }

    /// The component that tells this time of the event alone.
    fn component(&self, begins: &DateTime<Tz>, is_override: bool) -> Result<Range<usize>, PersonalError> {
        if !is_override {
            return self.master();
        }
        let is_it = |part: &Range<usize>| {
            let id = self.lines.property(part, "RECURRENCE-ID");
            let found = self.lines.property(part, "DTSTART").or(id);
            id.is_some()
                && found.is_some_and(|found| {
                    local(found.value) == Some(Form::of(found, &self.zones).local(begins))
                })
        };
        self.of_event().into_iter().find(is_it).ok_or(PersonalError::Gone)
    }

    /// When a series begins: the form, the parameters and the value.
    fn beginning(&self) -> Result<(Form, String, NaiveDateTime), PersonalError> {
        let master = self.master()?;
        let begins = self.lines.property(&master, "DTSTART").ok_or(PersonalError::Gone)?;
        let at = local(begins.value).ok_or(PersonalError::Gone)?;
        Ok((Form::of(begins, &self.zones), begins.params.to_owned(), at))
    }

    /// Gives one time of a series a component of its own; answers where it is.
    fn split_off(&mut self, at: &DateTime<Tz>) -> Result<Range<usize>, PersonalError> {
        let (form, params, first) = self.beginning()?;
        let master = self.master()?;
        // An event ends, a task is due.
        let ends = ["DTEND", "DUE"].into_iter().find_map(|name| {
            let ends = self.lines.property(&master, name)?;
            Some((name, ends.params.to_owned(), Form::of(ends, &self.zones), local(ends.value)? - first))
        });
        let mut one = self.lines.copy(&master);
        for name in ["RRULE", "RDATE", "EXDATE", "EXRULE"] {
            one = self.lines.set(one, name, None);
        }
        let begins = form.local(at);
        let named = |name: &str, at| format!("{name}{params}:{}", form.write(at));
        one = self.lines.set(one, "RECURRENCE-ID", Some(named("RECURRENCE-ID", begins)));
        one = self.lines.set(one, "DTSTART", Some(named("DTSTART", begins)));
        if let Some((name, params, form, length)) = ends {
            let end = begins.checked_add_signed(length).unwrap_or(begins);
            one = self.lines.set(one, name, Some(format!("{name}{params}:{}", form.write(end))));
        }
        Ok(one)
    }

    /// The series of a task from a later time on, `by` the clock of its text and `elapsed` as time passes; `count` times of it
    /// are left, where its rule counts them.
    fn move_on(&mut self, by: Duration, elapsed: Duration, count: Option<u32>) -> Result<(), PersonalError> {
        let task = self.master()?;
        let later = |property: Property<'_>| {
            let form = Form::written(property.value);
            let by = if form == Form::Utc { elapsed } else { by };
            let at = local(property.value).and_then(|at| at.checked_add_signed(by));
            at.map_or_else(|| property.value.to_owned(), |at| form.write(at))
        };
        self.lines.rewrite(&task, &["DTSTART", "DUE"], &later);
        let left = |property: Property<'_>| {
            let part = |part: &str| match (part.split_once('='), count) {
                (Some((name, _)), Some(count)) if name.eq_ignore_ascii_case("COUNT") => {
                    format!("{name}={count}")
                }
                _ => part.to_owned(),
            };
            property.value.split(';').map(part).collect::<Vec<_>>().join(";")
        };
        self.lines.rewrite(&task, &["RRULE"], &left);
        // A reminder at a moment is of the time that is done; one so long before it moves with it.
        for reminder in self.lines.inside(&task, "VALARM") {
            let at = |property: Property<'_>| match property.param("VALUE") {
                Some(kind) if kind.eq_ignore_ascii_case("DATE-TIME") => later(property),
                _ => property.value.to_owned(),
            };
            self.lines.rewrite(&reminder, &["TRIGGER"], &at);
        }
        let mut task = task;
        for name in ["COMPLETED", "PERCENT-COMPLETE"] {
            task = self.lines.set(task, name, None);
        }
        let task = self.put(task, "STATUS", "NEEDS-ACTION");
        self.revise(task);
        Ok(())
    }

    /// Gives a component a property; answers the component as it is then.
    fn put(&mut self, component: Range<usize>, name: &str, value: &str) -> Range<usize> {
        self.lines.set(component, name, Some(format!("{name}:{value}")))
    }

    /// Leaves one time out of a series.
    fn leave_out(&mut self, found: &Occurrence) -> Result<(), PersonalError> {
        let (form, params, _) = self.beginning()?;
        let value = match found.is_override {
            true => {
                let component = self.component(&found.begins, true)?;
                let id = self.lines.property(&component, "RECURRENCE-ID").ok_or(PersonalError::Gone)?;
                let (params, value) = (id.params.to_owned(), id.value.to_owned());
                self.lines.remove(component);
                format!("EXDATE{params}:{value}")
            }
            false => format!("EXDATE{params}:{}", form.write(form.local(&found.begins))),
        };
        let master = self.master()?;
        let master = self.lines.add(master, value);
        self.revise(master);
        Ok(())
    }

    /// Another time for what a component tells.
    fn retime(
        &mut self,
        component: Range<usize>,
        time: Time,
        wall: Wall<'_>,
    ) -> Result<Range<usize>, PersonalError> {
        let begins = self.lines.property(&component, "DTSTART").ok_or(PersonalError::Gone)?;
        let (form, params) = (Form::of(begins, &self.zones), begins.params.to_owned());
        let [start, end] = match (time, form) {
            (Time::Days(first, after), _) => {
                [first, after].map(|day| format!(";VALUE=DATE:{}", day.format(DAY)))
            }
            // A day becomes a moment, which no time zone was said of.
            (Time::Moments(from, to), Form::Date) => {
                [from, to].map(|at| format!(":{}", Form::Utc.write(Form::Utc.at(at, wall))))
            }
            (Time::Moments(from, to), form) => {
                [from, to].map(|at| format!("{params}:{}", form.write(form.at(at, wall))))
            }
        };
        let component = self.lines.set(component, "DURATION", None);
        let component = self.lines.set(component, "DTSTART", Some(format!("DTSTART{start}")));
        Ok(self.lines.set(component, "DTEND", Some(format!("DTEND{end}"))))
    }

    /// Another time of day for every time of a series, with its exceptions. Times that were changed keep theirs.
    fn move_all(&mut self, found: &Occurrence, time: Time, wall: Wall<'_>) -> Result<(), PersonalError> {
        let (form, params, begins) = self.beginning()?;
        let Time::Moments(from, to) = time else { return Err(PersonalError::OtherDays) };
        let (start, old) = (form.at(from, wall), form.local(&found.begins));
        if form == Form::Date || start.date() != old.date() {
            return Err(PersonalError::OtherDays);
        }
        let master = self.master()?;
        let rule = self.lines.property(&master, "RRULE").map(|rule| rule.value.to_ascii_uppercase());
        if rule
            .as_ref()
            .is_some_and(|rule| ["BYHOUR", "BYMINUTE", "BYSECOND"].iter().any(|by| rule.contains(by)))
        {
            let why = "its repetition names times of day; it is changed in the program it is from";
            return Err(PersonalError::BadEvent(why));
        }
        let shift = start.time() - begins.time();
        let begins = begins + shift;
        let end = begins + Duration::seconds(to - from);
        let moved = |one: &str| match local(one) {
            Some(at) if one.contains('T') => {
                format!("{}{}", (at + shift).format(MOMENT), if one.trim().ends_with('Z') { "Z" } else { "" })
            }
            _ => one.to_owned(),
        };
        let all = |property: Property<'_>| property.value.split(',').map(moved).collect::<Vec<_>>().join(",");
        for component in self.of_event() {
            self.lines.rewrite(&component, &["EXDATE", "RDATE", "RECURRENCE-ID"], &all);
        }
        let until = |property: Property<'_>| {
            let part = |part: &str| match part.split_once('=') {
                Some((name, value)) if name.eq_ignore_ascii_case("UNTIL") => {
                    format!("{name}={}", moved(value))
                }
                _ => part.to_owned(),
            };
            property.value.split(';').map(part).collect::<Vec<_>>().join(";")
        };
        self.lines.rewrite(&master, &["RRULE"], &until);
        let master = self.lines.set(master, "DURATION", None);
        let line = |name: &str, at| Some(format!("{name}{params}:{}", form.write(at)));
        let master = self.lines.set(master, "DTSTART", line("DTSTART", begins));
        self.lines.set(master, "DTEND", line("DTEND", end));
        Ok(())
    }

    /// The addresses of all who are invited to what a component tells, each with what they answered.
    fn answers(&self, component: &Range<usize>) -> Vec<(String, String)> {
        let attendees = self.lines.properties(component, "ATTENDEE").into_iter();
        attendees.map(|one| (address_of(one).to_owned(), status_of(one).to_owned())).collect()
    }

    /// Sets the answer of each attendee with one of these addresses, and returns how many there are. With `old`, addresses and
    /// their answers, only where there is no answer yet or still the old one. `SEQUENCE` stays: it counts the organizer's changes.
    fn answer(
        &mut self,
        component: Range<usize>,
        (addresses, answer): (&[String], Answer),
        old: Option<&Vec<(String, String)>>,
    ) -> usize {
        let is_meant = |property: Property<'_>| {
            let (address, status) = (address_of(property), status_of(property));
            let is_old = |old: &Vec<(String, String)>| {
                let mut old = old.iter().filter(|(one, _)| is_same(one, address));
                is_same(status, UNANSWERED) || old.any(|(_, old)| is_same(old, status))
            };
            addresses.iter().any(|own| is_same(own, address)) && old.is_none_or(is_old)
        };
        let status = ("PARTSTAT", answer.written());
        let answered = self.lines.set_param(&component, "ATTENDEE", &is_meant, status);
        if answered > 0 {
            self.stamp(component);
        }
        answered
    }

    /// Another title or place; it is another revision then.
    fn name(&mut self, mut component: Range<usize>, change: &Change) {
        for (name, text) in [("SUMMARY", &change.title), ("LOCATION", &change.place)] {
            if let Some(text) = text {
                component = self.lines.set(component, name, Some(format!("{name}:{}", escaped(text))));
            }
        }
        self.revise(component);
    }

    /// Counts the revision, and says when it was made.
    fn revise(&mut self, component: Range<usize>) {
        let number = self.lines.property(&component, "SEQUENCE");
        let number = number.and_then(|number| number.value.trim().parse::<u32>().ok()).unwrap_or(0);
        let component = self.put(component, "SEQUENCE", &number.saturating_add(1).to_string());
        self.stamp(component);
    }

    /// Says when it was changed.
    fn stamp(&mut self, component: Range<usize>) {
        let now = self.now.format("%Y%m%dT%H%M%SZ");
        let component = self.lines.set(component, "DTSTAMP", Some(format!("DTSTAMP:{now}")));
        self.lines.set(component, "LAST-MODIFIED", Some(format!("LAST-MODIFIED:{now}")));
    }
}

/// The mail address of an attendee; empty where there is none.
fn address_of(attendee: Property<'_>) -> &str {
    match attendee.value.trim().split_once(':') {
        Some((scheme, address)) if scheme.eq_ignore_ascii_case("mailto") => address,
        _ => attendee.param("EMAIL").unwrap_or_default(),
    }
}

/// What they answered, as it is written.
fn status_of(attendee: Property<'_>) -> &str {
    attendee.param("PARTSTAT").unwrap_or(UNANSWERED)
}

#[cfg(test)]
#[path = "edit_tests.rs"]
mod tests;
