//! The desktop of a Mac, by the programs that macOS ships: osascript, pmset, networksetup, screencapture and others. What each
//! is called with and what its answers mean are functions without effects, which are tested where no Mac is; only the runner
//! starts programs.

mod apps;
mod capture;
mod clipboard;
mod command;
mod elements;
mod error;
mod input;
mod network;
mod notifications;
#[cfg(test)]
mod played;
mod players;
mod power;
mod rights;
mod runner;
mod scripts;
mod session;
mod shortcuts;
mod sound;
mod spotlight;
mod windows;

pub use elements::{ElementWindow, Part, ScreenElement};
pub use error::{MacError, Privacy};
pub use sound::Loudness;

use command::CommandLine;
use runner::Runner;
use serde::de::DeserializeOwned;
use std::path::Path;

/// What a Mac offers; cheap to clone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mac {
    runner: Runner,
}

impl Mac {
    /// The Mac this program runs on; `None` elsewhere. The only place where the system is asked for.
    pub fn here() -> Option<Self> {
        cfg!(target_os = "macos").then(|| Self::run_by(Runner::default()))
    }

    /// One whose programs are all in this folder, by which tests play a Mac where none is.
    pub fn of_folder(folder: &Path) -> Self {
        Self { runner: Runner::of(folder) }
    }

    fn run_by(runner: Runner) -> Self {
        Self { runner }
    }

    /// Whether a program is there.
    ///
    /// # Errors
    /// When it is not.
    pub(crate) fn has(&self, program: &'static str) -> Result<(), MacError> {
        self.runner.has(program).map(drop)
    }
}

/// The answer of a script in JSON.
///
/// # Errors
/// When it is none, or of another form.
fn json<T: DeserializeOwned>(answer: &str) -> Result<T, MacError> {
    serde_json::from_str(answer.trim()).map_err(|error| {
        MacError::Failed(format!("osascript answered something else than it should: {error}"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_backend_is_chosen_by_the_system() {
        assert_eq!(Mac::here().is_some(), cfg!(target_os = "macos"));
    }

    #[test]
    fn an_answer_of_another_form_is_an_error() {
        assert_eq!(json::<Vec<u32>>("[1, 2]\n"), Ok(vec![1, 2]));
        assert!(matches!(json::<Vec<u32>>("missing value"), Err(MacError::Failed(_))));
    }
}
