//! Which tools are available: switched on, configured, granted by the machine, and with a device to act on; and why the others
//! are not. A language model is told of these only; `hark doctor`, the page and a voice tell of the others.

use super::descriptor::Descriptor;
use super::executor::allowed::{of_failure, of_permission};
use super::external;
use super::services::Services;
use super::table::TABLE;
use crate::machine_grants::Lack;
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
    lack(services, tool, home).is_none()
}

/// What keeps a tool from doing anything here; `None` when nothing does.
fn lack(services: &Services, tool: &Descriptor, home: &Home) -> Option<Lack> {
    let of_home = || {
        let kinds = devices_of(tool.name).filter(|kinds| !has_one_of(kinds, home))?;
        let fix = "connect one, or write it into the home's file".to_owned();
        Some(Lack { why: format!("this home has no {}", kinds.join(" and no ")), fix })
    };
    of_permission(services, tool.name, tool.permission, tool.risk)
        .or_else(|| (tool.ready)(services).err().map(|failure| of_failure(&failure)))
        .or_else(of_home)
}

/// What this machine and its configuration do not let Hark do: each lack once, with the tools that would need it. Tools that
/// the owner switched off, and those without a device of the home, are not missing.
pub fn missing(services: &Services) -> Vec<(Lack, Vec<&'static str>)> {
    let mut missing: Vec<(Lack, Vec<&'static str>)> =
        services.grants.missing().into_iter().map(|lack| (lack, Vec::new())).collect();
    let switched_on =
        |tool: &&&Descriptor| of_permission(services, tool.name, tool.permission, tool.risk).is_none();
    for tool in TABLE.iter().filter(switched_on) {
        let Err(failure) = (tool.ready)(services) else { continue };
        let lack = of_failure(&failure);
        match missing.iter_mut().find(|(known, _)| *known == lack) {
            Some((_, tools)) => tools.push(tool.name),
            None => missing.push((lack, vec![tool.name])),
        }
    }
    missing
}

/// Every tool, and whether it could do something here.
pub fn overview(services: &Services) -> Vec<ToolState> {
    let home = services.home.registry().home();
    let state = |tool: &&Descriptor| {
        let lack = lack(services, tool, &home);
        ToolState {
            name: tool.name.to_owned(),
            description: tool.description.to_owned(),
            risk: tool.risk,
            permission: tool.permission.to_owned(),
            is_available: lack.is_none(),
            why: lack.as_ref().map(|lack| lack.why.clone()).unwrap_or_default(),
            fix: lack.map(|lack| lack.fix).unwrap_or_default(),
            arguments: tool.args_schema(),
        }
    };
    TABLE.iter().map(state).chain(external::overview(services)).collect()
}

/// Kinds of devices of which a tool needs one; `None`: it needs none.
fn devices_of(tool: &str) -> Option<&'static [&'static str]> {
    DEVICES.iter().find(|(begins, _)| tool.starts_with(begins)).map(|(_, kinds)| *kinds)
}

fn has_one_of(kinds: &[&str], home: &Home) -> bool {
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
            assert_eq!(devices_of(tool).is_none_or(|kinds| has_one_of(kinds, &home)), there, "{tool}");
        }
        for (begins, _) in DEVICES {
            assert!(TABLE.iter().any(|tool| tool.name.starts_with(begins)), "{begins}");
        }
    }
}
