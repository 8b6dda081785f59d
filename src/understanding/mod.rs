//! From words to intents: the template language, its automaton, sampler and parser; numbers, durations, slots.
//!
//! The road of a sentence file: `sentences` reads it, `grammar` compiles it for one home, and the
//! grammar then parses (`Understand`), samples and accepts (`SpeechGrammar`).

pub mod durations;
mod grammar;
pub mod intent;
pub mod numbers;
mod problem;
pub mod sentences;
pub mod text;
mod understand;

pub use grammar::{Grammar, LabelledSample, Match};
pub use problem::{Place, Problem};
pub use sentences::Sentences;

#[cfg(test)]
mod english_rows;
#[cfg(test)]
mod english_tests;
#[cfg(test)]
mod reply_tests;
#[cfg(test)]
mod test_home;
