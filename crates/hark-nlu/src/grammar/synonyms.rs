//! What a name is made of, so that it can be recognised under other words: its content words, each as the
//! first of those that name the same thing.

use hark_language::Lexicon;
use hark_language::things::Things;

/// Most words of a phrase that counts as one.
const MAX_WORDS: usize = 3;

/// A word without its ending must have at least this many letters.
const SHORTEST: usize = 3;

/// The content words of what was said, in order, each as the first of its synonyms.
pub(super) fn content(words: &[&str], lexicon: &Lexicon) -> Vec<String> {
    let things = &lexicon.things;
    let meant: Vec<&str> = words
        .iter()
        .copied()
        .filter(|word| !things.small_words.contains(word) && !things.beside.contains(word))
        .collect();
    let mut found = Vec::new();
    let mut at = 0;
    while at < meant.len() {
        let lengths = (1..=MAX_WORDS.min(meant.len() - at)).rev();
        let grouped = lengths
            .into_iter()
            .find_map(|length| Some((first_synonym(&meant[at..at + length], things)?, length)));
        match grouped {
            Some((first, length)) => {
                found.push(first);
                at += length;
            }
            None => {
                found.extend(parts(meant[at], things));
                at += 1;
            }
        }
    }
    found
}

/// The words of what was said that are in a group of synonyms, each as the first of those.
pub(super) fn known(words: &[&str], things: &Things) -> Vec<String> {
    words.iter().filter_map(|word| first_synonym(&[word], things)).collect()
}

/// Whether a content word stands for a group of synonyms.
pub(super) fn is_first(word: &str, things: &Things) -> bool {
    things.groups.iter().filter_map(|group| group.first()).any(|first| stem(first, things) == word)
}

/// The first phrase of the group that some words are in.
fn first_synonym(words: &[&str], things: &Things) -> Option<String> {
    let same = |phrase: &&&str| {
        // A cheap look first: there are hundreds.
        if phrase.as_bytes().first() != words[0].as_bytes().first() {
            return false;
        }
        let mut parts = phrase.split(' ');
        let all = words.iter().all(|word| {
            parts.next().is_some_and(|part| part == *word || stem(part, things) == stem(word, things))
        });
        all && parts.next().is_none()
    };
    let group = things.groups.iter().find(|group| group.iter().any(|phrase| same(&phrase)))?;
    group.first().map(|first| stem(first, things).to_owned())
}

/// A word as it stands, or the parts it is written of when the last is a thing of the house.
fn parts(word: &str, things: &Things) -> Vec<String> {
    let known = |part: &str| first_synonym(&[part], things);
    let cuts = word.char_indices().map(|(at, _)| at).filter(|at| things.compounds && *at >= SHORTEST);
    for cut in cuts {
        let (before, head) = word.split_at(cut);
        if head.chars().count() >= SHORTEST
            && let Some(head) = known(head)
        {
            return vec![known(before).unwrap_or_else(|| stem(before, things).to_owned()), head];
        }
    }
    vec![stem(word, things).to_owned()]
}

/// Whether a word has an ending, as that of several things has.
pub(super) fn is_plural(word: &str, things: &Things) -> bool {
    stem(word, things) != word
}

/// A word without its ending.
pub(super) fn stem<'w>(word: &'w str, things: &Things) -> &'w str {
    let cut = |ending: &&str| {
        word.strip_suffix(*ending).filter(|stem| stem.len() >= SHORTEST && !stem.ends_with('s'))
    };
    things.endings.iter().find_map(cut).unwrap_or(word)
}

/// Whether a word says what kind of thing something of this domain is.
pub(super) fn is_kind(word: &str, domain: &str, things: &Things) -> bool {
    let kinds = things.kinds.iter().filter(|(known, _)| *known == domain).flat_map(|(_, words)| words.iter());
    kinds.into_iter().any(|kind| stem(kind, things) == word)
}

/// Whether a content word ends in what kind of thing it is: a "floor lamp" is a lamp.
pub(super) fn ends_in_kind(word: &str, things: &Things) -> bool {
    is_any_kind(word.rsplit(' ').next().unwrap_or(word), things)
}

/// Whether a word says what kind of thing something is, of any domain.
pub(super) fn is_any_kind(word: &str, things: &Things) -> bool {
    things.kinds.iter().flat_map(|(_, words)| words.iter()).any(|kind| stem(kind, things) == word)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(text: &str, language: &str) -> String {
        let words: Vec<&str> = text.split(' ').collect();
        content(&words, hark_language::of(language)).join("+")
    }

    #[test]
    fn other_words_for_the_same_thing_are_the_same() {
        for (one, other) in [
            ("lamp by the couch", "lamp sofa"),
            ("the couch lights", "sofa lamp"),
            ("drapes in the lounge", "curtains living room"),
            ("the light over the counter", "light countertop"),
            ("washer", "the washing machine"),
        ] {
            assert_eq!(
                said(one, "en").replace("lamp+sofa", "sofa+lamp"),
                said(other, "en").replace("lamp+sofa", "sofa+lamp")
            );
        }
        assert_eq!(said("Küchenlicht".to_lowercase().as_str(), "de"), said("küche lampe", "de"));
        assert_eq!(said("wohnzimmerlampe", "de"), said("stube leuchte", "de"));
        assert_ne!(said("the bed light", "en"), said("the kitchen light", "en"));
        assert_ne!(said("badlicht", "de"), said("küchenlicht", "de"));
    }

    #[test]
    fn no_phrase_is_of_two_groups() {
        for lexicon in hark_language::all() {
            let mut known: Vec<&str> =
                lexicon.things.groups.iter().flat_map(|group| group.iter().copied()).collect();
            let all = known.len();
            known.sort_unstable();
            known.dedup();
            assert_eq!(known.len(), all, "{}: a phrase stands twice", lexicon.code);
        }
    }

    #[test]
    fn every_kind_is_the_first_of_its_group() {
        for lexicon in hark_language::all() {
            for (domain, words) in lexicon.things.kinds.iter() {
                for word in words.iter() {
                    let as_said = content(&word.split(' ').collect::<Vec<_>>(), lexicon);
                    assert!(
                        as_said.len() == 1 && is_kind(&as_said[0], domain, &lexicon.things),
                        "{domain}: {word} {as_said:?}"
                    );
                }
            }
        }
    }
}
