//! Covers and valves.

use crate::device_kind::{
    CommandResult, DeviceKind, EntityState, Inputs, NONE, Refused, UNKNOWN, command_message,
    command_message_if, number_value, parse_number,
};
use crate::fields::{ConfigError, Fields, Target};
use crate::template::TemplateError;
use hark_core::device::DeviceCommand;
use minijinja::Value;
use serde_json::json;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Input {
    State,
    Position,
    Tilt,
    /// A valve's state, which may be or hold its position.
    Valve,
}

/// A cover or a valve.
#[derive(Debug)]
pub struct Cover {
    inputs: Inputs<Input>,
    command: Option<Target>,
    set_position: Option<Target>,
    set_tilt: Option<Target>,
    /// Opens, closes.
    payloads: (Option<String>, Option<String>),
    /// Stops it on the way.
    halt: Option<String>,
    states: Vec<(&'static str, String)>,
    /// Numbers of closed and open.
    range: (f64, f64),
    tilt_range: (f64, f64),
    optimistic: bool,
    tilt_optimistic: bool,
    state: &'static str,
    /// It said last that it stopped: its position tells the rest.
    stopped: bool,
    position: Option<u8>,
    tilt: Option<u8>,
    /// The number of the slats last sent, and what it stands for.
    asked_tilt: Option<(f64, u8)>,
    /// The number last sent, and the position it stands for.
    asked: Option<(f64, u8)>,
}

impl Cover {
    /// A cover as its payload describes it.
    ///
    /// # Errors
    /// What is wrong in the payload.
    pub fn new(fields: &Fields) -> Result<Self, ConfigError> {
        let inputs = Inputs::read(
            fields,
            &[
                // Before the state, which may be on the same topic: where it stopped tells whether it is closed.
                (Input::Position, "position_topic", &["position_template", "value_template"]),
                (Input::State, "state_topic", &["value_template"]),
                (Input::Tilt, "tilt_status_topic", &["tilt_status_template"]),
            ],
        )?;
        let set_position = fields.target("set_position_topic", &["set_position_template"])?;
        let tells = inputs.has(Input::State) || inputs.has(Input::Position);
        let command = fields.target("command_topic", &[])?;
        if command.is_none() && set_position.is_none() && !tells {
            return Err(ConfigError::Missing("command_topic"));
        }
        let stopped = fields.text_or("state_stopped", "stopped")?;
        let mut states = states(fields, "open", "closed")?;
        states.push(("stopped", stopped));
        let tilt = |key, default| fields.number_in(key, default, -1e6, 1e6);
        Ok(Self {
            states,
            payloads: (payload(fields, "payload_open", "OPEN")?, payload(fields, "payload_close", "CLOSE")?),
            halt: payload(fields, "payload_stop", "STOP")?,
            range: range(fields)?,
            tilt_range: (tilt("tilt_min", 0.0)?, tilt("tilt_max", 100.0)?),
            optimistic: fields.flag("optimistic", !tells)?,
            tilt_optimistic: fields.flag("tilt_optimistic", false)?,
            set_tilt: fields.target("tilt_command_topic", &["tilt_command_template"])?,
            command,
            set_position,
            inputs,
            state: UNKNOWN,
            stopped: false,
            position: None,
            tilt: None,
            asked_tilt: None,
            asked: None,
        })
    }

    /// A valve as its payload describes it.
    ///
    /// # Errors
    /// What is wrong in the payload.
    pub fn valve(fields: &Fields) -> Result<Self, ConfigError> {
        let inputs = Inputs::read(fields, &[(Input::Valve, "state_topic", &["value_template"])])?;
        let command = fields.needed_target("command_topic", &["command_template"])?;
        let positioned = fields.flag("reports_position", false)?;
        let payloads = match positioned {
            true => (None, None),
            false => (payload(fields, "payload_open", "OPEN")?, payload(fields, "payload_close", "CLOSE")?),
        };
        // Most valves cannot: only one that names its word for it.
        let halt = match fields.has("payload_stop") {
            true => payload(fields, "payload_stop", "")?,
            false => None,
        };
        Ok(Self {
            states: states(fields, "open", "closed")?,
            payloads,
            halt,
            range: range(fields)?,
            tilt_range: (0.0, 100.0),
            optimistic: fields.flag("optimistic", !inputs.has(Input::Valve))?,
            tilt_optimistic: false,
            set_position: positioned.then(|| command.clone()),
            command: (!positioned).then_some(command),
            set_tilt: None,
            inputs,
            state: UNKNOWN,
            stopped: false,
            position: None,
            tilt: None,
            asked_tilt: None,
            asked: None,
        })
    }

