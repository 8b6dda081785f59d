//! Tasks of the household's calendars (`VTODO`): those that are open, new ones, and marking one as done. They stand where events do.

use crate::calendar::{Asked, Calendars, Object, Revision, Wall, not_kept};
use crate::dav::TASK;
use crate::edit;
use crate::error::PersonalError;
use crate::events::{escaped, escaped_rule, folded, parts, utc, zone_lines};
use crate::series::{self, Time};
use calcard::icalendar::timezone::TzResolver;
use calcard::icalendar::{ICalendar, ICalendarComponent, ICalendarEntry, ICalendarProperty, ICalendarValue};
use calcard::{Entry, Parser, common::timezone::Tz};
use chrono::{DateTime, NaiveDate, NaiveDateTime, NaiveTime, Utc};
use hark_core::text::one_line;
use std::collections::HashSet;
use std::str::FromStr;

/// Most tasks of one answer.
const MAX_TASKS: usize = 500;
/// Most characters of a title.
const MAX_CHARS: usize = 200;

/// When a task is due.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Due {
    /// On a day.
    Day(NaiveDate),
    /// At a moment of the wall clock of the house.
    Moment(NaiveDateTime),
}

impl Due {
    /// The moment, or the beginning of the day.
    pub fn start(self) -> NaiveDateTime {
        match self {
            Self::Day(day) => day.and_time(NaiveTime::MIN),
            Self::Moment(moment) => moment,
        }
    }
}

/// A task that is open.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Task {
    /// Its id in the calendar.
    pub uid: String,
    /// What is to be done.
    pub title: String,
    /// When it is due, of one that repeats the next time.
    pub due: Option<Due>,
    /// It comes again.
    pub repeats: bool,
}

/// When a new task is to be due.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NewDue {
    /// On a day.
    Day(NaiveDate),
    /// At a moment, seconds since the Unix epoch.
    Moment(i64),
}

/// A task that is to be added.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewTask {
    /// What is to be done.
    pub title: String,
    /// When it is due, of one that comes again the first time.
    pub due: Option<NewDue>,
    /// How it comes again: a rule of RFC 5545 without times of day, which are those of its first time. It needs `due`.
    pub repeats: Option<String>,
    /// The time zone in which it keeps its time of day, such as `Europe/Berlin`; without one it keeps that of any wall clock.
    /// For tasks that come again.
    pub zone: Option<String>,
}

/// The tasks that are open.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Tasks {
    /// At most 500: those that are due first, then those without a day.
    pub tasks: Vec<Task>,
    /// What could not be read, so that tasks may be missing.
    pub unread: usize,
}

impl Calendars {
    /// The tasks that are open.
    ///
    /// # Errors
    /// When there is no calendar, or one of them cannot be read.
    pub async fn tasks(&self, wall: Wall) -> Result<Tasks, PersonalError> {
        let objects = self.objects(Asked::Tasks).await?;
        let found = tokio::task::spawn_blocking(move || {
            let mut found = Tasks::default();
            for object in &objects {
                let (tasks, unread) = read(&object.text, &wall);
                found.tasks.extend(tasks);
                found.unread += unread;
            }
            // None is the least: those without a day come last by this.
            let order = |task: &Task| (task.due.is_none(), task.due.map(Due::start), task.title.clone());
            found.tasks.sort_by_cached_key(order);
            // The same task may stand in a file and on the server.
            let mut seen = HashSet::new();
            found.tasks.retain(|task| task.uid.is_empty() || seen.insert(task.uid.clone()));
            found.tasks.truncate(MAX_TASKS);
            found
        });
        found.await.map_err(|error| PersonalError::BadAnswer("the calendar".into(), error.to_string()))
    }

    /// Adds a task; answers it as the calendar has it then.
    ///
    /// # Errors
    /// When there is no calendar to write to, or it does not take the task.
    pub async fn add_task(
        &self,
        task: &NewTask,
        now: DateTime<Utc>,
        wall: Wall,
    ) -> Result<(Task, Revision), PersonalError> {
        let uid = uuid::Uuid::new_v4().to_string();
        let place = self.keep(TASK, &uid, write(task, &uid, now, &wall)).await?;
        let there = self.object(&place).await?.ok_or_else(not_kept)?;
        let (tasks, _) = read(&there.text, &wall);
        let added = tasks.into_iter().find(|found| found.uid == uid).ok_or_else(not_kept)?;
        let revision = Revision { place: place.to_string(), before: None, after: Some(there.version) };
        let is_kept = added.due.is_some() == task.due.is_some() && added.repeats == task.repeats.is_some();
        if is_kept { Ok((added, revision)) } else { Err(not_kept()) }
    }

    /// Marks a task that was found as done; answers it as it is due the next time, where it comes again.
    ///
    /// # Errors
    /// When it is gone, how it comes again cannot be followed, or another program changed it after it was read.
    pub async fn complete_task(
        &self,
        task: &Task,
        (now, wall): (DateTime<Utc>, Wall),
    ) -> Result<(Option<Task>, Revision), PersonalError> {
        let in_text = |text: &str| read(text, &wall).0.into_iter().find(|found| found.uid == task.uid);
        let mut objects = self.objects(Asked::Tasks).await?;
        let is_it = |object: &Object| in_text(&object.text).is_some_and(|found| found.due == task.due);
        let at = objects.iter().position(is_it).ok_or(PersonalError::Gone)?;
        let object = objects.swap_remove(at);
        let completion = series::completion(&object.text, &task.uid, wall(now.timestamp()), &*wall)?;
        let text = edit::complete(&object.text, &task.uid, &completion, now)?;
        let there = self.put(&object, Some(text)).await?.ok_or_else(not_kept)?;
        let next = in_text(&there.text);
        // What comes again is due another time now, where it is due at all.
        let has_moved = |next: &Task| task.repeats && (task.due.is_none() || next.due != task.due);
        let is_kept = next.as_ref().is_none_or(has_moved);
        if is_kept { Ok((next, object.revision(Some(there.version)))) } else { Err(not_kept()) }
    }
}

