//! `calendar.*`: what is in the household's calendars, and new events.

use super::{day_fields, without_article};
use crate::tools::args::Args;
use crate::tools::outcome::{Failure, Outcome, Prepared};
use crate::tools::services::Services;
use chrono::{DateTime, Duration, NaiveDateTime, NaiveTime, Timelike, Utc};
use hark_core::calendar::{Frequency, Recurrence, When};
use hark_core::tool::{
    error_code,
    reason::{self, Part},
};
use hark_home::undo::Undoable;
use hark_personal::{Answer, Attendee, Event, NewEvent, PersonalError, Revision, Time, Wall};
use serde_json::{Map, Value, json};
use std::collections::HashSet;
use std::sync::Arc;

/// How a moment is written in ids and results, to the minute.
pub(super) const MINUTE: &str = "%Y-%m-%dT%H:%M";
/// How far ahead is looked where no day was said, and where something is looked for by its name.
const DAYS_AHEAD: i64 = 7;
pub(super) const SEARCH_DAYS: i64 = 366;
/// How long what begins at a moment takes, where that was not said.
pub(super) const USUAL_MINUTES: i64 = 60;
/// Most events that are told.
const MAX_TOLD: usize = 50;
/// Most attendees that are listed for an event.
const MAX_ATTENDEES: usize = 10;

/// Whether there is a calendar.
pub fn ready(services: &Services) -> Result<(), Failure> {
    match services.personal.calendars.is_configured() {
        true => Ok(()),
        false => Err(PersonalError::NotConfigured("calendar").into()),
    }
}

/// `calendar.read`.
pub fn read(services: &Arc<Services>, args: &Args) -> Result<Prepared, Failure> {
    let (calendars, wall) = (services.personal.calendars.clone(), wall(services));
    let now = (services.clock)().naive_local();
    let (when, words) = (args.when("when"), args.text("words").map(|words| without_article(services, words)));
    let is_unanswered = args.flag("unanswered").unwrap_or(false);
    let own = if is_unanswered { own_addresses(services)? } else { services.personal.own_addresses.clone() };
    let span = span(when.as_ref(), words.is_some() || is_unanswered, now);
    Ok(Prepared::Work(Box::pin(async move {
        let mut found = calendars.read(span, wall).await?;
        // What is over today is not asked about any more.
        found.events.retain(|event| event.end > now || event.start >= now || span.1 <= now);
        if let Some(words) = &words {
            found.events.retain(|event| is_called(event, words));
        }
        if is_unanswered {
            // An invitation to what repeats is one.
            let mut seen = HashSet::new();
            found.events.retain(|event| awaits_answer(event, &own) && seen.insert(event.uid.clone()));
        }
        let shown = |event: &Event| Value::Object(shown(event, now, &own));
        let events: Vec<Value> = found.events.iter().take(MAX_TOLD).map(shown).collect();
        let mut detail = json!({
            "count": found.events.len(), "events": events, "unread": found.unread,
            "days": (span.1 - span.0).num_days().max(1),
        });
        if let (Some(_), Value::Object(detail)) = (when, &mut detail) {
            detail.extend(day_fields(span.0.date(), now.date()));
        }
        Ok(Outcome::answer(detail))
    })))
}

/// The time that is asked about.
pub(super) fn span(
    when: Option<&When>,
    is_search: bool,
    now: NaiveDateTime,
) -> (NaiveDateTime, NaiveDateTime) {
    let later = |days| now.checked_add_signed(Duration::days(days)).unwrap_or(now);
    match when {
        None if is_search => (now, later(SEARCH_DAYS)),
        None => (now, later(DAYS_AHEAD)),
        Some(when) if when.end() <= when.start() => (
            when.start(),
            when.start().checked_add_signed(Duration::minutes(USUAL_MINUTES)).unwrap_or(when.start()),
        ),
        Some(when) => (when.start(), when.end()),
    }
}

/// Whether all words are in the title of an event.
pub(super) fn is_called(event: &Event, words: &str) -> bool {
    let title = event.title.to_lowercase();
    words.to_lowercase().split_whitespace().all(|word| title.contains(word))
}

/// What names an event at one of its times.
pub(super) fn id_of(event: &Event) -> String {
    format!("{}@{}", event.uid, event.start.format(MINUTE))
}

