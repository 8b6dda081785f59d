//! A sentence of an intent that is near to what was said, with what was put in and passed over on the way to it.

use super::super::JOINER;
use super::super::words::QuickMap;
use super::{PASS, PASS_ONE, Place, Said, Text, Way};
use crate::text::Token;

/// A sentence of the intent.
pub(super) struct Candidate {
    pub(super) cost: u32,
    pub(super) text: String,
    /// Which of its words are content that was put in.
    pub(super) put_in: Vec<bool>,
    /// Content words that were said and have a place in it.
    pub(super) kept: usize,
    /// Content words that were passed over.
    pub(super) passed: usize,
    /// Whether one of them is in no sentence and no name: just what a place for any words is for.
    pub(super) strange: bool,
    /// Whether something that was said fills a list.
    pub(super) mentions: bool,
    pub(super) unplaced: usize,
    /// Whether something was passed over that is called by no word of this home: "the attic", "my den".
    pub(super) unheard: bool,
    /// Whether a kind of thing was put in: "the light" for "the water", "bedroom to eighteen".
    pub(super) put_thing: bool,
    /// Whether a thing was passed over: "the water" of "turn the water off in the garden".
    pub(super) passed_thing: bool,
    /// Whether a kind of thing was said and has a place in it.
    pub(super) kept_thing: bool,
    /// Whether "all" or "everywhere" was passed over.
    pub(super) passed_all: bool,
    /// Whether "any" or "both" was.
    pub(super) passed_many: bool,
    /// Content words that were passed over, whatever that cost.
    pub(super) ignored: usize,
    /// Whether all before or behind an "and" was passed over: "make it sixty *and blue*".
    pub(super) lost_part: bool,
    /// Whether a content word was put in.
    pub(super) invented: bool,
    /// Content words that were said and are words of the sentence itself: what is to be done, or what is meant; no unit, no
    /// preposition.
    pub(super) own: usize,
}

impl Text<'_> {
    /// Follows the way back.
    pub(super) fn candidate(
        &self,
        known: &QuickMap<Place, Way>,
        last: Place,
        cost: u32,
        mentions: bool,
    ) -> Candidate {
        let (mut words, mut put_in, mut passed, mut kept) = (Vec::new(), Vec::new(), 0, 0);
        let (mut strange, mut unplaced, mut unheard, mut place) = (false, 0, false, last);
        let (mut passed_thing, mut kept_thing, mut put_thing, mut passed_all) = (false, false, false, false);
        let (mut own, mut ignored, mut passed_many) = (0, 0, false);
        let (mut is_end, mut lost_part, mut before_join) = (true, false, None);
        while let Some(way) = known.get(&place) {
            let Some(before) = way.before else { break };
            match way.said {
                Said::Nothing => {}
                Said::Put(word) => {
                    let text = self.grammar.words.text(word);
                    words.push(text);
                    put_in.push(!self.grammar.lexicon().things.small_words.contains(text));
                    put_thing |= self.grammar.names_a_kind(&[text]);
                }
                Said::Tokens => {
                    (is_end, before_join) = (false, None);
                    let tokens = &self.tokens[before.0..place.0];
                    words.extend(tokens.iter().rev().map(|token| token.word.as_str()));
                    put_in.extend(tokens.iter().map(|_| false));
                    let things = &self.grammar.lexicon().things;
                    let content = |token: &&Token| !things.small_words.contains(token.word.as_str());
                    kept += tokens.iter().filter(content).count();
                    kept_thing |= tokens.iter().any(|token| self.grammar.names_a_kind(&[&token.word]));
                    let acts = |token: &&Token| {
                        let unit = self.grammar.lexicon().time.units.get(&token.word);
                        content(token) && unit.is_none() && !things.beside.contains(token.word.as_str())
                    };
                    own +=
                        if self.is_in_a_list(before, place) { 0 } else { tokens.iter().filter(acts).count() };
                }
                Said::Passed => {
                    if self.tokens[before.0].word == JOINER {
                        lost_part |= is_end && ignored > 0;
                        before_join = Some(ignored);
                    }
                    passed += usize::from(self.prices[before.0] >= Some(PASS.0));
                    let small = &self.grammar.lexicon().things.small_words;
                    ignored += usize::from(!small.contains(self.tokens[before.0].word.as_str()));
                    strange |= self.words[before.0].is_none();
                    unplaced += usize::from(self.prices[before.0] >= Some(PASS_ONE));
                    unheard |= self.is_unheard_of(before.0);
                    passed_thing |= self.is_a_thing(before.0);
                    let quantifiers = self.grammar.lexicon().requests.quantifiers;
                    passed_all |= quantifiers.contains(self.tokens[before.0].word.as_str());
                    let many = self.grammar.lexicon().qualifiers.many;
                    passed_many |= many.contains(&self.tokens[before.0].word);
                }
            }
            place = before;
        }
        words.reverse();
        put_in.reverse();
        let invented = put_in.contains(&true);
        Candidate {
            cost,
            text: words.join(" "),
            put_in,
            passed,
            kept,
            strange,
            mentions,
            unplaced,
            unheard,
            put_thing,
            passed_thing,
            kept_thing,
            passed_all,
            passed_many,
            invented,
            ignored,
            lost_part: lost_part || before_join.is_some_and(|behind| ignored > behind),
            own,
        }
    }

    /// Whether the words between two places fill a list.
    fn is_in_a_list(&self, before: Place, place: Place) -> bool {
        self.grammar.network.node(before.1).words.iter().all(|(_, to)| *to != place.1)
    }
}
