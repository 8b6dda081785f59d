//! Settings between the configuration and those who change them: what the configuration says of each, what can
//! be chosen on this node, and the configuration with a change in it.

use crate::app::audio::{voices, wake_training};
use hark_config::endpoint::EndpointMode;
use hark_config::speaking::{FollowUp, Speaking};
use hark_config::wake::WakeEngine;
use hark_config::{Config, setting_ranges};
use hark_core::{Fault, FaultKind, Setting};
use hark_models::manifest::{ArtifactState, Manifest};
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

/// Role of wake words in the manifest.
const WAKE_ROLE: &str = "wake";

/// Between the names of several wake words.
const AND: &str = ", ";

/// Every setting as the configuration has it.
pub(crate) fn configured(config: &Config) -> Vec<Setting> {
    // Rounding makes the cast exact; the key's range keeps it within 1 to 95.
    let sensitivity = (100.0 - 100.0 * config.wake.threshold).round() as u8;
    vec![
        Setting::MicMute(false),
        Setting::SpeakerMute(false),
        Setting::DoNotDisturb(false),
        Setting::WakeSound(config.speaking.earcons),
        Setting::FollowUp(config.speaking.follow_up != FollowUp::Never),
        Setting::VolumePercent(config.speaking.volume_percent),
        Setting::MicGainDb(config.audio.input_gain_db),
        Setting::WakeSensitivityPercent(sensitivity),
        Setting::SilenceMs(config.endpoint.silence_ms),
        Setting::WakeWord(config.wake.words.join(AND)),
        Setting::Voice(config.speaking.voice.clone()),
        Setting::Language(config.speaking.language.clone()),
        Setting::Endpointing(config.endpoint.mode.name().into()),
    ]
}

/// Puts a setting into the configuration, where there is a key that says the same.
pub(crate) fn put(config: &mut Config, setting: &Setting) {
    match setting {
        Setting::VolumePercent(percent) => config.speaking.volume_percent = *percent,
        Setting::MicGainDb(decibels) => config.audio.input_gain_db = *decibels,
        Setting::WakeSensitivityPercent(percent) => {
            config.wake.threshold = f32::from(100 - percent.min(&100)) / 100.0;
        }
        Setting::SilenceMs(ms) => config.endpoint.silence_ms = *ms,
        Setting::WakeWord(words) => config.wake.words = words.split(AND).map(str::to_owned).collect(),
        Setting::Voice(name) => config.speaking.voice.clone_from(name),
        Setting::Language(language) => {
            // The one of before is understood as well, as far as it is typed.
            let before = std::mem::replace(&mut config.speaking.language, language.clone());
            if !config.intent.languages.contains(&before) {
                config.intent.languages.push(before);
            }
        }
        Setting::Endpointing(name) => {
            let named = EndpointMode::ALL.into_iter().find(|mode| mode.name() == name);
            config.endpoint.mode = named.unwrap_or(config.endpoint.mode);
        }
        // No key says whether it is so now: the machine and the parts are told.
        Setting::MicMute(_)
        | Setting::SpeakerMute(_)
        | Setting::DoNotDisturb(_)
        | Setting::WakeSound(_)
        | Setting::FollowUp(_) => {}
    }
}

/// What can be chosen on this node.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Choices {
    /// None when nothing listens for one.
    pub(crate) wake_words: Vec<String>,
    /// None when replies are text only.
    pub(crate) voices: Vec<String>,
    pub(crate) languages: Vec<String>,
    /// Where words are that were trained here, whenever that was.
    trained: Option<PathBuf>,
    /// Longest request: a silence as long as that would never end one.
    max_utterance_ms: u32,
}

