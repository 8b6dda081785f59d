//! Sources of the home, and its states that are saved for the next start.

pub mod cache;
pub mod demo_states;
pub mod device_codes;
pub(crate) mod names;
pub mod sources;
