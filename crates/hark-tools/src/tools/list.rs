//! `list.*`: lists that Hark keeps, and to-do lists that are entities of the home.

use super::args::Args;
use super::home::common::plan_for;
use super::outcome::{Failure, Outcome, Prepared, blocking};
use super::services::Services;
use hark_core::home::Entity;
use hark_core::ports::{HomeView, ListItem};
use hark_core::tool::error_code;
use hark_home::command::DeviceCommand;
use hark_home::lists::{self, Change, Edit, Edited, Lists};
use hark_home::state_proof::items_of;
use hark_home::undo::Undoable;
use hark_home::{DeviceError, UNAVAILABLE};
use serde_json::{Value, json};
use std::sync::Arc;

/// `list.add`.
pub fn add(services: &Arc<Services>, args: &Args) -> Result<Prepared, Failure> {
    let items = lists::split_new_items(args.text("item").unwrap_or_default(), args.text("name"));
    edit(services, args, Edit::Add(said(items)?), "added")
}

/// `list.complete`.
pub fn complete(services: &Arc<Services>, args: &Args) -> Result<Prepared, Failure> {
    let items = items(args)?;
    edit(services, args, Edit::Complete(items), "completed")
}

/// `list.remove`.
pub fn remove(services: &Arc<Services>, args: &Args) -> Result<Prepared, Failure> {
    let items = items(args)?;
    edit(services, args, Edit::Remove(items), "removed")
}

/// `list.clear`.
pub fn clear(services: &Arc<Services>, args: &Args) -> Result<Prepared, Failure> {
    let keep = split(args, "except");
    edit(services, args, Edit::Clear { keep }, "cleared")
}

/// `list.read`.
pub fn read(services: &Arc<Services>, args: &Args) -> Result<Prepared, Failure> {
    let asked = args.text("item").map(|_| split(args, "item"));
    let told = move |name: &str, items: &[ListItem]| {
        let mut detail = json!({"list": name, "items": open(items), "count": open(items).len()});
        if let Some(asked) = &asked {
            let there = Edit::Complete(asked.clone()).apply(name, items).is_ok();
            detail["answer"] = json!(there);
        }
        Outcome::answer(detail)
    };
    if let Some(entity) = entity(services, args) {
        if entity.state == UNAVAILABLE {
            return Err(DeviceError::Offline(entity.name).into());
        }
        return Ok(Prepared::Answer(told(&entity.name, &items_of(&entity))));
    }
    let name = args.owned("name");
    with_lists(services, move |lists| {
        let list = lists.find(name.as_deref())?;
        Ok(told(&list.name, &list.items))
    })
}

/// `list.create`.
pub fn create(services: &Arc<Services>, args: &Args) -> Result<Prepared, Failure> {
    let missing = || Failure::wrong_call("name", "list.create needs name");
    let name = args.owned("name").ok_or_else(missing)?;
    if let Some(entity) = entity(services, args) {
        return Err(lists::ListError::Exists(entity.name).into());
    }
    with_lists(services, move |lists| {
        let change = lists.create(&name)?;
        let outcome = Outcome::new(true, json!({"list": change.name}));
        Ok(outcome.undone_by(undo_of(change, "created")))
    })
}

/// `list.names`.
pub fn names(services: &Arc<Services>, _args: &Args) -> Result<Prepared, Failure> {
    let home = services.home.registry().home();
    let mut shown: Vec<Value> = home
        .entities
        .iter()
        .filter(|entity| entity.id.domain() == "todo" && entity.state != UNAVAILABLE)
        .map(|entity| json!({"name": entity.name, "count": open(&items_of(entity)).len()}))
        .collect();
    with_lists(services, move |lists| {
        let own = lists.all()?;
        shown.extend(own.iter().map(|list| json!({"name": list.name, "count": open(&list.items).len()})));
        Ok(Outcome::answer(json!({"count": shown.len(), "lists": shown})))
    })
}

/// The things that an argument names.
fn split(args: &Args, argument: &str) -> Vec<String> {
    lists::split_items(args.text(argument).unwrap_or_default())
}

fn items(args: &Args) -> Result<Vec<String>, Failure> {
    said(split(args, "item"))
}