/// The open tasks of a text, in no order. What cannot be read is left out, and counted in the second value.
fn read(text: &str, wall: &Wall) -> (Vec<Task>, usize) {
    let (mut found, mut unread) = (Vec::new(), 0);
    let mut parser = Parser::new(text);
    loop {
        match parser.entry() {
            Entry::ICalendar(calendar) => {
                for part in parts(calendar) {
                    unread += of_calendar(&part, wall, &mut found);
                }
            }
            Entry::Eof => return (found, unread),
            Entry::TooManyComponents => return (found, unread + 1),
            Entry::VCard(_) => {}
            _ => unread += 1,
        }
    }
}

/// The open tasks of a calendar; answers how many could not be read.
fn of_calendar(calendar: &ICalendar, wall: &Wall, found: &mut Vec<Task>) -> usize {
    let zones = calendar.build_owned_tz_resolver();
    let (tasks, unread) = series::open_tasks(calendar);
    for (task, time) in tasks {
        let title = task.property(&ICalendarProperty::Summary).and_then(|title| title.values.first());
        let due = task.property(&ICalendarProperty::Due).and_then(|due| due_of(due, &zones, wall));
        found.push(Task {
            uid: task.uid().unwrap_or_default().to_owned(),
            title: one_line(title.and_then(|title| title.as_text()).unwrap_or_default(), MAX_CHARS),
            due: match (due, time) {
                (Some(due), Some(time)) => Some(series_due(due, task, &time, wall)),
                (due, _) => due,
            },
            repeats: task.is_recurrent_or_override(),
        });
    }
    unread
}

/// When a time of a series is due: so long after it begins as its first one is.
fn series_due(first: Due, task: &ICalendarComponent, time: &Time, wall: &Wall) -> Due {
    if time.is_override {
        return first;
    }
    let at = series::due_at(task, time, &**wall);
    match first {
        Due::Day(_) => Due::Day(at.date()),
        Due::Moment(_) => Due::Moment(at),
    }
}

fn due_of(entry: &ICalendarEntry, zones: &TzResolver<String>, wall: &Wall) -> Option<Due> {
    let Some(ICalendarValue::PartialDateTime(due)) = entry.values.first() else { return None };
    let at = due.to_date_time()?;
    if !due.has_time() {
        return Some(Due::Day(at.date_time.date()));
    }
    let zone = entry.tz_id().and_then(|name| zones.resolve(name)).unwrap_or(Tz::Floating);
    let moment = at.to_date_time_with_tz(zone)?;
    let is_floating = moment.timezone().is_floating();
    Some(Due::Moment(if is_floating { moment.naive_local() } else { wall(moment.timestamp()) }))
}

/// A calendar with this task alone.
fn write(task: &NewTask, uid: &str, now: DateTime<Utc>, wall: &Wall) -> String {
    let made = now.format("%Y%m%dT%H%M%SZ");
    let repeats = task.repeats.as_ref().filter(|_| task.due.is_some());
    let zone =
        task.zone.as_deref().filter(|_| repeats.is_some() && matches!(task.due, Some(NewDue::Moment(_))));
    let due = task.due.map(|due| match due {
        NewDue::Day(day) => format!(";VALUE=DATE:{}", day.format("%Y%m%d")),
        // What comes again keeps its time of day when clocks are set.
        NewDue::Moment(unix_s) if repeats.is_some() => {
            let known = zone.and_then(|name| Some((name, Tz::from_str(name).ok()?)));
            let (named, at) = match known {
                Some((name, zone)) => {
                    (format!(";TZID={name}"), utc(unix_s).with_timezone(&zone).naive_local())
                }
                None => (String::new(), wall(unix_s)),
            };
            format!("{named}:{}", at.format("%Y%m%dT%H%M%S"))
        }
        NewDue::Moment(unix_s) => format!(":{}", utc(unix_s).format("%Y%m%dT%H%M%SZ")),
    });
    let mut lines = vec![
        "BEGIN:VCALENDAR".to_owned(),
        "VERSION:2.0".to_owned(),
        format!("PRODID:-//Hark//hark {}//EN", env!("CARGO_PKG_VERSION")),
    ];
    lines.extend(zone.iter().flat_map(|name| zone_lines(name, now.timestamp())));
    lines.extend([
        "BEGIN:VTODO".to_owned(),
        format!("UID:{uid}"),
        format!("DTSTAMP:{made}"),
        format!("CREATED:{made}"),
        format!("SUMMARY:{}", escaped(&task.title)),
        "STATUS:NEEDS-ACTION".to_owned(),
    ]);
    if let (Some(rule), Some(due)) = (repeats, &due) {
        // A rule needs a beginning (RFC 5545, 3.8.2.4).
        lines.push(format!("DTSTART{due}"));
        lines.push(format!("RRULE:{}", escaped_rule(rule)));
    }
    lines.extend(due.map(|due| format!("DUE{due}")));
    lines.extend(["END:VTODO", "END:VCALENDAR"].map(str::to_owned));
    lines.iter().map(|line| folded(line)).collect()
}

#[cfg(test)]
#[path = "tasks_tests.rs"]
mod tests;
