//! The names of the home as lists that templates refer to: `{name}`, `{area}`, `{floor}`, `{person}`,
//! `{todo_list}`.

use super::views::RawEntry;
use hark_core::home::{Area, Entity, Home, HomeList};
use serde_json::{Map, Value};
use std::collections::HashSet;

/// Where people can be: the zones of the home, where they are now, and where everybody goes.
fn zones(home: &Home) -> Vec<String> {
    let mut zones: Vec<String> = ["home", "work", "school"].map(str::to_owned).into();
    let declared = home.entities.iter().filter(|entity| entity.id.domain() == "zone").map(|zone| &zone.name);
    for zone in declared.chain(home.persons.iter().map(|person| &person.state)) {
        let known = zones.iter().any(|known| known.eq_ignore_ascii_case(zone));
        if !known && zone != "not_home" && zone != "unavailable" {
            zones.push(zone.clone());
        }
    }
    zones
}

/// Key of an entity's context: the name of its area. `area` itself is where the speaker is.
pub const IN_AREA: &str = "in_area";

/// Things in [`lists`].
pub const THINGS: u8 = 0;

/// Places in [`lists`]: areas and floors.
pub const PLACE_LISTS: [u8; 2] = [1, 2];

/// The lists of the home. A value's text is a declared name or an alias, its output the declared name.
pub fn lists(home: &Home) -> Vec<(&'static str, Vec<RawEntry>)> {
    let names = home.entities.iter().flat_map(|entity| entity.aliases.iter().chain([&entity.name]));
    let taken: HashSet<String> = names.map(|name| name.to_lowercase()).collect();
    let entities = home.entities.iter().map(|entity| entity_entry(home, entity, &taken));
    // People and lists are entities for Home Assistant, of the domains `person` and `todo`.
    let people = home.persons.iter().map(|person| kind_entry(&person.name, "person"));
    let known = |list: &&HomeList| {
        let same = |entity: &Entity| entity.id.domain() == "todo" && entity.name == list.name;
        !home.entities.iter().any(same)
    };
    let todo = home.lists.iter().filter(known).map(|list| kind_entry(&list.name, "todo"));
    let names = entities.chain(people).chain(todo).collect();
    let areas = home.areas.iter().map(|area| {
        let mut context = Map::new();
        if let Some(floor) =
            area.floor.as_ref().and_then(|id| home.floors.iter().find(|floor| floor.id == *id))
        {
            context.insert("floor".to_owned(), Value::from(floor.name.as_str()));
        }
        entry(&area.name, &area.aliases, context)
    });
    let floors = home.floors.iter().map(|floor| entry(&floor.name, &floor.aliases, Map::new()));
    let persons = home.persons.iter().map(|person| entry(&person.name, &[], Map::new()));
    vec![
        ("name", names),
        ("area", areas.collect()),
        ("floor", floors.collect()),
        ("person", persons.collect()),
        ("todo_list", todo_lists(home)),
        ("zone", zones(home).into_iter().map(|zone| entry(&zone, &[], Map::new())).collect()),
    ]
}

/// Lists of the home's file and those that are entities, without the word "list" at their end.
fn todo_lists(home: &Home) -> Vec<RawEntry> {
    let own = home.lists.iter().map(|list| (list.name.as_str(), &[][..]));
    let todo = home.entities.iter().filter(|entity| entity.id.domain() == "todo");
    let todo = todo.map(|entity| (entity.name.as_str(), entity.aliases.as_slice()));
    let entry = |(name, aliases): (&str, &[String])| {
        let mut texts: Vec<String> =
            std::iter::once(name.to_owned()).chain(aliases.iter().cloned()).collect();
        for text in &mut texts {
            let bare = text.len().saturating_sub(" list".len());
            if bare > 0 && text.get(bare..).is_some_and(|end| end.eq_ignore_ascii_case(" list")) {
                text.truncate(bare);
            }
        }
        if texts.iter().any(|text| matches!(text.to_lowercase().as_str(), "to do" | "to-do")) {
            texts.push("todo".to_owned());
        }
        RawEntry { texts, out: Value::from(name), context: Map::new() }
    };
    own.chain(todo).map(entry).collect()
}

/// `taken`: names and aliases of all things, in lower case.
fn entity_entry(home: &Home, entity: &Entity, taken: &HashSet<String>) -> RawEntry {
    let mut context = Map::new();
    context.insert("domain".to_owned(), Value::from(entity.id.domain()));
    if let Some(class) = &entity.device_class {
        context.insert("device_class".to_owned(), Value::from(class.as_str()));
    }
    let area = entity.area.as_ref().and_then(|id| home.areas.iter().find(|area| area.id == *id));
    if let Some(area) = area {
        context.insert(IN_AREA.to_owned(), Value::from(area.name.as_str()));
    }
    let mut entry = entry(&entity.name, &entity.aliases, context);
    // The "living room light" is the "lounge light", where the living room is the lounge.
    let by_alias = |area: &Area| {
        let behind = |text: &String| {
            let (begins, rest) = text.split_at_checked(area.name.len())?;
            (begins.eq_ignore_ascii_case(&area.name) && rest.starts_with(' ')).then(|| rest.to_owned())
        };
        let rests: Vec<String> = entry.texts.iter().filter_map(behind).collect();
        area.aliases
            .iter()
            .flat_map(|alias| rests.iter().map(move |rest| format!("{alias}{rest}")))
            .collect::<Vec<_>>()
    };
    // Another thing may be called so.
    let is_free = |text: &String| !taken.contains(&text.to_lowercase());
    let more: Vec<String> = area.map(by_alias).unwrap_or_default().into_iter().filter(is_free).collect();
    entry.texts.extend(more);
    entry
}

fn kind_entry(name: &str, domain: &str) -> RawEntry {
    entry(name, &[], Map::from_iter([("domain".to_owned(), Value::from(domain))]))
}

fn entry(name: &str, aliases: &[String], context: Map<String, Value>) -> RawEntry {
    let texts = std::iter::once(name.to_owned()).chain(aliases.iter().cloned()).collect();
    RawEntry { texts, out: Value::from(name), context }
}
