//! Engines that can take each other's place while Hark runs, made from the configuration: wake words and voices.

use super::voices;
use crate::config::speaking::VoiceEngine;
use crate::config::{self, Config, is_model_path, paths};
use crate::domain::Fault;
use crate::domain::ports::Voice;
use crate::hearing::stt::grammar::Keyphrases;
use crate::hearing::wake::{OpenWakeWord, OpenWakeWordFiles, Phrase, SecondLook, WakeDetector, WakeEngine};
use crate::inference::litert::LiteRt;
use crate::inference::manifest::Manifest;
use crate::speaking::voices::espeak::Espeak;

/// What they are made of.
pub(super) struct Engines<'a> {
    pub(super) config: &'a Config,
    pub(super) manifest: &'a Manifest,
}

impl Engines<'_> {
    /// A detector of the wake words; `None` when nothing listens for one.
    pub(super) fn wake(&self) -> Result<Option<WakeDetector>, Fault> {
        let wake = &self.config.wake;
        let engine: Box<dyn WakeEngine> = match wake.engine {
            config::wake::WakeEngine::Openwakeword => Box::new(self.trained_words()?),
            config::wake::WakeEngine::Phrase => {
                Box::new(Phrase::new(&wake.words, self.keyphrases(&wake.words)?))
            }
            config::wake::WakeEngine::None => return Ok(None),
        };
        let names: Vec<String> = engine.words().iter().map(|word| word.name.clone()).collect();
        let detector = WakeDetector::new(engine, wake);
        Ok(Some(match wake.second_look {
            config::wake::SecondLook::Off => detector,
            config::wake::SecondLook::Voice => detector.with_second_look(SecondLook::voice()),
            config::wake::SecondLook::Words => {
                let phrases: Vec<String> = names.iter().map(|name| SecondLook::phrase_of(name)).collect();
                detector.with_second_look(SecondLook::words(names, self.keyphrases(&phrases)?))
            }
        }))
    }

    fn keyphrases(&self, phrases: &[String]) -> Result<Keyphrases, Fault> {
        let model = self.manifest.path("pocketsphinx_en_us")?;
        let spotter = Keyphrases::load(&model, &self.config.paths.state_dir()?, phrases, &self.espeak()?);
        Ok(spotter?)
    }

    fn trained_words(&self) -> Result<OpenWakeWord, Fault> {
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
        Ok(OpenWakeWord::load(&litert, &files)?)
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
