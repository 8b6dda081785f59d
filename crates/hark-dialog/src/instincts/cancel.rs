//! "Cancel": forget the request at hand; what was done stays done.

use super::{Answer, Instinct, InstinctInput, Reaction};

pub(super) const INSTINCT: Instinct = Instinct {
    intent: "HarkCancel",
    command: Some("/cancel"),
    phrases: |reflexes| reflexes.cancel,
    answers: false,
    hurried: true,
    handle,
};

fn handle(_: &InstinctInput<'_>) -> Reaction {
    Reaction { stop_everything: true, answer: Answer::Sound("cancelled"), ..Reaction::default() }
}
