//! Passages embedded in windows. The encoder reads some 45 words and cuts off the rest, a passage has up to 512: one
//! vector of a passage would be one of its beginning. So sentences are put together while they fit, and each window
//! gets a vector; the title and the headings are a window of their own. Word vectors of a window come from the same run
//! of the model, and are kept as bits for reranking.

use crate::encoder::{Encoder, WordVectors};
use crate::sentences::{is_indexed, sentences, words};
use crate::vectors::{to_bits, to_int8};
use crate::{KnowledgeError, Settings};

/// What is embedded together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Window {
    /// Bytes in the text of the passage; both 0 for title and headings.
    pub(crate) start: usize,
    pub(crate) end: usize,
    /// int8, `[dimension]`.
    pub(crate) vector: Vec<u8>,
    /// One bit a number, `[dimension]`, for the first pass.
    pub(crate) code: Vec<u8>,
    /// One bit a number, `[indexed words, dimension]`.
    pub(crate) words: Vec<u8>,
}

/// Embeds passages with one encoder.
pub(crate) struct Embedder<'a> {
    encoder: &'a mut dyn Encoder,
    window_words: usize,
    sentence: Vec<f32>,
    words: WordVectors,
}

impl<'a> Embedder<'a> {
    pub(crate) fn new(encoder: &'a mut dyn Encoder, settings: &Settings) -> Self {
        let window_words = settings.window_words.max(1);
        Self { encoder, window_words, sentence: Vec::new(), words: WordVectors::default() }
    }

    /// The windows of a passage. `title` and `heading` may be empty.
    ///
    /// # Errors
    /// When the encoder fails.
    pub(crate) fn windows(
        &mut self,
        title: &str,
        heading: &str,
        text: &str,
    ) -> Result<Vec<Window>, KnowledgeError> {
        let mut windows = Vec::new();
        let context = context(title, heading);
        if !context.is_empty() {
            windows.push(self.window(&words(&context).map(|(_, word)| word).collect::<Vec<_>>(), 0, 0)?.0);
        }
        let all: Vec<(usize, &str)> = words(text).collect();
        // Where a window may end: the number of words up to the end of each sentence.
        let ends: Vec<usize> = sentences(text)
            .iter()
            .map(|sentence| all.partition_point(|(at, _)| *at < sentence.end))
            .collect();
        let mut first = 0;
        while first < all.len() {
            let fits = |end: &&usize| **end <= first + self.window_words;
            let sentence_end = ends.iter().filter(|end| **end > first).take_while(fits).last();
            let end = sentence_end.copied().unwrap_or(first + self.window_words).min(all.len());
            let of_window: Vec<&str> = all[first..end].iter().map(|(_, word)| *word).collect();
            let (mut window, read) = self.window(&of_window, 0, 0)?;
            // The encoder says how many words it read; the next window begins after them.
            let end = first + read.clamp(1, of_window.len());
            (window.start, window.end) = (all[first].0, all[end - 1].0 + all[end - 1].1.len());
            windows.push(window);
            first = end;
        }
        Ok(windows)
    }

    fn window(&mut self, all: &[&str], start: usize, end: usize) -> Result<(Window, usize), KnowledgeError> {
        self.encoder
            .encode(&all.join(" "), &mut self.sentence, &mut self.words)
            .map_err(KnowledgeError::Encoder)?;
        let expected = self.encoder.dimension();
        let found = if self.words.is_empty() { expected } else { self.words.width };
        if self.sentence.len() != expected || found != expected {
            let found = if found == expected { self.sentence.len() } else { found };
            return Err(KnowledgeError::BadVector { found, expected });
        }
        let read = self.words.len().min(all.len());
        let indexed = (0..read).filter(|at| is_indexed(all[*at])).filter_map(|at| self.words.get(at));
        let bits = indexed.flat_map(to_bits).collect();
        let (vector, code) = (to_int8(&self.sentence), to_bits(&self.sentence));
        Ok((Window { start, end, vector, code, words: bits }, read))
    }
}

/// Title and headings as one text; a title that is the outermost heading as well is said once.
pub(crate) fn context(title: &str, heading: &str) -> String {
    let heading = heading.replace(" > ", ", ");
    match (title.is_empty() || heading.starts_with(title), heading.is_empty()) {
        (true, _) => heading,
        (false, true) => title.to_owned(),
        (false, false) => format!("{title}, {heading}"),
    }
}
