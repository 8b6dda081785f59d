//! Vacuum cleaners and lawn mowers.

use super::common::{plan, plan_for, target};
use crate::tools::args::Args;
use crate::tools::outcome::{Failure, Prepared};
use crate::tools::services::Services;
use hark_core::ports::HomeView;
use hark_core::tool::{error_code, reason};
use hark_home::command::DeviceCommand;
use hark_home::select::{self, Scope, SelectError, Target};
use serde_json::json;
use std::sync::Arc;

/// `home.vacuum_start`.
pub fn vacuum_start(services: &Arc<Services>, args: &Args) -> Result<Prepared, Failure> {
    robots(services, args, "vacuum", &DeviceCommand::Start)
}

/// `home.vacuum_dock`.
pub fn vacuum_dock(services: &Arc<Services>, args: &Args) -> Result<Prepared, Failure> {
    robots(services, args, "vacuum", &DeviceCommand::Dock)
}

/// `home.mower_start`.
pub fn mower_start(services: &Arc<Services>, args: &Args) -> Result<Prepared, Failure> {
    robots(services, args, "lawn_mower", &DeviceCommand::Start)
}

/// `home.mower_dock`.
pub fn mower_dock(services: &Arc<Services>, args: &Args) -> Result<Prepared, Failure> {
    robots(services, args, "lawn_mower", &DeviceCommand::Dock)
}

/// `home.vacuum_clean_area`: the area says what to clean, not where the cleaner stands. The one that stands
/// there, or on that floor, or the only one does it.
pub fn vacuum_clean_area(services: &Arc<Services>, args: &Args) -> Result<Prepared, Failure> {
    let home = services.home.registry().home();
    let asked = args.text("area").unwrap_or_default();
    let area = select::area(&home, asked).ok_or_else(|| SelectError::NoSuchArea(asked.to_owned()))?;
    let target = Target { name: args.owned("name"), domain: Some("vacuum".into()), ..Target::default() };
    let mut cleaners = select::select(&home, &target, Scope { able: &["vacuum"], ..Scope::default() })?;
    let floor = |id: &Option<String>| {
        home.areas.iter().find(|area| Some(&area.id) == id.as_ref()).and_then(|area| area.floor.clone())
    };
    if let Some(at) = cleaners.iter().position(|cleaner| cleaner.area.as_ref() == Some(&area.id)) {
        cleaners = vec![cleaners.swap_remove(at)];
    } else if let Some(at) =
        cleaners.iter().position(|cleaner| area.floor.is_some() && floor(&cleaner.area) == area.floor)
    {
        cleaners = vec![cleaners.swap_remove(at)];
    }
    if cleaners.len() > 1 {
        let names: Vec<&str> = cleaners.iter().map(|cleaner| cleaner.name.as_str()).collect();
        let message = "there are several vacuum cleaners";
        return Err(Failure::new(error_code::AMBIGUOUS, message)
            .because(reason::SEVERAL_VACUUMS)
            .with("candidates", json!(names)));
    }
    let name = area.name.clone();
    let about = json!({"cleans": name});
    plan_for(services, Arc::clone(&home), cleaners, &target, about, |_| {
        Ok(DeviceCommand::CleanArea(name.clone()))
    })
}

/// Without a name and a place every one of the home is meant: there is rarely one in each room.
fn robots(
    services: &Services,
    args: &Args,
    domain: &str,
    command: &DeviceCommand,
) -> Result<Prepared, Failure> {
    let mut target = target(args);
    target.domain = Some(domain.to_owned());
    if target.name.is_none() && target.area.is_none() && target.floor.is_none() {
        target.area = Some("all".into());
    }
    plan(services, &target, (&[domain], &[domain]), json!({}), |_| Ok(command.clone()))
}
