//! The home: what there is ([`registry`]), where its names come from (`file`), what a request means
//! by "the lights" ([`select`]), what a device can be told ([`command`], [`ability`]), who carries it out
//! ([`backend`], [`demo`]), when it counts as done ([`control`], [`proof`]) how it is taken back
//! ([`restore`]), what numbers, choices and texts take ([`values`]), and how passwords stay unread ([`secrets`]).

pub mod ability;
pub mod backend;
pub mod colours;
pub mod command;
pub mod control;
pub mod demo;
pub mod file;
mod file_reader;
mod merge;
pub mod proof;
pub mod registry;
pub mod restore;
pub mod secrets;
pub mod select;
pub mod values;

pub use backend::{DeviceBackend, DeviceError};
pub use control::HomeControl;
pub use registry::{EntityChange, HomeRegistry};

/// State of an entity that cannot be reached.
pub const UNAVAILABLE: &str = "unavailable";

/// Value of `Entity::source` for virtual devices.
pub const SOURCE_DEMO: &str = "demo";

/// Value of `Entity::source` for names of a file that no device stands behind.
pub const SOURCE_FILE: &str = "file";
