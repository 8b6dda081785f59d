//! Encoder, head and tagger together: what the router asks.

use super::data::{ASKS, REMARK, WORTH_KEEPING, hash};
use super::encoder::{Encoder, TokenVectors};
use super::error::IntentError;
use super::examples::spoken;
use super::head::Head;
use super::paths::IntentPaths;
use crate::narrative;
use crate::tagger::{Tagger, Tagging};
use hark_core::classification::{Classify, Statement, WordVectors};
use hark_core::{Category, Classification, Fault};
use hark_models::manifest::Manifest;
use std::path::PathBuf;
use std::time::SystemTime;

/// ISO 639-1 code of the language that the shipped tagger knows.
const TAGGER_LANGUAGE: &str = "en";

/// Tells what kind of request a text is. One thread at a time.
pub struct Classifier {
    encoder: Encoder,
    head: Head,
    /// What tells statements from what asks for something, and what is worth to be kept from small talk.
    told: Option<Head>,
    tagger: Option<Tagger>,
    vectors: TokenVectors,
    numbers: Vec<f32>,
    shares: Vec<f32>,
}

/// How the classifier of a language stands.
#[derive(Debug, Clone, PartialEq)]
pub struct Standing {
    /// The head in use.
    pub file: PathBuf,
    /// It was trained on this machine, not shipped.
    pub own: bool,
    /// Intents it knows.
    pub intents: usize,
    /// When its file was written, where the system tells.
    pub written: Option<SystemTime>,
    /// Sentences or examples changed since it was trained; training anew would help.
    pub stale: bool,
    /// What the head was trained on ([`Head::data`]).
    pub data: String,
    /// What a head that is not stale is trained on ([`Head::data`]).
    pub wanted: String,
    /// Why there is no slot tagger, where there should be one.
    pub without_tagger: Option<String>,
}

impl Classifier {
    /// Opens the encoder and the newest head that fits it: the one trained on this machine, else the
    /// one that comes with Hark. Takes some 40 ms.
    ///
    /// # Errors
    /// `MissingPart` when the encoder, ONNX Runtime or a head is missing or damaged; Hark goes on with
    /// its templates.
    pub fn open(manifest: &Manifest, places: &IntentPaths, language: &str) -> Result<Self, Fault> {
        let encoder = Encoder::open(manifest)?;
        let (head, _) = choose(encoder.id(), places, language)?;
        // Without a tagger the head decides alone.
        let has_tagger = language == TAGGER_LANGUAGE;
        let tagger = has_tagger.then(|| Tagger::open(manifest, encoder.id()).ok()).flatten();
        let told = Head::read(&places.told_head(language)).ok();
        let told = told.filter(|head| head.encoder() == encoder.id() && head.language() == language);
        Ok(Self { tagger, told, ..Self::new(encoder, head) })
    }

    /// Looks which head [`Classifier::open`] would take, and whether everything is there, without
    /// opening the encoder: takes a few milliseconds.
    ///
    /// # Errors
    /// As [`Classifier::open`].
    pub fn standing(manifest: &Manifest, places: &IntentPaths, language: &str) -> Result<Standing, Fault> {
        let (_, standing) = choose(&Encoder::id_in(manifest)?, places, language)?;
        let missing = (language == TAGGER_LANGUAGE).then(|| Tagger::file(manifest).err()).flatten();
        Ok(Standing { without_tagger: missing.map(|fault| fault.to_string()), ..standing })
    }

    /// From parts that are there.
    pub fn new(encoder: Encoder, head: Head) -> Self {
        let (tagger, vectors) = (None, TokenVectors::default());
        Self { encoder, head, told: None, tagger, vectors, numbers: Vec::new(), shares: Vec::new() }
    }

    /// Puts a newly trained head in its place.
    pub fn replace_head(&mut self, head: Head) {
        self.head = head;
    }

    /// The head in use.
    pub fn head(&self) -> &Head {
        &self.head
    }

    /// Encodes a sentence in spoken form, and tags it where there is a tagger.
    fn encode(&mut self, spoken: &str) -> Result<Option<Tagging>, Fault> {
        let Some(tagger) = &mut self.tagger else {
            self.encoder.embed(spoken, &mut self.numbers)?;
            return Ok(None);
        };
        self.encoder.embed_words(spoken, &mut self.numbers, &mut self.vectors)?;
        // Words that were cut off may fill a slot as well.
        let words = spoken.split_whitespace().count();
        let is_whole = words > 0 && words == self.vectors.firsts.len();
        is_whole.then(|| tagger.tag(&self.vectors)).transpose()
    }
}

