//! Moonshine's ONNX sessions: an encoder for the whole utterance, and a decoder that emits one token after the other with
//! a key-value cache (`input_values` in, `logits` and cache out; sound is mono at 16 kHz in −1.0 ..= 1.0). The search is
//! in `hark_stt::stt::moonshine`, which runs this on the thread `hark-moonshine`.

use super::onnx::{OnnxError, OnnxRuntime, open_any_session};
use ort::memory::Allocator;
use ort::session::{Session, SessionInputValue};
use ort::value::{Tensor, TensorRef};
use std::borrow::Cow;
use std::path::{Path, PathBuf};

/// An encoder and its decoder.
pub struct MoonshineModel {
    encoder: Session,
    encoder_path: PathBuf,
    decoder: Session,
    decoder_path: PathBuf,
    /// Names of the cache: inputs of the decoder, and the outputs that they come from.
    cache: Vec<CacheName>,
    heads: usize,
    width: usize,
    /// Exports differ in whether they want to be told which samples and frames count (all).
    encoder_masked: bool,
    decoder_masked: bool,
}

/// One tensor of the cache, `[rows, heads, length, width]`.
struct CacheName {
    past: String,
    present: String,
    /// Whether it is made of the encoder's output: it never changes then.
    crossed: bool,
}

/// What the encoder makes of an utterance.
pub struct EncodedAudio {
    /// f32 `[1, frames, width]`.
    hidden: Tensor<f32>,
    /// i64 `[1, frames]`, ones.
    mask: Tensor<i64>,
}

/// Rows of tokens that are being said.
pub struct DecoderCache {
    /// In the order of `MoonshineModel::cache`; of the crossed ones one row serves all.
    tensors: Vec<Tensor<f32>>,
    length: usize,
}

/// Logits of a run, f32 `[rows, tokens, vocabulary]`.
pub struct Logits {
    values: Vec<f32>,
    tokens: usize,
    vocabulary: usize,
}

impl Logits {
    /// The logits after the first token of a row.
    pub fn row(&self, row: usize) -> &[f32] {
        self.at(row, 0)
    }

    /// The logits after a token of a row.
    pub fn at(&self, row: usize, token: usize) -> &[f32] {
        let from = (row * self.tokens + token) * self.vocabulary;
        &self.values[from..from + self.vocabulary]
    }
}

impl MoonshineModel {
    /// Opens both parts, each on `threads` threads.
    ///
    /// # Errors
    /// When a file is missing or no model, or has other inputs and outputs.
    pub fn open(
        runtime: OnnxRuntime,
        encoder_path: &Path,
        decoder_path: &Path,
        threads: usize,
    ) -> Result<Self, OnnxError> {
        let encoder = open_any_session(runtime, encoder_path, threads)?;
        let decoder = open_any_session(runtime, decoder_path, threads)?;
        let mismatch =
            |path: &Path, why: &str| OnnxError::ModelMismatch { path: path.to_owned(), why: why.to_owned() };
        let has = |session: &Session, name: &str| session.inputs().iter().any(|input| input.name() == name);
        if !has(&encoder, "input_values") {
            return Err(mismatch(encoder_path, "it is no speech encoder: no input `input_values`"));
        }
        let needed = ["input_ids", "encoder_hidden_states", "use_cache_branch"];
        if let Some(missing) = needed.iter().find(|name| !has(&decoder, name)) {
            return Err(mismatch(decoder_path, &format!("it is no speech decoder: no input `{missing}`")));
        }
        let mut cache = Vec::new();
        let mut shape = None;
        for input in decoder.inputs() {
            if let Some(rest) = input.name().strip_prefix("past_key_values.") {
                let crossed = rest.contains(".encoder.");
                let sizes = input.dtype().tensor_shape().filter(|shape| shape.len() == 4);
                shape = sizes.map(|shape| (shape[1], shape[3])).or(shape);
                cache.push(CacheName {
                    past: input.name().to_owned(),
                    present: format!("present.{rest}"),
                    crossed,
                });
            }
        }
        let sizes = shape.and_then(|(heads, width)| Some((heads.try_into().ok()?, width.try_into().ok()?)));
        let Some((heads, width)) = sizes else {
            return Err(mismatch(decoder_path, "it has no cache of known size"));
        };
        Ok(Self {
            encoder_masked: has(&encoder, "attention_mask"),
            decoder_masked: has(&decoder, "encoder_attention_mask"),
            encoder,
            encoder_path: encoder_path.to_owned(),
            decoder,
            decoder_path: decoder_path.to_owned(),
            cache,
            heads,
            width,
        })
    }

