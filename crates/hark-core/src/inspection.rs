//! What an inspection of the program's parts found: findings of `hark doctor`, sound devices, tools.

use super::tool::Risk;
use serde::{Deserialize, Serialize};

/// What one check found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// Name of the check, such as `microphone`.
    pub check: String,
    /// It passed.
    pub ok: bool,
    /// What was found, or what is wrong.
    pub message: String,
    /// What to do about that; empty when it passed.
    #[serde(default)]
    pub fix: String,
}

/// A microphone or a speaker.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SoundDevice {
    /// As `audio.input_device` and `audio.output_device` name it.
    pub name: String,
    /// What its driver says of it.
    pub description: String,
    /// Lowest sample rate.
    pub lowest_rate_hz: u32,
    /// Highest sample rate.
    pub highest_rate_hz: u32,
    /// Channels.
    pub channels: u16,
    /// `auto` takes it.
    pub default: bool,
}

/// The sound devices of this machine.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SoundDevices {
    /// Microphones.
    pub microphones: Vec<SoundDevice>,
    /// Speakers.
    pub speakers: Vec<SoundDevice>,
}

/// A tool as it stands here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolState {
    /// Name, such as `home.turn_on`.
    pub name: String,
    /// What it does.
    pub description: String,
    /// Risk of its mildest use.
    pub risk: Risk,
    /// What `permissions.deny_tools` calls it.
    pub permission: String,
    /// It is switched on, configured, and has something to act on.
    pub is_available: bool,
}
