//! Which entities may be spoken of: those that Home Assistant exposes to Assist, by the owner's choice or,
//! where none was made, by its own rule (homeassistant/components/homeassistant/exposed_entities.py).

use super::picture::{Entry, StateRow};
use serde_json::Value;

/// Name of Assist among Home Assistant's assistants.
const ASSIST: &str = "conversation";

/// Exposed when nobody has chosen.
const DOMAINS: &[&str] = &[
    "climate",
    "cover",
    "fan",
    "humidifier",
    "light",
    "lock",
    "media_player",
    "scene",
    "script",
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

/// Of no use to anybody who speaks, when everything is wanted.
const USELESS: &[&str] = &[
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
pub(super) struct Exposure<'a> {
    listed: Option<&'a serde_json::Map<String, Value>>,
    /// What nobody has chosen about goes by the rule.
    by_rule: bool,
    exposed_only: bool,
}

impl<'a> Exposure<'a> {
    /// Of the answers to `homeassistant/expose_entity/list` and `homeassistant/expose_new_entities/get`; null
    /// when they were refused.
    pub fn new(listed: &'a Value, expose_new: &Value, exposed_only: bool) -> Self {
        let by_rule = expose_new.get("expose_new").and_then(Value::as_bool).unwrap_or(true);
        Self { listed: listed.get("exposed_entities").and_then(Value::as_object), by_rule, exposed_only }
    }

    /// Whether an entity may be spoken of.
    pub fn shows(&self, row: &StateRow, entry: Option<&Entry>) -> bool {
        if entry.is_some_and(|entry| is_set(&entry.hidden_by) || is_set(&entry.disabled_by)) {
            return false;
        }
        let domain = row.entity_id.split('.').next().unwrap_or_default();
        let is_technical = entry.is_some_and(|entry| is_set(&entry.entity_category));
        if !self.exposed_only {
            return !is_technical && !USELESS.contains(&domain);
        }
        let class = row.attributes.get("device_class").and_then(Value::as_str);
        let by_rule = self.by_rule
            && !is_technical
            && match (domain, class) {
                ("binary_sensor", Some(class)) => BINARY_SENSORS.contains(&class),
                ("sensor", Some(class)) => SENSORS.contains(&class),
                _ => DOMAINS.contains(&domain),
            };
        self.chosen(row, entry).unwrap_or(by_rule)
    }

    /// What was chosen about an entity; it stands in its own options, and in the list of all.
    fn chosen(&self, row: &StateRow, entry: Option<&Entry>) -> Option<bool> {
        let own = entry.and_then(|entry| entry.options.get(ASSIST)?.get("should_expose")?.as_bool());
        // Newer versions list only what is exposed: an entity that is there without it is not, if it is in no
        // registry, and has its own options if it is.
        let listed = self.listed.and_then(|listed| listed.get(&row.entity_id));
        let listed = listed.and_then(|one| match (one.get(ASSIST).and_then(Value::as_bool), entry) {
            (None, None) => Some(false),
            (choice, _) => choice,
        });
        listed.filter(|exposed| *exposed).or(own).or(listed)
    }
}

/// Whether a registry says something other than null.
fn is_set(value: &Option<Value>) -> bool {
    value.as_ref().is_some_and(|value| !value.is_null())
}
