//! What several subcommands use: the running daemon, a folder that goes away, random numbers from a seed, sound by ear, the version,
//! synthetic speakers, waiting for a probe.

pub mod random;
pub mod running;
pub(crate) mod sound_check;
pub mod studio;
pub mod temporary_folder;
pub mod version;

use hark_core::{Fault, FaultKind};

/// A probe needs no more than one thread that waits.
pub fn waiting<T>(part: &str, probe: impl Future<Output = Result<T, Fault>>) -> Result<T, Fault> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| Fault::new(FaultKind::Failed, part, error.to_string(), ""))?;
    runtime.block_on(probe)
}
