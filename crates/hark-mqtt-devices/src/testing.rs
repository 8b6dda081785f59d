//! A registry for tests: announces, sends messages and commands by hand.

use super::OwnTopics;
use super::registry::{Changes, DeviceRegistry};
use hark_core::EntityId;
use hark_core::device::{DeviceCommand, DeviceError, LightSetting};
use hark_core::home::Entity;
use serde_json::Value;
use std::time::{Duration, Instant};

/// A registry with a clock of its own.
pub struct TestRegistry {
    pub registry: DeviceRegistry,
    pub now: Instant,
}

impl TestRegistry {
    pub fn new() -> Self {
        let own = OwnTopics {
            discovery: "homeassistant/device/hark_hark/config".into(),
            commands: vec!["hark/hark/ask".into()],
            status: "homeassistant/status".into(),
        };
        Self { registry: DeviceRegistry::new("homeassistant", own), now: Instant::now() }
    }

    /// One with this on `homeassistant/<path>/config`, and nothing wrong with it.
    pub fn with(path: &str, payload: &Value) -> Self {
        let mut registry = Self::new();
        let changes = registry.announce(path, payload);
        assert_eq!(changes.problems, [], "{payload}");
        registry
    }

    pub fn announce(&mut self, path: &str, payload: &Value) -> Changes {
        self.take(&format!("homeassistant/{path}/config"), payload.to_string().as_bytes())
    }

    pub fn take(&mut self, topic: &str, payload: &[u8]) -> Changes {
        let mut changes = Changes::default();
        self.registry.take(topic, payload, false, self.now, &mut changes);
        changes
    }

    /// A message of a device, which must fit.
    pub fn say(&mut self, topic: &str, payload: &str) {
        let changes = self.take(topic, payload.as_bytes());
        assert_eq!(changes.problems, [], "{topic} {payload}");
    }

    pub fn wait(&mut self, time: Duration) -> Changes {
        self.now += time;
        let mut changes = Changes::default();
        self.registry.tick(self.now, &mut changes);
        changes
    }

    pub fn entity(&self, id: &str) -> Entity {
        self.registry
            .entity(&EntityId::from(id), self.now)
            .unwrap_or_else(|| panic!("{id} of {:?}", self.registry.ids()))
    }

    pub fn state(&self, id: &str) -> String {
        self.entity(id).state
    }

    pub fn attribute(&self, id: &str, key: &str) -> Value {
        self.entity(id).attributes.get(key).cloned().unwrap_or_default()
    }

    pub fn try_command(
        &mut self,
        id: &str,
        command: &DeviceCommand,
    ) -> Result<Vec<(String, String)>, DeviceError> {
        let entity = self.entity(id);
        let (orders, _) = self.registry.command(&entity, command)?;
        Ok(orders.into_iter().map(|order| (order.topic, order.payload)).collect())
    }

    /// What a command sends, as `topic payload`.
    pub fn command(&mut self, id: &str, command: &DeviceCommand) -> Vec<String> {
        let sent = self.try_command(id, command).unwrap_or_else(|error| panic!("{id} {command:?}: {error}"));
        sent.into_iter().map(|(topic, payload)| format!("{topic} {payload}")).collect()
    }

    /// The messages of a command have arrived.
    pub fn assume(&mut self, id: &str, command: &DeviceCommand) {
        self.registry.assume(&EntityId::from(id), command);
    }
}

pub fn brightness(percent: u8) -> DeviceCommand {
    DeviceCommand::Light(LightSetting { brightness_percent: Some(percent), ..LightSetting::default() })
}

pub fn colour(rgb: [u8; 3]) -> DeviceCommand {
    DeviceCommand::Light(LightSetting { rgb: Some(rgb), ..LightSetting::default() })
}

pub fn kelvin(kelvin: u16) -> DeviceCommand {
    DeviceCommand::Light(LightSetting { kelvin: Some(kelvin), ..LightSetting::default() })
}
