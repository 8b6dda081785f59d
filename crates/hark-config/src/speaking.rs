//! `[speaking]`: the voice.

use hark_core::setting;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// After which replies Hark listens without a wake word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum FollowUp {
    /// After a question.
    Questions,
    /// After every reply to a spoken request.
    Always,
    /// After none.
    Never,
}

impl From<FollowUp> for setting::FollowUp {
    fn from(follow_up: FollowUp) -> Self {
        match follow_up {
            FollowUp::Questions => Self::Questions,
            FollowUp::Always => Self::Always,
            FollowUp::Never => Self::Never,
        }
    }
}

impl From<setting::FollowUp> for FollowUp {
    fn from(follow_up: setting::FollowUp) -> Self {
        match follow_up {
            setting::FollowUp::Questions => Self::Questions,
            setting::FollowUp::Always => Self::Always,
            setting::FollowUp::Never => Self::Never,
        }
    }
}

/// The voice.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Speaking {
    /// Who speaks: a name that `hark say --list-voices` prints, the path of a Piper voice's .onnx file with its .onnx.json
    /// beside it, `espeak`, or `none` for silence. Languages that the voice does not speak are spoken by espeak.
    pub voice: String,
    /// Language of replies, ISO 639-1.
    pub language: String,
    /// Speed in words a minute.
    #[schemars(range(min = 80, max = 450))]
    pub rate_wpm: u32,
    /// Pitch of espeak; other voices have their own.
    #[schemars(range(min = 0, max = 100))]
    pub pitch_percent: u32,
    /// Volume at start.
    #[schemars(range(min = 0, max = 100))]
    pub volume_percent: u8,
    /// Short sounds for wake, done, error.
    pub earcons: bool,
    /// Listen without a wake word after `questions`, `always` after a reply, or `never`.
    pub follow_up: FollowUp,
    /// How long it then waits for the first word.
    #[schemars(range(min = 1000, max = 30000))]
    pub follow_up_ms: u32,
    /// When announcements are shown and not spoken, such as "22:00-07:00"; empty: never. Alarms and timers ring all the same.
    pub quiet_hours: String,
}

impl Speaking {
    /// The voice that is silent.
    pub const NO_VOICE: &str = "none";
    /// The voice that speaks every language.
    pub const ESPEAK: &str = "espeak";

    /// Whether replies are heard, and not only shown.
    pub fn has_voice(&self) -> bool {
        self.voice != Self::NO_VOICE
    }

    /// Beginning and end of the quiet hours in minutes of the day; `None` when there are none, or they are not
    /// written as two times.
    pub fn quiet_minutes(&self) -> Option<(u16, u16)> {
        let minutes = |text: &str| {
            let (hours, minutes) = text.trim().split_once(':')?;
            let (hours, minutes): (u16, u16) = (hours.parse().ok()?, minutes.parse().ok()?);
            (hours < 24 && minutes < 60).then_some(60 * hours + minutes)
        };
        let (from, to) = self.quiet_hours.split_once('-')?;
        Some((minutes(from)?, minutes(to)?))
    }
}

impl Default for Speaking {
    fn default() -> Self {
        Self {
            voice: "hibari_heart".into(),
            language: "en".into(),
            rate_wpm: 170,
            pitch_percent: 50,
            volume_percent: 80,
            earcons: true,
            follow_up: FollowUp::Questions,
            follow_up_ms: 5000,
            quiet_hours: String::new(),
        }
    }
}