/// The mail addresses of the household's own, by which invitations are known as theirs.
pub(super) fn own_addresses(services: &Services) -> Result<Vec<String>, Failure> {
    let own = services.personal.own_addresses.clone();
    if own.iter().all(|address| address.trim().is_empty()) {
        let message = "no mail address of the household is named, by which its invitations are known";
        return Err(Failure::not_set_up(Part::OwnAddresses, message).fix(
            "name the address invitations are sent to: personal.own_addresses = [\"anna@example.org\"]",
        ));
    }
    Ok(own)
}

/// Whether the household is invited to an event and has not answered.
pub(super) fn awaits_answer(event: &Event, own: &[String]) -> bool {
    event.attendees.iter().any(|one| one.is_one_of(own) && one.answer == Answer::None)
}

/// An event as results tell it, for the household with these mail addresses.
pub(super) fn shown(event: &Event, now: NaiveDateTime, own: &[String]) -> Map<String, Value> {
    let mut shown = day_fields(event.start.date(), now.date());
    let fields = [
        ("id", json!(id_of(event))),
        ("title", json!(event.title)),
        ("hour", json!(event.start.hour())),
        ("minute", json!(event.start.minute())),
        ("time", json!(event.start.format("%H:%M").to_string())),
        ("ends", json!(event.end.format(MINUTE).to_string())),
        ("all_day", json!(event.is_all_day)),
        ("repeats", json!(event.repeats)),
        ("task", json!(event.is_task)),
        ("running", json!(event.start < now && event.end > now)),
    ];
    shown.extend(fields.into_iter().map(|(name, value)| (name.to_owned(), value)));
    if let Some(place) = &event.place {
        shown.insert("place".into(), json!(place));
    }
    if !event.attendees.is_empty() {
        let attendee = |one: &Attendee| json!({"name": one.name, "answer": one.answer.word(), "own": one.is_one_of(own)});
        // The household's own are told of however many.
        let (own, others): (Vec<_>, Vec<_>) =
            event.attendees.iter().enumerate().partition(|(_, one)| one.is_one_of(own));
        let room = MAX_ATTENDEES.saturating_sub(own.len());
        let mut told: Vec<_> = own.into_iter().chain(others.into_iter().take(room)).collect();
        told.sort_by_key(|(at, _)| *at);
        shown.insert("attendees".into(), told.into_iter().map(|(_, one)| attendee(one)).collect());
        shown.insert("attendees_count".into(), json!(event.attendees.len()));
    }
    if let Some(one) = event.attendees.iter().find(|one| one.is_one_of(own)) {
        shown.insert("answer".into(), json!(one.answer.word()));
    }
    if let Some(organizer) = &event.organizer {
        shown.insert("organizer".into(), json!(organizer));
    }
    shown
}

/// `calendar.create`.
pub fn create(services: &Arc<Services>, args: &Args) -> Result<Prepared, Failure> {
    let zone = services.timers.zone();
    let now = (services.clock)().naive_local();
    let rule = args.text("recurrence").and_then(Recurrence::parse);
    let (start, end, is_all_day) = match &rule {
        Some(rule) => first_of(args, rule, now)?,
        None => length(args, &args.when("when").ok_or_else(no_time)?),
    };
    if end <= now && start < now {
        let failure = Failure::new(error_code::BAD_ARGUMENT, "that time is over");
        return Err(failure.with("argument", json!("when")));
    }
    let time = match is_all_day {
        true => Time::Days(start.date(), end.date()),
        false => Time::Moments(zone.unix_ms(start).div_euclid(1000), zone.unix_ms(end).div_euclid(1000)),
    };
    let repeats = rule.map(kept_rule);
    let event = NewEvent {
        title: args.owned("title").unwrap_or_default(),
        place: args.owned("place"),
        time,
        remind_minutes: args.integer("remind_minutes"),
        zone: repeats.as_ref().and_then(|_| zone.name(services.now_unix_ms())),
        repeats,
    };
    let calendars = services.personal.calendars.clone();
    let (made, wall) = (made(services), wall(services));
    Ok(Prepared::Work(Box::pin(async move {
        let (added, revision) = calendars.add(&event, made, wall).await?;
        let mut detail = json!({"id": id_of(&added), "event": shown(&added, now, &[])});
        if let Some(rule) = event.repeats {
            detail["recurrence"] = json!(rule);
        }
        Ok(Outcome::new(true, detail).undone_by(undoable(&added.title, "added", revision)))
    })))
}

