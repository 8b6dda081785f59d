//! How far the words so far are a sentence: what the audio pipeline needs to know to stop waiting.

use super::graph::StateId;
use super::views::TrieId;
use super::words::WordId;
use super::{Grammar, JOINER, Match, Reader};
use crate::text;
use chrono::NaiveDateTime;
use hark_core::Effort;
use hark_core::ports::Completeness;
use std::collections::BTreeSet;

/// Ways to go on that are looked at before it is taken for granted that one of them matters.
const MAX_TAILS: usize = 48;

/// Where a reading of the words stands: a state, and the node of the list that is being said there.
type Place = (StateId, Option<TrieId>);

impl Grammar {
    pub(super) fn completeness_of(&self, text: &str) -> Completeness {
        let words = text::words(text, self.lexicon);
        let words: Vec<Option<WordId>> = words.iter().map(|word| self.words.get(word)).collect();
        let whole = self.read(&words);
        let joiner = self.words.get(JOINER);
        let joint = words.iter().rposition(|word| word.is_some() && *word == joiner);
        match joint {
            // What follows on "and" is a sentence of its own, if what comes before it is one.
            Some(at) if whole == Completeness::Unknown => match self.completeness_of_words(&words[..at]) {
                Completeness::Complete | Completeness::MayContinue => match at + 1 == words.len() {
                    true => Completeness::Unfinished,
                    false => self.read(&words[at + 1..]),
                },
                Completeness::Unknown | Completeness::Unfinished => whole,
            },
            _ => whole,
        }
    }

    fn completeness_of_words(&self, words: &[Option<WordId>]) -> Completeness {
        let joiner = self.words.get(JOINER);
        words.split(|word| word.is_some() && *word == joiner).map(|part| self.read(part)).fold(
            Completeness::Complete,
            |worst, part| match (worst, part) {
                (Completeness::Complete | Completeness::MayContinue, part) => part,
                (worst, _) => worst,
            },
        )
    }

    /// Reads one sentence.
    fn read(&self, words: &[Option<WordId>]) -> Completeness {
        let Some(start) = self.graph().start.filter(|_| !words.is_empty()) else {
            return Completeness::Unknown;
        };
        let mut places = self.enter_and_leave_lists([(start, None)].into());
        for word in words {
            let Some(word) = word else { return Completeness::Unknown };
            let next = places.iter().flat_map(|place| self.steps(*place, *word)).collect();
            places = self.enter_and_leave_lists(next);
        }
        let ends = |(state, list): &Place| list.is_none() && self.graph().state(*state).last;
        match (places.is_empty(), places.iter().any(ends)) {
            (true, _) => Completeness::Unknown,
            (false, false) => Completeness::Unfinished,
            (false, true) if self.may_mean_more(words, &places) => Completeness::MayContinue,
            (false, true) => Completeness::Complete,
        }
    }

    /// Places one word further.
    fn steps(&self, (state, list): Place, word: WordId) -> Vec<Place> {
        if let Some(list) = list {
            return self.views.step(list, word).map(|next| (state, Some(next))).into_iter().collect();
        }
        let words = self.graph().state(state).words;
        let first = words.partition_point(|(other, _)| *other < word);
        let same = words[first..].iter().take_while(|(other, _)| *other == word);
        same.map(|(_, to)| (*to, None)).collect()
    }

    /// The places themselves, those at the beginning of lists that may follow, and those behind lists
    /// that may end here.
    fn enter_and_leave_lists(&self, places: BTreeSet<Place>) -> BTreeSet<Place> {
        let mut all = BTreeSet::new();
        let mut todo: Vec<Place> = places.into_iter().collect();
        while let Some((state, list)) = todo.pop() {
            if !all.insert((state, list)) {
                continue;
            }
            match list {
                Some(list) if !self.views.tries[list as usize].values.is_empty() => todo.push((state, None)),
                Some(_) => {}
                None => todo.extend(
                    self.graph()
                        .state(state)
                        .views
                        .iter()
                        .map(|(view, to)| (*to, Some(self.views.get(*view).root))),
                ),
            }
        }
        all
    }

