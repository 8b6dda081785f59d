//! Words that are in no lexicon: a small network reads their letters.

use super::{PhonemiserFiles, read_json};
use crate::error::SpeakingError;
use hark_models::onnx::{OnnxError, OnnxRuntime, open_small_session};
use ort::session::Session;
use ort::value::{TensorElementType, TensorRef};
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

/// Words whose phonemes are kept: names of a home come again and again.
const KEPT: usize = 500;

/// Opens the network at the first unknown word: many texts have none.
#[derive(Debug)]
pub(super) struct Unknown {
    runtime: OnnxRuntime,
    model: PathBuf,
    letters: Letters,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    session: Option<Session>,
    said: HashMap<String, String>,
}

/// What the network reads and writes. Its numbers begin with 1; 0 is nothing.
#[derive(Debug, serde::Deserialize)]
struct Letters {
    r#in: Vec<char>,
    out: Vec<char>,
    maxlen: usize,
}

impl Unknown {
    pub(super) fn open(runtime: OnnxRuntime, files: &PhonemiserFiles) -> Result<Self, SpeakingError> {
        let path = &files.unknown_words_letters;
        let letters: Letters = read_json(path)?;
        if letters.maxlen == 0 || letters.r#in.is_empty() || letters.out.is_empty() {
            let why = "it has no letters".to_owned();
            return Err(SpeakingError::Phonemiser { path: path.clone(), why });
        }
        Ok(Self { runtime, model: files.unknown_words.clone(), letters, state: Mutex::default() })
    }

    /// The phonemes of a word; empty when the network knows none of its letters.
    pub(super) fn say(&self, word: &str) -> Result<String, OnnxError> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let State { session, said } = &mut *state;
        if let Some(said) = said.get(word) {
            return Ok(said.clone());
        }
        let session = match session {
            Some(session) => session,
            None => {
                let (input, output) = (("chars", TensorElementType::Int64), TensorElementType::Int64);
                session.insert(open_small_session(self.runtime, &self.model, 1, &[input], output)?)
            }
        };
        let place = |letter| self.letters.r#in.iter().position(|own| *own == letter);
        let ids: Vec<i64> = word.chars().filter_map(place).map(|place| place as i64 + 1).collect();
        let mut phonemes = String::new();
        // Longer words than it was trained on are read in pieces.
        for piece in ids.chunks(self.letters.maxlen) {
            self.read(session, piece, &mut phonemes)?;
        }
        if said.len() >= KEPT {
            said.clear();
        }
        said.insert(word.to_owned(), phonemes.clone());
        Ok(phonemes)
    }

    fn read(&self, session: &mut Session, ids: &[i64], phonemes: &mut String) -> Result<(), OnnxError> {
        let failed = |why: String| OnnxError::Run { path: self.model.clone(), why };
        let words = |error: ort::Error| failed(error.to_string());
        let input = TensorRef::from_array_view(([1, ids.len()], ids)).map_err(words)?;
        let results = session.run(ort::inputs!["chars" => input]).map_err(words)?;
        let (_, found) = results[0].try_extract_tensor::<i64>().map_err(words)?;
        // A sound that lasts is there several times, and nothing stands between two equal ones.
        let mut last = 0;
        for &id in found {
            let at = usize::try_from(id).ok().and_then(|id| id.checked_sub(1));
            let letter = at.and_then(|at| self.letters.out.get(at));
            phonemes.extend(letter.filter(|_| id != last));
            last = id;
        }
        Ok(())
    }
}