    fn to(&mut self, position: u8) -> CommandResult {
        let target = self.set_position.as_ref().ok_or(Refused::Unsupported("stop on the way"))?;
        let (closed, open) = self.range;
        let number = (closed + (open - closed) * f64::from(position) / 100.0).round();
        let order = command_message(target, number_value(number), &self.variables("position", position))?;
        self.asked = Some((number, position));
        Ok(vec![order])
    }

    /// What the templates of a cover may hold beside the number.
    fn variables(&self, name: &'static str, percent: u8) -> [(&'static str, Value); 5] {
        [
            (name, Value::from(percent)),
            ("position_open", number_value(self.range.1)),
            ("position_closed", number_value(self.range.0)),
            ("tilt_min", number_value(self.tilt_range.0)),
            ("tilt_max", number_value(self.tilt_range.1)),
        ]
    }

    fn tilt_to(&mut self, tilt: u8) -> CommandResult {
        let target = self.set_tilt.as_ref().ok_or(Refused::Unsupported("be tilted"))?;
        let (low, high) = self.tilt_range;
        let number = (low + (high - low) * f64::from(tilt) / 100.0).round();
        let order = command_message(target, number_value(number), &self.variables("tilt_position", tilt))?;
        self.asked_tilt = Some((number, tilt));
        Ok(vec![order])
    }

    fn take_tilt(&mut self, reported: f64) {
        let (low, high) = self.tilt_range;
        self.tilt = match self.asked_tilt {
            Some((number, tilt)) if (number - reported).abs() < 1e-6 => Some(tilt),
            _ if (high - low).abs() < 1.0 => None,
            _ => Some(part(reported, low, high)),
        };
    }

    /// Opens or closes: by its word for it, or else by its position.
    fn wholly(&mut self, open: bool) -> CommandResult {
        let (payload, what) = match open {
            true => (&self.payloads.0, "be opened"),
            false => (&self.payloads.1, "be closed"),
        };
        match (payload, &self.command) {
            (Some(payload), Some(command)) => command_message_if(Some(command), payload.as_str(), &[], what),
            _ if self.set_position.is_some() => self.to(if open { 100 } else { 0 }),
            _ => Err(Refused::Unsupported(what)),
        }
    }

    fn stop(&self) -> CommandResult {
        // A valve that takes numbers hears its word for it on the same topic.
        let target = self.command.as_ref().or(self.set_position.as_ref());
        let payload = self.halt.as_deref().ok_or(Refused::Unsupported("stop on the way"))?;
        command_message_if(target, payload, &[], "stop on the way")
    }

    fn take_position(&mut self, reported: f64) {
        let (closed, open) = self.range;
        let position = match self.asked {
            Some((number, position)) if (number - reported).abs() < 1e-6 => position,
            _ => part(reported, closed, open),
        };
        self.position = Some(position);
        if !self.inputs.has(Input::State) || self.state == UNKNOWN || self.stopped {
            self.state = if position == 0 { "closed" } else { "open" };
        }
    }

    fn take_state(&mut self, value: &str) {
        let Some((state, _)) = self.states.iter().find(|(_, payload)| *payload == value) else {
            if value == NONE {
                self.state = UNKNOWN;
            }
            return;
        };
        self.stopped = *state == "stopped";
        self.state = match (*state, self.position, self.state) {
            ("stopped", Some(0), _) | ("stopped", None, "closing" | "closed") => "closed",
            ("stopped", _, _) => "open",
            (state, _, _) => state,
        };
    }

