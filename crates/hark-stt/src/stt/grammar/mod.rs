//! The grammar recogniser: PocketSphinx listening for the sentences of this home.
//!
//! Built from the sentence templates (`build`): sentences are sampled, a trigram model is trained
//! (`ngram`, `classes`), every word gets its pronunciation (`dictionary`, `phones`), and common English
//! words stand for all other speech (`background`). While it listens, sound becomes normalised cepstra
//! (`cepstra`) that are searched twice: by PocketSphinx's `decoder`, whose words follow one another
//! freely, and by a `search` of our own through the `net` of all sentences of the home, on the same
//! acoustic model (`acoustic`, `sound`). At the end, what the search found, and what the templates make of
//! the decoder's words, is laid over the sound once more (`align`, `second_look`), and the best is
//! believed or not (`choose`). `beginnings` tells how far words so far are those of a request at all.
//! `keyphrase` is PocketSphinx listening for a few phrases among everything else: wake words anybody can type.
//! All `unsafe` code is in `ffi`, `options`, `decoder`, `keyphrase` and `background`.

mod acoustic;
mod align;
mod background;
mod beginnings;
mod build;
mod cepstra;
mod choose;
mod classes;
mod decoder;
mod dictionary;
mod error;
mod ffi;
mod keyphrase;
mod net;
mod ngram;
mod options;
mod passing_files;
mod phones;
mod rebuild;
mod recogniser;
#[cfg(test)]
mod recogniser_tests;
mod search;
mod second_look;
mod sound;
#[cfg(test)]
pub(super) mod test_grammar;
#[cfg(test)]
mod test_sound;
mod tuning;

/// The language of the acoustic model, the dictionary and the general language model that the recogniser has.
const LANGUAGE: &str = "en";

/// Its words.
fn language() -> &'static hark_language::Lexicon {
    hark_language::of(LANGUAGE)
}

pub use choose::Evidence;
pub use decoder::SearchTuning;
pub use error::GrammarError;
pub use keyphrase::{Keyphrases, Spotted};
pub use rebuild::Rebuilder;
pub use recogniser::GrammarRecogniser;
pub use search::NetTuning;
pub use tuning::Tuning;
