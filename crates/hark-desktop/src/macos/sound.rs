//! How loud this Mac is, by AppleScript's `volume settings`.

use super::{CommandLine, Mac, MacError, scripts};
use crate::naming::one_line;

/// How loud a Mac is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Loudness {
    /// Percent.
    pub percent: u8,
    /// Nothing is heard, however loud it is set.
    pub is_muted: bool,
}

/// Most by which the volume may miss what it was set to: devices have steps.
const STEP: u8 = 4;

fn look_command() -> CommandLine {
    CommandLine::apple_script(scripts::VOLUME, "look", &[])
}

fn set_command(percent: u8) -> CommandLine {
    CommandLine::apple_script(scripts::VOLUME, "set", &[&percent.to_string()])
}

fn mute_command(is_muted: bool) -> CommandLine {
    CommandLine::apple_script(scripts::VOLUME, if is_muted { "mute" } else { "unmute" }, &[])
}

/// `output volume:44, input volume:75, alert volume:100, output muted:false`; a screen that has a volume of its own tells
/// `missing value`.
fn loudness_of(answer: &str) -> Result<Loudness, MacError> {
    let part = |name: &str| {
        let mut parts = answer.trim().split(", ");
        parts.find_map(|part| part.strip_prefix(name)?.strip_prefix(':'))
    };
    let odd = || MacError::Failed(format!("osascript answered: {}", one_line(answer)));
    match part("output volume").ok_or_else(odd)? {
        "missing value" => {
            Err(MacError::Missing("the sound goes to a device whose volume this Mac cannot set"))
        }
        percent => {
            let percent = percent.parse().ok().filter(|percent| *percent <= 100).ok_or_else(odd)?;
            Ok(Loudness { percent, is_muted: part("output muted") == Some("true") })
        }
    }
}

impl Mac {
    /// How loud it is.
    ///
    /// # Errors
    /// When the sound goes to a device whose volume is not known.
    pub fn loudness(&self) -> Result<Loudness, MacError> {
        loudness_of(&self.runner.waited(look_command())?)
    }

    /// Sets how loud it is, percent, and lets it be heard; how loud it is then.
    ///
    /// # Errors
    /// When the device keeps another volume.
    pub fn set_loudness(&self, percent: u8) -> Result<Loudness, MacError> {
        let percent = percent.min(100);
        let now = loudness_of(&self.runner.waited(set_command(percent))?)?;
        if now.percent.abs_diff(percent) > STEP || now.is_muted {
            return Err(MacError::Failed(format!("the volume should be {percent} and is {}", now.percent)));
        }
        Ok(now)
    }

    /// Silences it, or lets it be heard again; how loud it is then.
    ///
    /// # Errors
    /// When the device does not do it.
    pub fn set_muted(&self, is_muted: bool) -> Result<Loudness, MacError> {
        let now = loudness_of(&self.runner.waited(mute_command(is_muted))?)?;
        let wanted = if is_muted { "silent" } else { "heard" };
        if now.is_muted == is_muted { Ok(now) } else { Err(MacError::Failed(format!("it is not {wanted}"))) }
    }
}

#[cfg(test)]
mod tests {
    use super::super::command::shown;
    use super::super::played::Played;
    use super::*;

    #[test]
    fn command_lines() {
        assert_eq!(shown(&look_command()), "osascript -e <volume.applescript> look");
        assert_eq!(shown(&set_command(30)), "osascript -e <volume.applescript> set 30");
        assert_eq!(shown(&mute_command(true)), "osascript -e <volume.applescript> mute");
        assert_eq!(shown(&mute_command(false)), "osascript -e <volume.applescript> unmute");
    }

    /// As osascript prints `get volume settings`, by samples in the tests of public programs that read it.
    #[test]
    fn settings_are_read() {
        let loud = |percent, is_muted| Ok(Loudness { percent, is_muted });
        assert_eq!(
            loudness_of("output volume:50, input volume:75, alert volume:100, output muted:false\n"),
            loud(50, false)
        );
        assert_eq!(
            loudness_of("output volume:0, input volume:missing value, alert volume:100, output muted:true"),
            loud(0, true)
        );
        let none = "output volume:missing value, input volume:27, alert volume:100, output muted:false";
        assert!(matches!(loudness_of(none), Err(MacError::Missing(_))));
        assert!(matches!(loudness_of(""), Err(MacError::Failed(_))));
    }

    #[test]
    fn a_volume_that_is_not_taken_is_no_success() {
        let played = Played::new();
        played.answers(
            "osascript",
            "output volume:31, input volume:75, alert volume:100, output muted:false\n",
        );
        let mac = played.mac();
        assert_eq!(mac.set_loudness(30), Ok(Loudness { percent: 31, is_muted: false }));
        assert!(matches!(mac.set_loudness(80), Err(MacError::Failed(_))));
        assert!(matches!(mac.set_muted(true), Err(MacError::Failed(_))));
        assert_eq!(mac.set_muted(false), Ok(Loudness { percent: 31, is_muted: false }));
        assert_eq!(
            played.calls(),
            ["set|30", "set|80", "mute", "unmute"]
                .map(|words| format!("osascript|-e|<volume.applescript>|{words}"))
        );
    }
}