/// The head that fits the encoder best, and how it stands.
fn choose(encoder: &str, places: &IntentPaths, language: &str) -> Result<(Head, Standing), IntentError> {
    let wanted = hash(places, language);
    let fits = |head: &Head| head.encoder() == encoder && head.language() == language;
    // A head of this machine that is damaged or of an older encoder only makes way for the other.
    let own = Head::read(&places.own_head(language)).ok().filter(fits);
    let shipped = Head::read(&places.shipped_head(language));
    let own_is_better = own.as_ref().is_some_and(|own| {
        own.data() == wanted || shipped.as_ref().map_or(true, |shipped| shipped.data() != wanted)
    });
    let (head, is_own) = match (own, shipped) {
        (Some(own), _) if own_is_better => (own, true),
        (_, Ok(shipped)) if fits(&shipped) => (shipped, false),
        (Some(own), _) => (own, true),
        (None, Ok(_)) => {
            let why = "it was trained on another encoder".to_owned();
            return Err(IntentError::Head { path: places.shipped_head(language), why });
        }
        (None, Err(error)) => return Err(error),
    };
    let file = if is_own { places.own_head(language) } else { places.shipped_head(language) };
    let written = std::fs::metadata(&file).and_then(|about| about.modified()).ok();
    let (intents, stale, data) = (head.intents().len(), head.data() != wanted, head.data().to_owned());
    Ok((head, Standing { file, own: is_own, intents, written, stale, data, wanted, without_tagger: None }))
}

/// Whether people tell stories of what such requests are about.
fn may_be_told(category: Category) -> bool {
    use Category::{HomeControl, HomeQuery, Media, Timer, Weather};
    matches!(category, HomeControl | HomeQuery | Media | Timer | Weather)
}

impl Classify for Classifier {
    fn classify(&mut self, text: &str) -> Result<Classification, Fault> {
        let tagging = self.encode(&spoken(text))?;
        self.head.shares(&self.numbers, &mut self.shares);
        let verdict = match &tagging {
            Some(tagging) => self.head.verdict_with(&self.shares, tagging),
            None => self.head.verdict(&self.shares),
        };
        let steps = hark_language::steps::of_all().into();
        // Stories have the words of requests, and what a sentence is near to is all the head can tell.
        if may_be_told(verdict.category) && narrative::tells(text, hark_language::of(self.head.language())) {
            return Ok(Classification::new(
                text,
                &steps,
                Category::OutOfScope,
                verdict.confidence,
                Vec::new(),
            ));
        }
        let found = Classification::new(text, &steps, verdict.category, verdict.confidence, verdict.intents);
        Ok(Classification { spans: tagging.and_then(|tagging| tagging.spans), ..found })
    }

    fn embed(&mut self, text: &str) -> Result<Vec<f32>, Fault> {
        self.encoder.embed(&spoken(text), &mut self.numbers)?;
        Ok(self.numbers.clone())
    }

    fn embed_words(&mut self, text: &str) -> Result<WordVectors, Fault> {
        let spoken = spoken(text);
        self.encoder.embed_words(&spoken, &mut self.numbers, &mut self.vectors)?;
        let words = spoken.split_whitespace().enumerate();
        let found = words.filter_map(|(at, word)| Some((word.to_owned(), self.vectors.of_word(at)?)));
        Ok(found.collect())
    }

    fn statement(&mut self, text: &str) -> Result<Option<Statement>, Fault> {
        let Some(head) = &self.told else { return Ok(None) };
        self.encoder.embed(&spoken(text), &mut self.numbers)?;
        head.shares(&self.numbers, &mut self.shares);
        let share = |category| head.share_of(category, &self.shares);
        // Whether a remark is worth to be kept is told by the others.
        let worth_keeping = share(WORTH_KEEPING) / (1.0 - share(REMARK)).max(f32::EPSILON);
        Ok(Some(Statement { asks_nothing: 1.0 - share(ASKS), worth_keeping }))
    }
}
