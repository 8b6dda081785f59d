//! Words of a language model that claim that something was done in the house.
//!
//! Languages say who did it and what was done in two orders, and fill in the table of theirs: side by side ("I have
//! just turned it off") or apart, with the action at the end ("ich habe es ausgeschaltet").

use crate::phrases::{Phrase, Phrases, Table};
use serde::Deserialize;

/// `claims.toml` of a language.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Claims {
    /// Clauses that say nothing but that it is over: "all done".
    pub over: Phrases,
    /// Words in front of these that say nothing: "*okay* done".
    pub over_leads: Phrases,
    /// What may follow them: "done *for you*".
    pub over_trails: Phrases,
    /// Clauses that look like one of these and are none: "well done".
    pub praise: Phrases,
    /// Words that turn a sentence into its contrary: "not".
    pub denials: Phrases,
    /// Endings of such words: "n't".
    pub denial_endings: Phrases,
    /// Phrases with such a word that deny nothing: "not only".
    pub no_denials: Phrases,
    /// Deeds and states that only something about such a kind of thing backs, by the domain of it.
    pub safety_critical: Table<Phrase>,
    /// Claims of a language that says the action right behind who did it.
    pub adjacent: Adjacent,
    /// Claims of a language that says the action at the end.
    pub apart: Apart,
}

/// Claims of a language that says the action right behind who did it.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Adjacent {
    /// What is done with a house: "turned".
    pub actions: Phrases,
    /// The same of more than one word: "took care".
    pub action_phrases: Phrases,
    /// Deeds only behind a word of having: "I've *run*".
    pub actions_had: Phrases,
    /// What goes on or is about to happen, and what one manages to do: "turning", "turn".
    pub doing: Phrases,
    /// Who does what Hark does: "i".
    pub doers: Phrases,
    /// Those of them that have done it: "i've".
    pub doers_having: Phrases,
    /// Those of them that are at it: "i'm".
    pub doers_doing: Phrases,
    /// Words of having behind a doer.
    pub having: Phrases,
    /// Words of being at it right behind a doer.
    pub going: Phrases,
    /// Words in front of a doer that make a question or a condition of it: "*should* I".
    pub asking: Phrases,
    /// What may stand between who did it and what was done: "just".
    pub between: Phrases,
    /// Words before what one managed to do: "able to".
    pub managing: Phrases,
    /// Verbs of the passive: "has *been* turned off".
    pub been: Phrases,
    /// Verbs of the plain past of it: "*was* turned off".
    pub was: Phrases,
    /// Deeds whose passive tells of a house and hardly of the world.
    pub house_actions: Phrases,
    /// What must not follow these: "locked *in* conflict".
    pub not_of_house: Phrases,
    /// Deeds of which that is so with one of the states below behind them.
    pub switching: Phrases,
    /// See `switching`.
    pub switched_to: Phrases,
    /// "Is now off": the verbs.
    pub is: Phrases,
    /// The word behind them.
    pub now: Phrases,
    /// How things are afterwards.
    pub states: Phrases,
    /// What may stand between the verb and that.
    pub adverbs: Phrases,
    /// Things that are made by a word: "timer".
    pub made: Phrases,
    /// What is said of them then: "set".
    pub making: Phrases,
    /// What must not follow: "the alarm was set *off*".
    pub not_making: Phrases,
    /// Verbs beside which an action without any, "lights turned off", is no sentence of its own.
    pub finite: Phrases,
}

/// Claims of a language that says the action at the end, apart from who did it.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Apart {
    /// Endings of what was done with a house: "schaltet".
    pub action_endings: Phrases,
    /// Of these a passive tells of a house and hardly of the world.
    pub house_endings: Phrases,
    /// Words that say by themselves that a task is over.
    pub over: Phrases,
    /// Who does what Hark does: "ich".
    pub doers: Phrases,
    /// Verbs of having done it: "habe".
    pub having: Phrases,
    /// Those that begin a sentence without anybody.
    pub having_first: Phrases,
    /// Who is at it.
    pub doers_doing: Phrases,
    /// Verbs of it, right behind: "schalte".
    pub doing: Phrases,
    /// Verbs of the passive: "wurde".
    pub passive: Phrases,
    /// Words that tell the same where something was to be done: "jetzt".
    pub now: Phrases,
    /// Verbs beside which an action without any is no sentence of its own.
    pub finite: Phrases,
}
