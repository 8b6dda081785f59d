//! Moonshine: a small neural speech model that rescores the sentences of the home, and recognises free words.
//!
//! `prefix_tree` holds the sentences of the home in the model's word pieces (`tokeniser`). `beam_search` finds the most
//! likely sentences in it, and beside them the model's unconstrained greedy result. `rescorer` owns the model and its
//! thread `hark-moonshine`: it loads the model when an utterance begins and unloads it when there has been none for a
//! while, since it takes as much memory as all the rest of Hark. The ONNX sessions are in `hark_models::moonshine`.

mod beam_search;
mod error;
mod prefix_tree;
mod rescorer;
#[cfg(test)]
pub(super) mod rescorer_tests;
#[cfg(test)]
mod test_vocabulary;
mod tokeniser;

pub use beam_search::{FreeHypothesis, MoonshineResult, PrefixHypothesis, SentenceHypothesis};
pub use error::MoonshineError;
pub use rescorer::{MoonshineFiles, MoonshineRescorer};
