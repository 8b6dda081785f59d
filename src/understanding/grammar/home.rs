//! The names of the home as lists that templates refer to: `{name}`, `{area}`, `{floor}`, `{person}`,
//! `{todo_list}`.

use super::views::RawEntry;
use crate::domain::home::{Entity, Home};
use serde_json::{Map, Value};

/// The lists of the home. A value's text is a declared name or an alias, its output the declared name.
pub fn lists(home: &Home) -> Vec<(&'static str, Vec<RawEntry>)> {
    let names = home.entities.iter().map(|entity| entity_entry(home, entity)).collect();
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

fn entity_entry(home: &Home, entity: &Entity) -> RawEntry {
    let mut context = Map::new();
    context.insert("domain".to_owned(), Value::from(entity.id.domain()));
    if let Some(class) = &entity.device_class {
        context.insert("device_class".to_owned(), Value::from(class.as_str()));
    }
    if let Some(area) = entity.area.as_ref().and_then(|id| home.areas.iter().find(|area| area.id == *id)) {
        context.insert("area".to_owned(), Value::from(area.name.as_str()));
    }
    entry(&entity.name, &entity.aliases, context)
}

fn entry(name: &str, aliases: &[String], context: Map<String, Value>) -> RawEntry {
    let texts = std::iter::once(name.to_owned()).chain(aliases.iter().cloned()).collect();
    RawEntry { texts, out: Value::from(name), context }
}
