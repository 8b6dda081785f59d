//! Fuzz target: sentence templates. The properties are in `hark_fuzz::template`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| hark_fuzz::template::check(data));
