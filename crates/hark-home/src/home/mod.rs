//! The home: its snapshot and changes ([`registry`]), the file its names come from (`file`) and changes of it ([`edit`]), the merge of several sources
//! (`merge`), yes or no to a question about it ([`question`]), which entities a request means ([`select`]), what a device can be told ([`command`], [`capability`]), the
//! backends that carry it out ([`backend`], [`virtual_devices`]), when it counts as done ([`control`], [`state_proof`]), how
//! it is undone ([`restore`]), what numbers, choices and texts take ([`values`]), and how passwords stay hidden
//! ([`secrets`]).

pub mod backend;
pub mod capability;
pub mod colours;
pub mod command;
pub mod control;
pub mod edit;
pub mod file;
mod file_reader;
mod merge;
pub mod question;
pub mod registry;
pub mod restore;
pub mod scene;
pub mod secrets;
pub mod select;
pub mod state_proof;
pub mod values;
pub mod virtual_devices;

pub use backend::{DeviceBackend, DeviceError};
pub use control::HomeControl;
pub use registry::{EntityChange, HomeRegistry};

/// State of an entity that cannot be reached.
pub const UNAVAILABLE: &str = "unavailable";

/// State of an entity of which nothing is known yet.
pub const UNKNOWN: &str = "unknown";

/// Value of `Entity::source` for virtual devices.
pub const SOURCE_DEMO: &str = "demo";

/// Value of `Entity::source` for names of a file that no device stands behind.
pub const SOURCE_FILE: &str = "file";
