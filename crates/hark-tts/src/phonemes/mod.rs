//! Phonemes of text, for voices that are given phonemes: `phonemiser` reads English words, `english` chooses between it and
//! espeak-ng, `alphabet` are the signs a voice knows, `clauses` puts the phonemes of a phrase together.

pub(crate) mod alphabet;
pub(crate) mod clauses;
pub mod english;
pub mod phonemiser;
