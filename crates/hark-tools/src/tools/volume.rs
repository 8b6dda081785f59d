//! `volume.get`, `volume.set`, `volume.change` and `system.do_not_disturb`: of this node, or of a media player when one is named.

use super::args::Args;
use super::home::common::{plan, step, target};
use super::outcome::{Failure, Outcome, Prepared};
use super::services::Services;
use hark_core::home::Entity;
use hark_core::tool::error_code;
use hark_home::DeviceError;
use hark_home::command::{Action, DeviceCommand, percent};
use hark_home::undo::Undoable;
use serde_json::json;
use std::sync::Arc;

const PLAYERS: &[&str] = &["media_player"];

/// How much "louder" is, percent points.
const STEP_PERCENT: f64 = 10.0;

/// `volume.get`.
pub fn get(services: &Arc<Services>, _args: &Args) -> Result<Prepared, Failure> {
    let level = services.running_node()?.volume_percent();
    Ok(Prepared::Answer(Outcome::answer(json!({"volume_level": level}))))
}

/// `system.do_not_disturb`.
pub fn do_not_disturb(services: &Arc<Services>, args: &Args) -> Result<Prepared, Failure> {
    let (node, on) = (services.running_node()?, args.flag("on").unwrap_or(true));
    Ok(Prepared::Work(Box::pin(async move {
        node.set_do_not_disturb(on)?;
        Ok(Outcome::new(true, json!({"on": on})))
    })))
}

/// `volume.set`.
pub fn set(services: &Arc<Services>, args: &Args) -> Result<Prepared, Failure> {
    let missing = || Failure::wrong_call("volume_level", "volume.set needs volume_level");
    let level: u8 = args.integer("volume_level").ok_or_else(missing)?;
    if names_a_player(args) {
        return players(services, args, |_| Ok(DeviceCommand::Volume(level)));
    }
    of_node(services, move |_| level)
}

/// `volume.change`.
pub fn change(services: &Arc<Services>, args: &Args) -> Result<Prepared, Failure> {
    let step = step(args, "volume_step", STEP_PERCENT)?;
    let stepped = move |level: f64| percent(level + step);
    if names_a_player(args) {
        let next = |entity: &Entity| {
            let level = entity.number("volume_level").ok_or_else(|| DeviceError::Unsupported {
                name: entity.name.clone(),
                what: "tell its volume",
            })?;
            Ok(stepped(level * 100.0))
        };
        return players(services, args, |entity| next(entity).map(DeviceCommand::Volume));
    }
    of_node(services, move |now| stepped(f64::from(now)))
}

fn names_a_player(args: &Args) -> bool {
    ["name", "area", "floor"].iter().any(|slot| args.text(slot).is_some())
}

fn players(
    services: &Services,
    args: &Args,
    command: impl Fn(&Entity) -> Result<DeviceCommand, DeviceError>,
) -> Result<Prepared, Failure> {
    let mut target = target(args);
    target.domain = Some("media_player".into());
    let mut prepared = plan(services, &target, (PLAYERS, PLAYERS), json!({}), command)?;
    if let Prepared::Home { actions, about, .. } = &mut prepared
        && let [Action { command: DeviceCommand::Volume(level), .. }] = actions.list.as_slice()
    {
        about.insert("volume_level".into(), json!(level));
    }
    Ok(prepared)
}

/// The node's own volume; done when the node answers that it is so.
fn of_node(services: &Services, next: impl Fn(u8) -> u8 + Send + 'static) -> Result<Prepared, Failure> {
    let node = services.running_node()?;
    Ok(Prepared::Work(Box::pin(async move {
        let before = node.volume_percent();
        let wanted = next(before);
        let now = node.set_volume(wanted);
        if now != wanted {
            let message = format!("the volume should be {wanted} and is {now}");
            return Err(Failure::new(error_code::FAILED, message));
        }
        let outcome = Outcome::new(now != before, json!({"volume_level": now}));
        Ok(if now == before { outcome } else { outcome.undone_by(Undoable::Volume(before)) })
    })))
}
