//! MQTT against a real Mosquitto, and the embedded broker against Mosquitto's clients.

mod client;
mod devices;
