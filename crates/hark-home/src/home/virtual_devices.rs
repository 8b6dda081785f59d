//! Virtual devices: each keeps its own state, does what its kind does, and reports the change as a
//! real one would.

use super::backend::{DeviceBackend, DeviceError, SendFuture};
use super::capability::check;
use super::command::{DeviceCommand, MediaCommand, brightness_255, scene_target};
use super::registry::HomeRegistry;
use super::{SOURCE_DEMO, UNAVAILABLE};
use hark_core::EntityId;
use hark_core::home::Entity;
use hark_core::ports::HomeView;
use serde_json::{Map, Value, json};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// What a virtual device says about itself.
#[derive(Debug, Clone, PartialEq)]
struct Device {
    state: String,
    attributes: Map<String, Value>,
}

/// The virtual devices of every entity whose source is `demo`.
pub struct VirtualDevices {
    registry: Arc<HomeRegistry>,
    devices: Mutex<HashMap<EntityId, Device>>,
}

impl VirtualDevices {
    /// Makes a device for every demo entity, in the state the registry shows.
    pub fn new(registry: Arc<HomeRegistry>) -> Self {
        let home = registry.home();
        let demo = home.entities.iter().filter(|entity| entity.source == SOURCE_DEMO);
        let device =
            |entity: &Entity| Device { state: entity.state.clone(), attributes: entity.attributes.clone() };
        let devices = demo.map(|entity| (entity.id.clone(), device(entity))).collect();
        Self { registry, devices: Mutex::new(devices) }
    }

    /// Changes the devices a command touches and reports them.
    fn carry_out(&self, entity: &Entity, command: &DeviceCommand) -> Result<(), DeviceError> {
        check(entity, command)?;
        let reports = {
            let mut devices = self.devices.lock().unwrap_or_else(PoisonError::into_inner);
            let device = devices.get_mut(&entity.id).filter(|device| device.state != UNAVAILABLE);
            let device = device.ok_or_else(|| DeviceError::Offline(entity.name.clone()))?;
            let mut touched = vec![entity.id.clone()];
            if *command == DeviceCommand::Activate {
                let targets = activate(device);
                touched.extend(set_scene(&mut devices, targets));
            } else {
                apply(entity.id.domain(), device, command);
            }
            let report = |id: EntityId| devices.get(&id).cloned().map(|device| (id, device));
            touched.into_iter().filter_map(report).collect::<Vec<_>>()
        };
        // What a scene sets first, the scene last: its own report is the proof of all.
        for (id, device) in reports.into_iter().rev() {
            self.registry.report(&id, &device.state, device.attributes);
        }
        Ok(())
    }
}

impl DeviceBackend for VirtualDevices {
    fn source(&self) -> &'static str {
        SOURCE_DEMO
    }

    fn send(&self, entity: &Entity, command: &DeviceCommand) -> SendFuture {
        let done = self.carry_out(entity, command);
        Box::pin(async move { done })
    }
}

/// Whether a light has another brightness than on and off.
fn is_dimmable(device: &Device) -> bool {
    let modes = device.attributes.get("supported_color_modes").and_then(Value::as_array);
    modes.is_some_and(|modes| modes.iter().any(|mode| mode != "onoff"))
}

/// What a device of this domain becomes; commands that do not belong to it were refused before.
fn apply(domain: &str, device: &mut Device, command: &DeviceCommand) {
    use DeviceCommand as C;
    let has = |device: &Device, key| device.attributes.contains_key(key);
    match command {
        C::TurnOn if domain == "climate" => {
            device.state = first_mode(device);
        }
        C::TurnOn => {
            device.state = "on".into();
            if domain == "light" && (has(device, "brightness") || is_dimmable(device)) {
                let level = device.attributes.get("brightness").and_then(Value::as_u64).unwrap_or(0);
                // A light comes back as bright as it was; one that was dimmed to nothing, or never on, fully.
                set(device, "brightness", json!(if level == 0 { 255 } else { level }));
            }
            if domain == "fan" && device.attributes.get("percentage").and_then(Value::as_u64) == Some(0) {
                set(device, "percentage", json!(50));
            }
        }
        C::TurnOff => {
            device.state = "off".into();
            // A light that was fully on tells as little of it as before it was on.
            if device.attributes.get("brightness").and_then(Value::as_u64) == Some(255) {
                device.attributes.shift_remove("brightness");
            }
            if has(device, "percentage") {
                set(device, "percentage", json!(0));
            }
        }
        C::Open | C::Close => {
            let position = if *command == C::Open { 100 } else { 0 };
            device.state = cover_state(position).into();
            if has(device, "current_position") {
                set(device, "current_position", json!(position));
            }
        }
        // A virtual one is there at once.
        C::Stop => {}
        C::Lock => device.state = "locked".into(),
        C::Unlock => device.state = "unlocked".into(),
        C::Light(setting) => {
            device.state = "on".into();
            if let Some(percent) = setting.brightness_percent {
                set(device, "brightness", json!(brightness_255(percent)));
            }
            if let Some(rgb) = setting.rgb {
                set(device, "rgb_color", json!(rgb));
                set(device, "color_mode", json!("rgb"));
                device.attributes.shift_remove("color_temp_kelvin");
            }
            if let Some(kelvin) = setting.kelvin {
                set(device, "color_temp_kelvin", json!(kelvin));
                set(device, "color_mode", json!("color_temp"));
                device.attributes.shift_remove("rgb_color");
            }
        }
        C::Position(position) => {
            device.state = cover_state(*position).into();
            set(device, "current_position", json!(position));
        }
        C::Temperature(target) => set(device, "temperature", json!(target)),
        C::Volume(percent) => set(device, "volume_level", json!(f64::from(*percent) / 100.0)),
        C::Activate => {}
        C::Press => device.state = chrono::Utc::now().to_rfc3339(),
        C::Percentage(percent) => {
            device.state = if *percent == 0 { "off".into() } else { "on".into() };
            set(device, "percentage", json!(percent));
        }
        C::Start if domain == "lawn_mower" => device.state = "mowing".into(),
        C::Start => device.state = "cleaning".into(),
        C::Dock => device.state = "docked".into(),
        C::CleanArea(area) => {
            device.state = "cleaning".into();
            set(device, "cleaning_area", json!(area));
        }
        C::HvacMode(mode) => device.state.clone_from(mode),
        C::Tilt(tilt) => set(device, "current_tilt_position", json!(tilt)),
        C::Preset(preset) => set(device, "preset_mode", json!(preset)),
        C::FanMode(mode) => set(device, "fan_mode", json!(mode)),
        C::Humidity(target) => set(device, "humidity", json!(target)),
        C::Mode(mode) if domain == "water_heater" => device.state.clone_from(mode),
        C::Mode(mode) => set(device, "mode", json!(mode)),
        C::Arm(state) => device.state.clone_from(state),
        C::Value(value) => device.state.clone_from(value),
        C::Items { to, .. } => {
            let shown = to.iter().map(|item| {
                let status = if item.done { "completed" } else { "needs_action" };
                json!({"summary": item.text, "status": status})
            });
            set(device, "items", shown.collect());
            device.state = to.iter().filter(|item| !item.done).count().to_string();
        }
        C::Media(command) => play(device, command),
    }
}