    fn take_valve(&mut self, value: &str) {
        let reported = serde_json::from_str::<serde_json::Value>(value).unwrap_or_default();
        let position = reported.get("position").or(Some(&reported)).and_then(serde_json::Value::as_f64);
        match position.filter(|_| self.set_position.is_some()) {
            Some(position) => self.take_position(position),
            None if reported.is_object() => {}
            None => self.take_state(value),
        }
        // After the position: whether it moves is more than where it is.
        if let Some(state) = reported.get("state").and_then(serde_json::Value::as_str) {
            self.take_state(state);
        }
    }
}

fn states(fields: &Fields, open: &str, closed: &str) -> Result<Vec<(&'static str, String)>, ConfigError> {
    Ok(vec![
        ("open", fields.text_or("state_open", open)?),
        ("closed", fields.text_or("state_closed", closed)?),
        ("opening", fields.text_or("state_opening", "opening")?),
        ("closing", fields.text_or("state_closing", "closing")?),
    ])
}

/// The word that opens or closes; null when it cannot.
fn payload(fields: &Fields, key: &str, default: &str) -> Result<Option<String>, ConfigError> {
    if fields.has(key) && fields.value(key).is_none() {
        Ok(None)
    } else {
        fields.text_or(key, default).map(Some)
    }
}

fn range(fields: &Fields) -> Result<(f64, f64), ConfigError> {
    let closed = fields.number_in("position_closed", 0.0, -1e6, 1e6)?;
    let open = fields.number_in("position_open", 100.0, -1e6, 1e6)?;
    if (open - closed).abs() < 1.0 {
        let expected = "a number other than `position_closed`";
        return Err(ConfigError::Unexpected { key: "position_open".into(), expected });
    }
    Ok((closed, open))
}

/// Percent of the way.
fn part(reported: f64, closed: f64, open: f64) -> u8 {
    let percent = ((reported - closed) / (open - closed) * 100.0).round().clamp(0.0, 100.0);
    // Cannot cut or change the sign: it is between 0 and 100.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    let percent = percent as u8;
    percent
}

impl DeviceKind for Cover {
    fn topics(&self) -> Vec<&str> {
        self.inputs.topics()
    }

    fn take(&mut self, at: usize, payload: &str) -> Result<(), TemplateError> {
        let Some((input, value)) = self.inputs.value(at, payload)? else { return Ok(()) };
        match input {
            Input::State => self.take_state(&value),
            Input::Valve => self.take_valve(&value),
            Input::Position => {
                let reported = serde_json::from_str::<serde_json::Value>(&value).unwrap_or_default();
                let position =
                    reported.get("position").or(Some(&reported)).and_then(serde_json::Value::as_f64);
                if let Some(position) = position {
                    self.take_position(position);
                }
            }
            Input::Tilt => {
                if let Some(reported) = parse_number(&value) {
                    self.take_tilt(reported);
                }
            }
        }
        Ok(())
    }

    fn state(&self) -> EntityState {
        let mut shown = EntityState::new(self.state, []);
        if self.tilt.is_some() || self.set_tilt.is_some() {
            shown.attributes.insert("current_tilt_position".into(), json!(self.tilt));
        }
        if self.position.is_some() || self.set_position.is_some() {
            // Null when it is not known yet: the key says that it can stop on the way.
            shown.attributes.insert("current_position".into(), json!(self.position));
        }
        shown
    }

    fn command(&mut self, command: &DeviceCommand) -> CommandResult {
        match command {
            DeviceCommand::Open => self.wholly(true),
            DeviceCommand::Close => self.wholly(false),
            DeviceCommand::Stop => self.stop(),
            DeviceCommand::Position(position) => self.to((*position).min(100)),
            DeviceCommand::Tilt(tilt) => self.tilt_to((*tilt).min(100)),
            _ => Err(Refused::Unsupported("do that")),
        }
    }

    fn assume(&mut self, command: &DeviceCommand) {
        if let DeviceCommand::Tilt(tilt) = command
            && (self.tilt_optimistic || !self.inputs.has(Input::Tilt))
        {
            self.tilt = Some((*tilt).min(100));
        }
        if !self.optimistic {
            return;
        }
        let position = match command {
            DeviceCommand::Open => 100,
            DeviceCommand::Close => 0,
            DeviceCommand::Position(position) => (*position).min(100),
            _ => return,
        };
        self.state = if position == 0 { "closed" } else { "open" };
        if self.set_position.is_some() {
            self.position = Some(position);
        }
    }
}
