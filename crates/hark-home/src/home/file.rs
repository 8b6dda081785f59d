//! `home.toml`: floors, areas, entities, persons and lists in one readable file. Everything that is
//! wrong in it is told at once.

use super::super::names::normal;
use super::file_reader::{Problems, TableReader};
use super::{SOURCE_DEMO, SOURCE_FILE, UNAVAILABLE};
use hark_config::nearest;
use hark_core::home::{Area, Entity, Floor, Home, HomeList, Location, Person};
use hark_core::{EntityId, Fault, FaultKind};
use serde_json::Value;
use std::collections::HashMap;
use std::path::Path;
use toml::de::DeTable;

pub use super::file_reader::Problem;

/// The demo home that comes with Hark.
pub const EXAMPLE: &str = include_str!("../../../../firmware-config/home.example.toml");

/// Kinds of entities Hark knows, with the state a demo device begins in when the file gives none.
pub const DOMAINS: &[(&str, &str)] = &[
    ("light", "off"),
    ("switch", "off"),
    ("fan", "off"),
    ("cover", "closed"),
    ("lock", "locked"),
    ("climate", "heat"),
    ("media_player", "off"),
    ("scene", "unknown"),
    ("script", "off"),
    ("sensor", "unknown"),
    ("binary_sensor", "off"),
    ("valve", "closed"),
    ("vacuum", "docked"),
    ("lawn_mower", "docked"),
    ("todo", "0"),
    ("button", "unknown"),
    ("input_button", "unknown"),
    ("input_boolean", "off"),
    ("humidifier", "off"),
    ("remote", "off"),
    ("siren", "off"),
    ("water_heater", "off"),
    ("automation", "on"),
    ("weather", "sunny"),
    ("person", "home"),
    ("device_tracker", "home"),
    ("alarm_control_panel", "disarmed"),
    ("calendar", "off"),
    ("camera", "idle"),
    ("counter", "0"),
    ("event", "unknown"),
    ("image", "unknown"),
    ("input_datetime", "unknown"),
    ("input_number", "0"),
    ("input_select", "unknown"),
    ("input_text", "unknown"),
    ("number", "0"),
    ("select", "unknown"),
    ("sun", "above_horizon"),
    ("text", "unknown"),
    ("timer", "idle"),
    ("update", "off"),
    ("zone", "0"),
];

/// Home Assistant's other kinds, so that a home described for it can be read as it is.
const OTHER_DOMAINS: &[(&str, &str)] = &[
    ("valve", "closed"),
    ("vacuum", "docked"),
    ("lawn_mower", "docked"),
    ("input_boolean", "off"),
    ("siren", "off"),
    ("humidifier", "off"),
    ("remote", "off"),
    ("automation", "on"),
    ("group", "off"),
    ("button", "unknown"),
    ("input_button", "unknown"),
    ("alarm_control_panel", "disarmed"),
    ("water_heater", "off"),
    ("weather", "unknown"),
    ("todo", "0"),
    ("calendar", "off"),
    ("camera", "idle"),
    ("update", "off"),
    ("timer", "idle"),
    ("device_tracker", "home"),
    ("sun", "above_horizon"),
    ("zone", "0"),
    ("number", "0"),
    ("input_number", "0"),
    ("select", "unknown"),
    ("input_select", "unknown"),
    ("text", "unknown"),
    ("input_text", "unknown"),
    ("event", "unknown"),
    ("person", "home"),
];

/// Reads the home of a file. With `demo` every entity has a virtual device; without, the file only
/// gives names, and its entities are unavailable until something real stands behind them.
///
/// # Errors
/// When the file cannot be read, or with everything that is wrong in it, each with line, key and fix.
pub fn load(path: &Path, demo: bool) -> Result<Home, Fault> {
    let text = std::fs::read_to_string(path).map_err(|error| {
        let fix = "check home.file in the configuration, or leave it empty for the demo home";
        Fault::new(
            FaultKind::BadConfiguration,
            "home",
            format!("cannot read {}: {error}", path.display()),
            fix,
        )
    })?;
    parse(&text, demo).map_err(|problems| to_fault(&path.display().to_string(), &problems))
}