    /// Listens to an utterance.
    ///
    /// # Errors
    /// When the run fails, as it does with less than a tenth of a second.
    pub fn encode(&mut self, samples: &[f32]) -> Result<EncodedAudio, OnnxError> {
        let path = self.encoder_path.clone();
        let failed = |error: ort::Error| OnnxError::Run { path: path.clone(), why: error.to_string() };
        let count = samples.len();
        let ones = vec![1_i64; count];
        let input = TensorRef::from_array_view(([1, count], samples)).map_err(failed)?;
        let mut inputs = ort::inputs!["input_values" => input];
        if self.encoder_masked {
            let mask = TensorRef::from_array_view(([1, count], ones.as_slice())).map_err(failed)?;
            inputs.push(("attention_mask".into(), mask.into()));
        }
        let results = self.encoder.run(inputs).map_err(failed)?;
        let (shape, data) = results[0].try_extract_tensor::<f32>().map_err(failed)?;
        let sizes: Vec<usize> = shape.iter().map(|size| *size as usize).collect();
        let frames = sizes.get(1).copied().unwrap_or(0);
        let hidden = Tensor::from_array((sizes, data.to_vec())).map_err(failed)?;
        let mask = Tensor::from_array(([1, frames], vec![1_i64; frames])).map_err(failed)?;
        Ok(EncodedAudio { hidden, mask })
    }

    /// Begins to decode with one row; the logits are those after `token`.
    ///
    /// # Errors
    /// When the run fails.
    pub fn begin(&mut self, encoded: &EncodedAudio, token: u32) -> Result<(DecoderCache, Logits), OnnxError> {
        let path = self.decoder_path.clone();
        let failed = |error: ort::Error| OnnxError::Run { path: path.clone(), why: error.to_string() };
        let empty = || Tensor::<f32>::new(&Allocator::default(), [1, self.heads, 0, self.width]);
        let cache: Result<Vec<_>, _> = self.cache.iter().map(|_| empty()).collect();
        let mut cache = DecoderCache { tensors: cache.map_err(failed)?, length: 0 };
        let logits = self.run(encoded, &mut cache, 1, &[i64::from(token)], true)?;
        Ok((cache, logits))
    }

    /// Goes on: each row of the result is row `from` of before with `token` said after it.
    ///
    /// # Errors
    /// When the run fails.
    pub fn step(
        &mut self,
        encoded: &EncodedAudio,
        cache: &mut DecoderCache,
        rows: &[(usize, u32)],
    ) -> Result<Logits, OnnxError> {
        self.select_rows(cache, rows.iter().map(|(from, _)| *from))?;
        let tokens: Vec<i64> = rows.iter().map(|(_, token)| i64::from(*token)).collect();
        self.run(encoded, cache, rows.len(), &tokens, false)
    }

    /// Says whole rows after the first row of before, all at once. Short ones are filled up; what comes
    /// after their last token means nothing.
    ///
    /// # Errors
    /// When the run fails.
    pub fn decode_rows(
        &mut self,
        encoded: &EncodedAudio,
        cache: &mut DecoderCache,
        rows: &[&[u32]],
    ) -> Result<Logits, OnnxError> {
        self.select_rows(cache, rows.iter().map(|_| 0))?;
        let longest = rows.iter().map(|row| row.len()).max().unwrap_or(0);
        let filled = |row: &&[u32]| {
            let filling = std::iter::repeat_n(0, longest - row.len());
            row.iter().map(|token| i64::from(*token)).chain(filling).collect::<Vec<i64>>()
        };
        let tokens: Vec<i64> = rows.iter().flat_map(filled).collect();
        self.run(encoded, cache, rows.len(), &tokens, false)
    }

