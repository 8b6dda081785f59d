//! Parts of speech, for words that are said in several ways: an averaged perceptron with the tags of the Penn
//! Treebank. A word that is always the same is looked up, any other gets the tag whose weights, summed over what stands
//! around it, are greatest.

use super::read_json;
use crate::error::SpeakingError;
use serde::de::{Deserialize, Deserializer, Error, MapAccess, Unexpected, Visitor};
use std::fmt;
use std::marker::PhantomData;
use std::path::Path;

/// What stands for a name that is written in phonemes.
pub(super) const A_NAME: &str = "Anna";

/// Weights have one decimal.
const UNIT: f32 = 10.0;

/// Words and tags in front of the first word and behind the last, as it was trained with them.
const BEFORE: [&str; 2] = ["-START2-", "-START-"];
const BEHIND: [&str; 2] = ["-END-", "-END2-"];

/// What is wrong with a file that has more tags, features or weights than their numbers reach to.
const TOO_MANY: &str = "too many";

/// The tag of a word of which nothing is known.
const USUAL: &str = "NN";

/// Words and features are kept as hashes: the texts are not needed, and take ten times the memory.
#[derive(Debug)]
pub(super) struct Tagger {
    tags: Vec<String>,
    /// Words that always have the same tag, sorted.
    always: Vec<(u64, u8)>,
    /// Words it was trained with as they are, sorted.
    vocabulary: Vec<u64>,
    /// Features, sorted, and where the weights of each begin.
    features: Vec<u64>,
    starts: Vec<u32>,
    /// Tags and what speaks for them, in runs; the first tag of a run is how many come.
    weighted: Vec<u8>,
    weights: Vec<i16>,
}

impl Tagger {
    pub(super) fn read(path: &Path) -> Result<Self, SpeakingError> {
        let model: Model = read_json(path)?;
        let Weights { mut tags, mut features, weights } = model.weights;
        let wrong = |why: &str| SpeakingError::Phonemiser { path: path.to_owned(), why: why.to_owned() };
        let mut always = Vec::with_capacity(model.tagdict.0.len());
        for (Hash(word), tag) in model.tagdict.0 {
            always.push((word, number_of(tag, &mut tags).ok_or_else(|| wrong(TOO_MANY))?));
        }
        let mut vocabulary: Vec<u64> = model.vocab.into_iter().map(|Hash(word)| word).collect();
        always.sort_unstable();
        vocabulary.sort_unstable();
        features.sort_unstable();
        let tags =
            tags.iter().map(|Tag(name)| String::from_utf8_lossy(name).trim_matches('\0').into()).collect();
        let (features, starts) = features.into_iter().unzip();
        let (weighted, weights) = weights.into_iter().unzip();
        Ok(Self { tags, always, vocabulary, features, starts, weighted, weights })
    }

    /// The tags of the words of a sentence, marks among them.
    pub(super) fn tags(&self, words: &[&str]) -> Vec<&str> {
        let mut context: Vec<String> = BEFORE.map(str::to_owned).to_vec();
        context.extend(words.iter().map(|word| self.normal(word)));
        context.extend(BEHIND.map(str::to_owned));
        let (mut before, mut last) = (BEFORE[0], BEFORE[1]);
        let mut tags = Vec::with_capacity(words.len());
        for (at, word) in words.iter().enumerate() {
            let known = self.always.binary_search_by_key(&hash(&[word]), |(own, _)| *own).ok();
            let known = known.and_then(|at| self.tags.get(usize::from(self.always[at].1)));
            let tag = match known {
                Some(tag) => tag,
                None => self.best(word, at == 0, &context[at..at + 5], [before, last]),
            };
            tags.push(tag);
            (before, last) = (last, tag);
        }
        tags
    }

    /// The best tag of a word in the middle of five, behind two tags.
    fn best(&self, word: &str, is_first: bool, five: &[String], [before, last]: [&str; 2]) -> &str {
        let [second_before, one_before, itself, one_after, second_after] = five else { return USUAL };
        let first: String = word.chars().take(1).collect();
        let features: [&[&str]; 15] = [
            &["b"],
            &["s3=", last_three(word)],
            &["p1=", &first],
            &["w=", itself],
            &["sh=", &shape(word)],
            &[if is_first { "i0" } else { "i+" }],
            &["t-1=", last],
            &["t-2=", before],
            &["t-12=", last, ",", before],
            &["w-1=", one_before],
            &["s3-1=", last_three(one_before)],
            &["w-2=", second_before],
            &["w+1=", one_after],
            &["s3+1=", last_three(one_after)],
            &["w+2=", second_after],
        ];
        let mut sums = vec![0_i32; self.tags.len()];
        for feature in features {
            for (tag, weight) in self.weights_of(hash(feature)) {
                if let Some(sum) = sums.get_mut(usize::from(tag)) {
                    *sum += i32::from(weight);
                }
            }
        }
        sums.iter().zip(&self.tags).max().map_or(USUAL, |(_, tag)| tag)
    }

    /// The tags that a feature speaks for or against.
    fn weights_of(&self, feature: u64) -> impl Iterator<Item = (u8, i16)> {
        let run = self.features.binary_search(&feature).map_or(0..0, |at| {
            let start = self.starts[at] as usize;
            start + 1..start + 1 + usize::from(self.weighted[start])
        });
        let tags = self.weighted.get(run.clone()).unwrap_or_default();
        tags.iter().copied().zip(self.weights.get(run).unwrap_or_default().iter().copied())
    }

