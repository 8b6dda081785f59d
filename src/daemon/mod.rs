//! The composition root: creates threads and channels, carries out effects, supervises parts.

mod aside;
pub mod ask;
mod back_off;
pub mod bench;
pub mod clock;
pub mod conductor;
mod controls;
pub mod demo;
mod diagnostics;
mod ear_thread;
mod echo_feed;
mod health;
pub mod hear;
pub mod listen;
pub mod live;
pub mod mailbox;
mod microphone_source;
pub mod recogniser;
mod recorder;
mod reply_file;
pub mod say;
mod speaker_supervisor;
mod timers_thread;
mod voice_parts;
pub mod voices;
mod watchdog_thread;
pub mod workshop;
