//! Requests that outlive a restart, records of turns, what is due at a time, and what waits for something.

pub mod automations_thread;
pub mod by_itself;
pub mod delegation;
pub mod inbox;
pub mod recorder;
pub mod timers_thread;
