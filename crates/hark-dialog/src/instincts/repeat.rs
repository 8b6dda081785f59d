//! "Repeat": what was said last, again.

use super::{Answer, Instinct, InstinctInput, Reaction};

pub(super) const INSTINCT: Instinct = Instinct {
    intent: "HarkRepeat",
    command: None,
    phrases: |reflexes| reflexes.repeat,
    answers: false,
    hurried: false,
    handle,
};

fn handle(context: &InstinctInput<'_>) -> Reaction {
    Reaction {
        answer: match context.last_reply {
            Some(text) => Answer::Again(text.to_owned()),
            None => Answer::Say("repeated_nothing"),
        },
        ..Reaction::default()
    }
}
