//! Other programs: Home Assistant by its WebSocket API, MQTT with Home Assistant discovery.

mod backoff;
pub mod homeassistant;
pub mod mqtt;