fn no_time() -> Failure {
    Failure::new(error_code::BAD_ARGUMENT, "when it is was not said").with("missing", json!("when"))
}

/// How a change of the calendar is taken back.
pub(super) fn undoable(title: &str, what: &'static str, revision: Revision) -> Undoable {
    let Revision { place, before, after } = revision;
    Undoable::Event { title: title.to_owned(), what, place, before, after }
}

/// The clock on the wall of the house.
pub(super) fn wall(services: &Services) -> Wall {
    let zone = services.timers.zone();
    Arc::new(move |unix_s| zone.wall(unix_s.saturating_mul(1000)))
}

/// Now, as calendars write it.
pub(super) fn made(services: &Services) -> DateTime<Utc> {
    DateTime::<Utc>::from_timestamp_millis(services.now_unix_ms()).unwrap_or_default()
}

/// When an event that repeats begins and ends for the first time, and whether it takes whole days. It comes from the day that
/// was said on, or from now.
fn first_of(
    args: &Args,
    rule: &Recurrence,
    now: NaiveDateTime,
) -> Result<(NaiveDateTime, NaiveDateTime, bool), Failure> {
    let when = args.when("when");
    let from = when.map_or(now, |when| when.start().max(now) - Duration::minutes(1));
    Ok(length(args, &first_time(rule, when, from)?))
}

/// The first time after `from` of what comes again by a rule, at the time of day that `when` says where the rule says none.
pub(super) fn first_time(
    rule: &Recurrence,
    when: Option<When>,
    from: NaiveDateTime,
) -> Result<When, Failure> {
    if matches!(rule.frequency, Frequency::Minutely | Frequency::Hourly) {
        return Err(
            Failure::new(error_code::UNSUPPORTED, "nothing comes so often").because(reason::TOO_OFTEN)
        );
    }
    if !rule.later.is_empty() {
        let message = "an event cannot come several times a day: each time needs an event of its own";
        return Err(Failure::new(error_code::UNSUPPORTED, message).because(reason::TOO_OFTEN));
    }
    let said = when.filter(When::has_time).map(|when| when.start().time());
    let rule = Recurrence { time: rule.time.or(said), ..rule.clone() };
    let never =
        || Failure::new(error_code::BAD_ARGUMENT, "that day never comes").because(reason::NEVER_COMES);
    let start = rule.next_after(from, from).ok_or_else(never)?;
    Ok(if rule.time.is_some() { When::Moment(start) } else { When::Day(start.date()) })
}

/// A rule as calendars keep it: times of day are those of its first time.
pub(super) fn kept_rule(rule: Recurrence) -> String {
    Recurrence { time: None, later: Vec::new(), ..rule }.to_string()
}

/// When a new event begins and ends, and whether it takes whole days.
fn length(args: &Args, when: &When) -> (NaiveDateTime, NaiveDateTime, bool) {
    let start = when.start();
    let hours = args.number("hours").map(|hours| (hours * 60.0).round() as i64);
    let minutes = match (hours, args.integer("minutes")) {
        (None, None) => None,
        (hours, minutes) => Some(Duration::minutes(hours.unwrap_or(0) + minutes.unwrap_or(0))),
    };
    let after = |length: Duration| start.checked_add_signed(length).unwrap_or(start);
    if let Some(until) = args.when("until") {
        // "Until four": a time of the same day; "until Sunday" is the end of it.
        let end = if until.has_time() { until.end() } else { until.end().date().and_time(NaiveTime::MIN) };
        return (start, end, !when.has_time() && !until.has_time());
    }
    match when {
        When::Day(_) | When::Days(..) if minutes.is_none() => (start, when.end(), true),
        _ if minutes.is_none() && when.end() > start => (start, when.end(), false),
        _ => (start, after(minutes.unwrap_or_else(|| Duration::minutes(USUAL_MINUTES))), false),
    }
}
