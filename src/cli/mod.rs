//! The command line: one file a subcommand, exit codes.

pub mod config;
pub mod models;
