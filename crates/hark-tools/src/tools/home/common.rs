//! What all home tools share: the target of a request, and entities as receipts show them.

use crate::tools::args::Args;
use crate::tools::outcome::{Failure, Prepared};
use crate::tools::services::Services;
use hark_core::home::{Entity, Home};
use hark_core::ports::HomeView;
use hark_core::tool::error_code;
use hark_home::DeviceError;
use hark_home::command::{Action, Actions, DeviceCommand};
use hark_home::control::Done;
use hark_home::select::{Scope, SelectError, Target, area, area_name, select, target_of};
use hark_home::state_proof::proves;
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// The target slots of a call.
pub fn target(args: &Args) -> Target {
    let except = args.value("except").and_then(Value::as_array).into_iter().flatten();
    Target { except: except.filter_map(Value::as_object).map(target_of).collect(), ..target_of(args.slots()) }
}

/// Plans one command for every entity the request means. `command` says what it means for each; when
/// it means something for none of them, the first reason is the answer.
pub fn plan(
    services: &Services,
    target: &Target,
    (able, sweep): (&[&str], &[&str]),
    about: Value,
    command: impl Fn(&Entity) -> Result<DeviceCommand, DeviceError>,
) -> Result<Prepared, Failure> {
    let home = services.home.registry().home();
    let here = services.default_area();
    let scope = Scope { able, sweep, default_area: here.as_deref() };
    let selected = select(&home, target, scope)?;
    plan_for(services, home, selected, target, about, command)
}

/// Of several things of which one is meant the only one with which something would change.
fn the_one(list: Vec<Action>, home: &Home) -> Result<Vec<Action>, SelectError> {
    let (done, open): (Vec<Action>, Vec<Action>) =
        list.into_iter().partition(|action| proves(&action.command, &action.entity, &action.entity));
    match (open.len(), done.len()) {
        (1, _) => Ok(open),
        (0, _) => Ok(done),
        _ => {
            let area = |action: &Action| area_name(home, &action.entity).map(str::to_owned);
            let areas = open.iter().map(area).collect();
            Err(SelectError::Which {
                names: open.into_iter().map(|action| action.entity.name).collect(),
                areas,
            })
        }
    }
}

/// The same for entities that were selected already.
pub fn plan_for(
    services: &Services,
    home: Arc<Home>,
    selected: Vec<Entity>,
    target: &Target,
    about: Value,
    command: impl Fn(&Entity) -> Result<DeviceCommand, DeviceError>,
) -> Result<Prepared, Failure> {
    let mut list = Vec::new();
    let mut reason = None;
    for entity in selected {
        match command(&entity) {
            Ok(command) => list.push(Action { entity, command }),
            Err(error) => {
                reason.get_or_insert(error);
            }
        }
    }
    if let (true, Some(reason)) = (list.is_empty(), reason) {
        return Err(reason.into());
    }
    // "The light" is every light of the room it is said in.
    let here = target.area.is_none() && target.floor.is_none() && services.default_area().is_some();
    if target.single && !here {
        list = the_one(list, &home)?;
    }
    let mut about = match about {
        Value::Object(about) => about,
        _ => Map::new(),
    };
    let entities: Vec<&Entity> = list.iter().map(|action| &action.entity).collect();
    about.extend(description(&home, target, services.default_area().as_deref(), &entities));
    Ok(Prepared::Home { actions: Actions { home, list }, about, also: None })
}

/// Plans a step up or down for everything of the first domain that is meant. `step` says what the new value
/// is, and the command; the value goes into the detail under `key` when it is one thing. Where some are on
/// only these are meant.
pub fn plan_stepped(
    services: &Services,
    args: &Args,
    (domains, key): (&[&str], &str),
    step: impl Fn(&Entity) -> (Value, DeviceCommand),
) -> Result<Prepared, Failure> {
    let home = services.home.registry().home();
    let mut target = target(args);
    if target.name.is_none() && target.domain.is_none() && target.device_class.is_none() {
        target.domain = domains.first().map(|domain| (*domain).to_owned());
    }
    let here = services.default_area();
    let scope = Scope { able: domains, sweep: domains, default_area: here.as_deref() };
    let mut selected = select(&home, &target, scope)?;
    if selected.iter().any(|entity| entity.state != "off") {
        selected.retain(|entity| entity.state != "off");
    }
    let about = match selected.as_slice() {
        [only] => Value::Object(Map::from_iter([(key.to_owned(), step(only).0)])),
        _ => Value::Null,
    };
    plan_for(services, home, selected, &target, about, |entity| Ok(step(entity).1))
}

/// How far a step goes: `up`, `down` or a number.
///
/// # Errors
/// `bad_argument` when it is missing.
pub fn step(args: &Args, name: &str, size: f64) -> Result<f64, Failure> {
    match args.text(name) {
        Some("up") => Ok(size),
        Some(_) => Ok(-size),
        None => args.number(name).ok_or_else(|| {
            Failure::new(error_code::BAD_ARGUMENT, format!("it was not said by how much ({name})"))
        }),
    }
}

/// A number for receipts: 23, not 23.0, which would be said so.
pub fn plain(number: f64) -> Value {
    // Cannot cut: it is whole and small.
    #[allow(clippy::cast_possible_truncation)]
    let whole = number as i64;
    if number.fract() == 0.0 && number.abs() < 1e9 { json!(whole) } else { json!(number) }
}

/// What the reply can call the entities: the name of the only one, the place, the kind they share.
fn description(
    home: &Home,
    target: &Target,
    default_area: Option<&str>,
    entities: &[&Entity],
) -> Map<String, Value> {
    let mut about = Map::new();
    if let [only] = entities {
        about.insert("name".into(), json!(only.name));
    }
    let here =
        default_area.filter(|_| target.name.is_none() && target.area.is_none() && target.floor.is_none());
    let here = here.filter(|here| entities.iter().all(|entity| entity.area.as_deref() == Some(here)));
    let place = target.area.as_deref().or(here).and_then(|name| area(home, name));
    if let Some(place) = place {
        about.insert("area".into(), json!(place.name));
    }
    let domain = entities.first().map(|entity| entity.id.domain().to_owned());
    if let Some(domain) = domain.filter(|domain| entities.iter().all(|entity| entity.id.domain() == domain)) {
        about.insert("domain".into(), json!(domain));
    }
    about
}

/// Devices as a receipt shows them after they were told something.
pub fn changes(home: &Arc<Home>, done: &[Done]) -> Value {
    let (changed, others): (Vec<&Done>, Vec<&Done>) = done.iter().partition(|one| one.changed());
    changed
        .into_iter()
        .chain(others)
        .filter(|one| one.error.is_none())
        .map(|one| {
            json!({
                "id": one.after.id, "name": one.after.name, "domain": one.after.id.domain(),
                "area": area_name(home, &one.after),
                "from": one.before.state, "to": one.after.state,
            })
        })
        .collect()
}
