//! The Kokoro voices: one large network on ONNX Runtime, which is given phonemes and the numbers of a voice, and makes
//! samples. It takes some fifty times the processor time of hibari, which stays the default.

mod other_languages;
mod styles;

use super::hibari::{PAD, USUAL_WPM};
use super::neural_threads;
use crate::phonemes::clauses::runs;
use crate::phonemes::english::EnglishReader;
use crate::trim::Trim;
use hark_core::Fault;
use hark_core::ports::{PcmSink, Voice};
use hark_models::onnx::{OnnxError, OnnxRuntime, open_session};
use ort::session::Session;
use ort::value::{TensorElementType, TensorRef};
pub use other_languages::OtherReader;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use styles::{Style, WIDTH};

/// Rate of its samples.
const RATE_HZ: u32 = 24_000;

/// Longest run of the network in phonemes.
const MAX_PHONEMES: usize = 510;

/// So many phonemes, two seconds of speech, are enough for a run: what is longer is made clause by clause, so that its
/// sound begins early and it can be broken off.
const ENOUGH_PHONEMES: usize = 30;

/// Silence between two runs, which end behind a clause.
const PAUSE_MS: u32 = 180;

/// More sound than this of one run is nonsense.
const MAX_SECONDS: usize = 120;

/// How much is handed over at a time, so that an abort need not wait for all of it.
const PIECE: usize = RATE_HZ as usize / 10;

/// The language of a voice by its name, such as `af_heart`, whose first letter says it; `None` for those whose phonemes
/// nothing here makes.
pub fn language_of(speaker: &str) -> Option<&'static str> {
    let (kind, name) = speaker.split_once('_')?;
    let mut letters = kind.chars();
    let language = match letters.next()? {
        'a' => "en-US",
        'b' => "en-GB",
        'e' => "es",
        'f' => "fr-FR",
        'h' => "hi",
        'i' => "it",
        'p' => "pt-BR",
        _ => return None,
    };
    (matches!(letters.as_str(), "f" | "m") && !name.is_empty()).then_some(language)
}

/// What makes the phonemes of a voice.
pub enum Reader {
    /// Of an English voice.
    English(EnglishReader),
    /// Of any other.
    Other(OtherReader),
}

impl Reader {
    fn phonemes(&self, text: &str) -> Result<String, Fault> {
        match self {
            Self::English(reader) => reader.phonemes(text),
            Self::Other(reader) => reader.phonemes(text),
        }
    }

    fn ids(&self, phonemes: &str) -> Vec<i64> {
        match self {
            Self::English(reader) => reader.ids(phonemes),
            Self::Other(reader) => reader.ids(phonemes),
        }
    }
}

/// The loaded network, which several voices can share: one of them computes at a time. Cheap to clone.
#[derive(Clone)]
pub struct Network {
    session: Arc<Mutex<Session>>,
    path: PathBuf,
}

impl Network {
    /// Loads it.
    ///
    /// # Errors
    /// `MissingPart` when the file is missing or not of this kind.
    pub fn open(runtime: OnnxRuntime, path: &Path) -> Result<Self, Fault> {
        use TensorElementType::{Float32, Int64};
        let inputs = [("tokens", Int64), ("style", Float32), ("speed", Float32)];
        let session = open_session(runtime, path, neural_threads(), &inputs)?;
        Ok(Self { session: Arc::new(Mutex::new(session)), path: path.to_owned() })
    }

    /// Samples of a run: its phonemes with the marks around them, the row of a voice for as many, and the speed.
    fn run(&self, ids: &[i64], style: &[f32], speed: f32) -> Result<Vec<f32>, OnnxError> {
        let path = &self.path;
        let failed = |error: ort::Error| OnnxError::Run { path: path.clone(), why: error.to_string() };
        let wrong = |why: String| OnnxError::Run { path: path.clone(), why };
        let speed = [speed];
        // A run that panicked leaves nothing behind in the session.
        let mut session = self.session.lock().unwrap_or_else(PoisonError::into_inner);
        let results = session
            .run(ort::inputs![
                "tokens" => TensorRef::from_array_view(([1, ids.len()], ids)).map_err(failed)?,
                "style" => TensorRef::from_array_view(([1, WIDTH], style)).map_err(failed)?,
                "speed" => TensorRef::from_array_view(([1], &speed[..])).map_err(failed)?,
            ])
            .map_err(failed)?;
        let value = results.values().next().ok_or_else(|| wrong("it has no output".into()))?;
        let (_, samples) = value.try_extract_tensor::<f32>().map_err(failed)?;
        if samples.len() > MAX_SECONDS * RATE_HZ as usize {
            return Err(wrong(format!("it made {} samples of {} phonemes", samples.len(), ids.len())));
        }
        if samples.iter().any(|sample| !sample.is_finite()) {
            return Err(wrong("it made samples that are no numbers".into()));
        }
        Ok(samples.to_vec())
    }
}

/// A loaded voice.
pub struct Kokoro {
    network: Network,
    style: Style,
    reader: Reader,
    speed: f32,
}

impl Kokoro {
    /// Loads the voice at `place` of the file of `voices`, from 0. `rate_wpm` as in the configuration: 170 is the speed it
    /// was trained at.
    ///
    /// # Errors
    /// `MissingPart` when the file is missing or not of this kind, or has no such voice.
    pub fn open(
        network: Network,
        (voices, place): (&Path, usize),
        reader: Reader,
        rate_wpm: u32,
    ) -> Result<Self, Fault> {
        let speed = (rate_wpm as f32 / USUAL_WPM).clamp(0.5, 2.0);
        Ok(Self { network, style: Style::read(voices, place)?, reader, speed })
    }
}

impl Voice for Kokoro {
    fn rate_hz(&self) -> u32 {
        RATE_HZ
    }

    /// Speaks every language as its own: other languages have voices of their own.
    fn synthesise(&mut self, text: &str, _language: &str, sink: PcmSink<'_>) -> Result<(), Fault> {
        let phonemes = self.reader.phonemes(text)?;
        let mut is_first = true;
        for run in runs(&phonemes, ENOUGH_PHONEMES, MAX_PHONEMES) {
            let ids = self.reader.ids(run);
            if ids.is_empty() {
                continue;
            }
            // Whoever does not want it any more says so before the work.
            if sink(&[]).is_break() {
                break;
            }
            let style = self.style.row(ids.len());
            let ids: Vec<i64> = [PAD].into_iter().chain(ids).chain([PAD]).collect();
            let made = self.network.run(&ids, style, self.speed)?;
            // A run has a third of a second of silence around it.
            let mut samples = Vec::with_capacity(made.len());
            if !is_first {
                samples.resize((u64::from(RATE_HZ) * u64::from(PAUSE_MS) / 1000) as usize, 0.0);
            }
            let mut trim = Trim::new(RATE_HZ);
            trim.piece(&made, |piece| samples.extend_from_slice(piece));
            trim.finish(|piece| samples.extend_from_slice(piece));
            is_first = false;
            if samples.chunks(PIECE).any(|piece| sink(piece).is_break()) {
                break;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
