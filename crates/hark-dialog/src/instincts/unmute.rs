//! "Unmute": hear again. A muted ear cannot hear it, so it comes typed.

use super::{Answer, Instinct, InstinctInput, Reaction};

pub(super) const INSTINCT: Instinct = Instinct {
    intent: "HarkUnmute",
    command: None,
    phrases: |reflexes| reflexes.unmute,
    answers: false,
    hurried: false,
    handle,
};

fn handle(_: &InstinctInput<'_>) -> Reaction {
    Reaction { mute: Some(false), answer: Answer::Say("unmuted"), ..Reaction::default() }
}
