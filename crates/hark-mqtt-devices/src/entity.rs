//! One entity of MQTT discovery: its name and area, its device kind, and whether it is available.

use super::alarm::Alarm;
use super::availability::Availability;
use super::climate::Climate;
use super::cover::Cover;
use super::device_kind::{CommandMessage, DeviceKind, EntityState, Refused};
use super::discovery_message::{self, Component};
use super::fan::Fan;
use super::fields::{ConfigError, Fields};
use super::humidifier::Humidifier;
use super::light::Light;
use super::light_json::JsonLight;
use super::light_template::TemplateLight;
use super::lock::Lock;
use super::number_select_text::NumberSelectText;
use super::on_off::OnOff;
use super::robots::Robot;
use super::sensors::{BinarySensor, EventEntity, Sensor, UpdateEntity};
use super::stateless::StatelessEntity;
use super::template::TemplateError;
use hark_core::EntityId;
use hark_core::device::DeviceCommand;
use hark_core::home::{Area, Entity};
use hark_core::ports::StateReport;
use std::time::{Duration, Instant};

/// Value of `Entity::source` for these devices.
pub const SOURCE: &str = "mqtt";

/// State of an entity that is not available.
const UNAVAILABLE: &str = "unavailable";

/// Longest id after the domain.
const ID_MAX_CHARS: usize = 80;

/// Domains that are called like their device when they have no name of their own.
const MAIN: &[&str] = &[
    "light",
    "switch",
    "cover",
    "lock",
    "climate",
    "fan",
    "vacuum",
    "lawn_mower",
    "valve",
    "siren",
    "humidifier",
    "water_heater",
];

/// Domains that are taken from discovery.
pub const DOMAINS: &[&str] = &[
    "alarm_control_panel",
    "binary_sensor",
    "button",
    "climate",
    "cover",
    "event",
    "fan",
    "humidifier",
    "lawn_mower",
    "light",
    "lock",
    "number",
    "scene",
    "select",
    "sensor",
    "siren",
    "switch",
    "text",
    "update",
    "vacuum",
    "valve",
    "water_heater",
];

/// Which topic of an entity a message came on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Slot {
    /// One of its device kind.
    DeviceKind(usize),
    /// One that tells whether it is there.
    Availability(usize),
}

/// What a component is.
pub enum ComponentKind {
    /// An entity of the home.
    Entity(Box<MqttEntity>),
    /// Not for the home, and why: in words that go behind a number of them.
    LeftOut(String),
}

/// One entity.
pub struct MqttEntity {
    domain: String,
    /// What its id should be made of.
    wish: String,
    name: String,
    area: Option<Area>,
    device_class: Option<String>,
    unique_id: Option<String>,
    /// The broker keeps what it is told.
    retain: bool,
    device_kind: Box<dyn DeviceKind>,
    availability: Availability,
    expires_after: Option<Duration>,
    last_told: Option<Instant>,
}

impl MqttEntity {
    /// The entity of a component, unless it is not for the home: of a kind that Hark does not drive, switched off, or
    /// there for setting its device up.
    ///
    /// # Errors
    /// What is wrong in the payload.
    pub fn find(component: &Component) -> Result<ComponentKind, ConfigError> {
        let fields = &component.fields;
        let left_out = |why: &str| Ok(ComponentKind::LeftOut(why.to_owned()));
        if !fields.flag("enabled_by_default", true)? {
            return left_out("switched off by their makers");
        }
        if fields.value("entity_category").is_some() {
            return left_out("for setting devices up or looking after them");
        }
        let domain = component.domain.as_str();
        let Some(device_kind) = device_kind(domain, fields)? else {
            return left_out(&format!(
                "of the kind {}, which Hark does not drive",
                discovery_message::name(domain).unwrap_or_default()
            ));
        };
        let name = name(component)?;
        let wish = fields.text("default_entity_id")?.or(fields.text("object_id")?);
        let wish = wish.map(|id| id.strip_prefix(&format!("{domain}.")).unwrap_or(&id).to_owned());
        let slugs = [wish.unwrap_or_default(), name.clone(), component.key.clone()].map(|text| slug(&text));
        let expires = fields.number_in("expire_after", 0.0, 0.0, 1e9)?;
        let area = component.device.area.as_ref().map(|area| Area {
            id: slug(area),
            name: area.clone(),
            aliases: Vec::new(),
            floor: None,
        });
        Ok(ComponentKind::Entity(Box::new(Self {
            wish: slugs.into_iter().find(|slug| !slug.is_empty()).unwrap_or_else(|| "device".into()),
            name,
            area: area.filter(|area| !area.id.is_empty()),
            device_class: fields.text("device_class")?.filter(|class| !class.is_empty()),
            unique_id: fields.text("unique_id")?,
            retain: fields.flag("retain", false)?,
            availability: Availability::new(fields)?,
            expires_after: (expires > 0.0).then(|| Duration::from_secs_f64(expires)),
            last_told: None,
            domain: domain.to_owned(),
            device_kind,
        })))
    }

