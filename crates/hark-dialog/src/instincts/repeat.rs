//! "Repeat": what was said last, again.

use super::{Answer, Context, Instinct, Reaction, one_of};

/// Phrases, lower-case and without punctuation.
const PHRASES: &[&str] = &[
    "repeat",
    "repeat that",
    "say that again",
    "say it again",
    "again",
    "what did you say",
    "what was that",
    "come again",
    "pardon",
];

pub(super) const INSTINCT: Instinct = Instinct { intent: "HarkRepeat", matches, handle };

fn matches(text: &str, _: &Context<'_>) -> bool {
    one_of(text, PHRASES)
}

fn handle(context: &Context<'_>) -> Reaction {
    Reaction {
        answer: match context.last_reply {
            Some(text) => Answer::Again(text.to_owned()),
            None => Answer::Say("repeated_nothing"),
        },
        ..Reaction::default()
    }
}
