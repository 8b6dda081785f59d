//! Logging, counters, systemd's watchdog, and how the process is. The command line sets logging up; the daemon reads the
//! rest.
//!
//! ```
//! use hark_telemetry::vitals::resident_bytes;
//!
//! assert!(resident_bytes().is_none_or(|bytes| bytes > 0));
//! ```

mod alsa;
pub mod counters;
pub mod logging;
pub mod vitals;
pub mod watchdog;
