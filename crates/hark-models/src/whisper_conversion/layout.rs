//! Which tensor of ggml is which variable of CTranslate2, and the sizes both must have.

use super::ConversionError;
use super::ct2::Variables;
use std::io::{Read, Seek};

/// Width of one attention head in every Whisper model.
const HEAD_WIDTH: u32 = 64;
/// Widths from the smallest model to beyond the largest.
const WIDTHS: std::ops::RangeInclusive<u32> = HEAD_WIDTH..=4096;
/// Most layers of a side; the largest model has as many.
const MAX_LAYERS: u32 = 32;
/// Mel bands of the models there are lie between these.
const MELS: std::ops::RangeInclusive<u32> = 80..=128;
/// Width of a convolution.
const KERNEL: u32 = 3;

/// The sizes of a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Shape {
    pub(super) vocabulary: u32,
    pub(super) width: u32,
    pub(super) mels: u32,
    pub(super) audio_context: u32,
    pub(super) text_context: u32,
    pub(super) audio_layers: u32,
    pub(super) text_layers: u32,
}

impl Shape {
    /// Told by the variables themselves.
    pub(super) fn of(variables: &Variables<impl Read + Seek>) -> Result<Self, ConversionError> {
        let [vocabulary, width] = sizes(variables, "decoder/embeddings/weight")?;
        let [_, mels, _] = sizes(variables, "encoder/conv1/weight")?;
        let [audio_context, _] = sizes(variables, "encoder/position_encodings/encodings")?;
        let [text_context, _] = sizes(variables, "decoder/position_encodings/encodings")?;
        if !WIDTHS.contains(&width) || !width.is_multiple_of(HEAD_WIDTH) || !MELS.contains(&mels) {
            return Err(ConversionError::Model(format!(
                "no Whisper model is {width} wide with {mels} mel bands"
            )));
        }
        let layers = |side: &str| {
            let is_there = |layer: &u32| {
                variables
                    .dimensions(&format!("{side}/layer_{layer}/self_attention/linear_0/weight"))
                    .is_some()
            };
            match (0..=MAX_LAYERS).take_while(is_there).count() as u32 {
                count @ 1..=MAX_LAYERS => Ok(count),
                count => Err(ConversionError::Model(format!("no Whisper model has {count} layers ({side})"))),
            }
        };
        let (audio_layers, text_layers) = (layers("encoder")?, layers("decoder")?);
        Ok(Self { vocabulary, width, mels, audio_context, text_context, audio_layers, text_layers })
    }

    pub(super) fn heads(&self) -> u32 {
        self.width / HEAD_WIDTH
    }
}

fn sizes<const N: usize>(
    variables: &Variables<impl Read + Seek>,
    name: &str,
) -> Result<[u32; N], ConversionError> {
    let found = variables.dimensions(name);
    found.and_then(|found| found.try_into().ok()).ok_or_else(|| {
        ConversionError::Model(match found {
            Some(found) => format!("`{name}` has {} dimensions, not {N}", found.len()),
            None => format!("`{name}` is not there"),
        })
    })
}

/// How numbers are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Precision {
    /// 32 bits: what is added.
    Full,
    /// 16 bits: what is multiplied.
    Half,
}

/// One tensor to be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Tensor {
    /// In ggml.
    pub(super) name: String,
    /// Its sizes there, from the outermost one.
    pub(super) dimensions: Vec<u32>,
    pub(super) precision: Precision,
    /// In CTranslate2.
    pub(super) from: String,
    /// The sizes of that variable.
    pub(super) source: Vec<u32>,
    /// Which share of its rows: the first, second … piece as large as the tensor.
    piece: u32,
}

impl Tensor {
    pub(super) fn elements(&self) -> u64 {
        self.dimensions.iter().map(|size| u64::from(*size)).product()
    }

    /// Where in the variable its first number is.
    pub(super) fn first_element(&self) -> u64 {
        u64::from(self.piece) * self.elements()
    }
}

/// All tensors in the order whisper.cpp's own models have.
pub(super) fn tensors(shape: &Shape) -> Vec<Tensor> {
    let mut list = Tensors { width: shape.width, all: Vec::new() };
    let width = shape.width;
    list.positions("encoder", shape.audio_context);
    list.convolution("conv1", shape.mels);
    list.convolution("conv2", width);
    for layer in 0..shape.audio_layers {
        list.layer("encoder", layer, false);
    }
    list.norm("encoder.ln_post", "encoder/layer_norm");
    list.positions("decoder", shape.text_context);
    list.matrix("decoder.token_embedding.weight", "decoder/embeddings/weight", &[shape.vocabulary, width]);
    for layer in 0..shape.text_layers {
        list.layer("decoder", layer, true);
    }
    list.norm("decoder.ln", "decoder/layer_norm");
    list.all
}