impl Choices {
    /// What the configuration names comes first, whatever is on the disk beside it follows.
    pub(crate) fn of(config: &Config, manifest: &Manifest) -> Self {
        let is_here = |id: &&str| {
            manifest
                .part(id)
                .is_ok_and(|part| matches!(manifest.state(part, false), ArtifactState::Present { .. }))
        };
        let mut choices = Self { max_utterance_ms: config.endpoint.max_utterance_ms, ..Self::default() };
        if config.wake.engine != WakeEngine::None {
            let single = config.wake.words.iter().map(String::as_str);
            let trained = config.wake.engine.has_models();
            let known = manifest.with_role(WAKE_ROLE).into_iter().filter(|id| trained && is_here(id));
            let all = std::iter::once(config.wake.words.join(AND));
            choices.wake_words = distinct(all.chain(single.chain(known).map(str::to_owned)));
            choices.trained = wake_training::folder(config).ok().filter(|_| trained);
        }
        if config.speaking.has_voice() {
            let all = [config.speaking.voice.clone(), Speaking::ESPEAK.to_owned()];
            choices.voices = distinct(all.into_iter().chain(voices::names_here(manifest)));
        }
        let usual = std::iter::once(&config.speaking.language);
        choices.languages = distinct(usual.chain(&config.intent.languages).cloned());
        choices
    }

    /// Refuses what cannot be.
    pub(crate) fn check(&self, setting: &Setting) -> Result<(), Fault> {
        let wrong = |fix: String| {
            let message = format!("{} cannot be {}", setting.name(), setting.value());
            Err(Fault::new(FaultKind::BadInput, "settings", message, fix).recoverable())
        };
        let within = |value: i64, (least, most): (i64, i64)| {
            let range: RangeInclusive<i64> = least..=most;
            if range.contains(&value) { Ok(()) } else { wrong(format!("use {least} to {most}")) }
        };
        let one_of = |value: &str, options: &[String]| match options {
            [] => wrong("this node has none; see its configuration".into()),
            options if options.iter().any(|option| option == value) => Ok(()),
            options => wrong(format!("use one of: {}", options.join(" | "))),
        };
        match setting {
            Setting::VolumePercent(percent) => within(i64::from(*percent), (0, 100)),
            Setting::MicGainDb(decibels) => within(i64::from(*decibels), setting_ranges::mic_gain_db()),
            Setting::WakeSensitivityPercent(percent) => {
                within(i64::from(*percent), setting_ranges::wake_sensitivity_percent())
            }
            Setting::SilenceMs(ms) => {
                let (least, most) = setting_ranges::silence_ms();
                within(i64::from(*ms), (least, most.min(i64::from(self.max_utterance_ms) - 1)))
            }
            Setting::WakeWord(words) if self.are_wake_words(words) => Ok(()),
            Setting::WakeWord(words) => one_of(words, &self.wake_words),
            Setting::Voice(voice) => one_of(voice, &self.voices),
            Setting::Language(language) => one_of(language, &self.languages),
            Setting::Endpointing(mode) => one_of(mode, &EndpointMode::ALL.map(|mode| mode.name().to_owned())),
            Setting::MicMute(_)
            | Setting::SpeakerMute(_)
            | Setting::DoNotDisturb(_)
            | Setting::WakeSound(_)
            | Setting::FollowUp(_) => Ok(()),
        }
    }

    /// Whether each of several words is known here, or was trained here.
    fn are_wake_words(&self, words: &str) -> bool {
        let is_trained = |word: &str| {
            let (file, folder) = (Path::new(word), self.trained.as_deref());
            folder.is_some() && file.parent() == folder && file.is_file()
        };
        let is_known = |word: &str| self.wake_words.iter().any(|known| known == word) || is_trained(word);
        !self.wake_words.is_empty() && words.split(AND).all(is_known)
    }
}

