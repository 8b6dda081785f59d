//! Thermostats, air conditioners and water heaters.

use crate::device_kind::{
    CommandResult, DeviceKind, EntityState, Inputs, NONE, Refused, UNKNOWN, command_message,
    command_message_if, parse_number,
};
use crate::fields::{ConfigError, Fields, Target};
use crate::template::TemplateError;
use hark_core::device::DeviceCommand;
use serde_json::{Value, json};

/// Modes of one that names none.
const MODES: &[&str] = &["auto", "off", "cool", "heat", "dry", "fan_only"];

/// Modes it is turned on to, the first it has.
const ON_MODES: &[&str] = &["heat_cool", "heat", "cool", "auto"];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Input {
    Mode,
    Temperature,
    CurrentTemperature,
    CurrentHumidity,
    FanMode,
    Preset,
    Action,
}

/// Modes of a water heater that names none.
const HEATER_MODES: &[&str] = &["off", "eco", "electric", "gas", "heat_pump", "high_demand", "performance"];

/// A thermostat, or a water heater.
#[derive(Debug)]
pub struct Climate {
    is_water_heater: bool,
    inputs: Inputs<Input>,
    mode_command: Option<Target>,
    temperature_command: Option<Target>,
    fan_mode_command: Option<Target>,
    power_command: Option<Target>,
    preset_command: Option<Target>,
    payloads: (String, String),
    modes: Vec<String>,
    fan_modes: Option<Vec<String>>,
    /// With `none`, which every thermostat with presets has.
    presets: Option<Vec<String>>,
    /// Lowest, highest, step.
    limits: (f64, f64, f64),
    optimistic: bool,
    mode: Option<String>,
    temperature: Option<f64>,
    current: Option<f64>,
    humidity: Option<f64>,
    fan_mode: Option<String>,
    preset: Option<String>,
    action: Option<String>,
}

impl Climate {
    /// A thermostat as its payload describes it.
    ///
    /// # Errors
    /// What is wrong in the payload.
    pub fn new(fields: &Fields) -> Result<Self, ConfigError> {
        let inputs = Inputs::read(
            fields,
            &[
                (Input::Mode, "mode_state_topic", &["mode_state_template", "value_template"]),
                (
                    Input::Temperature,
                    "temperature_state_topic",
                    &["temperature_state_template", "value_template"],
                ),
                (
                    Input::CurrentTemperature,
                    "current_temperature_topic",
                    &["current_temperature_template", "value_template"],
                ),
                (
                    Input::CurrentHumidity,
                    "current_humidity_topic",
                    &["current_humidity_template", "value_template"],
                ),
                (Input::FanMode, "fan_mode_state_topic", &["fan_mode_state_template", "value_template"]),
                (Input::Preset, "preset_mode_state_topic", &["preset_mode_value_template", "value_template"]),
                (Input::Action, "action_topic", &["action_template", "value_template"]),
            ],
        )?;
        let fahrenheit = fields.text("temperature_unit")?.as_deref() == Some("F");
        let (low, high) = if fahrenheit { (45.0, 95.0) } else { (7.0, 35.0) };
        let modes =
            fields.texts("modes")?.unwrap_or_else(|| MODES.iter().map(|mode| (*mode).to_owned()).collect());
        let fan_mode_command = fields.target("fan_mode_command_topic", &["fan_mode_command_template"])?;
        let default_fan_modes =
            fan_mode_command.is_some().then(|| ["auto", "low", "medium", "high"].map(str::to_owned).to_vec());
        Ok(Self {
            is_water_heater: false,
            mode_command: fields.target("mode_command_topic", &["mode_command_template"])?,
            temperature_command: fields
                .target("temperature_command_topic", &["temperature_command_template"])?,
            preset_command: fields.target("preset_mode_command_topic", &["preset_mode_command_template"])?,
            presets: presets(fields)?,
            power_command: fields.target("power_command_topic", &["power_command_template"])?,
            payloads: (fields.text_or("payload_on", "ON")?, fields.text_or("payload_off", "OFF")?),
            fan_modes: fields.texts("fan_modes")?.or(default_fan_modes),
            fan_mode_command,
            modes,
            limits: (
                fields.number("min_temp")?.unwrap_or(low),
                fields.number("max_temp")?.unwrap_or(high),
                fields.number_in("temp_step", 1.0, 0.01, 100.0)?,
            ),
            optimistic: fields.flag("optimistic", false)?,
            temperature: fields.number("initial")?.filter(|_| !inputs.has(Input::Temperature)),
            inputs,
            mode: None,
            current: None,
            humidity: None,
            fan_mode: None,
            preset: None,
            action: None,
        })
    }

    /// A water heater as its payload describes it.
    ///
    /// # Errors
    /// What is wrong in the payload.
    pub fn water_heater(fields: &Fields) -> Result<Self, ConfigError> {
        let modes = || HEATER_MODES.iter().map(|mode| (*mode).to_owned()).collect();
        let fahrenheit = fields.text("temperature_unit")?.as_deref() == Some("F");
        let (low, high) = if fahrenheit { (110.0, 140.0) } else { (43.3, 60.0) };
        let heater = Self::new(fields)?;
        let limits = (
            fields.number("min_temp")?.unwrap_or(low),
            fields.number("max_temp")?.unwrap_or(high),
            heater.limits.2,
        );
        Ok(Self {
            is_water_heater: true,
            modes: fields.texts("modes")?.unwrap_or_else(modes),
            limits,
            ..heater
        })
    }

