//! The composition root: creates threads and channels, carries out effects, supervises parts.

pub mod ask;
pub mod clock;
pub mod conductor;
mod controls;
pub mod demo;
mod ear_thread;
mod echo_feed;
pub mod hear;
pub mod listen;
pub mod live;
pub mod mailbox;
pub mod recogniser;
mod recorder;
mod reply_file;
pub mod say;
mod timers_thread;
mod voice_parts;
pub mod voices;
mod watchdog_thread;
pub mod workshop;
