//! Reads the whole home from Home Assistant: registries, exposure, aliases, states, lists and forecasts.

use super::entity_entry::Entry;
use super::error::Error;
use super::exposure::Exposure;
use super::home_snapshot::{Answers, HomeSnapshot, select};
use super::service;
use super::websocket::{ApiHandle, Unanswered};
use hark_core::home::Entity;
use serde_json::{Map, Value, json};

/// Asks for everything that is exposed.
const LISTED: &str = "homeassistant/expose_entity/list";

/// Entities whose aliases are asked for at once.
const CHUNK: usize = 500;

/// Most to-do lists that are read.
const MAX_LISTS: usize = 50;

/// Most weather entities whose forecast is asked for because they do not tell the temperature now.
const MAX_FORECASTS: usize = 3;

/// Reads it.
///
/// # Errors
/// `Refused` when Home Assistant does not tell its entities, `Silent` when it does not answer.
pub async fn read(api: &ApiHandle, url: &str, exposed_only: bool) -> Result<HomeSnapshot, Error> {
    let ask = |kind, more| asked(api, kind, more);
    let exposed = async {
        match exposed_only {
            true => exposure(api, url).await,
            false => Ok(Exposure::everything()),
        }
    };
    let (states, config, entities, devices, areas, floors, exposure) = tokio::join!(
        ask("get_states", Value::Null),
        ask("get_config", Value::Null),
        ask("config/entity_registry/list", Value::Null),
        ask("config/device_registry/list", Value::Null),
        ask("config/area_registry/list", Value::Null),
        ask("config/floor_registry/list", Value::Null),
        exposed,
    );
    let answers = Answers {
        states: required(url, states)?,
        config: optional(url, config)?,
        entities: required(url, entities)?,
        devices: optional(url, devices)?,
        areas: optional(url, areas)?,
        floors: optional(url, floors)?,
        exposure: exposure?,
    };
    let selection = select(answers);
    let mut details = Vec::new();
    for ids in selection.registered().chunks(CHUNK) {
        details.push(optional(
            url,
            ask("config/entity_registry/get_entries", json!({"entity_ids": ids})).await,
        )?);
    }
    let mut snapshot = selection.snapshot(&details);
    for list in snapshot.of("todo").take(MAX_LISTS).map(|list| list.id.0.clone()).collect::<Vec<_>>() {
        let answer = optional(url, ask("todo/item/list", json!({"entity_id": list})).await)?;
        if let Some(items) = answer.get("items").filter(|items| items.is_array()) {
            snapshot.details.insert(list, Map::from_iter([("items".to_owned(), items.clone())]));
        }
    }
    let silent = |entity: &&Entity| entity.number("temperature").is_none() && entity.state != "unavailable";
    for weather in snapshot.of("weather").filter(silent).take(MAX_FORECASTS).cloned().collect::<Vec<_>>() {
        let call = service::forecast(&weather).message(&weather.id.0, true);
        let answer = optional(url, ask("call_service", call).await)?;
        if let Some(temperature) = service::first_temperature(&weather.id.0, &answer) {
            let more = Map::from_iter([("temperature".to_owned(), json!(temperature))]);
            snapshot.details.insert(weather.id.0, more);
        }
    }
    Ok(snapshot)
}

/// What is exposed now. Home Assistant does not tell when it changes for what has no registry entry.
///
/// # Errors
/// `Silent` when it does not answer.
pub async fn exposure(api: &ApiHandle, url: &str) -> Result<Exposure, Error> {
    let (listed, expose_new) = tokio::join!(
        asked(api, LISTED, Value::Null),
        asked(api, "homeassistant/expose_new_entities/get", json!({"assistant": "conversation"})),
    );
    Ok(Exposure::new(optional(url, listed)?, &optional(url, expose_new)?))
}

/// Whether an entity is still exposed at this moment: the owner may have taken it back since the home was read.
///
/// # Errors
/// When Home Assistant does not say.
pub async fn is_exposed(api: &ApiHandle, known: &Exposure, entity: &Entity) -> Result<bool, Unanswered> {
    let id = &entity.id.0;
    let entry = match api.ask(json!({"type": "config/entity_registry/get", "entity_id": id})).await {
        Ok(entry) => serde_json::from_value::<Entry>(entry).ok(),
        Err(Unanswered::Refused(refusal)) if refusal.code == "not_found" => None,
        Err(unanswered) => return Err(unanswered),
    };
    if entry.is_some() {
        return Ok(known.shows(id, &entity.attributes, entry.as_ref()));
    }
    let listed = api.ask(json!({"type": LISTED})).await?;
    Ok(known.listing(listed).shows(id, &entity.attributes, None))
}

/// A request, with the answer to it.
async fn asked(
    api: &ApiHandle,
    kind: &'static str,
    more: Value,
) -> (&'static str, Result<Value, Unanswered>) {
    let mut message = json!({"type": kind});
    if let (Value::Object(message), Value::Object(more)) = (&mut message, more) {
        message.extend(more);
    }
    (kind, api.ask(message).await)
}

/// An answer there is nothing without.
fn required(url: &str, (what, answer): (&'static str, Result<Value, Unanswered>)) -> Result<Value, Error> {
    answer.map_err(|unanswered| match unanswered {
        Unanswered::Gone => Error::Unreachable { url: url.to_owned(), why: "the connection broke".into() },
        Unanswered::Late => Error::Silent { url: url.to_owned(), what },
        Unanswered::Refused(refusal) => {
            let why = format!("{} ({})", refusal.message, refusal.code);
            Error::Refused { url: url.to_owned(), what: what.to_owned(), why }
        }
    })
}

/// An answer that older versions, or a token that may not see everything, have not.
fn optional(url: &str, (what, answer): (&'static str, Result<Value, Unanswered>)) -> Result<Value, Error> {
    match answer {
        Err(Unanswered::Refused(refusal)) => {
            tracing::debug!(what, code = refusal.code, "Home Assistant does not tell this");
            Ok(Value::Null)
        }
        answer => required(url, (what, answer)),
    }
}
