//! From words to intents: the sentence files' template language, the grammar that is compiled from them for one home, its
//! parser and sampler; clauses ("when …", "for …", "except …") that go with every request; numbers, dates and times; the
//! intent classifier. Asked by the thread that understands requests; the
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

mod clauses;
mod corrections;
mod edits;
mod embedded_requests;
pub mod fact_extraction;
mod grammar;
mod impossible;
pub mod intent;
pub mod language_detection;
mod multi_value;
mod narrative;
mod next_turn;
mod now_and_later;
mod number_spans;
mod phonetic_key;
mod placed;
mod problem;
mod qualifiers;
mod references;
mod remarks;
mod rephrasing;
mod request_framing;
mod requests;
pub mod rules;
pub mod sentences;
pub mod tagger;
pub mod text;
mod to_intent;
mod understand;

pub use fact_extraction::Statements;
pub use grammar::{Annotation, Grammar, LabelledSample, Match, Nearness, Similar, Took};
pub use problem::{Place, Problem};
pub use sentences::Sentences;

#[cfg(test)]
#[path = "tests/asked.rs"]
mod asked_tests;
#[cfg(test)]
#[path = "tests/composition.rs"]
mod composition_tests;
#[cfg(test)]
#[path = "tests/edits.rs"]
mod edits_tests;
#[cfg(test)]
#[path = "tests/english.rs"]
mod english_tests;
#[cfg(test)]
#[path = "tests/fill.rs"]
mod fill_tests;
#[cfg(test)]
#[path = "tests/fuzzy_match.rs"]
mod fuzzy_match_tests;
#[cfg(test)]
#[path = "tests/german.rs"]
mod german_tests;
#[cfg(test)]
#[path = "tests/hostile.rs"]
mod hostile_tests;
#[cfg(test)]
#[path = "tests/household_replies.rs"]
mod household_replies;
#[cfg(test)]
#[path = "tests/impossible.rs"]
mod impossible_tests;
#[cfg(test)]
#[path = "tests/multi_value.rs"]
mod multi_value_tests;
#[cfg(test)]
#[path = "tests/qualifier.rs"]
mod qualifier_tests;
#[cfg(test)]
#[path = "tests/reply.rs"]
mod reply_tests;
#[cfg(test)]
#[path = "tests/request_framing.rs"]
mod request_framing_tests;
#[cfg(test)]
#[path = "tests/ruled.rs"]
mod ruled_tests;
#[cfg(test)]
#[path = "tests/table.rs"]
mod table_tests;
#[cfg(test)]
#[path = "tests/home.rs"]
mod test_home;
#[cfg(test)]
#[path = "tests/value.rs"]
mod value_tests;
