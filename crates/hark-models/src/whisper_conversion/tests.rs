//! The converter on a small made-up model, and on what is none.
#![allow(clippy::unwrap_used, reason = "tests")]

use super::*;
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::io::Cursor;

const WIDTH: u32 = 64;
const VOCABULARY: u32 = 6;

/// A variable of CTranslate2: its sizes, its type and its bytes.
type Variable = (Vec<u32>, u8, Vec<u8>);

/// A number that tells which variable it is of and where in it it stands; 16 bits hold it exactly.
fn number(variable: usize, element: usize) -> f32 {
    (variable % 32) as f32 * 64.0 + (element / 1000 % 64) as f32
}

/// A model with one layer on each side.
fn variables() -> BTreeMap<String, Variable> {
    let (w, four) = (WIDTH, 4 * WIDTH);
    let mut sizes: Vec<(String, Vec<u32>)> = vec![
        ("decoder/embeddings/weight".into(), vec![VOCABULARY, w]),
        ("decoder/position_encodings/encodings".into(), vec![3, w]),
        ("encoder/position_encodings/encodings".into(), vec![5, w]),
        ("encoder/conv1/weight".into(), vec![w, 80, 3]),
        ("encoder/conv1/bias".into(), vec![w]),
        ("encoder/conv2/weight".into(), vec![w, w, 3]),
        ("encoder/conv2/bias".into(), vec![w]),
    ];
    let mut linear = |name: String, rows: u32, columns: u32| {
        sizes.push((format!("{name}/weight"), vec![rows, columns]));
        sizes.push((format!("{name}/bias"), vec![rows]));
    };
    for side in ["encoder", "decoder"] {
        linear(format!("{side}/layer_0/self_attention/linear_0"), 3 * w, w);
        linear(format!("{side}/layer_0/self_attention/linear_1"), w, w);
        linear(format!("{side}/layer_0/ffn/linear_0"), four, w);
        linear(format!("{side}/layer_0/ffn/linear_1"), w, four);
    }
    linear("decoder/layer_0/attention/linear_0".into(), w, w);
    linear("decoder/layer_0/attention/linear_1".into(), 2 * w, w);
    linear("decoder/layer_0/attention/linear_2".into(), w, w);
    for name in [
        "encoder/layer_norm",
        "decoder/layer_norm",
        "encoder/layer_0/self_attention/layer_norm",
        "decoder/layer_0/self_attention/layer_norm",
        "decoder/layer_0/attention/layer_norm",
        "encoder/layer_0/ffn/layer_norm",
        "decoder/layer_0/ffn/layer_norm",
    ] {
        sizes.push((format!("{name}/gamma"), vec![w]));
        sizes.push((format!("{name}/beta"), vec![w]));
    }
    let mut variables: BTreeMap<String, Variable> = BTreeMap::new();
    for (index, (name, sizes)) in sizes.into_iter().enumerate() {
        let count = sizes.iter().product::<u32>() as usize;
        let bytes = (0..count).flat_map(|at| f16::from_f32(number(index, at)).to_le_bytes()).collect();
        variables.insert(name, (sizes, 4, bytes));
    }
    variables.insert("decoder/num_heads".into(), (vec![], 2, vec![1, 0]));
    variables
}

/// The file that holds these variables.
fn file(variables: &BTreeMap<String, Variable>) -> Vec<u8> {
    let text = |text: &str| {
        let mut bytes = (text.len() as u16 + 1).to_le_bytes().to_vec();
        bytes.extend(text.as_bytes());
        bytes.push(0);
        bytes
    };
    let mut bytes = 6u32.to_le_bytes().to_vec();
    bytes.extend(text("WhisperSpec"));
    bytes.extend(3u32.to_le_bytes());
    bytes.extend((variables.len() as u32).to_le_bytes());
    for (name, (sizes, kind, numbers)) in variables {
        bytes.extend(text(name));
        bytes.push(sizes.len() as u8);
        sizes.iter().for_each(|size| bytes.extend(size.to_le_bytes()));
        bytes.push(*kind);
        bytes.extend((numbers.len() as u32).to_le_bytes());
        bytes.extend(numbers);
    }
    bytes.extend(1u32.to_le_bytes());
    bytes.extend(text("decoder/projection/weight"));
    bytes.extend(text("decoder/embeddings/weight"));
    bytes
}

/// Its words.
pub(crate) fn tokenizer() -> Vec<u8> {
    r#"{"model": {"vocab": {"!": 0, "Ġ": 1, "Ġthe": 2}}, "added_tokens": [{"id": 3, "content": "<|endoftext|>"}]}"#
        .as_bytes()
        .to_vec()
}

/// The whole small model as CTranslate2 has it.
pub(crate) fn model() -> Vec<u8> {
    file(&variables())
}

pub(crate) fn converted(weights: &[u8]) -> Result<Vec<u8>, ConversionError> {
    let mut out = Vec::new();
    convert(Cursor::new(weights), &tokenizer(), &mut out).map(|()| out)
}

