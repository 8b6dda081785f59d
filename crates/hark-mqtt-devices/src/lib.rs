//! Devices of Home Assistant's MQTT discovery: what Zigbee2MQTT, Tasmota, ESPHome, WLED and others announce is read here
//! and driven without Home Assistant.
//!
//! A discovery message is parsed (`discovery_message`, `abbreviations`, `fields`) into entities (`entity`): name, area,
//! availability (`availability`), and a `DeviceKind` (`light`, `cover` …) that turns messages into states
//! and commands into messages, with the device's own templates (`template`, `template::filters`, `template::size_bound`).
//! `registry` holds all entities and the index from topics to them. Up to here there is no I/O; `message_queue`,
//! `subscriptions` and `device_sync` connect it to the home and, through [`Outlet`], to the connection of `hark-mqtt`, which
//! calls it on the tokio runtime (`hark-async`). `scan` counts for `hark doctor`.
//!
//! Format: home-assistant.io/integrations/mqtt, "MQTT discovery", and the pages of its entity platforms.
//! Everything that comes in is bounded, because any client of the broker may publish anything.
//!
//! ```
//! use hark_mqtt_devices::{DeviceScan, OwnTopics};
//!
//! let mut scan = DeviceScan::new("homeassistant", OwnTopics::default());
//! scan.take("homeassistant/switch/plug/config", br#"{"name": "Plug", "cmd_t": "plug/set"}"#);
//! assert_eq!(scan.found(), "1 entities of devices are announced there");
//! ```

mod abbreviations;
mod availability;
mod device_kind;
mod device_sync;
mod discovery_message;
mod entity;
mod fields;
mod kinds;
mod message_queue;
mod registry;
mod scan;
mod subscriptions;
mod template;
mod topic_index;

pub use device_sync::{Backend, Delivery, Devices, Outlet};
pub use discovery_message::filters;
pub use entity::DOMAINS;
use kinds::{
    alarm, climate, cover, fan, humidifier, light, light_json, light_template, lock, number_select_text,
    on_off, robots, sensors, stateless,
};
pub use scan::DeviceScan;
pub use subscriptions::Request;

use std::collections::BTreeMap;

/// Topics of Hark's own node on the same broker, which are no device's.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OwnTopics {
    /// Where the node announces itself.
    pub discovery: String,
    /// Where it takes commands: a device that listened there would take them away.
    pub commands: Vec<String>,
    /// Where Home Assistant says that it has started.
    pub status: String,
}

/// How the devices stand.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DeviceCounts {
    /// Entities that are for the home.
    pub entities: usize,
    /// What is announced and not for the home: how many for which reason, in words that go behind the number.
    pub left_out: BTreeMap<String, usize>,
    /// Messages that could not be taken, of discovery and of devices.
    pub refused: u64,
    /// Messages that were not read because newer ones of the same topic came.
    pub overtaken: u64,
    /// Messages that were given up because too much waited.
    pub lost: u64,
    /// The last of those that could not be taken: its topic, and why.
    pub last_problem: Option<String>,
}

#[cfg(test)]
mod testing;
