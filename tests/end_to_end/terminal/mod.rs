//! What people see in a terminal, driven by keys in a real pseudo-terminal.

mod setup;
mod watch;
