//! General language model of English, and background words: its most frequent words, which stand for speech that is not
//! for the house. They compete with the home's sentences, so that other speech has a better explanation than the nearest
//! command.

use super::error::GrammarError;
use super::ffi;
use super::options::{c_path, silence_log};
use std::ffi::{CStr, CString};
use std::path::Path;
use std::ptr;

/// Sign before a background word, so that it is never taken for a word of the home.
pub(super) const BACKGROUND_MARK: char = '~';

/// Base of the model's logarithms.
const LOG_BASE: f64 = 1.0001;

/// A general language model of English: how people speak when they do not speak to a house.
pub(super) struct GeneralLanguageModel {
    raw: *mut ffi::NgramModel,
    math: *mut ffi::LogMath,
}

impl GeneralLanguageModel {
    /// Loads the model; some hundredths of a second.
    pub(super) fn open(path: &Path) -> Result<Self, GrammarError> {
        silence_log();
        if !path.is_file() {
            return Err(GrammarError::NoAcousticModel(path.to_owned()));
        }
        let file = c_path(path)?;
        // SAFETY: plain constructor; the base is what PocketSphinx uses.
        let math = unsafe { ffi::logmath_init(LOG_BASE, 0, 1) };
        // SAFETY: no options are needed, the path ends in NUL, and `math` is live and retained.
        let raw = unsafe { ffi::ngram_model_read(ptr::null_mut(), file.as_ptr(), ffi::NGRAM_AUTO, math) };
        let general = Self { raw, math };
        if raw.is_null() {
            return Err(GrammarError::Refused {
                what: "the general language model",
                folder: path.to_owned(),
            });
        }
        Ok(general)
    }

    /// The `count` likeliest words with their shares, which sum to one. `usable` says which words
    /// can be pronounced.
    pub(super) fn common_words(&self, count: usize, usable: impl Fn(&str) -> bool) -> Vec<(String, f64)> {
        let mut words = self.unigrams();
        words.retain(|(word, _)| usable(word));
        words.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        words.truncate(count);
        let total: f64 = words.iter().map(|(_, share)| share).sum();
        words.iter_mut().for_each(|(_, share)| *share /= total);
        words
    }

    /// Natural log of the probability that a sentence begins with these words.
    pub(super) fn prefix_log_prob(&self, words: &[String]) -> f32 {
        let id = |word: &str| {
            // A word with a NUL in it is none the model knows.
            let word = CString::new(word).unwrap_or_default();
            // SAFETY: `raw` is live and the word ends in NUL; a word the model does not know has an id too.
            unsafe { ffi::ngram_wid(self.raw, word.as_ptr()) }
        };
        // The latest first, as the model wants them.
        let mut history = vec![id("<s>")];
        let mut sum = 0.0;
        for word in words {
            let word = id(word);
            let mut used = 0;
            // SAFETY: `raw` is live, the ids came from it, and the history has as many as are told.
            let log = unsafe {
                let count = history.len().min(2) as i32;
                ffi::ngram_ng_prob(self.raw, word, history.as_mut_ptr(), count, &raw mut used)
            };
            sum += f64::from(log) * LOG_BASE.ln();
            history.insert(0, word);
        }
        sum as f32
    }

    fn unigrams(&self) -> Vec<(String, f64)> {
        // SAFETY: `raw` is live; the counts belong to it and have at least the first entry.
        let count = unsafe { *ffi::ngram_model_get_counts(self.raw) };
        let mut words = Vec::new();
        for id in 0..i32::try_from(count).unwrap_or(i32::MAX) {
            let mut used = 0;
            // SAFETY: `id` is below the number of unigrams; the word belongs to the model and is
            // copied; an empty history may be null.
            let (word, log) = unsafe {
                let word = ffi::ngram_word(self.raw, id);
                if word.is_null() {
                    continue;
                }
                let log = ffi::ngram_ng_prob(self.raw, id, ptr::null_mut(), 0, &raw mut used);
                (CStr::from_ptr(word).to_string_lossy().into_owned(), log)
            };
            // SAFETY: `math` is live.
            words.push((word, unsafe { ffi::logmath_exp(self.math, log) }));
        }
        words
    }
}

impl Drop for GeneralLanguageModel {
    fn drop(&mut self) {
        // SAFETY: both came from their constructors; the model holds its own reference to `math`.
        unsafe {
            if !self.raw.is_null() {
                ffi::ngram_model_free(self.raw);
            }
            ffi::logmath_free(self.math);
        }
    }
}
