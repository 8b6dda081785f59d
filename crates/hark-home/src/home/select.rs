//! Which entities a request means: by name, by place, by kind, or a mixture.

use super::super::names::{self, is_one_of, means_all};
use hark_core::home::{Area, Entity, Floor, Home};
use hark_core::{EntityId, Slots};
use serde_json::{Map, Value};

/// What a request says about its target, in the words of Home Assistant's slots.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Target {
    /// Name or alias; `all` means every one.
    pub name: Option<String>,
    /// Area by name, alias or id; `all` or `everywhere` means no matter where.
    pub area: Option<String>,
    /// Floor by name, alias or id.
    pub floor: Option<String>,
    /// Kind of entity.
    pub domain: Option<String>,
    /// Kind within the domain.
    pub device_class: Option<String>,
    /// What is left out; each means something in the home.
    pub except: Vec<Target>,
    /// One thing is meant: where no place is said either, and several would do, it is not clear which.
    pub single: bool,
}

/// The target that slots name, without exceptions.
pub fn target_of(slots: &Slots) -> Target {
    let text = |slot: &str| slots.get(slot).and_then(Value::as_str).map(str::to_owned);
    Target {
        name: text("name"),
        area: text("area"),
        floor: text("floor"),
        domain: text("domain"),
        device_class: text("device_class"),
        except: Vec::new(),
        single: slots.get("single").and_then(Value::as_bool).unwrap_or(false),
    }
}

/// What the tool that selects can do.
#[derive(Debug, Clone, Copy, Default)]
pub struct Scope<'a> {
    /// Domains it can act on; among things of the same name these are meant. Empty: all.
    pub able: &'a [&'a str],
    /// Domains it means when the request names a place but neither a name nor a kind.
    pub sweep: &'a [&'a str],
    /// Area of this node: meant when the request has neither name nor place. `None`: everywhere.
    pub default_area: Option<&'a str>,
}

/// Why nothing could be selected.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SelectError {
    /// Nothing has this name.
    #[error("nothing here is called {0}")]
    NoSuchName(String),
    /// No area has this name.
    #[error("there is no area called {0}")]
    NoSuchArea(String),
    /// No floor has this name.
    #[error("there is no floor called {0}")]
    NoSuchFloor(String),
    /// Name and place are known, but nothing of this kind is there.
    #[error("there is no {what} in {}", area.as_deref().or(floor.as_deref()).unwrap_or("the home"))]
    NothingThere { what: String, area: Option<String>, floor: Option<String> },
    /// What is of this kind there is only watched: a contact on a window moves nothing.
    #[error("{} can only be watched, and is moved by nothing here", names.join(", "))]
    OnlyWatched { names: Vec<String> },
    /// Things of the same name in different places.
    #[error("several things are called {name}")]
    Ambiguous { name: String, candidates: Vec<String> },
    /// One thing is meant, and several would do.
    #[error("it was not said which")]
    Which { names: Vec<String>, areas: Vec<Option<String>> },
    /// The request says neither name nor place nor kind.
    #[error("it was not said what is meant")]
    NothingAsked,
}

/// Classes of covers that people call by each other's name.
const WINDOW_COVERINGS: [&str; 4] = ["blind", "curtain", "shade", "shutter"];

/// The domain of what heats.
const HEATING: &str = "climate";

/// The entities a request means; never empty.
///
/// # Errors
/// Why nothing, or not one thing, is meant.
pub fn select(home: &Home, target: &Target, scope: Scope<'_>) -> Result<Vec<Entity>, SelectError> {
    let place = Place::of(home, target)?;
    let mut meant = match target.name.as_deref().filter(|name| !means_all(name)) {
        Some(name) => by_name(home, name, target, &place, scope),
        None => by_kind(home, target, &place, scope),
    }?;
    for except in &target.except {
        let scope = Scope { default_area: None, ..scope };
        let left_out = left_out(home, except, &meant, scope)?;
        meant.retain(|entity| !left_out.contains(&entity.id));
    }
    if meant.is_empty() { Err(nothing_there("other".into(), &place)) } else { Ok(meant) }
}

/// What an exception means: of the things that are meant those of its name, else of its place or kind.
pub(super) fn left_out(
    home: &Home,
    except: &Target,
    meant: &[Entity],
    scope: Scope<'_>,
) -> Result<Vec<EntityId>, SelectError> {
    if except.name.is_none() && except.domain.is_none() && except.device_class.is_none() {
        let place = Place::of(home, except)?;
        let there = meant.iter().filter(|entity| place.said && place.holds(entity));
        return Ok(there.map(|entity| entity.id.clone()).collect());
    }
    let among = Home { entities: meant.to_vec(), ..home.clone() };
    let found = match select(&among, except, scope) {
        // Of several of the name all are left out: rather one too few than one too many.
        Err(SelectError::Ambiguous { name, .. }) => {
            let called = |entity: &&Entity| is_one_of(&name, all_names(&entity.name, &entity.aliases));
            meant.iter().filter(called).cloned().collect()
        }
        // What is here but not among them is left out already.
        Err(error) => {
            select(home, except, Scope::default()).map_err(|_| error)?;
            Vec::new()
        }
        Ok(found) => found,
    };
    Ok(found.into_iter().map(|entity| entity.id).collect())
}

