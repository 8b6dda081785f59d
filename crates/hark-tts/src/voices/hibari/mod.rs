//! The hibari voices: a small network that says of each 12.5 ms what sounds, on ONNX Runtime, and a `vocoder` that makes
//! samples of it. Fifty times faster than speech on one core, so that it is the default where the language is English.

mod vocoder;

use super::neural_threads;
use crate::phonemes::clauses::runs;
use crate::phonemes::english::EnglishReader;
use hark_core::Fault;
use hark_core::ports::{PcmSink, Voice};
use hark_models::onnx::{OnnxError, OnnxRuntime, open_small_session};
use ort::session::Session;
use ort::value::{TensorElementType, TensorRef};
use std::path::{Path, PathBuf};
use vocoder::{BINS, Frames, Vocoder};

/// Words a minute at a speed of 1, about.
pub(super) const USUAL_WPM: f32 = 170.0;

/// Longest run of the network in phonemes: what it was trained on. More is cut at a space.
const MAX_PHONEMES: usize = 400;

/// More frames than this of one run (80 a second) is nonsense.
const MAX_FRAMES: usize = 80 * 120;

/// The number of the mark before and behind the phonemes.
pub(super) const PAD: i64 = 0;

/// A loaded voice.
pub struct Hibari {
    session: Session,
    model: PathBuf,
    reader: EnglishReader,
    vocoder: Vocoder,
    speed: f32,
}

impl Hibari {
    /// Loads the network at `model`, whose phonemes `reader` makes. `rate_wpm` as in the configuration: 170 is the speed it
    /// was trained at.
    ///
    /// # Errors
    /// `MissingPart` when a file is missing or not of this kind.
    pub fn open(
        runtime: OnnxRuntime,
        model: &Path,
        reader: EnglishReader,
        rate_wpm: u32,
    ) -> Result<Self, Fault> {
        use TensorElementType::{Float32, Int64};
        Ok(Self {
            session: open_small_session(
                runtime,
                model,
                neural_threads(),
                &[("ids", Int64), ("speed", Float32)],
                Float32,
            )?,
            model: model.to_owned(),
            reader,
            vocoder: Vocoder::new(),
            speed: (rate_wpm as f32 / USUAL_WPM).clamp(0.5, 2.0),
        })
    }

    /// `Ok(false)` when the sink wants no more.
    fn run(&mut self, ids: &[i64], sink: PcmSink<'_>) -> Result<bool, OnnxError> {
        let path = &self.model;
        let failed = |error: ort::Error| OnnxError::Run { path: path.clone(), why: error.to_string() };
        let speed = [self.speed];
        let results = self
            .session
            .run(ort::inputs![
                "ids" => TensorRef::from_array_view(([1, ids.len()], ids)).map_err(failed)?,
                "speed" => TensorRef::from_array_view(([1], &speed[..])).map_err(failed)?,
            ])
            .map_err(failed)?;
        let output = |name: &str| {
            let missing = || OnnxError::Run { path: path.clone(), why: format!("it has no output `{name}`") };
            let value = results.get(name).ok_or_else(missing)?;
            Ok::<_, OnnxError>(value.try_extract_tensor::<f32>().map_err(failed)?.1)
        };
        let frames = Frames {
            harmonic_level: output("lh")?,
            harmonic_phase: output("theta")?,
            noise_level: output("ln")?,
            free_level: output("lr")?,
            free_phase: output("phi")?,
            f0: output("f0")?,
        };
        let wrong = |why: String| OnnxError::Run { path: path.clone(), why };
        let count = frames.f0.len();
        if count == 0 || count > MAX_FRAMES {
            return Err(wrong(format!("it made {count} frames of {} phonemes", ids.len())));
        }
        let parts = [
            frames.harmonic_level,
            frames.harmonic_phase,
            frames.noise_level,
            frames.free_level,
            frames.free_phase,
        ];
        if parts.iter().any(|part| part.len() != BINS * count) {
            return Err(wrong(format!("its outputs are not {BINS} by {count}")));
        }
        if parts.iter().chain([&frames.f0]).any(|part| part.iter().any(|value| !value.is_finite())) {
            return Err(wrong("it made samples that are no numbers".into()));
        }
        let mut goes_on = true;
        self.vocoder.run(&frames, &mut |piece| {
            let flow = sink(piece);
            goes_on = flow.is_continue();
            flow
        });
        Ok(goes_on)
    }
}

impl Voice for Hibari {
    fn rate_hz(&self) -> u32 {
        vocoder::RATE_HZ
    }

    /// Speaks every language as English: other languages have voices of their own.
    fn synthesise(&mut self, text: &str, _language: &str, sink: PcmSink<'_>) -> Result<(), Fault> {
        let phonemes = self.reader.phonemes(text)?;
        for run in runs(&phonemes, MAX_PHONEMES, MAX_PHONEMES) {
            let mut ids = vec![PAD];
            ids.extend(self.reader.ids(run));
            if ids.len() == 1 {
                continue;
            }
            ids.push(PAD);
            // Whoever does not want it any more says so before the work.
            if sink(&[]).is_break() || !self.run(&ids, sink)? {
                break;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
