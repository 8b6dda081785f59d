//! `automation.*` and `home.restore_later`: what is carried out when something happens, and what is taken back then.

use super::args::Args;
use super::clock::alarm::{moment_shown, none};
use super::executor::allowed::dangers_of_tool;
use super::outcome::{Failure, Outcome, Prepared, blocking};
use super::services::Services;
use super::{table, undo};
use crate::names;
use hark_core::automation::intent::OF_TURN;
use hark_core::automation::{Action, Automation, Condition, Restored, Ring, Trigger, Until, intent};
use hark_core::home::{Entity, Home};
use hark_core::ports::HomeView;
use hark_core::timer::{Timer, TimerKind, TimerState};
use hark_core::tool::{error_code, reason};
use hark_core::{AutomationId, Intent, Route, Slots, TurnId};
use hark_home::automations::{AutomationError, Now, is_back};
use hark_home::command::{Action as DeviceAction, Actions};
use hark_home::permission_gate::{Danger, Guarded};
use hark_home::question::{asked_about, state_words};
use hark_home::restore::restore;
use hark_home::timers::{TimerQuery, id_of, left_ms};
use hark_home::undo::Undoable;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// Name of the tool that looks at what the calls before it have changed.
pub const RESTORE_LATER: &str = "home.restore_later";

/// Name of the tool that keeps what is carried out when something happens, and how it fails where nothing can be watched.
const ADD: &str = "automation.add";
const UNWATCHED: [&str; 2] = [error_code::NOT_FOUND, error_code::UNSUPPORTED];

/// Argument of the calls that requests come to which are kept for later.
const CALLS: &str = "calls";

/// What is asked of a person before something waits for a condition that is not true now.
const WAIT: &str = "wait";

/// `automation.add`.
pub fn add(services: &Arc<Services>, args: &Args) -> Result<Prepared, Failure> {
    let trigger: Trigger = typed(args, "trigger")?;
    let intents: Vec<Intent> = typed(args, "intents")?;
    let only_if: Vec<Condition> =
        if args.value("only_if").is_some() { typed(args, "only_if")? } else { Vec::new() };
    let repeats = args.flag("repeats").unwrap_or(false);
    let expires_unix_ms = match args.value("expires") {
        Some(_) => Some(services.automations.zone().unix_ms(typed(args, "expires")?)),
        None => None,
    };
    if intents.is_empty() {
        return Err(bad("intents", "there is nothing in it"));
    }
    let new = Automation {
        id: AutomationId(id_of(args.key())),
        said: args.owned("said").unwrap_or_default(),
        said_when: args.owned("said_when").unwrap_or_default(),
        language: args.owned("language").unwrap_or_default(),
        created_unix_ms: services.now_unix_ms(),
        trigger: bound(trigger, repeats, services)?,
        only_if,
        repeats,
        action: Action::Intents { intents },
        expires_unix_ms,
        was_true: false,
        were_true: Vec::new(),
        true_since_unix_ms: None,
        acting_since_unix_ms: None,
        held_since_unix_ms: None,
        next_unix_ms: None,
    };
    let snapshot = Snapshot::of(services);
    if let (Some(otherwise), Trigger::Becomes { condition, .. }) = (args.text("at_once"), &new.trigger) {
        let holds = services.automations.condition_holds(condition, snapshot.now())?;
        let is_kept = otherwise == "wait" || otherwise == "ask" && !args.is_unattended();
        if holds == Some(true) || !is_kept {
            let detail = json!({"carry_out": holds == Some(true), "watched": watched(&new, &snapshot)});
            return Ok(Prepared::Answer(Outcome::answer(detail)));
        }
        if otherwise == "ask" && !args.is_approved() {
            let message = format!("it is not so now: {}", new.said_when);
            return Err(Failure::new(error_code::NEEDS_APPROVAL, message)
                .with("act", json!(WAIT))
                .with("action", json!(WAIT))
                .with("name", json!(new.said_when))
                .with("watched", json!(watched(&new, &snapshot)))
                .with("known", json!(holds.is_some())));
        }
    }
    let services = Arc::clone(services);
    Ok(blocking(move || {
        let snapshot = Snapshot::of(&services);
        let kept = services.automations.add(new, snapshot.now())?;
        let detail = json!({"automation": shown(&kept, &services, &snapshot)});
        Ok(Outcome::new(true, detail)
            .undone_by(Undoable::Automation { before: None, after: Some(Box::new(kept)) }))
    }))
}

