//! Engines that can take each other's place while Hark runs, made from the configuration: wake words and voices. Voices
//! have names: espeak-ng's by language, Piper's from the manifest or by path.

use hark_config::speaking::VoiceEngine;
use hark_config::{self as config, Config, is_model_path, paths};
use hark_core::ports::Voice;
use hark_core::{Fault, FaultKind};
use hark_models::litert::LiteRt;
use hark_models::manifest::{ArtifactState, Manifest};
use hark_stt::stt::grammar::KeyphraseSpotter;
use hark_stt::wake::{
    KeyphraseEngine, OpenWakeWord, OpenWakeWordFiles, WakeDetector, WakeEngine, WakeVerifier,
};
use hark_tts::voices::espeak::Espeak;
use serde::Serialize;
use std::path::PathBuf;

/// Role of Piper's parts in the manifest, and what the id of the settings has behind the voice's.
const ROLE: &str = "voice";
const SETTINGS: &str = "_config";

/// What they are made of.
pub(crate) struct Engines<'a> {
    pub(crate) config: &'a Config,
    pub(crate) manifest: &'a Manifest,
}

impl Engines<'_> {
    /// A detector of the wake words; `None` when nothing listens for one.
    pub(crate) fn wake(&self) -> Result<Option<WakeDetector>, Fault> {
        let wake = &self.config.wake;
        let engine: Box<dyn WakeEngine> = match wake.engine {
            config::wake::WakeEngine::Openwakeword => Box::new(self.trained_words()?),
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
        let spotter =
            KeyphraseSpotter::load(&model, &self.config.paths.state_dir()?, phrases, &self.espeak()?);
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
    pub(crate) fn voice(&self) -> Result<Option<Box<dyn Voice>>, Fault> {
        match self.config.speaking.voice {
            VoiceEngine::Espeak => {
                let espeak = self.espeak()?;
                espeak.warm_up(&self.config.speaking.language)?;
                Ok(Some(Box::new(espeak)))
            }
            VoiceEngine::Piper => Ok(Some(piper(self, &self.config.speaking.piper_voice)?)),
            VoiceEngine::None => Ok(None),
        }
    }

    pub(crate) fn espeak(&self) -> Result<Espeak, Fault> {
        let speaking = &self.config.speaking;
        Espeak::open(&self.manifest.path("espeak_ng_data")?, speaking.rate_wpm, speaking.pitch_percent)
    }
}

/// A voice as `hark say --list-voices` shows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct VoiceEntry {
    /// `espeak` or `piper`.
    pub engine: &'static str,
    /// What to give as `--voice`.
    pub name: String,
    /// What it is, for people.
    pub description: String,
    /// How to get it; `None` when it is here.
    pub get: Option<String>,
}

/// All voices: Piper's first.
///
/// # Errors
/// When espeak-ng's data is missing.
pub fn list(config: &Config, manifest: &Manifest) -> Result<Vec<VoiceEntry>, Fault> {
    let mut voices: Vec<VoiceEntry> = piper_ids(manifest)
        .filter_map(|id| manifest.part(id).ok())
        .map(|part| VoiceEntry {
            engine: "piper",
            name: part.id.clone(),
            description: format!("{}; licence: {}", part.purpose, part.licence),
            get: (!is_here(manifest, &part.id)).then(|| pull(&part.id)),
        })
        .collect();
    let espeak = Engines { config, manifest }.espeak()?.voices()?.into_iter().filter_map(|voice| {
        let name = voice.languages.first()?.clone();
        Some(VoiceEntry { engine: "espeak", name, description: voice.name, get: None })
    });
    let piper = voices.len();
    voices.extend(espeak);
    voices[piper..].sort_by(|a, b| a.name.cmp(&b.name));
    voices.dedup_by(|a, b| a.name == b.name);
    Ok(voices)
}

/// Names of the Piper voices that are here.
pub(crate) fn piper_names(manifest: &Manifest) -> Vec<String> {
    piper_ids(manifest).filter(|id| is_here(manifest, id)).map(str::to_owned).collect()
}

/// Ids of the Piper voices in the manifest, here or not.
fn piper_ids(manifest: &Manifest) -> impl Iterator<Item = &str> {
    manifest.with_role(ROLE).into_iter().filter(|id| !id.ends_with(SETTINGS))
}

