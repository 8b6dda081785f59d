//! What people say around a request: hesitations, courtesies, corrections, reasons, stories.

use crate::phrases::{Phrase, Phrases, Table};
use serde::Deserialize;

/// `discourse.toml` of a language.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Discourse {
    /// Words of this language only, and in nearly every request: they tell which language a short text is in.
    pub telling: Phrases,
    /// Filler sounds, "um"; they are ignored wherever they stand.
    pub hesitations: Phrases,
    /// Articles and other small words of which a repetition is ignored: "the, the lamp".
    pub stammered: Phrases,
    /// What begins a remark that takes back a part of a request: "*forget* the sunrise", "*wrong* door".
    pub dismissals: Phrases,
    /// What begins a remark that has no subject: "*just popping* to the shops".
    pub activities: Phrases,
    /// What people say before the request itself: "can you tell me".
    pub leads: Phrases,
    /// Take a request back at its end: "never mind".
    pub taken_back: Phrases,
    /// What people say behind the request itself: "if you don't mind".
    pub trails: Phrases,
    /// Words between what was said wrongly and what is meant: "the lamp, *no*, the fan".
    pub corrections: Phrases,
    /// Words between a correction and what was meant: "no, *make it* ten".
    pub corrections_with: Phrases,
    /// The same behind what was meant: "the fan, *i should have said*".
    pub corrections_behind: Phrases,
    /// How a next turn asks for the same of something else: "*and* at seven", "*what about* the one in the bedroom".
    pub another: Phrases,
    /// The same behind it: "and at seven *as well*".
    pub another_behind: Phrases,
    /// A word that stands for the thing in what is meant: "no, the bedroom *one*".
    pub one: Phrases,
    /// Words between a reason and what is asked for: "it's dark *so* turn on the light".
    pub therefore: Phrases,
    /// How people ask, behind a reason or where they like.
    pub requests: Phrases,
    /// What people say before a thing that should be done: "would you mind *turning* …", with the plain verb.
    pub gerunds: Table<Phrase>,
    /// The verb with which a request that only names things is said back: "I'll *have* the lamp on".
    pub promising: Phrases,
    /// Verbs between a thing and what it is to do, which are not said back: "the light *has to* go off".
    pub modals: Phrases,
    /// Phrases that mean something else than their words, and what sentences say for them: "*knock it off* at ten".
    pub idioms: Table<Phrase>,
    /// Words of everyday speech, and what sentences say for them: "*pop* the light on", "everything off *up there*".
    pub plain_words: Table<Phrase>,
    /// Words of a clause that add nothing: "if it's *actually* open".
    pub fillers: Phrases,
    /// Words of a clause that deny it, and what is said without the denial: "if it *isn't* open", nothing for "not".
    pub denied: Table<Phrase>,
    /// Endings of contracted words, with the words each can be short for: "'s" with "is" and "has".
    pub contractions: Table<Phrases>,
    /// Endings that are written for a contracted one that sounds the same: "s" for "'s" in "the doors been open".
    pub sounds_contracted: Table<Phrase>,
    /// How a reason begins, before a request or behind it: "*it's* late turn off the lights".
    pub reasons: Phrases,
    /// Begin a reason behind a request, and mean nothing else: "because".
    pub because: Phrases,
    /// How what a request is for begins: "open the window *to let* the steam out".
    pub purposes: Phrases,
    /// Words for people with which a sentence of theirs begins: "i", "they're".
    pub speakers: Phrases,
    /// Verbs with which a request begins behind a reason without a word between.
    pub verbs: Phrases,
    /// Words that make a sentence say how something is: "is", "it's".
    pub states: Phrases,
    /// Verbs that a question has in front and an indirect one behind: "what *is* the time", "tell me what the time *is*".
    pub copulas: Phrases,
    /// What only the one who is spoken to is asked for: "tell me".
    pub to_me: Phrases,
    /// Words before one of `closing` that say no more than that: "and *go* off at eleven".
    pub goes: Phrases,
    /// Words with which a short request ends, so that the next may follow: "tv *on* curtains *closed*".
    pub closing: Phrases,
    /// Words before a verb that make it no request: "i'm going *to* close the door".
    pub not_before: Phrases,
    /// The place of the reason: "switch the lights off *in there*".
    pub there: Phrases,
    /// Words before a place: "*in* the kitchen".
    pub within: Phrases,
    /// How a story of other people begins.
    pub others: Phrases,
    /// Whom people speak of without an article: "*mum* always forgets".
    pub kin: Phrases,
    /// Words with which somebody else's words are told.
    pub reports: Phrases,
    /// Words of a story of what has been.
    pub past: Phrases,
    /// How questions and requests begin or what only they have: where one is, it is no story.
    pub asks: Phrases,
    /// Words that only a question begins with.
    pub questions: Phrases,
}

impl Discourse {
    /// Whether a word says how or what something is: "is", "bridget's".
    pub fn says_state(&self, word: &str) -> bool {
        self.states.contains(word) || self.contraction(word).is_some()
    }

    /// A contraction taken apart: "somebody's" is "somebody" with "is" or "has".
    pub fn contraction<'w>(&self, word: &'w str) -> Option<(&'w str, Phrases)> {
        self.contractions.iter().find_map(|(end, meant)| Some((word.strip_suffix(end)?, *meant)))
    }

    /// The same of a word that only sounds like a contraction.
    pub fn unmarked_contraction<'w>(&self, word: &'w str) -> Option<(&'w str, Phrases)> {
        self.sounds_contracted.iter().find_map(|(end, contracted)| {
            let meant = self.contractions.get(contracted)?;
            Some((word.strip_suffix(end).filter(|stem| !stem.is_empty())?, meant))
        })
    }
}
