//! The names and things of a home, as plain data: what the recogniser, the templates, the slot filler
//! and the tools all read.

pub mod device;
pub mod house;

use super::ids::EntityId;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// A storey of the house.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Floor {
    /// Stable id.
    pub id: String,
    /// Declared name.
    pub name: String,
    /// Other names people use.
    #[serde(default)]
    pub aliases: Vec<String>,
    /// 0 is the ground floor.
    #[serde(default)]
    pub level: i32,
}

/// A room or another place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Area {
    /// Stable id.
    pub id: String,
    /// Declared name.
    pub name: String,
    /// Other names people use.
    #[serde(default)]
    pub aliases: Vec<String>,
    /// Id of its floor.
    #[serde(default)]
    pub floor: Option<String>,
}

/// The source of what is watched beside the home: folders and repositories.
pub const WATCHED: &str = "watch";

/// A device or another thing with a state.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Entity {
    /// `domain.object`.
    pub id: EntityId,
    /// Declared name.
    pub name: String,
    /// Other names people use.
    #[serde(default)]
    pub aliases: Vec<String>,
    /// Id of its area.
    #[serde(default)]
    pub area: Option<String>,
    /// Kind within the domain, such as `garage` for a cover.
    #[serde(default)]
    pub device_class: Option<String>,
    /// Current state, such as `on`; `unavailable` when it cannot be reached.
    pub state: String,
    /// Attributes by Home Assistant's names: `brightness` 0–255, `rgb_color`, `temperature` …
    #[serde(default)]
    pub attributes: Map<String, Value>,
    /// Where it comes from: `demo`, `homeassistant`, `mqtt`.
    #[serde(default)]
    pub source: String,
}

impl Entity {
    /// Whether its value is for nobody to read: a text of the mode `password`.
    pub fn is_secret(&self) -> bool {
        matches!(self.id.domain(), "text" | "input_text") && self.text("mode") == Some("password")
    }

    /// Whether it is known to run: neither off nor asleep, whatever it does.
    pub fn is_active(&self) -> bool {
        !matches!(self.state.as_str(), "off" | "standby" | "unavailable" | "unknown")
    }

    /// A number among the attributes.
    pub fn number(&self, attribute: &str) -> Option<f64> {
        self.attributes.get(attribute).and_then(Value::as_f64).filter(|number| number.is_finite())
    }

    /// A text among the attributes.
    pub fn text(&self, attribute: &str) -> Option<&str> {
        self.attributes.get(attribute).and_then(Value::as_str)
    }
}

/// Somebody who lives here.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Person {
    /// Declared name.
    pub name: String,
    /// Zone, such as `home`.
    pub state: String,
}

/// A list of the household.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HomeList {
    /// Declared name.
    pub name: String,
    /// What is on it.
    #[serde(default)]
    pub items: Vec<String>,
}

/// Where the house stands on the globe.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Location {
    /// Degrees, north of the equator.
    pub latitude: f64,
    /// Degrees, east of Greenwich.
    pub longitude: f64,
}

/// Everything there is, at one moment.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Home {
    /// Storeys.
    #[serde(default)]
    pub floors: Vec<Floor>,
    /// Places.
    #[serde(default)]
    pub areas: Vec<Area>,
    /// Things.
    #[serde(default)]
    pub entities: Vec<Entity>,
    /// People.
    #[serde(default)]
    pub persons: Vec<Person>,
    /// Lists.
    #[serde(default)]
    pub lists: Vec<HomeList>,
    /// How names are said that are not said as they are written, by the name: words as they would be spelt, or phonemes of
    /// the International Phonetic Alphabet between slashes.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub says: BTreeMap<String, String>,
    /// Where it stands; `None` when nobody has said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub location: Option<Location>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_is_off_asleep_or_not_known_is_not_active() {
        let is_active = |state: &str| {
            let entity = json!({"id": "media_player.tv", "name": "TV", "state": state});
            serde_json::from_value::<Entity>(entity).unwrap().is_active()
        };
        assert!(["off", "standby", "unavailable", "unknown"].into_iter().all(|state| !is_active(state)));
        assert!(["on", "playing", "paused", "idle", "heat"].into_iter().all(is_active));
    }
}
