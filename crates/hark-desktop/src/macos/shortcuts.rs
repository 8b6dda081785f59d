//! The owner's shortcuts, by shortcuts(1), and what runs the owner's AppleScript.

use super::{CommandLine, Mac, MacError};
use std::path::PathBuf;

/// Most that are told.
const MAX_SHORTCUTS: usize = 500;

fn list_command() -> CommandLine {
    CommandLine::new("shortcuts", ["list"])
}

/// Names, one a line. What looks like an option cannot be named to the program, and is left out.
fn names_of(answer: &str) -> Vec<String> {
    let names = answer.lines().map(str::trim_end).filter(|name| !name.is_empty() && !name.starts_with('-'));
    names.take(MAX_SHORTCUTS).map(str::to_owned).collect()
}

impl Mac {
    /// Their names.
    ///
    /// # Errors
    /// When the program is not there, or fails.
    pub fn shortcuts(&self) -> Result<Vec<String>, MacError> {
        Ok(names_of(&self.runner.waited(list_command())?))
    }

    /// The program that runs them, and what it gets for one of them.
    ///
    /// # Errors
    /// When it is not there.
    pub fn shortcut_command(&self, name: &str) -> Result<(PathBuf, Vec<String>), MacError> {
        Ok((self.runner.has("shortcuts")?, vec!["run".to_owned(), name.to_owned()]))
    }

    /// The program that runs the owner's AppleScript: it gets the file, and what the script gets.
    ///
    /// # Errors
    /// When it is not there.
    pub fn script_program(&self) -> Result<PathBuf, MacError> {
        self.runner.has("osascript")
    }
}

#[cfg(test)]
mod tests {
    use super::super::command::shown;
    use super::super::played::Played;
    use super::*;

    #[test]
    fn names_are_listed_and_one_is_run_by_its_name() {
        assert_eq!(shown(&list_command()), "shortcuts list");
        let played = Played::new();
        // As shortcuts(1) prints them: a name a line.
        played.answers("shortcuts", "Make QR Code\nGute Nacht: alles aus\n-x\n\n");
        let mac = played.mac();
        assert_eq!(mac.shortcuts().unwrap(), ["Make QR Code", "Gute Nacht: alles aus"]);
        let (program, arguments) = mac.shortcut_command("Make QR Code").unwrap();
        assert_eq!(program, played.folder().join("shortcuts"));
        assert_eq!(arguments, ["run", "Make QR Code"]);
        assert_eq!(played.calls(), ["shortcuts|list"]);
    }
}
