//! Fuzz target: answers of language models. The properties are in `hark_fuzz::contract`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| hark_fuzz::contract::check(data));
