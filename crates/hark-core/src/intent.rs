//! What a request means: an intent under Home Assistant's name, its slots, and the route that found it.

use super::classification::Classification;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Slots by Home Assistant's names; values are text or numbers, in the order they were found.
pub type Slots = Map<String, Value>;

/// The layer that decided; the trace names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Route {
    /// A reflex such as "stop", without any model.
    Instinct,
    /// A typed command such as `read <path>`.
    Direct,
    /// A follow-up that leans on the turn before.
    Context,
    /// A sentence template matched exactly.
    Template,
    /// The intent classifier decided.
    Intent,
    /// A language model decided under a contract.
    Llm,
}

/// What is wanted and cannot be done as it was said: nothing is done, and the answer tells which part of the request is
/// why.
pub mod refusal {
    /// Name of the intent; its response key is the reason.
    pub const INTENT: &str = "HarkRefused";
    /// Slot with the part of the request that is the reason, as it was said.
    pub const PART: &str = "part";
    /// It is to be done when something happens, or if something is so.
    pub const CONDITION: &str = "condition";
    /// How much something has to be measured was not said in numbers: "too cold".
    pub const MEASURE: &str = "measure";
    /// It is to last for some time.
    pub const DURATION: &str = "duration";
    /// It is not to be done to everything.
    pub const EXCEPTION: &str = "exception";
    /// There is no such day.
    pub const DATE: &str = "date";
    /// The number does not fit; slot `what` tells for what.
    pub const NUMBER: &str = "number";
    /// There are no words where a content belongs.
    pub const NOTHING: &str = "nothing";
    /// When it is to be done was understood, but not what.
    pub const ACT: &str = "act";
    /// It was taken back before it was said to its end.
    pub const TAKEN_BACK: &str = "taken_back";
    /// What is refused for a part of the request.
    pub fn of(reason: &str, part: String) -> super::Intent {
        super::Intent {
            name: INTENT.to_owned(),
            why: format!("nothing here can carry out \"{part}\" ({reason})"),
            slots: [(PART.to_owned(), part.into())].into_iter().collect(),
            confidence: 1.0,
            route: super::Route::Template,
            response: Some(reason.to_owned()),
            single: false,
        }
    }

    /// Every reason, for sentences of a language to be complete.
    pub const ALL: &[&str] = &[CONDITION, DURATION, EXCEPTION, DATE, NUMBER, NOTHING, ACT, TAKEN_BACK];
}

/// One thing the person wants.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Intent {
    /// Home Assistant's intent name, or one of ours beginning with `Hark`.
    pub name: String,
    /// Slots; `name`, `area` and `floor` carry the declared name.
    pub slots: Slots,
    /// 0.0 ..= 1.0.
    pub confidence: f32,
    /// Which layer decided.
    pub route: Route,
    /// Why it decided so, for people: the template that matched, with its file.
    pub why: String,
    /// Key of the response template, when the sentence asks for a special one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub response: Option<String>,
    /// One thing is meant ("the light", "a window"), and the slots do not say which.
    #[serde(default, skip_serializing_if = "crate::serde_helpers::is_false")]
    pub single: bool,
}

/// The outcome of understanding a request.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Understanding {
    /// In the order they were said; empty when nothing the house can do was recognised.
    pub intents: Vec<Intent>,
    /// The words each of them was read from, in spoken form; empty where there is only one, or that is not known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<String>,
    /// What a request that leans on another means where there is none to lean on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub alone: Vec<Intent>,
    /// Why there is none, when there is none; else empty.
    pub why: String,
    /// What must be asked before something is done; empty when all is clear.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ambiguous: Vec<Ambiguity>,
    /// ISO 639-1 code of the language of the text, `unknown` when unsure; empty: as was assumed.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub language: String,
    /// What kind of request it is, when that was found out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub classification: Option<Classification>,
    /// Parts of the request that were not understood, as they were said, beside those that were.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub missed: Vec<String>,
    /// What it was about, when that is nothing the home has; then there are no intents.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unknown: Option<UnknownThing>,
    /// The thing of the home that its words come near, when nothing that can be done was recognised.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub near: Option<Box<NearThing>>,
    /// What was meant, when it cannot be done because nothing of this home was named with it; then there are no intents.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub meant: Option<Intent>,
    /// A tool that may have been meant, but no word told of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// What is answered if it turns out to be a request that changes something in the home ([`refusal`]).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub qualifier: Option<Box<Intent>>,
}

impl Understanding {
    /// Of a text that cannot be read within the effort that a text may cost.
    pub fn unread() -> Self {
        let why = "it is too long or too involved to be read as a request".to_owned();
        Self { why, ..Self::default() }
    }
}

/// A thing of the home that was spoken of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NearThing {
    /// Its name as it was declared.
    pub name: String,
    /// Its domain, as `light`.
    pub domain: String,
    /// Whether all words of one of its names were said, in whatever order: "the *light* over the *worktop*".
    #[serde(default)]
    pub in_full: bool,
}

/// Something that was spoken of and that the home does not have.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnknownThing {
    /// As it was said, without its article.
    pub name: String,
    /// Whether it was certainly meant as a thing of the house, as a "bed light" is.
    pub sure: bool,
}

/// A slot that could have several values.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ambiguity {
    /// Which of the intents it belongs to.
    pub intent: usize,
    /// The slot; in the intent it has the first of the candidates.
    pub slot: String,
    /// Declared names, the likeliest first. A single one is to be confirmed.
    pub candidates: Vec<String>,
    /// The area of each candidate; empty where none is known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub areas: Vec<Option<String>>,
}
