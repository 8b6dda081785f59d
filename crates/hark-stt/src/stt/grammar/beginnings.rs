//! How sentences of the home begin, against how any others do: "turn off the" is seldom said to anybody but a house,
//! "how much" is said to everybody.

use super::background::General;
use super::ngram::Scorer;
use crate::stt::neural::Opening;
use std::collections::BTreeMap;
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};

/// Words that are looked at, at most and at least. One word alone tells too little.
const MOST_WORDS: usize = 3;
const LEAST_WORDS: usize = 2;

/// The gain of words that begin no sentence of the home.
const UNKNOWN: f32 = -20.0;

/// Gains of beginnings, in nepers.
pub(super) struct Beginnings {
    /// By the hash of the words, sorted: they stay in memory while nobody speaks.
    gains: Vec<(u32, f32)>,
}

impl Beginnings {
    /// Learns those of a home's sentences.
    pub(super) fn new(sentences: &[Vec<String>], home: &Scorer, general: &General) -> Self {
        let mut gains = BTreeMap::new();
        for sentence in sentences {
            for length in LEAST_WORDS..=MOST_WORDS.min(sentence.len()) {
                let words = &sentence[..length];
                let gain = || home.beginning(words) - general.beginning(words);
                gains.entry(key(words)).or_insert_with(gain);
            }
        }
        Self { gains: gains.into_iter().collect() }
    }

    /// The gain of the beginning that speaks most for a sentence of the home, less its gap.
    pub(super) fn best(&self, openings: &[Opening]) -> f32 {
        openings.iter().map(|it| self.gain(&it.words) - it.gap).fold(UNKNOWN, f32::max)
    }

    /// The gain of as many of the words as are known to begin a sentence of the home.
    pub(super) fn gain(&self, words: &[String]) -> f32 {
        let lengths = (LEAST_WORDS..=MOST_WORDS.min(words.len())).rev();
        let place = |key| self.gains.binary_search_by_key(&key, |(key, _)| *key).ok();
        let known = lengths.map(|length| key(&words[..length])).find_map(place);
        known.map_or(UNKNOWN, |place| self.gains[place].1)
    }
}

fn key(words: &[String]) -> u32 {
    BuildHasherDefault::<DefaultHasher>::new().hash_one(words) as u32
}

#[cfg(test)]
mod tests {
    use super::super::classes::Classes;
    use super::super::language;
    use super::super::ngram::TrigramModel;
    use super::*;
    use std::path::Path;

    fn split(text: &str) -> Vec<String> {
        text.split_whitespace().map(str::to_owned).collect()
    }

    fn beginnings(sentences: &[&str]) -> Beginnings {
        let general = General::open(Path::new("/usr/share/pocketsphinx/model/en-us/en-us.lm.bin")).unwrap();
        let sentences: Vec<_> = sentences.iter().map(|sentence| split(sentence)).collect();
        let model =
            TrigramModel::train(&sentences, &Classes::numbers(&language().numbers, |_| true), 1.0, 0.0);
        Beginnings::new(&sentences, &model.scorer(&[]), &general)
    }

    #[test]
    fn what_is_said_to_a_house_alone_gains_more_than_what_is_said_to_everybody() {
        let known = beginnings(&["turn off the lamp", "how much time is left", "play music", "stop"]);
        let gain = |text: &str| known.gain(&split(text));
        assert!(gain("turn off the") > gain("how much time") + 1.0);
        assert_eq!(gain("turn off the light"), gain("turn off the"), "three words are looked at");
        assert_eq!(gain("play music quietly"), gain("play music"), "and as many as are known");
        for unknown in ["stop", "off", "", "the minister said"] {
            assert_eq!(gain(unknown), UNKNOWN, "{unknown}");
        }
    }

    #[test]
    fn an_opening_counts_less_the_less_likely_it_is() {
        let known = beginnings(&["turn off the lamp", "how much time is left"]);
        let opening = |text: &str, gap: f32| Opening { words: split(text), gap };
        let gain = known.gain(&split("turn off"));
        let openings = [opening("turn", 0.0), opening("turn off", 1.5), opening("how much", 9.0)];
        assert_eq!(known.best(&openings), gain - 1.5);
        assert_eq!(known.best(&[opening("turn", 0.0)]), UNKNOWN);
    }
}
