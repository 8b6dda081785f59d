//! How well a fact answers a question in other words: each telling word of the question is looked for among the words of the
//! fact, by its letters and, with an encoder, by what it means in its sentence.

use crate::keep::{MAX_LOOKED_AT, Memory, without_possessive};
use crate::vectors::{Word, dot_of};
use hark_core::Fault;
use hark_core::memory::{Fact, Requester};
use hark_language::names::{asks, is_small, normal};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Facts that are compared with a question at most.
const MAX_COMPARED: usize = 32;
/// Facts whose words are kept with their meaning.
const MAX_WORDS_KEPT: usize = 256;
/// Least cosine of a fact that is compared although it has no word of the question.
const LEAST_NEAR: f32 = 0.35;
/// Least cosine of a word of the fact to a word of the question for a relation between people: "mum" and "mother".
const LEAST_RELATED: f32 = 0.30;
/// Least cosine of a word that says the same as another one: "met" and "meet".
const SAME_IN_OTHER_WORDS: f32 = 0.70;
/// Letters that a word and its inflection begin with at least, and letters behind those at most.
const STEM: usize = 4;
const ENDING: usize = 3;

/// How like a question a fact is.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Likeness {
    /// The mean over the words of the question of how near the nearest word of the fact is, 0 to 1.
    pub mean: f32,
    /// The one that is farthest.
    pub least: f32,
    /// Words that the fact has.
    pub same: usize,
    /// Words of the question.
    pub words: usize,
    /// Each word of the question for a relation between people ("sister") is in the fact, or one near it.
    pub is_of_them: bool,
}

impl Likeness {
    /// Whether the fact has every word of the question, and it has some.
    pub(crate) fn is_all(&self) -> bool {
        self.words > 1 && self.same == self.words
    }
}

/// A question as it is compared with facts.
pub(crate) struct Question {
    /// Its telling words that an answer has.
    pub(crate) words: Vec<Word>,
    /// Those of them that are relations between people ("sister").
    relating: BTreeSet<String>,
    /// Whom its words mean that are no names, as keys of entities.
    meant: BTreeMap<String, BTreeSet<String>>,
    /// Those of its words that count only where the fact has them: "country" of "what country".
    light: BTreeSet<String>,
}

impl Question {
    /// Whether this fact is only the first of two that answer the question: "what does *Lee's wife* do" needs the fact that says
    /// who she is, and then one that says what she does.
    pub(crate) fn leads_on(&self, told: &[Word]) -> bool {
        let has = |word: &Word| told.iter().any(|other| is_inflected(&word.plain, &other.plain));
        self.words
            .iter()
            .zip(self.words.iter().skip(1))
            .any(|(owner, word)| self.relating.contains(&word.plain) && has(owner))
    }

    /// Whether the fact is about a relative or thing of the person in the question. Such a fact is no answer: "Carol's boy is
    /// allergic" to "is Carol allergic".
    pub(crate) fn is_of_theirs(&self, fact: &Fact) -> bool {
        let owners = hark_language::all();
        let is_asked = |plain: &str| self.words.iter().any(|word| is_inflected(&word.plain, plain));
        let words: Vec<&str> = fact.text.split_whitespace().collect();
        words.windows(2).any(|pair| {
            let (owner, theirs) = (normal(&without_possessive(pair[0], &owners)), normal(pair[1]));
            owner != normal(pair[0]) && is_asked(&owner) && !is_small(&theirs) && !is_asked(&theirs)
        })
    }

    /// How like the words of some facts are; `told`: all of them.
    pub(crate) fn likeness(&self, told: &[Word], facts: &[&Fact]) -> Likeness {
        let is_named = |key: &String| facts.iter().any(|fact| names(fact, told, key));
        let is_meant = |word: &str| self.meant.get(word).is_some_and(|keys| keys.iter().any(is_named));
        let has = |word: &str| told.iter().any(|other| is_inflected(word, &other.plain));
        let counts = |word: &&Word| !self.light.contains(&word.plain) || has(&word.plain);
        let counted: Vec<Word> = self.words.iter().filter(counts).cloned().collect();
        // Where nothing else was said they are all there is.
        let words = if counted.is_empty() { &self.words } else { &counted };
        likeness(words, told, is_meant, |word| self.relating.contains(word))
    }
}

