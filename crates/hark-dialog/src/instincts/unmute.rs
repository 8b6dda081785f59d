//! "Unmute": hear again. A muted ear cannot hear it, so it comes typed.

use super::{Answer, Context, Instinct, Reaction};

pub(super) const INSTINCT: Instinct = Instinct {
    intent: "HarkUnmute",
    command: None,
    phrases: |reflexes| reflexes.unmute,
    answers: false,
    hurried: false,
    handle,
};

fn handle(_: &Context<'_>) -> Reaction {
    Reaction { mute: Some(false), answer: Answer::Say("unmuted"), ..Reaction::default() }
}
