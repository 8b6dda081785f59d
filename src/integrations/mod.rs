//! Other programs: MQTT and Home Assistant discovery.