/// A call that requests come to which are kept for later.
#[derive(Deserialize)]
struct Later {
    tool: String,
    args: Slots,
}

/// What is dangerous about requests that are kept for later; empty where the call keeps none.
///
/// # Errors
/// Where it is open which of several things is meant: whoever would be asked at their time is not there any more.
pub fn dangers_of_later(services: &Arc<Services>, args: &Args) -> Result<Vec<Danger>, Failure> {
    if args.value(CALLS).is_none() {
        return Ok(Vec::new());
    }
    let mut dangers = Vec::new();
    for Later { tool, args } in typed::<Vec<Later>>(args, CALLS)? {
        let Some(tool) = table::find(&tool) else { continue };
        // What cannot be done now may be possible then.
        let Ok(args) = tool.check(&args) else { continue };
        let within = dangers_of_later(services, &args)?;
        match (tool.prepare)(services, &args) {
            Ok(prepared) => {
                dangers.extend(dangers_of_tool(tool, &args).into_iter().chain(within));
                match prepared {
                    Prepared::Home { actions, .. } => dangers.extend(actions.dangers()),
                    Prepared::Gated(danger, _) | Prepared::Asked { danger, .. } => dangers.push(danger),
                    // What a look shows now says nothing about then: it is asked about at its time.
                    Prepared::Look(_) => {}
                    Prepared::Answer(_) | Prepared::Work(_) | Prepared::Fetch { .. } => {}
                }
            }
            Err(failure) if failure.detail().contains_key("names") => return Err(failure),
            // What cannot be watched now cannot be then: "start the sprinkler at six unless it rains", without a weather.
            Err(failure) if tool.name == ADD && UNWATCHED.contains(&failure.code()) => return Err(failure),
            Err(_) => {}
        }
    }
    Ok(dangers)
}

/// What waits once for a ring waits for that of one timer, the first of those that are meant, and goes with it.
///
/// # Errors
/// When there is no such timer.
fn bound(trigger: Trigger, repeats: bool, services: &Services) -> Result<Trigger, Failure> {
    let Trigger::Rings { ring } = trigger else { return Ok(trigger) };
    if repeats {
        return Ok(Trigger::Rings { ring });
    }
    let will_ring = |timer: &Timer| timer.kind != TimerKind::Command && timer.state != TimerState::Ringing;
    let meant = match ring.of {
        Some(kind) => {
            let query = TimerQuery { kind, name: ring.name.clone(), day: ring.day, ..TimerQuery::default() };
            let fit = services.timers.matching(&query).into_iter().filter(will_ring);
            fit.min_by_key(|timer| timer.due_unix_ms)
        }
        None => services.timers.all().into_iter().filter(will_ring).max_by_key(|timer| timer.created_unix_ms),
    };
    let meant = meant.ok_or_else(|| none(ring.of.unwrap_or_default()))?;
    Ok(Trigger::Rings { ring: Ring { timer: Some(meant.id), ..ring } })
}

