//! The trained head: classes, their weights over the encoder's numbers, and where known sentences lie.
//!
//! The file: `HARKHEAD`, version (u32), length of the description (u32), the description (JSON), all
//! weights and centres (f32), SHA-256 of everything before. Numbers are little-endian.

use super::error::IntentError;
use super::examples::Label;
use super::logistic::{Model, dot, soft_max};
use crate::tagger::Tagging;
use hark_core::Category;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::path::Path;

const MAGIC: &[u8; 8] = b"HARKHEAD";

/// Grows when the file or the use of its numbers changes; heads of other versions are not read.
const VERSION: u32 = 1;

/// Intents that are told of a request.
const TOLD: usize = 5;

/// The tagger's part of a confidence, 0 to 1; the head has the rest (chosen in models/intent/README.md).
const TAGGER_WEIGHT: f32 = 0.4;

/// One class: an intent, or a category without one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Class {
    pub category: Category,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub intent: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub domain: Option<String>,
}

impl From<Label> for Class {
    fn from(label: Label) -> Self {
        Self { category: label.category, intent: label.intent, domain: label.domain }
    }
}

/// What a head says of itself.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct About {
    pub language: String,
    /// [`super::Encoder::id`] of the encoder it was trained on.
    pub encoder: String,
    /// [`super::data::hash`] of what it was trained on.
    pub data: String,
    pub width: usize,
    pub classes: Vec<Class>,
    /// Scores are divided by it, so that of a hundred answers with 0.9 ninety are right.
    pub heat: f32,
    /// Likeness to the nearest known class from which a sentence is like what is known.
    pub near: f32,
    /// Likeness below which it is like nothing known.
    pub far: f32,
    /// Share of sentences the encoder had not seen whose category came out right, cross-validated.
    pub accuracy: f32,
}

/// A trained head.
#[derive(Debug, Clone, PartialEq)]
pub struct Head {
    pub(super) about: About,
    pub(super) model: Model,
    /// Mean of each class, length 1; zero for out of scope, which has none. `[classes × width]`
    pub(super) centres: Vec<f32>,
}

/// What a head makes of a sentence.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Verdict {
    pub category: Category,
    pub confidence: f32,
    pub intents: Vec<(String, f32)>,
}

impl Verdict {
    /// The likeliest category and intents of classes with their probabilities.
    fn of<'c>(classes: impl Iterator<Item = (Category, Option<&'c str>, f32)>) -> Self {
        let mut categories: BTreeMap<Category, f32> = BTreeMap::new();
        let mut intents: BTreeMap<&str, f32> = BTreeMap::new();
        for (category, intent, share) in classes {
            *categories.entry(category).or_default() += share;
            if let Some(intent) = intent {
                *intents.entry(intent).or_default() += share;
            }
        }
        let best = categories.into_iter().max_by(|a, b| a.1.total_cmp(&b.1));
        let (category, confidence) = best.unwrap_or((Category::OutOfScope, 0.0));
        let mut intents: Vec<(String, f32)> =
            intents.into_iter().map(|(name, share)| (name.to_owned(), share.min(1.0))).collect();
        intents.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        intents.truncate(TOLD);
        Self { category, confidence: confidence.clamp(0.0, 1.0), intents }
    }
}

impl Head {
    /// ISO 639-1 code of the sentences it was trained on.
    pub fn language(&self) -> &str {
        &self.about.language
    }

    /// SHA-256 of the files it was trained on.
    pub fn data(&self) -> &str {
        &self.about.data
    }

    /// The encoder it was trained on.
    pub fn encoder(&self) -> &str {
        &self.about.encoder
    }

