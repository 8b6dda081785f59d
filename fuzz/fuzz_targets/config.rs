//! Fuzz target: configuration files. The properties are in `hark_fuzz::config`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| hark_fuzz::config::check(data));
