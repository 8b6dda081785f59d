//! Whether a request means one thing of a kind, and which is not said: "the light", "a window". Called where a match becomes an
//! intent.

use super::grammar::Match;
use super::intent::category_of;
use super::text::Token;
use super::understand::kind_of;
use hark_core::Category;
use hark_language::{Lexicon, phrases};
use std::ops::Range;

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

/// Whether any one of a kind will do: "a light", "one of the lamps".
pub(super) fn is_one_of_a_kind(words: &[&str], lexicon: &Lexicon) -> bool {
    let things = &lexicon.things;
    let is_kind = |word: &str| {
        let mut stems = things.endings.iter().filter_map(|ending| word.strip_suffix(ending));
        things.single.contains(word) || stems.any(|stem| things.single.contains(stem))
    };
    (0..words.len()).any(|at| {
        let length = phrases::starts(things.one_of, &words[at..]);
        length.is_some_and(|length| words.get(at + length).is_some_and(|word| is_kind(word)))
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
