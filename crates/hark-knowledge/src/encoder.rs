//! The sentence encoder as this crate sees it. The program implements it on the encoder it ships.

use hark_core::Fault;

/// Vectors of the words of a text, one after the other.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct WordVectors {
    /// `[words, width]`, row by row.
    pub numbers: Vec<f32>,
    /// Numbers of a word.
    pub width: usize,
}

impl WordVectors {
    /// How many words there are; fewer than the text has where the encoder cut it off.
    pub fn len(&self) -> usize {
        self.numbers.len().checked_div(self.width).unwrap_or(0)
    }

    /// Whether there is no word.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The vector of a word; `None` past the end.
    pub fn get(&self, word: usize) -> Option<&[f32]> {
        self.numbers.get(word * self.width..(word + 1) * self.width)
    }
}

/// Turns text into vectors. Called on the thread of the caller of [`crate::Knowledge`] or [`crate::Searcher`].
pub trait Encoder {
    /// Tells the encoder from others. It is kept in the index; another name causes a re-embedding.
    fn name(&self) -> &str;

    /// Numbers of a sentence vector, and of a word vector.
    fn dimension(&self) -> usize;

    /// The vector of a text into `sentence` (`[dimension]`, any length of vector), and the vectors of its words into
    /// `words`. The text has its words parted by single blanks. A text that is too long is cut off after a whole
    /// word, and `words` then holds only those that were read: the caller goes on with the rest.
    ///
    /// # Errors
    /// When tokeniser or model fail.
    fn encode(&mut self, text: &str, sentence: &mut Vec<f32>, words: &mut WordVectors) -> Result<(), Fault>;
}
