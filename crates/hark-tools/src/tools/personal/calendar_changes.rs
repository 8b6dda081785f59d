//! `calendar.change` and `calendar.remove`: another title, day, time or place for an event, answers to invitations, and events taken
//! out. Of an event that repeats one time is meant, where not all were said; of an invitation all, where no day was said.

use super::calendar::{
    SEARCH_DAYS, USUAL_MINUTES, awaits_answer, id_of, is_called, made, own_addresses, shown, span, undoable,
    wall,
};
use super::without_article;
use crate::tools::args::Args;
use crate::tools::clock::reschedule::Aim;
use crate::tools::outcome::{Failure, Look, Outcome, Prepared};
use crate::tools::services::Services;
use chrono::{Duration, NaiveDateTime};
use hark_core::calendar::When;
use hark_core::tool::{error_code, reason};
use hark_home::permission_gate::{Danger, REMOVE};
use hark_home::zone::Zone;
use hark_personal::{Answer, Calendars, Change, Event, Series, Time, Wall};
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// Most events between which is asked.
const MAX_CANDIDATES: usize = 5;
/// What tells a new time.
const TIMES: [&str; 5] = ["to", "time", "hours", "minutes", "direction"];

/// Which event is meant.
struct Asking {
    /// Its id in the calendar, and when it begins.
    id: Option<(String, Option<NaiveDateTime>)>,
    words: Option<String>,
    when: Option<When>,
    /// Only invitations that await an answer, of whoever has one of these addresses.
    unanswered: Option<Vec<String>>,
}

impl Asking {
    fn of(services: &Services, args: &Args) -> Self {
        let id = args.text("id").map(|id| match id.rsplit_once('@') {
            Some((uid, at)) => match When::parse(at) {
                Some(When::Moment(at)) => (uid.to_owned(), Some(at)),
                _ => (id.to_owned(), None),
            },
            None => (id.to_owned(), None),
        });
        let words = args.text("words").map(|words| without_article(services, words));
        Self { id, words, when: args.when("when"), unanswered: None }
    }

    /// The one event that is meant; of one that repeats the next time.
    async fn find(&self, calendars: &Calendars, wall: &Wall, now: NaiveDateTime) -> Result<Event, Failure> {
        let far = now.checked_add_signed(Duration::days(SEARCH_DAYS)).unwrap_or(now);
        let is_search = self.words.is_some() || self.unanswered.is_some();
        let span = match (&self.id, self.when) {
            (Some((_, Some(at))), _) => (*at, *at + Duration::minutes(1)),
            (Some((_, None)), _) => (now, far),
            // Of which half of a day, and of which day, an hour is shows in what there is.
            (None, Some(When::Moment(at))) => {
                let (soon, _) = span(None, is_search, now);
                let (_, later) = span(None, is_search, at.max(now));
                (soon, later)
            }
            (None, when) => span(when.as_ref(), is_search, now),
        };
        let mut found = calendars.read(span, wall.clone()).await?.events;
        found.retain(|event| match &self.id {
            Some((uid, at)) => event.uid == *uid && at.is_none_or(|at| event.start == at),
            None => event.end > now && self.words.as_ref().is_none_or(|words| is_called(event, words)),
        });
        if let (None, Some(When::Moment(at))) = (&self.id, self.when) {
            found = at_time(found, at);
        }
        if let Some(own) = &self.unanswered {
            found.retain(|event| awaits_answer(event, own));
        }
        let mut seen = std::collections::HashSet::new();
        found.retain(|event| seen.insert(event.uid.clone()));
        let exact = |event: &Event| {
            self.words.as_ref().is_some_and(|words| event.title.to_lowercase() == words.to_lowercase())
        };
        if found.iter().filter(|event| exact(event)).count() == 1 {
            found.retain(exact);
        }
        match found.len() {
            0 => Err(self.none()),
            1 => Ok(found.remove(0)),
            _ => {
                let shown = |event: &Event| Value::Object(shown(event, now, &[]));
                let candidates: Vec<Value> = found.iter().take(MAX_CANDIDATES).map(shown).collect();
                let message = format!("{} events fit", found.len());
                Err(Failure::new(error_code::AMBIGUOUS, message).with("candidates", json!(candidates)))
            }
        }
    }

