//! "Stop": silence, now, whatever is going on.

use super::{Answer, Context, Instinct, Reaction, one_of};

/// Phrases, lower-case and without punctuation.
const PHRASES: &[&str] = &[
    "stop",
    "stopp",
    "stop it",
    "stop that",
    "stop now",
    "stop talking",
    "quiet",
    "be quiet",
    "silence",
    "shut up",
    "enough",
    "thats enough",
    "that is enough",
    "hush",
    "/stop",
];

pub(super) const INSTINCT: Instinct = Instinct { intent: "HarkStop", matches, handle };

/// What people say before it when they are in a hurry.
const LEADS: &[&str] = &["wait", "no", "okay", "ok", "hey", "oh", "nein"];

fn matches(text: &str, _: &Context<'_>) -> bool {
    let mut words: Vec<&str> = text.split(' ').skip_while(|word| LEADS.contains(word)).collect();
    words.dedup();
    one_of(&words.join(" "), PHRASES)
}

fn handle(_: &Context<'_>) -> Reaction {
    Reaction { stop_everything: true, answer: Answer::Sound("stopped"), ..Reaction::default() }
}
