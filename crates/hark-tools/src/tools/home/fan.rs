//! `home.fan_set_speed` and `home.fan_step`.

use super::common::{plan, plan_stepped, step, target};
use crate::tools::args::Args;
use crate::tools::outcome::{Failure, Prepared};
use crate::tools::services::Services;
use hark_core::home::Entity;
use hark_home::command::{DeviceCommand, percent};
use serde_json::json;
use std::sync::Arc;

const FANS: &[&str] = &["fan"];

/// How much "faster" is, percent points, where the fan has no larger steps.
const STEP_PERCENT: f64 = 20.0;

/// `home.fan_set_speed`.
pub fn set_speed(services: &Arc<Services>, args: &Args) -> Result<Prepared, Failure> {
    let missing = || Failure::wrong_call("percentage", "home.fan_set_speed needs percentage");
    let percentage: u8 = args.integer("percentage").ok_or_else(missing)?;
    let mut target = target(args);
    if target.name.is_none() {
        target.domain = Some("fan".into());
    }
    let about = json!({"percentage": percentage});
    plan(services, &target, (FANS, FANS), about, |_| Ok(DeviceCommand::Percentage(percentage)))
}

/// `home.fan_step`.
pub fn step_speed(services: &Arc<Services>, args: &Args) -> Result<Prepared, Failure> {
    let by = step(args, "percentage_step", STEP_PERCENT)?;
    let now = |fan: &Entity| {
        if fan.state == "off" { 0.0 } else { fan.number("percentage").unwrap_or(100.0) }
    };
    plan_stepped(services, args, (FANS, "percentage"), |fan| {
        let size = fan.number("percentage_step").unwrap_or(0.0);
        let by = if by.abs() < size { size * by.signum() } else { by };
        let level = percent(now(fan) + by);
        (json!(level), DeviceCommand::Percentage(level))
    })
}
