//! What people change of a node while it runs: by a switch in Home Assistant, by MQTT, some of it by voice.

use super::public_event::PublicEvent;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// One setting with its value. On the wire it is the public event `setting`, with the same name and value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "name", content = "value", rename_all = "snake_case")]
pub enum Setting {
    /// The microphone is off.
    MicMute(bool),
    /// Nothing sounds: replies are text only, and what rings is shown.
    SpeakerMute(bool),
    /// Announcements are shown and not spoken.
    DoNotDisturb(bool),
    /// The short sound that says "I am listening".
    WakeSound(bool),
    /// Listening without a wake word after a reply.
    FollowUp(bool),
    /// How loud Hark is, 0 to 100.
    VolumePercent(u8),
    /// Decibels that are added to what the microphone brings.
    MicGainDb(i8),
    /// How easily the wake word is believed, 0 to 100; 100 less a hundred times the threshold.
    WakeSensitivityPercent(u8),
    /// Silence that ends a request when its words say nothing about that.
    SilenceMs(u32),
    /// Which word wakes, by the name of its model; several with `, ` between them.
    WakeWord(String),
    /// Which voice speaks: `espeak`, or the name of another voice.
    Voice(String),
    /// In which language Hark is spoken to, ISO 639-1.
    Language(String),
    /// What ends a request: `words` or `silence`.
    Endpointing(String),
}

/// After which replies Hark listens without a wake word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FollowUp {
    /// After a question.
    Questions,
    /// After every reply to a spoken request.
    Always,
    /// After none.
    Never,
}

impl Setting {
    /// A setting by the name and value of its public event; `None` for what is no setting, or has no such value.
    pub fn read(name: &str, value: &Value) -> Option<Self> {
        serde_json::from_value(json!({ "name": name, "value": value })).ok()
    }

    /// Its name in the public event, and in the database.
    pub fn name(&self) -> &'static str {
        match self {
            Self::MicMute(_) => "mic_mute",
            Self::SpeakerMute(_) => "speaker_mute",
            Self::DoNotDisturb(_) => "do_not_disturb",
            Self::WakeSound(_) => "wake_sound",
            Self::FollowUp(_) => "follow_up",
            Self::VolumePercent(_) => "volume_percent",
            Self::MicGainDb(_) => "mic_gain_db",
            Self::WakeSensitivityPercent(_) => "wake_sensitivity_percent",
            Self::SilenceMs(_) => "silence_ms",
            Self::WakeWord(_) => "wake_word",
            Self::Voice(_) => "voice",
            Self::Language(_) => "language",
            Self::Endpointing(_) => "endpointing",
        }
    }

    /// Its value in the public event.
    pub fn value(&self) -> Value {
        match self {
            Self::MicMute(on)
            | Self::SpeakerMute(on)
            | Self::DoNotDisturb(on)
            | Self::WakeSound(on)
            | Self::FollowUp(on) => json!(on),
            Self::VolumePercent(percent) | Self::WakeSensitivityPercent(percent) => json!(percent),
            Self::MicGainDb(decibels) => json!(decibels),
            Self::SilenceMs(ms) => json!(ms),
            Self::WakeWord(word) | Self::Voice(word) | Self::Language(word) | Self::Endpointing(word) => {
                json!(word)
            }
        }
    }

    /// The event that tells of it.
    pub fn event(&self) -> PublicEvent {
        PublicEvent::Setting { name: self.name().into(), value: self.value() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_values_are_read_back() {
        use Setting::*;
        for setting in [
            MicMute(true),
            SpeakerMute(false),
            DoNotDisturb(true),
            WakeSound(false),
            FollowUp(true),
            VolumePercent(40),
            MicGainDb(-6),
            WakeSensitivityPercent(50),
            SilenceMs(700),
            WakeWord("okay_nabu".into()),
            Voice("espeak".into()),
            Language("de".into()),
            Endpointing("silence".into()),
        ] {
            assert_eq!(Setting::read(setting.name(), &setting.value()), Some(setting));
        }
    }

    #[test]
    fn what_is_no_setting_is_not_read() {
        for (name, value) in [
            ("colour", json!("red")),
            ("mic_mute", json!("ON")),
            ("volume_percent", json!(-1)),
            ("volume_percent", json!(300)),
            ("mic_gain_db", json!(4.5)),
            ("voice", json!(null)),
        ] {
            assert_eq!(Setting::read(name, &value), None, "{name} {value}");
        }
    }
}
