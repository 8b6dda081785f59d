//! "Never mind": the person changed their mind.

use super::{Answer, Instinct, InstinctInput, Reaction};

pub(super) const INSTINCT: Instinct = Instinct {
    intent: "HassNevermind",
    command: None,
    phrases: |reflexes| reflexes.never_mind,
    answers: false,
    hurried: true,
    handle,
};

fn handle(_: &InstinctInput<'_>) -> Reaction {
    Reaction { stop_everything: true, answer: Answer::Sound("cancelled"), ..Reaction::default() }
}
