//! MQTT discovery and what devices send after it. However many messages come: entities are bounded, have ids and names of
//! the right form and bounded states, commands go to topics that may be published to; the home and the count agree; a
//! repetition changes nothing; what is taken away is gone.
//!
//! An input is a message a line: topic, a blank, payload. Without a payload it takes away what the broker keeps.

use hark_config::mqtt::Mqtt;
use hark_core::EntityId;
use hark_core::device::{DeviceCommand, LightSetting};
use hark_core::home::{Area, Entity, Home, Person};
use hark_core::ports::{HomeSink, StateReport};
use hark_mqtt_devices::Devices;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Longest input in bytes.
const MAX_BYTES: usize = 64 * 1024;
/// Most entities of one message, and of a home.
const MAX_OF_MESSAGE: usize = 200;
const MAX_ENTITIES: usize = 2000;
/// Longest name in characters: that of a device and its own.
const MAX_NAME: usize = 260;
/// Largest payload of a command in bytes: what a template prints, or a value that is written as it is.
const MAX_PAYLOAD_BYTES: usize = 64 * 1024;
/// Largest state with its attributes in bytes.
const MAX_STATE_BYTES: usize = 512 * 1024;

/// Checks the messages of one input.
pub fn check(data: &[u8]) {
    let Ok(input) = std::str::from_utf8(data) else { return };
    if input.len() > MAX_BYTES {
        return;
    }
    let home = Arc::new(Known::default());
    let config = Mqtt { url: "mqtt://127.0.0.1:1883".into(), ..Mqtt::default() };
    let devices = hark_mqtt::devices(&config, home.clone()).expect("devices are on");
    let messages: Vec<(&str, &str)> =
        input.lines().map(|line| line.split_once(' ').unwrap_or((line, ""))).collect();
    messages.iter().for_each(|(topic, payload)| take(&devices, topic, payload));
    let announced: BTreeMap<&str, &str> =
        messages.iter().filter(|(topic, _)| topic.ends_with("/config")).copied().collect();
    let known = home.ids();
    assert!(known.len() <= MAX_ENTITIES.min(MAX_OF_MESSAGE * announced.len()), "{} entities", known.len());
    assert_eq!(known.len(), devices.counts().entities, "the home knows others than are there");
    home.entities().values().for_each(|entity| described(entity, &devices));
    announced.iter().for_each(|(topic, payload)| take(&devices, topic, payload));
    assert_eq!(home.ids(), known, "a repetition changes what there is");
    announced.keys().for_each(|topic| take(&devices, topic, ""));
    assert_eq!((home.ids().len(), devices.counts().entities), (0, 0), "something stays");
}

fn take(devices: &Devices, topic: &str, payload: &str) {
    devices.put(topic, payload.as_bytes(), true);
    devices.read_now();
}

fn described(entity: &Entity, devices: &Devices) {
    let Entity { id, name, state, attributes, .. } = entity;
    let (domain, object) = id.0.split_once('.').unwrap_or_else(|| panic!("{id:?}"));
    let in_id = |c: char| c == '_' || c.is_alphanumeric();
    assert!(!domain.is_empty() && domain.chars().all(|c| c == '_' || c.is_ascii_lowercase()), "{id:?}");
    assert!(!object.is_empty() && object.chars().all(in_id), "{id:?}");
    assert!(!name.trim().is_empty() && name.chars().count() <= MAX_NAME, "{name:?}");
    assert!(!name.contains(char::is_control), "{name:?}");
    let size = state.len() + Value::Object(attributes.clone()).to_string().len();
    assert!(size <= MAX_STATE_BYTES, "{id:?}: {size} bytes of state");
    for command in commands() {
        for (topic, payload) in devices.command_messages(entity, &command).unwrap_or_default() {
            let is_plain = |c: char| !c.is_control() && !matches!(c, '+' | '#');
            assert!(!topic.is_empty() && topic.chars().all(is_plain), "{command:?} to {topic:?}");
            assert!(payload.len() <= MAX_PAYLOAD_BYTES, "{command:?}: {} bytes", payload.len());
        }
    }
}

fn commands() -> Vec<DeviceCommand> {
    let light = |brightness_percent, rgb, kelvin| {
        DeviceCommand::Light(LightSetting { brightness_percent, rgb, kelvin })
    };
    vec![
        DeviceCommand::TurnOn,
        DeviceCommand::TurnOff,
        DeviceCommand::Open,
        DeviceCommand::Close,
        DeviceCommand::Stop,
        DeviceCommand::Lock,
        DeviceCommand::Unlock,
        DeviceCommand::Activate,
        DeviceCommand::Press,
        DeviceCommand::Start,
        DeviceCommand::Dock,
        light(Some(1), None, None),
        light(Some(100), Some([255, 0, 7]), None),
        light(None, None, Some(2700)),
        DeviceCommand::Position(33),
        DeviceCommand::Percentage(100),
        DeviceCommand::Tilt(50),
        DeviceCommand::Humidity(45),
        DeviceCommand::Temperature(21.5),
        DeviceCommand::HvacMode("heat".into()),
        DeviceCommand::FanMode("auto".into()),
        DeviceCommand::Preset("eco".into()),
        DeviceCommand::Mode("normal".into()),
        DeviceCommand::Arm("armed_away".into()),
        DeviceCommand::Arm("disarmed".into()),
        DeviceCommand::Value("7".into()),
        DeviceCommand::CleanArea("kitchen".into()),
    ]
}

/// What the home was told.
#[derive(Default)]
struct Known(Mutex<BTreeMap<EntityId, Entity>>);

impl Known {
    fn entities(&self) -> MutexGuard<'_, BTreeMap<EntityId, Entity>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn ids(&self) -> BTreeSet<EntityId> {
        self.entities().keys().cloned().collect()
    }
}

impl HomeSink for Known {
    fn replace(&self, _source: &str, _part: Home) {}

    fn update(&self, _source: &str, _areas: Vec<Area>, change: Vec<Entity>, gone: &[EntityId]) {
        let mut entities = self.entities();
        entities.retain(|id, _| !gone.contains(id));
        entities.extend(change.into_iter().map(|entity| (entity.id.clone(), entity)));
    }

    fn people(&self, _source: &str, _persons: Vec<Person>) {}

    fn report_all(&self, reports: Vec<StateReport>) {
        let mut entities = self.entities();
        for StateReport { id, state, attributes } in reports {
            let entity =
                entities.get_mut(&id).unwrap_or_else(|| panic!("{id:?} tells its state and is not there"));
            (entity.state, entity.attributes) = (state, attributes);
        }
    }

    fn away(&self, _source: &str) {}
}
