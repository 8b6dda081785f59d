//! `[journal]`: a line a turn, for people and programs that read files, and the sound of turns where that is wanted.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A line a turn, in a file a day. Sound is kept only where `record_audio` says so.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct JournalConfig {
    /// Keep a journal; without it no sound is kept either.
    pub enabled: bool,
    /// Folder of the files; empty: `journal` in the state folder.
    #[schemars(extend("x-holds" = "folder"))]
    pub dir: String,
    /// How many days are kept, today among them.
    #[schemars(range(min = 1, max = 36500))]
    pub keep_days: u32,
    /// Most megabytes of all files together; the oldest go first.
    #[schemars(range(min = 1, max = 1000000))]
    pub max_megabytes: u32,
    /// Keep what was said to Hark as sound, a WAV file a turn in `recordings` in the state folder.
    pub record_audio: bool,
    /// How many days sound is kept.
    #[schemars(range(min = 1, max = 36500))]
    pub audio_keep_days: u32,
    /// Most megabytes of all sound together; the oldest goes first.
    #[schemars(range(min = 1, max = 1000000))]
    pub audio_max_megabytes: u32,
}

impl JournalConfig {
    /// Whether sound is kept.
    pub fn keeps_sound(&self) -> bool {
        self.enabled && self.record_audio
    }
}

impl Default for JournalConfig {
    fn default() -> Self {
        Self {
            enabled: true,
            dir: String::new(),
            keep_days: 90,
            max_megabytes: 100,
            record_audio: false,
            audio_keep_days: 7,
            audio_max_megabytes: 200,
        }
    }
}
