//! What a device can be told, why it does not do it, and the port of those who tell it: virtual devices,
//! Home Assistant, MQTT devices.

use crate::home::Entity;
use crate::ids::EntityId;
use crate::ports::ListItem;
use crate::tool::error_code;
use std::collections::BTreeMap;
use std::future::Future;
use std::pin::Pin;

/// How a light should be; what is `None` stays.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct LightSetting {
    /// 1–100 %.
    pub brightness_percent: Option<u8>,
    /// Red, green, blue.
    pub rgb: Option<[u8; 3]>,
    /// Colour temperature.
    pub kelvin: Option<u16>,
}

/// What a device can be told, in its own terms: "turn on" has become lock, open or activate.
#[derive(Debug, Clone, PartialEq)]
pub enum DeviceCommand {
    /// Light, switch, fan, media player, climate and their like.
    TurnOn,
    /// Light, switch, fan, media player, climate and their like.
    TurnOff,
    /// Cover, valve.
    Open,
    /// Cover, valve.
    Close,
    /// Cover, valve: stay where it is now.
    Stop,
    /// Lock.
    Lock,
    /// Lock.
    Unlock,
    /// Scene, script.
    Activate,
    /// Light; turns it on.
    Light(LightSetting),
    /// Button.
    Press,
    /// Cover, valve: 0 is closed, 100 is open.
    Position(u8),
    /// Fan: 0 is off.
    Percentage(u8),
    /// Vacuum, lawn mower: begin, or go on.
    Start,
    /// Vacuum, lawn mower: go home.
    Dock,
    /// Vacuum: clean the area of this name.
    CleanArea(String),
    /// Climate: `heat`, `cool`, `off` …
    HvacMode(String),
    /// Climate: one of its own fan modes.
    FanMode(String),
    /// Cover: its slats, 0 is closed, 100 is open.
    Tilt(u8),
    /// Climate, fan: one of its own presets, such as `eco`; `none` is a preset, too.
    Preset(String),
    /// Humidifier: target, % of relative humidity.
    Humidity(u8),
    /// Humidifier, water heater: one of its own modes.
    Mode(String),
    /// Alarm panel: `armed_home`, `armed_away` … or `disarmed`.
    Arm(String),
    /// Number, choice, text: what it shall be.
    Value(String),
    /// To-do list: the change that makes `to` of `from`. What others put there meanwhile stays.
    Items { from: Vec<ListItem>, to: Vec<ListItem> },
    /// Media player.
    Media(MediaCommand),
    /// Climate: target in the unit of the device.
    Temperature(f64),
    /// Media player: 0–100 %.
    Volume(u8),
}

/// What a media player can be told besides on, off and how loud.
#[derive(Debug, Clone, PartialEq)]
pub enum MediaCommand {
    /// Go on playing.
    Play,
    /// Stop for a while.
    Pause,
    /// Stop for good.
    Stop,
    /// The next track.
    Next,
    /// The one before.
    Previous,
    /// Silent, or no longer.
    Mute(bool),
    /// Any order, or that of the list.
    Shuffle(bool),
    /// `off`, `all`, `one`.
    Repeat(&'static str),
    /// One of its inputs.
    Source(String),
    /// Find this and play it.
    Search {
        /// What to look for, in the person's words.
        query: String,
        /// `artist`, `album`, `track`, `playlist` … when it was said.
        class: Option<String>,
    },
}

/// Codes that locks and alarm panels want to hear, by entity. Shown nowhere.
#[derive(Clone, Default)]
pub struct DeviceCodes(BTreeMap<EntityId, String>);

impl DeviceCodes {
    /// These codes.
    pub fn new(codes: BTreeMap<EntityId, String>) -> Self {
        Self(codes)
    }

    /// The code of a device.
    pub fn of(&self, entity: &EntityId) -> Option<&str> {
        self.0.get(entity).map(String::as_str)
    }
}

impl std::fmt::Debug for DeviceCodes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
    }
}

/// Why a device did not do it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DeviceError {
    /// It cannot do this.
    #[error("the {name} cannot {what}")]
    Unsupported { name: String, what: &'static str },
    /// It can do this, but not with this value.
    #[error("the {name} can do {range}")]
    OutOfRange { name: String, range: String },
    /// It cannot be reached.
    #[error("the {0} cannot be reached")]
    Offline(String),
    /// It has left the home.
    #[error(
        "the {0} is not in the home any more: it was removed, or is no longer exposed to voice assistants"
    )]
    Gone(String),
    /// It was told, and no confirmation came in time.
    #[error("the {0} did not confirm in time")]
    Timeout(String),
    /// It wants a code, and there is none for it.
    #[error(
        "the {0} wants a code, and there is none for it; write it into the file of permissions.device_codes_file"
    )]
    NeedsCode(String),
    /// It does not take the code that there is for it; `wanted` says what it has to be like, where that is known.
    #[error(
        "the {name} does not take its code{}; change it in the file of permissions.device_codes_file",
        wanted.as_ref().map(|wanted| format!(", which has to {wanted}")).unwrap_or_default()
    )]
    WrongCode { name: String, wanted: Option<String> },
    /// Anything else, in the device's words.
    #[error("the {name} failed: {why}")]
    Failed { name: String, why: String },
}

impl DeviceError {
    /// The value that a password field should get is not known any more.
    pub fn forgotten(entity: &Entity) -> Self {
        Self::Failed {
            name: entity.name.clone(),
            why: "its value is not known any more; say it again".into(),
        }
    }

    /// The error code of a receipt.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Unsupported { .. } => error_code::UNSUPPORTED,
            Self::OutOfRange { .. } => error_code::BAD_ARGUMENT,
            Self::Offline(_) => error_code::OFFLINE,
            Self::Gone(_) => error_code::NOT_FOUND,
            Self::Timeout(_) => error_code::TIMEOUT,
            Self::NeedsCode(_) => error_code::NEEDS_CODE,
            Self::WrongCode { .. } => error_code::WRONG_CODE,
            Self::Failed { .. } => error_code::FAILED,
        }
    }
}

/// Ends when the command was delivered; the confirmation is the report that follows.
pub type SendFuture = Pin<Box<dyn Future<Output = Result<(), DeviceError>> + Send>>;

/// Devices of one source.
pub trait DeviceBackend: Send + Sync {
    /// The value of `Entity::source` it is responsible for.
    fn source(&self) -> &'static str;

    /// Delivers a command. An `Ok` says only that it was delivered: what became of it comes back
    /// through `HomeSink::report_all`.
    fn send(&self, entity: &Entity, command: &DeviceCommand) -> SendFuture;
}
