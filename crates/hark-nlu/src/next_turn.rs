//! A turn that corrects the one before, asks for the same of something else, or goes on with it: both are read as one.

use super::edits::which_one;
use super::grammar::{Part, Reader};
use super::intent::category_of;
use super::request_framing::Speech;
use super::rules;
use super::to_intent::{WILD_CONFIDENCE, is_whole};
use hark_core::automation::intent::{CANCEL, RESTORE_LATER};
use hark_core::ports::NEXT_TURN;
use hark_core::{Category, Intent, Understanding};
use hark_language::phrases;

impl Reader<'_> {
    /// What the words of two turns mean where the second corrects the first.
    pub(super) fn corrected_turn(&self, text: &str, language: &str) -> Option<Understanding> {
        text.contains(NEXT_TURN).then_some(())?;
        let tokens = self.tokenise(text);
        let speech = Speech { reader: self, text, tokens: &tokens };
        let read = |text: &str| {
            let found = Some(self.as_said(text, language)).filter(is_whole);
            found.or_else(|| self.said_otherwise(text, language))
        };
        let again = || {
            let (before, again) = speech.repeated()?;
            let before = read(&before)?;
            again.iter().find_map(|text| with_same_again(&before, read(text)?))
        };
        // "Tell me when the mower is done … and put the sprinkler on then."
        let then = || {
            let (before, then) = speech.at_the_same_time()?;
            let (before, then) = (read(&before)?, then.iter().find_map(|text| read(text))?);
            let intents = before.intents.into_iter().chain(then.intents).collect();
            Some(Understanding { intents, ..Understanding::default() })
        };
        // "Put the kettle on … tell me when it's done."
        let beside = || {
            let (before, both) = speech.joined()?;
            let (before, both) = (read(&before)?, read(&both)?);
            let goes_on =
                both.intents.len() > before.intents.len() && both.intents.starts_with(&before.intents);
            // "Turn on the radio … mute it for two minutes": only the second ends then.
            let ends = both.intents.iter().skip(before.intents.len()).any(|it| it.name == RESTORE_LATER);
            (goes_on && !ends).then_some(both)
        };
        let measured = || read(&speech.measured()?);
        let only_one = || speech.with_only_one().iter().find_map(|text| read(text));
        speech
            .edited()
            .iter()
            .find_map(|text| read(text))
            .or_else(measured)
            .or_else(only_one)
            .or_else(then)
            .or_else(again)
            .or_else(beside)
    }
}

impl Speech<'_> {
    /// Whether the second of two turns leaves one thing of several: "just the lamp", "only the bedroom".
    pub(super) fn leaves_one(&self) -> bool {
        let (words, Some(at)) = (self.words(), self.next_turn()) else { return false };
        let limits = phrases::starts(self.lexicon().qualifiers.only, &words[at..])
            .filter(|_| !self.lexicon().requests.contrasts.contains(words[at]));
        limits.is_some_and(|length| {
            let rest = phrases::without_ends(
                &[self.lexicon().discourse.trails, self.lexicon().discourse.corrections_behind],
                &words[at + length..],
            );
            let said = rest.join(" ");
            self.reader.part(Part::Target, false, &said, &self.reader.tokenise(&said)).is_some()
        })
    }

    /// The first of two turns with one thing in the place of those of its kind: "the kitchen lights on … *just the counter one*".
    fn with_only_one(&self) -> Vec<String> {
        let (words, Some(at)) = (self.words(), self.next_turn()) else { return Vec::new() };
        let Some(length) = phrases::starts(self.lexicon().qualifiers.only, &words[at..]) else {
            return Vec::new();
        };
        let said = self.meant(&words[at + length..]);
        let which = which_one(said, self.lexicon());
        let kind = self.kind_said(&words[..at]).filter(|_| which.len() < said.len());
        kind.map(|kind| self.put_in(&words[..at], &[which, &[kind]].concat(), &[])).unwrap_or_default()
    }

    /// The first of two turns with the length that is all the second says, where it said none: "turn on the lamp *for a bit* …
    /// ten minutes".
    fn measured(&self) -> Option<String> {
        let (words, next) = (self.words(), self.next_turn()?);
        let (said, talk) = (&self.lexicon().qualifiers, &self.lexicon().discourse);
        let vague = |at: usize| Some((at, at + phrases::starts(said.unmeasured, &words[at..next])?));
        let (begin, end) = (1..next).find_map(vague)?;
        let answer = phrases::without_ends(&[talk.hesitations, talk.leads, talk.trails], &words[next..]);
        let mark = phrases::starts(said.lasting, answer).unwrap_or(0);
        let (_, used) = rules::length(answer.get(mark..)?, self.lexicon())?;
        (mark + used == answer.len()).then(|| [&words[..begin], answer, &words[end..next]].concat().join(" "))
    }
}

impl Reader<'_> {
    /// Whether the second of two turns leaves one thing of those that the first named: it means nothing behind the first.
    pub(super) fn leaves_one(&self, text: &str) -> bool {
        let tokens = self.tokenise(text);
        Speech { reader: self, text, tokens: &tokens }.leaves_one()
    }
}

/// Whether words of two turns were taken for one item of a list, or the second for what waits: "*scrap the onions*".
pub(super) fn takes_across_turns(text: &str, found: &Understanding) -> bool {
    let is_wild = |intent: &Intent| intent.confidence <= WILD_CONFIDENCE;
    let lists = |intent: &Intent| category_of(&intent.name) == Some(Category::List) || intent.name == CANCEL;
    text.contains(NEXT_TURN) && found.intents.iter().any(|intent| lists(intent) && is_wild(intent))
}

/// A request with the same asked again of something else; `None` where that is nothing of the kind.
fn with_same_again(before: &Understanding, again: Understanding) -> Option<Understanding> {
    let same = |one: &Intent, other: &Intent| one.name == other.name && one.slots == other.slots;
    let is_new = |intent: &Intent| !before.intents.iter().any(|known| same(known, intent));
    let new: Vec<Intent> = again.intents.into_iter().filter(is_new).collect();
    let alike = |intent: &Intent| before.intents.iter().any(|known| known.name == intent.name);
    let is_clear = before.ambiguous.is_empty() && again.ambiguous.is_empty();
    (is_clear && !new.is_empty() && new.iter().all(alike)).then(|| Understanding {
        intents: before.intents.iter().cloned().chain(new).collect(),
        ..Understanding::default()
    })
}
