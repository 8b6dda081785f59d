//! Where the home comes from, and what of it is kept over a restart.

pub mod cache;
pub mod demo_states;
pub mod device_codes;
pub mod sources;
