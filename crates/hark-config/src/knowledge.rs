//! `[knowledge]`: the household's documents, which Hark looks things up in.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Documents Hark looks things up in: manuals, leases, letters (`hark docs add`).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct KnowledgeConfig {
    /// Folders whose documents are read (text, Markdown, HTML, PDF, EPUB), such as `~/Documents/manuals`; none: only what `hark docs add` names. Programs with the dashboard's token may add documents in these and in `tools.file_roots`.
    pub folders: Vec<String>,
    /// Whether documents that are new, changed or gone are noticed while Hark runs; else at its start only.
    pub watch: bool,
    /// File of the index; empty: `knowledge.db` in the state folder.
    pub index: String,
    /// Words of a passage at most. Documents that are read from then on have it.
    #[schemars(range(min = 50, max = 2000))]
    pub passage_words: u32,
    /// Words a passage repeats of the one before it, in whole sentences.
    #[schemars(range(min = 0, max = 500))]
    pub overlap_words: u32,
    /// Largest file that is read, megabytes.
    #[schemars(range(min = 1, max = 1024))]
    pub max_file_mb: u32,
    /// Most text that is read of a file, megabytes.
    #[schemars(range(min = 1, max = 256))]
    pub max_text_mb: u32,
    /// How sure it must be that a passage answers before it is said.
    #[schemars(range(min = 0, max = 1))]
    pub min_confidence: f32,
}

impl Default for KnowledgeConfig {
    fn default() -> Self {
        Self {
            folders: Vec::new(),
            watch: true,
            index: String::new(),
            passage_words: 512,
            overlap_words: 50,
            max_file_mb: 64,
            max_text_mb: 32,
            min_confidence: 0.5,
        }
    }
}