/// What a media player becomes.
fn play(device: &mut Device, command: &MediaCommand) {
    use MediaCommand as M;
    let track = device.attributes.get("media_track").and_then(Value::as_i64).unwrap_or(1);
    match command {
        M::Play => device.state = "playing".into(),
        M::Pause => device.state = "paused".into(),
        M::Stop => device.state = "idle".into(),
        M::Next | M::Previous => {
            let track = if *command == M::Next { track + 1 } else { (track - 1).max(1) };
            set(device, "media_track", json!(track));
            device.state = "playing".into();
        }
        M::Mute(muted) => set(device, "is_volume_muted", json!(muted)),
        M::Shuffle(on) => set(device, "shuffle", json!(on)),
        M::Repeat(mode) => set(device, "repeat", json!(mode)),
        M::Source(source) => {
            set(device, "source", json!(source));
            if device.state == "off" {
                device.state = "on".into();
            }
        }
        M::Search { query, class } => {
            device.state = "playing".into();
            set(device, "media_title", json!(query));
            set(device, "media_content_type", json!(class.as_deref().unwrap_or("music")));
            set(device, "media_track", json!(1));
        }
    }
}

fn set(device: &mut Device, key: &str, value: Value) {
    device.attributes.insert(key.to_owned(), value);
}

fn cover_state(position: u8) -> &'static str {
    if position == 0 { "closed" } else { "open" }
}

/// The mode a thermostat is turned on to: the first of its modes that is not `off`.
fn first_mode(device: &Device) -> String {
    if device.state != "off" {
        return device.state.clone();
    }
    let modes = device.attributes.get("hvac_modes").and_then(Value::as_array);
    let mode = modes.into_iter().flatten().filter_map(Value::as_str).find(|mode| *mode != "off");
    mode.unwrap_or("heat").to_owned()
}

/// Marks a scene or script as activated; answers what it sets.
fn activate(device: &mut Device) -> Vec<(EntityId, Value)> {
    let times = device.attributes.get("activations").and_then(Value::as_u64).unwrap_or(0);
    set(device, "activations", json!(times + 1));
    // A scene's state is when it was last activated.
    if device.state != "on" && device.state != "off" {
        device.state = chrono::Utc::now().to_rfc3339();
    }
    set(device, "last_triggered", json!(chrono::Utc::now().to_rfc3339()));
    match device.attributes.get("states") {
        Some(Value::Object(states)) => {
            states.iter().map(|(id, target)| (EntityId::from(id.as_str()), target.clone())).collect()
        }
        _ => Vec::new(),
    }
}

/// Puts devices into the states of a scene; answers which were touched. Unreachable ones stay as they are.
fn set_scene(devices: &mut HashMap<EntityId, Device>, targets: Vec<(EntityId, Value)>) -> Vec<EntityId> {
    let mut touched = Vec::new();
    for (id, target) in targets {
        let device = devices.get_mut(&id).filter(|device| device.state != UNAVAILABLE);
        if let (Some(device), Some((state, attributes))) = (device, scene_target(&target)) {
            device.state = state.to_owned();
            device.attributes.extend(attributes);
            if id.domain() == "cover" && device.attributes.contains_key("current_position") {
                follow_position(device);
            }
            touched.push(id);
        }
    }
    touched
}

/// A cover that a scene opens or closes without a position is wholly open or closed.
fn follow_position(device: &mut Device) {
    let position = device.attributes.get("current_position").and_then(Value::as_u64).unwrap_or(0);
    match (device.state.as_str(), position) {
        ("open", 0) => set(device, "current_position", json!(100)),
        ("closed", 1..) => set(device, "current_position", json!(0)),
        _ => {}
    }
}
