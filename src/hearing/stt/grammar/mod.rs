//! The grammar recogniser: PocketSphinx listening for the sentences of this home.

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
mod recogniser;
mod tuning;

pub use decoder::SearchTuning;
pub use error::GrammarError;
pub use recogniser::{Evidence, GrammarRecogniser};
pub use tuning::Tuning;
