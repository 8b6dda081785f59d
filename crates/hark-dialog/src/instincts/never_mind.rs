//! "Never mind": the person changed their mind.

use super::{Answer, Context, Instinct, Reaction, one_of};

/// Phrases, lower-case and without punctuation.
const PHRASES: &[&str] = &["never mind", "nevermind", "forget it", "nothing", "its nothing"];

pub(super) const INSTINCT: Instinct = Instinct { intent: "HassNevermind", matches, handle };

fn matches(text: &str, _: &Context<'_>) -> bool {
    one_of(text, PHRASES)
}

fn handle(_: &Context<'_>) -> Reaction {
    Reaction { stop_everything: true, answer: Answer::Sound("cancelled"), ..Reaction::default() }
}
