//! The words of a model, from Hugging Face's `tokenizer.json`, as the bytes they stand for.

use super::ConversionError;
use serde::Deserialize;
use std::collections::HashMap;

/// Tokens of the models that know English only.
const ENGLISH_VOCABULARY: u32 = 51_864;
/// Characters of the bytes that are not printable begin here.
const SHIFTED: u32 = 256;

#[derive(Deserialize)]
struct Tokenizer {
    model: Model,
    added_tokens: Vec<Added>,
}

#[derive(Deserialize)]
struct Model {
    vocab: HashMap<String, u32>,
}

#[derive(Deserialize)]
struct Added {
    id: u32,
    content: String,
}

/// The words in the order of their ids, up to the first one with a meaning of its own, whose place whisper.cpp knows;
/// files of English models have that one too.
pub(super) fn read(json: &[u8], vocabulary: u32) -> Result<Vec<Vec<u8>>, ConversionError> {
    let wrong = |why: String| ConversionError::Words(why);
    let tokenizer: Tokenizer = serde_json::from_slice(json).map_err(|error| wrong(error.to_string()))?;
    let end = tokenizer.added_tokens.into_iter().min_by_key(|token| token.id);
    let end = end.ok_or_else(|| wrong("it has no added tokens".into()))?;
    if end.id >= vocabulary {
        return Err(wrong(format!("its words end at {}, those of the model at {vocabulary}", end.id)));
    }
    let mut words: Vec<(u32, String)> = tokenizer
        .model
        .vocab
        .into_iter()
        .map(|(word, id)| (id, word))
        .filter(|(id, _)| *id < end.id)
        .collect();
    if vocabulary == ENGLISH_VOCABULARY {
        words.push((end.id, end.content));
    }
    words.sort();
    let bytes = bytes_of_characters();
    (0..)
        .zip(words)
        .map(|(place, (id, word))| {
            if id != place {
                return Err(wrong(format!("it has no word {place}, or several")));
            }
            let byte = |c| {
                bytes.get(&c).copied().ok_or_else(|| wrong(format!("word {id} ({word:?}) has {c:?} in it")))
            };
            word.chars().map(byte).collect()
        })
        .collect()
}

/// The alphabet of byte-level word pieces (GPT-2): printable bytes of Latin-1 stand for themselves, the others for the
/// characters from [`SHIFTED`] on, in their order.
fn bytes_of_characters() -> HashMap<char, u8> {
    let is_printable = |byte: &u8| matches!(byte, b'!'..=b'~' | 0xa1..=0xac | 0xae..=0xff);
    let shifted = (0..=u8::MAX).filter(|byte| !is_printable(byte));
    let shifted = (SHIFTED..).filter_map(char::from_u32).zip(shifted);
    (0..=u8::MAX).filter(is_printable).map(|byte| (char::from(byte), byte)).chain(shifted).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn json(words: &[(&str, u32)], added: &[(&str, u32)]) -> Vec<u8> {
        let vocab: serde_json::Map<_, _> =
            words.iter().map(|(w, id)| ((*w).to_owned(), (*id).into())).collect();
        let added: Vec<_> = added
            .iter()
            .map(|(word, id)| serde_json::json!({"id": id, "content": word, "special": true}))
            .collect();
        serde_json::json!({"model": {"vocab": vocab}, "added_tokens": added}).to_string().into_bytes()
    }

    #[test]
    fn words_are_the_bytes_they_stand_for_in_the_order_of_their_ids() {
        let json =
            json(&[("Ġthe", 1), ("!", 0), ("Ã¼", 2), ("<|end|>", 3)], &[("<|start|>", 4), ("<|end|>", 3)]);
        assert_eq!(read(&json, 10).unwrap(), [&b"!"[..], b" the", "ü".as_bytes()]);
        let english = read(&json, ENGLISH_VOCABULARY).unwrap();
        assert_eq!(english.last().unwrap(), b"<|end|>");
        assert_eq!(bytes_of_characters().len(), 256);
    }

    #[test]
    fn what_is_no_list_of_words_is_told_with_the_reason() {
        let why = |json: &[u8], vocabulary| read(json, vocabulary).unwrap_err().to_string();
        assert!(why(b"{", 9).contains("EOF"));
        assert!(why(b"{\"model\": {\"vocab\": {}}}", 9).contains("added_tokens"));
        assert!(why(&json(&[], &[]), 9).contains("no added tokens"));
        assert!(why(&json(&[("a", 0)], &[("<|end|>", 9)]), 9).contains("end at 9"));
        assert!(why(&json(&[("a", 0), ("b", 2)], &[("<|end|>", 3)]), 9).contains("no word 1"));
        assert!(why(&json(&[("a", 0), ("b", 0)], &[("<|end|>", 3)]), 9).contains("no word 1"));
        assert!(why(&json(&[("語", 0)], &[("<|end|>", 1)]), 9).contains("語"));
    }
}
