//! What tells of which kind a request is, and whether it goes on from what was said before.

use crate::phrases::Phrases;
use crate::spoken;
use serde::Deserialize;

/// `conversation.toml` of a language. Lower case, without apostrophes.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Conversation {
    /// Words that tell the kind of a request.
    pub kinds: Kinds,
    /// Words that put earlier turns of the conversation into the prompt of a language model.
    pub replay: Replay,
    /// Words that say how long one answer is wanted.
    pub length: Length,
}

/// Words that say how long one answer is wanted, anywhere in a request.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Length {
    /// A sentence or two.
    #[serde(deserialize_with = "spoken::phrases")]
    pub short: Phrases,
    /// As much as there is.
    #[serde(deserialize_with = "spoken::phrases")]
    pub long: Phrases,
}

/// Words that tell the kind of a request.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Kinds {
    /// Anywhere: it is about the conversation itself.
    #[serde(deserialize_with = "spoken::phrases")]
    pub meta: Phrases,
    /// Anywhere: it puts something right.
    #[serde(deserialize_with = "spoken::phrases")]
    pub correction: Phrases,
    /// Anywhere: it asks something.
    #[serde(deserialize_with = "spoken::phrases")]
    pub question: Phrases,
    /// At the beginning: it adds to the request before.
    #[serde(deserialize_with = "spoken::phrases")]
    pub adds: Phrases,
    /// At the beginning: verbs in the imperative.
    #[serde(deserialize_with = "spoken::phrases")]
    pub verbs: Phrases,
    /// Imperatives that are nouns as well, as "water". They begin an order only before an article, a pronoun or a number.
    #[serde(deserialize_with = "spoken::phrases")]
    pub verbs_or_nouns: Phrases,
    /// Words that may stand before an imperative.
    #[serde(deserialize_with = "spoken::phrases")]
    pub before: Phrases,
    /// At the beginning: a request in the form of a question, "can you".
    #[serde(deserialize_with = "spoken::phrases")]
    pub polite: Phrases,
    /// Last words of requests without a verb.
    #[serde(deserialize_with = "spoken::phrases")]
    pub last: Phrases,
}

/// Words that put earlier turns of the conversation into the prompt of a language model.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Replay {
    /// Anywhere: it is not clear what was meant.
    #[serde(deserialize_with = "spoken::phrases")]
    pub clarifies: Phrases,
    /// At the beginning: it goes on from what was said.
    #[serde(deserialize_with = "spoken::phrases")]
    pub begins: Phrases,
    /// Anywhere: it points back, corrects, or is about the conversation.
    #[serde(deserialize_with = "spoken::phrases")]
    pub points_back: Phrases,
}
