//! Devices straight from MQTT: what Zigbee2MQTT, Tasmota, ESPHome, WLED and others announce for Home
//! Assistant is read here too, and driven without it.
//!
//! A discovery message is taken apart (`announcement`, `keys`, `fields`) into things (`thing`): a name and a
//! place, whether it can be reached (`availability`), and an appliance of its kind (`light`, `cover` …) that
//! makes states of messages and messages of commands, with the device's own templates (`template`, `filters`,
//! `growth`). The fleet (`fleet`) knows which message concerns whom. Up to here nothing talks to anybody;
//! `inbox`, `subscriptions` and `driver` join it to the connection and to the home.
//!
//! Format: home-assistant.io/integrations/mqtt, "MQTT discovery", and the pages of its entity platforms.
//! Everything that comes in is bounded, because whoever may publish on the broker may publish anything.

mod alarm;
mod announcement;
mod appliance;
mod availability;
mod climate;
mod colour;
mod cover;
mod driver;
mod fan;
mod fields;
mod filters;
mod filters_text;
mod filters_time;
mod fleet;
mod growth;
mod humidifier;
mod inbox;
mod keys;
mod light;
mod light_json;
mod light_state;
mod light_template;
mod listeners;
mod lock;
mod moments;
mod on_off;
mod readings;
mod robots;
mod setting;
mod subscriptions;
mod survey;
mod template;
mod thing;

pub(super) use announcement::filters;
pub use driver::{Backend, Devices};
pub(super) use subscriptions::Request;
pub(super) use survey::Survey;
pub(super) use thing::DOMAINS;

use std::collections::BTreeMap;

/// How the devices stand.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Tally {
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
mod kinds_tests;
#[cfg(test)]
mod light_tests;
#[cfg(test)]
mod testing;
