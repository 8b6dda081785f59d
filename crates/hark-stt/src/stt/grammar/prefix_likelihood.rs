//! Log-likelihood ratio of the first words of an utterance: as the beginning of a sentence of the home against general
//! English. "Turn off the" is mostly said to a house, "how much" is not. Used to decide about barge-in.

use super::background_model::GeneralLanguageModel;
use super::ngram::LanguageModelScorer;
use crate::stt::moonshine::PrefixHypothesis;
use std::collections::BTreeMap;
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};

/// Words that are looked at, at most and at least. One word alone tells too little.
const MAX_WORDS: usize = 3;
const MIN_WORDS: usize = 2;

/// The gain of words that begin no sentence of the home.
const UNKNOWN_PREFIX_GAIN: f32 = -20.0;

/// Gains of prefixes of sentences, in nepers.
pub(super) struct PrefixLikelihoods {
    /// By the hash of the words, sorted: a compact table, since it stays in memory between utterances.
    gains: Vec<(u32, f32)>,
}

impl PrefixLikelihoods {
    /// Learns those of a home's sentences.
    pub(super) fn new(
        sentences: &[Vec<String>],
        home: &LanguageModelScorer,
        general: &GeneralLanguageModel,
    ) -> Self {
        let mut gains = BTreeMap::new();
        for sentence in sentences {
            for length in MIN_WORDS..=MAX_WORDS.min(sentence.len()) {
                let words = &sentence[..length];
                let gain = || home.prefix_log_prob(words) - general.prefix_log_prob(words);
                gains.entry(key(words)).or_insert_with(gain);
            }
        }
        Self { gains: gains.into_iter().collect() }
    }

    /// The gain of the beginning that speaks most for a sentence of the home, less its gap.
    pub(super) fn best(&self, prefixes: &[PrefixHypothesis]) -> f32 {
        prefixes.iter().map(|it| self.gain(&it.words) - it.gap).fold(UNKNOWN_PREFIX_GAIN, f32::max)
    }

    /// The gain of as many of the words as are known to begin a sentence of the home.
    pub(super) fn gain(&self, words: &[String]) -> f32 {
        let lengths = (MIN_WORDS..=MAX_WORDS.min(words.len())).rev();
        let place = |key| self.gains.binary_search_by_key(&key, |(key, _)| *key).ok();
        let known = lengths.map(|length| key(&words[..length])).find_map(place);
        known.map_or(UNKNOWN_PREFIX_GAIN, |place| self.gains[place].1)
    }
}

fn key(words: &[String]) -> u32 {
    BuildHasherDefault::<DefaultHasher>::new().hash_one(words) as u32
}

#[cfg(test)]
mod tests {
    use super::super::language;
    use super::super::ngram::TrigramModel;
    use super::super::word_classes::WordClasses;
    use super::*;
    use std::path::Path;

    fn split(text: &str) -> Vec<String> {
        text.split_whitespace().map(str::to_owned).collect()
    }

    fn prefix_likelihoods(sentences: &[&str]) -> PrefixLikelihoods {
        let general =
            GeneralLanguageModel::open(Path::new("/usr/share/pocketsphinx/model/en-us/en-us.lm.bin"))
                .unwrap();
        let sentences: Vec<_> = sentences.iter().map(|sentence| split(sentence)).collect();
        let model =
            TrigramModel::train(&sentences, &WordClasses::numbers(&language().numbers, |_| true), 1.0, 0.0);
        PrefixLikelihoods::new(&sentences, &model.scorer(&[]), &general)
    }

    #[test]
    fn what_is_said_to_a_house_alone_gains_more_than_what_is_said_to_everybody() {
        let known = prefix_likelihoods(&["turn off the lamp", "how much time is left", "play music", "stop"]);
        let gain = |text: &str| known.gain(&split(text));
        assert!(gain("turn off the") > gain("how much time") + 1.0);
        assert_eq!(gain("turn off the light"), gain("turn off the"), "three words are looked at");
        assert_eq!(gain("play music quietly"), gain("play music"), "and as many as are known");
        for unknown in ["stop", "off", "", "the minister said"] {
            assert_eq!(gain(unknown), UNKNOWN_PREFIX_GAIN, "{unknown}");
        }
    }

    #[test]
    fn an_opening_counts_less_the_less_likely_it_is() {
        let known = prefix_likelihoods(&["turn off the lamp", "how much time is left"]);
        let opening = |text: &str, gap: f32| PrefixHypothesis { words: split(text), gap };
        let gain = known.gain(&split("turn off"));
        let prefixes = [opening("turn", 0.0), opening("turn off", 1.5), opening("how much", 9.0)];
        assert_eq!(known.best(&prefixes), gain - 1.5);
        assert_eq!(known.best(&[opening("turn", 0.0)]), UNKNOWN_PREFIX_GAIN);
    }
}
