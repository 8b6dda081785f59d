//! Tracing set-up, counters, the watchdog, how the process is.

mod alsa;
pub mod counters;
pub mod logging;
pub mod vitals;
pub mod watchdog;
