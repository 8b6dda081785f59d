//! Logging, metrics, systemd's watchdog, and how the process is. The command line sets logging up; the daemon and its HTTP
//! interface use the rest.
//!
//! ```
//! use hark_telemetry::vitals::resident_bytes;
//!
//! assert!(resident_bytes().is_none_or(|bytes| bytes > 0));
//! ```

mod alsa;
pub mod logging;
pub mod metrics;
pub mod vitals;
pub mod watchdog;
