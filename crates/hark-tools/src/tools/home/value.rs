//! `home.set_value`: numbers, choices and texts that are entities.

use super::common::{plan_for, target};
use crate::tools::args::Args;
use crate::tools::outcome::{Failure, Prepared};
use crate::tools::services::Services;
use hark_core::home::Entity;
use hark_core::ports::HomeView;
use hark_home::DeviceError;
use hark_home::command::DeviceCommand;
use hark_home::secrets::Secrets;
use hark_home::select::{Scope, select};
use hark_home::values::{VALUED, check, meant};
use serde_json::json;
use std::sync::Arc;

/// `home.set_value`.
pub fn set_value(services: &Arc<Services>, args: &Args) -> Result<Prepared, Failure> {
    let missing = || Failure::wrong_call("value", "home.set_value needs value");
    let asked = args.owned("value").ok_or_else(missing)?;
    let home = services.home.registry().home();
    let (target, here) = (target(args), services.default_area());
    let scope = Scope { able: VALUED, sweep: &[], default_area: here.as_deref() };
    let selected = select(&home, &target, scope)?;
    let secrets = services.home.registry().secrets();
    let mut about = json!({"value": asked});
    if selected.iter().any(Entity::is_secret) {
        about = json!({});
    } else if let [only] = selected.as_slice() {
        about["value"] = json!(meant(only, &asked));
        if let Some(unit) = only.text("unit_of_measurement") {
            about["unit"] = json!(unit);
        }
    }
    plan_for(services, Arc::clone(&home), selected, &target, about, |entity| {
        if entity.is_secret() {
            let value = match secrets.reveal(&asked) {
                Some(value) => value,
                None if Secrets::is_name(&asked) => return Err(DeviceError::forgotten(entity)),
                None => asked.clone(),
            };
            check(entity, &value)?;
            return Ok(DeviceCommand::Value(secrets.hide(&value)));
        }
        let value = meant(entity, &asked);
        check(entity, &value)?;
        Ok(DeviceCommand::Value(value))
    })
}
