//! `[home]`: the home and its names.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The home and its names.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct HomeConfig {
    /// Path of a `home.toml` with floors, areas, entities, persons, lists; empty: the demo home that comes with Hark.
    #[schemars(extend("x-holds" = "file"))]
    pub file: String,
    /// Gives every entity of the file a virtual device, so that something happens without hardware.
    pub demo: bool,
    /// Area this node stands in; a request without a place means it. Empty: none.
    pub area: String,
    /// Time a device has to prove that it did what it was told; no more than `tools.timeout_ms`.
    #[schemars(range(min = 100, max = 300000))]
    pub command_timeout_ms: u32,
    /// Sources whose names count as the household's own, of `homeassistant` and `mqtt`. A language model that was told other names, or other text from outside, does nothing without a yes.
    pub trusted_sources: Vec<String>,
    /// Things that a request changes at once without being asked about first.
    #[schemars(range(min = 1, max = 10000))]
    pub most_at_once: u32,
    /// How long an unacknowledged timer rings.
    #[schemars(range(min = 5000, max = 3600000))]
    pub ring_max_ms: u32,
}

impl Default for HomeConfig {
    fn default() -> Self {
        Self {
            file: String::new(),
            demo: true,
            area: String::new(),
            command_timeout_ms: 10_000,
            trusted_sources: Vec::new(),
            most_at_once: 10,
            ring_max_ms: 300_000,
        }
    }
}
