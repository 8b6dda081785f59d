//! Models and native libraries on the disk, and getting them while Hark runs: one pull at a time. Implemented by the daemon,
//! used by the page; `hark models list|pull` does the same in a terminal.

use super::super::fault::Fault;

/// How a model is found on the disk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileState {
    /// Whole and usable.
    Installed,
    /// Not there.
    Missing,
    /// There, but not what the manifest says.
    Corrupt {
        /// How it differs.
        why: String,
    },
    /// Not made for this machine.
    Unsupported,
}

/// A model or library of the manifest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelFile {
    /// As `hark models list` prints it.
    pub id: String,
    /// What sort of part it is, such as `voice`.
    pub role: String,
    /// What it is for, for people; in English.
    pub purpose: String,
    /// The licence it is under.
    pub licence: String,
    /// Version of the package it comes from.
    pub version: String,
    /// Language of a voice, with its region where it has one: `en-GB`.
    pub language: Option<String>,
    /// Size of the file; `None` for folders.
    pub size_bytes: Option<u64>,
    /// Hark does without it.
    pub is_optional: bool,
    /// How it is found.
    pub state: FileState,
    /// Other parts that it is of no use without and that are not here.
    pub needs: Vec<String>,
}

/// What is done at the moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PullStage {
    /// A source is looked for.
    Starting,
    /// Another program pulls; it is waited for.
    Waiting,
    /// It is taken from the network.
    Downloading,
    /// It is taken from this machine.
    Copying,
    /// It is made from a model in another format.
    Converting,
}

/// How far a pull is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PullProgress {
    /// The part that is brought.
    pub id: String,
    /// What is done about it.
    pub stage: PullStage,
    /// Bytes of it that are here, while it is downloaded.
    pub done_bytes: u64,
    /// Bytes in all; 0 where that is not known.
    pub total_bytes: u64,
}

/// How the pull stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PullState {
    /// Nothing is or was pulled since the start.
    Idle,
    /// It goes on.
    Running {
        /// All that is pulled.
        ids: Vec<String>,
        /// How far it is.
        progress: PullProgress,
    },
    /// The last one was ended by a person. What came so far is kept, and gone on with the next time.
    Cancelled {
        /// All that was to be pulled.
        ids: Vec<String>,
    },
    /// The last one is done: everything is whole, checked and in its place.
    Done {
        /// All that was pulled.
        ids: Vec<String>,
    },
    /// The last one did not work.
    Failed {
        /// All that was to be pulled.
        ids: Vec<String>,
        /// Why.
        fault: Fault,
    },
}

/// See the module. Calls may wait for the disk.
pub trait ModelFiles: Send + Sync {
    /// Everything in the manifest, in its order.
    ///
    /// # Errors
    /// When the manifest cannot be read.
    fn list(&self) -> Result<Vec<ModelFile>, Fault>;
    /// How the pull stands. Waits for nothing.
    fn pull_state(&self) -> PullState;
    /// Begins to bring these parts.
    ///
    /// # Errors
    /// `BadInput` for an unknown name; `Unavailable` while another pull goes on.
    fn pull(&self, ids: &[String]) -> Result<(), Fault>;
    /// Ends the one that goes on; nothing where none does.
    fn cancel_pull(&self);
}
