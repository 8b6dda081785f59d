//! The sentence encoder that ships, as documents are indexed and searched with it.

use hark_core::Fault;
use hark_knowledge::{Encoder, WordVectors};
use hark_models::manifest::Manifest;
use hark_nlu::intent::{Encoder as SentenceEncoder, TokenVectors};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// Numbers of a vector; the index refuses an encoder that gives others.
const WIDTH: usize = 384;
/// The layer of the model whose word vectors are compared: with it answers were found best.
const LAYER: usize = 1;

/// See the module. Its model is loaded at the first text.
pub(crate) struct DocumentEncoder {
    name: String,
    models_dir: PathBuf,
    model: Arc<Mutex<Option<SentenceEncoder>>>,
    tokens: TokenVectors,
}

/// Lets go of the model of an encoder, which loads it again when it is needed.
pub(super) struct Rest(Arc<Mutex<Option<SentenceEncoder>>>);

impl Rest {
    pub(super) fn rest(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

impl DocumentEncoder {
    /// # Errors
    /// `MissingPart` when the model or ONNX Runtime is missing.
    pub(crate) fn new(models_dir: &Path) -> Result<Self, Fault> {
        let id = SentenceEncoder::id_in(&Manifest::load(models_dir)?)?;
        Ok(Self {
            name: format!("{id}-layer{LAYER}"),
            models_dir: models_dir.to_owned(),
            model: Arc::default(),
            tokens: TokenVectors::default(),
        })
    }

    pub(super) fn resting(&self) -> Rest {
        Rest(self.model.clone())
    }
}

impl Encoder for DocumentEncoder {
    fn name(&self) -> &str {
        &self.name
    }

    fn dimension(&self) -> usize {
        WIDTH
    }

    fn encode(&mut self, text: &str, sentence: &mut Vec<f32>, words: &mut WordVectors) -> Result<(), Fault> {
        let mut model = self.model.lock().unwrap_or_else(PoisonError::into_inner);
        let model = match &mut *model {
            Some(model) => model,
            none => none.insert(SentenceEncoder::open(&Manifest::load(&self.models_dir)?)?),
        };
        model.embed_words(text, sentence, &mut self.tokens)?;
        words.width = WIDTH;
        words.numbers.clear();
        let width = self.tokens.width;
        for first in self.tokens.firsts.iter().filter_map(|first| usize::try_from(*first).ok()) {
            let begin = first * width + LAYER * WIDTH;
            let Some(row) = self.tokens.numbers.get(begin..begin + WIDTH) else { break };
            // Of length 1, as sentence vectors are; a word of zeros stays one.
            let length = row.iter().map(|number| number * number).sum::<f32>().sqrt().max(f32::MIN_POSITIVE);
            words.numbers.extend(row.iter().map(|number| number / length));
        }
        Ok(())
    }
}
