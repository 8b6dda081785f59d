//! The times of a task that comes again (RFC 5545): which one is open, and what of its text has to change when that one is done.

use crate::error::PersonalError;
use crate::events::{at_wall, parts};
use calcard::common::timezone::Tz;
use calcard::datecalc::rrule::RRule;
use calcard::icalendar::{
    ICalendar, ICalendarComponent, ICalendarComponentType, ICalendarParameterName, ICalendarProperty,
    ICalendarRecurrenceRule, ICalendarStatus, ICalendarValue,
};
use calcard::{Entry, Parser};
use chrono::{DateTime, Duration, NaiveDateTime, TimeZone};

/// Most times of one task that are gone through: fifty years of one that is daily.
const MAX_TIMES: usize = 20_000;

/// What a wall clock of the house shows at a moment, seconds since the Unix epoch.
type Wall<'a> = &'a dyn Fn(i64) -> NaiveDateTime;

/// A time of a task that comes again.
#[derive(Debug, Clone)]
pub(crate) struct Time {
    /// When it begins, or is due where no beginning is told.
    pub(crate) begins: DateTime<Tz>,
    /// Its component in the calendar.
    pub(crate) component: usize,
    /// It has a component of its own.
    pub(crate) is_override: bool,
}

/// How a text tells that a task is done.
#[derive(Debug, Clone)]
pub(crate) enum Completion {
    /// The task is done.
    Whole,
    /// The series goes on with a later time.
    Later {
        /// So much later than the time that is done, by the clock of the text.
        by: Duration,
        /// The same as it passes: an hour more or less where clocks are set in between.
        elapsed: Duration,
        /// How many times are left, where the rule counts them.
        count: Option<u32>,
    },
    /// This time alone is done. Programs that keep each time by itself have written the others of the series so.
    One(Time),
}

/// Whether it is a task that nobody has marked as done or cancelled.
pub(crate) fn is_open(task: &ICalendarComponent) -> bool {
    task.component_type == ICalendarComponentType::VTodo
        && !matches!(task.status(), Some(ICalendarStatus::Cancelled | ICalendarStatus::Completed))
        && task.property(&ICalendarProperty::Completed).is_none()
}

/// The open tasks of a calendar: of a series of which single times were changed the next open time, of others the task itself.
/// The second value counts series whose times could not be gone through.
pub(crate) fn open_tasks(part: &ICalendar) -> (Vec<(&ICalendarComponent, Option<Time>)>, usize) {
    let masters = part
        .components
        .iter()
        .filter(|task| is_open(task) && !task.is_recurrence_override())
        .collect::<Vec<_>>();
    let has_changed_times = part.components.iter().any(ICalendarComponent::is_recurrence_override);
    if !has_changed_times || !masters.iter().any(|task| task.is_recurrent_or_override()) {
        return (masters.into_iter().map(|task| (task, None)).collect(), 0);
    }
    let Ok(times) = times(part) else { return (Vec::new(), 1) };
    let open = times.into_iter().find_map(|time| {
        let component = part.components.get(time.component).filter(|component| is_open(component))?;
        Some((component, Some(time)))
    });
    (open.into_iter().collect(), 0)
}

/// The times of the one task of a calendar that comes again, the first first.
fn times(part: &ICalendar) -> Result<Vec<Time>, PersonalError> {
    let expanded = part.expand_dates(Tz::Floating, MAX_TIMES);
    if !expanded.errors.is_empty() || expanded.events.is_empty() {
        return Err(PersonalError::TaskRepeats);
    }
    let is_override =
        |at: usize| part.components.get(at).is_some_and(ICalendarComponent::is_recurrence_override);
    let time = |begins, component| Time { begins, component, is_override: is_override(component) };
    let mut times: Vec<Time> =
        expanded.events.iter().map(|event| time(event.start, event.comp_id as usize)).collect();
    times.sort_by_key(|time| time.begins);
    Ok(times)
}

/// What has to change in a text when a task of it is done at `now`, by the wall clock: what comes again moves to the next time that is
/// not over.
///
/// # Errors
/// When it is not there, or its repetition cannot be followed.
pub(crate) fn completion(
    text: &str,
    uid: &str,
    now: NaiveDateTime,
    wall: Wall<'_>,
) -> Result<Completion, PersonalError> {
    let mut parser = Parser::new(text);
    let part = loop {
        match parser.entry() {
            Entry::ICalendar(calendar) => {
                let found = parts(calendar).into_iter().find_map(|part| only(part, uid));
                if let Some(found) = found {
                    break found;
                }
            }
            Entry::Eof | Entry::TooManyComponents => return Err(PersonalError::Gone),
            _ => {}
        }
    };
    let is_master = |task: &&ICalendarComponent| is_todo(task) && !task.is_recurrence_override();
    let master = part.components.iter().find(is_master).ok_or(PersonalError::Gone)?;
    if !master.is_recurrent_or_override() {
        return Ok(Completion::Whole);
    }
    let rule = rule_of(master).ok_or(PersonalError::TaskRepeats)?;
    if part.components.iter().any(ICalendarComponent::is_recurrence_override) {
        let changed = part.components.iter().filter(|task| task.is_recurrence_override());
        // One that stands for all later times is not done with one of them.
        if changed.into_iter().any(stands_for_later) {
            return Err(PersonalError::TaskRepeats);
        }
        let open = |time: &Time| part.components.get(time.component).is_some_and(is_open);
        let next = times(&part)?.into_iter().find(open).ok_or(PersonalError::Gone)?;
        return Ok(Completion::One(next));
    }
    let times = times(&part)?;
    let (first, is_over) =
        (first_of(master).ok_or(PersonalError::TaskRepeats)?, is_over_at(master, now, wall));
    let later = |begins: &DateTime<Tz>| begins.naive_local() > first && !is_over(*begins);
    match times.iter().map(|time| time.begins).find(later) {
        Some(next) => {
            let count = rule.count.map(|count| count.saturating_sub(passed(&part, next)).max(1));
            let elapsed =
                moment(next.timezone(), next.naive_local(), wall) - moment(next.timezone(), first, wall);
            Ok(Completion::Later {
                by: next.naive_local() - first,
                elapsed: Duration::seconds(elapsed),
                count,
            })
        }
        None if times.len() >= MAX_TIMES => Err(PersonalError::TaskRepeats),
        None => Ok(Completion::Whole),
    }
}

