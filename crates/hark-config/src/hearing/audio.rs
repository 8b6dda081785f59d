//! `[audio]`: microphone and speaker.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How loud speech is made before it is recognised.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Gain {
    /// Quiet speech is raised, slowly and within `auto_gain_max_db`.
    Auto,
    /// Only `input_gain_db` counts.
    Fixed,
}

/// Microphone and speaker.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Audio {
    /// Microphone by name as `hark devices` prints it, or `auto`, or `none`, with which no engine that hears is loaded.
    pub input_device: String,
    /// Speaker by name as `hark devices` prints it, or `auto`, or `none`.
    pub output_device: String,
    /// Added to what the microphone brings: a soft one is raised, one that overdrives is lowered.
    #[schemars(range(min = -20, max = 30))]
    pub input_gain_db: i8,
    /// `auto`: quiet speech is raised before anything listens to it, on top of `input_gain_db`; `fixed`: it is not.
    pub gain: Gain,
    /// Most that `gain = "auto"` raises speech by.
    #[schemars(range(min = 0, max = 40))]
    pub auto_gain_max_db: u8,
    /// How much captured audio may wait for the audio pipeline before the oldest is dropped.
    #[schemars(range(min = 200, max = 10000))]
    pub input_ring_ms: u32,
    /// How much past audio is kept so that no first word is lost.
    #[schemars(range(min = 500, max = 10000))]
    pub pre_roll_ms: u32,
}

impl Audio {
    /// Whether there shall be a microphone.
    pub fn wants_microphone(&self) -> bool {
        self.input_device != "none"
    }

    /// Decibels that quiet speech is raised by at most; `None` where it is not raised.
    pub fn auto_gain(&self) -> Option<u8> {
        (self.gain == Gain::Auto && self.auto_gain_max_db > 0).then_some(self.auto_gain_max_db)
    }

    /// Whether there shall be a speaker.
    pub fn wants_speaker(&self) -> bool {
        self.output_device != "none"
    }
}

impl Default for Audio {
    fn default() -> Self {
        Self {
            input_device: "auto".into(),
            output_device: "auto".into(),
            input_gain_db: 0,
            gain: Gain::Auto,
            auto_gain_max_db: 24,
            input_ring_ms: 2000,
            pre_roll_ms: 2000,
        }
    }
}
