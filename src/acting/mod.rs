//! Tools and what they act on: the home, timers, weather, time; the permission gate; receipts.

pub mod home;
pub mod names;
pub mod permissions;
#[cfg(test)]
mod test_shelf;
pub mod timers;
pub mod tools;
pub mod weather;

pub use home::{DeviceBackend, HomeControl, HomeRegistry};
pub use timers::Timers;
pub use tools::{Parts, Toolbox};