/// When clocks show `local`, in seconds since the Unix epoch. Without a time zone they are those of the house.
fn moment(zone: Tz, local: NaiveDateTime, wall: Wall<'_>) -> i64 {
    if !zone.is_floating()
        && let Some(at) = zone.from_local_datetime(&local).earliest()
    {
        return at.timestamp();
    }
    let utc = local.and_utc().timestamp();
    // How far the house is ahead of UTC changes on few days: the second look is right on those too.
    (0..2).fold(utc, |at, _| utc - (wall(at).and_utc().timestamp() - at))
}

fn is_todo(component: &ICalendarComponent) -> bool {
    component.component_type == ICalendarComponentType::VTodo
}

/// A calendar with the components of this task alone; `None` when it has none.
fn only(mut part: ICalendar, uid: &str) -> Option<ICalendar> {
    part.components.retain(|one| !one.component_type.is_event_or_todo() || one.uid() == Some(uid));
    part.components.iter().any(is_todo).then_some(part)
}

/// The rule of a series, where it can be followed.
fn rule_of(master: &ICalendarComponent) -> Option<&ICalendarRecurrenceRule> {
    if master.property(&ICalendarProperty::Rdate).is_some() {
        return None;
    }
    match master.property(&ICalendarProperty::Rrule)?.values.first()? {
        ICalendarValue::RecurrenceRule(rule) if rule.rscale.is_none() => {
            RRule::from_floating_ical(rule).map(|_| rule.as_ref())
        }
        _ => None,
    }
}

fn stands_for_later(task: &ICalendarComponent) -> bool {
    let id = task.property(&ICalendarProperty::RecurrenceId);
    id.is_some_and(|id| id.params.iter().any(|param| param.name == ICalendarParameterName::Range))
}

/// A moment or day of a component by the clock of its text, and whether it has a time.
fn value_of(component: &ICalendarComponent, name: &ICalendarProperty) -> Option<(NaiveDateTime, bool)> {
    match component.property(name)?.values.first()? {
        ICalendarValue::PartialDateTime(time) => Some((time.to_date_time()?.date_time, time.has_time())),
        _ => None,
    }
}

/// When a series begins, by the clock of its text.
fn first_of(master: &ICalendarComponent) -> Option<NaiveDateTime> {
    let names = [ICalendarProperty::Dtstart, ICalendarProperty::Due];
    names.iter().find_map(|name| value_of(master, name)).map(|(at, _)| at)
}

/// How long after its beginning a task is due.
fn length_of(task: &ICalendarComponent) -> Duration {
    let value = |name| value_of(task, name).map(|(at, _)| at);
    match (value(&ICalendarProperty::Dtstart), value(&ICalendarProperty::Due)) {
        (Some(begins), Some(due)) => due - begins,
        _ => Duration::zero(),
    }
}

/// When a time of a series is due, by the wall clock.
pub(crate) fn due_at(master: &ICalendarComponent, time: &Time, wall: Wall<'_>) -> NaiveDateTime {
    let begins = at_wall(time.begins, wall);
    begins.checked_add_signed(length_of(master)).unwrap_or(begins)
}

/// Whether a time of a series that begins then is overdue at `now`.
fn is_over_at<'a>(
    master: &ICalendarComponent,
    now: NaiveDateTime,
    wall: Wall<'a>,
) -> impl Fn(DateTime<Tz>) -> bool + use<'a> {
    let length = length_of(master);
    let names = [ICalendarProperty::Due, ICalendarProperty::Dtstart];
    let is_timed = names.iter().find_map(|name| value_of(master, name)).is_some_and(|(_, is_timed)| is_timed);
    move |begins| {
        let begins = at_wall(begins, wall);
        let due = begins.checked_add_signed(length).unwrap_or(begins);
        if is_timed { due < now } else { due.date() < now.date() }
    }
}

/// How many times a rule counts before `next`: those that were left out as well.
fn passed(part: &ICalendar, next: DateTime<Tz>) -> u32 {
    let mut counted = part.clone();
    for component in &mut counted.components {
        component.entries.retain(|entry| entry.name != ICalendarProperty::Exdate);
    }
    let expanded = counted.expand_dates(Tz::Floating, MAX_TIMES);
    let before = expanded.events.iter().filter(|event| event.start < next).count();
    u32::try_from(before).unwrap_or(u32::MAX)
}
