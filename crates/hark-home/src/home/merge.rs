//! One home of several sources: the home's file gives names and places, Home Assistant and MQTT devices
//! bring things of their own, and what is the same in two of them is there once.

use super::super::names::{is_one_of, normal};
use super::UNAVAILABLE;
use hark_core::EntityId;
use hark_core::home::{Area, Entity, Floor, Home, Person};
use std::collections::hash_map::DefaultHasher;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::hash::{Hash, Hasher};

/// What one source tells of the home.
#[derive(Debug, Clone, Default)]
pub(super) struct Part {
    /// What it has, by its own ids of areas and floors.
    pub home: Home,
    /// It cannot be reached.
    pub away: bool,
}

/// The home of the file with what the sources bring. A thing that stands in the file too (same id, or same
/// kind, name and place) keeps the name and the place of the file and is what its source says; of two
/// sources that can be reached the first in the alphabet has it, and one that is away last.
pub(super) fn merge(base: &Home, parts: &BTreeMap<String, Part>) -> Home {
    let mut merger = Merger { home: base.clone(), own: BTreeSet::new(), seen: HashMap::new() };
    for (at, entity) in base.entities.iter().enumerate() {
        merger.seen.insert(entity.id.clone(), at);
    }
    let here = parts.iter().filter(|(_, part)| !part.away);
    let away = parts.iter().filter(|(_, part)| part.away);
    for (source, part) in here.chain(away) {
        merger.add(source, part);
    }
    merger.home
}

struct Merger {
    home: Home,
    /// Places in `home.entities` that a source has taken.
    own: BTreeSet<usize>,
    seen: HashMap<EntityId, usize>,
}

impl Merger {
    fn add(&mut self, source: &str, part: &Part) {
        let floors: HashMap<&str, String> =
            part.home.floors.iter().map(|floor| (floor.id.as_str(), self.floor(floor))).collect();
        let areas: HashMap<&str, String> =
            part.home.areas.iter().map(|area| (area.id.as_str(), self.area(area, &floors))).collect();
        let mut by_name: HashMap<(String, String), Vec<usize>> = HashMap::new();
        for (at, entity) in self.home.entities.iter().enumerate() {
            by_name.entry(kind_and_name(entity)).or_default().push(at);
        }
        for entity in &part.home.entities {
            let mut entity = entity.clone();
            source.clone_into(&mut entity.source);
            entity.area = entity.area.and_then(|id| areas.get(id.as_str()).cloned());
            if part.away {
                UNAVAILABLE.clone_into(&mut entity.state);
            }
            self.entity(entity, &by_name);
        }
        for person in &part.home.persons {
            self.person(person);
        }
        for (name, said) in &part.home.says {
            self.home.says.entry(name.clone()).or_insert_with(|| said.clone());
        }
        self.home.location = self.home.location.or(part.home.location);
        for list in &part.home.lists {
            if !self.home.lists.iter().any(|known| known.name == list.name) {
                self.home.lists.push(list.clone());
            }
        }
    }

    /// Adds a thing, unless another source has it. `by_name` are those that were there before this source.
    fn entity(&mut self, entity: Entity, by_name: &HashMap<(String, String), Vec<usize>>) {
        // What one of them does not say fits.
        let fits =
            |one: &Option<String>, other: &Option<String>| one.is_none() || other.is_none() || one == other;
        let same = |at: &&usize| {
            let known = &self.home.entities[**at];
            fits(&known.area, &entity.area) && fits(&known.device_class, &entity.device_class)
        };
        let by_id = self.seen.get(&entity.id).copied();
        let named = || by_name.get(&kind_and_name(&entity))?.iter().find(same).copied();
        // Two of one name in one source are two things.
        let taken = |at: usize| self.own.contains(&at);
        let own_namesake = |at: usize| taken(at) && self.home.entities[at].source == entity.source;
        match by_id.or_else(|| named().filter(|at| !own_namesake(*at))) {
            // Another source has it, or this one has two of one id: the first stays.
            Some(at) if taken(at) => {}
            Some(at) => {
                self.seen.insert(entity.id.clone(), at);
                let known = &mut self.home.entities[at];
                let mut now =
                    Entity { name: known.name.clone(), aliases: known.aliases.clone(), ..entity.clone() };
                add_names(&mut now.aliases, &now.name, &entity.name, &entity.aliases);
                now.area = known.area.take().or(entity.area);
                now.device_class = known.device_class.take().or(entity.device_class);
                *known = now;
                self.own.insert(at);
            }
            None => {
                let at = self.home.entities.len();
                self.seen.insert(entity.id.clone(), at);
                self.own.insert(at);
                self.home.entities.push(entity);
            }
        }
    }

