//! Subcommands that look at what was kept: turns, events, the store.

pub mod explain;
pub mod replay;
pub mod store;
pub mod trace;
