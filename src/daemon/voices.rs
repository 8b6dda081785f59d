//! The voices there are, by name: espeak-ng's by language, Piper's from the manifest or by path.

use super::engines::Engines;
use super::workshop::Workshop;
use crate::config::speaking::VoiceEngine;
use crate::config::{is_model_path, paths};
use crate::domain::ports::Voice;
use crate::domain::{Fault, FaultKind};
use crate::inference::manifest::{Manifest, State};
use serde::Serialize;
use std::path::PathBuf;

/// Role of Piper's parts in the manifest, and what the id of the settings has behind the voice's.
const ROLE: &str = "voice";
const SETTINGS: &str = "_config";

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
pub fn list(workshop: &Workshop) -> Result<Vec<VoiceEntry>, Fault> {
    let manifest = &workshop.manifest;
    let piper = manifest.with_role(ROLE).into_iter().filter(|id| !id.ends_with(SETTINGS));
    let mut voices: Vec<VoiceEntry> = piper
        .filter_map(|id| manifest.part(id).ok())
        .map(|part| VoiceEntry {
            engine: "piper",
            name: part.id.clone(),
            description: format!("{}; licence: {}", part.purpose, part.licence),
            get: (!is_here(manifest, &part.id)).then(|| pull(&part.id)),
        })
        .collect();
    let espeak = workshop.espeak()?.voices()?.into_iter().filter_map(|voice| {
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
pub(super) fn piper_names(manifest: &Manifest) -> Vec<String> {
    let voices = manifest.with_role(ROLE).into_iter().filter(|id| !id.ends_with(SETTINGS));
    voices.filter(|id| is_here(manifest, id)).map(str::to_owned).collect()
}

/// Takes the voice named `name` instead of the configured one: `espeak`, a language of espeak-ng, a
/// Piper voice of the manifest, or the path of an .onnx file. Answers the language to speak in.
///
/// # Errors
/// When there is no such voice, or it is not here.
pub fn choose(workshop: &mut Workshop, name: &str) -> Result<String, Fault> {
    if name == "espeak" {
        workshop.config.speaking.voice = VoiceEngine::Espeak;
        return Ok(workshop.config.speaking.language.clone());
    }
    if is_model_path(name) || entry(&workshop.manifest, name).is_some() {
        let model = model(&workshop.manifest, name)?;
        workshop.config.speaking.voice = VoiceEngine::Piper;
        workshop.config.speaking.piper_voice = name.to_owned();
        return language_of(&model);
    }
    if workshop.espeak()?.warm_up(name).is_err() {
        return Err(no_such_voice(name));
    }
    workshop.config.speaking.voice = VoiceEngine::Espeak;
    Ok(name.to_owned())
}

/// Loads the Piper voice named `name`.
///
/// # Errors
/// `MissingPart` naming what is missing and how to get it.
#[cfg(feature = "piper")]
pub(super) fn piper(from: &Engines<'_>, name: &str) -> Result<Box<dyn Voice>, Fault> {
    use crate::inference::onnx::OnnxRuntime;
    use crate::speaking::voices::piper::Piper;
    let model = model(from.manifest, name)?;
    let runtime = OnnxRuntime::load(&from.manifest.path("onnxruntime")?)?;
    let rate_wpm = from.config.speaking.rate_wpm;
    Ok(Box::new(Piper::open(runtime, &model, from.espeak()?, rate_wpm)?))
}

#[cfg(not(feature = "piper"))]
pub(super) fn piper(_: &Engines<'_>, _: &str) -> Result<Box<dyn Voice>, Fault> {
    Err(crate::speaking::error::SpeakingError::PiperAbsent.into())
}

#[cfg(feature = "piper")]
fn language_of(model: &std::path::Path) -> Result<String, Fault> {
    crate::speaking::voices::piper::Piper::language_of(model)
}

#[cfg(not(feature = "piper"))]
fn language_of(_: &std::path::Path) -> Result<String, Fault> {
    Err(crate::speaking::error::SpeakingError::PiperAbsent.into())
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
        manifest.part(id).is_ok_and(|part| matches!(manifest.state(part, false), State::Present { .. }))
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
