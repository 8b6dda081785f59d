//! The voices by name: those of the manifest, Piper's also by path, espeak-ng's by language.

use crate::app::audio::engines::{Engines, phonemiser_parts};
use hark_config::speaking::Speaking;
use hark_config::{Config, is_model_path, paths};
use hark_core::ports::Voice;
use hark_core::{Fault, FaultKind};
use hark_models::manifest::{Artifact, ArtifactState, Manifest};
use hark_models::onnx::OnnxRuntime;
use hark_tts::pronunciations::Pronouncing;
use hark_tts::voices::by_language::ByLanguage;
use hark_tts::voices::hibari::{English, Hibari, is_british};
use hark_tts::voices::levelled::Levelled;
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Role of the voices in the manifest, and of what they share or need beside their model.
const ROLE: &str = "voice";

/// What the id of a Piper voice's settings has behind the voice's own.
const SETTINGS: &str = "_config";

/// The letters that all hibari voices share.
const HIBARI_ALPHABET: &str = "hibari_vocab";

/// What makes sound of a model. Named at the beginning of a voice's id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Engine {
    Hibari,
    Piper,
}

impl Engine {
    const ALL: [Self; 2] = [Self::Hibari, Self::Piper];

    const fn name(self) -> &'static str {
        match self {
            Self::Hibari => "hibari",
            Self::Piper => "piper",
        }
    }

    /// The engine of a voice of the manifest.
    fn of(id: &str) -> Option<Self> {
        let (name, _) = id.split_once('_')?;
        Self::ALL.into_iter().find(|engine| engine.name() == name)
    }

    /// The parts of a voice.
    fn parts(self, id: &str) -> Vec<String> {
        let beside = match self {
            Self::Hibari => HIBARI_ALPHABET.to_owned(),
            Self::Piper => format!("{id}{SETTINGS}"),
        };
        vec![id.to_owned(), beside]
    }
}

/// A voice as `hark say --list-voices` shows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct VoiceEntry {
    /// `hibari`, `piper` or `espeak`.
    pub engine: &'static str,
    /// What to give as `--voice`.
    pub name: String,
    /// What it is, for people.
    pub description: String,
    /// How to get it; `None` when it is here.
    pub get: Option<String>,
}

/// All voices, espeak-ng's last.
///
/// # Errors
/// When espeak-ng's data is missing.
pub fn list(config: &Config, manifest: &Manifest) -> Result<Vec<VoiceEntry>, Fault> {
    let mut voices: Vec<VoiceEntry> = of_models(manifest).collect();
    let espeak =
        Engines { config, manifest, names: Arc::default() }.espeak()?.voices()?.into_iter().filter_map(
            |voice| {
                let name = voice.languages.first()?.clone();
                Some(VoiceEntry { engine: Speaking::ESPEAK, name, description: voice.name, get: None })
            },
        );
    let neural = voices.len();
    voices.extend(espeak);
    voices[neural..].sort_by(|a, b| a.name.cmp(&b.name));
    voices.dedup_by(|a, b| a.name == b.name);
    Ok(voices)
}

/// The voices of a model, here or not.
fn of_models(manifest: &Manifest) -> impl Iterator<Item = VoiceEntry> {
    of_manifest(manifest).map(|(engine, part)| VoiceEntry {
        engine: engine.name(),
        name: part.id.clone(),
        description: format!("{}; licence: {}", part.purpose, part.licence),
        get: (!is_here(manifest, engine, &part.id)).then(|| pull(manifest, &part.id)),
    })
}

/// Voices of a model that are here and speak this language. Waits for no engine.
pub(crate) fn speaking(manifest: &Manifest, spoken: &str) -> Vec<VoiceEntry> {
    let speaks = |voice: &VoiceEntry| match Named::find(manifest, &voice.name) {
        Ok(Named::Model { engine, id, model }) => {
            language(manifest, engine, &id, &model).is_ok_and(|language| is_same_language(&language, spoken))
        }
        _ => false,
    };
    of_models(manifest).filter(|voice| voice.get.is_none() && speaks(voice)).collect()
}

