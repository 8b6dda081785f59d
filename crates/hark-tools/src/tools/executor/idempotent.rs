//! Whether a call is idempotent, so that it can be run again when it is unknown whether it was carried out.

use crate::tools::external;
use crate::tools::outcome::Prepared;
use crate::tools::services::Services;
use crate::tools::table;
use hark_core::{Risk, Slots};
use hark_home::command::DeviceCommand;
use std::sync::Arc;

/// Tools that bring about a state their arguments name. Not those that make another one, take a step, go on or switch over.
const SETS: &[&str] = &[
    "home.turn_on",
    "home.turn_off",
    "home.light_set",
    "home.set_position",
    "home.stop_moving",
    "home.set_tilt",
    "home.climate_set_temperature",
    "home.climate_set_mode",
    "home.climate_set_fan_mode",
    "home.set_preset",
    "home.set_value",
    "home.fan_set_speed",
    "home.vacuum_dock",
    "home.mower_dock",
    "home.alarm_panel_set",
    "volume.set",
    "media.pause",
    "media.stop",
    "media.mute",
    "media.unmute",
    "media.shuffle",
    "media.repeat",
    "media.select_source",
    "clipboard.write",
    // What is on a list of Hark's own is not put there twice; a list of the home is an act of its own kind (`Items`).
    "list.add",
];

/// Whether running the call twice has the effect of running it once.
pub(super) fn is_idempotent(services: &Arc<Services>, name: &str, args: &Slots) -> bool {
    let Some(tool) = table::find(name) else {
        return external::find(services, name).is_some_and(|(_, tool)| tool.risk == Risk::Read);
    };
    if tool.risk == Risk::Read {
        return true;
    }
    let Ok(checked) = tool.check(args) else { return false };
    if !SETS.contains(&name) {
        return false;
    }
    // "Turn on" runs scripts and presses buttons, too.
    match (tool.prepare)(services, &checked) {
        Ok(Prepared::Home { actions, .. }) => actions.list.iter().all(|action| is_state(&action.command)),
        Ok(Prepared::Work(_) | Prepared::Fetch { .. }) => true,
        Ok(Prepared::Answer(_) | Prepared::Gated(..) | Prepared::Asked { .. } | Prepared::Look(_))
        | Err(_) => false,
    }
}

/// Whether a command names a state.
fn is_state(command: &DeviceCommand) -> bool {
    use DeviceCommand as C;
    !matches!(command, C::Activate | C::Press | C::Start | C::CleanArea(_) | C::Items { .. })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools::descriptor::Descriptor;

    #[test]
    fn what_is_repeated_is_there_and_takes_no_steps() {
        for name in SETS {
            assert!(table::find(name).is_some(), "{name}");
        }
        let is_relative = |tool: &&&Descriptor| tool.arguments().any(|arg| arg.name.ends_with("_step"));
        let steps: Vec<&str> = table::TABLE.iter().filter(is_relative).map(|tool| tool.name).collect();
        assert!(steps.len() >= 5 && steps.iter().all(|name| !SETS.contains(name)), "{steps:?}");
        for once in ["timer.start", "shell.run", "home.toggle", "media.next", "announce.say"] {
            assert!(!SETS.contains(&once), "{once}");
        }
    }
}
