//! The home: its devices ([`registry`], [`control`], and what else `home/` holds), and what Hark keeps for it: who may do
//! what ([`permission_gate`], [`pin`]), timers, alarms and reminders ([`timers`]), what waits for something to happen
//! ([`automations`]), lists, time zones and summer time ([`zone`]), and what can be taken back ([`undo`]).
//!
//! The tools (`hark-tools`) call it on the tokio runtime; the threads that wait for what is due are the program's.
//!
//! ```
//! use hark_core::ports::HomeView;
//! use hark_home::{HomeRegistry, file};
//!
//! let home = HomeRegistry::new(file::example(true).unwrap());
//! assert!(home.home().entities.iter().any(|entity| entity.id.domain() == "light"));
//! ```

pub mod automations;
mod home;
pub mod lists;
pub mod permission_gate;
pub mod pin;
#[cfg(test)]
mod test_stores;
pub mod timers;
pub mod unasked;
pub mod undo;
pub mod zone;

pub use automations::Automations;
pub use home::{
    DeviceBackend, DeviceError, EntityChange, HomeControl, HomeRegistry, SOURCE_DEMO, SOURCE_FILE,
    UNAVAILABLE, UNKNOWN, backend, capability, colours, command, control, edit, file, question, registry,
    restore, scene, secrets, select, state_proof, values, virtual_devices,
};
pub use timers::Timers;

use hark_language::names;
