//! `[skills]`: folders with instructions of the owner for a language model, and scripts that go with them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Skills: how the household wants things done, for the language model (`hark skills`).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct SkillsConfig {
    /// Folder of skills, each in a folder of its own; empty: `skills` in the state folder. They are trusted as instructions of the owner, so nobody else may have write access.
    #[schemars(extend("x-holds" = "folder"))]
    pub folder: String,
    /// Whether the skills that come with Hark are there, too. One of the folder takes the place of one of the same name.
    pub shipped: bool,
    /// Scripts of skills that may be run, as `SKILL/SCRIPT`, such as `bin-day/next.sh`; none: no script is.
    pub scripts: Vec<String>,
}

impl Default for SkillsConfig {
    fn default() -> Self {
        Self { folder: String::new(), shipped: true, scripts: Vec::new() }
    }
}