fn why(variables: &BTreeMap<String, Variable>) -> String {
    converted(&file(variables)).unwrap_err().to_string()
}

/// Reads numbers from the front of a file.
struct Front<'f>(&'f [u8]);

impl Front<'_> {
    fn u32(&mut self) -> u32 {
        u32::from_le_bytes(self.take(4).try_into().unwrap())
    }

    fn take(&mut self, count: usize) -> Vec<u8> {
        let (front, rest) = self.0.split_at(count);
        self.0 = rest;
        front.to_vec()
    }
}

/// A tensor of ggml: its sizes from the innermost one, and its numbers.
type Found = (Vec<u32>, u32, Vec<f32>);

fn tensors(front: &mut Front<'_>) -> BTreeMap<String, Found> {
    let mut found = BTreeMap::new();
    while !front.0.is_empty() {
        let (rank, length, kind) = (front.u32(), front.u32(), front.u32());
        let sizes: Vec<u32> = (0..rank).map(|_| front.u32()).collect();
        let name = String::from_utf8(front.take(length as usize)).unwrap();
        let count = sizes.iter().product::<u32>() as usize;
        let numbers = match kind {
            0 => (0..count).map(|_| f32::from_bits(front.u32())).collect(),
            _ => front
                .take(2 * count)
                .chunks(2)
                .map(|two| f16::from_le_bytes([two[0], two[1]]).to_f32())
                .collect(),
        };
        found.insert(name, (sizes, kind, numbers));
    }
    found
}

#[test]
fn a_model_is_written_tensor_by_tensor() {
    let variables = variables();
    let bytes = converted(&file(&variables)).unwrap();
    let mut front = Front(&bytes);
    let head: Vec<u32> = (0..14).map(|_| front.u32()).collect();
    assert_eq!(head, [MAGIC, VOCABULARY, 5, WIDTH, 1, 1, 3, WIDTH, 1, 1, 80, 1, 80, 201]);
    front.take(80 * 201 * 4);
    let words: Vec<Vec<u8>> = (0..front.u32())
        .map(|_| {
            let length = front.u32();
            front.take(length as usize)
        })
        .collect();
    assert_eq!(words, [&b"!"[..], b" ", b" the"]);
    let found = tensors(&mut front);
    assert_eq!(found.len(), 7 + 4 + 15 + 24);
    let source = |name: &str| -> Vec<f32> {
        variables[name].2.chunks(2).map(|two| f16::from_le_bytes([two[0], two[1]]).to_f32()).collect()
    };
    let (square, width) = ((WIDTH * WIDTH) as usize, WIDTH as usize);
    for (name, sizes, kind, from, at) in [
        ("encoder.conv1.weight", vec![3, 80, WIDTH], 1, "encoder/conv1/weight", 0),
        ("encoder.conv1.bias", vec![1, WIDTH], 0, "encoder/conv1/bias", 0),
        ("encoder.positional_embedding", vec![WIDTH, 5], 0, "encoder/position_encodings/encodings", 0),
        ("decoder.token_embedding.weight", vec![WIDTH, VOCABULARY], 1, "decoder/embeddings/weight", 0),
        (
            "encoder.blocks.0.attn.value.weight",
            vec![WIDTH; 2],
            1,
            "encoder/layer_0/self_attention/linear_0/weight",
            2 * square,
        ),
        (
            "decoder.blocks.0.attn.value.bias",
            vec![WIDTH],
            0,
            "decoder/layer_0/self_attention/linear_0/bias",
            2 * width,
        ),
        (
            "decoder.blocks.0.cross_attn.query.weight",
            vec![WIDTH; 2],
            1,
            "decoder/layer_0/attention/linear_0/weight",
            0,
        ),
        (
            "decoder.blocks.0.cross_attn.key.weight",
            vec![WIDTH; 2],
            1,
            "decoder/layer_0/attention/linear_1/weight",
            0,
        ),
        (
            "decoder.blocks.0.cross_attn.value.weight",
            vec![WIDTH; 2],
            1,
            "decoder/layer_0/attention/linear_1/weight",
            square,
        ),
        (
            "decoder.blocks.0.cross_attn.out.bias",
            vec![WIDTH],
            0,
            "decoder/layer_0/attention/linear_2/bias",
            0,
        ),
        (
            "decoder.blocks.0.mlp.2.weight",
            vec![4 * WIDTH, WIDTH],
            1,
            "decoder/layer_0/ffn/linear_1/weight",
            0,
        ),
        ("decoder.ln.bias", vec![WIDTH], 0, "decoder/layer_norm/beta", 0),
    ] {
        let (found_sizes, found_kind, numbers) = &found[name];
        assert_eq!((found_sizes, found_kind), (&sizes, &kind), "{name}");
        assert_eq!(numbers[..], source(from)[at..at + numbers.len()], "{name}");
    }
    assert!(!found.contains_key("encoder.blocks.0.attn.key.bias"));
}

