//! What must hold for any input from outside: one module a fuzz target, each with a function `check` that takes the
//! input and panics where a property does not hold. The fuzz targets call it under libFuzzer; the test
//! `tests/fuzz_corpus.rs` of the main workspace calls it for each file in `corpus/`.

pub mod config;
pub mod contract;
pub mod discovery;
pub mod number_date;
pub mod template;
pub mod wav;
pub mod websocket;

/// The function of a fuzz target.
pub type Check = fn(&[u8]);

/// Every target, by the name of its folder in `corpus/`.
pub const TARGETS: &[(&str, Check)] = &[
    ("config", config::check),
    ("contract", contract::check),
    ("discovery", discovery::check),
    ("number_date", number_date::check),
    ("template", template::check),
    ("wav", wav::check),
    ("websocket", websocket::check),
];
