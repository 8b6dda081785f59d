//! Tools and what they act on: the home, timers, weather, time; the permission gate; receipts.

pub mod home;
pub mod names;
pub mod permissions;
pub mod timers;
