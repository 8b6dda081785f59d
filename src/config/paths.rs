//! `[paths]`: where Hark finds its models and keeps its state.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Where Hark finds its models and keeps its state.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Paths {
    /// Folder with `manifest.toml`, `sentences/` and `cache/`; empty: `$HARK_MODELS_DIR`, else the folder beside the program.
    pub models_dir: String,
    /// Folder for the database; empty: `$STATE_DIRECTORY`, else `~/.local/state/hark`.
    pub state_dir: String,
}

impl Default for Paths {
    fn default() -> Self {
        Self { models_dir: String::new(), state_dir: String::new() }
    }
}
