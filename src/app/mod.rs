//! The composition root: builds the parts, makes their threads and channels, carries out effects, and nothing else.

pub mod audio;
pub mod builder;
pub mod clock;
pub mod controls;
pub mod daemon;
pub mod effect_runner;
pub mod event_queue;
pub(crate) mod external_tools;
pub mod faults;
pub(crate) mod features;
pub mod home;
pub mod intercom;
pub mod knowledge;
pub mod language;
pub mod models;
pub mod reload;
pub mod requests;
pub mod service;
pub mod session_names;
pub mod settings;
pub(crate) mod setup;
pub mod shutdown;
pub mod signals;
pub mod storage;