impl Memory {
    /// The telling words of a text, each as the one it is compared as.
    fn words_of(&self, text: &str) -> Vec<Word> {
        let text = &as_compared(text);
        let embedded = self.encoder.as_ref().map(|encoder| encoder.embed_words(text));
        let words = match embedded {
            Some(Ok(words)) if !words.is_empty() => words,
            Some(Err(fault)) => {
                tracing::warn!("what was told is found by its words only: {fault}");
                Vec::new()
            }
            _ => Vec::new(),
        };
        let words = if words.is_empty() {
            text.split_whitespace().map(|word| (word.to_owned(), Vec::new())).collect()
        } else {
            words
        };
        let owners = hark_language::all();
        let plain = |(at, (word, meaning)): (usize, (String, Vec<f32>))| {
            let plain = normal(&without_possessive(&word, &owners));
            (!plain.is_empty() && !is_small(&plain)).then_some(Word { plain, meaning, at })
        };
        words.into_iter().enumerate().filter_map(plain).collect()
    }

    /// The telling words of a fact, which are read once.
    pub(crate) fn words_of_fact(&self, fact: &Fact) -> Arc<[Word]> {
        if let Some(known) = self.lock().words.get(&fact.id) {
            return Arc::clone(known);
        }
        let words: Arc<[Word]> = self.words_of(&fact.text).into();
        let mut state = self.lock();
        if state.words.len() >= MAX_WORDS_KEPT {
            state.words.clear();
        }
        state.words.insert(fact.id, Arc::clone(&words));
        words
    }

    /// A question as it is compared with facts.
    pub(crate) fn compared(&self, asked: &str, by: &Requester) -> Result<Question, Fault> {
        let languages = hark_language::all();
        // "When" and "what date" are answered by a date, which says neither.
        let said = languages.iter().map(|it| it.memory.without_asking(asked)).min_by_key(|said| said.len());
        let all = self.words_of(said.filter(|said| !said.is_empty()).unwrap_or(asked));
        let words: Vec<Word> = all.into_iter().filter(|word| !asks(&word.plain)).collect();
        let kinds = languages.iter().filter_map(|it| it.memory.kind_asked(asked));
        let kinds: Vec<String> = kinds.map(|kind| normal(&without_possessive(&kind, &languages))).collect();
        let is_light = |word: &&String| {
            kinds.contains(word) || languages.iter().any(|it| it.memory.asks.light.contains(word))
        };
        let light = words.iter().map(|word| &word.plain).filter(is_light).cloned().collect();
        let relates = |word: &&String| self.is_relation(word);
        let relating: BTreeSet<String> =
            words.iter().map(|word| &word.plain).filter(relates).cloned().collect();
        let meant = self.meant_by(&relating, asked, by)?;
        Ok(Question { words, relating, meant, light })
    }

    /// Whether a word is a relation between people: "wife".
    pub(crate) fn is_relation(&self, word: &str) -> bool {
        self.question(word).is_some_and(|question| !question.relations.is_empty())
    }

    /// The facts that may answer a question, by their words, their meaning and those that are named, the likest first.
    pub(crate) fn likest(&self, asked: &str, question: &Question) -> Result<Vec<(Fact, Likeness)>, Fault> {
        if question.words.is_empty() {
            return Ok(Vec::new());
        }
        let plain: Vec<String> = question.words.iter().flat_map(|word| with_others(&word.plain)).collect();
        let mut facts: BTreeMap<i64, Fact> = BTreeMap::new();
        let by_words = self.store.search(&plain, true, MAX_COMPARED)?;
        let keys: Vec<String> = question.meant.values().flatten().cloned().collect();
        let about = if keys.is_empty() { Vec::new() } else { self.store.about(&keys, MAX_LOOKED_AT)? };
        let near: Vec<i64> = self.near(asked, LEAST_NEAR)?.into_iter().map(|(id, _)| id).collect();
        for fact in by_words.into_iter().chain(about).chain(self.store.by_ids(&near)?) {
            if facts.len() < MAX_COMPARED {
                facts.insert(fact.id, fact);
            }
        }
        let mut found: Vec<(Fact, Likeness)> = facts
            .into_values()
            .map(|fact| {
                let likeness = question.likeness(&self.words_of_fact(&fact), &[&fact]);
                (fact, likeness)
            })
            .collect();
        found.sort_by(|(one, first), (other, second)| {
            second.mean.total_cmp(&first.mean).then(other.id.cmp(&one.id))
        });
        // Of a sentence and a part of it the whole is told.
        Ok(without_parts(found, |(fact, _)| fact))
    }