/// Takes the voice named `name` instead of the configured one: `espeak`, a language of espeak-ng, a
/// Piper voice of the manifest, or the path of an .onnx file. Answers the language to speak in.
///
/// # Errors
/// When there is no such voice, or it is not here.
pub fn choose(config: &mut Config, manifest: &Manifest, name: &str) -> Result<String, Fault> {
    if name == "espeak" {
        config.speaking.voice = VoiceEngine::Espeak;
        return Ok(config.speaking.language.clone());
    }
    if is_model_path(name) || entry(manifest, name).is_some() {
        let model = model(manifest, name)?;
        config.speaking.voice = VoiceEngine::Piper;
        config.speaking.piper_voice = name.to_owned();
        return language_of(&model);
    }
    let espeak = Engines { config, manifest }.espeak()?;
    if espeak.warm_up(name).is_err() {
        return Err(no_such_voice(name));
    }
    config.speaking.voice = VoiceEngine::Espeak;
    Ok(name.to_owned())
}

/// Loads the Piper voice named `name`.
///
/// # Errors
/// `MissingPart` naming what is missing and how to get it.
#[cfg(feature = "piper")]
pub(crate) fn piper(from: &Engines<'_>, name: &str) -> Result<Box<dyn Voice>, Fault> {
    use hark_models::onnx::OnnxRuntime;
    use hark_tts::voices::piper::Piper;
    let model = model(from.manifest, name)?;
    let runtime = OnnxRuntime::load(&from.manifest.path("onnxruntime")?)?;
    let rate_wpm = from.config.speaking.rate_wpm;
    Ok(Box::new(Piper::open(runtime, &model, from.espeak()?, rate_wpm)?))
}

#[cfg(not(feature = "piper"))]
pub(crate) fn piper(_: &Engines<'_>, _: &str) -> Result<Box<dyn Voice>, Fault> {
    Err(hark_tts::error::SpeakingError::PiperAbsent.into())
}

#[cfg(feature = "piper")]
fn language_of(model: &std::path::Path) -> Result<String, Fault> {
    hark_tts::voices::piper::Piper::language_of(model)
}

#[cfg(not(feature = "piper"))]
fn language_of(_: &std::path::Path) -> Result<String, Fault> {
    Err(hark_tts::error::SpeakingError::PiperAbsent.into())
}

/// Where the model of a Piper voice is, its settings being there too.
fn model(manifest: &Manifest, name: &str) -> Result<PathBuf, Fault> {
    if is_model_path(name) {
        return Ok(paths::expand(name));
    }
    let id = entry(manifest, name).ok_or_else(|| no_such_voice(name))?;
    if !is_here(manifest, &id) {
        let message = format!("the Piper voice {id} is not here, or not whole");
        let fix = format!("{}; or set speaking.voice = \"espeak\"", pull(&id));
        return Err(Fault::new(FaultKind::MissingPart, "voice", message, fix));
    }
    manifest.path(&format!("{id}{SETTINGS}"))?;
    manifest.path(&id)
}

/// The id of a voice by that id or by the name of its file, such as `de_DE-thorsten-medium`.
fn entry(manifest: &Manifest, name: &str) -> Option<String> {
    let voices = manifest.parts().iter().filter(|part| part.role == ROLE && !part.id.ends_with(SETTINGS));
    let mut found = voices.filter(|part| part.id == name || part.file.strip_suffix(".onnx") == Some(name));
    found.next().map(|part| part.id.clone())
}

fn is_here(manifest: &Manifest, id: &str) -> bool {
    let present = |id: &str| {
        manifest
            .part(id)
            .is_ok_and(|part| matches!(manifest.state(part, false), ArtifactState::Present { .. }))
    };
    present(id) && present(&format!("{id}{SETTINGS}"))
}

fn pull(id: &str) -> String {
    format!("hark models pull {id} {id}{SETTINGS}")
}

fn no_such_voice(name: &str) -> Fault {
    let message = format!("there is no voice named {name:?}");
    let fix = "`hark say --list-voices` shows the names; a Piper voice can also be the path of an .onnx file";
    Fault::new(FaultKind::BadInput, "voice", message, fix)
}
