//! What the connections to other programs share: how long to wait before the next attempt, how much may be asked for in
//! what time, how many clients a port serves, which addresses an untrusted program may reach, what keeps its sandbox from being made, and which codes of a lock can be right. Used by the crates of MQTT, Home
//! Assistant, HTTP and language models; the program waits by the same back-off for its sound devices.
//!
//! ```
//! use hark_net::backoff::{Backoff, Policy};
//! use std::time::Duration;
//!
//! let mut backoff = Backoff::new(Policy::CONNECTION);
//! assert!(backoff.next_wait() <= Duration::from_secs(2), "the first wait is short");
//! ```

pub mod backoff;
pub mod codes;
pub mod confined;
pub mod reach;
pub mod seats;
pub mod token_bucket;
