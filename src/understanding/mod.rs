//! From words to intents: the template language, its automaton, sampler and parser; times, numbers, slots.
//!
//! The road of a sentence file: `sentences` reads it, `grammar` compiles it for one home, and the
//! grammar then parses (`Understand`), samples and accepts (`SpeechGrammar`).

mod around;
mod grammar;
mod impossible;
pub mod intent;
pub mod language;
pub mod numbers;
pub mod numbers_de;
mod problem;
mod provisos;
mod requests;
pub mod rules;
pub mod sentences;
mod several;
mod sounds;
mod spans;
mod story;
pub mod text;
pub mod tongue;
mod understand;

pub use grammar::{Grammar, LabelledSample, Match, Nearness, Similar, Took};
pub use problem::{Place, Problem, nearest};
pub use sentences::Sentences;

#[cfg(test)]
mod english_rows;
#[cfg(test)]
mod english_tests;
#[cfg(test)]
mod fill_tests;
#[cfg(test)]
mod german_tests;
#[cfg(test)]
mod hostile_tests;
#[cfg(test)]
mod household_replies;
#[cfg(test)]
mod household_rows;
#[cfg(test)]
mod impossible_tests;
#[cfg(test)]
mod moved_rows;
#[cfg(test)]
mod near_tests;
#[cfg(test)]
mod proviso_tests;
#[cfg(test)]
mod reply_tests;
#[cfg(test)]
mod ruled_tests;
#[cfg(test)]
mod several_tests;
#[cfg(test)]
mod talk_tests;
#[cfg(test)]
mod test_home;
#[cfg(test)]
mod value_tests;
