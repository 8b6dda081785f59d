//! Fuzz target: messages of WebSocket clients. The properties are in `hark_fuzz::websocket`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| hark_fuzz::websocket::check(data));
