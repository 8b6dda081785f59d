//! "Stop": silence, now, whatever is going on.

use super::{Answer, Context, Instinct, Reaction, one_of};

/// Phrases, lower-case and without punctuation.
const PHRASES: &[&str] = &[
    "stop",
    "stopp",
    "stop it",
    "stop that",
    "stop talking",
    "quiet",
    "be quiet",
    "silence",
    "shut up",
    "enough",
    "hush",
    "/stop",
];

pub(super) const INSTINCT: Instinct = Instinct { intent: "HarkStop", matches, handle };

fn matches(text: &str, _: &Context<'_>) -> bool {
    one_of(text, PHRASES)
}

fn handle(_: &Context<'_>) -> Reaction {
    Reaction { stop_everything: true, answer: Answer::Sound("stopped"), ..Reaction::default() }
}
