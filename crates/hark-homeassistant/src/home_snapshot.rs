//! A snapshot of the home made from Home Assistant's registries and states: which entities Hark knows, their names, areas
//! and states.

use super::SOURCE;
use super::entity_entry::Entry;
use super::exposure::Exposure;
use super::state_cache::CachedState;
use hark_core::EntityId;
use hark_core::home::{Area, Entity, Floor, Home, Location, Person};
use hark_core::text::one_line;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use std::collections::HashMap;

/// Most entities; a home has some hundred, of which a few dozen are exposed.
const MAX_ENTITIES: usize = 5000;

/// Most areas and floors each.
const MAX_PLACES: usize = 500;

/// Most aliases of a thing.
const MAX_ALIASES: usize = 20;

/// Longest name.
const MAX_NAME_CHARACTERS: usize = 100;

/// A row of `config/device_registry/list`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Device {
    id: String,
    area_id: Option<String>,
    manufacturer: Option<String>,
    identifiers: Value,
}

impl Device {
    /// Whether it is a node of ours, announced by MQTT discovery: Hark does not switch its own microphone off
    /// with "everything in the kitchen".
    fn is_hark(&self) -> bool {
        let is_ours = |one: &Value| {
            let name = one.get(1).and_then(Value::as_str);
            one.get(0).and_then(Value::as_str) == Some("mqtt")
                && name.is_some_and(|name| name.starts_with("hark_"))
        };
        self.manufacturer.as_deref() == Some("Hark")
            && self.identifiers.as_array().is_some_and(|all| all.iter().any(is_ours))
    }
}

/// A row of `config/area_registry/list`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct AreaRow {
    area_id: String,
    name: String,
    aliases: Vec<Value>,
    floor_id: Option<String>,
}

/// A row of `config/floor_registry/list`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct FloorRow {
    floor_id: String,
    name: String,
    aliases: Vec<Value>,
    level: Option<i32>,
}

/// A row of `get_states`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct StateRow {
    pub entity_id: String,
    pub state: String,
    pub attributes: Map<String, Value>,
}

/// The answers to what is asked first.
#[derive(Debug, Default)]
pub struct Answers {
    /// `get_states`.
    pub states: Value,
    /// `get_config`: where the house stands is in it.
    pub config: Value,
    /// `config/entity_registry/list`.
    pub entities: Value,
    /// `config/device_registry/list`.
    pub devices: Value,
    /// `config/area_registry/list`.
    pub areas: Value,
    /// `config/floor_registry/list`; null where there are no floors.
    pub floors: Value,
    /// What of it may be spoken of.
    pub exposure: Exposure,
}

/// What of it Hark knows, before the aliases are known.
#[derive(Debug, Default)]
pub struct Selection {
    rows: Vec<StateRow>,
    entries: HashMap<String, Entry>,
    devices: HashMap<String, Device>,
    areas: Vec<Area>,
    floors: Vec<Floor>,
    exposure: Exposure,
    location: Option<Location>,
}

/// What Hark makes of it.
#[derive(Debug, Default, Clone, PartialEq)]
pub struct HomeSnapshot {
    /// Names, places and states.
    pub home: Home,
    /// Ids of persons with their names: they are no entities here.
    pub persons: Vec<(String, String)>,
    /// What has to be asked for besides the state: the items of a list, the temperature of a forecast.
    pub details: HashMap<String, Map<String, Value>>,
    /// What of it could be spoken of when it was read.
    pub exposure: Exposure,
}

impl HomeSnapshot {
    /// Ids of everything whose state matters.
    pub fn ids(&self) -> Vec<String> {
        let entities = self.home.entities.iter().map(|entity| entity.id.0.clone());
        entities.chain(self.persons.iter().map(|(id, _)| id.clone())).collect()
    }

    /// The entities of a domain.
    pub fn of(&self, domain: &str) -> impl Iterator<Item = &Entity> {
        self.home.entities.iter().filter(move |entity| entity.id.domain() == domain)
    }
}

/// Chooses the entities: those with a state that may be spoken of.
pub fn select(answers: Answers) -> Selection {
    let entries = by_id(answers.entities, |entry: &Entry| &entry.entity_id);
    let exposure = answers.exposure;
    let mut selection = Selection {
        devices: by_id(answers.devices, |device: &Device| &device.id),
        areas: rows(answers.areas).into_iter().take(MAX_PLACES).filter_map(area).collect(),
        floors: rows(answers.floors).into_iter().take(MAX_PLACES).filter_map(floor).collect(),
        location: location(&answers.config),
        ..Selection::default()
    };
    let mut left_out = 0;
    for row in rows::<StateRow>(answers.states) {
        let entry = entries.get(&row.entity_id);
        let device = entry.and_then(|entry| selection.devices.get(entry.device_id.as_ref()?));
        let is_shown = exposure.shows(&row.entity_id, &row.attributes, entry);
        if !is_id(&row.entity_id) || device.is_some_and(Device::is_hark) || !is_shown {
            continue;
        }
        if selection.rows.len() == MAX_ENTITIES {
            left_out += 1;
        } else {
            selection.rows.push(row);
        }
    }
    if left_out > 0 {
        tracing::warn!(
            left_out,
            "Home Assistant has more than {MAX_ENTITIES} entities; expose fewer to Assist"
        );
    }
    (selection.entries, selection.exposure) = (entries, exposure);
    selection
}

