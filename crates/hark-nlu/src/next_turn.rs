//! A turn that corrects the one before, asks for the same of something else, or goes on with it: both are read as one.

use super::grammar::Reader;
use super::intent::category_of;
use super::request_framing::Speech;
use super::understand::{WILD_CONFIDENCE, is_whole};
use hark_core::automation::intent::RESTORE_LATER;
use hark_core::ports::NEXT_TURN;
use hark_core::{Category, Intent, Understanding};

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
        speech.edited().iter().find_map(|text| read(text)).or_else(then).or_else(again).or_else(beside)
    }
}

/// Whether words of two turns were taken for one item of a list.
pub(super) fn lists_across_turns(text: &str, found: &Understanding) -> bool {
    let is_wild = |intent: &Intent| intent.confidence <= WILD_CONFIDENCE;
    let lists = |intent: &Intent| category_of(&intent.name) == Some(Category::List) && is_wild(intent);
    text.contains(NEXT_TURN) && found.intents.iter().any(lists)
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
