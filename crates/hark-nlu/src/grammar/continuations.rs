//! How likely a sentence goes on, by how many of the home's sentences do: what the audio pipeline needs to know of a request
//! that is whole and may go on all the same.

use super::network::NodeId;
use super::sample::Fork;
use super::views::TrieId;
use super::words::WordId;
use super::{Grammar, JOINER};
use crate::text;
use std::collections::BTreeMap;

/// Where a reading of the words stands: at a node, or in a list behind which the node stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    Node(NodeId),
    List(TrieId, NodeId),
}

/// Places with the share of the samples that come by.
type Shares = BTreeMap<Place, f64>;

impl Grammar {
    /// Of the sentences that begin with `text` the share that goes on, as the sampler draws them. Polite phrases behind a
    /// sentence count for nothing. `None` when no sentence begins so.
    pub(super) fn share_of_continuations(&self, text: &str) -> Option<f32> {
        let words = text::words(text, self.lexicon);
        let words: Vec<Option<WordId>> = words.iter().map(|word| self.words.get(word)).collect();
        let joiner = self.words.get(JOINER);
        let joint = words.iter().rposition(|word| word.is_some() && *word == joiner);
        self.share_behind(&words).or_else(|| {
            // What follows on "and" is a sentence of its own.
            let second = &words[joint? + 1..];
            if second.is_empty() { Some(1.0) } else { self.share_behind(second) }
        })
    }

    fn share_behind(&self, words: &[Option<WordId>]) -> Option<f32> {
        let mut counts = BTreeMap::new();
        let mut places = Shares::new();
        for (start, share) in self.sampled_starts() {
            *places.entry(Place::Node(start)).or_default() += share;
        }
        for word in words {
            places = self.shares_behind(&places, (*word)?, &mut counts);
        }
        let all: f64 = places.values().sum();
        let ends: f64 = places.iter().map(|(place, share)| share * self.share_of_end(*place)).sum();
        (!words.is_empty() && all > 0.0).then(|| (1.0 - ends / all).clamp(0.0, 1.0) as f32)
    }

    /// The places one word further. `counts`: how many values of a list are behind a node of its trie, where that was counted.
    fn shares_behind(&self, places: &Shares, word: WordId, counts: &mut BTreeMap<TrieId, usize>) -> Shares {
        let mut next = Shares::new();
        for (place, share) in places {
            match place {
                Place::Node(node) => {
                    let Fork { words, lists, total } = self.fork(*node);
                    for (_, to, weight) in words.iter().filter(|(other, ..)| *other == word) {
                        *next.entry(Place::Node(*to)).or_default() += share * *weight as f64 / total as f64;
                    }
                    for (view, _, to, weight) in lists {
                        let share = share * weight as f64 / total as f64;
                        self.step_in_list((self.views.get(view).root, to), word, share, &mut next, counts);
                    }
                }
                Place::List(list, to) => {
                    self.step_in_list((*list, *to), word, *share, &mut next, counts);
                }
            }
        }
        next
    }

    /// One word further in a list: to the values that are longer, and behind the list for those that end there.
    fn step_in_list(
        &self,
        (list, behind): (TrieId, NodeId),
        word: WordId,
        share: f64,
        next: &mut Shares,
        counts: &mut BTreeMap<TrieId, usize>,
    ) {
        let Some(child) = self.views.step(list, word) else { return };
        let ending = self.views.tries[child as usize].values.len();
        let all = self.values_from(child, counts);
        let longer_than_list = self.values_from(list, counts) - self.views.tries[list as usize].values.len();
        let a_value = share / longer_than_list as f64;
        if ending > 0 {
            *next.entry(Place::Node(behind)).or_default() += a_value * ending as f64;
        }
        if all > ending {
            *next.entry(Place::List(child, behind)).or_default() += a_value * (all - ending) as f64;
        }
    }

    /// How many values of a list end at a node of its trie or behind it.
    fn values_from(&self, list: TrieId, counts: &mut BTreeMap<TrieId, usize>) -> usize {
        if let Some(count) = counts.get(&list) {
            return *count;
        }
        let node = &self.views.tries[list as usize];
        let longer: usize = node.next.iter().map(|(_, child)| self.values_from(*child, counts)).sum();
        let count = node.values.len() + longer;
        counts.insert(list, count);
        count
    }

    /// Which share of what comes by a place ends there.
    fn share_of_end(&self, place: Place) -> f64 {
        match place {
            Place::Node(node) if self.network.node(node).last => 1.0 / self.fork(node).total as f64,
            Place::Node(_) | Place::List(..) => 0.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::test_home::grammar;

    #[test]
    fn the_share_that_goes_on_is_of_what_the_sampler_draws() {
        let grammar = grammar();
        let samples = grammar.samples(20_000, 5);
        let drawn = |text: &str| {
            let begun = samples.iter().map(|words| words.join(" ")).filter(|said| {
                said.strip_prefix(text).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
            });
            let begun: Vec<String> = begun.collect();
            let longer = begun.iter().filter(|said| said.len() > text.len()).count();
            (longer as f32 / begun.len() as f32, begun.len())
        };
        let mut compared = 0;
        let beginnings: std::collections::BTreeSet<String> =
            samples.iter().take(300).map(|words| words[..words.len().min(3)].join(" ")).collect();
        for text in beginnings {
            let (drawn, count) = drawn(&text);
            // Fewer say little.
            if count < 60 {
                continue;
            }
            // Polite phrases and joined requests are drawn, too, but are no part of a sentence.
            let Some(share) = grammar.share_of_continuations(&text) else { continue };
            assert!((share - drawn).abs() < 0.25, "{text}: {share}, and {drawn} of {count}");
            compared += 1;
        }
        assert!(compared > 5, "{compared}");
    }

    #[test]
    fn a_sentence_that_is_not_whole_goes_on_and_one_that_is_no_sentence_is_unknown() {
        let grammar = grammar();
        let share = |text: &str| grammar.share_of_continuations(text);
        assert_eq!(share("turn on the"), Some(1.0));
        assert_eq!(share("turn on the kitchen light and"), Some(1.0));
        assert_eq!(share("colourless green ideas"), None);
        assert_eq!(share(""), None);
        let (whole, part) = (share("what time is it").unwrap(), share("what time is").unwrap());
        assert!(whole < 1.0 && part == 1.0, "{whole}, {part}");
    }
}