/// `home.restore_later`: what this request has changed, or one before it, is changed back then.
pub fn restore_later(services: &Arc<Services>, args: &Args) -> Result<Prepared, Failure> {
    let until: Until = typed(args, "until")?;
    let Some(turn) = args.turn().cloned() else {
        return Err(Failure::new(error_code::FAILED, "only a request can be taken back later"));
    };
    let turn = args.owned(OF_TURN).map_or(turn, TurnId);
    let (said_when, language) = (args.owned("said_when"), args.owned("language"));
    let key = args.key().to_owned();
    let services = Arc::clone(services);
    Ok(blocking(move || {
        let snapshot = Snapshot::of(&services);
        let trigger = bound(services.automations.end_of(&until, snapshot.now())?, false, &services)?;
        let mut devices: Vec<Restored> = Vec::new();
        // The last change comes first; of a device that was changed twice the oldest state counts.
        for change in services.undo.of(&turn) {
            if let Undoable::Device(before) | Undoable::Unproved(before) = change {
                let now = snapshot.home.entities.iter().find(|entity| entity.id == before.id);
                let Some(after) = now.filter(|now| !restore(&before, now).is_empty()) else { continue };
                devices.retain(|known| known.before.id != before.id);
                devices.push(Restored { before: *before, after: after.clone(), back_since_unix_ms: None });
            }
        }
        let mut replaced = Vec::new();
        if devices.is_empty() {
            devices = services.undo.already(&turn).into_iter().filter_map(ended).collect();
            replaced = take_ends_of(&mut devices, &services)?;
        }
        if devices.is_empty() {
            return Ok(Outcome::answer(json!({"count": 0})));
        }
        let new = Automation {
            id: AutomationId(id_of(&key)),
            said: String::new(),
            said_when: said_when.unwrap_or_default(),
            language: language.unwrap_or_default(),
            created_unix_ms: snapshot.unix_ms,
            trigger,
            only_if: Vec::new(),
            repeats: false,
            action: Action::Restore { devices },
            expires_unix_ms: None,
            was_true: false,
            were_true: Vec::new(),
            true_since_unix_ms: None,
            acting_since_unix_ms: None,
            held_since_unix_ms: None,
            next_unix_ms: None,
        };
        let kept = services.automations.add(new, snapshot.now())?;
        let mut detail = json!({"automation": shown(&kept, &services, &snapshot)});
        if let Action::Restore { devices } = &kept.action {
            detail["count"] = json!(devices.len());
        }
        let kept = Undoable::Automation { before: None, after: Some(Box::new(kept)) };
        Ok(replaced.into_iter().fold(Outcome::new(true, detail), Outcome::undone_by).undone_by(kept))
    }))
}

/// "On until eleven" of what is on already: it goes off then. `None` for what cannot.
fn ended(after: Entity) -> Option<Restored> {
    let before = undo::at_rest(&after);
    let goes = !restore(&before, &after).is_empty();
    goes.then_some(Restored { before, after, back_since_unix_ms: None })
}

/// Takes away the other ends that some things have, as they have a new one, and what these go back to.
fn take_ends_of(devices: &mut [Restored], services: &Services) -> Result<Vec<Undoable>, Failure> {
    let mut taken = Vec::new();
    for known in services.automations.all()? {
        let Action::Restore { devices: ends } = &known.action else { continue };
        let has = |end: &Restored| devices.iter().any(|device| device.before.id == end.before.id);
        if ends.is_empty() || !ends.iter().all(has) {
            continue;
        }
        for end in ends {
            let same = devices.iter_mut().filter(|device| device.before.id == end.before.id);
            same.for_each(|device| device.before = end.before.clone());
        }
        if let Some(before) = services.automations.remove(&known.id)? {
            taken.push(Undoable::Automation { before: Some(Box::new(before)), after: None });
        }
    }
    Ok(taken)
}

/// `automation.change_end`: what was to last for some time ends at another one.
pub fn change_end(services: &Arc<Services>, args: &Args) -> Result<Prepared, Failure> {
    let until: Until = typed(args, "until")?;
    let id = AutomationId(args.owned("id").unwrap_or_default());
    let services = Arc::clone(services);
    Ok(blocking(move || {
        let snapshot = Snapshot::of(&services);
        let gone =
            || Failure::new(error_code::NOT_FOUND, "that has ended already").because(reason::ENDED_ALREADY);
        let known = services.automations.all()?.into_iter().find(|known| known.id == id).ok_or_else(gone)?;
        let trigger = match (&until, &known.trigger) {
            (Until::Later { seconds }, Trigger::At { unix_ms }) => {
                Trigger::At { unix_ms: (unix_ms + seconds * 1000).max(snapshot.unix_ms) }
            }
            _ => bound(services.automations.end_of(&until, snapshot.now())?, false, &services)?,
        };
        let before = services.automations.remove(&id)?.ok_or_else(gone)?;
        let changed = Automation { trigger, said_when: String::new(), ..before.clone() };
        let kept = services.automations.add(changed, snapshot.now())?;
        let detail = json!({"count": 1, "automation": shown(&kept, &services, &snapshot)});
        Ok(Outcome::new(true, detail)
            .undone_by(Undoable::Automation { before: Some(Box::new(before)), after: Some(Box::new(kept)) }))
    }))
}

