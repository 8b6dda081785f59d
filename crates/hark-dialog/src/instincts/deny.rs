//! "No": refuses what was asked.

use super::{Answer, Context, Instinct, Reaction, one_of};

/// Phrases, lower-case and without punctuation.
const PHRASES: &[&str] = &[
    "no",
    "no dont",
    "no dont do it",
    "no dont do that",
    "nope",
    "dont",
    "do not",
    "dont do it",
    "no thanks",
    "no thank you",
    "better not",
    "/deny",
];

pub(super) const INSTINCT: Instinct = Instinct { intent: "HarkDeny", matches, handle };

fn matches(text: &str, context: &Context<'_>) -> bool {
    context.awaiting_approval && one_of(text, PHRASES)
}

fn handle(_: &Context<'_>) -> Reaction {
    Reaction { approval: Some(false), answer: Answer::Say("approval_denied"), ..Reaction::default() }
}
