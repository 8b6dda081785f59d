//! A small vocabulary of word pieces, for the tests of this folder.

use super::tokeniser::Tokeniser;

/// The bytes of a table with these pieces after the three marks every table begins with.
pub(super) fn bytes(pieces: &[&str]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for piece in ["<unk>", "<s>", "</s>"].iter().chain(pieces) {
        bytes.push(piece.len() as u8);
        bytes.extend(piece.as_bytes());
    }
    bytes
}

/// A table with the small letters, some marks, and some pieces; the first ones are joined first.
pub(super) fn table(pieces: &[&str]) -> Tokeniser {
    let letters: Vec<String> = ('a'..='z').chain("\u{2581}'.?TO".chars()).map(String::from).collect();
    let all: Vec<&str> = pieces.iter().copied().chain(letters.iter().map(String::as_str)).collect();
    Tokeniser::parse(&bytes(&all)).expect("a table")
}