/// `automation.restore`: the end of what was to last for some time. What was changed since stays as it is.
pub fn restore_now(services: &Arc<Services>, args: &Args) -> Result<Prepared, Failure> {
    let id = args.owned("id").unwrap_or_default();
    let found = services.automations.all()?.into_iter().find(|known| known.id.0 == id);
    let Some(Action::Restore { devices }) = found.map(|found| found.action) else {
        return Err(Failure::new(error_code::NOT_FOUND, "there is nothing of that name to take back"));
    };
    let home = services.home.registry().home();
    let mut list = Vec::new();
    for Restored { before, after, .. } in devices {
        let Some(now) = home.entities.iter().find(|entity| entity.id == before.id) else { continue };
        if restore(&after, now).is_empty() {
            let commands = restore(&before, now).into_iter();
            list.extend(commands.map(|command| DeviceAction { entity: now.clone(), command }));
        }
    }
    if list.is_empty() {
        return Ok(Prepared::Answer(Outcome::answer(json!({"count": 0, "entities": []}))));
    }
    Ok(Prepared::Home { actions: Actions { home, list }, about: Map::new(), also: None })
}

/// What is kept for words that somebody has said.
pub fn routine(services: &Services, text: &str) -> Option<Intent> {
    let Automation { id, action: Action::Intents { intents }, .. } = services.automations.said(text)? else {
        return None;
    };
    let slots = [("id", json!(id)), (intent::INTENTS, json!(intents))];
    Some(Intent {
        name: intent::RUN.to_owned(),
        slots: slots.map(|(slot, value)| (slot.to_owned(), value)).into_iter().collect(),
        confidence: 1.0,
        route: Route::Template,
        why: "it is kept for these words".to_owned(),
        response: None,
        single: false,
    })
}

/// `automation.run`: whether what is kept for words that were said may be carried out now.
pub fn run(services: &Arc<Services>, args: &Args) -> Result<Prepared, Failure> {
    let id = args.owned("id").unwrap_or_default();
    let Some(kept) = services.automations.all()?.into_iter().find(|known| known.id.0 == id) else {
        return Err(Failure::new(error_code::NOT_FOUND, "nothing of that name is kept"));
    };
    let snapshot = Snapshot::of(services);
    let holds = |it: &Condition| Ok(services.automations.condition_holds(it, snapshot.now())? == Some(true));
    let may = kept.only_if.iter().map(holds).collect::<Result<Vec<bool>, AutomationError>>()?;
    let detail = json!({"carry_out": may.into_iter().all(|holds| holds)});
    Ok(Prepared::Answer(Outcome::answer(detail)))
}

/// `automation.list`: what waits, with requests that wait for a time.
pub fn list(services: &Arc<Services>, args: &Args) -> Result<Prepared, Failure> {
    let snapshot = Snapshot::of(services);
    let mut all = services.automations.all()?;
    all.retain(|one| match &one.action {
        Action::Restore { devices } => devices.iter().any(|device| !is_back(device, &snapshot.home)),
        Action::Intents { .. } => true,
    });
    let named = args.owned("name");
    if let Some(name) = &named {
        all.retain(|one| device_names(one).iter().any(|known| names::is_one_of(name, [*known])));
    }
    let mut waiting: Vec<Value> = all.iter().map(|one| shown(one, services, &snapshot)).collect();
    let mut timers = services.timers.all();
    timers.sort_by_key(|timer| timer.due_unix_ms);
    let is_meant = |timer: &Timer| {
        let has_name =
            |name: &str| timer.name.as_deref().is_some_and(|known| names::holds_words(known, name));
        named.as_deref().is_none_or(has_name)
    };
    // Who asks for all that is coming up means what rings at a time of day as well.
    let waits = |timer: &&Timer| match timer.kind {
        TimerKind::Command => is_meant(timer),
        TimerKind::Reminder | TimerKind::Alarm => named.is_none(),
        TimerKind::Timer => false,
    };
    for timer in timers.iter().filter(waits) {
        let when = super::clock::alarm::shown(timer, services.timers.zone(), snapshot.unix_ms);
        let left_ms = left_ms(timer, snapshot.unix_ms);
        let said = timer.name.as_deref().unwrap_or_default();
        waiting.push(json!({
            "id": timer.id, "kind": timer.kind, "said": said, "said_when": "", "when": when, "left_ms": left_ms,
        }));
    }
    Ok(Prepared::Answer(Outcome::answer(json!({"count": waiting.len(), "automations": waiting}))))
}

