//! Byte pair tokeniser of Moonshine: a vocabulary of byte strings, the more frequent first.

use super::error::MoonshineError;
use std::path::Path;

/// What a word begins with in the table.
const WORD_BOUNDARY: &str = "\u{2581}";

/// The language of the model.
const LANGUAGE: &str = "en";

/// A piece of a word: its place in the table.
pub(super) type Token = u32;

/// The vocabulary. It stays in memory between utterances, so it has no allocation for each piece.
pub(super) struct Tokeniser {
    /// The pieces, one after the other.
    bytes: Vec<u8>,
    /// Where each piece ends in `bytes`.
    bounds: Vec<u32>,
    /// The pieces by their bytes, equal ones by their number.
    sorted: Vec<Token>,
    /// What a sentence may end with.
    ends: Vec<Token>,
}

impl Tokeniser {
    /// Before every utterance.
    pub(super) const BEGIN: Token = 1;
    /// After it.
    pub(super) const END: Token = 2;

    /// Reads a table: each piece is its length, in one byte or in two (low seven bits with the top bit set,
    /// then the rest), and its bytes.
    ///
    /// # Errors
    /// When the file cannot be read or is cut off.
    pub(super) fn load(path: &Path) -> Result<Self, MoonshineError> {
        let bytes =
            std::fs::read(path).map_err(|source| MoonshineError::File { path: path.to_owned(), source })?;
        Self::parse(&bytes).ok_or_else(|| MoonshineError::Vocabulary(path.to_owned()))
    }

    pub(super) fn parse(bytes: &[u8]) -> Option<Self> {
        let mut table = Self { bytes: Vec::new(), bounds: Vec::new(), sorted: Vec::new(), ends: Vec::new() };
        let mut rest = bytes;
        while let Some((low, after)) = rest.split_first() {
            let (length, after) = if *low < 128 {
                (usize::from(*low), after)
            } else {
                let (high, after) = after.split_first()?;
                (usize::from(*high) * 128 + usize::from(*low - 128), after)
            };
            let (piece, after) = after.split_at_checked(length)?;
            table.bytes.extend(piece);
            table.bounds.push(u32::try_from(table.bytes.len()).ok()?);
            rest = after;
        }
        let mut sorted: Vec<Token> = (0..table.bounds.len() as Token).collect();
        sorted.sort_by_key(|token| (table.piece(*token), *token));
        table.sorted = sorted;
        let marks = [".", "?", "!"].into_iter().filter_map(|mark| table.token(mark));
        table.ends = marks.chain([Self::END]).collect();
        (table.bounds.len() > Self::END as usize).then_some(table)
    }

    /// The bytes of a piece; none when the table has no such piece.
    fn piece(&self, token: Token) -> &[u8] {
        let token = token as usize;
        let begin = token.checked_sub(1).and_then(|before| self.bounds.get(before)).copied().unwrap_or(0);
        self.bounds.get(token).map_or(&[], |end| &self.bytes[begin as usize..*end as usize])
    }

    /// What a sentence may end with: marks, or nothing.
    pub(super) fn ends(&self) -> &[Token] {
        &self.ends
    }

    /// The number of a piece.
    fn token(&self, piece: &str) -> Option<Token> {
        // A letter is there twice: as one of the bytes that stand for what the table lacks, and, later, as
        // itself.
        let after = self.sorted.partition_point(|token| self.piece(*token) <= piece.as_bytes());
        let last = *self.sorted.get(after.checked_sub(1)?)?;
        (self.piece(last) == piece.as_bytes()).then_some(last)
    }

    /// The pieces of a word with a blank before it; `None` when the table lacks a letter of it.
    pub(super) fn encode_word(&self, word: &str) -> Option<Vec<Token>> {
        let mut pieces: Vec<String> = format!("{WORD_BOUNDARY}{word}").chars().map(String::from).collect();
        loop {
            let pairs = pieces.windows(2).enumerate();
            let best = pairs.filter_map(|(place, pair)| Some((self.token(&pair.concat())?, place))).min();
            let Some((_, place)) = best else { break };
            let after = pieces.remove(place + 1);
            pieces[place].push_str(&after);
        }
        pieces.iter().map(|piece| self.token(piece)).collect()
    }