#[test]
fn weights_of_32_bits_become_the_nearest_of_16() {
    let mut variables = variables();
    let (sizes, _, halves) = variables["decoder/embeddings/weight"].clone();
    let full = halves.chunks(2).flat_map(|_| 0.1_f32.to_le_bytes()).collect();
    variables.insert("decoder/embeddings/weight".into(), (sizes, 0, full));
    let bytes = converted(&file(&variables)).unwrap();
    let at = bytes.windows(30).position(|name| name == b"decoder.token_embedding.weight").unwrap() + 30;
    assert_eq!(bytes[at..at + 2], f16::from_f32(0.1).to_le_bytes());
}

#[test]
fn what_is_no_model_is_told_with_the_place_and_the_reason() {
    let whole = file(&variables());
    let why_of = |bytes: &[u8]| converted(bytes).unwrap_err().to_string();
    assert!(why_of(b"").contains("the version should be, at byte 0"));
    assert!(why_of(b"this is a text, no model").contains("version 1936287860"));
    let mut other = whole.clone();
    other[6] = b'X';
    assert!(why_of(&other).contains("\"XhisperSpec\""));
    for length in [5, 12, 30, 100, 1000, whole.len() / 2, whole.len() - 1] {
        assert!(why_of(&whole[..length]).contains("it ends"), "{length}: {}", why_of(&whole[..length]));
    }
    let longer = [whole.clone(), vec![0; 3]].concat();
    assert!(why_of(&longer).contains("3 bytes follow the end"));
    let other_words = convert(Cursor::new(&whole), b"{}", &mut Vec::new()).unwrap_err();
    assert!(
        matches!(other_words, ConversionError::Words(_))
            && other_words.to_string().contains("tokenizer.json")
    );
}

#[test]
fn a_model_that_is_not_whole_or_quantised_is_refused() {
    let mut less = variables();
    less.remove("decoder/layer_0/attention/linear_1/bias");
    assert!(why(&less).contains("`decoder/layer_0/attention/linear_1/bias` is not there"), "{}", why(&less));
    let mut small = variables();
    small.insert("encoder/conv2/bias".into(), (vec![2], 4, vec![0; 4]));
    assert!(why(&small).contains("`encoder/conv2/bias` is [2], not [64]"), "{}", why(&small));
    let mut quantised = variables();
    quantised.insert("decoder/embeddings/weight".into(), (vec![VOCABULARY, WIDTH], 1, vec![0; 6 * 64]));
    assert!(why(&quantised).contains("quantised"), "{}", why(&quantised));
    let mut odd = variables();
    odd.insert("decoder/embeddings/weight".into(), (vec![VOCABULARY, 20], 4, vec![0; 240]));
    assert!(why(&odd).contains("20 wide"), "{}", why(&odd));
    let mut empty = variables();
    empty.remove("encoder/layer_0/self_attention/linear_0/weight");
    assert!(why(&empty).contains("0 layers (encoder)"), "{}", why(&empty));
    let mut flat = variables();
    flat.insert("encoder/conv1/weight".into(), (vec![WIDTH], 4, vec![0; 128]));
    assert!(why(&flat).contains("has 1 dimensions, not 3"), "{}", why(&flat));
}

#[test]
fn an_output_that_cannot_be_written_is_told_as_such() {
    struct Full;
    impl Write for Full {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(io::ErrorKind::StorageFull.into())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let error = convert(Cursor::new(file(&variables())), &tokenizer(), &mut Full).unwrap_err();
    assert!(matches!(error, ConversionError::Write(_)));
}

proptest! {
    #[test]
    fn arbitrary_bytes_never_panic(weights in proptest::collection::vec(any::<u8>(), 0..300), words in ".{0,80}") {
        let _ = convert(Cursor::new(&weights), words.as_bytes(), &mut Vec::new());
        // Behind a right beginning they are looked at further.
        let mut begun = file(&BTreeMap::new())[..22].to_vec();
        begun.extend(&weights);
        let _ = convert(Cursor::new(&begun), words.as_bytes(), &mut Vec::new());
    }

    #[test]
    fn a_damaged_model_never_panics(at in any::<proptest::sample::Index>(), byte in any::<u8>(), cut in any::<proptest::sample::Index>()) {
        let mut weights = file(&variables());
        let index = at.index(weights.len());
        weights[index] = byte;
        let _ = convert(Cursor::new(&weights), &tokenizer(), &mut Vec::new());
        weights.truncate(cut.index(weights.len()));
        prop_assert!(convert(Cursor::new(&weights), &tokenizer(), &mut Vec::new()).is_err());
    }

    #[test]
    fn damaged_words_never_panic(at in any::<proptest::sample::Index>(), byte in any::<u8>()) {
        let mut words = tokenizer();
        let index = at.index(words.len());
        words[index] = byte;
        let _ = convert(Cursor::new(file(&variables())), &words, &mut Vec::new());
    }
}
