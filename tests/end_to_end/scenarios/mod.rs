//! Stories of a user with the real program and real engines, one file a story.

mod asking;
mod at_work;
mod beside_a_daemon;
pub mod browser_microphone;
mod choosing_a_voice;
pub mod daemon_api;
mod direct_commands;
mod documents;
mod evaluations;
mod everyday;
pub(crate) mod going_on;
mod hearing_people;
mod installed_service;
mod looking_back;
mod memory;
mod one_sentence;
mod owners_acts;
mod recordings;
mod reloading;
mod teaching;
mod thinking;
mod timers_ring;
mod what_waits;
mod when_things_are_wrong;
