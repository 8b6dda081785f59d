//! "Cancel": forget the request at hand; what was done stays done.

use super::{Answer, Context, Instinct, Reaction, one_of};

/// Phrases, lower-case and without punctuation.
const PHRASES: &[&str] = &["cancel", "cancel that", "cancel it", "/cancel"];

pub(super) const INSTINCT: Instinct = Instinct { intent: "HarkCancel", matches, handle };

fn matches(text: &str, _: &Context<'_>) -> bool {
    one_of(text, PHRASES)
}

fn handle(_: &Context<'_>) -> Reaction {
    Reaction { stop_everything: true, answer: Answer::Sound("cancelled"), ..Reaction::default() }
}