/// The area of this name, alias or id.
pub fn area<'h>(home: &'h Home, name: &str) -> Option<&'h Area> {
    home.areas
        .iter()
        .find(|area| is_one_of(name, all_names(&area.name, &area.aliases).chain([area.id.as_str()])))
}

/// The floor of this name, alias or id.
pub fn floor<'h>(home: &'h Home, name: &str) -> Option<&'h Floor> {
    home.floors
        .iter()
        .find(|floor| is_one_of(name, all_names(&floor.name, &floor.aliases).chain([floor.id.as_str()])))
}

/// Declared name of an entity's area.
pub fn area_name<'h>(home: &'h Home, entity: &Entity) -> Option<&'h str> {
    let id = entity.area.as_ref()?;
    home.areas.iter().find(|area| area.id == *id).map(|area| area.name.as_str())
}

/// The home with its people as entities of the domain `person`, for questions about states.
pub fn with_persons(home: &Home) -> Home {
    let mut home = home.clone();
    home.entities.extend(home.persons.iter().map(|person| Entity {
        id: EntityId(format!("person.{}", names::normal(&person.name).replace(' ', "_"))),
        name: person.name.clone(),
        aliases: Vec::new(),
        area: None,
        device_class: None,
        state: person.state.clone(),
        attributes: Map::new(),
        source: super::SOURCE_FILE.into(),
    }));
    home
}

/// Where the request says that it is.
#[derive(Debug, Default)]
struct Place {
    /// Ids of the areas; `None` when no place was said, or everywhere.
    areas: Option<Vec<String>>,
    /// Names of the area and the floor that were said.
    area: Option<String>,
    floor: Option<String>,
    /// Something was said about the place, be it "everywhere".
    said: bool,
}

impl Place {
    fn of(home: &Home, target: &Target) -> Result<Self, SelectError> {
        let mut place = Self { said: target.area.is_some() || target.floor.is_some(), ..Self::default() };
        if let Some(name) = target.floor.as_deref().filter(|name| !means_all(name)) {
            let floor = floor(home, name).ok_or_else(|| SelectError::NoSuchFloor(name.to_owned()))?;
            let on_it = home.areas.iter().filter(|area| area.floor.as_ref() == Some(&floor.id));
            place.areas = Some(on_it.map(|area| area.id.clone()).collect());
            place.floor = Some(floor.name.clone());
        }
        if let Some(name) = target.area.as_deref() {
            match area(home, name) {
                Some(area) => {
                    let on_floor = place.areas.as_ref().is_none_or(|areas| areas.contains(&area.id));
                    place.areas = Some(if on_floor { vec![area.id.clone()] } else { Vec::new() });
                    place.area = Some(area.name.clone());
                }
                None if means_all(name) => {}
                None => return Err(SelectError::NoSuchArea(name.to_owned())),
            }
        }
        Ok(place)
    }

    fn holds(&self, entity: &Entity) -> bool {
        match &self.areas {
            Some(areas) => entity.area.as_ref().is_some_and(|area| areas.contains(area)),
            None => true,
        }
    }
}

fn all_names<'a>(name: &'a str, aliases: &'a [String]) -> impl Iterator<Item = &'a str> {
    std::iter::once(name).chain(aliases.iter().map(String::as_str))
}

fn is_kind(entity: &Entity, target: &Target) -> bool {
    target.domain.as_deref().is_none_or(|domain| domain == entity.id.domain())
        && target.device_class.as_deref().is_none_or(|class| entity.device_class.as_deref() == Some(class))
}

