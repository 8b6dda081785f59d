//! Other programs: Home Assistant by its WebSocket API, MQTT with Home Assistant discovery; HTTP and WebSocket for
//! whoever asks.

mod backoff;
mod codes;
pub mod dashboard;
pub mod homeassistant;
pub mod mqtt;
mod seats;
