//! "No": refuses what was asked.

use super::{Answer, Instinct, InstinctInput, Reaction};

pub(super) const INSTINCT: Instinct = Instinct {
    intent: "HarkDeny",
    command: Some("/deny"),
    phrases: |reflexes| reflexes.deny,
    answers: true,
    hurried: true,
    handle,
};

fn handle(_: &InstinctInput<'_>) -> Reaction {
    Reaction { approval: Some(false), answer: Answer::Say("approval_denied"), ..Reaction::default() }
}
