//! The sound of a likely reply, made ahead of time.

use super::phrases::phrases;
use std::collections::VecDeque;

/// How many phrases of a reply are made ahead; while they play, the others are made.
const MAX_PHRASES: usize = 4;

/// A phrase that is made, or being made.
#[derive(Debug)]
pub(super) struct Take {
    text: String,
    /// At the voice's rate.
    pub(super) samples: Vec<f32>,
    /// The job that is still adding to it.
    pub(super) job: Option<u64>,
}

/// One likely reply.
#[derive(Debug, Default)]
pub(super) struct Prepared {
    reply: String,
    language: String,
    /// Phrases that are not begun.
    waiting: VecDeque<String>,
    takes: VecDeque<Take>,
}

impl Prepared {
    /// Makes this the likely reply; the same again changes nothing. Answers whether what was there
    /// has become useless.
    pub(super) fn replace(&mut self, reply: &str, language: &str) -> bool {
        if (self.reply.as_str(), self.language.as_str()) == (reply, language) {
            return false;
        }
        let waiting =
            phrases(reply, language).into_iter().take(MAX_PHRASES).map(|phrase| phrase.text).collect();
        *self =
            Self { reply: reply.to_owned(), language: language.to_owned(), waiting, takes: VecDeque::new() };
        true
    }

    /// Forgets it all.
    pub(super) fn clear(&mut self) {
        *self = Self::default();
    }

    /// The next phrase to make, with its language.
    pub(super) fn next(&self) -> Option<(&str, &str)> {
        self.waiting.front().map(|phrase| (phrase.as_str(), self.language.as_str()))
    }

    /// The next phrase is being made by this job.
    pub(super) fn begun(&mut self, job: u64) {
        if let Some(text) = self.waiting.pop_front() {
            self.takes.push_back(Take { text, samples: Vec::new(), job: Some(job) });
        }
    }

    /// More of the phrase that `job` makes.
    pub(super) fn add(&mut self, job: u64, samples: &[f32]) {
        if let Some(take) = self.takes.iter_mut().find(|take| take.job == Some(job)) {
            take.samples.extend_from_slice(samples);
        }
    }

    /// `job` has ended; what failed is forgotten and will fail again when it is said.
    pub(super) fn done(&mut self, job: u64, well: bool) {
        self.takes.retain(|take| well || take.job != Some(job));
        for take in self.takes.iter_mut().filter(|take| take.job == Some(job)) {
            take.job = None;
        }
    }

    /// Whether `job` is making one of its phrases.
    pub(super) fn is_making(&self, job: u64) -> bool {
        self.takes.iter().any(|take| take.job == Some(job))
    }

    /// Hands out a phrase; it is not kept.
    pub(super) fn take(&mut self, phrase: &str, language: &str) -> Option<Take> {
        if self.language != language {
            return None;
        }
        self.waiting.retain(|waiting| waiting != phrase);
        let at = self.takes.iter().position(|take| take.text == phrase)?;
        self.takes.remove(at)
    }
}
