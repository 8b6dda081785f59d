//! The command line: one file a subcommand, exit codes 0 ok, 1 failed, 2 usage or configuration, 3 a
//! needed part is missing.

pub mod args;
mod ask;
pub mod config;
mod devices;
mod doctor;
mod explain;
mod hear;
mod home;
mod listen;
pub mod models;
mod run;
mod say;
mod timers;
pub mod trace;

use crate::domain::{Fault, FaultKind};
use args::{Cli, Command};
use clap::{CommandFactory, Parser};
use std::process::ExitCode;

/// Faults of one call; the first decides the exit code.
pub type Faults = Vec<Fault>;

/// Parses the arguments, runs the subcommand, prints faults to standard error.
pub fn main() -> ExitCode {
    let cli = Cli::parse();
    match dispatch(cli) {
        Ok(()) => ExitCode::SUCCESS,
        Err(faults) => {
            for fault in &faults {
                eprintln!("hark: {fault}");
            }
            ExitCode::from(faults.first().map_or(1, |fault| exit_code(fault.kind)))
        }
    }
}

/// The promise of the interface.
fn exit_code(kind: FaultKind) -> u8 {
    match kind {
        FaultKind::BadInput | FaultKind::BadConfiguration => 2,
        FaultKind::MissingPart => 3,
        FaultKind::Unavailable | FaultKind::Failed => 1,
    }
}
