//! Tools of the computer that Hark runs on: files, programs, the clipboard, the network.

pub(super) mod browser;
pub(super) mod clipboard;
pub(super) mod delegation;
pub(super) mod file_changes;
pub(super) mod filesystem;
pub(super) mod machine;
pub(super) mod pc;
pub(super) mod player;
pub(super) mod process;
pub(super) mod said;
pub(super) mod script;
pub(super) mod search;
pub(super) mod shell;
pub(super) mod ui;
pub(super) mod web;
mod weighty;