/// Whether two tags are of one language: `en-GB` and `en`.
fn is_same_language(one: &str, other: &str) -> bool {
    let code = |tag: &str| tag.split(['-', '_']).next().map(str::to_lowercase);
    code(one) == code(other)
}

/// Names of the voices of the manifest that are here.
pub(crate) fn names_here(manifest: &Manifest) -> Vec<String> {
    of_manifest(manifest)
        .filter(|(engine, part)| {
            (cfg!(feature = "piper") || *engine != Engine::Piper) && is_here(manifest, *engine, &part.id)
        })
        .map(|(_, part)| part.id.clone())
        .collect()
}

/// The voices in the manifest, here or not.
fn of_manifest(manifest: &Manifest) -> impl Iterator<Item = (Engine, &Artifact)> {
    let voices = manifest.parts().iter().filter(|part| part.role == ROLE && !part.id.ends_with(SETTINGS));
    voices.filter_map(|part| Some((Engine::of(&part.id)?, part)))
}

/// Takes the voice named `name` instead of the configured one: a voice of the manifest, the path of a Piper voice,
/// `espeak`, or a language of espeak-ng. Answers the language to speak in.
///
/// # Errors
/// When there is no such voice, or it is not here.
pub fn choose(config: &mut Config, manifest: &Manifest, name: &str) -> Result<String, Fault> {
    let voice = match Named::find(manifest, name) {
        Ok(voice) => voice,
        // A voice that is not here is not another one.
        Err(fault) if fault.kind != FaultKind::BadInput => return Err(fault),
        Err(fault) => {
            let espeak = Engines { config, manifest, names: Arc::default() }.espeak()?;
            espeak.warm_up(name).map_err(|_| fault)?;
            config.speaking.voice = Speaking::ESPEAK.to_owned();
            return Ok(name.to_owned());
        }
    };
    config.speaking.voice = name.to_owned();
    match voice {
        Named::None | Named::Espeak => Ok(config.speaking.language.clone()),
        Named::Model { engine, id, model } => language(manifest, engine, &id, &model),
    }
}

/// Opens the voice of the configuration, with espeak-ng for what it does not speak; `None` when there is to be none.
///
/// # Errors
/// `BadInput` when there is no such voice; `MissingPart` naming what is missing and how to get it.
pub(crate) fn open(from: &Engines<'_>) -> Result<Option<Box<dyn Voice>>, Fault> {
    let speaking = &from.config.speaking;
    let (engine, id, model) = match Named::find(from.manifest, &speaking.voice)? {
        Named::None => return Ok(None),
        Named::Espeak => {
            let espeak = from.espeak()?;
            espeak.warm_up(&speaking.language)?;
            return Ok(Some(Box::new(Pronouncing::new(Box::new(espeak), from.names.clone()))));
        }
        Named::Model { engine, id, model } => (engine, id, model),
    };
    let language = language(from.manifest, engine, &id, &model)?;
    let runtime = OnnxRuntime::load(&from.manifest.path("onnxruntime")?)?;
    let voice: Box<dyn Voice> = match engine {
        Engine::Hibari => {
            let alphabet = from.manifest.path(HIBARI_ALPHABET)?;
            let rate_wpm = speaking.rate_wpm;
            let english = english(from, &language)?;
            Box::new(Hibari::open(runtime, &model, &alphabet, &language, english, rate_wpm)?)
        }
        Engine::Piper => piper(from, runtime, &model)?,
    };
    let voice = Box::new(Levelled::new(voice, &language)?);
    let voice = ByLanguage::new(voice, &language, Box::new(from.espeak()?))?;
    Ok(Some(Box::new(Pronouncing::new(Box::new(voice), from.names.clone()))))
}

/// Hark's own phonemiser, or espeak-ng where parts of it are missing.
fn english(from: &Engines<'_>, language: &str) -> Result<English, Fault> {
    match from.phonemiser(is_british(language)) {
        Ok(phonemiser) => Ok(English::Own(phonemiser)),
        Err(fault) if cfg!(feature = "espeak") && fault.kind == FaultKind::MissingPart => {
            tracing::warn!("espeak-ng makes the phonemes of the voice: {fault}");
            Ok(English::Espeak(from.espeak()?))
        }
        Err(fault) => Err(fault),
    }
}

