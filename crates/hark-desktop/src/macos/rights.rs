//! What macOS lets Hark do, asked beforehand: some of what it does not allow it only drops, or answers with an empty screen.

use super::{CommandLine, Mac, MacError, Privacy, json, scripts};
use crate::bus::Known;
use serde::Deserialize;
use std::sync::LazyLock;

/// What macOS lets Hark do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub(crate) struct Rights {
    /// To have a hand in windows, keys and the pointer.
    pub(crate) accessibility: bool,
    /// To see the screen.
    pub(crate) screen: bool,
}

/// The rights of this process, for those who ask often whether something could work. They change when it is started anew.
static RIGHTS: LazyLock<Known<Result<Rights, MacError>>> = LazyLock::new(Known::default);

fn rights_command() -> CommandLine {
    CommandLine::java_script(scripts::GRANTS, "look", &[])
}

impl Rights {
    fn allow_windows(self) -> Result<(), MacError> {
        if self.accessibility { Ok(()) } else { Err(MacError::NotGranted(Privacy::Accessibility)) }
    }
}

impl Mac {
    pub(crate) fn rights(&self) -> Result<Rights, MacError> {
        json(&self.runner.waited(rights_command())?)
    }

    /// Whether macOS lets Hark see what is in windows, and press it. May wait; what is known counts for half a minute.
    ///
    /// # Errors
    /// When it does not.
    pub fn may_read_windows(&self) -> Result<(), MacError> {
        RIGHTS.get(|| self.rights())?.allow_windows()
    }
}

#[cfg(test)]
mod tests {
    use super::super::command::shown;
    use super::super::played::Played;
    use super::*;

    #[test]
    fn rights_are_asked_for_and_read() {
        assert_eq!(shown(&rights_command()), "osascript -l JavaScript -e <grants.js> look");
        let played = Played::new();
        played.answers("osascript", "{\"accessibility\":false,\"screen\":true}\n");
        let rights = played.mac().rights().unwrap();
        assert_eq!(rights, Rights { accessibility: false, screen: true });
        assert_eq!(rights.allow_windows(), Err(MacError::NotGranted(Privacy::Accessibility)));
    }
}
