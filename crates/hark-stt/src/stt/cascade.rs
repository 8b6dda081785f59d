//! The cascade: the grammar's words when it is sure of them, else Whisper's.
//!
//! Both hear everything. At the end the grammar is asked first, because it answers within some
//! hundredths of a second and is right about the sentences of the home; Whisper decodes meanwhile and
//! is stopped when it is not needed. A Whisper that fails never takes the grammar's words away.

use super::whisper::WhisperRecogniser;
use super::{Interrupter, Partial, Recogniser, Recognition};
use hark_core::ports::{Completeness, Completes};
use hark_core::{Fault, Transcript};
use std::sync::Arc;
use std::time::Duration;

/// What the grammar usually needs to finish. Whisper's last decode begins after it: sooner, it would
/// only take the processor away from a grammar that is about to make it needless.
const HEAD_START: Duration = Duration::from_millis(30);

/// Two recognisers as one.
pub struct Cascade {
    grammar: Box<dyn Recogniser>,
    whisper: WhisperRecogniser,
    sentences: Arc<dyn Completes>,
    /// Confidence from which the grammar's words are taken at once.
    confident: f32,
    /// What is wrong with Whisper in the utterance at hand.
    trouble: Option<Fault>,
}

/// Whose words are taken.
#[derive(Debug, Clone, PartialEq)]
enum Choice {
    /// The grammar's, at once.
    Grammar(String),
    /// Whisper is to be waited for.
    Wait(String),
}

impl Cascade {
    /// `sentences` are those the grammar listens for; `confident` is 0.0 ..= 1.0.
    pub fn new(
        grammar: Box<dyn Recogniser>,
        whisper: WhisperRecogniser,
        sentences: Arc<dyn Completes>,
        confident: f32,
    ) -> Self {
        Self { grammar, whisper, sentences, confident, trouble: None }
    }

    /// The grammar's words where they are some of a sentence of the home, else Whisper's. How the speech opens only the
    /// grammar weighs.
    fn words_so_far(&mut self, grammar: Option<Partial>) -> Option<Partial> {
        let fits = |partial: &Partial| self.sentences.completeness(&partial.text) != Completeness::Unknown;
        if grammar.as_ref().is_some_and(fits) || self.trouble.is_some() {
            return grammar;
        }
        let opening = grammar.as_ref().and_then(|partial| partial.opening);
        self.whisper.partial().map(|partial| Partial { opening, ..partial }).or(grammar)
    }

    fn note<T>(&mut self, result: Result<T, Fault>) -> Option<T> {
        match result {
            Ok(value) => Some(value),
            Err(fault) => {
                if self.trouble.is_none() {
                    tracing::warn!(%fault, "the cascade goes on without Whisper");
                }
                self.trouble.get_or_insert(fault);
                None
            }
        }
    }
}

impl Recogniser for Cascade {
    fn start(&mut self) -> Result<(), Fault> {
        self.trouble = None;
        let started = self.whisper.start();
        self.note(started);
        self.grammar.start()
    }

    fn preroll(&mut self, samples: &[f32]) {
        self.grammar.preroll(samples);
    }

    fn feed(&mut self, samples: &[f32]) -> Result<(), Fault> {
        if self.trouble.is_none() {
            let fed = self.whisper.feed(samples);
            self.note(fed);
        }
        self.grammar.feed(samples)
    }

    fn anticipate_end(&mut self) {
        self.grammar.anticipate_end();
    }

    /// The grammar's words as long as they begin a sentence of the home, else Whisper's if it has any.
    fn partial(&mut self) -> Option<Partial> {
        let grammar = self.grammar.partial();
        self.words_so_far(grammar)
    }

    fn rescored_partial(&mut self) -> Option<Partial> {
        let grammar = self.grammar.rescored_partial();
        self.words_so_far(grammar)
    }

    fn finish(&mut self) -> Result<Recognition, Fault> {
        if self.trouble.is_none() {
            let begun = self.whisper.begin_finish(HEAD_START).map_err(Fault::from);
            self.note(begun);
        }
        let found = match self.grammar.finish() {
            Ok(found) => found,
            Err(fault) => {
                self.whisper.cancel();
                return Err(fault);
            }
        };
        let why = match choose(&found.transcript, self.confident) {
            Choice::Grammar(why) => {
                self.whisper.stop();
                return Ok(because(found, why));
            }
            Choice::Wait(why) => why,
        };
        let heard = match self.trouble.take() {
            Some(fault) => Err(fault),
            None => self.whisper.wait().map_err(Fault::from),
        };
        Ok(settle(found, heard, &why))
    }

    fn cancel(&mut self) {
        self.whisper.cancel();
        self.grammar.cancel();
    }

    fn prepare(&mut self) {
        self.grammar.prepare();
    }

    fn release_memory(&mut self) {
        self.grammar.release_memory();
    }

    fn interrupter(&self) -> Option<Interrupter> {
        self.whisper.interrupter()
    }
}

/// Whether the grammar's words are good enough, with the reason.
fn choose(grammar: &Transcript, confident: f32) -> Choice {
    let confidence = grammar.confidence;
    match &grammar.rejected {
        Some(why) => Choice::Wait(format!("the grammar rejected it: {why}")),
        None if confidence >= confident => Choice::Grammar(format!("the grammar is sure: {confidence:.2}")),
        None => Choice::Wait(format!("the grammar is not sure: {confidence:.2}, below {confident:.2}")),
    }
}

/// The words when the grammar was not sure (`why`) and Whisper has had its say.
fn settle(grammar: Recognition, whisper: Result<Transcript, Fault>, why: &str) -> Recognition {
    match whisper {
        Ok(transcript) if transcript.rejected.is_none() => {
            let heard = transcript.text.clone();
            because(Recognition { transcript, heard }, why.to_owned())
        }
        Ok(transcript) => {
            let doubt = transcript.rejected.unwrap_or_default();
            because(grammar, format!("{why}; Whisper rejected it: {doubt}"))
        }
        Err(fault) => because(grammar, format!("{why}; Whisper failed: {}", fault.message)),
    }
}

fn because(mut found: Recognition, why: String) -> Recognition {
    found.transcript.why = Some(why);
    found
}

#[cfg(test)]
#[path = "cascade_tests.rs"]
mod tests;
