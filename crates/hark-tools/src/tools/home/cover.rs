//! `home.set_position`, `home.position_step` and `home.stop_moving`: blinds, curtains, windows, valves half-way.

use super::common::{plan, plan_stepped, step, target};
use crate::tools::args::Args;
use crate::tools::outcome::{Failure, Prepared};
use crate::tools::services::Services;
use hark_core::home::Entity;
use hark_home::command::{DeviceCommand, percent};
use hark_home::select::Target;
use serde_json::json;
use std::sync::Arc;

const COVERS: &[&str] = &["cover"];

const MOVABLE: &[&str] = &["cover", "valve"];

/// How much "a bit further" is, percent points.
const STEP_PERCENT: f64 = 20.0;

/// `home.set_position`.
pub fn set_position(services: &Arc<Services>, args: &Args) -> Result<Prepared, Failure> {
    let missing = || Failure::wrong_call("position", "home.set_position needs position");
    let position: u8 = args.integer("position").ok_or_else(missing)?;
    let about = json!({"position": position});
    plan(services, &covers(args), (MOVABLE, COVERS), about, |_| Ok(DeviceCommand::Position(position)))
}

/// `home.stop_moving`.
pub fn stop_moving(services: &Arc<Services>, args: &Args) -> Result<Prepared, Failure> {
    plan(services, &covers(args), (MOVABLE, COVERS), json!({}), |_| Ok(DeviceCommand::Stop))
}

/// What a call means: covers, where it does not say what.
fn covers(args: &Args) -> Target {
    let mut target = target(args);
    if target.name.is_none() && target.domain.is_none() {
        target.domain = Some("cover".into());
    }
    target
}

/// `home.set_tilt`.
pub fn set_tilt(services: &Arc<Services>, args: &Args) -> Result<Prepared, Failure> {
    let missing = || Failure::wrong_call("tilt", "home.set_tilt needs tilt");
    let tilt: u8 = args.integer("tilt").ok_or_else(missing)?;
    plan(services, &covers(args), (COVERS, COVERS), json!({"tilt": tilt}), |_| Ok(DeviceCommand::Tilt(tilt)))
}

/// `home.position_step`.
pub fn position_step(services: &Arc<Services>, args: &Args) -> Result<Prepared, Failure> {
    let by = step(args, "position_step", STEP_PERCENT)?;
    let now = |cover: &Entity| {
        let whole = if cover.state.starts_with("open") { 100.0 } else { 0.0 };
        cover.number("current_position").unwrap_or(whole)
    };
    plan_stepped(services, args, (MOVABLE, "position"), |cover| {
        let position = percent(now(cover) + by);
        (json!(position), DeviceCommand::Position(position))
    })
}
