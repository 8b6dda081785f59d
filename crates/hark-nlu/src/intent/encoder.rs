//! The sentence encoder: word pieces in front, an ONNX model behind. A sentence becomes numbers of
//! length 1; the product of two of them is how alike the sentences are.

use super::error::IntentError;
use hark_core::Fault;
use hark_models::manifest::Manifest;
use hark_models::onnx::OnnxRuntime;
use hark_models::text_encoder::TextEncoder;
use std::path::Path;
use tokenizers::{Encoding, Tokenizer};

/// Word pieces that are looked at; requests are shorter. The model knows no more positions.
const MAX_TOKENS: usize = 64;

/// Names of the parts in the model manifest.
const MODEL: &str = "sentence_encoder";
const TOKENISER: &str = "sentence_tokenizer";
const RUNTIME: &str = "onnxruntime";

/// The encoder, ready to run on one thread.
pub struct Encoder {
    tokeniser: Tokenizer,
    model: TextEncoder,
    /// Word pieces of the sentence at hand; kept so that a run allocates little.
    ids: Vec<i64>,
    id: String,
}

/// The vectors of a sentence's word pieces, `[pieces, width]`.
#[derive(Debug, Clone, Default)]
pub struct TokenVectors {
    /// One piece after the other.
    pub numbers: Vec<f32>,
    /// Numbers of a piece.
    pub width: usize,
    /// The piece that each word begins with, without the words that were cut off.
    pub firsts: Vec<i64>,
}

impl TokenVectors {
    /// The meaning of a word in its sentence, of length 1: the middle of its pieces in the second half of the numbers, an inner
    /// layer of the model, which tells words apart better than the last one does.
    pub fn of_word(&self, at: usize) -> Option<Vec<f32>> {
        let first = usize::try_from(*self.firsts.get(at)?).ok()?;
        // The last piece is the mark of the end.
        let last = (self.numbers.len() / self.width.max(1)).saturating_sub(1);
        let end = self.firsts.get(at + 1).and_then(|next| usize::try_from(*next).ok()).unwrap_or(last);
        let mut sum = vec![0.0_f32; self.width - self.width / 2];
        for piece in self.numbers.chunks_exact(self.width).take(end).skip(first) {
            sum.iter_mut().zip(&piece[self.width / 2..]).for_each(|(sum, number)| *sum += number);
        }
        let length = sum.iter().map(|number| number * number).sum::<f32>().sqrt().max(f32::MIN_POSITIVE);
        Some(sum.into_iter().map(|number| number / length).collect())
    }
}

impl Encoder {
    /// Loads the encoder the manifest names.
    ///
    /// # Errors
    /// `MissingPart` when the encoder or ONNX Runtime is missing or not what the manifest says.
    pub fn open(manifest: &Manifest) -> Result<Self, Fault> {
        let runtime = OnnxRuntime::load(&manifest.path(RUNTIME)?)?;
        let id = Self::id_in(manifest)?;
        Self::load(runtime, &manifest.path(MODEL)?, &manifest.path(TOKENISER)?, id)
    }

    /// [`Encoder::id`] of the encoder the manifest names, without opening it; its files are there and
    /// are what the manifest says.
    ///
    /// # Errors
    /// `MissingPart` when one is missing or not what the manifest says.
    pub fn id_in(manifest: &Manifest) -> Result<String, Fault> {
        for part in [RUNTIME, MODEL, TOKENISER] {
            manifest.path(part)?;
        }
        let sum = |part: &str| manifest.part(part).map(|part| part.sha256.clone().unwrap_or_default());
        Ok(format!("{}-{}", sum(MODEL)?, sum(TOKENISER)?))
    }

    /// Loads an encoder from its files; `id` tells it from others.
    ///
    /// # Errors
    /// `MissingPart` when a file is missing or unusable.
    pub fn load(runtime: OnnxRuntime, model: &Path, tokeniser: &Path, id: String) -> Result<Self, Fault> {
        let unusable = |why: String| IntentError::Tokeniser { path: tokeniser.to_owned(), why };
        let mut tokens = Tokenizer::from_file(tokeniser).map_err(|error| unusable(error.to_string()))?;
        // What is too long is cut here, so that the last piece stays `[SEP]`.
        let cut = tokenizers::TruncationParams { max_length: MAX_TOKENS, ..Default::default() };
        tokens.with_truncation(Some(cut)).map_err(|error| unusable(error.to_string()))?;
        tokens.with_padding(None);
        let model = TextEncoder::load(runtime, model)?;
        Ok(Self { tokeniser: tokens, model, ids: Vec::with_capacity(MAX_TOKENS), id })
    }

    /// Tells the encoder from others: heads belong to one encoder.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The meaning of a sentence in spoken form; `into` gets the numbers.
    ///
    /// # Errors
    /// When tokeniser or model fail.
    pub fn embed(&mut self, spoken: &str, into: &mut Vec<f32>) -> Result<(), Fault> {
        self.cut(spoken)?;
        Ok(self.model.run(&self.ids, into)?)
    }

    /// The same, with the vectors of its word pieces; words are parted by single blanks.
    ///
    /// # Errors
    /// When tokeniser or model fail.
    pub fn embed_words(
        &mut self,
        spoken: &str,
        into: &mut Vec<f32>,
        vectors: &mut TokenVectors,
    ) -> Result<(), Fault> {
        let coded = self.cut(spoken)?;
        self.model.run_with_tokens(&self.ids, into, &mut vectors.numbers)?;
        vectors.width = vectors.numbers.len() / self.ids.len().max(1);
        vectors.firsts.clear();
        let mut pieces = coded.get_offsets().iter().enumerate().filter(|(_, (start, end))| start < end);
        let begins = spoken.char_indices().filter(|(at, _)| *at == 0 || spoken[..*at].ends_with(' '));
        for (begin, _) in begins {
            let Some((piece, _)) = pieces.find(|(_, (start, _))| *start >= begin) else { break };
            vectors.firsts.push(piece as i64);
        }
        Ok(())
    }

    /// Cuts a sentence into the word pieces `ids`.
    fn cut(&mut self, spoken: &str) -> Result<Encoding, IntentError> {
        let coded = self
            .tokeniser
            .encode(spoken, true)
            .map_err(|error| IntentError::Text { length: spoken.chars().count(), why: error.to_string() })?;
        self.ids.clear();
        self.ids.extend(coded.get_ids().iter().map(|id| i64::from(*id)));
        Ok(coded)
    }
}
