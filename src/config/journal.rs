//! `[journal]`: a line a turn, for people and programs that read files.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A line a turn, in a file a day, without sound.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct JournalConfig {
    /// Keep a journal.
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
}

impl Default for JournalConfig {
    fn default() -> Self {
        Self { enabled: true, dir: String::new(), keep_days: 90, max_megabytes: 100 }
    }
}
