//! From what a sentence was read as to an intent: whether one thing of a kind is meant and which is not said ("the light", "a
//! window"), of which kind it is, how sure it is.

use super::grammar::Match;
use super::intent::category_of;
use super::text::Token;
use hark_core::automation::intent::{SEVERAL, TO_IT};
use hark_core::intent::refusal;
use hark_core::{Category, Intent, Route, Understanding};
use hark_language::{Lexicon, phrases};
use std::ops::Range;

/// The intent that tells which one is meant.
pub(super) const CHOOSES: &str = "HarkChoose";

/// Confidence of a match in which a wildcard took words: the words are exact, their meaning is open.
pub(super) const WILD_CONFIDENCE: f32 = 0.9;

/// What sets a quantity that only things of one domain have; of what was named before in the same sentence, where it
/// says itself of what.
const OF_WHAT_WAS_NAMED: [(&str, &str); 12] = [
    ("HassVacuumStart", "vacuum"),
    ("HassLawnMowerStartMowing", "lawn_mower"),
    ("HassSetVolume", "media_player"),
    ("HassSetVolumeRelative", "media_player"),
    ("HassLightSet", "light"),
    ("HarkLightSetRelative", "light"),
    ("HassFanSetSpeed", "fan"),
    ("HarkFanSetSpeedRelative", "fan"),
    ("HassSetPosition", "cover"),
    ("HarkSetPositionRelative", "cover"),
    ("HassClimateSetTemperature", "climate"),
    ("HarkClimateSetTemperatureRelative", "climate"),
];

/// The domain of what an intent changes, where it can change only one kind.
pub(super) fn kind_of(intent: &str) -> Option<&'static str> {
    OF_WHAT_WAS_NAMED.iter().find(|(name, _)| *name == intent).map(|(_, domain)| *domain)
}

/// The intent of a match.
pub(super) fn to_intent(found: Match, lexicon: &Lexicon) -> Intent {
    let wild = if found.wild_words == 0 { 1.0 } else { WILD_CONFIDENCE };
    let words: Vec<&str> = found.words.iter().map(|(word, _)| word.as_str()).collect();
    let single = found.one || is_single(&found, &words, lexicon);
    let mut slots = found.slots;
    if found.intent == TO_IT && words.iter().any(|word| lexicon.requests.several_pronouns.contains(word)) {
        slots.insert(SEVERAL.to_owned(), true.into());
    }
    Intent {
        name: found.intent,
        slots,
        confidence: found.score.min(wild),
        route: Route::Template,
        why: found.why,
        response: found.response,
        single,
    }
}

/// Whether all that was said was understood, and can be done.
pub(super) fn is_whole(found: &Understanding) -> bool {
    // An answer to "which one" beside another request is no answer.
    let is_open =
        |intent: &Intent| intent.name == refusal::INTENT || intent.name == CHOOSES && found.intents.len() > 1;
    !found.intents.is_empty() && found.missed.is_empty() && !found.intents.iter().any(is_open)
}

/// Whether one thing of a kind is to change ("the light", "a window"), and nothing says which. In a place it is one where
/// one was said ("a light in the bedroom", "one of the lights in there"), or the place only tells where the thing is that is
/// meant ("the lamp in the bedroom"; "the bedroom light" is all of its light).
pub(super) fn is_single(found: &Match, words: &[&str], lexicon: &Lexicon) -> bool {
    let said = |slot: &str| found.slots.contains_key(slot);
    let any = |phrases| (0..words.len()).any(|at| phrases::starts(phrases, &words[at..]).is_some());
    let of_a_kind = category_of(&found.intent) == Some(Category::HomeControl)
        && (["domain", "device_class"].iter().any(|slot| said(slot)) || kind_of(&found.intent).is_some())
        && !said("name")
        && !any(lexicon.things.every);
    if !of_a_kind {
        return false;
    }
    if ["area", "floor"].iter().any(|slot| said(slot)) {
        return is_one_of_a_kind(words, lexicon) || stands_in_a_place(words, lexicon);
    }
    any(lexicon.things.single)
}

/// Words at most up to the kind that one is of: "kitchen lights".
const MAX_BEFORE_KIND: usize = 3;

/// Whether any one of a kind will do: "a light", "one of the lamps".
pub(super) fn is_one_of_a_kind(words: &[&str], lexicon: &Lexicon) -> bool {
    let things = &lexicon.things;
    let is_kind = |word: &str| {
        let mut stems = things.endings.iter().filter_map(|ending| word.strip_suffix(ending));
        things.single.contains(word) || stems.any(|stem| things.single.contains(stem))
    };
    (0..words.len()).any(|at| {
        // "One of the kitchen lights."
        let behind = phrases::starts(things.one_of, &words[at..]).map(|length| &words[at + length..]);
        behind.is_some_and(|behind| behind.iter().take(MAX_BEFORE_KIND).any(|word| is_kind(word)))
    })
}

/// Where a text says one thing of a kind, with the article before it: "turn *the fan* on".
pub(super) fn one_of_a_kind(tokens: &[Token], lexicon: &Lexicon) -> Option<Range<usize>> {
    let words: Vec<&str> = tokens.iter().map(|token| token.word.as_str()).collect();
    let things = &lexicon.things;
    (0..words.len()).find_map(|at| {
        let length = phrases::starts(things.single, &words[at..])?;
        let is_article = at > 0 && things.articles.contains(words[at - 1]);
        Some(tokens[at - usize::from(is_article)].start..tokens[at + length - 1].end)
    })
}

/// Whether a word for one thing stands behind an article, and its place behind it: "the lamp that's in the bedroom".
fn stands_in_a_place(words: &[&str], lexicon: &Lexicon) -> bool {
    let things = &lexicon.things;
    (1..words.len()).any(|at| {
        let kind = phrases::starts(things.one_in_a_place, &words[at..]);
        let placed = |length: usize| {
            let behind = &words[at + length..];
            let which = phrases::starts(things.which, behind).unwrap_or(0);
            behind.get(which).is_some_and(|word| lexicon.discourse.within.contains(word))
        };
        things.articles.contains(words[at - 1]) && kind.is_some_and(placed)
    })
}
