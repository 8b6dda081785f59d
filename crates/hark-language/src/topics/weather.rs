//! The weather in words.

use crate::phrases::{Phrase, Table};
use serde::Deserialize;

/// `weather.toml` of a language.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Weather {
    /// Codes of WMO table 4677, as Open-Meteo uses it.
    pub codes: Table<Phrase>,
    /// States of Home Assistant's weather entities that are not words of this language already.
    pub states: Table<Phrase>,
}
