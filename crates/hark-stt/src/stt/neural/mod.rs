//! The second ear: a small neural speech model (Moonshine) that is asked which sentence of the home was
//! said, and what was said if it was none of them.
//!
//! `tree` is the sentences of the home in the model's word pieces (`tokens`); `beam` searches it for the
//! sentence the model finds likeliest, and beside it lets the model say what it likes. `listener` opens
//! the model when an utterance begins and lets go of it when nobody has spoken for a while: it takes as
//! much memory as all the rest of Hark.

mod beam;
mod error;
mod listener;
#[cfg(test)]
pub(super) mod listener_tests;
#[cfg(test)]
mod test_table;
mod tokens;
mod tree;

pub use beam::{Finding, Found, Opening};
pub use error::NeuralError;
pub use listener::{NeuralFiles, NeuralListener};