    fn none(&self) -> Failure {
        let failure =
            Failure::new(error_code::NOT_FOUND, "there is no such event").because(reason::NO_SUCH_EVENT);
        match &self.words {
            Some(words) => failure.with("words", json!(words)),
            None => failure,
        }
    }
}

/// The events that begin at a moment, else at that hour of either half of the day, on that day or the next on which there is one.
fn at_time(found: Vec<Event>, at: NaiveDateTime) -> Vec<Event> {
    let other = at.time().overflowing_add_signed(Duration::hours(12)).0;
    let fits: [&dyn Fn(&Event) -> bool; 4] = [
        &|event| event.start == at,
        &|event| event.start == at.date().and_time(other),
        &|event| event.start.time() == at.time(),
        &|event| event.start.time() == other,
    ];
    let timed: Vec<Event> = found.into_iter().filter(|event| !event.is_all_day).collect();
    let chosen = fits.iter().find(|fits| timed.iter().any(fits));
    match chosen {
        Some(fits) => timed.into_iter().filter(|event| fits(event)).collect(),
        None => Vec::new(),
    }
}

/// What calls of both tools need.
struct Call {
    calendars: Calendars,
    asking: Asking,
    series: Series,
    wall: Wall,
    zone: Zone,
    now: NaiveDateTime,
    made: chrono::DateTime<chrono::Utc>,
    own: Vec<String>,
}

impl Call {
    fn of(services: &Services, args: &Args) -> Self {
        Self {
            calendars: services.personal.calendars.clone(),
            asking: Asking::of(services, args),
            series: if args.text("series") == Some("all") { Series::All } else { Series::One },
            wall: wall(services),
            zone: services.timers.zone(),
            now: (services.clock)().naive_local(),
            made: made(services),
            own: services.personal.own_addresses.clone(),
        }
    }

    /// The event with which of its times were meant, as results and questions tell it.
    fn told(&self, event: &Event) -> Map<String, Value> {
        let mut told =
            Map::from_iter([("event".to_owned(), Value::Object(shown(event, self.now, &self.own)))]);
        if event.repeats {
            let series = if self.series == Series::All { "all" } else { "one" };
            told.insert("series".to_owned(), json!(series));
        }
        told
    }
}

/// `calendar.remove`.
pub fn remove(services: &Arc<Services>, args: &Args) -> Result<Prepared, Failure> {
    let call = Call::of(services, args);
    let look: Look = Box::pin(async move {
        let event = call.asking.find(&call.calendars, &call.wall, call.now).await?;
        let about = call.told(&event);
        let danger = Danger::new(REMOVE, id_of(&event), &event.title);
        let danger = danger.told("event", json!({"title": event.title}));
        let detail = about.clone();
        let work = Box::pin(async move {
            let Call { calendars, series, made, wall, .. } = call;
            let revision = calendars.remove(&event, series, (made, wall)).await?;
            let undo = undoable(&event.title, "removed", revision);
            Ok(Outcome::new(true, Value::Object(detail)).undone_by(undo))
        });
        Ok(Prepared::Asked { danger, about, work })
    });
    Ok(Prepared::Look(look))
}