    /// Names of the intents it knows, each once.
    pub fn intents(&self) -> Vec<&str> {
        let mut names: Vec<&str> =
            self.about.classes.iter().filter_map(|class| class.intent.as_deref()).collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    /// Probabilities of the classes for a sentence's numbers; `into` gets them.
    pub(super) fn shares(&self, numbers: &[f32], into: &mut Vec<f32>) {
        self.model.scores(numbers, into);
        into.iter_mut().for_each(|score| *score /= self.about.heat);
        soft_max(into);
        self.bound(into, self.likeness(numbers));
    }

    /// How likely a sentence is of a category.
    pub(super) fn share_of(&self, category: Category, shares: &[f32]) -> f32 {
        let classes = shares.iter().zip(&self.about.classes);
        classes.filter(|(_, class)| class.category == category).map(|(share, _)| share).sum()
    }

    /// What is unlike everything known is out of scope, whatever the weights make of it.
    pub(super) fn bound(&self, shares: &mut [f32], likeness: f32) {
        let known = self.known(likeness);
        let mut rest = 1.0;
        for (share, class) in shares.iter_mut().zip(&self.about.classes) {
            if class.category != Category::OutOfScope {
                *share *= known;
                rest -= *share;
            }
        }
        let nothing = self.about.classes.iter().position(|class| class.category == Category::OutOfScope);
        if let Some(nothing) = nothing {
            shares[nothing] = rest.clamp(0.0, 1.0);
        }
    }

    /// Likeness to the nearest class.
    pub(super) fn likeness(&self, numbers: &[f32]) -> f32 {
        let centres = self.centres.chunks_exact(self.about.width);
        centres.map(|centre| dot(centre, numbers)).fold(-1.0, f32::max)
    }

    /// 1 for what is like something known, 0 for what is like nothing.
    fn known(&self, likeness: f32) -> f32 {
        let (near, far) = (self.about.near, self.about.far);
        if near <= far { 1.0 } else { ((likeness - far) / (near - far)).clamp(0.0, 1.0) }
    }

    /// The likeliest category and intents.
    pub(super) fn verdict(&self, shares: &[f32]) -> Verdict {
        let classes = &self.about.classes;
        Verdict::of(shares.iter().zip(classes).map(|(share, it)| (it.category, it.intent.as_deref(), *share)))
    }

    /// The same of the weighted mean of head and tagger: where they disagree, neither is sure.
    pub(super) fn verdict_with(&self, shares: &[f32], tagging: &Tagging) -> Verdict {
        let own = shares.iter().zip(&self.about.classes);
        let own = own.map(|(share, it)| (it.category, it.intent.as_deref(), share * (1.0 - TAGGER_WEIGHT)));
        let tagged = tagging.classes.iter();
        let tagged =
            tagged.map(|(category, intent, share)| (*category, intent.as_deref(), share * TAGGER_WEIGHT));
        Verdict::of(own.chain(tagged))
    }

    /// Reads a head.
    ///
    /// # Errors
    /// When the file is missing, damaged or of another version.
    pub fn read(file: &Path) -> Result<Self, IntentError> {
        let bytes = std::fs::read(file).map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound => IntentError::HeadMissing(file.to_owned()),
            _ => IntentError::Io { path: file.to_owned(), source: error },
        })?;
        Self::from_bytes(&bytes).map_err(|why| IntentError::Head { path: file.to_owned(), why })
    }

    /// Writes it under another name first, so that a half-written one is never read.
    ///
    /// # Errors
    /// When folder or file cannot be written.
    pub fn write(&self, file: &Path) -> Result<(), IntentError> {
        let io = |source| IntentError::Io { path: file.to_owned(), source };
        hark_config::write_whole(file, self.to_bytes()).map_err(io)
    }

    fn to_bytes(&self) -> Vec<u8> {
        // Plain data: names and finite numbers.
        let about = serde_json::to_vec(&self.about).unwrap_or_default();
        let mut bytes = MAGIC.to_vec();
        bytes.extend(VERSION.to_le_bytes());
        bytes.extend((about.len() as u32).to_le_bytes());
        bytes.extend(about);
        for number in self.model.weights.iter().chain(&self.centres) {
            bytes.extend(number.to_le_bytes());
        }
        let sum = Sha256::digest(&bytes);
        bytes.extend(sum);
        bytes
    }

    fn from_bytes(bytes: &[u8]) -> Result<Self, String> {
        let (content, sum) = bytes.split_last_chunk::<32>().ok_or_else(|| "it is too short".to_owned())?;
        let rest = content.strip_prefix(MAGIC).ok_or("it is no head of Hark")?;
        let (version, rest) = rest.split_first_chunk::<4>().ok_or("it ends early")?;
        let version = u32::from_le_bytes(*version);
        if version != VERSION {
            return Err(format!("it has version {version}, this Hark reads version {VERSION}"));
        }
        if Sha256::digest(content).as_slice() != sum {
            return Err("it is damaged: its checksum does not fit".into());
        }
        let (length, rest) = rest.split_first_chunk::<4>().ok_or("it ends early")?;
        let (about, numbers) =
            rest.split_at_checked(u32::from_le_bytes(*length) as usize).ok_or("it ends early")?;
        let about: About = serde_json::from_slice(about).map_err(|error| error.to_string())?;
        let weights = about.classes.len() * (about.width + 1);
        let numbers: Vec<f32> = numbers
            .chunks_exact(4)
            .map(|bytes| f32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
            .collect();
        if about.classes.is_empty() || numbers.len() != weights + about.classes.len() * about.width {
            return Err("it has not as many numbers as its classes need".into());
        }
        let centres = numbers[weights..].to_vec();
        let model = Model { width: about.width, weights: numbers[..weights].to_vec() };
        Ok(Self { about, model, centres })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Switching on lies along the first axis, the weather along the second, nothing along neither.
    fn head() -> Head {
        let class = |intent: Option<&str>, domain: Option<&str>, category| Class {
            category,
            intent: intent.map(str::to_owned),
            domain: domain.map(str::to_owned),
        };
        let classes = vec![
            class(Some("HassTurnOn"), None, Category::HomeControl),
            class(Some("HassTurnOn"), Some("lock"), Category::HomeControl),
            class(Some("HassGetWeather"), None, Category::Weather),
            class(None, None, Category::OutOfScope),
        ];
        let about = About {
            language: "en".into(),
            encoder: "encoder".into(),
            data: "data".into(),
            width: 2,
            classes,
            heat: 1.0,
            near: 0.6,
            far: 0.2,
            accuracy: 0.9,
        };
        let weights = vec![5.0, 0.0, 0.0, 5.0, 0.0, 0.0, 0.0, 8.0, 0.0, 0.0, 0.0, 0.0];
        let centres = vec![1.0, 0.0, 1.0, 0.0, 0.0, 1.0, 0.0, 0.0];
        Head { about, model: Model { width: 2, weights }, centres }
    }

    #[test]
    fn classes_of_one_intent_and_one_category_add_up() {
        let (head, mut shares) = (head(), Vec::new());
        head.shares(&[1.0, 0.0], &mut shares);
        let verdict = head.verdict(&shares);
        assert_eq!(verdict.category, Category::HomeControl);
        assert_eq!(verdict.intents[0].0, "HassTurnOn");
        assert!((verdict.intents[0].1 - verdict.confidence).abs() < 1e-6);
        assert!(verdict.confidence > 0.98);
        assert!((shares.iter().sum::<f32>() - 1.0).abs() < 1e-5);
    }

    #[test]
    fn what_is_like_nothing_known_is_out_of_scope_whatever_the_weights_say() {
        let (head, mut shares) = (head(), Vec::new());
        head.shares(&[0.1, -0.99], &mut shares);
        let verdict = head.verdict(&shares);
        assert_eq!(verdict.category, Category::OutOfScope);
        assert!(verdict.intents[0].1 < 0.01, "{verdict:?}");
    }

    #[test]
    fn a_head_is_read_as_it_was_written() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("intent/en.head");
        head().write(&file).unwrap();
        assert_eq!(Head::read(&file).unwrap(), head());
        assert_eq!(head().intents(), ["HassGetWeather", "HassTurnOn"]);
    }

    #[test]
    fn a_damaged_or_foreign_head_is_told_and_never_used() {
        let whole = head().to_bytes();
        for at in [0, 9, 20, whole.len() - 40, whole.len() - 1] {
            let mut bytes = whole.clone();
            bytes[at] ^= 1;
            assert!(Head::from_bytes(&bytes).is_err(), "byte {at}");
        }
        for length in [0, 7, 31, 40, whole.len() - 1] {
            assert!(Head::from_bytes(&whole[..length]).is_err(), "{length} bytes");
        }
        assert!(matches!(Head::read(Path::new("/nowhere")), Err(IntentError::HeadMissing(_))));
    }
}
