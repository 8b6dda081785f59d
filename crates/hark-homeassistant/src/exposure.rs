//! Which entities are exposed to Assist, decided as Home Assistant's newest core does
//! (homeassistant/components/homeassistant/exposed_entities.py of 2026.11).
//!
//! The choice about an entity in the registry stands in its options; without one its domain decides. The choice about an
//! entity without a registry entry (it has no unique id) stands in a store of which the API tells only what is exposed:
//! everything else there counts as not exposed. Nothing stays open, because Home Assistant's conversation integration
//! notes a choice for each entity as soon as it has a state.

use super::entity_entry::Entry;
use serde_json::{Map, Value};

/// Name of Assist among Home Assistant's assistants.
const ASSIST: &str = "conversation";

/// Exposed by default.
const DOMAINS: &[&str] = &[
    "climate",
    "cover",
    "fan",
    "humidifier",
    "light",
    "media_player",
    "scene",
    "switch",
    "todo",
    "vacuum",
    "water_heater",
];
const BINARY_SENSORS: &[&str] = &["door", "garage_door", "lock", "motion", "opening", "presence", "window"];
const SENSORS: &[&str] = &[
    "aqi",
    "carbon_monoxide",
    "carbon_dioxide",
    "humidity",
    "pm10",
    "pm25",
    "temperature",
    "volatile_organic_compounds",
];

/// Of no use in speech, left out even when everything is wanted.
const NOT_USEFUL: &[&str] = &[
    "ai_task",
    "assist_satellite",
    "camera",
    "conversation",
    "device_tracker",
    "event",
    "image",
    "image_processing",
    "mailbox",
    "notify",
    "stt",
    "sun",
    "tag",
    "tts",
    "update",
    "wake_word",
    "zone",
];

/// What is exposed.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Exposure {
    /// By entity; what is not in it is not exposed, or has its own options.
    listed: Map<String, Value>,
    /// Entities without a choice are decided by their domain.
    by_kind: bool,
    /// Everything that is not hidden, whatever is exposed.
    everything: bool,
    /// It was told what is listed.
    told: bool,
}

impl Exposure {
    /// Of the answers to `homeassistant/expose_entity/list` and `homeassistant/expose_new_entities/get`. Of what
    /// was refused (null) nothing is known, and what is not known is not exposed.
    pub fn new(mut listed: Value, expose_new: &Value) -> Self {
        let listed = match listed.get_mut("exposed_entities").map(Value::take) {
            Some(Value::Object(listed)) => Some(listed),
            _ => None,
        };
        let by_kind = expose_new.get("expose_new") == Some(&Value::Bool(true));
        Self { told: listed.is_some(), listed: listed.unwrap_or_default(), by_kind, everything: false }
    }

    /// Everything that is of use.
    pub fn everything() -> Self {
        Self { everything: true, ..Self::default() }
    }

    /// Whether Home Assistant tells what is exposed, which it does to administrators only.
    pub fn is_told(&self) -> bool {
        self.told
    }

    /// Whether it does not matter what is exposed.
    pub fn is_everything(&self) -> bool {
        self.everything
    }

    /// The same with another list.
    pub fn listing(&self, listed: Value) -> Self {
        Self { by_kind: self.by_kind, ..Self::new(listed, &Value::Null) }
    }

    /// Whether an entity with these attributes may be spoken of; `entry` is its row in the registry.
    pub fn shows(&self, id: &str, attributes: &Map<String, Value>, entry: Option<&Entry>) -> bool {
        let domain = id.split('.').next().unwrap_or_default();
        let is_apart = entry.is_some_and(|entry| is_set(&entry.hidden_by) || is_set(&entry.entity_category));
        if self.everything {
            let is_off = entry.is_some_and(|entry| is_set(&entry.disabled_by));
            return !is_apart && !is_off && !NOT_USEFUL.contains(&domain);
        }
        // Versions before 2024.4 list what is not exposed, too.
        let listed = self.listed.get(id).and_then(|one| one.get(ASSIST)?.as_bool());
        let Some(entry) = entry else { return listed == Some(true) };
        let own = entry.options.get(ASSIST).and_then(|options| options.get("should_expose"));
        own.map(|own| *own == Value::Bool(true)).or(listed).unwrap_or_else(|| {
            let class = attributes.get("device_class").and_then(Value::as_str).unwrap_or_default();
            let is_exposed_kind = match domain {
                "binary_sensor" => BINARY_SENSORS.contains(&class),
                "sensor" => SENSORS.contains(&class),
                domain => DOMAINS.contains(&domain),
            };
            self.by_kind && !is_apart && is_exposed_kind
        })
    }
}

/// Whether a registry says something other than null.
fn is_set(value: &Option<Value>) -> bool {
    value.as_ref().is_some_and(|value| !value.is_null())
}
