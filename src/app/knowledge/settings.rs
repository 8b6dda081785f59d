//! What the index works with: the configuration, and the words of the languages that are spoken here.

use crate::app::language::spoken_languages::lexicons;
use hark_config::{Config, paths};
use hark_core::Fault;
use hark_knowledge::Settings;
use hark_language::Lexicon;
use std::path::PathBuf;

/// Name of the index in the state folder.
const INDEX: &str = "knowledge.db";
/// Passages between two looks whether somebody speaks: half a second of work.
const BATCH_PASSAGES: usize = 4;

/// Where the index is.
pub(super) fn index(config: &Config) -> Result<PathBuf, Fault> {
    match config.knowledge.index.as_str() {
        "" => Ok(config.paths.state_dir()?.join(INDEX)),
        named => Ok(paths::expand(named)),
    }
}

pub(crate) fn of(config: &Config) -> Settings {
    let (known, languages) = (&config.knowledge, lexicons(config));
    let all = |words: fn(&Lexicon) -> &[&'static str]| -> Vec<String> {
        languages.iter().flat_map(|language| words(language)).map(|word| (*word).to_owned()).collect()
    };
    Settings {
        passage_words: known.passage_words as usize,
        overlap_words: known.overlap_words as usize,
        batch_passages: BATCH_PASSAGES,
        max_file_bytes: u64::from(known.max_file_mb) << 20,
        max_text_bytes: (known.max_text_mb as usize) << 20,
        min_confidence: known.min_confidence,
        function_words: all(|language| &language.knowledge.function_words),
        quantity_phrases: all(|language| &language.knowledge.quantity_phrases),
        number_words: languages
            .iter()
            .flat_map(|language| language.knowledge.all_number_words(&language.numbers))
            .collect(),
        ..Settings::default()
    }
}