fn by_name(
    home: &Home,
    name: &str,
    target: &Target,
    place: &Place,
    scope: Scope<'_>,
) -> Result<Vec<Entity>, SelectError> {
    let called =
        |entity: &&Entity| entity.id.0 == name || is_one_of(name, all_names(&entity.name, &entity.aliases));
    let called: Vec<&Entity> = home.entities.iter().filter(called).collect();
    if called.is_empty() {
        return Err(SelectError::NoSuchName(name.to_owned()));
    }
    let is_meant = |entity: &&&Entity| is_kind(entity, target) && place.holds(entity);
    let mut fitting: Vec<&Entity> = called.iter().filter(is_meant).copied().collect();
    if fitting.is_empty() && place.said && called.iter().all(|entity| is_the_heating(home, entity)) {
        let heating = Target { name: None, domain: Some(HEATING.to_owned()), ..target.clone() };
        return by_kind(home, &heating, place, scope);
    }
    if fitting.is_empty() {
        return Err(nothing_there(name.to_owned(), place));
    }
    prefer(&mut fitting, |entity| scope.able.is_empty() || scope.able.contains(&entity.id.domain()));
    if !place.said {
        prefer(&mut fitting, |entity| {
            scope.default_area.is_some() && entity.area.as_deref() == scope.default_area
        });
    }
    // A declared name goes before an alias of something else.
    prefer(&mut fitting, |entity| is_one_of(name, [entity.name.as_str()]));
    // A name shared within one area means all of them; in different areas it is not clear.
    if fitting.iter().any(|entity| entity.area != fitting[0].area) {
        let candidate = |entity: &&Entity| match area_name(home, entity) {
            Some(area) => format!("{} in the {area}", entity.name),
            None => entity.name.clone(),
        };
        let candidates = fitting.iter().map(candidate).collect();
        return Err(SelectError::Ambiguous { name: name.to_owned(), candidates });
    }
    Ok(fitting.into_iter().cloned().collect())
}

/// Whether a name is that of the heating: "the heating upstairs" is what heats there, where only a thermostat downstairs is called
/// so. What is called after its own room is meant as it is named.
fn is_the_heating(home: &Home, entity: &Entity) -> bool {
    let is_in_name = |area: &str| entity.name.to_lowercase().contains(&area.to_lowercase());
    entity.id.domain() == HEATING && !area_name(home, entity).is_some_and(is_in_name)
}

/// Keeps those that have it, if any has.
fn prefer(entities: &mut Vec<&Entity>, has: impl Fn(&Entity) -> bool) {
    if entities.iter().any(|entity| has(entity)) {
        entities.retain(|entity| has(entity));
    }
}

fn by_kind(
    home: &Home,
    target: &Target,
    place: &Place,
    scope: Scope<'_>,
) -> Result<Vec<Entity>, SelectError> {
    let kind_said = target.domain.is_some() || target.device_class.is_some();
    if !kind_said && !place.said && target.name.is_none() {
        return Err(SelectError::NothingAsked);
    }
    let meant = |entity: &&Entity| {
        let domain = entity.id.domain();
        // Without a kind only what is harmless to sweep: never locks or doors.
        let kind = if kind_said { is_kind(entity, target) } else { scope.sweep.contains(&domain) };
        let able = target.domain.is_some() || scope.able.is_empty() || scope.able.contains(&domain);
        kind && able && place.holds(entity)
    };
    let mut found: Vec<&Entity> = home.entities.iter().filter(meant).collect();
    // Who says "the blind" where only a shutter is means that.
    let covers_window = |class: &str| WINDOW_COVERINGS.contains(&class);
    if found.is_empty() && place.said && target.device_class.as_deref().is_some_and(covers_window) {
        let covers = |entity: &&Entity| entity.device_class.as_deref().is_some_and(covers_window);
        found = home.entities.iter().filter(|entity| place.holds(entity)).filter(covers).collect();
    }
    let what =
        target.device_class.clone().or_else(|| target.domain.clone()).unwrap_or_else(|| "device".into());
    if !place.said
        && target.name.is_none()
        && let Some(here) = scope.default_area
    {
        let in_here: Vec<&Entity> =
            found.iter().copied().filter(|entity| entity.area.as_deref() == Some(here)).collect();
        // "Open the garage door" said in the kitchen means the only one there is.
        if !in_here.is_empty() || found.len() > 1 {
            found = in_here;
        }
        if found.is_empty() {
            let name = home
                .areas
                .iter()
                .find(|area| area.id == here)
                .map_or_else(|| here.to_owned(), |area| area.name.clone());
            return Err(SelectError::NothingThere { what, area: Some(name.clone()), floor: None });
        }
    }
    if !found.is_empty() {
        return Ok(found.into_iter().cloned().collect());
    }
    let of_class = |entity: &&Entity| {
        target.device_class.is_some() && entity.device_class == target.device_class && place.holds(entity)
    };
    let watched: Vec<String> = home.entities.iter().filter(of_class).map(|one| one.name.clone()).collect();
    if watched.is_empty() {
        return Err(nothing_there(what, place));
    }
    Err(SelectError::OnlyWatched { names: watched })
}

fn nothing_there(what: String, place: &Place) -> SelectError {
    let (area, floor) = (place.area.clone(), place.floor.clone());
    SelectError::NothingThere { what: what.replace('_', " "), area, floor }
}

#[cfg(test)]
#[path = "select_tests.rs"]
mod tests;
