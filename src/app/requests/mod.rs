//! Requests that outlive a restart, records of turns, and what is due at a time.

pub mod inbox;
pub mod recorder;
pub mod timers_thread;
