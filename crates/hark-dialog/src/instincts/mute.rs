//! "Mute the microphone": hear nothing until told otherwise by hand.

use super::{Answer, Context, Instinct, Reaction, one_of};

/// Phrases, lower-case and without punctuation.
const PHRASES: &[&str] = &[
    "mute",
    "mute yourself",
    "mute the microphone",
    "mute the mic",
    "mute microphone",
    "mic off",
    "stop listening",
    "dont listen",
    "turn off the microphone",
    "turn the microphone off",
];

pub(super) const INSTINCT: Instinct = Instinct { intent: "HarkMute", matches, handle };

fn matches(text: &str, _: &Context<'_>) -> bool {
    one_of(text, PHRASES)
}

fn handle(_: &Context<'_>) -> Reaction {
    Reaction { mute: Some(true), answer: Answer::Say("muted"), ..Reaction::default() }
}
