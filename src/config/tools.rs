//! `[tools]`: tools and the services they ask.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Tools and the services they ask.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ToolsConfig {
    /// Open-Meteo-compatible forecast endpoint, such as `https://api.open-meteo.com/v1/forecast`; empty: none.
    pub weather_url: String,
    /// Latitude asked for, degrees.
    #[schemars(range(min = -90, max = 90))]
    pub weather_latitude: f64,
    /// Longitude asked for, degrees.
    #[schemars(range(min = -180, max = 180))]
    pub weather_longitude: f64,
    /// Time a tool may take.
    #[schemars(range(min = 100, max = 30000))]
    pub timeout_ms: u32,
}

impl Default for ToolsConfig {
    fn default() -> Self {
        Self { weather_url: String::new(), weather_latitude: 0.0, weather_longitude: 0.0, timeout_ms: 10000 }
    }
}
