//! `[homeassistant]`: a Home Assistant that Hark works with.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A Home Assistant whose rooms and devices become part of the home, by its WebSocket API.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct HomeAssistant {
    /// Address, such as `http://homeassistant.local:8123` or `ws://homeassistant.local:8123/api/websocket`; empty: none. With one there are no virtual devices: `home.demo` counts as false.
    pub url: String,
    /// File that holds a long-lived access token (made in the user's profile there, under Security); empty: systemd credential `homeassistant-token`.
    #[schemars(extend("x-holds" = "file"))]
    pub token_file: String,
    /// Only what is exposed to Assist there; otherwise everything that is not hidden.
    pub exposed_only: bool,
    /// How long connecting, logging in and each registry may take; a start waits this long for the rooms and names.
    #[schemars(range(min = 100, max = 60000))]
    pub connect_timeout_ms: u32,
    /// How long Home Assistant may take to answer a command.
    #[schemars(range(min = 100, max = 60000))]
    pub command_timeout_ms: u32,
    /// After this long without a word the connection is tested; after twice as long it counts as lost.
    #[schemars(range(min = 200, max = 300000))]
    pub ping_ms: u32,
}

impl Default for HomeAssistant {
    fn default() -> Self {
        Self {
            url: String::new(),
            token_file: String::new(),
            exposed_only: true,
            connect_timeout_ms: 5000,
            command_timeout_ms: 8000,
            ping_ms: 15000,
        }
    }
}
