//! The slot tagger: which words of a request fill which slot, and which intent it has, for what no sentence template
//! accepts. One small network over the token vectors of the sentence encoder, made by `models/intent/tagger.py`.

mod marked_text;
mod tags;

pub use marked_text::MarkedText;

use crate::intent::{TokenVectors, category_of};
use hark_core::{Category, Fault, FaultKind, SlotSpan};
use hark_models::manifest::Manifest;
use hark_models::onnx::OnnxRuntime;
use hark_models::token_tagger::TokenTagger;
use std::path::PathBuf;
use tags::Tag;

/// Names of the parts in the model manifest.
const MODEL: &str = "slot_tagger";
const RUNTIME: &str = "onnxruntime";

/// Least probability of each word's slot: below, the spans are not used.
const LEAST_SURE: f32 = 0.5;

/// The network, ready to run on one thread.
pub struct Tagger {
    model: TokenTagger,
    tags: Vec<Tag>,
}

/// What the tagger makes of a request.
#[derive(Debug, Clone, PartialEq)]
pub struct Tagging {
    /// Every category, with an intent if it has any, and its probability.
    pub classes: Vec<(Category, Option<String>, f32)>,
    /// The words that fill slots, in order; `None` where it is not sure.
    pub spans: Option<Vec<SlotSpan>>,
}

impl Tagger {
    /// Loads the tagger the manifest names, for an encoder.
    ///
    /// # Errors
    /// `MissingPart` when it is missing, damaged or of another encoder; requests are then understood without it.
    pub fn open(manifest: &Manifest, encoder: &str) -> Result<Self, Fault> {
        let runtime = OnnxRuntime::load(&manifest.path(RUNTIME)?)?;
        let model = TokenTagger::load(runtime, &Self::file(manifest)?)?;
        if model.encoder() != encoder {
            let message = "the slot tagger was trained on another sentence encoder".to_owned();
            let fix = "train it anew: models/intent/README.md";
            return Err(Fault::new(FaultKind::MissingPart, "intent", message, fix));
        }
        let tags = model.tags().iter().map(|name| Tag::named(name)).collect();
        Ok(Self { model, tags })
    }

    /// The file that the manifest names.
    ///
    /// # Errors
    /// `MissingPart` when it is missing or damaged.
    pub fn file(manifest: &Manifest) -> Result<PathBuf, Fault> {
        manifest.path(MODEL)
    }

    /// What it makes of the words whose vectors these are.
    ///
    /// # Errors
    /// When the model fails.
    pub fn tag(&mut self, vectors: &TokenVectors) -> Result<Tagging, Fault> {
        let (shares, tags) = self.model.run(&vectors.numbers, vectors.width, &vectors.firsts)?;
        let class = |(name, share): (&String, &f32)| match category_of(name) {
            Some(category) => (category, Some(name.clone()), *share),
            None => (Category::named(name).unwrap_or(Category::OutOfScope), None, *share),
        };
        let classes = self.model.classes().iter().zip(&shares).map(class).collect();
        let spans = tags::spans(&self.tags, &tags, LEAST_SURE);
        Ok(Tagging { classes, spans })
    }
}
