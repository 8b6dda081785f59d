//! User stories with the real binary and real engines. One file a story; `support` starts the parts.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[path = "../support/mod.rs"]
mod support;

mod a_real_home;
mod acknowledged;
mod api;
mod approvals;
mod asking;
mod at_work;
mod audio_heals;
mod beside_a_daemon;
mod browser_microphone;
mod choosing_a_voice;
mod damaged_store;
mod dangerous_acts;
mod devices_of_mqtt;
mod direct_commands;
mod evaluations;
mod everyday;
mod flood;
mod growing_home;
mod hearing_people;
mod household;
mod injection;
mod interrupting;
mod live_meter;
mod living_room;
mod looking_back;
mod one_sentence;
mod passwords;
mod presence;
mod promises;
mod recordings;
mod reloading;
mod several_nodes;
mod storm;
mod teaching;
mod thinking;
mod timers_ring;
mod when_things_are_wrong;
mod whose_yes;
