//! Tracing set-up, counters, the watchdog.

pub mod counters;
pub mod logging;
pub mod watchdog;
