//! `undo.last`: takes back what the last request changed, or the one that is named; all of it.

use super::args::Args;
use super::computer::file_changes;
use super::home::common::plain;
use super::outcome::{Failure, Outcome, Prepared, Work};
use super::personal::note_changes;
use super::services::Services;
use hark_core::automation::{Action as Waits, Automation};
use hark_core::home::{Entity, Home};
use hark_core::ports::{HomeView, ListItem};
use hark_core::timer::Timer;
use hark_core::tool::{error_code, reason};
use hark_core::{EntityId, TurnId};
use hark_home::DeviceError;
use hark_home::command::{Action, Actions, DeviceCommand, MediaCommand};
use hark_home::control::Done;
use hark_home::lists::merged;
use hark_home::restore::restore;
use hark_home::state_proof::{items_of, proves};
use hark_home::undo::{FileChange, Undoable};
use hark_personal::Revision;
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// Its name: what it does is not itself remembered.
pub const NAME: &str = "undo.last";

/// `undo.last`.
pub fn last(services: &Arc<Services>, args: &Args) -> Result<Prepared, Failure> {
    let home = services.home.registry().home();
    let (turn, changes) = loop {
        let found = match args.text("turn") {
            Some(turn) => {
                let turn = TurnId(turn.to_owned());
                let changes = services.undo.of(&turn);
                (!changes.is_empty()).then_some((turn, changes))
            }
            None => services.undo.last(services.now_unix_ms()),
        };
        let Some((turn, mut changes)) = found else {
            return Err(Failure::new(error_code::NOT_FOUND, "there is nothing to undo")
                .because(reason::NOTHING_TO_UNDO));
        };
        // What did not move after all was no change.
        changes.retain(|change| match change {
            Undoable::Unproved(before) => has_moved(before, &home),
            Undoable::Items { list, from, to } => has_changed(list, (from, to), &home),
            _ => true,
        });
        // Half of a turn is not taken back.
        if changes.contains(&Undoable::Lost) {
            services.undo.forget(&turn);
            let message = "how it was before was not kept when Hark was started again";
            return Err(Failure::new(error_code::UNSUPPORTED, message).because(reason::NOT_UNDOABLE));
        }
        let lost = changes.iter().find_map(|change| match change {
            Undoable::File(FileChange::Unkept { path }) => Some(path),
            _ => None,
        });
        if let Some(path) = lost {
            services.undo.forget(&turn);
            let message = format!("what stood in {path} before was too long to be kept, or no text");
            let failure = Failure::new(error_code::UNSUPPORTED, message).because(reason::BEFORE_NOT_KEPT);
            return Err(failure.with("path", json!(path)));
        }
        // Nor is what the home does not have, or not yet after a restart; it may come.
        let mut ids = changes.iter().filter_map(of_home);
        if let Some(id) = ids.find(|id| !home.entities.iter().any(|entity| entity.id == **id)) {
            let message = format!("that cannot be taken back now: the home has no {id}");
            return Err(Failure::new(error_code::UNSUPPORTED, message).because(reason::NOT_UNDOABLE));
        }
        if !changes.is_empty() {
            break (turn, changes);
        }
        services.undo.forget(&turn);
    };
    // The last change comes first; of a device that was changed twice the oldest state counts.
    let mut devices: Vec<Entity> = Vec::new();
    let mut lists: Vec<(Entity, Vec<ListItem>)> = Vec::new();
    let mut others = Vec::new();
    for change in changes {
        match change {
            Undoable::Device(before) | Undoable::Unproved(before) => {
                devices.retain(|known| known.id != before.id);
                devices.push(*before);
            }
            Undoable::Items { list, from, to } => {
                let Some(now) = home.entities.iter().find(|entity| entity.id == list) else { continue };
                let before = match lists.iter().position(|(known, _)| known.id == list) {
                    Some(at) => lists.remove(at).1,
                    None => items_of(now),
                };
                lists.push((now.clone(), merged(&to, &from, &before)));
            }
            other => others.push(other),
        }
    }
    let mut list = Vec::new();
    let mut undone = Vec::new();
    for before in &devices {
        let Some(now) = home.entities.iter().find(|entity| entity.id == before.id) else { continue };
        for command in restore(before, now) {
            undone.push(device(before, &command));
            list.push(Action { entity: now.clone(), command });
        }
    }
    for (entity, to) in lists {
        let from = items_of(&entity);
        undone.push(of_list(&entity.name, &to, &from));
        list.push(Action { entity, command: DeviceCommand::Items { from, to } });
    }
    if list.is_empty() && others.is_empty() {
        services.undo.forget(&turn);
        return Err(
            Failure::new(error_code::UNSUPPORTED, "that cannot be taken back").because(reason::NOT_UNDOABLE)
        );
    }
    let also = take_back(services, turn, others);
    if list.is_empty() {
        return Ok(Prepared::Work(also));
    }
    let about = Map::from_iter([("undone".to_owned(), Value::Array(undone))]);
    Ok(Prepared::Home { actions: Actions { home, list }, about, also: Some(also) })
}

