//! The grammar recogniser: recognises the sentences of this home with PocketSphinx's acoustic model.
//!
//! Built from the sentence templates (`builder`): sentences are sampled, a trigram model is trained (`ngram`,
//! `word_classes`), every word gets its pronunciation (`pronunciation`, `phones`), and frequent English words stand for
//! all other speech (`background_model`).
//!
//! While sound comes in, it becomes normalised cepstra (`cepstra`) that are searched twice: by PocketSphinx's trigram
//! decoder (`pocketsphinx`), and by a Viterbi beam search (`viterbi`) through the graph of all sentences of the home
//! (`decoding_graph`), on the same acoustic model (`acoustic_model`, `acoustic_scores`).
//!
//! At the end the candidates of both are aligned with the sound and rescored (`forced_alignment`, `rescoring`), and the
//! best gets a confidence (`hypothesis_confidence`). `prefix_likelihood` tells, for barge-in, how much more likely the
//! first words are those of a request than of other speech. `keyphrase_spotter` finds typed wake words.
//!
//! All `unsafe` code is in `ffi`, `options`, `pocketsphinx`, `keyphrase_spotter`, `background_model` and
//! `acoustic_model`.

mod acoustic_model;
mod acoustic_scores;
mod background_model;
mod builder;
mod cepstra;
mod decoding_graph;
mod error;
mod ffi;
mod forced_alignment;
mod hypothesis_confidence;
mod keyphrase_spotter;
mod ngram;
mod options;
mod phones;
mod pocketsphinx;
mod prefix_likelihood;
mod pronunciation;
mod rebuild;
mod recogniser;
#[cfg(test)]
#[path = "tests/recogniser.rs"]
mod recogniser_tests;
mod rescoring;
mod temporary_files;
#[cfg(test)]
#[path = "tests/grammar.rs"]
pub(super) mod test_grammar;
#[cfg(test)]
#[path = "tests/scores.rs"]
mod test_scores;
mod tuning;
mod viterbi;
mod word_classes;

/// The language of the acoustic model, the dictionary and the general language model that the recogniser has.
const LANGUAGE: &str = "en";

/// Its words.
fn language() -> &'static hark_language::Lexicon {
    hark_language::of(LANGUAGE)
}

pub use error::GrammarError;
pub use hypothesis_confidence::HypothesisEvidence;
pub use keyphrase_spotter::{KeyphraseHit, KeyphraseSpotter};
pub use pocketsphinx::SearchTuning;
pub use rebuild::Rebuilder;
pub use recogniser::{GrammarRecogniser, RequestAmong};
pub use tuning::Tuning;
pub use viterbi::ViterbiTuning;
