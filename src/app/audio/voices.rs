//! The voices by name: those of the manifest, of which one part may hold several, Piper's also by path, espeak-ng's by
//! language.

use crate::app::audio::engines::{Engines, phonemiser_parts};
use hark_config::speaking::Speaking;
use hark_config::{Config, is_model_path, paths};
use hark_core::ports::Voice;
use hark_core::{Fault, FaultKind};
use hark_models::manifest::{Artifact, ArtifactState, Manifest};
use hark_models::onnx::OnnxRuntime;
use hark_tts::phonemes::english::{English, EnglishReader, is_british};
use hark_tts::pronunciations::Pronouncing;
use hark_tts::voices::by_language::ByLanguage;
use hark_tts::voices::hibari::Hibari;
use hark_tts::voices::kokoro::{self, Kokoro, Network, OtherReader, Reader};
use hark_tts::voices::levelled::Levelled;
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Role of the voices in the manifest, and of what they share or need beside their model.
const ROLE: &str = "voice";

/// What the id of a Piper voice's settings has behind the voice's own.
const SETTINGS: &str = "_config";

/// The letters of the phonemes of all hibari and Kokoro voices.
const ALPHABET: &str = "hibari_vocab";

/// The network of all Kokoro voices.
const KOKORO_NETWORK: &str = "kokoro_network";

/// What each Kokoro voice is made of besides, in one file.
const KOKORO_VOICES: &str = "kokoro_voices";

/// What makes sound of a model. Named at the beginning of a voice's id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Engine {
    Hibari,
    Kokoro,
    Piper,
}

impl Engine {
    const ALL: [Self; 3] = [Self::Hibari, Self::Kokoro, Self::Piper];

    const fn name(self) -> &'static str {
        match self {
            Self::Hibari => "hibari",
            Self::Kokoro => "kokoro",
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
        match self {
            Self::Hibari => vec![id.to_owned(), ALPHABET.to_owned()],
            Self::Kokoro => [KOKORO_NETWORK, KOKORO_VOICES, ALPHABET].map(str::to_owned).into(),
            Self::Piper => vec![id.to_owned(), format!("{id}{SETTINGS}")],
        }
    }

    /// The names of the voices in a part: its id, or one for each of its speakers.
    fn names(self, part: &Artifact) -> Vec<String> {
        match self {
            Self::Kokoro => {
                let name = |speaker: &String| format!("{}_{speaker}", self.name());
                let speakers = part.speakers.iter().filter(|speaker| kokoro::language_of(speaker).is_some());
                speakers.map(name).collect()
            }
            Self::Hibari | Self::Piper => vec![part.id.clone()],
        }
    }

    /// What a voice is, for people.
    fn description(self, part: &Artifact, name: &str) -> String {
        let speaker = speaker_of(name);
        let kind = match (self, kokoro::language_of(speaker)) {
            (Self::Kokoro, Some(language)) => {
                let whose = if speaker[1..].starts_with('f') { "a woman's" } else { "a man's" };
                format!(", {language}, {whose}")
            }
            _ => String::new(),
        };
        format!("{}{kind}; licence: {}", part.purpose, part.licence)
    }
}