/// The demo home.
///
/// # Errors
/// Never with the file that comes with Hark; a test reads it.
pub fn example(demo: bool) -> Result<Home, Fault> {
    parse(EXAMPLE, demo).map_err(|problems| to_fault("home.example.toml", &problems))
}

fn to_fault(file: &str, problems: &[Problem]) -> Fault {
    let lines: Vec<String> = problems.iter().map(|problem| format!("\n  {problem}")).collect();
    let message = format!("{file} has {} problem(s):{}", problems.len(), lines.concat());
    Fault::new(FaultKind::BadConfiguration, "home", message, "correct the lines named above")
}

/// Reads the text of a `home.toml`.
///
/// # Errors
/// Everything that is wrong in it, in the order of the lines.
pub fn parse(text: &str, demo: bool) -> Result<Home, Vec<Problem>> {
    let mut problems = Problems::new(text);
    let (table, errors) = DeTable::parse_recoverable(text);
    for error in errors {
        let at = error.span().map_or(0, |span| span.start);
        problems.add(at, "", error.message().replace('\n', ", "), "write it as TOML");
    }
    let mut root = TableReader::new(table.get_ref(), String::new(), 0..0);
    let mut places = IntentPaths::default();
    let mut home = Home::default();
    for mut reader in root.tables("floor", &mut problems) {
        let says = reader.text("says", &mut problems);
        let floor = places.floor(reader, &mut problems);
        home.says.extend(floor.iter().map(|floor| floor.name.clone()).zip(says));
        home.floors.extend(floor);
    }
    for mut reader in root.tables("area", &mut problems) {
        let says = reader.text("says", &mut problems);
        let area = places.area(reader, &mut problems);
        home.says.extend(area.iter().map(|area| area.name.clone()).zip(says));
        home.areas.extend(area);
    }
    let mut states: Vec<(String, usize, Value)> = Vec::new();
    let mut seen = Seen::default();
    for mut reader in root.tables("entity", &mut problems) {
        let says = reader.text("says", &mut problems);
        let (path, at) = (reader.path.clone(), reader.at("attributes"));
        if let Some(entity) = entity(reader, demo, &places, &mut seen, &mut problems) {
            if let Some(value) = entity.attributes.get("states") {
                states.push((format!("{path}.attributes.states"), at, value.clone()));
            }
            home.says.extend(says.map(|says| (entity.name.clone(), says)));
            match entity.id.domain() {
                "person" => home.persons.push(Person { name: entity.name, state: entity.state }),
                _ => home.entities.push(entity),
            }
        }
    }
    for (key, at, value) in states {
        check_scene(&key, at, &value, &home, &mut problems);
    }
    for mut reader in root.tables("person", &mut problems) {
        let name = reader.required("name", &mut problems);
        let state = reader.text("state", &mut problems).unwrap_or_else(|| "home".into());
        let says = reader.text("says", &mut problems);
        reader.finish(&mut problems);
        home.says.extend(name.clone().zip(says));
        // Told once more than as an entity: the person's own table counts.
        home.persons.retain(|person| Some(&person.name) != name.as_ref());
        home.persons.extend(name.map(|name| Person { name, state }));
    }
    home.lists.extend(root.tables("list", &mut problems).into_iter().filter_map(|mut reader| {
        let name = reader.required("name", &mut problems);
        let items = reader.texts("items", &mut problems);
        reader.finish(&mut problems);
        Some(HomeList { name: name?, items })
    }));
    home.location = location(&mut root, &mut problems);
    root.finish(&mut problems);
    if problems.found.is_empty() {
        return Ok(home);
    }
    problems.found.sort_by_key(|problem| problem.line);
    Err(problems.found)
}

/// Where the house stands: degrees north and east.
fn location(root: &mut TableReader<'_, '_>, problems: &mut Problems<'_>) -> Option<Location> {
    let at = root.at("location");
    let found = root.object("location", problems);
    if found.is_empty() {
        return None;
    }
    let mut degrees = |key: &str, most: f64| {
        let number = found.get(key).and_then(Value::as_f64).filter(|number| number.abs() <= most);
        if number.is_none() {
            let message = format!("must be a number from -{most} to {most}");
            problems.add(at, &format!("location.{key}"), message, format!("write {key} = 48.2"));
        }
        number
    };
    let (latitude, longitude) = (degrees("latitude", 90.0), degrees("longitude", 180.0));
    if let Some(key) = found.keys().find(|key| !["latitude", "longitude"].contains(&key.as_str())) {
        let fix = "a location has latitude and longitude";
        problems.add(at, &format!("location.{key}"), "is not a known key".into(), fix);
    }
    Some(Location { latitude: latitude?, longitude: longitude? })
}

