//! The words of each language: numbers, times, and what people say around requests, read from the language's folder
//! (`models/languages/<code>/*.toml`). The languages that are shipped are part of the program; [`load`] adds those of
//! other folders, or puts them in their place. Every crate that reads or writes sentences asks here for words; no
//! language is known to the code.
//!
//! ```
//! let english = hark_language::of("en-GB");
//! assert_eq!(english.numbers.integer_words(105), "one hundred and five");
//! assert_eq!(english.numbers.parse(&["two", "and", "a", "half"]), Some(2.5));
//! // A language without a folder has no words.
//! assert_eq!(hark_language::of("xx").numbers.integer_words(105), "105");
//! ```

pub mod choices;
pub mod claims;
pub mod conversation;
pub mod discourse;
pub mod goods;
pub mod names;
pub mod numbers;
pub mod permission_questions;
pub mod phonemes;
pub mod phrases;
pub mod qualifiers;
pub mod reflexes;
mod registry;
pub mod requests;
pub mod rewriting;
pub mod secrets;
pub mod setup;
pub mod speech;
mod spoken;
pub mod steps;
pub mod things;
pub mod time;
pub mod tools;
mod topics;

pub use phrases::{Phrase, Phrases, Table};
pub use registry::{LanguageError, all, known, load, of};
pub use topics::{everyday, knowledge, memory, sums, weather};

/// The words of one language.
#[derive(Debug, Default)]
pub struct Lexicon {
    /// ISO 639-1; `und` for the one without words.
    pub code: &'static str,
    /// Numbers, and written signs.
    pub numbers: numbers::Numbers,
    /// Lengths, days, dates, times of day, repetitions.
    pub time: time::Time,
    /// How requests are joined and point back.
    pub requests: requests::Requests,
    /// What people say around a request.
    pub discourse: discourse::Discourse,
    /// Conditions, lengths and exceptions.
    pub qualifiers: qualifiers::Qualifiers,
    /// Sums.
    pub sums: sums::Sums,
    /// Things, rooms and places.
    pub things: things::Things,
    /// How texts are said; `None`: as they are written.
    pub speech: Option<speech::Speech>,
    /// What people buy.
    pub goods: goods::Goods,
    /// How several steps are told.
    pub steps: steps::Steps,
    /// Words of tools, and of names and lists.
    pub tools: tools::Tools,
    /// Jokes, choices, letters.
    pub everyday: everyday::Everyday,
    /// Words that matter when documents are searched.
    pub knowledge: knowledge::Knowledge,
    /// What is kept of statements, and how they are told back.
    pub memory: memory::Memory,
    /// The weather in words.
    pub weather: weather::Weather,
    /// Whole requests that are known at once.
    pub reflexes: reflexes::Reflexes,
    /// Answers to a question which one is meant.
    pub choices: choices::Choices,
    /// Kinds of requests, and what goes on from what was said.
    pub conversation: conversation::Conversation,
    /// Requests for other words.
    pub rewriting: rewriting::Rewriting,
    /// How PINs and passwords are said.
    pub secrets: secrets::Secrets,
    /// Claims of a language model that something was done.
    pub claims: claims::Claims,
    /// Questions of a language model that only ask for permission.
    pub permission: permission_questions::PermissionQuestions,
    /// What `hark setup` asks and says.
    pub setup: setup::Setup,
    /// Phonemes of words that are said otherwise than a lexicon has them.
    pub phonemes: phonemes::Phonemes,
}
