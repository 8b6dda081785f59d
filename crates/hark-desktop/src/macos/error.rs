//! Why something on a Mac was not told or done, read from what its programs print. Where macOS asks its person for a right,
//! the error names the place in System Settings where it is given.

/// A right that macOS gives to single programs (System Settings → Privacy & Security).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Privacy {
    /// To see and press what is in windows of others.
    Accessibility,
    /// To see the screen.
    ScreenRecording,
    /// To send Apple events to other programs.
    Automation,
    /// To know the name of the wireless network.
    NetworkName,
}

impl Privacy {
    /// What macOS withholds.
    pub fn lack(self) -> &'static str {
        match self {
            Self::Accessibility => "macOS does not let Hark have a hand in windows, keys and the pointer",
            Self::ScreenRecording => "macOS does not let Hark see the screen",
            Self::Automation => "macOS does not let Hark control that program",
            Self::NetworkName => "macOS hides the name of the wireless network from Hark",
        }
    }

    /// What to do about it.
    pub fn fix(self) -> &'static str {
        match self {
            Self::Accessibility => {
                "switch on Hark, or the terminal it runs in, in System Settings → Privacy & Security → Accessibility, and start it anew"
            }
            Self::ScreenRecording => {
                "switch on Hark, or the terminal it runs in, in System Settings → Privacy & Security → Screen & System Audio Recording, and start it anew"
            }
            Self::Automation => {
                "switch on the program below Hark, or below the terminal it runs in, in System Settings → Privacy & Security → Automation"
            }
            Self::NetworkName => "run once: sudo ipconfig setverbose 1 (macOS 15.6 and later)",
        }
    }
}

/// Why it was not told or done.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MacError {
    /// A program that belongs to macOS is not there.
    #[error("{0} is not there, which belongs to macOS")]
    NoProgram(&'static str),
    /// Nobody is logged in at the screen in the session Hark runs in.
    #[error("Hark does not run in the session of somebody at the screen")]
    NoSession,
    /// It has no battery.
    #[error("this Mac has no battery")]
    NoBattery,
    /// No program plays anything that can be asked.
    #[error("neither Music nor Spotify nor TV runs on this Mac")]
    NothingPlays,
    /// The machine has no such part.
    #[error("{0}")]
    Missing(&'static str),
    /// The window is gone, or called otherwise.
    #[error("the window is gone")]
    Gone,
    /// macOS wants its person's consent.
    #[error("{}", .0.lack())]
    NotGranted(Privacy),
    /// The program refused, or said something else than it should.
    #[error("{0}")]
    Failed(String),
    /// It did not end in time.
    #[error("{0} did not answer in time")]
    Timeout(&'static str),
}

/// Longest complaint of a program that is told, characters.
const MAX_CHARS: usize = 300;

/// What a program that failed meant. osascript ends its complaint with the number of the error, whatever its language.
pub(crate) fn failure(program: &'static str, complaint: &str) -> MacError {
    let plain: String = complaint.split_whitespace().collect::<Vec<_>>().join(" ");
    if program == "screencapture" && plain.contains("could not create image") {
        return MacError::NotGranted(Privacy::ScreenRecording);
    }
    let is_assistive = plain.contains("assistive access");
    match number(&plain) {
        // errAEEventNotPermitted, errAEEventWouldRequireUserConsent
        Some(-1743 | -1744) => MacError::NotGranted(Privacy::Automation),
        // kAXErrorAPIDisabled; to press keys
        Some(-25211 | 1002) => MacError::NotGranted(Privacy::Accessibility),
        // errAEIllegalIndex is also what older versions say of a right that is missing.
        Some(-1719) if is_assistive => MacError::NotGranted(Privacy::Accessibility),
        // errAETimeout
        Some(-1712) => MacError::Timeout(program),
        _ => {
            let told = plain.rsplit_once("execution error: ").map_or(plain.as_str(), |(_, told)| told);
            let told: String = told.chars().take(MAX_CHARS).collect();
            MacError::Failed(if told.is_empty() { format!("{program} failed") } else { told })
        }
    }
}

/// The number in brackets at the end.
fn number(complaint: &str) -> Option<i32> {
    let (_, number) = complaint.trim_end().strip_suffix(')')?.rsplit_once('(')?;
    number.parse().ok()
}

impl MacError {
    /// What a script says of the window it was to work at: whether macOS lets it look into windows, and whether it is gone.
    pub(super) fn unless_reached(trusted: bool, gone: bool) -> Result<(), Self> {
        match (trusted, gone) {
            (false, _) => Err(Self::NotGranted(Privacy::Accessibility)),
            (true, true) => Err(Self::Gone),
            (true, false) => Ok(()),
        }
    }

    /// What to do about it, where the machine is to be set up for it.
    pub fn fix(&self) -> Option<&'static str> {
        match self {
            Self::NoProgram(_) => Some("look whether /usr/bin and /usr/sbin are as macOS has them"),
            Self::NoSession => {
                Some("run Hark as a launch agent of somebody who is logged in, not as a daemon")
            }
            Self::NotGranted(privacy) => Some(privacy.fix()),
            Self::NoBattery
            | Self::NothingPlays
            | Self::Missing(_)
            | Self::Gone
            | Self::Failed(_)
            | Self::Timeout(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As osascript and screencapture print them, by reports of their users: "… is not allowed assistive access" has the
    /// number -1719 up to macOS 10.14 and -25211 after it.
    #[test]
    fn rights_that_are_missing_are_recognised_by_number() {
        let of = |complaint: &str| failure("osascript", complaint);
        for (complaint, privacy) in [
            (
                "0:75: execution error: Not authorized to send Apple events to System Events. (-1743)\n",
                Privacy::Automation,
            ),
            (
                "execution error: Error: Error: Nicht autorisiert, Apple Events an Music zu senden. (-1743)",
                Privacy::Automation,
            ),
            (
                "32:67: execution error: osascript is not allowed assistive access. (-25211)",
                Privacy::Accessibility,
            ),
            (
                "execution error: System Events got an error: osascript is not allowed assistive access. (-1719)",
                Privacy::Accessibility,
            ),
            (
                "execution error: „System Events“ hat einen Fehler erhalten: osascript darf keine Tastatureingaben senden. (1002)",
                Privacy::Accessibility,
            ),
        ] {
            assert_eq!(of(complaint), MacError::NotGranted(privacy), "{complaint}");
            assert!(privacy.fix().contains("System Settings"));
        }
        assert_eq!(
            failure("screencapture", "could not create image from display\n"),
            MacError::NotGranted(Privacy::ScreenRecording)
        );
        assert_eq!(of("execution error: AppleEvent timed out. (-1712)"), MacError::Timeout("osascript"));
        assert_eq!(
            of(
                "28:40: execution error: System Events got an error: Can’t get window 3. Invalid index. (-1719)"
            ),
            MacError::Failed("System Events got an error: Can’t get window 3. Invalid index. (-1719)".into())
        );
        assert_eq!(of(" \n"), MacError::Failed("osascript failed".into()));
    }
}
