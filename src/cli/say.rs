//! `hark say`: speaks a text on the speaker or into a file.

use super::Faults;
use crate::config::Config;
use crate::daemon::say;
use crate::daemon::workshop::Workshop;
use std::path::Path;

/// Speaks, and returns when the last sample has left.
pub(super) fn run(config: Config, text: &str, out: Option<&Path>) -> Result<(), Faults> {
    let workshop = Workshop::open(config)?;
    let said = match out {
        Some(path) => say::to_file(&workshop, text, path),
        None => say::on_speaker(&workshop, text),
    };
    said.map_err(|fault| vec![fault])
}
