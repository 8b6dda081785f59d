//! Which tools are available: switched on, configured, and with a device to act on. A language model is told of these only.

use super::allowed;
use super::descriptor::Descriptor;
use super::external;
use super::services::Services;
use super::table::TABLE;
use hark_core::Risk;
use hark_core::home::Home;
use hark_core::inspection::ToolState;
use hark_core::ports::HomeView;
use hark_home::values::VALUED;

/// Beginnings of names of tools, and the kinds of devices of which one must be there; the first that fits counts.
const DEVICES: &[(&str, &[&str])] = &[
    ("home.light_", &["light"]),
    ("home.set_position", &["cover", "valve"]),
    ("home.position_", &["cover", "valve"]),
    ("home.stop_moving", &["cover", "valve"]),
    ("home.set_tilt", &["cover"]),
    ("home.climate_", &["climate"]),
    ("home.fan_", &["fan"]),
    ("home.set_preset", &["climate", "fan"]),
    ("home.set_value", VALUED),
    ("home.vacuum_", &["vacuum"]),
    ("home.mower_", &["lawn_mower"]),
    ("home.alarm_panel_", &["alarm_control_panel"]),
    ("media.", &["media_player"]),
];

/// Whether a tool could do something in this home.
pub(super) fn is_available(services: &Services, tool: &Descriptor, home: &Home) -> bool {
    let forbidden = tool.risk == Risk::Dangerous && services.gate.never(tool.permission);
    !forbidden
        && allowed(services, tool.name, tool.permission).is_ok()
        && (tool.ready)(services).is_ok()
        && has_devices(tool.name, home)
}

/// Every tool, and whether it could do something here.
pub fn overview(services: &Services) -> Vec<ToolState> {
    let home = services.home.registry().home();
    let state = |tool: &&Descriptor| ToolState {
        name: tool.name.to_owned(),
        description: tool.description.to_owned(),
        risk: tool.risk,
        permission: tool.permission.to_owned(),
        is_available: is_available(services, tool, &home),
        arguments: tool.args_schema(),
    };
    TABLE.iter().map(state).chain(external::overview(services)).collect()
}

fn has_devices(tool: &str, home: &Home) -> bool {
    let Some((_, kinds)) = DEVICES.iter().find(|(begins, _)| tool.starts_with(begins)) else { return true };
    home.entities.iter().any(|entity| kinds.contains(&entity.id.domain()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use hark_home::file;

    #[test]
    fn a_tool_without_a_device_is_not_told_of() {
        let home = file::parse(
            "[[area]]\nid = \"k\"\nname = \"Kitchen\"\n[[entity]]\nid = \"light.k\"\nname = \"Lamp\"\narea = \"k\"\n",
            true,
        );
        let home = home.unwrap();
        for (tool, there) in [
            ("home.light_set", true),
            ("home.turn_on", true),
            ("home.vacuum_start", false),
            ("home.climate_get_temperature", false),
            ("home.alarm_panel_set", false),
            ("media.pause", false),
            ("timer.start", true),
            ("volume.set", true),
        ] {
            assert!(TABLE.iter().any(|known| known.name == tool), "{tool}");
            assert_eq!(has_devices(tool, &home), there, "{tool}");
        }
        for (begins, _) in DEVICES {
            assert!(TABLE.iter().any(|tool| tool.name.starts_with(begins)), "{begins}");
        }
    }
}
