//! `tasks.*`: the open tasks of the household's calendars: told, added and marked as done. What is said to be done may stand on a
//! list of Hark's own instead.

use super::calendar::{first_time, kept_rule, made, undoable, wall};
use super::{when_fields, without_article};
use crate::tools::args::Args;
use crate::tools::list;
use crate::tools::outcome::{Failure, Look, Outcome, Prepared};
use crate::tools::services::Services;
use chrono::{Duration, NaiveDateTime, NaiveTime};
use hark_core::calendar::{Recurrence, When};
use hark_core::text::words_of_name;
use hark_core::tool::{error_code, reason};
use hark_personal::{Due, NewDue, NewTask, Task};
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// How far ahead is looked for what is due, where no day was said.
const DAYS_AHEAD: i64 = 7;
/// Most tasks that are told.
const MAX_TOLD: usize = 50;
/// Most tasks between which is asked.
const MAX_CANDIDATES: usize = 5;

/// `tasks.read`.
pub fn read(services: &Arc<Services>, args: &Args) -> Result<Prepared, Failure> {
    let (calendars, wall) = (services.personal.calendars.clone(), wall(services));
    let now = (services.clock)().naive_local();
    let (when, is_due) = (args.when("when"), args.flag("due").unwrap_or(false));
    Ok(Prepared::Work(Box::pin(async move {
        let mut found = calendars.tasks(wall).await?;
        if when.is_some() || is_due {
            found.tasks.retain(|task| task.due.is_some_and(|due| is_within(due, when.as_ref(), now)));
        }
        let tasks: Vec<Value> =
            found.tasks.iter().take(MAX_TOLD).map(|task| Value::Object(shown(task, now))).collect();
        let mut detail = json!({"count": found.tasks.len(), "tasks": tasks, "unread": found.unread});
        if let Some(when) = &when {
            detail["when"] = Value::Object(at(when, now));
        }
        Ok(Outcome::answer(detail))
    })))
}

/// Whether something is due in the time that is asked about; what is overdue is due until it is done.
fn is_within(due: Due, when: Option<&When>, now: NaiveDateTime) -> bool {
    let far = now.checked_add_signed(Duration::days(DAYS_AHEAD)).unwrap_or(now);
    let (from, to) = when.map_or((now, far), |when| (when.start(), when.end().max(when.start())));
    let start = due.start();
    let is_now = from <= now && now < to;
    (start < to || start == from) && (start >= from || is_now)
}

/// Whether the time is over until which something was to be done.
fn is_overdue(due: Due, now: NaiveDateTime) -> bool {
    match due {
        Due::Day(day) => day < now.date(),
        Due::Moment(moment) => moment < now,
    }
}

/// A day or moment; midnight of what has no time is none.
fn at(when: &When, now: NaiveDateTime) -> Map<String, Value> {
    let mut fields = when_fields(when, now);
    fields.insert("all_day".to_owned(), json!(!when.has_time()));
    fields
}

/// A task as results tell it.
fn shown(task: &Task, now: NaiveDateTime) -> Map<String, Value> {
    let mut shown = match task.due {
        Some(Due::Day(day)) => at(&When::Day(day), now),
        Some(Due::Moment(moment)) => at(&When::Moment(moment), now),
        None => Map::new(),
    };
    let fields = [
        ("id", json!(task.uid)),
        ("title", json!(task.title)),
        ("due", json!(task.due.is_some())),
        ("overdue", json!(task.due.is_some_and(|due| is_overdue(due, now)))),
        ("repeats", json!(task.repeats)),
    ];
    shown.extend(fields.into_iter().map(|(name, value)| (name.to_owned(), value)));
    shown
}

/// `tasks.create`.
pub fn create(services: &Arc<Services>, args: &Args) -> Result<Prepared, Failure> {
    let zone = services.timers.zone();
    let now = (services.clock)().naive_local();
    let rule = args.text("recurrence").and_then(Recurrence::parse);
    let when = match &rule {
        Some(rule) => {
            let when = args.when("due");
            // What is due on a day may be due today.
            let is_timed = rule.time.is_some() || when.is_some_and(|when| when.has_time());
            let now = if is_timed { now } else { now.date().and_time(NaiveTime::MIN) };
            let from = when.map_or(now, |when| when.start().max(now)) - Duration::minutes(1);
            Some(first_time(rule, when, from)?)
        }
        None => args.when("due"),
    };
    let due = when.map(|when| match when {
        When::Moment(moment) => (NewDue::Moment(zone.unix_ms(moment).div_euclid(1000)), Due::Moment(moment)),
        // "Next week" is until the end of it.
        stretch => {
            let last = stretch.end() - Duration::nanoseconds(1);
            let day = last.max(stretch.start()).date();
            (NewDue::Day(day), Due::Day(day))
        }
    });
    if due.is_some_and(|(_, due)| is_overdue(due, now)) {
        let failure =
            Failure::new(error_code::BAD_ARGUMENT, "that time is over").because(reason::TIME_PASSED);
        return Err(failure.with("argument", json!("due")));
    }
    let repeats = rule.map(kept_rule);
    let task = NewTask {
        title: args.owned("title").unwrap_or_default(),
        due: due.map(|(new, _)| new),
        zone: repeats.as_ref().and_then(|_| zone.name(services.now_unix_ms())),
        repeats,
    };
    let (calendars, made, wall) = (services.personal.calendars.clone(), made(services), wall(services));
    Ok(Prepared::Work(Box::pin(async move {
        let (added, revision) = calendars.add_task(&task, made, wall).await?;
        let mut detail = json!({"task": shown(&added, now)});
        if let Some(rule) = task.repeats {
            detail["recurrence"] = json!(rule);
        }
        Ok(Outcome::new(true, detail).undone_by(undoable(&added.title, "added", revision)))
    })))
}

