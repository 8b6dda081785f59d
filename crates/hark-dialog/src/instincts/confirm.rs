//! "Yes": approves what was asked, and only that.

use super::{Answer, Instinct, InstinctInput, Reaction};

pub(super) const INSTINCT: Instinct = Instinct {
    intent: "HarkConfirm",
    command: Some("/approve"),
    phrases: |reflexes| reflexes.confirm,
    answers: true,
    hurried: false,
    handle,
};

fn handle(_: &InstinctInput<'_>) -> Reaction {
    Reaction { approval: Some(true), answer: Answer::None, ..Reaction::default() }
}
