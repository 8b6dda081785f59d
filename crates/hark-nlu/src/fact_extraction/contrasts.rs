//! Corrections that name both what is right and what is wrong, in any order: "it's not biscuit, the puppy's called brisket",
//! "it's the eleventh of january he starts not the fourth", "wednesdays instead of tuesdays from now on".

use super::fillers::{Word, correcting, lower, words_of};
use super::values::values;
use hark_core::memory::SaidContrast;
use hark_language::names::{asks, is_small, normal};
use hark_language::{Lexicon, phrases};

/// Most words of what is so, and of what is not.
const MAX_PIECE_WORDS: usize = 4;

/// Most words of a sentence that is looked at.
const MAX_WORDS: usize = 40;

/// The ways in which a sentence may mean it, the likeliest first.
pub(super) fn contrasts(text: &str, lexicon: &'static Lexicon) -> Vec<SaidContrast> {
    let memory = &lexicon.memory;
    let words = words_of(text);
    if words.len() > MAX_WORDS {
        return Vec::new();
    }
    let said = lower(&words);
    let from = correcting(&said, memory);
    let piece = |from: usize, length: usize| {
        let (first, last) = (words.get(from)?, words.get((from + length).checked_sub(1)?)?);
        text.get(first.start..last.end)
    };
    // Places behind "it's" and "no, I meant", and behind the article there.
    let framed = (from..said.len())
        .filter_map(|at| Some(at + phrases::starts(memory.it_is, &said[at..])?))
        .chain((from > 0).then_some(from));
    let is_article = |at: &usize| said.get(*at).is_some_and(|word| lexicon.things.articles.contains(word));
    let frames: Vec<usize> =
        framed.flat_map(|at| std::iter::once(at).chain(is_article(&at).then_some(at + 1))).collect();
    // "Misheard her" says nothing of "brisket *i misheard her*".
    let begins = |at: &usize| phrases::starts(memory.clause_starts, &said[*at..]).is_some();
    let ends: Vec<usize> = (from + 1..said.len()).filter(begins).chain([said.len()]).collect();
    let mut found: Vec<(usize, SaidContrast)> = Vec::new();
    for not in 0..said.len() {
        let Some(marks) = phrases::starts(memory.not, &said[not..]) else { continue };
        let old_at = not + marks;
        for length in (1..=MAX_PIECE_WORDS.min(said.len() - old_at)).rev() {
            // What is so stands before "not", behind "it's", or at the end: "it's not biscuit … brisket".
            let framed = frames.iter().copied().filter(|at| at + length <= not);
            // "Bridget's not at hay" only denies.
            let denies = not.checked_sub(1).is_some_and(|at| lexicon.discourse.says_state(said[at]));
            let before = not.checked_sub(length).filter(|_| !denies);
            let is_framed = frames.contains(&not) || not == from;
            let at_end = ends.iter().filter_map(|end| end.checked_sub(length));
            let at_end = at_end.filter(|at| is_framed && *at >= old_at + length);
            let next_to_not = framed.chain(before).chain(at_end).map(|at| (old_at, at));
            // "She's not going to truro after all, it's falmouth".
            let in_a_clause = frames.iter().filter(|at| ends.contains(&(**at + length))).flat_map(|at| {
                (old_at..=old_at + MAX_PIECE_WORDS).filter(|old| old + length <= *at).map(|old| (old, *at))
            });
            for (old_at, at) in next_to_not.chain(in_a_clause) {
                // "The twenty first, not the fourteenth".
                let has_article = is_article(&old_at) && !is_article(&at) && at > 0 && is_article(&(at - 1));
                let (at, length_of_new) = if has_article { (at - 1, length + 1) } else { (at, length) };
                let (Some(new), Some(old)) = (piece(at, length_of_new), piece(old_at, length)) else {
                    continue;
                };
                if !says_something(new) || !says_something(old) || normal(new) == normal(old) {
                    continue;
                }
                let Some(likeness) = likeness(new, old, lexicon) else { continue };
                let about = rest(&words, &[(at, length_of_new), (not, marks), (old_at, length)]);
                let (new, old) = (new.to_owned(), old.to_owned());
                let contrast = SaidContrast { new, old, about, language: lexicon.code.to_owned() };
                found.push((likeness, contrast));
            }
        }
    }
    // Those that are as like one another in the order in which they were found: longer ones first.
    found.sort_by_key(|(likeness, _)| std::cmp::Reverse(*likeness));
    found.into_iter().map(|(_, contrast)| contrast).collect()
}

fn says_something(piece: &str) -> bool {
    let is_telling = |word: &str| !is_small(&normal(word)) && !asks(&normal(word));
    piece.split_whitespace().any(is_telling)
}

/// The words without some stretches, each from a word on with its count.
fn rest(words: &[Word], without: &[(usize, usize)]) -> String {
    let is_in = |at: usize| without.iter().any(|(from, length)| (*from..from + length).contains(&at));
    let kept = words.iter().enumerate().filter(|(at, _)| !is_in(*at)).map(|(_, word)| word.lower.as_str());
    kept.collect::<Vec<_>>().join(" ")
}

/// How much what is so is of the kind of what is not: "the eleventh" is of that of "the fourth". `None` for what cannot take its
/// place: "he starts".
fn likeness(one: &str, other: &str, lexicon: &'static Lexicon) -> Option<usize> {
    let kinds = |piece: &str| values(piece, lexicon).into_iter().map(|value| value.kind).collect::<Vec<_>>();
    let (kinds_of_one, kinds_of_other) = (kinds(one), kinds(other));
    let same_kind = kinds_of_one == kinds_of_other;
    let words = one.split(' ').zip(other.split(' ')).filter(|(one, other)| one == other).count();
    let may_replace = words > 0 || !kinds_of_one.is_empty() || kinds_of_other.is_empty();
    may_replace
        .then_some(2 * usize::from(same_kind && !kinds_of_one.is_empty()) + usize::from(same_kind) + words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_so_is_found_wherever_it_stands() {
        let has = |said: &str, new: &str, old: &str, about: &str| {
            let found = contrasts(said, hark_language::of("en"));
            let is_it = |it: &SaidContrast| (&*it.new, &*it.old) == (new, old) && it.about.contains(about);
            assert!(found.iter().any(is_it), "{said}: {found:?}");
        };
        has("it's not biscuit the puppy's called brisket", "brisket", "biscuit", "puppy's");
        has("it's the eleventh of january he starts not the fourth", "the eleventh", "the fourth", "starts");
        has("kelly's doing wednesdays instead of tuesdays from now on", "wednesdays", "tuesdays", "kelly's");
        has("trev's changed his mind it's portugal he's off to not spain", "portugal", "spain", "trev's");
        has("no i meant a whole tin for buster not half a tin", "a whole tin", "half a tin", "buster");
        has("it's not biscuit the puppy's called brisket i misheard her", "brisket", "biscuit", "puppy's");
        has("he's off from the twenty first not the fourteenth", "the twenty first", "the fourteenth", "off");
        has("helen's not going to truro after all it's falmouth", "falmouth", "truro", "helen's");
        has("they can't do saturday it's sunday they're coming", "sunday", "saturday", "coming");
        assert_eq!(contrasts("bridget's not at hay any more", hark_language::of("en")), []);
        assert_eq!(contrasts("i'm not sure", hark_language::of("en")), []);
    }
}