    /// The same rows once more, to go on from them twice.
    ///
    /// # Errors
    /// When the cache cannot be read.
    pub fn copy(&self, cache: &DecoderCache) -> Result<DecoderCache, OnnxError> {
        let copy = |tensor: &Tensor<f32>| {
            let (shape, data) = tensor.try_extract_tensor::<f32>()?;
            let shape: Vec<usize> = shape.iter().map(|size| *size as usize).collect();
            Tensor::from_array((shape, data.to_vec()))
        };
        let tensors: Result<Vec<_>, _> = cache.tensors.iter().map(copy).collect();
        Ok(DecoderCache { tensors: tensors.map_err(|error| self.failed(&error))?, length: cache.length })
    }

    /// Makes the cache that of rows of before.
    fn select_rows(
        &self,
        cache: &mut DecoderCache,
        rows: impl ExactSizeIterator<Item = usize> + Clone,
    ) -> Result<(), OnnxError> {
        let size = self.heads * cache.length * self.width;
        let failed = |error: ort::Error| self.failed(&error);
        for (tensor, _) in cache.tensors.iter_mut().zip(&self.cache).filter(|(_, name)| !name.crossed) {
            let (_, data) = tensor.try_extract_tensor::<f32>().map_err(failed)?;
            let mut chosen = Vec::with_capacity(rows.len() * size);
            rows.clone().for_each(|from| chosen.extend_from_slice(&data[from * size..(from + 1) * size]));
            let shape = [rows.len(), self.heads, cache.length, self.width];
            *tensor = Tensor::from_array((shape, chosen)).map_err(failed)?;
        }
        Ok(())
    }

    fn failed(&self, error: &ort::Error) -> OnnxError {
        OnnxError::Run { path: self.decoder_path.clone(), why: error.to_string() }
    }

    fn run(
        &mut self,
        encoded: &EncodedAudio,
        cache: &mut DecoderCache,
        rows: usize,
        tokens: &[i64],
        first: bool,
    ) -> Result<Logits, OnnxError> {
        let path = self.decoder_path.clone();
        let failed = |error: ort::Error| OnnxError::Run { path: path.clone(), why: error.to_string() };
        let count = tokens.len() / rows.max(1);
        let ids = TensorRef::from_array_view(([rows, count], tokens)).map_err(failed)?;
        let cached = Tensor::from_array(([1], vec![!first])).map_err(failed)?;
        let mut inputs: Vec<(Cow<'_, str>, SessionInputValue<'_>)> = vec![
            ("input_ids".into(), ids.into()),
            ("encoder_hidden_states".into(), (&encoded.hidden).into()),
            ("use_cache_branch".into(), cached.into()),
        ];
        if self.decoder_masked {
            inputs.push(("encoder_attention_mask".into(), (&encoded.mask).into()));
        }
        for (name, tensor) in self.cache.iter().zip(&cache.tensors) {
            inputs.push((name.past.as_str().into(), tensor.into()));
        }
        let mut results = self.decoder.run(inputs).map_err(failed)?;
        let missing =
            |name: &str| OnnxError::Run { path: path.clone(), why: format!("it has no output `{name}`") };
        let (shape, values) = results
            .get("logits")
            .ok_or_else(|| missing("logits"))?
            .try_extract_tensor::<f32>()
            .map_err(failed)?;
        let logits = Logits {
            values: values.to_vec(),
            tokens: count,
            vocabulary: shape.last().map_or(0, |size| *size as usize),
        };
        for (tensor, name) in cache.tensors.iter_mut().zip(&self.cache) {
            if first || !name.crossed {
                let value = results.remove(&name.present).ok_or_else(|| missing(&name.present))?;
                *tensor = value.downcast::<ort::value::TensorValueType<f32>>().map_err(failed)?;
            }
        }
        cache.length += count;
        Ok(logits)
    }
}
