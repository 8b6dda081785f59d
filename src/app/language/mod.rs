//! Languages, names of the home and the classifier while the daemon runs, and the thread that understands requests.

pub mod languages;
pub mod learning;
pub mod live_grammar;
pub(crate) mod memory;
pub mod pin_guard;
pub mod secret_guard;
pub(crate) mod spoken_languages;
pub mod teacher;
pub mod understanding_thread;
pub mod vocabulary;
