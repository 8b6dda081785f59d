//! Piper voices: VITS on ONNX Runtime through piper-rs, with phonemes from our own espeak-ng.
//!
//! piper-rs could ask espeak-ng itself, but would start it a second time with other settings and
//! without a lock, behind the back of the espeak voice and the recogniser. So it is given phonemes,
//! never text. A run of the model cannot be broken off; phrases are short, and what comes of a phrase
//! that was given up is thrown away.

use super::espeak::Espeak;
use super::neural_threads;
use super::piper_settings::PiperSettings;
use crate::error::SpeakingError;
use crate::language::bare_tag;
use crate::phonemes::clauses::phonemes;
use hark_core::Fault;
use hark_core::ports::{PcmSink, Pronounce, Voice};
use hark_models::onnx::{self, OnnxRuntime};
use ort::value::TensorElementType;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

/// Words a minute at a length scale of 1, about.
const USUAL_WPM: f32 = 170.0;

/// More sound than this of one phrase is nonsense.
const MAX_SECONDS: usize = 120;

/// How much is handed over at a time, so that an abort need not wait for all of it.
const PIECE_MS: usize = 100;

/// Characters that espeak-ng writes as one and the voices learnt as two (Unicode's canonical
/// decomposition, which Piper applies when it trains).
const DECOMPOSED: [(char, [char; 2]); 9] = [
    ('ç', ['c', '\u{327}']),
    ('ã', ['a', '\u{303}']),
    ('ẽ', ['e', '\u{303}']),
    ('ĩ', ['i', '\u{303}']),
    ('õ', ['o', '\u{303}']),
    ('ũ', ['u', '\u{303}']),
    ('ñ', ['n', '\u{303}']),
    ('á', ['a', '\u{301}']),
    ('é', ['e', '\u{301}']),
];

/// A loaded voice.
pub struct Piper {
    engine: piper_rs::Piper,
    settings: PiperSettings,
    espeak: Espeak,
    model: PathBuf,
    length_scale: f32,
}

impl Piper {
    /// Loads the model at `model` with its settings beside it, and lets it make one sound, so that a
    /// voice that does not work is found now and the first reply does not wait. `rate_wpm` as in
    /// the configuration: 170 is the speed it was trained at.
    ///
    /// # Errors
    /// `MissingPart` when a file is missing or not a voice of this kind; `Failed` when it makes no
    /// sound.
    pub fn open(runtime: OnnxRuntime, model: &Path, espeak: Espeak, rate_wpm: u32) -> Result<Self, Fault> {
        if !model.is_file() {
            return Err(SpeakingError::PiperMissing { missing: model.to_owned() }.into());
        }
        let settings = PiperSettings::read(model)?;
        use TensorElementType::{Float32, Int64};
        let inputs = [("input", Int64), ("input_lengths", Int64), ("scales", Float32), ("sid", Int64)];
        let inputs = &inputs[..if settings.speakers > 1 { 4 } else { 3 }];
        let session = onnx::open_session(runtime, model, neural_threads(), inputs)?;
        let failed = |why: String| SpeakingError::Piper { path: model.to_owned(), why };
        let config =
            serde_json::from_value(settings.for_piper()).map_err(|error| failed(error.to_string()))?;
        let engine = piper_rs::Piper::from_session(session, config);
        let length_scale = settings.length_scale * USUAL_WPM / rate_wpm.clamp(80, 450) as f32;
        let mut voice = Self { engine, settings, espeak, model: model.to_owned(), length_scale };
        let language = voice.settings.espeak_voice.clone();
        let phonemes = voice.phonemes("ready.", &language)?;
        if voice.run(&phonemes)?.is_empty() {
            return Err(failed("it makes no sound".into()).into());
        }
        Ok(voice)
    }

    /// The language that the voice at `model` was trained in, as a tag of espeak-ng such as `en-us`.
    ///
    /// # Errors
    /// When its settings are missing or cannot be used.
    pub fn language_of(model: &Path) -> Result<String, Fault> {
        Ok(PiperSettings::read(model)?.espeak_voice)
    }

    /// Phonemes of a phrase with its marks, as far as the voice knows them.
    fn phonemes(&self, text: &str, language: &str) -> Result<String, Fault> {
        let language = self.pronunciation(language);
        let phonemes = phonemes(text, |words| self.espeak.ipa(words, language), str::to_owned)?;
        Ok(self.known(&phonemes))
    }

    /// Its own accent for its own language, else the language asked for, spoken with its sounds.
    fn pronunciation<'a>(&'a self, language: &'a str) -> &'a str {
        let own = self.settings.espeak_voice.as_str();
        if bare_tag(own) == bare_tag(language) { own } else { language }
    }

    fn known(&self, phonemes: &str) -> String {
        let mut known = String::with_capacity(phonemes.len());
        let mut unknown = String::new();
        for phoneme in phonemes.chars() {
            let parts = DECOMPOSED.iter().find(|(whole, _)| *whole == phoneme).map(|(_, parts)| parts);
            match parts.filter(|parts| parts.iter().all(|part| self.settings.knows(*part))) {
                Some(parts) => known.extend(parts),
                None if self.settings.knows(phoneme) => known.push(phoneme),
                None => unknown.push(phoneme),
            }
        }
        if !unknown.is_empty() {
            tracing::debug!("the voice has no sound for the phonemes {unknown:?}");
        }
        known
    }

    fn run(&mut self, phonemes: &str) -> Result<Vec<f32>, SpeakingError> {
        let failed = |why: String| SpeakingError::Piper { path: self.model.clone(), why };
        let (engine, scale) = (&mut self.engine, Some(self.length_scale));
        // It is other people's code on a file from elsewhere; the voice thread must outlive it.
        let run = catch_unwind(AssertUnwindSafe(|| engine.create(phonemes, true, None, scale, None, None)));
        let (mut samples, _) = match run {
            Ok(result) => result.map_err(|error| failed(error.to_string()))?,
            Err(_) => return Err(failed("the engine broke down".into())),
        };
        if samples.len() > MAX_SECONDS * self.settings.rate_hz as usize {
            return Err(failed(format!("it made {} samples of one phrase", samples.len())));
        }
        if samples.iter().any(|sample| !sample.is_finite()) {
            return Err(failed("it made samples that are no numbers".into()));
        }
        let peak = samples.iter().fold(0.0_f32, |peak, sample| peak.max(sample.abs()));
        if peak > 1.0 {
            samples.iter_mut().for_each(|sample| *sample /= peak);
        }
        Ok(samples)
    }
}

impl Voice for Piper {
    fn rate_hz(&self) -> u32 {
        self.settings.rate_hz
    }

    fn synthesise(&mut self, text: &str, language: &str, sink: PcmSink<'_>) -> Result<(), Fault> {
        let phonemes = self.phonemes(text, language)?;
        if phonemes.trim().is_empty() {
            return Ok(());
        }
        // Whoever does not want it any more says so before the work.
        if sink(&[]).is_break() {
            return Ok(());
        }
        let samples = self.run(&phonemes)?;
        for piece in samples.chunks(self.settings.rate_hz as usize * PIECE_MS / 1000) {
            if sink(piece).is_break() {
                break;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