struct Tensors {
    width: u32,
    all: Vec<Tensor>,
}

impl Tensors {
    fn add(&mut self, name: String, from: String, dimensions: &[u32], precision: Precision) -> &mut Tensor {
        let (dimensions, source) = (dimensions.to_vec(), dimensions.to_vec());
        let index = self.all.len();
        self.all.push(Tensor { name, dimensions, precision, from, source, piece: 0 });
        &mut self.all[index]
    }

    fn matrix(&mut self, name: &str, from: &str, dimensions: &[u32]) {
        self.add(name.to_owned(), from.to_owned(), dimensions, Precision::Half);
    }

    fn vector(&mut self, name: &str, from: &str, length: u32) {
        self.add(name.to_owned(), from.to_owned(), &[length], Precision::Full);
    }

    fn positions(&mut self, side: &str, context: u32) {
        let from = format!("{side}/position_encodings/encodings");
        self.add(format!("{side}.positional_embedding"), from, &[context, self.width], Precision::Full);
    }

    fn convolution(&mut self, name: &str, inputs: u32) {
        let width = self.width;
        self.matrix(
            &format!("encoder.{name}.weight"),
            &format!("encoder/{name}/weight"),
            &[width, inputs, KERNEL],
        );
        let bias = format!("encoder.{name}.bias");
        let bias = self.add(bias, format!("encoder/{name}/bias"), &[width], Precision::Full);
        // A column, so that ggml adds it to every frame.
        bias.dimensions = vec![width, 1];
    }

    fn norm(&mut self, name: &str, from: &str) {
        self.vector(&format!("{name}.weight"), &format!("{from}/gamma"), self.width);
        self.vector(&format!("{name}.bias"), &format!("{from}/beta"), self.width);
    }

    fn layer(&mut self, side: &str, layer: u32, has_cross: bool) {
        let (name, from) = (format!("{side}.blocks.{layer}"), format!("{side}/layer_{layer}"));
        self.attention(
            &format!("{name}.attn"),
            &format!("{from}/self_attention"),
            &[&["query", "key", "value"]],
        );
        self.norm(&format!("{name}.attn_ln"), &format!("{from}/self_attention/layer_norm"));
        if has_cross {
            let joined: [&[&str]; 2] = [&["query"], &["key", "value"]];
            self.attention(&format!("{name}.cross_attn"), &format!("{from}/attention"), &joined);
            self.norm(&format!("{name}.cross_attn_ln"), &format!("{from}/attention/layer_norm"));
        }
        let (narrow, wide) = (self.width, 4 * self.width);
        for (number, rows, columns) in [(0, wide, narrow), (1, narrow, wide)] {
            let (name, from) = (format!("{name}.mlp.{}", 2 * number), format!("{from}/ffn/linear_{number}"));
            self.matrix(&format!("{name}.weight"), &format!("{from}/weight"), &[rows, columns]);
            self.vector(&format!("{name}.bias"), &format!("{from}/bias"), rows);
        }
        self.norm(&format!("{name}.mlp_ln"), &format!("{from}/ffn/layer_norm"));
    }

    /// `joined`: what each projection of CTranslate2 holds, one below the other; the next one is the output's.
    fn attention(&mut self, name: &str, from: &str, joined: &[&[&str]]) {
        let width = self.width;
        let with_output: Vec<&[&str]> = joined.iter().copied().chain([&["out"][..]]).collect();
        for (number, parts) in with_output.into_iter().enumerate() {
            let rows = parts.len() as u32 * width;
            for (piece, part) in (0u32..).zip(parts) {
                let (name, from) = (format!("{name}.{part}"), format!("{from}/linear_{number}"));
                let weight = self.add(
                    format!("{name}.weight"),
                    format!("{from}/weight"),
                    &[width, width],
                    Precision::Half,
                );
                (weight.source, weight.piece) = (vec![rows, width], piece);
                // Keys have none: in CTranslate2 theirs are zeros.
                if *part != "key" {
                    let bias =
                        self.add(format!("{name}.bias"), format!("{from}/bias"), &[width], Precision::Full);
                    (bias.source, bias.piece) = (vec![rows], piece);
                }
            }
        }
    }
}