/// Things that were said, of which there have to be some.
fn said(items: Vec<String>) -> Result<Vec<String>, Failure> {
    if items.is_empty() {
        return Err(Failure::new(error_code::BAD_ARGUMENT, "it was not said what"));
    }
    Ok(items)
}

/// The to-do list of the home that is meant; one that cannot be reached is not, if Hark keeps a list of that
/// name itself.
fn entity(services: &Services, args: &Args) -> Option<Entity> {
    let asked = args.text("name").unwrap_or(services.lists.usual());
    let home = services.home.registry().home();
    let called = |entity: &&Entity| {
        let aliases = entity.aliases.iter().map(String::as_str);
        let mut names = std::iter::once(entity.name.as_str()).chain(aliases);
        entity.id.0 == asked || names.any(|name| lists::is_called(name, asked))
    };
    let entities = home.entities.iter().filter(|entity| entity.id.domain() == "todo");
    let (here, away): (Vec<&Entity>, Vec<&Entity>) =
        entities.filter(called).partition(|entity| entity.state != UNAVAILABLE);
    let of_ours = || services.lists.find(Some(asked)).is_ok();
    here.first().or_else(|| away.first().filter(|_| !of_ours())).map(|entity| Entity::clone(entity))
}

fn edit(services: &Arc<Services>, args: &Args, edit: Edit, what: &'static str) -> Result<Prepared, Failure> {
    if let Some(entity) = entity(services, args) {
        let from = items_of(&entity);
        let edited = edit.apply(&entity.name, &from)?;
        let about = told(&entity.name, &edited);
        let home = services.home.registry().home();
        let target = Default::default();
        return plan_for(services, home, vec![entity], &target, about, |_| {
            Ok(DeviceCommand::Items { from: from.clone(), to: edited.items.clone() })
        });
    }
    let name = args.owned("name");
    with_lists(services, move |lists| {
        let change = lists.edit(name.as_deref(), &edit)?;
        let outcome = Outcome::new(change.edited.changed, told(&change.name, &change.edited));
        Ok(if change.edited.changed { outcome.undone_by(undo_of(change, what)) } else { outcome })
    })
}

/// What receipts tell of a list that was changed.
fn told(list: &str, edited: &Edited) -> Value {
    let mut detail = json!({"list": list, "items": edited.touched, "count": open(&edited.items).len()});
    if !edited.already.is_empty() {
        detail["already"] = json!(edited.already);
    }
    detail
}

/// Puts one thing as it is on the list of this name, which is made where it is missing. `tell` adds to the detail.
pub(super) fn note(
    services: &Arc<Services>,
    name: String,
    item: String,
    tell: impl FnOnce(&mut Value) + Send + 'static,
) -> Result<Prepared, Failure> {
    with_lists(services, move |lists| {
        let made = match lists.find(Some(&name)) {
            Err(lists::ListError::NoSuchList(_)) => Some(lists.create(&name)?),
            _ => None,
        };
        let change = lists.edit(Some(&name), &Edit::Add(vec![item]))?;
        let mut detail = json!({"list": change.name, "items": change.edited.touched});
        tell(&mut detail);
        let changed = change.edited.changed;
        let mut outcome = Outcome::new(changed, detail);
        // The last is taken back first: a list goes when it is empty again.
        if let Some(made) = made {
            outcome = outcome.undone_by(undo_of(made, "created"));
        }
        Ok(if changed { outcome.undone_by(undo_of(change, "added")) } else { outcome })
    })
}

fn undo_of(change: Change, what: &'static str) -> Undoable {
    let Change { before, name, edited } = change;
    // What was there already stays there.
    let items = edited.touched.into_iter().filter(|item| !edited.already.contains(item)).collect();
    Undoable::List { before, after: edited.items, name, what, items }
}

fn open(items: &[ListItem]) -> Vec<&str> {
    items.iter().filter(|item| !item.done).map(|item| item.text.as_str()).collect()
}

/// Runs `job` where it may wait for the disk.
fn with_lists(
    services: &Arc<Services>,
    job: impl FnOnce(&Lists) -> Result<Outcome, Failure> + Send + 'static,
) -> Result<Prepared, Failure> {
    let lists = Arc::clone(&services.lists);
    Ok(blocking(move || job(&lists)))
}