/// Ids and names of floors and areas read so far.
#[derive(Default)]
struct IntentPaths {
    floors: Vec<String>,
    areas: Vec<String>,
    /// Normal form of a floor's or area's name, and the key that has it.
    names: HashMap<String, String>,
}

impl IntentPaths {
    fn floor(&mut self, mut reader: TableReader<'_, '_>, problems: &mut Problems<'_>) -> Option<Floor> {
        let id = reader.required("id", problems);
        let name = reader.required("name", problems);
        let aliases = reader.texts("aliases", problems);
        let level = reader.integer("level", 0, problems);
        if let Some(id) = &id {
            let known = self.floors.contains(id);
            unique_id(known, id, &reader, problems);
            self.floors.push(id.clone());
        }
        self.unique_names(name.as_deref(), &aliases, &reader, problems);
        reader.finish(problems);
        Some(Floor { id: id?, name: name?, aliases, level })
    }

    fn area(&mut self, mut reader: TableReader<'_, '_>, problems: &mut Problems<'_>) -> Option<Area> {
        let id = reader.required("id", problems);
        let name = reader.required("name", problems);
        let aliases = reader.texts("aliases", problems);
        let floor = reader.text("floor", problems);
        known_id("floor", floor.as_ref(), &self.floors, &reader, problems);
        if let Some(id) = &id {
            let known = self.areas.contains(id);
            unique_id(known, id, &reader, problems);
            self.areas.push(id.clone());
        }
        self.unique_names(name.as_deref(), &aliases, &reader, problems);
        reader.finish(problems);
        Some(Area { id: id?, name: name?, aliases, floor })
    }

    fn unique_names(
        &mut self,
        name: Option<&str>,
        aliases: &[String],
        reader: &TableReader<'_, '_>,
        problems: &mut Problems<'_>,
    ) {
        for (key, name) in name.map(|name| ("name", name)).into_iter().chain(named(aliases)) {
            let owner = self.names.entry(normal(name)).or_insert_with(|| reader.path.clone());
            if *owner != reader.path {
                let message = format!("`{name}` is a name of {owner} too");
                problems.add(reader.at(key), &reader.key(key), message, "give one of them another name");
            }
        }
    }
}

/// Ids and names of entities read so far.
#[derive(Default)]
struct Seen {
    ids: Vec<String>,
    /// Domain, device class, area and normal name, with the key that has it.
    names: HashMap<(String, Option<String>, Option<String>, String), String>,
}

fn entity(
    mut reader: TableReader<'_, '_>,
    demo: bool,
    places: &IntentPaths,
    seen: &mut Seen,
    problems: &mut Problems<'_>,
) -> Option<Entity> {
    let id = reader.required("id", problems).map(|id| slug(&id));
    let name = reader.required("name", problems);
    let aliases = reader.texts("aliases", problems);
    let area = reader.text("area", problems);
    let state = reader.text_or_empty("state", problems);
    let attributes = reader.object("attributes", problems);
    // Home Assistant has it among the attributes.
    let listed = attributes.get("device_class").and_then(Value::as_str).map(str::to_owned);
    let device_class = reader.text("device_class", problems).or(listed);
    known_id("area", area.as_ref(), &places.areas, &reader, problems);
    let first_state = id.as_deref().and_then(|id| entity_domain(id, &reader, problems));
    if let Some(id) = &id {
        let known = seen.ids.contains(id);
        unique_id(known, id, &reader, problems);
        seen.ids.push(id.clone());
    }
    if let (Some(id), Some(name)) = (&id, &name) {
        let domain = EntityId::from(id.as_str()).domain().to_owned();
        // An alias may be shared on purpose ("reading lights"); a name may not, but one device can have
        // several sensors of its name: "phone" has a battery and a connection.
        let owner = seen.names.entry((domain, device_class.clone(), area.clone(), normal(name)));
        let owner = owner.or_insert_with(|| reader.path.clone());
        if *owner != reader.path {
            let message = format!("`{name}` is the name of {owner} in the same area too");
            problems.add(reader.at("name"), &reader.key("name"), message, "give one of them another name");
        }
    }
    reader.finish(problems);
    let (source, state) = match demo {
        true => (SOURCE_DEMO, state.or(first_state.map(Into::into))?),
        false => (SOURCE_FILE, UNAVAILABLE.to_owned()),
    };
    let source = source.to_owned();
    Some(Entity { id: EntityId(id?), name: name?, aliases, area, device_class, state, attributes, source })
}

