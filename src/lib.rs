//! Hark: a voice-first, always-on home assistant. The parts are crates under `crates/`; here they are put together
//! ([`app`]) and run from the command line ([`cli`]). ARCHITECTURE.md has the map.

pub mod app;
pub mod cli;
