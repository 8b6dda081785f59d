//! `home.turn_on`, `home.turn_off`, `home.toggle`: also open and close, lock and unlock, activate; and
//! `home.alarm_panel_set`.

use super::common::{plan, target};
use crate::tools::args::Args;
use crate::tools::outcome::{Failure, Prepared};
use crate::tools::services::Services;
use hark_core::home::Entity;
use hark_core::ports::HomeView;
use hark_home::DeviceError;
use hark_home::command::{Action, Actions, DeviceCommand, SWITCHABLE, Switch, switched};
use hark_home::scene::{self, PartError};
use hark_home::select::{Scope, Target, select};
use serde_json::{Map, json};
use std::sync::Arc;

/// What a place alone means: "turn on the kitchen".
const LIGHTS: &[&str] = &["light"];

/// What a place alone means: "turn everything off in the kitchen".
const EVERYTHING: &[&str] = &["light", "switch", "fan", "media_player"];

/// `home.turn_on`.
pub fn turn_on(services: &Arc<Services>, args: &Args) -> Result<Prepared, Failure> {
    let sweep = if excepts_more_than_lights(services, &target(args)) { EVERYTHING } else { LIGHTS };
    switch(services, args, Switch::On, sweep)
}

/// Whether what is left out tells that more than the lights of a place is meant: "everything but the television", "everything
/// except the lights".
fn excepts_more_than_lights(services: &Services, target: &Target) -> bool {
    let home = services.home.registry().home();
    let is_light = |entity: &Entity| LIGHTS.contains(&entity.id.domain());
    let tells = |except: &Target| {
        let all_lights = except.domain.as_deref().is_some_and(|domain| LIGHTS.contains(&domain));
        let named = || select(&home, except, Scope::default()).unwrap_or_default();
        let names_other = || except.name.is_some() && named().iter().any(|entity| !is_light(entity));
        except.name.is_none() && all_lights || names_other()
    };
    target.except.iter().any(tells)
}

/// `home.turn_off`.
pub fn turn_off(services: &Arc<Services>, args: &Args) -> Result<Prepared, Failure> {
    switch(services, args, Switch::Off, EVERYTHING)
}

/// `home.toggle`.
pub fn toggle(services: &Arc<Services>, args: &Args) -> Result<Prepared, Failure> {
    switch(services, args, Switch::Toggle, LIGHTS)
}

fn switch(services: &Services, args: &Args, switch: Switch, sweep: &[&str]) -> Result<Prepared, Failure> {
    let target = target(args);
    if switch == Switch::On
        && !target.except.is_empty()
        && let Some(part) = part_of_scene(services, &target)
    {
        return part;
    }
    plan(services, &target, (SWITCHABLE, sweep), json!({}), |entity| switched(entity, switch))
}

/// A scene or script without what is left out of it; `None` where something else is named.
fn part_of_scene(services: &Services, target: &Target) -> Option<Result<Prepared, Failure>> {
    let home = services.home.registry().home();
    let whole = Target { except: Vec::new(), ..target.clone() };
    let scope = Scope { able: SWITCHABLE, ..Scope::default() };
    let selected = select(&home, &whole, scope).ok()?;
    let scene = scene::scene_of(&selected)?;
    let list = match scene::without(&home, scene, &target.except) {
        Ok(all) => all.into_iter().map(|(entity, command)| Action { entity, command }).collect(),
        Err(PartError::Untold) => {
            let (name, what) = (scene.name.clone(), "be set without a part of it");
            return Some(Err(DeviceError::Unsupported { name, what }.into()));
        }
        Err(PartError::Select(error)) => return Some(Err(error.into())),
    };
    let about = Map::from_iter([("name".to_owned(), json!(scene.name))]);
    Some(Ok(Prepared::Home { actions: Actions { home, list }, about, also: None }))
}

/// `home.alarm_panel_set`.
pub fn alarm_panel_set(services: &Arc<Services>, args: &Args) -> Result<Prepared, Failure> {
    const PANELS: &[&str] = &["alarm_control_panel"];
    let missing = || Failure::wrong_call("mode", "home.alarm_panel_set needs mode");
    let mode = args.owned("mode").ok_or_else(missing)?;
    let state = if mode == "disarmed" { mode.clone() } else { format!("armed_{mode}") };
    let mut target = target(args);
    target.domain = Some("alarm_control_panel".into());
    if target.name.is_none() && target.area.is_none() && target.floor.is_none() {
        // One guards the whole house, wherever it hangs.
        target.area = Some("all".into());
    }
    let about = json!({"mode": mode});
    plan(services, &target, (PANELS, PANELS), about, |_| Ok(DeviceCommand::Arm(state.clone())))
}