/// `calendar.change`.
pub fn change(services: &Arc<Services>, args: &Args) -> Result<Prepared, Failure> {
    let call = Call::of(services, args);
    let (title, place) = (args.owned("title"), args.owned("place"));
    let is_moved = TIMES.iter().any(|name| args.value(name).is_some());
    if let Some(answer) = args.text("answer").and_then(Answer::of_word) {
        if is_moved || title.is_some() || place.is_some() || args.value("until").is_some() {
            let message = "an invitation is answered by a call of its own, without other changes";
            return Err(Failure::wrong_call("answer", message));
        }
        return answer_invitation(services, args, call, answer);
    }
    let aim = match is_moved || title.is_none() && place.is_none() && args.when("until").is_none() {
        true => Some((Aim::of(args)?, args.when("to"))),
        false => None,
    };
    let until = args.when("until");
    Ok(Prepared::Work(Box::pin(async move {
        let before = call.asking.find(&call.calendars, &call.wall, call.now).await?;
        let time = match (&aim, until) {
            (None, None) => None,
            (aim, until) => Some(new_time(&call, &before, aim.as_ref(), until)?),
        };
        let change = Change { title, place, time };
        let Call { calendars, series, made, wall, .. } = &call;
        let (after, revision) = calendars.change(&before, &change, *series, (*made, wall.clone())).await?;
        let mut detail = call.told(&after);
        if before.repeats {
            detail.extend(call.told(&before).remove_entry("series"));
        }
        detail.insert("before".to_owned(), Value::Object(shown(&before, call.now, &call.own)));
        Ok(Outcome::new(true, Value::Object(detail)).undone_by(undoable(&after.title, "changed", revision)))
    })))
}

/// `calendar.change` with an answer to an invitation. Where nothing was said of it, the one that awaits an answer is meant.
fn answer_invitation(
    services: &Services,
    args: &Args,
    mut call: Call,
    answer: Answer,
) -> Result<Prepared, Failure> {
    let own = own_addresses(services)?;
    if call.asking.id.is_none() && call.asking.words.is_none() {
        call.asking.unanswered = Some(own.clone());
    }
    if args.text("series").is_none() && args.when("when").is_none() {
        call.series = Series::All;
    }
    Ok(Prepared::Work(Box::pin(async move {
        let before = call.asking.find(&call.calendars, &call.wall, call.now).await?;
        let Call { calendars, series, made, wall, .. } = &call;
        let whose = (own.as_slice(), answer);
        let (after, revision, is_sent) =
            calendars.answer(&before, whose, *series, (*made, wall.clone())).await?;
        let mut detail = call.told(&after);
        if before.repeats {
            detail.extend(call.told(&before).remove_entry("series"));
        }
        detail.insert("before".to_owned(), Value::Object(shown(&before, call.now, &call.own)));
        detail.insert("organizer_told".to_owned(), json!(is_sent));
        Ok(Outcome::new(true, Value::Object(detail)).undone_by(undoable(&after.title, "changed", revision)))
    })))
}

/// When an event is then: as long as it was, where its end was not said.
fn new_time(
    call: &Call,
    event: &Event,
    aim: Option<&(Aim, Option<When>)>,
    until: Option<When>,
) -> Result<Time, Failure> {
    let unix_s = |wall| call.zone.unix_ms(wall).div_euclid(1000);
    let start = match aim {
        None => event.start,
        Some((_, Some(When::Day(day)))) if event.is_all_day => {
            let length = event.end.date() - event.start.date();
            return Ok(Time::Days(*day, *day + length));
        }
        Some((_, Some(When::Days(from, to)))) if event.is_all_day => return Ok(Time::Days(*from, *to)),
        Some((aim, _)) => aim.from(event.start, call.now)?,
    };
    let end = match until {
        Some(until) if until.has_time() => until.end(),
        Some(until) => until.end().date().and_time(event.end.time()),
        // What had no time of day gets one now.
        None if event.is_all_day => start + Duration::minutes(USUAL_MINUTES),
        None => start + (event.end - event.start),
    };
    if end < start {
        return Err(Failure::new(error_code::BAD_ARGUMENT, "the event ends before it begins"));
    }
    Ok(Time::Moments(unix_s(start), unix_s(end)))
}
