//! Tools and what they act on: the home, timers, lists, memory, weather, time; what was done last, to take
//! it back; the permission gate; receipts.

pub mod calculator;
pub mod clipboard;
pub mod files;
pub mod home;
pub mod house_secrets;
pub mod lists;
pub mod machine;
pub mod memory;
pub mod names;
pub mod permissions;
pub mod pin;
pub mod shell;
#[cfg(test)]
mod test_shelf;
pub mod timers;
pub mod tools;
pub mod undo;
pub mod weather;
pub mod web;
pub mod zone;

pub use home::{DeviceBackend, HomeControl, HomeRegistry};
pub use timers::Timers;
pub use tools::{Parts, Toolbox};
