//! State of a light, common to the three schemas.

use super::colour;
use crate::device_kind::EntityState;
use crate::fields::{ConfigError, Fields};
use hark_core::device::{DeviceCommand, LightSetting};
use serde_json::{Value, json};

/// Modes in which a light has a colour.
const COLOURED: &[&str] = &["rgb", "rgbw", "rgbww", "hs", "xy"];

/// How a light is. What it was told last is kept: lamps round, and a value that is the rounding of what was
/// asked for counts as just that.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct LightState {
    /// On or off, when known.
    pub on: Option<bool>,
    /// 0–255.
    pub brightness: Option<u8>,
    /// Its colour at full brightness.
    pub rgb: Option<[u8; 3]>,
    /// Its colour temperature.
    pub kelvin: Option<u16>,
    /// Which of the two it shows, as a mode; `None` when it does not say.
    pub mode: Option<String>,
    /// Its effect.
    pub effect: Option<String>,
    /// Modes it can be in.
    pub modes: Vec<String>,
    /// Coldest and warmest, in kelvin: smallest and largest number.
    pub kelvin_range: (u16, u16),
    /// What it was told, and the number that was sent for the brightness.
    asked: LightSetting,
    asked_level: Option<(f64, u8)>,
}

impl LightState {
    /// A light that has told nothing yet.
    ///
    /// # Errors
    /// When the range of its colour temperature is none.
    pub fn new(fields: &Fields, modes: Vec<String>) -> Result<Self, ConfigError> {
        let limit = |kelvin: &str, mired: &str, default: f64| -> Result<u16, ConfigError> {
            let kelvin = fields.number(kelvin)?;
            let mired = fields.number(mired)?.filter(|mired| *mired > 0.0).map(colour::mired);
            Ok(kelvin_of(kelvin.or(mired).unwrap_or(default)))
        };
        let kelvin_range =
            (limit("min_kelvin", "max_mireds", 2000.0)?, limit("max_kelvin", "min_mireds", 6535.0)?);
        Ok(Self { modes, kelvin_range, ..Self::default() })
    }

    /// Whether it can show a colour.
    pub fn is_coloured(&self) -> bool {
        self.modes.iter().any(|mode| COLOURED.contains(&mode.as_str()))
    }

    /// Whether it is in this mode or can be.
    pub fn can(&self, mode: &str) -> bool {
        self.modes.iter().any(|one| one == mode)
    }

    /// Notes what it is told; `sent` is the number that stands for the brightness in its message.
    pub fn ask(&mut self, setting: &LightSetting, sent: Option<(f64, u8)>) {
        self.asked = setting.clone();
        self.asked_level = sent;
        // A light that does not say its mode shows what it was told last.
        if self.mode.is_some() || setting.rgb.is_some() || setting.kelvin.is_some() {
            self.mode = match (setting.rgb, setting.kelvin) {
                (Some(_), _) => self.modes.iter().find(|mode| COLOURED.contains(&mode.as_str())).cloned(),
                (None, Some(_)) => Some("color_temp".into()),
                (None, None) => self.mode.take(),
            };
        }
    }

    /// Its brightness, of a scale; zero says nothing.
    pub fn set_level(&mut self, reported: f64, scale: f64) {
        if reported <= 0.0 || !reported.is_finite() {
            return;
        }
        self.brightness = match self.asked_level {
            Some((sent, level)) if (sent - reported).abs() < 1e-6 => Some(level),
            _ => Some(colour::byte(reported / scale * 255.0).max(1)),
        };
    }

    /// Its colour.
    pub fn set_rgb(&mut self, reported: [u8; 3]) {
        self.rgb = match self.asked.rgb {
            Some(asked) if colour::alike(asked, reported) => Some(asked),
            _ => Some(reported),
        };
    }

    /// Its chromaticity: more exact than the colour made of it.
    pub fn set_xy(&mut self, x: f64, y: f64) {
        let asked = self.asked.rgb.filter(|asked| {
            let (asked_x, asked_y) = colour::rgb_to_xy(*asked);
            (asked_x - x).abs() <= 0.015 && (asked_y - y).abs() <= 0.015
        });
        match asked {
            Some(asked) => self.rgb = Some(asked),
            None => self.set_rgb(colour::xy_to_rgb(x, y)),
        }
    }

    /// Its colour temperature, in mired.
    pub fn set_mired(&mut self, reported: f64) {
        if reported < 1.0 {
            return;
        }
        self.kelvin = match self.asked.kelvin {
            Some(asked) if (colour::mired(f64::from(asked)) - reported).abs() <= 1.0 => Some(asked),
            _ => Some(kelvin_of(1e6 / reported)),
        };
    }

    /// Its colour temperature, in kelvin.
    pub fn set_kelvin(&mut self, reported: f64) {
        if reported >= 1.0 {
            self.kelvin = Some(kelvin_of(reported));
        }
    }

    /// What it was told is so: for lights that tell nothing.
    pub fn assume(&mut self, setting: &LightSetting) {
        self.on = Some(true);
        if let Some(percent) = setting.brightness_percent {
            self.brightness = Some(level_of(percent));
        }
        self.rgb = setting.rgb.or(self.rgb);
        self.kelvin = setting.kelvin.or(self.kelvin);
    }

    /// As [`LightState::assume`], for any command.
    pub fn assume_told(&mut self, command: &DeviceCommand) {
        match command {
            DeviceCommand::TurnOn => self.on = Some(true),
            DeviceCommand::TurnOff => self.on = Some(false),
            DeviceCommand::Light(setting) => self.assume(setting),
            _ => {}
        }
    }

    /// How it is.
    pub fn state(&self) -> EntityState {
        let state = match self.on {
            Some(true) => "on",
            Some(false) => "off",
            None => crate::device_kind::UNKNOWN,
        };
        let mode = self.mode.as_deref();
        let shows = |coloured: bool| mode.is_none_or(|mode| COLOURED.contains(&mode) == coloured);
        let has_temperature = self.can("color_temp");
        let limit = |kelvin: u16| if has_temperature { json!(kelvin) } else { Value::Null };
        EntityState::new(
            state,
            [
                ("supported_color_modes", json!(self.modes)),
                ("color_mode", json!(mode)),
                ("brightness", json!(self.brightness)),
                ("rgb_color", json!(self.rgb.filter(|_| shows(true)))),
                ("color_temp_kelvin", json!(self.kelvin.filter(|_| shows(false)))),
                ("min_color_temp_kelvin", limit(self.kelvin_range.0)),
                ("max_color_temp_kelvin", limit(self.kelvin_range.1)),
                ("effect", json!(self.effect)),
            ],
        )
    }
}

/// 0–255 of a percentage; never 0, which would be off.
pub fn level_of(percent: u8) -> u8 {
    let level = (u16::from(percent.min(100)) * 255 + 50) / 100;
    u8::try_from(level).unwrap_or(u8::MAX).max(1)
}

fn kelvin_of(kelvin: f64) -> u16 {
    // Cannot cut or change the sign: it is within the range.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    let kelvin = kelvin.round().clamp(500.0, 60_000.0) as u16;
    kelvin
}
