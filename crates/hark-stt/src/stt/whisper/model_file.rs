//! Checks a Whisper model file before whisper.cpp gets it.
//!
//! whisper.cpp trusts its files: a shortened one can make it allocate wildly, throw through Rust, or silently run on
//! half-read weights. This walks the whole structure (header, mel filters, vocabulary, tensors) without loading the
//! weights. Layout: `whisper_model_load` in whisper.cpp 1.8.

use super::error::WhisperError;
use std::fs::File;
use std::io::{self, BufReader, ErrorKind, Read};
use std::ops::RangeInclusive;
use std::path::Path;

/// First four bytes of a file: "ggml" as a little-endian number.
const MAGIC: u32 = 0x6767_6d6c;
/// Tensors a model has besides its layers: encoder and decoder.
const TENSORS_OUTSIDE_LAYERS: u32 = 7 + 4;
/// Tensors of an encoder layer and of a decoder layer.
const TENSORS_A_LAYER: [u32; 2] = [15, 24];
/// Tokens of the models there are: English, many languages, many languages with Cantonese.
const VOCABULARIES: RangeInclusive<u32> = 51_864..=51_866;
/// Encoder layers of the models there are: tiny, base, small, medium, large.
const AUDIO_LAYERS: [u32; 5] = [4, 6, 12, 24, 32];
/// Words of the smaller vocabulary.
const MIN_WORDS: u32 = 50_256;
/// Words whisper.cpp looks up without asking whether they are there.
const NEEDED_WORDS: [&[u8]; 3] = [b" ", b" -", b" '"];
/// Number of the first quantisation scheme with a version: the type is what remains after division.
const QUANTISATION_VERSION: u32 = 1000;

/// What a model file holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Header {
    /// Tokens it knows.
    pub vocabulary: u32,
    /// Encoder frames of 30 s.
    pub audio_context: u32,
    /// Tokens of prompt and text together.
    pub text_context: u32,
    /// Tensors with weights; 0 in files made for tests, which recognise nothing.
    pub tensors: u32,
}

/// Checks the file.
///
/// # Errors
/// When it cannot be read, or is no model, or not a whole one.
pub fn check(path: &Path) -> Result<Header, WhisperError> {
    let unreadable = |source| WhisperError::File { path: path.to_owned(), source };
    let file = File::open(path).map_err(unreadable)?;
    let size = file.metadata().map_err(unreadable)?.len();
    let mut reader = Walker { reader: BufReader::new(file), at: 0, size };
    reader.model().map_err(|trouble| match trouble {
        Trouble::Io(source) if source.kind() != ErrorKind::UnexpectedEof => unreadable(source),
        Trouble::Io(_) => WhisperError::NotAModel {
            path: path.to_owned(),
            why: format!("it ends too early, at {size} bytes"),
        },
        Trouble::Form(why) => WhisperError::NotAModel { path: path.to_owned(), why },
    })
}

enum Trouble {
    Io(io::Error),
    Form(String),
}

impl From<io::Error> for Trouble {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

struct Walker {
    reader: BufReader<File>,
    at: u64,
    size: u64,
}

impl Walker {
    fn model(&mut self) -> Result<Header, Trouble> {
        if self.number()? != MAGIC {
            return Err(Trouble::Form("its first bytes are not those of a ggml file".to_owned()));
        }
        let vocabulary = self.within("vocabulary", VOCABULARIES)?;
        let audio_context = self.within("audio context", 64..=1500)?;
        let width = self.within("audio width", 64..=4096)?;
        self.heads(width)?;
        let audio_layers = self.within("audio layers", 1..=32)?;
        if !AUDIO_LAYERS.contains(&audio_layers) {
            return Err(Trouble::Form(format!("no Whisper model has {audio_layers} audio layers")));
        }
        let text_context = self.within("text context", 448..=448)?;
        self.within("text width", width..=width)?;
        self.heads(width)?;
        let text_layers = self.within("text layers", 1..=32)?;
        let mels = self.within("mel bands", 80..=128)?;
        let kind = self.number()? % QUANTISATION_VERSION;
        if kind > 20 {
            return Err(Trouble::Form(format!("its weights are of an unknown type ({kind})")));
        }
        let (filters, bins) = (self.within("mel filters", mels..=mels)?, self.within("FFT bins", 201..=201)?);
        self.skip(u64::from(filters) * u64::from(bins) * 4)?;
        self.words(vocabulary)?;
        let tensors = self.tensors()?;
        let expected =
            TENSORS_OUTSIDE_LAYERS + TENSORS_A_LAYER[0] * audio_layers + TENSORS_A_LAYER[1] * text_layers;
        if tensors != expected && tensors != 0 {
            return Err(Trouble::Form(format!("it has {tensors} of {expected} tensors")));
        }
        Ok(Header { vocabulary, audio_context, text_context, tensors })
    }

    fn heads(&mut self, width: u32) -> Result<(), Trouble> {
        let heads = self.within("attention heads", 1..=64)?;
        if width.is_multiple_of(heads) {
            Ok(())
        } else {
            Err(Trouble::Form(format!("{heads} heads of {width}")))
        }
    }

