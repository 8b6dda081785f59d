//! `home.humidifier_set_humidity`: how humid it shall be. Modes are chosen as presets are, in `climate`.

use super::common::{plan, target};
use crate::tools::args::Args;
use crate::tools::outcome::{Failure, Prepared};
use crate::tools::services::Services;
use hark_home::command::DeviceCommand;
use serde_json::json;
use std::sync::Arc;

const HUMIDIFIERS: &[&str] = &["humidifier"];

/// `home.humidifier_set_humidity`.
pub fn set_humidity(services: &Arc<Services>, args: &Args) -> Result<Prepared, Failure> {
    let missing = || Failure::wrong_call("humidity", "home.humidifier_set_humidity needs humidity");
    let humidity: u8 = args.integer("humidity").ok_or_else(missing)?;
    let mut target = target(args);
    if target.name.is_none() {
        target.domain = Some("humidifier".into());
    }
    let about = json!({"humidity": humidity});
    plan(services, &target, (HUMIDIFIERS, HUMIDIFIERS), about, |_| Ok(DeviceCommand::Humidity(humidity)))
}
