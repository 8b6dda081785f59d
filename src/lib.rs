//! Hark: a voice-first, always-on home assistant. The parts are crates under `crates/`; here they are put together
//! ([`app`]) and run from the command line ([`cli`]). ARCHITECTURE.md has the map.

#[cfg(all(feature = "llama", feature = "whisper"))]
compile_error!(
    "the features `llama` and `whisper` bring a ggml each, with the same symbols: build with one of them, such as with `make build FEATURES=llama`"
);

pub mod app;
pub mod cli;