/// `tasks.complete`.
pub fn complete(services: &Arc<Services>, args: &Args) -> Result<Prepared, Failure> {
    let (services, args) = (Arc::clone(services), args.clone());
    let look: Look = Box::pin(async move {
        let has_list = args.text("name").is_some();
        if !services.personal.calendars.is_configured() && has_list {
            return list::complete(&services, &args);
        }
        let now = (services.clock)().naive_local();
        let words = args.text("item").map(|item| without_article(&services, item));
        let tasks = services.personal.calendars.tasks(wall(&services)).await?.tasks;
        let task = match meant(tasks, args.text("id"), words.as_deref(), now)? {
            Some(task) => task,
            None if has_list => return list::complete(&services, &args),
            None => return Err(no_such(words.as_deref())),
        };
        let (calendars, made, wall) = (services.personal.calendars.clone(), made(&services), wall(&services));
        Ok(Prepared::Work(Box::pin(async move {
            let (next, revision) = calendars.complete_task(&task, (made, wall)).await?;
            let mut detail = json!({"task": shown(&task, now)});
            if let Some(next) = next {
                detail["next"] = Value::Object(shown(&next, now));
            }
            Ok(Outcome::new(true, detail).undone_by(undoable(&task.title, "changed", revision)))
        })))
    });
    Ok(Prepared::Look(look))
}

/// The one task that is meant: that of an id, else the one that is called so, else the only one with all these words.
fn meant(
    mut tasks: Vec<Task>,
    id: Option<&str>,
    words: Option<&str>,
    now: NaiveDateTime,
) -> Result<Option<Task>, Failure> {
    let asked = words_of_name(words.unwrap_or_default());
    tasks.retain(|task| match id {
        Some(id) => task.uid == id,
        None => {
            let known = words_of_name(&task.title);
            !asked.is_empty() && asked.iter().all(|word| known.contains(word))
        }
    });
    if let Some(exact) = tasks.iter().position(|task| words_of_name(&task.title) == asked) {
        return Ok(Some(tasks.swap_remove(exact)));
    }
    if tasks.len() < 2 {
        return Ok(tasks.pop());
    }
    let candidate = |task: &Task| {
        let mut shown = shown(task, now);
        // It is asked about by its title alone.
        shown.insert("note".to_owned(), json!(true));
        Value::Object(shown)
    };
    let candidates: Vec<Value> = tasks.iter().take(MAX_CANDIDATES).map(candidate).collect();
    let failure = Failure::new(error_code::AMBIGUOUS, format!("{} tasks fit", tasks.len()));
    Err(failure.with("candidates", json!(candidates)))
}

fn no_such(words: Option<&str>) -> Failure {
    let failure = Failure::new(error_code::NOT_FOUND, "there is no such task").because(reason::NO_SUCH_TASK);
    match words {
        Some(words) => failure.with("words", json!(words)),
        None => failure,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_overdue_is_due_until_it_is_done() {
        let at = |text: &str| NaiveDateTime::parse_from_str(text, "%Y-%m-%dT%H:%M").unwrap();
        let now = at("2026-11-21T14:05");
        let (overdue, friday) =
            (Due::Moment(at("2026-11-20T09:00")), Due::Day(at("2026-11-27T00:00").date()));
        let day = |text: &str| When::parse(text).unwrap();
        let within = |due, when: &str| is_within(due, Some(&day(when)), now);
        assert!(within(overdue, "2026-11-21") && !within(overdue, "2026-11-22"));
        assert!(
            within(friday, "2026-11-27") && !within(friday, "2026-11-26") && !within(friday, "2026-11-28")
        );
        assert!(is_within(overdue, None, now) && is_within(friday, None, now));
        assert!(!is_within(Due::Day(at("2026-11-29T00:00").date()), None, now), "more than a week ahead");
        assert!(is_overdue(overdue, now) && !is_overdue(Due::Day(now.date()), now));
    }
}
