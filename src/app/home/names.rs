//! Names that people give to what is in the home: written into its file, which is read anew then.

use crate::app::settings::configuration::{LiveConfiguration, fault_of};
use hark_config::{Config, paths, write_whole};
use hark_core::home::Home;
use hark_core::house::NameChange;
use hark_core::{Fault, FaultKind};
use hark_home::edit;
use std::sync::PoisonError;

/// Writes a name and has it take effect.
///
/// # Errors
/// When there is no file, no such thing, the name cannot be, it cannot be written, or something else in the files is wrong.
pub(crate) fn rename(
    config: &Config,
    configuration: &LiveConfiguration,
    home: &Home,
    change: &NameChange,
) -> Result<(), Fault> {
    // It may have been set since the start.
    let file = configuration
        .file()
        .load()
        .map_or_else(|_| config.home.file.clone(), |loaded| loaded.config.home.file);
    if file.is_empty() {
        let message = "the home has no file of its own to write names into";
        let fix = "make one with `hark setup rooms`, or set home.file";
        return Err(Fault::new(FaultKind::BadInput, "home", message, fix));
    }
    let path = paths::expand(&file);
    let reload = configuration.reload();
    // Held from reading to writing, so that two do not change it at once.
    let mut reload = reload.lock().unwrap_or_else(PoisonError::into_inner);
    let text = std::fs::read_to_string(&path).map_err(|error| {
        let message = format!("cannot read {}: {error}", path.display());
        Fault::new(FaultKind::Failed, "home", message, "let the user Hark runs as read the file")
    })?;
    let new = edit::renamed(&text, home, change)?;
    if new == text {
        return Ok(());
    }
    write_whole(&path, &new).map_err(|error| fault_of(&path, &error))?;
    match reload.as_mut().map(|reload| reload.run()) {
        Some(Err(mut faults)) => Err(faults.swap_remove(0)),
        _ => Ok(()),
    }
}
