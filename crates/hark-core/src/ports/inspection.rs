//! What an inspection of the program's parts found: findings of `hark doctor`, sound devices, tools.

use super::super::tool::Risk;
use serde::{Deserialize, Serialize};
use serde_json::Value;

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
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
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
    /// Why it is not; empty where it is.
    #[serde(default)]
    pub why: String,
    /// What to do about that; empty where there is nothing.
    #[serde(default)]
    pub fix: String,
    /// JSON Schema of its arguments, an object.
    pub arguments: Value,
}

/// How the connection to a server of other programs' tools is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ServerCondition {
    /// It is switched off.
    Off,
    /// It is started, and has not told its tools yet.
    Starting,
    /// Its tools can be called.
    Running,
    /// It does not work, and is started again after a while.
    Failed,
}

/// An MCP server as it stands here.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ServerState {
    /// Its name in the configuration.
    pub name: String,
    /// How the connection is.
    pub condition: ServerCondition,
    /// What is wrong with it, or what it says it is; empty: nothing is known.
    pub message: String,
    /// What to do about what is wrong; empty: nothing.
    pub fix: String,
    /// Its tools by their names here, each with its risk.
    pub tools: Vec<(String, Risk)>,
    /// Tools that are not taken, each with why.
    pub refused: Vec<String>,
    /// How often it was started again.
    pub restarts: u32,
}
