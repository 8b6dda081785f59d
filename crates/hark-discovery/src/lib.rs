//! What there is on the local network that Hark can be connected to: Home Assistant and MQTT brokers, which announce
//! themselves by mDNS, and servers that only an open port tells of, such as Ollama. Called by `hark setup`. What is found
//! is told by machines of others: names are cleaned, and nothing is used before a person has chosen it.
//!
//! ```
//! // Addresses that may be asked: none of them means the whole network or this machine.
//! assert!(hark_discovery::neighbours().iter().all(|address| !address.is_unspecified()));
//! ```

mod announced;
mod ports;

pub use announced::{Announced, Service, browse};
pub use ports::{neighbours, open};
