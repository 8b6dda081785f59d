//! `hark sandboxed`: the first program in the sandbox of a delegated task. Hark calls it; the help does not tell of it.

use super::Faults;
use hark_core::{Fault, FaultKind};
use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;

/// Runs the program with the proxy behind the socket as its way out, and ends as it does.
pub fn run(socket: &Path, program: &[OsString]) -> Result<ExitCode, Faults> {
    let failed = |error: hark_delegation::DelegationError| {
        Fault::new(FaultKind::Failed, "sandbox", error.to_string(), "")
    };
    hark_delegation::forward(socket, program).map(ExitCode::from).map_err(|error| vec![failed(error)])
}
