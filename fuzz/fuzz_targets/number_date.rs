//! Fuzz target: spoken numbers, dates, lengths and sums. The properties are in `hark_fuzz::number_date`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| hark_fuzz::number_date::check(data));
