//! Fuzz target: MQTT discovery and what devices send. The properties are in `hark_fuzz::discovery`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| hark_fuzz::discovery::check(data));
