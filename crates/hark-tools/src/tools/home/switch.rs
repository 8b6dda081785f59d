//! `home.turn_on`, `home.turn_off`, `home.toggle`: also open and close, lock and unlock, activate; and
//! `home.alarm_panel_set`.

use super::common::{plan, target};
use crate::tools::args::Args;
use crate::tools::outcome::{Failure, Prepared};
use crate::tools::services::Services;
use hark_home::command::{DeviceCommand, SWITCHABLE, Switch, switched};
use serde_json::json;
use std::sync::Arc;

/// What a place alone means: "turn on the kitchen".
const LIGHTS: &[&str] = &["light"];

/// What a place alone means: "turn everything off in the kitchen".
const EVERYTHING: &[&str] = &["light", "switch", "fan", "media_player"];

/// `home.turn_on`.
pub fn turn_on(services: &Arc<Services>, args: &Args) -> Result<Prepared, Failure> {
    switch(services, args, Switch::On, LIGHTS)
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
    plan(services, &target(args), (SWITCHABLE, sweep), json!({}), |entity| switched(entity, switch))
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