/// Everything but devices; then the change is forgotten.
fn take_back(services: &Arc<Services>, turn: TurnId, others: Vec<Undoable>) -> Work {
    let services = Arc::clone(services);
    Box::pin(async move {
        let mut undone = Vec::new();
        for change in others {
            let done = match change {
                Undoable::Event { title, what, place, before, after } => {
                    let put_back =
                        services.personal.calendars.put_back(&Revision { place, before, after }).await;
                    put_back
                        .map(|_| json!({"kind": "event", "what": what, "title": title}))
                        .map_err(Failure::from)
                }
                change => {
                    let services = Arc::clone(&services);
                    let done = tokio::task::spawn_blocking(move || one(&services, change)).await;
                    done.unwrap_or_else(|error| Err(Failure::new(error_code::FAILED, error.to_string())))
                }
            };
            match done {
                Ok(told) => undone.push(told),
                // What was taken back before it stays so.
                Err(failure) if undone.is_empty() => return Err(failure),
                Err(failure) => return Err(failure.changed(true)),
            }
        }
        // What nobody needs to hear of.
        undone.retain(|change| !change.is_null());
        services.undo.forget(&turn);
        Ok(Outcome::new(true, json!({"undone": undone})))
    })
}

/// Puts an automation back as it was before a change.
fn automation(
    services: &Services,
    before: Option<&Automation>,
    after: Option<&Automation>,
) -> Result<Value, Failure> {
    match (before, after) {
        (Some(before), _) => services.automations.put_back(before)?,
        (None, Some(after)) => drop(services.automations.remove(&after.id)?),
        (None, None) => {}
    }
    let shown = before.or(after);
    Ok(json!({
        "kind": "automation", "set": before.is_some(),
        "said": shown.map(|one| &one.said), "said_when": shown.map(|one| &one.said_when),
        "tells": shown.is_some_and(|one| one.said.is_empty() && !matches!(one.action, Waits::Restore { .. })),
    }))
}

/// Takes one change back; answers it for the reply.
fn one(services: &Services, change: Undoable) -> Result<Value, Failure> {
    Ok(match change {
        Undoable::Device(_)
        | Undoable::Unproved(_)
        | Undoable::Items { .. }
        | Undoable::Event { .. }
        | Undoable::Lost => Value::Null,
        Undoable::Note { title, change } => {
            let what = note_changes::put_back(services, &change)?;
            json!({"kind": "note", "what": what, "title": title})
        }
        Undoable::File(change) => file_changes::put_back(&services.files, &change)?,
        Undoable::List { before, after, name, what, items } => {
            services.lists.take_back(&name, before.as_ref(), &after)?;
            json!({"kind": "list", "list": name, "what": what, "items": items})
        }
        Undoable::Timer { before, after } => timer(services, before.as_deref(), after.as_deref())?,
        Undoable::Automation { before, after } => automation(services, before.as_deref(), after.as_deref())?,
        Undoable::Volume(before) => {
            let now = services.node.set_volume(before);
            if now != before {
                let message = format!("the volume should be {before} and is {now}");
                return Err(Failure::new(error_code::FAILED, message));
            }
            json!({"kind": "volume", "volume_level": before})
        }
        Undoable::Fact { fact, known } => {
            services.memory.put(&fact, known)?;
            // What had ended is history again.
            if known && fact.ended_unix_ms.is_some() {
                return Ok(Value::Null);
            }
            json!({"kind": "fact", "fact": fact.text, "known": known})
        }
    })
}

fn timer(services: &Services, before: Option<&Timer>, after: Option<&Timer>) -> Result<Value, Failure> {
    let (what, timer) = match (before, after) {
        (Some(before), after) => {
            services.timers.put_back(before)?;
            (if after.is_some() { "changed" } else { "cancelled" }, before)
        }
        (None, Some(after)) => {
            services.timers.cancel(&after.id)?;
            ("set", after)
        }
        (None, None) => return Ok(Value::Null),
    };
    Ok(json!({"kind": "timer", "what": what, "timer": timer.kind, "name": timer.name}))
}