#[cfg(feature = "piper")]
fn piper(from: &Engines<'_>, runtime: OnnxRuntime, model: &Path) -> Result<Box<dyn Voice>, Fault> {
    use hark_tts::voices::piper::Piper;
    Ok(Box::new(Piper::open(runtime, model, from.espeak()?, from.config.speaking.rate_wpm)?))
}

#[cfg(not(feature = "piper"))]
fn piper(_: &Engines<'_>, _: OnnxRuntime, _: &Path) -> Result<Box<dyn Voice>, Fault> {
    Err(hark_tts::error::SpeakingError::PiperAbsent.into())
}

/// A language tag of what the voice speaks.
fn language(manifest: &Manifest, engine: Engine, id: &str, model: &Path) -> Result<String, Fault> {
    match engine {
        Engine::Hibari => Ok(manifest.part(id)?.language.clone().unwrap_or_else(|| "en-US".to_owned())),
        Engine::Piper => piper_language(model),
    }
}

#[cfg(feature = "piper")]
fn piper_language(model: &Path) -> Result<String, Fault> {
    hark_tts::voices::piper::Piper::language_of(model)
}

#[cfg(not(feature = "piper"))]
fn piper_language(_: &Path) -> Result<String, Fault> {
    Err(hark_tts::error::SpeakingError::PiperAbsent.into())
}

/// What a name stands for, all of it being here.
#[derive(Debug)]
enum Named {
    None,
    Espeak,
    Model { engine: Engine, id: String, model: PathBuf },
}

impl Named {
    fn find(manifest: &Manifest, name: &str) -> Result<Self, Fault> {
        match name {
            Speaking::NO_VOICE => return Ok(Self::None),
            Speaking::ESPEAK => return Ok(Self::Espeak),
            _ => {}
        }
        if is_model_path(name) {
            let model = paths::expand(name);
            return Ok(Self::Model { engine: Engine::Piper, id: name.to_owned(), model });
        }
        let (engine, id) = entry(manifest, name).ok_or_else(|| no_such_voice(name))?;
        if !is_here(manifest, engine, &id) {
            let message = format!("the voice {id} is not here, or not whole");
            let fix = format!("{}; or set speaking.voice = \"espeak\"", pull(manifest, &id));
            return Err(Fault::new(FaultKind::MissingPart, "voice", message, fix));
        }
        let model = manifest.path(&id)?;
        Ok(Self::Model { engine, id, model })
    }
}

/// The voice with that id or that name of a file, such as `de_DE-thorsten-medium`.
fn entry(manifest: &Manifest, name: &str) -> Option<(Engine, String)> {
    of_manifest(manifest)
        .find(|(_, part)| part.id == name || part.file.strip_suffix(".onnx") == Some(name))
        .map(|(engine, part)| (engine, part.id.clone()))
}

fn is_here(manifest: &Manifest, engine: Engine, id: &str) -> bool {
    engine.parts(id).iter().all(|id| {
        manifest
            .part(id)
            .is_ok_and(|part| matches!(manifest.state(part, false), ArtifactState::Present { .. }))
    })
}

/// The parts of a voice of the manifest with what makes its phonemes; none of what is no voice.
pub(crate) fn parts(manifest: &Manifest, id: &str) -> Vec<String> {
    let Some((engine, part)) = of_manifest(manifest).find(|(_, part)| part.id == id) else {
        return Vec::new();
    };
    let mut parts = engine.parts(id);
    if engine == Engine::Hibari {
        parts.extend(phonemiser_parts(part.language.as_deref().is_some_and(is_british)).map(str::to_owned));
    }
    parts
}

/// How to get a voice.
fn pull(manifest: &Manifest, id: &str) -> String {
    format!("hark models pull {}", parts(manifest, id).join(" "))
}

fn no_such_voice(name: &str) -> Fault {
    let message = format!("there is no voice named {name:?}");
    let fix = "`hark say --list-voices` shows the names; a Piper voice can also be the path of an .onnx file";
    Fault::new(FaultKind::BadInput, "voice", message, fix)
}
