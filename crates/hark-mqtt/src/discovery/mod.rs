//! Home Assistant's MQTT device discovery: one message that describes this node and its entities.
//!
//! Format: home-assistant.io/integrations/mqtt, section "Device discovery payload". The sections and the
//! platform have their short names (`dev`, `o`, `cmps`, `p`) as in the documentation's examples; every
//! other key is written in full. What this node does not have stands in it with its platform alone, which
//! takes it out of Home Assistant if it ever was there.

mod components;
#[cfg(test)]
mod tests;

use super::topics::{Topic, Topics, row};
use components::{Component, components};
use hark_core::public_event::HarkState;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// What Home Assistant is told about this node.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct NodeInfo {
    /// Version of Hark.
    pub version: String,
    /// Declared name of the area the node stands in, if it has one.
    pub area: Option<String>,
    /// What it has and can.
    pub equipment: Equipment,
}

/// What a node has: what is not there has no entity.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Equipment {
    /// It shall have a microphone.
    pub microphone: bool,
    /// It shall have a speaker.
    pub speaker: bool,
    /// Something tells how warm the processor is.
    pub cpu_temperature: bool,
    /// It has a language model to talk to.
    pub language_model: bool,
    /// Wake words to choose from; none when only a button wakes it.
    pub wake_words: Vec<String>,
    /// Voices to choose from; none when it does not speak.
    pub voices: Vec<String>,
    /// Languages to choose from.
    pub languages: Vec<String>,
}

impl Equipment {
    /// A node that has everything.
    pub fn full() -> Self {
        let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        Self {
            microphone: true,
            speaker: true,
            cpu_temperature: true,
            language_model: true,
            wake_words: names(&["hey_jarvis", "okay_nabu"]),
            voices: names(&["espeak", "piper_en_us_lessac"]),
            languages: names(&["en", "de"]),
        }
    }
}

/// All states, in the order of a turn.
pub const STATES: [HarkState; 6] = [
    HarkState::Idle,
    HarkState::Listening,
    HarkState::Processing,
    HarkState::Responding,
    HarkState::Muted,
    HarkState::Error,
];

/// The discovery payload.
pub fn payload(topics: &Topics, about: &NodeInfo) -> Value {
    let node = topics.node();
    let name = if node == "hark" { "Hark".to_owned() } else { format!("Hark {node}") };
    let mut device = json!({
        "identifiers": [format!("hark_{node}")],
        "name": name,
        "manufacturer": "Hark",
        "model": "Voice assistant",
        "sw_version": about.version,
    });
    if let (Some(area), Some(device)) = (&about.area, device.as_object_mut()) {
        device.insert("suggested_area".into(), json!(area));
    }
    let components = components(topics, &about.equipment).into_iter();
    let components = components
        .map(|component| (component.key.to_owned(), component_payload(topics, component)))
        .collect();
    json!({
        "dev": device,
        "o": { "name": "Hark", "sw_version": about.version },
        "cmps": Value::Object(components),
        "availability_topic": topics.path(Topic::Availability),
        "payload_available": "online",
        "payload_not_available": "offline",
        "qos": 1,
    })
}

/// Topics of states that this node does not have: the broker shall keep nothing there.
pub fn absent_states(topics: &Topics, equipment: &Equipment) -> BTreeSet<String> {
    let (here, away): (Vec<Component>, Vec<Component>) =
        components(topics, equipment).into_iter().partition(|component| component.is_here);
    let states = |components: &[Component]| -> BTreeSet<String> {
        components
            .iter()
            .flat_map(|component| component.states.iter())
            .map(|topic| topics.path(*topic))
            .collect()
    };
    let away = states(&away);
    away.difference(&states(&here)).cloned().collect()
}

/// One component an entity; its key is the entity's name in topics and ids.
fn component_payload(topics: &Topics, component: Component) -> Value {
    if !component.is_here {
        return json!({ "p": component.platform });
    }
    let mut all = json!({
        "p": component.platform,
        "name": component.name,
        "unique_id": format!("hark_{}_{}", topics.node(), component.key),
        "default_entity_id": format!("{}.{}_{}", component.platform, device_slug(topics.node()), component.key),
        "icon": component.icon,
    });
    if let Some(all) = all.as_object_mut() {
        all.extend(component.own);
    }
    all
}

/// The node as the beginning of an entity id, which may hold no `-` and no `_` twice running.
fn device_slug(node: &str) -> String {
    let components = node.split(['-', '_']).filter(|component| !component.is_empty());
    let slug = components.collect::<Vec<_>>().join("_");
    match slug.as_str() {
        "" | "hark" => "hark".to_owned(),
        other => format!("hark_{other}"),
    }
}

/// Whether the broker keeps what lies on a topic.
fn is_kept(topic: Topic) -> bool {
    row(topic).retain
}