    /// Whether words can follow that change what is meant. Polite phrases do not, and neither does
    /// saying where a thing is that was called by its name.
    fn may_mean_more(&self, words: &[Option<WordId>], places: &BTreeSet<Place>) -> bool {
        let said: Vec<&str> = words.iter().flatten().map(|word| self.words.text(*word)).collect();
        let said = said.join(" ");
        let effort = Effort::default();
        let reader = Reader::new(self, NaiveDateTime::default(), &effort);
        let parse = |text: &str| reader.exactly(text, &text::tokenise(text, self.lexicon));
        let Some(meant) = parse(&said) else { return true };
        let mut tails: BTreeSet<Vec<WordId>> = BTreeSet::new();
        for place in places {
            tails.extend(self.tails(*place));
            if tails.len() > MAX_TAILS {
                return true;
            }
        }
        let differs = |tail: &Vec<WordId>| {
            let tail: Vec<&str> = tail.iter().map(|word| self.words.text(*word)).collect();
            let longer = parse(&format!("{said} {}", tail.join(" ")));
            // A place where the thing does not stand is no way to go on.
            longer.map_or(!meant.slots.contains_key("name"), |longer| !means_the_same(&meant, &longer))
        };
        tails.iter().any(differs) || effort.is_spent()
    }

    /// The shortest ways to an end of a sentence by each of the next words; of a list one value.
    fn tails(&self, (state, list): Place) -> Vec<Vec<WordId>> {
        match list {
            Some(list) if self.graph().is_polite(list, &self.views) => Vec::new(),
            Some(list) if self.views.tries[list as usize].next.is_empty() => Vec::new(),
            Some(list) => {
                let mut tail = Vec::new();
                self.shortest_value(list, true, &mut tail);
                self.shortest_end(state, &mut tail);
                vec![tail]
            }
            None => {
                let next = self.graph().state(state).words.iter().map(|(word, to)| {
                    let mut tail = vec![*word];
                    self.shortest_end(*to, &mut tail);
                    tail
                });
                next.collect()
            }
        }
    }

    /// Adds the words of the nearest value from a node of a list; at least one word when `go_on`.
    fn shortest_value(&self, mut node: TrieId, mut go_on: bool, tail: &mut Vec<WordId>) {
        let tries = &self.views.tries;
        while go_on || tries[node as usize].values.is_empty() {
            go_on = false;
            let nearest = tries[node as usize].next.iter().min_by_key(|(_, to)| tries[*to as usize].min_left);
            let Some((word, next)) = nearest else { return };
            tail.push(*word);
            node = *next;
        }
    }

    /// Adds the words of the shortest way from a state to the end of a sentence.
    fn shortest_end(&self, mut state: StateId, tail: &mut Vec<WordId>) {
        let min_left = |state: StateId| self.graph().state(state).min_left;
        loop {
            let here = self.graph().state(state);
            if here.last {
                return;
            }
            let word = here.words.iter().min_by_key(|(_, to)| min_left(*to));
            let lists = here.views.iter().map(|(view, to)| (self.views.get(*view).root, *to));
            let length = |(root, to): &(TrieId, StateId)| {
                let list = self.views.tries[*root as usize].min_left;
                list.saturating_add(min_left(*to))
            };
            match (word, lists.min_by_key(length)) {
                (Some((word, to)), list) if list.is_none_or(|list| min_left(*to) < length(&list)) => {
                    tail.push(*word);
                    state = *to;
                }
                (_, Some((root, to))) => {
                    self.shortest_value(root, false, tail);
                    state = to;
                }
                _ => return,
            }
        }
    }
}

/// Whether the longer sentence asks for nothing else.
fn means_the_same(short: &Match, long: &Match) -> bool {
    let kept = short.slots.iter().all(|(slot, value)| long.slots.get(slot) == Some(value));
    let named = short.slots.contains_key("name");
    let place = |slot: &String| named && matches!(slot.as_str(), "area" | "floor");
    let added = long.slots.keys().filter(|slot| !short.slots.contains_key(*slot));
    short.intent == long.intent && kept && added.into_iter().all(place)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_home::grammar;
    use Completeness::{Complete, MayContinue, Unfinished, Unknown};

    #[test]
    fn a_sentence_is_over_when_no_other_meaning_can_follow() {
        let table = [
            ("", Unknown),
            ("colourless green ideas", Unknown),
            ("turn", Unfinished),
            ("turn on the", Unfinished),
            ("set a timer for", Unfinished),
            ("set a timer for five", Unfinished),
            ("turn on the kitchen", Unfinished),
            ("turn on the kitchen light and", Unfinished),
            ("turn on the kitchen light and turn off", Unfinished),
            ("set a timer for five minutes", MayContinue),
            ("turn on all the lights", MayContinue),
            ("what time is it", Complete),
            ("What time is it?", Complete),
            ("lock the front door please", Complete),
            ("what time is it and lock the front door", Complete),
        ];
        let grammar = grammar();
        for (text, expected) in table {
            assert_eq!(grammar.completeness_of(text), expected, "{text:?}");
        }
    }
}
