//! The configuration as programs see and change it: what is written of each key, what is in force, and what a change
//! comes to.

use super::super::fault::Fault;
use serde_json::Value;

/// Where the value of a key comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeySource {
    /// Nothing is written of it.
    Default,
    /// The configuration file.
    File,
    /// The command line, which counts more than the file.
    CommandLine,
}

/// A key with its values.
#[derive(Debug, Clone, PartialEq)]
pub struct KeyState {
    /// `section.key`.
    pub key: String,
    /// What the file and the command line say, else its default.
    pub configured: Value,
    /// What the running Hark goes by.
    pub in_force: Value,
    /// Where `configured` comes from.
    pub source: KeySource,
    /// Line of the file, from 1.
    pub line: Option<usize>,
    /// A change of it is in force at once; else after a restart.
    pub at_once: bool,
}

/// The whole configuration.
#[derive(Debug, Clone, PartialEq)]
pub struct ConfigurationState {
    /// The file that is read, and written to; it need not be there yet.
    pub file: String,
    /// Every key, in the order of the sections.
    pub keys: Vec<KeyState>,
    /// What is wrong in the file now; it was right when Hark was started.
    pub mistakes: Vec<Mistake>,
}

/// One thing that is wrong in a configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mistake {
    /// `section.key`, or what else it is about.
    pub key: String,
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    pub fix: String,
}

/// What a key shall hold.
#[derive(Debug, Clone, PartialEq)]
pub struct KeyChange {
    /// `section.key`.
    pub key: String,
    /// Its value; `None` takes it out of the file, so that its default counts.
    pub value: Option<Value>,
}

/// What a change came to.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ConfigurationChange {
    /// The file that was written.
    pub file: String,
    /// Keys that wait for a restart, those of changes before among them.
    pub needs_restart: Vec<String>,
    /// Why nothing of it is in force before a restart, though it is written.
    pub not_applied: Option<Fault>,
}

/// Why nothing was changed.
#[derive(Debug, Clone, PartialEq)]
pub enum Refusal {
    /// The configuration would have these mistakes.
    Mistakes(Vec<Mistake>),
    /// The file could not be written.
    Failed(Fault),
}

impl From<Fault> for Refusal {
    fn from(fault: Fault) -> Self {
        Self::Failed(fault)
    }
}

/// The configuration file of a running Hark. Its calls wait for the disk.
pub trait ConfigurationFile: Send + Sync {
    /// Every key as it stands.
    fn state(&self) -> ConfigurationState;
    /// Checks changes as a start does, writes them, and puts in force what can be at once.
    ///
    /// # Errors
    /// Every mistake the configuration would have; a file that cannot be written. Nothing has changed then.
    fn change(&self, changes: &[KeyChange]) -> Result<ConfigurationChange, Refusal>;
}