/// A voice as `hark say --list-voices` shows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct VoiceEntry {
    /// `hibari`, `kokoro`, `piper` or `espeak`.
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
    of_manifest(manifest).map(|(engine, part, name)| VoiceEntry {
        engine: engine.name(),
        description: engine.description(part, &name),
        get: (!is_here(manifest, engine, &name)).then(|| pull(manifest, &name)),
        name,
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
        .filter(|(engine, _, name)| {
            (cfg!(feature = "piper") || *engine != Engine::Piper) && is_here(manifest, *engine, name)
        })
        .map(|(_, _, name)| name)
        .collect()
}

/// The voices in the manifest, here or not: engine, part and name.
fn of_manifest(manifest: &Manifest) -> impl Iterator<Item = (Engine, &Artifact, String)> {
    let voices = manifest.parts().iter().filter(|part| part.role == ROLE && !part.id.ends_with(SETTINGS));
    voices
        .filter_map(|part| Some((Engine::of(&part.id)?, part)))
        .flat_map(|(engine, part)| engine.names(part).into_iter().map(move |name| (engine, part, name)))
}

/// The speaker in the name of a Kokoro voice.
fn speaker_of(name: &str) -> &str {
    name.split_once('_').map_or("", |(_, speaker)| speaker)
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
            let reader = english(from, &language)?;
            Box::new(Hibari::open(runtime, &model, reader, speaking.rate_wpm)?)
        }
        Engine::Kokoro => {
            let network = Network::open(runtime, &from.manifest.path(KOKORO_NETWORK)?)?;
            let reader = if is_same_language(&language, "en") {
                Reader::English(english(from, &language)?)
            } else {
                let alphabet = from.manifest.path(ALPHABET)?;
                Reader::Other(OtherReader::open(&alphabet, &language, from.espeak()?)?)
            };
            Box::new(kokoro_voice(from, network, speaker_of(&id), reader)?)
        }
        Engine::Piper => piper(from, runtime, &model)?,
    };
    let voice = Box::new(Levelled::new(voice, &language)?);
    let voice = ByLanguage::new(voice, &language, Box::new(from.espeak()?))?;
    Ok(Some(Box::new(Pronouncing::new(Box::new(voice), from.names.clone()))))
}

/// The voice of a speaker of Kokoro.
fn kokoro_voice(
    from: &Engines<'_>,
    network: Network,
    speaker: &str,
    reader: Reader,
) -> Result<Kokoro, Fault> {
    let speakers = &from.manifest.part(KOKORO_VOICES)?.speakers;
    let place = speakers.iter().position(|it| it == speaker).ok_or_else(|| no_such_voice(speaker))?;
    let voices = from.manifest.path(KOKORO_VOICES)?;
    Kokoro::open(network, (&voices, place), reader, from.config.speaking.rate_wpm)
}

/// Reads English with Hark's own phonemiser, or with espeak-ng where parts of it are missing.
fn english(from: &Engines<'_>, language: &str) -> Result<EnglishReader, Fault> {
    let english = match from.phonemiser(is_british(language)) {
        Ok(phonemiser) => English::Own(phonemiser),
        Err(fault) if cfg!(feature = "espeak") && fault.kind == FaultKind::MissingPart => {
            tracing::warn!("espeak-ng makes the phonemes of the voice: {fault}");
            English::Espeak(from.espeak()?)
        }
        Err(fault) => return Err(fault),
    };
    EnglishReader::open(&from.manifest.path(ALPHABET)?, language, english)
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
        Engine::Kokoro => {
            let language = kokoro::language_of(speaker_of(id)).ok_or_else(|| no_such_voice(id))?;
            Ok(language.to_owned())
        }
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
        let part = if engine == Engine::Kokoro { KOKORO_VOICES } else { id.as_str() };
        let model = manifest.path(part)?;
        Ok(Self::Model { engine, id, model })
    }
}

/// The voice with that id or that name of a file, such as `de_DE-thorsten-medium`.
fn entry(manifest: &Manifest, name: &str) -> Option<(Engine, String)> {
    of_manifest(manifest)
        .find(|(_, part, id)| id == name || part.file.strip_suffix(".onnx") == Some(name))
        .map(|(engine, _, id)| (engine, id))
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
    // A part of several voices has the phonemes of its first.
    let is_it = |(_, part, name): &(Engine, &Artifact, String)| name == id || part.id == id;
    let Some((engine, part, name)) = of_manifest(manifest).find(is_it) else { return Vec::new() };
    let mut parts = engine.parts(&name);
    let language = match engine {
        Engine::Hibari => Some(part.language.as_deref().unwrap_or("en-US")),
        Engine::Kokoro => kokoro::language_of(speaker_of(&name)),
        Engine::Piper => None,
    };
    if let Some(language) = language.filter(|language| is_same_language(language, "en")) {
        parts.extend(phonemiser_parts(is_british(language)).map(str::to_owned));
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
