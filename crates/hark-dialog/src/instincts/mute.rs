//! "Mute the microphone": hear nothing until told otherwise by hand.

use super::{Answer, Instinct, InstinctInput, Reaction};

pub(super) const INSTINCT: Instinct = Instinct {
    intent: "HarkMute",
    command: None,
    phrases: |reflexes| reflexes.mute,
    answers: false,
    hurried: false,
    handle,
};

fn handle(_: &InstinctInput<'_>) -> Reaction {
    Reaction { mute: Some(true), answer: Answer::Say("muted"), ..Reaction::default() }
}
