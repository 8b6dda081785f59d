//! Engines that can take each other's place while Hark runs, made from the configuration: wake words and the voice.

use hark_config::{self as config, Config, is_model_path, paths};
use hark_core::Fault;
use hark_core::home::Home;
use hark_core::ports::Pronounce;
use hark_models::litert::LiteRt;
use hark_models::manifest::Manifest;
use hark_models::onnx::OnnxRuntime;
use hark_stt::stt::grammar::KeyphraseSpotter;
use hark_stt::wake::{
    CombinedWakeEngine, KeyphraseEngine, MicroWakeWord, OpenWakeWord, OpenWakeWordFiles, WakeDetector,
    WakeEngine, WakeVerifier,
};
use hark_tts::phonemes::phonemiser::{Phonemiser, PhonemiserFiles};
use hark_tts::pronunciations::Pronunciations;
use hark_tts::voices::espeak::Espeak;
use std::path::PathBuf;
use std::sync::Arc;

/// What they are made of.
pub(crate) struct Engines<'a> {
    pub(crate) config: &'a Config,
    pub(crate) manifest: &'a Manifest,
    /// How names of the home are said.
    pub(crate) names: Arc<Pronunciations>,
}

impl<'a> Engines<'a> {
    /// With the names of `home`.
    pub(crate) fn new(config: &'a Config, manifest: &'a Manifest, home: &Home) -> Self {
        Self { config, manifest, names: Arc::new(Pronunciations::new(&home.says)) }
    }
}

/// The model of a wake word for microWakeWord.
fn microwakeword_part(word: &str) -> String {
    format!("micro_{word}")
}

/// The parts of the phonemiser.
pub(crate) const fn phonemiser_parts(british: bool) -> [&'static str; 5] {
    if british {
        [
            "hibari_words_gb",
            "hibari_rare_words_gb",
            "hibari_tagger",
            "hibari_unknown_gb",
            "hibari_unknown_gb_letters",
        ]
    } else {
        [
            "hibari_words_us",
            "hibari_rare_words_us",
            "hibari_tagger",
            "hibari_unknown_us",
            "hibari_unknown_us_letters",
        ]
    }
}

impl Engines<'_> {
    /// A detector of the wake words; `None` when nothing listens for one.
    pub(crate) fn wake(&self) -> Result<Option<WakeDetector>, Fault> {
        let wake = &self.config.wake;
        let engine: Box<dyn WakeEngine> = match wake.engine {
            config::wake::WakeEngine::Both => Box::new(self.combined_words()?),
            config::wake::WakeEngine::Openwakeword => Box::new(self.openwakeword(&self.litert()?)?),
            config::wake::WakeEngine::Microwakeword => {
                let models = wake.words.iter().map(|word| self.microwakeword_model(word));
                let models = models.collect::<Result<Vec<_>, _>>()?;
                Box::new(MicroWakeWord::load(&self.litert()?, &models)?)
            }
            config::wake::WakeEngine::Phrase => {
                Box::new(KeyphraseEngine::new(&wake.words, self.keyphrases(&wake.words)?))
            }
            config::wake::WakeEngine::None => return Ok(None),
        };
        let names: Vec<String> = engine.words().iter().map(|word| word.name.clone()).collect();
        let detector = WakeDetector::new(engine, wake);
        Ok(Some(match wake.verify {
            config::wake::WakeVerification::Off => detector,
            config::wake::WakeVerification::Voice => detector.with_verifier(WakeVerifier::voice()),
            config::wake::WakeVerification::Words => {
                let phrases: Vec<String> = names.iter().map(|name| WakeVerifier::phrase_of(name)).collect();
                detector.with_verifier(WakeVerifier::words(names, self.keyphrases(&phrases)?))
            }
        }))
    }

    fn keyphrases(&self, phrases: &[String]) -> Result<KeyphraseSpotter, Fault> {
        let model = self.manifest.path("pocketsphinx_en_us")?;
        let state_dir = self.config.paths.state_dir()?;
        Ok(KeyphraseSpotter::load(&model, &state_dir, phrases, &*self.pronounce()?)?)
    }

    /// Both engines; microWakeWord for the words it knows.
    fn combined_words(&self) -> Result<CombinedWakeEngine, Fault> {
        let words = self.config.wake.words.iter();
        let known = words.filter(|word| self.manifest.part(&microwakeword_part(word)).is_ok());
        let models = known.map(|word| self.microwakeword_model(word)).collect::<Result<Vec<_>, _>>()?;
        let litert = self.litert()?;
        let micro = || MicroWakeWord::load(&litert, &models);
        Ok(CombinedWakeEngine::new(self.openwakeword(&litert)?, micro()?, micro()?))
    }

    fn litert(&self) -> Result<LiteRt, Fault> {
        Ok(LiteRt::load(&self.manifest.path("litert")?)?)
    }

    /// A model's file; its settings must be beside it.
    fn microwakeword_model(&self, word: &str) -> Result<PathBuf, Fault> {
        if is_model_path(word) {
            return Ok(paths::expand(word));
        }
        let part = microwakeword_part(word);
        self.manifest.path(&format!("{part}_settings"))?;
        self.manifest.path(&part)
    }

    fn openwakeword(&self, litert: &LiteRt) -> Result<OpenWakeWord, Fault> {
        let heads =
            self.config.wake.words.iter().map(|word| {
                if is_model_path(word) { Ok(paths::expand(word)) } else { self.manifest.path(word) }
            });
        let files = OpenWakeWordFiles {
            mel: self.manifest.path("melspectrogram")?,
            embedding: self.manifest.path("embedding_model")?,
            heads: heads.collect::<Result<_, _>>()?,
        };
        OpenWakeWord::load(litert, &files)
    }

    pub(crate) fn espeak(&self) -> Result<Espeak, Fault> {
        let speaking = &self.config.speaking;
        let has_data = cfg!(feature = "espeak");
        let data = if has_data { self.manifest.path("espeak_ng_data")? } else { PathBuf::new() };
        Espeak::open(&data, speaking.rate_wpm, speaking.pitch_percent)
    }

    /// Hark's own phonemiser, for American or British English.
    pub(crate) fn phonemiser(&self, british: bool) -> Result<Arc<Phonemiser>, Fault> {
        let runtime = OnnxRuntime::load(&self.manifest.path("onnxruntime")?)?;
        let [common_words, rare_words, tagger, unknown_words, unknown_words_letters] =
            phonemiser_parts(british).map(|part| self.manifest.path(part));
        let files = PhonemiserFiles {
            common_words: common_words?,
            rare_words: rare_words?,
            tagger: tagger?,
            unknown_words: unknown_words?,
            unknown_words_letters: unknown_words_letters?,
            british,
        };
        Phonemiser::open(runtime, files)
    }

    /// How words are said that the recogniser has no pronunciation of.
    pub(crate) fn pronounce(&self) -> Result<Arc<dyn Pronounce>, Fault> {
        if cfg!(feature = "espeak") { Ok(Arc::new(self.espeak()?)) } else { Ok(self.phonemiser(false)?) }
    }
}