    /// A word as the weights know it: without capitals, and only its shape when it is rare.
    fn normal(&self, word: &str) -> String {
        let is_number = word.bytes().all(|byte| byte.is_ascii_digit());
        let normal = match word.chars().next() {
            Some(first) if first != '-' && word.contains('-') => "!HYPHEN".to_owned(),
            Some(_) if is_number && word.len() == 4 => "!YEAR".to_owned(),
            Some(first) if first.is_ascii_digit() => "!DIGITS".to_owned(),
            _ => word.to_lowercase(),
        };
        match self.vocabulary.binary_search(&hash(&[&normal])) {
            Ok(_) => normal,
            Err(_) => format!("<{}>", shape(word)),
        }
    }
}

/// The tag of a mark is the mark; the tagger knows no others.
pub(super) fn of_mark(mark: char) -> &'static str {
    match mark {
        ',' => ",",
        ';' => ";",
        ':' => ":",
        '?' => "?",
        '!' => "!",
        _ => ".",
    }
}

/// What a word looks like.
fn shape(word: &str) -> String {
    let rest = || word.chars().skip(1);
    if word.chars().all(char::is_alphabetic) {
        let shape = match word.chars().next() {
            Some(_) if !word.contains(char::is_uppercase) => "x",
            Some(_) if !word.contains(char::is_lowercase) => {
                if rest().next().is_some() {
                    "XX"
                } else {
                    "X1"
                }
            }
            Some(first) if first.is_uppercase() && !rest().any(char::is_uppercase) => "Xx",
            _ => "xX",
        };
        return shape.to_owned();
    }
    if word.chars().all(|c| c.is_ascii_digit()) {
        return "d".to_owned();
    }
    let sign = |c: char| match c {
        digit if digit.is_numeric() => 'd',
        letter if letter.is_alphabetic() => 'x',
        other => other,
    };
    word.chars().take(4).map(sign).collect()
}

fn last_three(word: &str) -> &str {
    word.char_indices().rev().nth(2).map_or(word, |(at, _)| &word[at..])
}

/// FNV-1a over the parts as if they were one text.
fn hash(parts: &[&str]) -> u64 {
    let bytes = parts.iter().flat_map(|part| part.bytes());
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// The file.
#[derive(serde::Deserialize)]
struct Model {
    tagdict: Entries<Tag>,
    vocab: Vec<Hash>,
    weights: Weights,
}

/// The greatest part of the file, as the tagger keeps it.
struct Weights {
    tags: Vec<Tag>,
    features: Vec<(u64, u32)>,
    weights: Vec<(u8, i16)>,
}

impl<'de> Deserialize<'de> for Weights {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let (mut tags, mut features, mut weights) = (Vec::new(), Vec::new(), Vec::new());
        let each = |Hash(feature), Entries(by_tag): Entries<f32, Tag>| {
            features.push((feature, u32::try_from(weights.len()).ok()?));
            weights.push((u8::try_from(by_tag.len()).ok()?, 0));
            for (tag, weight) in by_tag {
                weights.push((number_of(tag, &mut tags)?, (weight * UNIT).round() as i16));
            }
            Some(())
        };
        deserializer.deserialize_map(Each(each, PhantomData))?;
        Ok(Self { tags, features, weights })
    }
}

/// The number of a tag, which gets one when it has none.
fn number_of(tag: Tag, tags: &mut Vec<Tag>) -> Option<u8> {
    let number = tags.iter().position(|own| *own == tag).unwrap_or(tags.len());
    if number == tags.len() {
        tags.push(tag);
    }
    u8::try_from(number).ok()
}

/// A map as a list.
struct Entries<V, K = Hash>(Vec<(K, V)>);

impl<'de, K: Deserialize<'de>, V: Deserialize<'de>> Deserialize<'de> for Entries<V, K> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut all = Vec::new();
        let each = |key, value| {
            all.push((key, value));
            Some(())
        };
        deserializer.deserialize_map(Each(each, PhantomData))?;
        Ok(Self(all))
    }
}

/// Hands over each entry of a map, so that the whole is never in memory.
struct Each<F, K, V>(F, PhantomData<(K, V)>);

impl<'de, K, V, F> Visitor<'de> for Each<F, K, V>
where
    K: Deserialize<'de>,
    V: Deserialize<'de>,
    F: FnMut(K, V) -> Option<()>,
{
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a map")
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<(), A::Error> {
        while let Some((key, value)) = map.next_entry()? {
            (self.0)(key, value).ok_or_else(|| A::Error::custom(TOO_MANY))?;
        }
        Ok(())
    }
}

/// A text of which only the hash is kept.
struct Hash(u64);

/// The name of a tag.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Tag([u8; 8]);

/// Makes something of a text without keeping it.
struct Text<T>(fn(&str) -> Option<T>);

impl<T> Visitor<'_> for Text<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a short text")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<T, E> {
        (self.0)(text).ok_or_else(|| E::invalid_value(Unexpected::Str(text), &self))
    }
}

impl<'de> Deserialize<'de> for Hash {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_str(Text(|text| Some(Self(hash(&[text])))))
    }
}

impl<'de> Deserialize<'de> for Tag {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_str(Text(|text| {
            let mut name = [0; 8];
            name.get_mut(..text.len())?.copy_from_slice(text.as_bytes());
            Some(Self(name))
        }))
    }
}