    /// Whom words of a question mean that are no names, as keys of entities: "daughter", and "wife" of "my brother's wife".
    fn meant_by(
        &self,
        words: &BTreeSet<String>,
        asked: &str,
        by: &Requester,
    ) -> Result<BTreeMap<String, BTreeSet<String>>, Fault> {
        let on_paths = self.keys_along_paths(asked, by)?;
        let mut meant: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for word in words {
            let of_mine = self.ends(word, by)?.into_iter().map(|entity| entity.key);
            let keys: BTreeSet<String> = of_mine.chain(on_paths.iter().cloned()).collect();
            if !keys.is_empty() {
                meant.insert(word.clone(), keys);
            }
        }
        Ok(meant)
    }

    /// Forgets the words of facts that are gone.
    pub(crate) fn drop_words(&self, ids: &[i64]) {
        let mut state = self.lock();
        for id in ids {
            state.words.remove(id);
        }
    }
}

/// A text with its words as they are compared: "who has next door's key" as "who has neighbours key".
fn as_compared(text: &str) -> String {
    let languages = hark_language::all();
    let plain = |word: &str| without_possessive(word, &languages).to_lowercase().replace(['\'', '’'], "");
    let words: Vec<&str> = text.split_whitespace().collect();
    let lower: Vec<String> = words.iter().map(|word| plain(word)).collect();
    let lower: Vec<&str> = lower.iter().map(String::as_str).collect();
    let (mut said, mut at) = (Vec::new(), 0);
    while at < words.len() {
        let found = languages.iter().filter_map(|it| it.memory.compared_as(&lower[at..]));
        let (word, length) = found.max_by_key(|(_, length)| *length).unwrap_or((words[at], 1));
        said.push(word);
        at += length;
    }
    said.join(" ")
}

/// A word and those that are compared as it.
fn with_others(word: &str) -> Vec<String> {
    let languages = hark_language::all();
    let others = languages.iter().flat_map(|it| it.memory.others_like(word));
    let words = others.flat_map(|phrase| phrase.split(' ')).filter(|word| !is_small(word));
    words.chain([word]).map(str::to_owned).collect()
}

/// Whether the name of an entity is in a fact.
pub(crate) fn names(fact: &Fact, told: &[Word], key: &str) -> bool {
    let said = key.split(' ').all(|part| told.iter().any(|word| word.plain == part));
    said || fact.mentions.iter().any(|entity| entity.key == key)
}

/// How like the words of a question those of a fact are; `is_meant`: a word is in the fact by another name; `relates`: it is a
/// relation between people.
fn likeness(
    asked: &[Word],
    told: &[Word],
    is_meant: impl Fn(&str) -> bool,
    relates: impl Fn(&str) -> bool,
) -> Likeness {
    let mut found = Likeness { mean: 0.0, least: 1.0, same: 0, words: asked.len(), is_of_them: true };
    // The words right behind two words are the same: "brown bin" and "green bin".
    let next = |words: &[Word], at: usize| {
        words.get(at + 1).filter(|next| next.at == words[at].at + 1).map(|next| next.plain.clone())
    };
    let is_before_same = |at: usize, other: usize| {
        next(asked, at).zip(next(told, other)).is_some_and(|(one, other)| is_inflected(&one, &other))
    };
    for (at, word) in asked.iter().enumerate() {
        let is_same =
            is_meant(&word.plain) || told.iter().any(|other| is_inflected(&word.plain, &other.plain));
        let near = told.iter().map(|other| dot_of(&word.meaning, &other.meaning)).enumerate();
        let nearest = near.max_by(|one, other| one.1.total_cmp(&other.1)).filter(|(_, near)| *near > 0.0);
        let how_near = if is_same { 1.0 } else { nearest.map_or(0.0, |(_, near)| near) };
        // Which of them it is about is said, and it is another.
        let is_another =
            |(other, near): (usize, f32)| near < SAME_IN_OTHER_WORDS && is_before_same(at, other);
        found.is_of_them &= is_same || !nearest.is_some_and(is_another);
        found.same += usize::from(is_same);
        found.is_of_them &= how_near >= LEAST_RELATED || !relates(&word.plain);
        found.mean += how_near / asked.len() as f32;
        found.least = found.least.min(how_near);
    }
    found
}

