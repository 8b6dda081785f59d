//! The session of somebody at the screen, and locking it. macOS has no program that locks: Control, Command and Q do, and
//! ioreg(8) tells whether it is so.

use super::input::{stroke_command, trusted};
use super::{CommandLine, Mac, MacError};
use crate::session::Locked;
use std::time::{Duration, Instant};

/// How long the screen may take to lock, and how often that is looked at.
const LOCKED_WITHIN: Duration = Duration::from_secs(3);
const LOOK_EVERY: Duration = Duration::from_millis(200);

/// Which launchd the program is one of: `Aqua` is that of somebody at the screen.
fn manager_command() -> CommandLine {
    CommandLine::new("launchctl", ["managername"])
}

fn state_command() -> CommandLine {
    CommandLine::new("ioreg", ["-n", "Root", "-d1"])
}

fn lock_command() -> CommandLine {
    stroke_command('q', &["control", "command"])
}

/// Of a screen that is not locked the word is missing.
fn is_locked(answer: &str) -> bool {
    answer.contains("\"CGSSessionScreenIsLocked\"=Yes")
}

impl Mac {
    /// Whether Hark runs in the session of somebody at the screen.
    pub(crate) fn has_session(&self) -> Result<(), MacError> {
        let manager = self.runner.waited(manager_command())?;
        if manager.trim() == "Aqua" { Ok(()) } else { Err(MacError::NoSession) }
    }

    pub(crate) async fn lock(&self) -> Result<Locked, MacError> {
        let looked = async || self.runner.answer(&state_command()).await.map(|answer| is_locked(&answer));
        if looked().await? {
            return Ok(Locked { count: 1, were_locked: true });
        }
        trusted(&self.runner.answer(&lock_command()).await?)?;
        let until = Instant::now() + LOCKED_WITHIN;
        while !looked().await? {
            if Instant::now() >= until {
                return Err(MacError::Failed("the screen was told to lock and is not locked".into()));
            }
            tokio::time::sleep(LOOK_EVERY).await;
        }
        Ok(Locked { count: 1, were_locked: false })
    }
}

#[cfg(test)]
mod tests {
    use super::super::command::shown;
    use super::super::played::Played;
    use super::*;

    /// As ioreg prints it, by public programs that read it: the word is there only while the screen is locked.
    const LOCKED: &str = r#"      "IOConsoleUsers" = ({"kCGSSessionOnConsoleKey"=Yes,"CGSSessionScreenIsLocked"=Yes,"kCGSSessionUserIDKey"=501})"#;

    #[test]
    fn command_lines() {
        assert_eq!(shown(&manager_command()), "launchctl managername");
        assert_eq!(shown(&state_command()), "ioreg -n Root -d1");
        assert_eq!(shown(&lock_command()), "osascript -l JavaScript -e <input.js> stroke q control,command");
    }

    #[test]
    fn a_session_is_told_by_its_manager() {
        let played = Played::new();
        played.answers("launchctl", "Aqua\n");
        assert_eq!(played.mac().has_session(), Ok(()));
        played.answers("launchctl", "System\n");
        assert_eq!(played.mac().has_session(), Err(MacError::NoSession));
    }

    #[tokio::test]
    async fn it_is_locked_once_the_system_says_so() {
        let played = Played::new();
        played.program("osascript", "echo '{\"trusted\":true}'; touch \"${0%/*}/done\"");
        played.program("ioreg", &format!("[ -e \"${{0%/*}}/done\" ] && echo '{LOCKED}'; true"));
        let mac = played.mac();
        assert_eq!(mac.lock().await, Ok(Locked { count: 1, were_locked: false }));
        assert_eq!(mac.lock().await, Ok(Locked { count: 1, were_locked: true }));
        assert_eq!(
            played.calls(),
            [
                "ioreg|-n|Root|-d1",
                "osascript|-l|JavaScript|-e|<input.js>|stroke|q|control,command",
                "ioreg|-n|Root|-d1",
                "ioreg|-n|Root|-d1"
            ]
        );
    }

    #[tokio::test]
    async fn one_that_does_not_lock_is_no_success() {
        let played = Played::new();
        played.answers("osascript", "{\"trusted\":true}\n");
        played.answers("ioreg", "\n");
        assert!(matches!(played.mac().lock().await, Err(MacError::Failed(_))));
    }
}
