//! Other programs: MQTT and Home Assistant discovery.

pub mod mqtt;
