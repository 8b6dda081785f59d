//! The grammar recogniser: PocketSphinx listening for the sentences of this home.
//!
//! Built from the sentence templates (`build`): sentences are sampled, a trigram model is trained
//! (`ngram`, `classes`), every word gets its pronunciation (`dictionary`, `phones`), and common English
//! words stand for all other speech (`background`). While it listens, sound becomes normalised cepstra
//! (`cepstra`) that the `decoder` searches. At the end, the `lattice` of possible words is walked for
//! its best sentences and the cheapest one the templates accept is chosen, or none (`choose`).
//! All `unsafe` code is in `ffi`, `options`, `decoder` and `background`.

mod background;
mod build;
mod cepstra;
mod choose;
mod classes;
mod decoder;
mod dictionary;
mod error;
mod ffi;
mod lattice;
mod ngram;
mod options;
mod phones;
mod rebuild;
mod recogniser;
#[cfg(test)]
mod recogniser_tests;
#[cfg(test)]
mod test_grammar;
mod tuning;

pub use choose::Evidence;
pub use decoder::SearchTuning;
pub use error::GrammarError;
pub use rebuild::Rebuilder;
pub use recogniser::GrammarRecogniser;
pub use tuning::Tuning;