/// Facts without those whose text is a part of another one's.
pub(crate) fn without_parts<T>(mut found: Vec<T>, fact: impl Fn(&T) -> &Fact) -> Vec<T> {
    let texts: Vec<String> = found.iter().map(|one| fact(one).text.clone()).collect();
    let is_part = |text: &String| texts.iter().any(|whole| whole.len() > text.len() && whole.contains(text));
    found.retain(|one| !is_part(&fact(one).text));
    found
}

/// Telling words that two texts have both, in whatever inflection.
pub(crate) fn shared(one: &[String], other: &[String]) -> usize {
    one.iter().filter(|word| other.iter().any(|told| is_inflected(word, told))).count()
}

/// Whether two words are the same, or differ by their endings only: "teach" and "teaches", "key" and "keys".
pub(crate) fn is_inflected(one: &str, other: &str) -> bool {
    let common = one.chars().zip(other.chars()).take_while(|(a, b)| a == b).count();
    let (short, long) = {
        let (one, other) = (one.chars().count(), other.chars().count());
        (one.min(other), one.max(other))
    };
    let is_whole = common == short;
    let ending = |word: &str| word.chars().skip(common).collect::<String>();
    let is_ending =
        |word: &str| hark_language::all().iter().any(|it| it.memory.endings.contains(&ending(word)));
    one == other
        || (common >= STEM && is_ending(one) && is_ending(other))
        || (common >= STEM && common + 1 >= short && long - common <= ENDING)
        || (is_whole && short + 1 == STEM && long == STEM)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_itself_in_another_inflection() {
        for (one, other) in [
            ("teach", "teaches"),
            ("key", "keys"),
            ("service", "serviced"),
            ("tyre", "tyres"),
            ("framing", "framer"),
        ] {
            assert!(is_inflected(one, other) && is_inflected(other, one), "{one} {other}");
        }
        for (one, other) in [("hat", "hats off"), ("car", "carpet"), ("wide", "window"), ("ben", "bench")] {
            assert!(!is_inflected(one, other), "{one} {other}");
        }
    }

    #[test]
    fn words_of_the_same_are_compared_as_one() {
        assert_eq!(as_compared("who has next door's key"), "who has neighbours key");
        assert_eq!(as_compared("Our neighbour's dog"), "Our neighbours dog");
        assert_eq!(as_compared("what's the code for the door"), "what's the code for the door");
        assert!(with_others("neighbours").contains(&"neighbour".to_owned()));
    }

    #[test]
    fn the_nearest_word_counts() {
        let word =
            |plain: &str, meaning: [f32; 2]| Word { plain: plain.into(), meaning: meaning.into(), at: 0 };
        let asked = [word("cat", [1.0, 0.0]), word("feed", [0.0, 1.0])];
        let told = [word("cats", [0.9, 0.1]), word("eat", [0.6, 0.8])];
        let found = likeness(&asked, &told, |_| false, |_| false);
        assert!(
            (found.mean - 0.9).abs() < 0.01 && (found.least - 0.8).abs() < 0.01 && found.same == 1,
            "{found:?}"
        );
        assert_eq!(likeness(&asked, &told, |word| word == "feed", |_| false).same, 2, "by another name");
    }

    #[test]
    fn another_of_the_same_kind_is_not_meant() {
        let words = |all: [(&str, [f32; 2], usize); 2]| {
            all.map(|(plain, meaning, at)| Word { plain: plain.into(), meaning: meaning.into(), at })
        };
        let asked = words([("brown", [1.0, 0.0], 3), ("bin", [0.0, 1.0], 4)]);
        let is_meant = |told: &[Word]| likeness(&asked, told, |_| false, |_| false).is_of_them;
        assert!(!is_meant(&words([("green", [0.6, 0.0], 0), ("bin", [0.0, 1.0], 1)])));
        assert!(is_meant(&words([("green", [0.6, 0.0], 0), ("bin", [0.0, 1.0], 2)])), "not right before it");
        assert!(
            is_meant(&words([("auburn", [0.8, 0.0], 0), ("bin", [0.0, 1.0], 1)])),
            "the same in another word"
        );
    }
}
