//! "Stop": silence, now, whatever is going on.

use super::{Answer, Instinct, InstinctInput, Reaction};

pub(super) const INSTINCT: Instinct = Instinct {
    intent: "HarkStop",
    command: Some("/stop"),
    phrases: |reflexes| reflexes.stop,
    answers: false,
    hurried: true,
    handle,
};

fn handle(_: &InstinctInput<'_>) -> Reaction {
    Reaction { stop_everything: true, answer: Answer::Sound("stopped"), ..Reaction::default() }
}
