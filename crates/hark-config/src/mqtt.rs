//! `[mqtt]`: MQTT and Home Assistant discovery.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What stands in when no broker is named.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum BrokerMode {
    /// A broker inside the daemon, on loopback.
    Embedded,
    /// No MQTT at all.
    None,
}

/// MQTT and Home Assistant discovery.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Mqtt {
    /// Broker, `mqtt://host:1883` or `mqtts://host:8883`; empty: see `broker`.
    pub url: String,
    /// Without a `url`: `embedded` runs one inside on loopback, `none` means no MQTT.
    pub broker: BrokerMode,
    /// Port of the embedded broker on 127.0.0.1.
    #[schemars(range(min = 1, max = 65535))]
    pub embedded_port: u16,
    /// User name at the broker; empty: none.
    pub username: String,
    /// File that holds the password; empty: systemd credential `mqtt-password`, else none.
    #[schemars(extend("x-holds" = "file"))]
    pub password_file: String,
    /// Name of this node in topics: lower-case letters, digits, `_` and `-`, at most 32.
    pub node: String,
    /// Announce this node to Home Assistant.
    pub discovery: bool,
    /// Drive the devices that others announce by MQTT discovery (Zigbee2MQTT, Tasmota, ESPHome …), without Home Assistant. Says `online` on the prefix's status topic when some have not told their states.
    pub devices: bool,
    /// Home Assistant's discovery topic prefix.
    pub discovery_prefix: String,
}

impl Default for Mqtt {
    fn default() -> Self {
        Self {
            url: String::new(),
            broker: BrokerMode::Embedded,
            embedded_port: 1883,
            username: String::new(),
            password_file: String::new(),
            node: "hark".into(),
            discovery: true,
            devices: true,
            discovery_prefix: "homeassistant".into(),
        }
    }
}
