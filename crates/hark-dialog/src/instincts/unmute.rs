//! "Unmute": hear again. A muted ear cannot hear it, so it comes typed.

use super::{Answer, Context, Instinct, Reaction, one_of};

/// Phrases, lower-case and without punctuation.
const PHRASES: &[&str] = &[
    "unmute",
    "unmute yourself",
    "unmute the microphone",
    "unmute the mic",
    "mic on",
    "listen again",
    "turn on the microphone",
    "turn the microphone on",
];

pub(super) const INSTINCT: Instinct = Instinct { intent: "HarkUnmute", matches, handle };

fn matches(text: &str, _: &Context<'_>) -> bool {
    one_of(text, PHRASES)
}

fn handle(_: &Context<'_>) -> Reaction {
    Reaction { mute: Some(false), answer: Answer::Say("unmuted"), ..Reaction::default() }
}