    /// What its id should be, before it is made the only one of its kind.
    pub fn wished_id(&self) -> String {
        format!("{}.{}", self.domain, self.wish)
    }

    /// Whether another one is the same entity, announced on another topic.
    pub fn is_same(&self, other: &Self) -> bool {
        self.unique_id.is_some() && self.unique_id == other.unique_id && self.domain == other.domain
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its area.
    pub fn area(&self) -> Option<&Area> {
        self.area.as_ref()
    }

    /// Whether the broker keeps what it is told.
    pub fn retain(&self) -> bool {
        self.retain
    }

    /// Every topic it listens to.
    pub fn topics(&self) -> Vec<(String, Slot)> {
        let own = self.device_kind.topics().into_iter().enumerate();
        let places = self.availability.topics().into_iter().enumerate();
        own.map(|(at, topic)| (topic.to_owned(), Slot::DeviceKind(at)))
            .chain(places.map(|(at, topic)| (topic.to_owned(), Slot::Availability(at))))
            .collect()
    }

    /// A message came.
    ///
    /// # Errors
    /// When a template does not fit it.
    pub fn take(&mut self, slot: Slot, payload: &str, now: Instant) -> Result<(), TemplateError> {
        match slot {
            Slot::Availability(at) => self.availability.take(at, payload),
            Slot::DeviceKind(at) => {
                self.last_told = Some(now);
                self.device_kind.take(at, payload)
            }
        }
    }

    /// Time goes by: what expires does. Whether it may look different now.
    pub fn tick(&mut self, now: Instant) -> bool {
        let Some(last) = self.last_told else { return false };
        if let Some(delay) = self.device_kind.off_delay()
            && now.duration_since(last) >= delay
        {
            self.device_kind.off_delay_elapsed();
            return true;
        }
        self.expires_after.is_some()
    }

    /// Whether it could tell how it is, and never did.
    pub fn is_untold(&self) -> bool {
        self.last_told.is_none() && !self.device_kind.topics().is_empty()
    }

    /// Whether time changes it.
    pub fn is_ticking(&self) -> bool {
        self.expires_after.is_some() || self.device_kind.off_delay().is_some()
    }

    fn is_expired(&self, now: Instant) -> bool {
        let Some(after) = self.expires_after else { return false };
        self.last_told.is_none_or(|last| now.duration_since(last) >= after)
    }

    /// The messages that carry out a command.
    ///
    /// # Errors
    /// When it cannot do this.
    pub fn command(
        &mut self,
        command: &DeviceCommand,
        code: Option<&str>,
    ) -> Result<Vec<CommandMessage>, Refused> {
        self.device_kind.command_with_code(command, code)
    }

    /// The messages of a command have arrived.
    pub fn assume(&mut self, command: &DeviceCommand) {
        self.device_kind.assume(command);
    }

    /// How it is now.
    pub fn report(&self, id: &EntityId, now: Instant) -> StateReport {
        let EntityState { state, attributes } = self.device_kind.state();
        let is_available = self.availability.is_here() && !self.is_expired(now);
        let state = if is_available { state } else { UNAVAILABLE.into() };
        StateReport { id: id.clone(), state, attributes }
    }

    /// It as an entity of the home.
    pub fn entity(&self, id: &EntityId, now: Instant) -> Entity {
        let StateReport { state, attributes, .. } = self.report(id, now);
        Entity {
            id: id.clone(),
            name: self.name.clone(),
            aliases: Vec::new(),
            area: self.area.as_ref().map(|area| area.id.clone()),
            device_class: self.device_class.clone(),
            state,
            attributes,
            source: SOURCE.into(),
        }
    }
}

fn device_kind(domain: &str, fields: &Fields) -> Result<Option<Box<dyn DeviceKind>>, ConfigError> {
    Ok(Some(match domain {
        "light" => match fields.text("schema")?.as_deref() {
            None | Some("default" | "basic") => Box::new(Light::new(fields)?),
            Some("json") => Box::new(JsonLight::new(fields)?),
            Some("template") => Box::new(TemplateLight::new(fields)?),
            Some(other) => {
                return Err(ConfigError::Unknown { key: "schema", value: other.chars().take(40).collect() });
            }
        },
        "humidifier" => Box::new(Humidifier::new(fields)?),
        "switch" | "siren" => Box::new(OnOff::new(fields, domain)?),
        "cover" => Box::new(Cover::new(fields)?),
        "valve" => Box::new(Cover::valve(fields)?),
        "lock" => Box::new(Lock::new(fields)?),
        "climate" => Box::new(Climate::new(fields)?),
        "water_heater" => Box::new(Climate::water_heater(fields)?),
        "fan" => Box::new(Fan::new(fields)?),
        "vacuum" => Box::new(Robot::vacuum(fields)?),
        "lawn_mower" => Box::new(Robot::lawn_mower(fields)?),
        "alarm_control_panel" => Box::new(Alarm::new(fields)?),
        "scene" | "button" => Box::new(StatelessEntity::new(fields, domain)?),
        "binary_sensor" => Box::new(BinarySensor::new(fields)?),
        "sensor" => Box::new(Sensor::new(fields)?),
        "number" | "select" | "text" => Box::new(NumberSelectText::new(fields, domain)?),
        "event" => Box::new(EventEntity::new(fields)?),
        "update" => Box::new(UpdateEntity::new(fields)?),
        _ => return Ok(None),
    }))
}

/// What it is called: the device's name and its own, of which one may be missing.
fn name(component: &Component) -> Result<String, ConfigError> {
    let fields = &component.fields;
    let own = fields.text("name")?.and_then(|name| discovery_message::name(&name));
    let class =
        fields.text("device_class")?.and_then(|class| discovery_message::name(&class.replace('_', " ")));
    // The name `null` means that the entity is the device; what is only about it is not called so.
    let is_about = matches!(component.domain.as_str(), "event" | "update");
    let is_device = fields.has("name") && own.is_none() && !is_about;
    let device = component.device.name.as_deref();
    let kind = component.domain.replace('_', " ");
    Ok(match (device, own) {
        (None, Some(own)) => own,
        (None, None) => discovery_message::name(&component.key.replace(['_', '-'], " ")).unwrap_or(kind),
        (Some(device), None) if is_device => device.to_owned(),
        (Some(device), None) => match class {
            Some(class) => format!("{device} {class}"),
            None if MAIN.contains(&component.domain.as_str()) => device.to_owned(),
            None => format!("{device} {kind}"),
        },
        (Some(device), Some(own)) if begins_with(&own, device) => own,
        (Some(device), Some(own)) => format!("{device} {own}"),
    })
}

fn begins_with(name: &str, device: &str) -> bool {
    let (name, device) = (name.to_lowercase(), device.to_lowercase());
    name.strip_prefix(&device).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
}

/// A text as part of an id: lower-case letters, digits and single underscores.
pub fn slug(text: &str) -> String {
    let mut slug = String::new();
    for c in text.to_lowercase().chars() {
        let plain = match c {
            'ä' => "ae",
            'ö' => "oe",
            'ü' => "ue",
            'ß' => "ss",
            c if c.is_alphanumeric() => {
                slug.push(c);
                continue;
            }
            _ => "_",
        };
        if plain != "_" || !slug.is_empty() && !slug.ends_with('_') {
            slug.push_str(plain);
        }
    }
    let slug: String = slug.chars().take(ID_MAX_CHARS).collect();
    slug.trim_matches('_').to_owned()
}