/// `automation.cancel`: the last one, those of which some words were said, or all; with requests that wait for a time. What rings
/// is meant where nothing else has these words: "cancel the pasta".
pub fn cancel(services: &Arc<Services>, args: &Args) -> Result<Prepared, Failure> {
    let (words, all) = (args.owned("words"), args.flag("all").unwrap_or(false));
    let id = args.owned("id");
    let services = Arc::clone(services);
    Ok(blocking(move || {
        let snapshot = Snapshot::of(&services);
        let mut meant = services.automations.all()?;
        if let Some(id) = &id {
            meant.retain(|one| one.id.0 == *id);
        } else if let Some(words) = &words {
            meant.retain(|one| {
                let named = device_names(one).join(" ");
                names::holds_words(&format!("{} {} {named}", one.said, one.said_when), words)
            });
        } else if !all && meant.len() > 1 {
            meant.drain(..meant.len() - 1);
        }
        let holds = |timer: &Timer| {
            let name = timer.name.as_deref().unwrap_or_default();
            let has_words = || words.as_ref().is_some_and(|words| names::holds_words(name, words));
            id.as_ref().map_or_else(|| all || has_words(), |id| timer.id.0 == *id)
        };
        let mut timed: Vec<Timer> = services.timers.all();
        // The last one is one that waits for a time where nothing else waits.
        let is_last = id.is_none() && words.is_none() && !all && meant.is_empty();
        let last = timed.iter().rev().find(|timer| is_last && timer.kind == TimerKind::Command).cloned();
        timed.retain(holds);
        timed.extend(last);
        if all || !meant.is_empty() || timed.iter().any(|it| it.kind == TimerKind::Command) {
            timed.retain(|timer| timer.kind == TimerKind::Command);
        }
        if meant.is_empty() && timed.is_empty() {
            return Err(Failure::new(error_code::NOT_FOUND, "nothing of the kind waits")
                .because(reason::NOTHING_WAITS));
        }
        let mut outcome = Outcome::new(true, json!({}));
        let mut gone = Vec::new();
        for one in meant {
            if let Some(known) = services.automations.remove(&one.id)? {
                gone.push(shown(&known, &services, &snapshot));
                outcome =
                    outcome.undone_by(Undoable::Automation { before: Some(Box::new(known)), after: None });
            }
        }
        for timer in timed {
            let known = services.timers.cancel(&timer.id)?;
            let kind = super::clock::alarm::key(known.kind);
            gone.push(json!({"said": known.name, "said_when": "", "kind": kind}));
            outcome = outcome.undone_by(Undoable::Timer { before: Some(Box::new(known)), after: None });
        }
        outcome.detail.insert("count".into(), json!(gone.len()));
        outcome.detail.insert("automations".into(), Value::Array(gone));
        Ok(outcome)
    }))
}

/// The home at a moment.
struct Snapshot {
    home: Arc<Home>,
    area: Option<String>,
    unix_ms: i64,
}

impl Snapshot {
    fn of(services: &Services) -> Self {
        let home = services.home.registry().home();
        Self { home, area: services.default_area(), unix_ms: services.now_unix_ms() }
    }

    fn now(&self) -> Now<'_> {
        Now { home: &self.home, area: self.area.as_deref(), unix_ms: self.unix_ms }
    }
}

