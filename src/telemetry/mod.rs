//! Tracing set-up, counters, the watchdog.

mod alsa;
pub mod counters;
pub mod logging;
pub mod watchdog;