/// The id with capitals and blanks behind the dot made what an id has there: people copy names into it.
pub(super) fn slug(id: &str) -> String {
    let Some((domain, object)) = id.split_once('.') else { return id.to_owned() };
    format!("{domain}.{}", object.to_lowercase().replace(' ', "_"))
}

/// Checks an entity's id; answers the first state of its domain.
fn entity_domain(
    id: &str,
    reader: &TableReader<'_, '_>,
    problems: &mut Problems<'_>,
) -> Option<&'static str> {
    let letters = |part: &str| {
        !part.is_empty() && part.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
    };
    let (domain, object) = id.split_once('.').unwrap_or((id, ""));
    if !letters(domain) || !letters(object) {
        let fix = "write domain.object in lower-case letters, digits and _, such as `light.kitchen`";
        problems.add(reader.at("id"), &reader.key("id"), format!("`{id}` is no entity id"), fix);
        return None;
    }
    let known = DOMAINS.iter().chain(OTHER_DOMAINS).find(|(known, _)| *known == domain);
    if known.is_none() {
        let names: Vec<&str> = DOMAINS.iter().map(|(name, _)| *name).collect();
        let fix = match nearest(domain, names.iter().copied()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("use one of {}", names.join(", ")),
        };
        problems.add(reader.at("id"), &reader.key("id"), format!("`{domain}` is not a known domain"), fix);
    }
    known.map(|(_, state)| *state)
}

/// What a scene sets must be there, and must not be a scene or a script itself: no endless chains.
fn check_scene(key: &str, at: usize, states: &Value, home: &Home, problems: &mut Problems<'_>) {
    let Value::Object(states) = states else {
        problems.add(at, key, "is not a table".into(), "write states = { \"light.kitchen\" = \"on\" }");
        return;
    };
    for (id, state) in states {
        let key = format!("{key}.\"{id}\"");
        match home.entities.iter().find(|entity| entity.id.0 == *id) {
            None => {
                let near = nearest(id, home.entities.iter().map(|entity| entity.id.0.as_str()));
                let fix = near.map_or("add the entity".into(), |near| format!("did you mean `{near}`?"));
                problems.add(at, &key, "is not an entity of this file".into(), fix);
            }
            Some(entity) if matches!(entity.id.domain(), "scene" | "script") => {
                problems.add(at, &key, "is a scene or script".into(), "name its devices instead");
            }
            Some(_) => {}
        }
        if super::command::scene_target(state).is_none() {
            let fix = "write \"on\", or { state = \"on\", brightness = 120 }";
            problems.add(at, &key, "has no state".into(), fix);
        }
    }
}

fn named(aliases: &[String]) -> impl Iterator<Item = (&'static str, &str)> {
    aliases.iter().map(|alias| ("aliases", alias.as_str()))
}

fn unique_id(known: bool, id: &str, reader: &TableReader<'_, '_>, problems: &mut Problems<'_>) {
    if known {
        let message = format!("`{id}` is there twice");
        problems.add(reader.at("id"), &reader.key("id"), message, "give each its own id");
    }
}

fn known_id(
    key: &'static str,
    id: Option<&String>,
    known: &[String],
    reader: &TableReader<'_, '_>,
    problems: &mut Problems<'_>,
) {
    let Some(id) = id.filter(|id| !known.contains(id)) else { return };
    let fix = match nearest(id, known.iter().map(String::as_str)) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("add [[{key}]] with id = \"{id}\""),
    };
    problems.add(reader.at(key), &reader.key(key), format!("there is no {key} `{id}`"), fix);
}

#[cfg(test)]
#[path = "file_tests.rs"]
mod tests;
