//! Words that make a request hold only sometimes, only for a while, or not for everything.

use crate::phrases::{Phrase, Phrases, Table};
use serde::Deserialize;

/// `qualifiers.toml` of a language.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Qualifiers {
    /// What begins something that is waited for once: "when", "as soon as".
    pub when: Phrases,
    /// The same of what is waited for every time: "whenever".
    pub each_time: Phrases,
    /// Words of a condition that wait for it every time: "if it is *ever* open".
    pub ever: Phrases,
    /// Words of a change that wait for it every time: "when *anyone* opens it".
    pub anyone: Phrases,
    /// Those of `when` with which it is waited for once all the same: "the next time anyone opens it".
    pub the_next: Phrases,
    /// That what is waited for counts once, said of a request before: "only the first time".
    pub once_only: Phrases,
    /// That it counts every time: "every time, not just once".
    pub always: Phrases,
    /// What begins something that has to be so: "if".
    pub if_so: Phrases,
    /// What begins a condition by inversion, with a name behind it: "*should* Alice leave".
    pub inverted: Phrases,
    /// What begins something that must not be so: "unless".
    pub unless: Phrases,
    /// What begins what is to be done where something is not so: "if it is open close it, *otherwise* tell me".
    pub otherwise: Phrases,
    /// What stands for a question before it: "is the door open? if *it is*, close it".
    pub so: Phrases,
    /// That what was asked about is not so: "if *it isn't*, …".
    pub not_so: Phrases,
    /// What puts back what was to last for some time anyway: "for an hour and then *put it back*".
    pub restores: Phrases,
    /// Measures that are in no numbers: "*too cold*".
    pub vague: Phrases,
    /// What begins something that stays as it is: "*only* the kitchen ones stay up".
    pub only: Phrases,
    /// What says that it does.
    pub stays: Phrases,
    /// All but what was named before, and how all are called: "turn off *the other* lights" of "all the" lights; nothing where
    /// those of its kind are meant.
    pub others: Table<Phrase>,
    /// What stands between a length and what lasts for it, with what stands before a length behind that: "ten minutes *of* the
    /// fan" is "the fan *for* ten minutes".
    pub length_of: Table<Phrase>,
    /// What begins a request for a thing to run: "*turn on* the fan".
    pub runs: Phrases,
    /// Verbs of what is to run for some time: "*give* the fan twenty minutes".
    pub runs_for: Phrases,
    /// How all of a kind are called, by their domain, where nothing stands beside the others: "turn off *the others*".
    pub others_of: Table<Phrase>,
    /// What says as what something stays, behind it: "but leave the shutter *up*".
    pub kept_as: Phrases,
    /// What begins days on which it is not to be done; nothing where no days follow: "bar".
    pub day_exceptions: Phrases,
    /// What joins conditions of which one has to be so: "or".
    pub any_of: Phrases,
    /// Words beside conditions that are joined, and add nothing: "both", "either".
    pub both: Phrases,
    /// What begins something for as long as which it is to last: "while".
    pub during: Phrases,
    /// Those that may only say what somebody does in that time: "while I look for it".
    pub meanwhile: Phrases,
    /// What begins the end of it: "until".
    pub until: Phrases,
    /// What begins another condition, with something behind it: "before", "depending on".
    pub conditions: Phrases,
    /// The same where one of `clauses` follows: "the second *the* door opens".
    pub before_clause: Phrases,
    /// How a clause goes on behind `before_clause`.
    pub clauses: Phrases,
    /// Times that no clock knows, or that are not said: "at sunset", "later".
    pub moments: Phrases,
    /// What begins an exception, with something behind it: "except".
    /// The first is put in where it was not said.
    pub exceptions: Phrases,
    /// The same behind a word for many: "*every* blind but the one in the office".
    pub but: Phrases,
    /// Words for many.
    pub many: Phrases,
    /// What stands before a length that something is to last: "for", "for the next".
    pub lasting: Phrases,
    /// What stands before a length after which something is to be done: "*after* ten minutes".
    pub later: Phrases,
    /// "From now on": again and again, and not once.
    pub from_now_on: Phrases,
    /// What says on which day that begins: "*starting* tomorrow".
    pub starting: Phrases,
    /// What begins the hours that something is to last: "*from* nine to ten".
    pub hours_begin: Phrases,
    /// What ends them: "from nine *to* ten".
    pub hours_end: Phrases,
    /// Lengths that nobody has measured: "all day".
    pub unmeasured: Phrases,
    /// What stands before the words of a routine, behind "when": "*I say* movie time".
    pub saying: Phrases,
    /// What stands behind them, where the language puts its verb there: "wenn ich Filmabend *sage*".
    pub saying_behind: Phrases,
    /// What makes a number behind it a condition: "above 25 degrees".
    pub limits: Phrases,
    /// Words before a length that has passed or is waited for: "i've *been* cooking for two hours", "if it *is open* for ten
    /// minutes".
    pub elapsed: Phrases,
    /// What holds such words and is no condition: "even if", "i wonder if".
    pub none: Phrases,
    /// What begins a request with how things are: "*with* the radio off, turn the telly on".
    pub given: Phrases,
    /// What begins a clause that changes nothing: "*whether or not* the window is open".
    pub regardless: Phrases,
    /// What asks for nothing in one of two cases: "if it is, *never mind*".
    pub idle: Phrases,
    /// How a question begins with such a word: "when is".
    pub questions: Phrases,
    /// Those that say when something ends, which rules read as any other time.
    pub ends: Phrases,
    /// Words behind which "not the lamp" corrects what was said.
    pub corrected: Phrases,
}