    /// Id of the floor in the whole home.
    fn floor(&mut self, floor: &Floor) -> String {
        let same = |known: &&mut Floor| {
            known.id == floor.id || is_one_of(&floor.name, names_of(&known.name, &known.aliases))
        };
        match self.home.floors.iter_mut().find(same) {
            Some(known) => {
                add_names(&mut known.aliases, &known.name, &floor.name, &floor.aliases);
                known.id.clone()
            }
            None => {
                self.home.floors.push(floor.clone());
                floor.id.clone()
            }
        }
    }

    /// Id of the area in the whole home.
    fn area(&mut self, area: &Area, floors: &HashMap<&str, String>) -> String {
        let floor = area.floor.as_deref().and_then(|id| floors.get(id).cloned());
        let same = |known: &&mut Area| {
            known.id == area.id || is_one_of(&area.name, names_of(&known.name, &known.aliases))
        };
        match self.home.areas.iter_mut().find(same) {
            Some(known) => {
                add_names(&mut known.aliases, &known.name, &area.name, &area.aliases);
                known.floor = known.floor.take().or(floor);
                known.id.clone()
            }
            None => {
                self.home.areas.push(Area { floor, ..area.clone() });
                area.id.clone()
            }
        }
    }

    fn person(&mut self, person: &Person) {
        match self.home.persons.iter_mut().find(|known| normal(&known.name) == normal(&person.name)) {
            Some(known) => known.state.clone_from(&person.state),
            None => self.home.persons.push(person.clone()),
        }
    }
}

fn kind_and_name(entity: &Entity) -> (String, String) {
    (entity.id.domain().to_owned(), normal(&entity.name))
}

fn names_of<'a>(name: &'a str, aliases: &'a [String]) -> impl Iterator<Item = &'a str> {
    std::iter::once(name).chain(aliases.iter().map(String::as_str))
}

/// Adds a name and its aliases to the aliases of something, each once.
fn add_names(aliases: &mut Vec<String>, own: &str, name: &str, more: &[String]) {
    for name in names_of(name, more) {
        let known = is_one_of(name, names_of(own, aliases));
        if !known {
            aliases.push(name.to_owned());
        }
    }
}

/// A number that is another one when something else can be said: names, places, kinds; not states.
pub(super) fn vocabulary_of(home: &Home) -> u64 {
    let mut hasher = DefaultHasher::new();
    for floor in &home.floors {
        (&floor.id, &floor.name, &floor.aliases).hash(&mut hasher);
    }
    for area in &home.areas {
        (&area.id, &area.name, &area.aliases, &area.floor).hash(&mut hasher);
    }
    for entity in &home.entities {
        (&entity.id, &entity.name, &entity.aliases, &entity.area, &entity.device_class).hash(&mut hasher);
    }
    // A zone is known by its name, and by a person being there.
    let away = ["home", "not_home", "unavailable", "unknown"];
    let zones: BTreeSet<&str> = home.persons.iter().map(|person| person.state.as_str()).collect();
    zones.iter().filter(|zone| !away.contains(zone)).for_each(|zone| zone.hash(&mut hasher));
    home.persons.iter().for_each(|person| person.name.hash(&mut hasher));
    home.lists.iter().for_each(|list| list.name.hash(&mut hasher));
    hasher.finish()
}

#[cfg(test)]
#[path = "merge_tests.rs"]
mod tests;
