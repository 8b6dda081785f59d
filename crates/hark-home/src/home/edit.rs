//! Changes names in the text of a `home.toml`. Everything else in it stays as it is: comments, order, spaces.

use super::file::{self, slug};
use hark_core::home::Home;
use hark_core::house::NameChange;
use hark_core::{Fault, FaultKind};
use toml_edit::{Array, ArrayOfTables, DocumentMut, Item, Table, Value};

/// The tables that have names.
const KINDS: [&str; 3] = ["entity", "area", "floor"];

/// The text with other names in it. What does not stand in it yet, because Home Assistant or MQTT brought it, gets a table
/// at its end. `home` is the home as it is with all of them.
///
/// # Errors
/// When there is nothing of this id, or the text would have mistakes; they are named.
pub fn renamed(text: &str, home: &Home, change: &NameChange) -> Result<String, Fault> {
    let bad = |message: String, fix: &str| Fault::new(FaultKind::BadInput, "home", message, fix);
    let mut document: DocumentMut = text.parse().map_err(|error: toml_edit::TomlError| {
        bad(format!("the home's file is not TOML: {}", error.message()), "correct it by hand first")
    })?;
    let known =
        KINDS.into_iter().find(|kind| tables(&mut document, kind).is_some_and(|tables| put(tables, change)));
    let new = match known {
        Some(_) => document.to_string(),
        None => {
            let (kind, name) = found(home, &change.id).ok_or_else(|| {
                bad(format!("there is no {:?} in the home", change.id), "`hark home list` shows the ids")
            })?;
            let name = change.name.as_deref().unwrap_or(&name);
            let mut table = Table::new();
            table.insert("id", value(&change.id));
            table.insert("name", value(name));
            if let Some(aliases) = &change.aliases {
                table.insert("aliases", list(aliases));
            }
            format!("{}\n\n[[{kind}]]\n{table}", text.trim_end())
        }
    };
    match file::parse(&new, false) {
        Ok(_) => Ok(new),
        Err(problems) => {
            let told: Vec<String> = problems.iter().map(ToString::to_string).collect();
            Err(bad(told.join("; "), "give another name; nothing was written"))
        }
    }
}

fn tables<'text>(document: &'text mut DocumentMut, kind: &str) -> Option<&'text mut ArrayOfTables> {
    document.get_mut(kind).and_then(Item::as_array_of_tables_mut)
}

/// Changes the table of this id, if it is among them.
fn put(tables: &mut ArrayOfTables, change: &NameChange) -> bool {
    let is_it =
        |table: &&mut Table| table.get("id").and_then(Item::as_str).is_some_and(|id| slug(id) == change.id);
    let Some(table) = tables.iter_mut().find(is_it) else { return false };
    if let Some(name) = &change.name {
        set(table, "name", value(name));
    }
    match &change.aliases {
        Some(aliases) if aliases.is_empty() => drop(table.remove("aliases")),
        Some(aliases) => set(table, "aliases", list(aliases)),
        None => {}
    }
    true
}

/// Puts a value in the place of another; the comment behind that one stays.
fn set(table: &mut Table, key: &str, item: Item) {
    let before = table.get(key).and_then(Item::as_value).map(|value| value.decor().clone());
    table.insert(key, item);
    if let (Some(before), Some(now)) = (before, table.get_mut(key).and_then(Item::as_value_mut)) {
        *now.decor_mut() = before;
    }
}

fn value(text: &str) -> Item {
    Item::Value(Value::from(text))
}

fn list(texts: &[String]) -> Item {
    Item::Value(Value::Array(texts.iter().map(String::as_str).collect::<Array>()))
}

/// The kind and name of something in the home.
fn found(home: &Home, id: &str) -> Option<(&'static str, String)> {
    let entity = home.entities.iter().find(|entity| entity.id.0 == id).map(|entity| ("entity", &entity.name));
    let area = || home.areas.iter().find(|area| area.id == id).map(|area| ("area", &area.name));
    let floor = || home.floors.iter().find(|floor| floor.id == id).map(|floor| ("floor", &floor.name));
    entity.or_else(area).or_else(floor).map(|(kind, name)| (kind, name.clone()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "# Ours.\n[[area]]\nid = \"kitchen\"\nname = \"Kitchen\" # downstairs\n\n\
        [[entity]]\nid = \"light.lamp\" # the old one\nname = \"Lamp\"\naliases = [\"lantern\"] # as Max says\narea = \"kitchen\"\n\n# The end.\n";

    fn change(id: &str, name: Option<&str>, aliases: Option<&[&str]>) -> NameChange {
        let aliases = aliases.map(|aliases| aliases.iter().map(|alias| (*alias).to_owned()).collect());
        NameChange { id: id.into(), name: name.map(str::to_owned), aliases }
    }

    fn home() -> Home {
        file::parse(&format!("{TEXT}\n[[entity]]\nid = \"switch.plug\"\nname = \"Plug 7\"\n"), false).unwrap()
    }

    #[test]
    fn names_change_and_nothing_else_does() {
        let to = |change: NameChange| renamed(TEXT, &home(), &change).unwrap();
        assert_eq!(
            to(change("light.lamp", Some("Reading lamp"), Some(&["Leselampe", "lantern"]))),
            TEXT.replace("name = \"Lamp\"", "name = \"Reading lamp\"")
                .replace("[\"lantern\"] #", "[\"Leselampe\", \"lantern\"] #")
        );
        assert_eq!(to(change("kitchen", Some("Küche"), None)), TEXT.replace("\"Kitchen\" #", "\"Küche\" #"));
        assert!(!to(change("light.lamp", None, Some(&[]))).contains("lantern"));
    }

    #[test]
    fn what_others_brought_gets_a_table_of_its_own() {
        let text = renamed(TEXT, &home(), &change("switch.plug", Some("Kettle"), Some(&["boiler"]))).unwrap();
        let table =
            "# The end.\n\n[[entity]]\nid = \"switch.plug\"\nname = \"Kettle\"\naliases = [\"boiler\"]\n";
        assert!(text.ends_with(table), "{text}");
        let text = renamed("", &home(), &change("switch.plug", None, Some(&["boiler"]))).unwrap();
        assert!(text.contains("name = \"Plug 7\""), "{text}");
    }

    #[test]
    fn what_cannot_be_is_refused_with_the_reason() {
        let refused = |change: NameChange| renamed(TEXT, &home(), &change).unwrap_err().message;
        assert!(refused(change("light.none", Some("x"), None)).contains("light.none"));
        assert!(refused(change("kitchen", Some(""), None)).contains("name"));
        assert!(renamed("[[[", &home(), &change("kitchen", Some("x"), None)).is_err());
    }
}
