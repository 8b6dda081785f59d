//! Parses discovery messages: which topics they come on, and which entities a payload describes.

use super::abbreviations;
use super::fields::{ConfigError, Fields, PAYLOAD_MAX_BYTES, as_text};
use hark_core::text::one_line;
use serde_json::{Map, Value};

/// Most entities of one device.
const COMPONENTS_MAX: usize = 200;

/// Longest name that is taken from a payload.
const NAME_MAX_CHARS: usize = 120;

/// What stands in `origin.name` of what Hark announces of itself: a node is no device of the home.
const OURSELVES: &str = "Hark";

/// The filters that find every discovery message below a prefix.
pub fn filters(prefix: &str) -> [String; 2] {
    [format!("{prefix}/+/+/config"), format!("{prefix}/+/+/+/config")]
}

/// Where a discovery message came.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiscoveryTopic {
    /// `light`, `switch` … or `device`.
    pub component: String,
    /// Last part of the topic before `config`.
    pub object_id: String,
}

/// Which discovery topic this is; `None` for any other.
pub fn parse_topic(prefix: &str, topic: &str) -> Option<DiscoveryTopic> {
    let rest = topic.strip_prefix(prefix)?.strip_prefix('/')?.strip_suffix("/config")?;
    let parts: Vec<&str> = rest.split('/').collect();
    let fits = |part: &str| {
        !part.is_empty()
            && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
    };
    match parts.as_slice() {
        [component, object_id] | [component, _, object_id] if parts.iter().all(|part| fits(part)) => {
            Some(DiscoveryTopic { component: (*component).to_owned(), object_id: (*object_id).to_owned() })
        }
        _ => None,
    }
}

/// One entity of a discovery message.
#[derive(Debug, Clone, PartialEq)]
pub struct Component {
    /// `light`, `switch` …
    pub domain: String,
    /// Its key within the message, the object id of the topic for a single one.
    pub key: String,
    /// Its settings.
    pub fields: Fields,
    /// What it belongs to.
    pub device: Device,
}

/// The section `device`, as far as Hark uses it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Device {
    /// Its name.
    pub name: Option<String>,
    /// The area it names.
    pub area: Option<String>,
}

/// The entities a payload describes; none for an empty payload, which takes them away, and for what a Hark
/// announces of itself.
///
/// # Errors
/// When the payload cannot be read at all.
pub fn components(place: &DiscoveryTopic, payload: &[u8]) -> Result<Vec<Component>, ConfigError> {
    if payload.is_empty() {
        return Ok(Vec::new());
    }
    if payload.len() > PAYLOAD_MAX_BYTES {
        return Err(ConfigError::TooLong(payload.len()));
    }
    let text = str::from_utf8(payload).map_err(|_| ConfigError::NotText)?;
    let mut object: Map<String, Value> =
        serde_json::from_str(text).map_err(|error| ConfigError::NotJson(short(&error.to_string())))?;
    abbreviations::expand(&mut object);
    if object.get("origin").and_then(|origin| origin.get("name")).and_then(Value::as_str) == Some(OURSELVES) {
        return Ok(Vec::new());
    }
    if object.get("migrate_discovery") == Some(&Value::Bool(true)) {
        // Says that this entity is announced with its whole device from now on.
        return Ok(Vec::new());
    }
    let device = device(object.get("device"));
    if place.component != "device" {
        let (domain, key) = (place.component.clone(), place.object_id.clone());
        return Ok(vec![Component { domain, key, fields: entity_fields(object, None), device }]);
    }
    let Some(Value::Object(entities)) = object.shift_remove("components") else {
        return Err(ConfigError::Missing("components"));
    };
    if entities.len() > COMPONENTS_MAX {
        return Err(ConfigError::TooMany("200 entities of one device"));
    }
    for section in ["device", "origin", "platform", "name", "unique_id"] {
        object.shift_remove(section);
    }
    let base = object.get("~").and_then(Value::as_str).map(str::to_owned);
    let component = |(key, value): (String, Value)| {
        let Value::Object(mut own) = value else { return None };
        abbreviations::expand(&mut own);
        // An entity with nothing but its platform is one that is taken away.
        let domain = own.get("platform").and_then(Value::as_str)?.to_owned();
        if own.len() == 1 {
            return None;
        }
        for (shared, value) in &object {
            if !own.contains_key(shared) {
                own.insert(shared.clone(), value.clone());
            }
        }
        Some(Component { domain, key, fields: entity_fields(own, base.as_deref()), device: device.clone() })
    };
    Ok(entities.into_iter().filter_map(component).collect())
}

fn entity_fields(mut map: Map<String, Value>, base: Option<&str>) -> Fields {
    let own = map.shift_remove("~").and_then(|base| as_text(&base));
    if let Some(base) = own.as_deref().or(base) {
        abbreviations::expand_base_topic(&mut map, base);
    }
    Fields::new(map)
}

fn device(section: Option<&Value>) -> Device {
    let text =
        |key| section.and_then(|section| section.get(key)).and_then(as_text).and_then(|text| name(&text));
    Device { name: text("name"), area: text("suggested_area") }
}

/// A name as people would write it: one line, not endless; `None` when nothing is left.
pub fn name(text: &str) -> Option<String> {
    Some(one_line(text, NAME_MAX_CHARS)).filter(|name| !name.is_empty())
}

fn short(text: &str) -> String {
    text.chars().take(100).collect()
}

#[cfg(test)]
#[path = "discovery_message_tests.rs"]
mod tests;