/// Where the house stands, if that is a place on the globe.
fn location(config: &Value) -> Option<Location> {
    let degrees = |key: &str, most: f64| config[key].as_f64().filter(|degrees| degrees.abs() <= most);
    Some(Location { latitude: degrees("latitude", 90.0)?, longitude: degrees("longitude", 180.0)? })
}

impl Selection {
    /// Ids of those that are in the entity registry, where their aliases stand.
    pub fn registered(&self) -> Vec<&str> {
        let ids = self.rows.iter().map(|row| row.entity_id.as_str());
        ids.filter(|id| self.entries.contains_key(*id)).collect()
    }

    /// The snapshot. `details` are answers of `config/entity_registry/get_entries`.
    pub fn snapshot(self, details: &[Value]) -> HomeSnapshot {
        let Self { rows, entries, devices, areas, floors, exposure, location } = self;
        let home = Home { floors, areas, location, ..Home::default() };
        let mut snapshot = HomeSnapshot { home, exposure, ..HomeSnapshot::default() };
        for row in rows {
            let id = EntityId(row.entity_id);
            let entry = entries.get(&id.0);
            let name = name_of(&id, &row.attributes, entry);
            if id.domain() == "person" {
                snapshot
                    .home
                    .persons
                    .push(Person { name: name.clone(), state: one_line(&row.state, MAX_NAME_CHARACTERS) });
                snapshot.persons.push((id.0, name));
                continue;
            }
            let of_device = |entry: &Entry| devices.get(entry.device_id.as_ref()?)?.area_id.clone();
            let area = entry.and_then(|entry| entry.area_id.clone().or_else(|| of_device(entry)));
            let aliases = details.iter().find_map(|found| found.get(&id.0)?.get("aliases")?.as_array());
            let device_class = row.attributes.get("device_class").and_then(Value::as_str);
            let device_class = device_class.map(|class| one_line(class, MAX_NAME_CHARACTERS));
            let CachedState { state, attributes } = CachedState::new(&row.state, row.attributes);
            snapshot.home.entities.push(Entity {
                aliases: names(aliases.map_or(&[][..], Vec::as_slice), &name),
                name,
                area,
                device_class,
                state,
                attributes,
                source: SOURCE.to_owned(),
                id,
            });
        }
        snapshot
    }
}

/// The name Home Assistant shows; it puts that of the device in front by itself.
fn name_of(id: &EntityId, attributes: &Map<String, Value>, entry: Option<&Entry>) -> String {
    let shown = attributes.get("friendly_name").and_then(Value::as_str);
    let registered = entry.and_then(|entry| entry.name.as_deref().or(entry.original_name.as_deref()));
    let name =
        shown.or(registered).map(|name| one_line(name, MAX_NAME_CHARACTERS)).filter(|name| !name.is_empty());
    name.unwrap_or_else(|| id.0.split_once('.').map_or(id.0.as_str(), |(_, object)| object).replace('_', " "))
}

/// Other names; Home Assistant writes null for "its own name", which is none of them.
fn names(aliases: &[Value], own: &str) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for alias in aliases.iter().filter_map(Value::as_str).map(|alias| one_line(alias, MAX_NAME_CHARACTERS)) {
        if !alias.is_empty() && alias != own && !names.contains(&alias) && names.len() < MAX_ALIASES {
            names.push(alias);
        }
    }
    names
}

fn area(row: AreaRow) -> Option<Area> {
    let name = one_line(&row.name, MAX_NAME_CHARACTERS);
    let aliases = names(&row.aliases, &name);
    let made = Area { id: row.area_id, name, aliases, floor: row.floor_id };
    (!made.id.is_empty() && !made.name.is_empty()).then_some(made)
}

fn floor(row: FloorRow) -> Option<Floor> {
    let name = one_line(&row.name, MAX_NAME_CHARACTERS);
    let aliases = names(&row.aliases, &name);
    let made = Floor { id: row.floor_id, name, aliases, level: row.level.unwrap_or(0) };
    (!made.id.is_empty() && !made.name.is_empty()).then_some(made)
}

/// The rows of a list; those of another form are passed over.
fn rows<T: DeserializeOwned>(list: Value) -> Vec<T> {
    let Value::Array(list) = list else { return Vec::new() };
    list.into_iter().filter_map(|row| serde_json::from_value(row).ok()).collect()
}

fn by_id<T: DeserializeOwned>(list: Value, id: impl Fn(&T) -> &String) -> HashMap<String, T> {
    rows(list).into_iter().map(|row| (id(&row).clone(), row)).collect()
}

fn is_id(id: &str) -> bool {
    let letters = |part: &str| {
        !part.is_empty() && part.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
    };
    id.len() <= 255 && id.split_once('.').is_some_and(|(domain, object)| letters(domain) && letters(object))
}

#[cfg(test)]
#[path = "home_snapshot_tests.rs"]
pub(crate) mod tests;