/// A device that is told to be as before.
pub fn device(before: &Entity, command: &DeviceCommand) -> Value {
    let mut told = json!({
        "kind": "device", "name": before.name, "domain": before.id.domain(), "state": before.state,
    });
    match command {
        DeviceCommand::Position(position) => told["position"] = json!(position),
        DeviceCommand::Light(setting) => told["brightness"] = json!(setting.brightness_percent),
        DeviceCommand::Temperature(target) => told["temperature"] = plain(*target),
        DeviceCommand::Volume(level) => told["volume_level"] = json!(level),
        DeviceCommand::Media(MediaCommand::Mute(muted)) => told["muted"] = json!(muted),
        DeviceCommand::Percentage(speed) => told["percentage"] = json!(speed),
        _ => {}
    }
    told
}

/// A to-do list that was this before and is changed now: as a list of Hark's own is told.
fn of_list(name: &str, before: &[ListItem], now: &[ListItem]) -> Value {
    let open = |items: &[ListItem], others: &[ListItem]| -> Vec<String> {
        items
            .iter()
            .filter(|item| !item.done && !others.contains(item))
            .map(|item| item.text.clone())
            .collect()
    };
    let (added, others) = (open(now, before), open(before, now));
    let (what, items) = if others.is_empty() { ("added", added) } else { ("removed", others) };
    json!({"kind": "list", "list": name, "what": what, "items": items})
}

/// The changes of to-do lists among actions, each with its place.
pub fn of_items(actions: &Actions) -> Vec<(usize, Undoable)> {
    let change = |(at, action): (usize, &Action)| match &action.command {
        DeviceCommand::Items { from, to } if from != to => {
            let list = action.entity.id.clone();
            Some((at, Undoable::Items { list, from: from.clone(), to: to.clone() }))
        }
        _ => None,
    };
    actions.list.iter().enumerate().filter_map(change).collect()
}

/// The thing of the home that a change is about.
fn of_home(change: &Undoable) -> Option<&EntityId> {
    match change {
        Undoable::Device(before) | Undoable::Unproved(before) => Some(&before.id),
        Undoable::Items { list, .. } => Some(list),
        _ => None,
    }
}

/// Whether the list still has something of a change.
fn has_changed(list: &EntityId, (from, to): (&[ListItem], &[ListItem]), home: &Home) -> bool {
    let now = home.entities.iter().find(|entity| entity.id == *list).map(items_of);
    // One that is not known yet, as after a restart, may have changed.
    now.is_none_or(|now| merged(to, from, &now) != now)
}

/// The devices that actions touch, with those that a scene or script sets.
pub fn touched(actions: &Actions) -> Vec<EntityId> {
    let mut ids = Vec::new();
    for action in &actions.list {
        ids.push(action.entity.id.clone());
        if let (DeviceCommand::Activate, Some(Value::Object(states))) =
            (&action.command, action.entity.attributes.get("states"))
        {
            ids.extend(states.keys().map(|id| EntityId::from(id.as_str())));
        }
    }
    ids
}

/// Those that were told and did not prove it in time, as they were.
pub fn unproved(done: &[Done]) -> Vec<Undoable> {
    done.iter()
        .filter(|one| is_late(one))
        .map(|one| Undoable::Unproved(Box::new(one.before.clone())))
        .collect()
}

/// What is to be on or open and is so already.
pub fn on_already(actions: &Actions) -> Vec<Entity> {
    let wanted = |it: &&Action| matches!(it.command, DeviceCommand::TurnOn | DeviceCommand::Open);
    let is_so = |it: &&Action| proves(&it.command, &it.entity, &it.entity);
    actions.list.iter().filter(wanted).filter(is_so).map(|it| it.entity.clone()).collect()
}

/// Something that is on or open as it is when it is not.
pub fn at_rest(thing: &Entity) -> Entity {
    let mut rest = thing.clone();
    let is_opened = matches!(thing.id.domain(), "cover" | "valve");
    rest.state = if is_opened { "closed" } else { "off" }.to_owned();
    rest.attributes.retain(|key, _| !key.starts_with("current_"));
    rest
}

/// Whether it was told and did not prove it in time.
pub fn is_late(done: &Done) -> bool {
    matches!(done.error, Some(DeviceError::Timeout(_)))
}

fn has_moved(before: &Entity, home: &Home) -> bool {
    let now = home.entities.iter().find(|entity| entity.id == before.id);
    now.is_none_or(|now| !restore(before, now).is_empty())
}

/// Those of them that are different now, as they were.
pub fn changed(touched: &[EntityId], before: &Home, now: &Home) -> Vec<Undoable> {
    let in_home = |home: &Home, id: &EntityId| home.entities.iter().find(|entity| entity.id == *id).cloned();
    let changed = touched.iter().filter_map(|id| {
        let (before, now) = (in_home(before, id)?, in_home(now, id)?);
        (!restore(&before, &now).is_empty()).then(|| Undoable::Device(Box::new(before)))
    });
    changed.collect()
}
