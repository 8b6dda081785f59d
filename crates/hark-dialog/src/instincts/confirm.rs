//! "Yes": approves what was asked, and only that.

use super::{Answer, Context, Instinct, Reaction, one_of};

/// Phrases, lower-case and without punctuation.
const PHRASES: &[&str] = &[
    "yes",
    "yes do it",
    "yes do that",
    "yeah",
    "yep",
    "yup",
    "sure",
    "ok",
    "okay",
    "do it",
    "go ahead",
    "confirm",
    "of course",
    "/approve",
];

pub(super) const INSTINCT: Instinct = Instinct { intent: "HarkConfirm", matches, handle };

fn matches(text: &str, context: &Context<'_>) -> bool {
    context.awaiting_approval && one_of(text, PHRASES)
}

fn handle(_: &Context<'_>) -> Reaction {
    Reaction { approval: Some(true), answer: Answer::None, ..Reaction::default() }
}
