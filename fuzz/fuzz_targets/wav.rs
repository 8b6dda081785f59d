//! Fuzz target: WAV recordings. The properties are in `hark_fuzz::wav`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| hark_fuzz::wav::check(data));
