//! What can be tuned.

use std::time::Duration;

/// Settings of the index and of the search. The sizes of passages take effect on documents that are indexed anew.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    /// Words of a passage at most.
    pub passage_words: usize,
    /// Words that a passage repeats of the one before it; whole sentences only.
    pub overlap_words: usize,
    /// Words that are embedded together at most. The shipped encoder reads 64 word pieces, about 45 words.
    pub window_words: usize,
    /// Passages that are embedded between two checkpoints.
    pub batch_passages: usize,
    /// Bytes of a file at most.
    pub max_file_bytes: u64,
    /// Bytes of text that are taken out of a file at most.
    pub max_text_bytes: usize,
    /// How long reading a file may take.
    pub max_read_time: Duration,
    /// How long a watched folder must be quiet before its changes are read.
    pub debounce: Duration,
    /// Words that say nothing of what is asked for (articles, pronouns, question words), in lower case. They come
    /// from the data of the language. They are left out of queries, unless nothing else is asked.
    pub function_words: Vec<String>,
    /// Beginnings of questions that a number answers ("how many", "when"), in lower case, from the data of the language.
    pub quantity_phrases: Vec<String>,
    /// Words of numbers ("three", "third"), in lower case, from the data of the language; digits need none.
    pub number_words: Vec<String>,
    /// Passages that are reranked.
    pub reranked: usize,
    /// Results that are returned.
    pub results: usize,
    /// Below this confidence (0–1) [`crate::Hit::answers`] is false.
    pub min_confidence: f32,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            passage_words: 512,
            overlap_words: 50,
            window_words: 40,
            batch_passages: 16,
            max_file_bytes: 64 << 20,
            max_text_bytes: 32 << 20,
            max_read_time: Duration::from_secs(60),
            debounce: Duration::from_secs(2),
            function_words: Vec::new(),
            quantity_phrases: Vec::new(),
            number_words: Vec::new(),
            reranked: 20,
            results: 5,
            min_confidence: 0.5,
        }
    }
}