    fn mode(&self, mode: &str) -> CommandResult {
        command_message_if(self.mode_command.as_ref(), mode, &[], "be set to a mode")
    }

    fn power(&self, on: bool) -> CommandResult {
        if let Some(target) = &self.power_command {
            let payload = if on { self.payloads.0.as_str() } else { self.payloads.1.as_str() };
            return Ok(vec![command_message(target, payload, &[])?]);
        }
        if !on {
            return self.mode("off");
        }
        self.mode(self.on_mode().ok_or(Refused::Unsupported("be turned on"))?)
    }

    fn on_mode(&self) -> Option<&str> {
        let has = |mode: &&&str| self.modes.iter().any(|one| one == **mode);
        let other = || self.modes.iter().map(String::as_str).find(|mode| *mode != "off");
        ON_MODES.iter().find(has).copied().or_else(other)
    }
}

impl DeviceKind for Climate {
    fn topics(&self) -> Vec<&str> {
        self.inputs.topics()
    }

    fn take(&mut self, at: usize, payload: &str) -> Result<(), TemplateError> {
        let Some((input, value)) = self.inputs.value(at, payload)? else { return Ok(()) };
        let known = Some(value.clone()).filter(|value| value != NONE);
        let number = |before: Option<f64>| match &known {
            None => None,
            Some(value) => parse_number(value).or(before),
        };
        match input {
            Input::Mode => self.mode = known,
            Input::Temperature => self.temperature = number(self.temperature),
            Input::CurrentTemperature => self.current = number(self.current),
            Input::CurrentHumidity => self.humidity = number(self.humidity),
            Input::FanMode => self.fan_mode = known,
            Input::Preset => self.preset = known.or(Some("none".into())),
            Input::Action => self.action = known,
        }
        Ok(())
    }

    fn state(&self) -> EntityState {
        let (low, high, step) = self.limits;
        let settable = |value: Value| if self.temperature_command.is_some() { value } else { Value::Null };
        EntityState::new(
            self.mode.as_deref().unwrap_or(UNKNOWN),
            [
                (if self.is_water_heater { "operation_list" } else { "hvac_modes" }, json!(self.modes)),
                ("temperature", json!(self.temperature)),
                ("current_temperature", json!(self.current)),
                ("current_humidity", json!(self.humidity)),
                ("min_temp", settable(json!(low))),
                ("max_temp", settable(json!(high))),
                ("target_temp_step", settable(json!(step))),
                ("fan_mode", json!(self.fan_mode)),
                ("fan_modes", json!(self.fan_modes)),
                ("preset_mode", json!(self.preset)),
                ("preset_modes", json!(self.presets)),
                ("hvac_action", json!(self.action)),
            ],
        )
    }

    fn command(&mut self, command: &DeviceCommand) -> CommandResult {
        match command {
            DeviceCommand::TurnOn => self.power(true),
            DeviceCommand::TurnOff => self.power(false),
            DeviceCommand::HvacMode(mode) | DeviceCommand::Mode(mode) => self.mode(mode),
            DeviceCommand::Temperature(target) => {
                let to = self.temperature_command.as_ref();
                // Home Assistant writes temperatures with their point: 21.0.
                command_message_if(to, *target, &[], "be set to a temperature")
            }
            DeviceCommand::FanMode(mode) => {
                command_message_if(self.fan_mode_command.as_ref(), mode.as_str(), &[], "be set to a fan mode")
            }
            DeviceCommand::Preset(preset) => {
                command_message_if(self.preset_command.as_ref(), preset.as_str(), &[], "be set to a preset")
            }
            _ => Err(Refused::Unsupported("do that")),
        }
    }

    fn assume(&mut self, command: &DeviceCommand) {
        let untold = |input| self.optimistic || !self.inputs.has(input);
        match command {
            DeviceCommand::TurnOn if untold(Input::Mode) => self.mode = self.on_mode().map(str::to_owned),
            DeviceCommand::TurnOff if untold(Input::Mode) => self.mode = Some("off".into()),
            DeviceCommand::HvacMode(mode) | DeviceCommand::Mode(mode) if untold(Input::Mode) => {
                self.mode = Some(mode.clone())
            }
            DeviceCommand::Temperature(target) if untold(Input::Temperature) => {
                self.temperature = Some(*target)
            }
            DeviceCommand::FanMode(mode) if untold(Input::FanMode) => self.fan_mode = Some(mode.clone()),
            DeviceCommand::Preset(preset) if untold(Input::Preset) => self.preset = Some(preset.clone()),
            _ => {}
        }
    }
}

/// The presets it names; none without a way to set one.
fn presets(fields: &Fields) -> Result<Option<Vec<String>>, ConfigError> {
    if !fields.has("preset_mode_command_topic") {
        return Ok(None);
    }
    let mut presets = vec!["none".to_owned()];
    presets.extend(fields.texts("preset_modes")?.into_iter().flatten().filter(|preset| preset != "none"));
    Ok(Some(presets))
}
