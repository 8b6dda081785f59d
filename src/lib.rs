//! Hark: a voice-first, always-on home assistant. One folder per station of the road from the
//! microphone to the speaker; ARCHITECTURE.md says who may use whom.

pub mod acting;
pub mod cli;
pub mod config;
pub mod daemon;
pub mod deciding;
pub mod domain;
pub mod hearing;
pub mod inference;
pub mod integrations;
pub mod llm;
pub mod remembering;
pub mod sound;
pub mod speaking;
pub mod telemetry;
pub mod understanding;
