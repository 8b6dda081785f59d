//! From words to intents: the sentence files' template language, the grammar that is compiled from them for one home, its
//! parser and sampler; numbers, dates and times; the intent classifier. Asked by the thread that understands requests; the
//! recogniser takes its sentences from the same grammar.
//!
//! ```
//! use hark_core::ports::Understand;
//! use hark_nlu::{Grammar, Sentences};
//!
//! let file = "language: en\nintents:\n  HassNevermind:\n    data:\n      - sentences:\n          - never mind\n";
//! let sentences = Sentences::from_text("never.yaml", file, "en").expect("no mistake in it");
//! let grammar = Grammar::new(&sentences, &Default::default());
//! let understood = grammar.understand("never mind", "en");
//! assert_eq!(understood.intents[0].name, "HassNevermind");
//! ```

mod grammar;
mod impossible;
pub mod intent;
pub mod language_detection;
mod multi_value;
mod narrative;
mod number_spans;
mod phonetic_key;
mod problem;
mod qualifiers;
mod request_framing;
mod requests;
pub mod rules;
pub mod sentences;
pub mod text;
mod understand;

pub use grammar::{Grammar, LabelledSample, Match, Nearness, Similar, Took};
pub use problem::{Place, Problem, nearest};
pub use sentences::Sentences;

#[cfg(test)]
mod english_tests;
#[cfg(test)]
mod fill_tests;
#[cfg(test)]
mod fuzzy_match_tests;
#[cfg(test)]
mod german_tests;
#[cfg(test)]
mod hostile_tests;
#[cfg(test)]
mod household_replies;
#[cfg(test)]
mod impossible_tests;
#[cfg(test)]
mod multi_value_tests;
#[cfg(test)]
mod qualifier_tests;
#[cfg(test)]
mod reply_tests;
#[cfg(test)]
mod request_framing_tests;
#[cfg(test)]
mod ruled_tests;
#[cfg(test)]
mod table_tests;
#[cfg(test)]
mod test_home;
#[cfg(test)]
mod value_tests;
