//! What the connections to other programs share: how long to wait before the next attempt, how many clients a port
//! serves, and which codes of a lock can be right. Used by the crates of MQTT, Home Assistant and HTTP.
//!
//! ```
//! use hark_net::backoff::Backoff;
//! use std::time::Duration;
//!
//! let mut backoff = Backoff::default();
//! assert!(backoff.next_wait() <= Duration::from_secs(2), "the first wait is short");
//! ```

pub mod backoff;
pub mod codes;
pub mod seats;
