//! Whisper models from CTranslate2's format, as packages carry them, into whisper.cpp's ggml format.
//!
//! Both hold the same tensors under other names: projections of attention are joined in one and apart in the other, words
//! are JSON beside it in one and inside the file in the other, and only ggml has the mel filters. `ct2` reads the one,
//! `layout` says which tensor is which, `words` and `mel` make what is not there. Numbers are copied, a piece at a time,
//! so that the memory taken does not grow with the model.

mod ct2;
mod joined;
mod layout;
mod words;

use crate::mel;
use ct2::Variables;
use half::f16;
pub use joined::JoinedFiles;
use layout::{Precision, Tensor};
use std::io::{self, Read, Seek, Write};

/// First four bytes of the output: "ggml" as a little-endian number.
const MAGIC: u32 = 0x6767_6d6c;
/// ggml's numbers of the types of tensors; the second one is also that of the whole file.
const F32: u32 = 0;
const F16: u32 = 1;
/// Numbers converted at a time.
const PIECE: usize = 1 << 14;

/// Why a model cannot be converted.
#[derive(Debug, thiserror::Error)]
pub enum ConversionError {
    /// The weights cannot be read.
    #[error("the weights cannot be read: {0}")]
    Read(io::Error),
    /// The output cannot be written.
    #[error("{0}")]
    Write(io::Error),
    /// The file of weights is not in CTranslate2's format, or damaged.
    #[error("these are no weights in CTranslate2's format: {why}, at byte {at}")]
    Form {
        /// Where in the joined weights.
        at: u64,
        /// What is wrong there.
        why: String,
    },
    /// It is, but what it holds is no Whisper model of a kind that ggml has.
    #[error("the weights cannot be converted: {0}")]
    Model(String),
    /// The words are not those of the model.
    #[error("its tokenizer.json does not fit: {0}")]
    Words(String),
}

/// Converts a model: `weights` is its `model.bin`, `tokenizer` the text of its `tokenizer.json`. The same input makes
/// the same bytes. Nothing is written before everything but the numbers was checked.
///
/// # Errors
/// When either is damaged or no Whisper model with 16 or 32 bit weights; when reading or writing fails.
pub fn convert(
    weights: impl Read + Seek,
    tokenizer: &[u8],
    to: &mut impl Write,
) -> Result<(), ConversionError> {
    let mut variables = Variables::read(weights)?;
    let shape = layout::Shape::of(&variables)?;
    let tensors = layout::tensors(&shape);
    for tensor in &tensors {
        variables.require(&tensor.from, &tensor.source)?;
    }
    let words = words::read(tokenizer, shape.vocabulary)?;
    let mut writer = Writer { to };
    writer.head(&shape)?;
    writer.words(&words)?;
    tensors.iter().try_for_each(|tensor| writer.tensor(tensor, &mut variables))
}

struct Writer<'w, W> {
    to: &'w mut W,
}

impl<W: Write> Writer<'_, W> {
    fn bytes(&mut self, bytes: &[u8]) -> Result<(), ConversionError> {
        self.to.write_all(bytes).map_err(ConversionError::Write)
    }

    fn numbers(&mut self, numbers: &[u32]) -> Result<(), ConversionError> {
        numbers.iter().try_for_each(|number| self.bytes(&number.to_le_bytes()))
    }

    fn head(&mut self, shape: &layout::Shape) -> Result<(), ConversionError> {
        self.numbers(&[MAGIC, shape.vocabulary])?;
        self.numbers(&[shape.audio_context, shape.width, shape.heads(), shape.audio_layers])?;
        self.numbers(&[shape.text_context, shape.width, shape.heads(), shape.text_layers])?;
        self.numbers(&[shape.mels, F16])?;
        self.numbers(&[shape.mels, mel::BINS])?;
        mel::filters(shape.mels).into_iter().try_for_each(|weight| self.bytes(&weight.to_le_bytes()))
    }

    fn words(&mut self, words: &[Vec<u8>]) -> Result<(), ConversionError> {
        // As many as a u32 counts: their ids are u32.
        self.numbers(&[words.len() as u32])?;
        words.iter().try_for_each(|word| {
            self.numbers(&[word.len() as u32])?;
            self.bytes(word)
        })
    }

    fn tensor(
        &mut self,
        tensor: &Tensor,
        variables: &mut Variables<impl Read + Seek>,
    ) -> Result<(), ConversionError> {
        let kind = match tensor.precision {
            Precision::Full => F32,
            Precision::Half => F16,
        };
        self.numbers(&[tensor.dimensions.len() as u32, tensor.name.len() as u32, kind])?;
        // ggml counts dimensions from the innermost one.
        for size in tensor.dimensions.iter().rev() {
            self.numbers(&[*size])?;
        }
        self.bytes(tensor.name.as_bytes())?;
        let mut left = tensor.elements();
        let mut at = tensor.first_element();
        while left > 0 {
            let count = left.min(PIECE as u64);
            let piece = variables.numbers(&tensor.from, at, count as usize)?;
            let mut bytes = Vec::with_capacity(piece.len() * 4);
            match tensor.precision {
                Precision::Full => piece.for_each(|number| bytes.extend(number.to_le_bytes())),
                Precision::Half => piece.for_each(|number| bytes.extend(f16::from_f32(number).to_le_bytes())),
            }
            self.bytes(&bytes)?;
            (left, at) = (left - count, at + count);
        }
        Ok(())
    }
}

#[cfg(test)]
pub(crate) mod tests;