    /// The pieces of a sentence in spoken form, as it is written most simply.
    pub(super) fn encode(&self, words: &[String]) -> Option<Vec<Token>> {
        let mut pieces = Vec::new();
        for (place, word) in words.iter().enumerate() {
            pieces.extend(self.encode_word(&spellings(word, place == 0)[0])?);
        }
        Some(pieces)
    }

    /// The text that pieces stand for.
    pub(super) fn decode(&self, tokens: &[Token]) -> String {
        let bytes: Vec<u8> = tokens.iter().flat_map(|token| self.piece(*token)).copied().collect();
        String::from_utf8_lossy(&bytes).replace(WORD_BOUNDARY, " ").trim().to_owned()
    }
}

/// How a word may be written, the simplest first: at the beginning of a sentence with a capital, later with one or without,
/// for it may be a name.
pub(super) fn spellings(word: &str, first: bool) -> Vec<String> {
    let mut letters = word.chars();
    let capital: String = letters.next().into_iter().flat_map(char::to_uppercase).chain(letters).collect();
    let always = first || hark_language::of(LANGUAGE).everyday.capitals.contains(word);
    if always { vec![capital] } else { vec![word.to_owned(), capital] }
}

#[cfg(test)]
mod tests {
    use super::super::test_vocabulary::{bytes, table};
    use super::*;

    #[test]
    fn words_are_joined_by_the_pieces_that_come_first_in_the_table() {
        let tokens = table(&["on", "tu", "rn", "\u{2581}tu", "\u{2581}turn", "tur"]);
        let spelt = tokens.encode_word("turn").unwrap();
        assert_eq!(spelt.len(), 1, "{spelt:?}");
        assert_eq!(tokens.decode(&spelt), "turn");
        let spelt = tokens.encode_word("onto").unwrap();
        assert_eq!(tokens.decode(&spelt), "onto");
        assert_eq!(spelt.len(), 4, "blank, on, t, o: {spelt:?}");
        assert_eq!(tokens.encode_word("naïve"), None, "a letter it does not have");
    }

    #[test]
    fn a_letter_is_itself_and_not_the_byte_of_the_same_value() {
        let mut data = bytes(&[]);
        data.extend([1, b's', 1, b'x', 1, b's']);
        let tokens = Tokeniser::parse(&data).unwrap();
        assert_eq!(tokens.token("s"), Some(5));
        assert_eq!(tokens.decode(&[3, 5]), "ss");
    }

    #[test]
    fn sentences_begin_large_and_i_always_is() {
        assert_eq!(spellings("turn", true), ["Turn"]);
        assert_eq!(spellings("anna", false), ["anna", "Anna"]);
        assert_eq!(spellings("i'm", false), ["I'm"]);
        let tokens = table(&["on"]);
        let words: Vec<String> = ["turn", "on"].map(str::to_owned).into();
        assert_eq!(tokens.decode(&tokens.encode(&words).unwrap()), "Turn on");
    }

    #[test]
    fn long_pieces_have_two_bytes_of_length_and_a_table_that_is_cut_off_is_refused() {
        let long = "a".repeat(300);
        let mut data = bytes(&[]);
        data.extend([(300 % 128 + 128) as u8, (300 / 128) as u8]);
        data.extend(long.as_bytes());
        assert_eq!(Tokeniser::parse(&data).unwrap().decode(&[3]), long);
        data.pop();
        assert!(Tokeniser::parse(&data).is_none());
        assert!(Tokeniser::parse(&[]).is_none());
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("tokens.bin");
        std::fs::write(&path, &data).unwrap();
        let error = Tokeniser::load(&path).err().unwrap();
        assert!(error.to_string().contains("tokens.bin"), "{error}");
    }
}