/// As receipts show it: what was said, what it watches, and when its time is, where a time brings it.
fn shown(automation: &Automation, services: &Services, snapshot: &Snapshot) -> Value {
    let tells = match &automation.action {
        Action::Intents { intents } => intents.iter().any(|it| it.name == intent::ANNOUNCE),
        Action::Restore { .. } => false,
    };
    let mut shown = json!({
        "id": automation.id, "said": automation.said, "said_when": automation.said_when, "tells": tells,
        "repeats": automation.repeats, "watched": watched(automation, snapshot),
    });
    if let Some(next) = automation.next_unix_ms {
        shown["when"] = moment_shown(next, services.automations.zone(), snapshot.unix_ms);
    }
    if let Trigger::Sun { event, .. } = &automation.trigger {
        shown["sun"] = json!(event);
    }
    if automation.only_if.iter().any(|condition| matches!(condition, Condition::Days { .. })) {
        shown["some_days"] = json!(true);
    }
    if let Action::Restore { devices } = &automation.action {
        let back = |one: &Restored| {
            let command = restore(&one.before, &one.after).into_iter().next();
            let mut told = command.map_or(Value::Null, |command| undo::device(&one.before, &command));
            told["state_text"] = json!(state_words(&one.before));
            told
        };
        shown["devices"] = devices.iter().map(back).collect();
    }
    shown
}

/// Names of the things that a rule changes, and of those it waits for.
fn device_names(automation: &Automation) -> Vec<&str> {
    let watched = match &automation.trigger {
        Trigger::Becomes { condition, .. } => condition.questions(),
        _ => Vec::new(),
    };
    let watched = watched.into_iter().filter_map(|question| question.get("name")?.as_str());
    match &automation.action {
        Action::Restore { devices } => devices.iter().map(|one| one.before.name.as_str()).collect(),
        Action::Intents { intents } => {
            intents.iter().filter_map(|intent| intent.slots.get("name")?.as_str()).chain(watched).collect()
        }
    }
}

/// The things that a condition is about, as they are.
fn watched(automation: &Automation, snapshot: &Snapshot) -> Value {
    let Trigger::Becomes { condition, .. } = &automation.trigger else { return json!([]) };
    let asked =
        |question| asked_about(&snapshot.home, question, snapshot.area.as_deref()).unwrap_or_default();
    let mut about: Vec<Entity> = condition.questions().into_iter().flat_map(asked).collect();
    about.dedup_by(|one, other| one.id == other.id);
    let measures = |question: &Slots| question.get("device_class") == Some(&json!("temperature"));
    let is_measured = condition.questions().into_iter().any(measures);
    let one = |entity: &Entity| {
        let mut shown = json!({
            "id": entity.id, "name": entity.name, "domain": entity.id.domain(),
            "device_class": entity.device_class, "state": entity.state, "state_text": state_words(entity),
            "unit": entity.text("unit_of_measurement"),
        });
        // Of a thermostat how warm it is there, and not that it heats.
        let warmth = entity.number("current_temperature").filter(|_| is_measured);
        if let Some(warmth) = warmth {
            shown["state"] = warmth.to_string().into();
            shown["state_text"] = warmth.to_string().into();
            shown["unit"] = "°C".into();
            shown["device_class"] = "temperature".into();
        }
        shown
    };
    about.iter().map(one).collect()
}

fn typed<T: DeserializeOwned>(args: &Args, name: &'static str) -> Result<T, Failure> {
    let value = args.value(name).cloned().unwrap_or_default();
    serde_json::from_value(value).map_err(|error| bad(name, &error.to_string()))
}

fn bad(argument: &str, why: &str) -> Failure {
    let message = format!("{argument} cannot be read: {why}");
    Failure::new(error_code::BAD_ARGUMENT, message).with("argument", json!(argument))
}

impl From<AutomationError> for Failure {
    fn from(error: AutomationError) -> Self {
        let message = error.to_string();
        match error {
            AutomationError::Question(error) => error.into(),
            AutomationError::NoLocation => Self::new(error_code::UNSUPPORTED, message)
                .with("missing", json!("location"))
                .fix("write [location] with latitude and longitude into the home's file"),
            AutomationError::NoSun | AutomationError::Over => {
                Self::new(error_code::BAD_ARGUMENT, message).with("argument", json!("until"))
            }
            AutomationError::TooMany => Self::new(error_code::FAILED, message),
            AutomationError::Store(fault) => fault.into(),
        }
    }
}