    fn words(&mut self, vocabulary: u32) -> Result<(), Trouble> {
        let mut missing = NEEDED_WORDS.to_vec();
        let mut word = Vec::new();
        for _ in 0..self.within("words", MIN_WORDS..=vocabulary)? {
            let length = self.within("length of a word", 0..=1024)?;
            word.resize(length as usize, 0);
            self.reader.read_exact(&mut word)?;
            self.at += u64::from(length);
            missing.retain(|needed| *needed != word);
        }
        if missing.is_empty() { Ok(()) } else { Err(Trouble::Form("its vocabulary lacks words".to_owned())) }
    }

    /// Walks to the end of the file; the number of tensors.
    fn tensors(&mut self) -> Result<u32, Trouble> {
        let mut count = 0;
        while self.at < self.size {
            let dimensions = self.within("dimensions of a tensor", 1..=4)?;
            let name = self.within("length of a tensor's name", 1..=256)?;
            let kind = self.number()?;
            let (block, bytes) = block_of(kind)
                .ok_or_else(|| Trouble::Form(format!("a tensor is of an unknown type ({kind})")))?;
            let mut elements = 1u64;
            for _ in 0..dimensions {
                elements *= u64::from(self.within("size of a tensor", 1..=100_000)?);
            }
            self.skip(name.into())?;
            self.skip(elements / block * bytes)?;
            count += 1;
        }
        Ok(count)
    }

    fn number(&mut self) -> Result<u32, Trouble> {
        let mut bytes = [0; 4];
        self.reader.read_exact(&mut bytes)?;
        self.at += 4;
        Ok(u32::from_le_bytes(bytes))
    }

    fn within(&mut self, what: &str, allowed: RangeInclusive<u32>) -> Result<u32, Trouble> {
        let number = self.number()?;
        if allowed.contains(&number) {
            return Ok(number);
        }
        Err(Trouble::Form(format!("{what}: {number} at byte {}", self.at - 4)))
    }

    fn skip(&mut self, bytes: u64) -> Result<(), Trouble> {
        self.at = self.at.saturating_add(bytes);
        if self.at > self.size {
            return Err(io::Error::from(ErrorKind::UnexpectedEof).into());
        }
        // `at` is within a file, and no file is longer than an i64.
        Ok(self.reader.seek_relative(bytes as i64)?)
    }
}

/// Elements and bytes of one block of a ggml type; `None` for types no Whisper model uses.
fn block_of(kind: u32) -> Option<(u64, u64)> {
    Some(match kind {
        0 => (1, 4),
        1 => (1, 2),
        2 => (32, 18),
        3 => (32, 20),
        6 => (32, 22),
        7 => (32, 24),
        8 => (32, 34),
        10 => (256, 84),
        11 => (256, 110),
        12 => (256, 144),
        13 => (256, 176),
        14 => (256, 210),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stt::whisper::test_models::{STUB_HEADER, model_file, stub};

    fn why(bytes: &[u8]) -> String {
        let file = model_file(bytes);
        check(file.path()).err().map_or_else(String::new, |error| error.to_string())
    }

    /// A model of one layer each with zeroed weights of 1 × 1.
    fn small(tensors: usize) -> Vec<u8> {
        let mut bytes = stub(&STUB_HEADER);
        for number in 0..tensors {
            for field in [1u32, 3, 0, 1] {
                bytes.extend(field.to_le_bytes());
            }
            bytes.extend(format!("{number:03}").as_bytes());
            bytes.extend([0; 4]);
        }
        bytes
    }

    #[test]
    fn a_model_without_weights_and_a_whole_one_are_read_through() {
        let file = model_file(&small(0));
        let header = check(file.path()).unwrap();
        assert_eq!(header, Header { vocabulary: 51_864, audio_context: 1500, text_context: 448, tensors: 0 });
        let file = model_file(&small(167));
        assert_eq!(check(file.path()).unwrap().tensors, 167);
    }

    #[test]
    fn what_is_no_model_is_told_with_the_reason() {
        assert!(why(b"this is a text, not a model").contains("first bytes"));
        assert!(why(b"").contains("ends too early"));
        assert!(why(&small(166)).contains("166 of 167 tensors"));
        let whole = small(167);
        for length in [4, 30, 60, 1000, 64_000, 70_000, whole.len() - 1, whole.len() - 5] {
            assert!(!why(&whole[..length]).is_empty(), "cut at {length}");
        }
        let mut header = STUB_HEADER;
        header[5] = 4_000_000_000;
        assert!(why(&stub(&header)).contains("audio layers"));
        let mut few_words = small(0);
        few_words.truncate(64_376 + 4);
        few_words[64_376..].fill(0);
        assert!(why(&few_words).contains("words: 0 at byte 64376"), "{}", why(&few_words));
        let mut odd = small(167);
        let at = odd.len() - 15;
        odd[at..at + 4].copy_from_slice(&99u32.to_le_bytes());
        assert!(why(&odd).contains("unknown type"));
    }

    #[test]
    fn a_missing_file_is_told_with_its_name() {
        let error = check(Path::new("/nowhere/ggml.bin")).unwrap_err();
        assert!(
            matches!(error, WhisperError::File { .. }) && error.to_string().contains("/nowhere/ggml.bin")
        );
    }
}