/// Each once, in their order.
fn distinct(names: impl Iterator<Item = String>) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for name in names.filter(|name| !name.is_empty()) {
        if !all.contains(&name) {
            all.push(name);
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    fn choices(config: &Config) -> Choices {
        let models = Path::new(env!("CARGO_MANIFEST_DIR")).join("models");
        Choices::of(config, &Manifest::load(&models).unwrap())
    }

    #[test]
    fn what_is_put_into_the_configuration_is_what_it_says_then() {
        let mut config = Config::default();
        let changes = [
            Setting::VolumePercent(12),
            Setting::MicGainDb(-7),
            Setting::WakeSensitivityPercent(62),
            Setting::SilenceMs(1230),
            Setting::WakeWord("okay_nabu, hey_jarvis".into()),
            Setting::Voice("piper_en_us_lessac".into()),
            Setting::Language("de".into()),
            Setting::Endpointing("silence".into()),
        ];
        for change in &changes {
            assert!(!configured(&config).contains(change), "{change:?} is no change");
            put(&mut config, change);
            assert!(configured(&config).contains(change), "{change:?}");
        }
        assert_eq!(config.wake.words, ["okay_nabu", "hey_jarvis"]);
        put(&mut config, &Setting::Voice("espeak".into()));
        assert_eq!(config.speaking.voice, "espeak");
    }

    #[test]
    fn every_sensitivity_is_the_same_after_it_was_a_threshold() {
        let (least, most) = setting_ranges::wake_sensitivity_percent();
        for percent in least..=most {
            let mut config = Config::default();
            let setting = Setting::WakeSensitivityPercent(u8::try_from(percent).unwrap());
            put(&mut config, &setting);
            assert!(configured(&config).contains(&setting), "{percent}");
        }
    }

    #[test]
    fn what_the_configuration_names_can_always_be_chosen_again() {
        let mut config = Config::default();
        config.wake.words = vec!["hey_jarvis".into(), "/models/own.tflite".into()];
        config.speaking.voice = "/voices/mine.onnx".into();
        config.speaking.language = "de".into();
        let choices = choices(&config);
        assert_eq!(
            choices.wake_words[..3],
            ["hey_jarvis, /models/own.tflite", "hey_jarvis", "/models/own.tflite"]
        );
        assert_eq!(choices.voices[..2], ["/voices/mine.onnx", "espeak"]);
        assert_eq!(choices.languages, ["de", "en"]);
        for setting in configured(&config) {
            assert_eq!(choices.check(&setting), Ok(()), "{setting:?}");
        }
    }

    #[test]
    fn what_is_not_there_or_out_of_range_is_refused_with_what_there_is() {
        let mut config = Config::default();
        config.endpoint.max_utterance_ms = 2000;
        let mut choices = choices(&config);
        for wrong in [
            Setting::VolumePercent(101),
            Setting::MicGainDb(31),
            Setting::MicGainDb(-21),
            Setting::WakeSensitivityPercent(0),
            Setting::WakeSensitivityPercent(96),
            Setting::SilenceMs(99),
            Setting::SilenceMs(2000),
            Setting::WakeWord("/etc/passwd".into()),
            Setting::WakeWord(String::new()),
            Setting::Voice("none".into()),
            Setting::Voice("../../voice.onnx".into()),
            Setting::Language("xx".into()),
            Setting::Endpointing("never".into()),
        ] {
            let fault = choices.check(&wrong).unwrap_err();
            assert!(fault.message.contains(wrong.name()) && fault.fix.starts_with("use "), "{fault}");
        }
        let folder = tempfile::tempdir().unwrap();
        choices.trained = Some(folder.path().to_owned());
        let file = folder.path().join("hey_house.json").display().to_string();
        let word = Setting::WakeWord(format!("hey_jarvis, {file}"));
        assert!(choices.check(&word).is_err(), "it is not trained yet");
        std::fs::write(&file, "{}").unwrap();
        assert_eq!(choices.check(&word), Ok(()));
        assert_eq!(choices.check(&Setting::WakeWord(file)), Ok(()));
        let outside = format!("{}/../{}", folder.path().display(), "passwd");
        assert!(choices.check(&Setting::WakeWord(outside)).is_err());
        choices.wake_words.clear();
        assert!(choices.check(&Setting::WakeWord("hey_jarvis".into())).is_err(), "only a button wakes it");
    }

    #[test]
    fn what_is_switched_off_offers_nothing() {
        let mut config = Config::default();
        config.wake.engine = WakeEngine::None;
        config.speaking.voice = "none".into();
        let choices = choices(&config);
        assert!(choices.wake_words.is_empty() && choices.voices.is_empty());
    }
}
