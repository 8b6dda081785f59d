//! Wake words: engines score every hop of sound ([`WakeEngine`]), the detector compares scores with thresholds
//! (`detector`), and the verifier checks a detection (`verifier`). Called by the pipeline, on its thread.

mod combined;
mod detector;
mod keyphrase_engine;
mod micro_frontend;
mod microwakeword;
mod openwakeword;
mod trained_head;
mod verifier;
mod word_end;

pub use combined::CombinedWakeEngine;
pub use detector::{WakeDetector, WakeReport};
pub use keyphrase_engine::KeyphraseEngine;
pub use microwakeword::MicroWakeWord;
pub use openwakeword::{HOP_SAMPLES, OpenWakeWord, OpenWakeWordFiles};
pub use trained_head::{Example, TrainedHead, WINDOWS};
pub use verifier::{VERIFIED_MS, WakeVerifier};
pub use word_end::WordEnd;

use hark_core::Fault;

/// A wake word as its engine knows it.
#[derive(Debug, Clone, PartialEq)]
pub struct WakeWord {
    /// Name for events: the model's file name without its ending.
    pub name: String,
    /// How to find where it ended.
    pub end: WordEnd,
}

/// Scores how likely each of its words has just been said.
pub trait WakeEngine: Send {
    /// The words, in the order of the scores.
    fn words(&self) -> &[WakeWord];

    /// Samples of one hop at 16 kHz.
    fn hop_samples(&self) -> usize;

    /// Takes the next hop (mono, −1.0 ..= 1.0, [`Self::hop_samples`] long) and gives one score,
    /// 0.0 ..= 1.0, for each word.
    ///
    /// # Errors
    /// When a model fails.
    fn hop(&mut self, samples: &[f32]) -> Result<&[f32], Fault>;

    /// How long before the end of the last hop its score for a word was reached, in samples: an engine that weighs a word
    /// for a while scores it late.
    fn delay_samples(&self, _word: usize) -> usize {
        0
    }

    /// Forgets what was heard: the next hop is scored as if silence had gone before.
    fn reset(&mut self);
}
