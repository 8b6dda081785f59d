//! What can go wrong between a text and the loudspeaker.

use hark_core::{Fault, FaultKind};
use std::path::PathBuf;

/// Errors of the speaking station; each names the place and becomes a [`Fault`] with the fix.
#[derive(Debug, thiserror::Error)]
pub enum SpeakingError {
    /// The directory with espeak-ng's phonemes and dictionaries is not there or not whole.
    #[error("the data of the espeak-ng voice is not whole: {missing} is missing")]
    VoiceDataMissing { missing: PathBuf },
    /// espeak-ng keeps the path in a fixed buffer.
    #[error("the path of the espeak-ng data is too long ({bytes} bytes, at most {limit}): {path}")]
    VoiceDataPath { path: PathBuf, bytes: usize, limit: usize },
    /// espeak-ng is one engine a process; it is already running on other data.
    #[error("espeak-ng already runs with the data in {open}; it cannot also use {asked}")]
    VoiceDataTaken { open: PathBuf, asked: PathBuf },
    /// The engine refused its data.
    #[error("espeak-ng did not start with the data in {path} (status {status})")]
    VoiceStart { path: PathBuf, status: i32 },
    /// No voice speaks the language.
    #[error("no espeak-ng voice speaks the language {language:?}")]
    NoSuchLanguage { language: String },
    /// A call into the engine failed.
    #[error("espeak-ng failed in {call} (status {status})")]
    Engine { call: &'static str, status: i32 },
    /// No output device has the name.
    #[error("there is no output device named {name:?}; there are: {known}")]
    NoSuchDevice { name: String, known: String },
    /// The machine has no output device.
    #[error("there is no output device")]
    NoDevice,
    /// The device cannot be used.
    #[error("the output device {name:?} could not be {step}: {message}")]
    Device { name: String, step: &'static str, message: String },
    /// The device plays samples in a form that cannot be made from sound.
    #[error("the output device {name:?} wants samples as {format}, which Hark cannot make")]
    DeviceFormat { name: String, format: String },
    /// More to say is waiting than the queue holds.
    #[error("the voice already has {limit} things to say")]
    QueueFull { limit: usize },
    /// A thread could not be started.
    #[error("the voice thread could not be started: {message}")]
    Thread { message: String },
    /// A file of a Piper voice is not there.
    #[error("the Piper voice is not whole: {missing} is missing")]
    PiperMissing { missing: PathBuf },
    /// The settings of a Piper voice cannot be used.
    #[error("the settings of the Piper voice, {path}, cannot be used: {why}")]
    PiperSettings { path: PathBuf, why: String },
    /// The model of a Piper voice does not work.
    #[error("the Piper voice {path} failed: {why}")]
    Piper { path: PathBuf, why: String },
    /// A voice has a rate that cannot be resampled.
    #[error("the voice makes {rate_hz} samples a second, which cannot be resampled")]
    VoiceRate { rate_hz: u32 },
    /// A voice makes no sound.
    #[error("the voice says nothing that can be heard")]
    Mute,
    /// The letters of a voice's phonemes cannot be used.
    #[error("the phonemes of the voice, {path}, cannot be used: {why}")]
    Alphabet { path: PathBuf, why: String },
    /// A part of the phonemiser cannot be used.
    #[error("the phonemiser cannot use {path}: {why}")]
    Phonemiser { path: PathBuf, why: String },
    /// The file of several voices cannot be used.
    #[error("the voices in {path} cannot be used: {why}")]
    Styles { path: PathBuf, why: String },
    /// Built without espeak-ng.
    #[error("this hark was built without espeak-ng, which speaks every language but English")]
    EspeakAbsent,
    /// Built without Piper.
    #[error("this hark was built without Piper voices")]
    PiperAbsent,
    /// A voice failed in a way it must not.
    #[error("the voice broke down over a phrase")]
    Panicked,
}

impl From<SpeakingError> for Fault {
    fn from(error: SpeakingError) -> Self {
        use SpeakingError as E;
        let message = error.to_string();
        let (kind, part, fix) = match &error {
            E::VoiceDataMissing { .. } => (
                FaultKind::MissingPart,
                "voice",
                "run `hark models fetch`, or set paths.models_dir to where espeak-ng-data lies",
            ),
            E::VoiceDataPath { .. } => (
                FaultKind::BadConfiguration,
                "voice",
                "keep the models in a directory with a shorter path (paths.models_dir)",
            ),
            E::VoiceDataTaken { .. } => (
                FaultKind::BadConfiguration,
                "voice",
                "use one espeak-ng-data directory for the whole program",
            ),
            E::VoiceStart { .. } => (
                FaultKind::MissingPart,
                "voice",
                "fetch the voice data again with `hark models fetch`; it must belong to espeak-ng 1.52",
            ),
            E::NoSuchLanguage { .. } => {
                (FaultKind::BadInput, "voice", "`hark say --list-voices` shows the languages there are")
            }
            E::Engine { .. } => (FaultKind::Failed, "voice", ""),
            E::NoSuchDevice { .. } => (
                FaultKind::MissingPart,
                "speaker",
                "choose one of them as audio.output_device, or `auto`; `hark devices` lists them",
            ),
            E::NoDevice => (
                FaultKind::MissingPart,
                "speaker",
                "connect a loudspeaker, or set audio.output_device = \"none\"",
            ),
            E::Device { .. } => (
                FaultKind::Unavailable,
                "speaker",
                "check that the device is connected and no other program holds it",
            ),
            E::DeviceFormat { .. } => {
                (FaultKind::BadConfiguration, "speaker", "choose another audio.output_device")
            }
            E::QueueFull { .. } => (FaultKind::Unavailable, "voice", "wait until it has spoken, or stop it"),
            E::Thread { .. } => (FaultKind::Failed, "voice", ""),
            E::PiperMissing { .. } => (
                FaultKind::MissingPart,
                "voice",
                "put the .onnx file and its .onnx.json side by side, or get a voice with `hark models pull` \
                 (`hark say --list-voices` shows the names), or set speaking.voice = \"espeak\"",
            ),
            E::PiperSettings { .. } => (
                FaultKind::MissingPart,
                "voice",
                "take the .onnx.json that came with the voice; voices made for espeak phonemes work",
            ),
            E::Piper { .. } => (
                FaultKind::Failed,
                "voice",
                "run `hark models verify`, or choose another speaking.voice, such as \"espeak\"",
            ),
            E::VoiceRate { .. } | E::Mute => {
                (FaultKind::Failed, "voice", "choose another speaking.voice, such as \"espeak\"")
            }
            E::Alphabet { .. } | E::Phonemiser { .. } => {
                (FaultKind::MissingPart, "voice", "run `hark models pull`")
            }
            E::Styles { .. } => (
                FaultKind::MissingPart,
                "voice",
                "run `hark models verify`, then `hark models pull kokoro_voices`",
            ),
            E::EspeakAbsent => (
                FaultKind::MissingPart,
                "voice",
                "build it with the feature `espeak`, or choose a hibari voice, which speaks English",
            ),
            E::PiperAbsent => (
                FaultKind::MissingPart,
                "voice",
                "build it with the feature `piper`, or set speaking.voice = \"espeak\"",
            ),
            E::Panicked => (FaultKind::Failed, "voice", "report the text and what the log says before this"),
        };
        let fault = Fault::new(kind, part, message, fix);
        match error {
            E::Device { .. } | E::NoDevice | E::NoSuchDevice { .. } | E::QueueFull { .. } => {
                fault.recoverable()
            }
            _ => fault,
        }
    }
}
