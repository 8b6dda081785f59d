//! Engines that can take each other's place while Hark runs, made from the configuration: wake words and voices.

use super::voices;
use crate::config::speaking::VoiceEngine;
use crate::config::{Config, is_model_path, paths};
use crate::domain::Fault;
use crate::domain::ports::Voice;
use crate::hearing::wake::{OpenWakeWord, OpenWakeWordFiles, WakeDetector, WakeLimits};
use crate::inference::litert::LiteRt;
use crate::inference::manifest::Manifest;
use crate::speaking::voices::espeak::Espeak;

/// What they are made of.
pub(super) struct Engines<'a> {
    pub(super) config: &'a Config,
    pub(super) manifest: &'a Manifest,
}

impl Engines<'_> {
    /// A detector of the wake words.
    pub(super) fn wake_words(&self) -> Result<WakeDetector, Fault> {
        let litert = LiteRt::load(&self.manifest.path("litert")?)?;
        let heads =
            self.config.wake.words.iter().map(|word| {
                if is_model_path(word) { Ok(paths::expand(word)) } else { self.manifest.path(word) }
            });
        let files = OpenWakeWordFiles {
            mel: self.manifest.path("melspectrogram")?,
            embedding: self.manifest.path("embedding_model")?,
            heads: heads.collect::<Result<_, _>>()?,
        };
        let engine = OpenWakeWord::load(&litert, &files)?;
        Ok(WakeDetector::new(Box::new(engine), WakeLimits::from(&self.config.wake)))
    }

    /// The voice; `None` when it is switched off.
    pub(super) fn voice(&self) -> Result<Option<Box<dyn Voice>>, Fault> {
        match self.config.speaking.voice {
            VoiceEngine::Espeak => {
                let espeak = self.espeak()?;
                espeak.warm_up(&self.config.speaking.language)?;
                Ok(Some(Box::new(espeak)))
            }
            VoiceEngine::Piper => Ok(Some(voices::piper(self, &self.config.speaking.piper_voice)?)),
            VoiceEngine::None => Ok(None),
        }
    }

    pub(super) fn espeak(&self) -> Result<Espeak, Fault> {
        let speaking = &self.config.speaking;
        Espeak::open(&self.manifest.path("espeak_ng_data")?, speaking.rate_wpm, speaking.pitch_percent)
    }
}
