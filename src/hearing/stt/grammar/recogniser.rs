//! The recogniser: sound in, a sentence of the home out.

use super::background::MARK;
use super::build::{Ear, Recipe};
use super::cepstra::{Cepstrum, MeanEstimate};
use super::choose::choose;
use super::error::GrammarError;
use super::lattice::Weights;
use super::tuning::Tuning;
use crate::domain::ports::{Pronounce, SpeechGrammar};
use crate::domain::{Fault, Transcript};
use crate::hearing::stt::{Partial, Recogniser};
use std::path::Path;
use std::sync::Arc;

/// What the decoders said about an utterance, for reports and for tuning.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Evidence {
    /// The decoder's own best words, background words marked with `~`.
    pub heard: Vec<String>,
    /// Words of the accepted sentence; empty when there is none.
    pub accepted: Vec<String>,
    /// Edit cost of the accepted sentence.
    pub cost: f32,
    /// Score lost against the best hypothesis.
    pub gap: f32,
    /// Phones that were heard without regard to the home's sentences.
    pub phones: usize,
    /// How much better the accepted sentence explains the sound than any phones do, in steps of score a
    /// phone; negative, since any phones explain everything a little better.
    pub fit_per_phone: f32,
}

/// See the module's documentation.
pub struct GrammarRecogniser {
    recipe: Recipe,
    ear: Ear,
    mean: MeanEstimate,
    /// Frames not searched yet.
    waiting: Vec<Cepstrum>,
    frames: usize,
    started: bool,
    shown: Vec<String>,
    evidence: Evidence,
}

impl GrammarRecogniser {
    /// `model_dir` is PocketSphinx's language folder.
    pub fn new(
        tuning: Tuning,
        model_dir: &Path,
        grammar: Arc<dyn SpeechGrammar>,
        pronounce: Arc<dyn Pronounce>,
        work_dir: &Path,
    ) -> Result<Self, GrammarError> {
        let recipe =
            Recipe { model_dir: model_dir.to_owned(), work_dir: work_dir.to_owned(), tuning, pronounce };
        let ear = recipe.build(grammar)?;
        let mean = MeanEstimate::new(recipe.tuning.expected_weight);
        Ok(Self {
            recipe,
            ear,
            mean,
            waiting: Vec::new(),
            frames: 0,
            started: false,
            shown: Vec::new(),
            evidence: Evidence::default(),
        })
    }

    /// What was said about the last utterance.
    pub fn evidence(&self) -> &Evidence {
        &self.evidence
    }

    fn take(&mut self, samples: &[i16], observe: bool) -> Result<(), GrammarError> {
        let before = self.waiting.len();
        self.ear.decoder.analyse(samples, &mut self.waiting)?;
        if observe {
            self.mean.observe(&self.waiting[before..]);
        }
        Ok(())
    }

    fn search(&mut self) -> Result<(), GrammarError> {
        let mut frames = self.mean.normalise(&self.waiting);
        self.frames += frames.len();
        self.waiting.clear();
        self.ear.phones.search(&mut frames)?;
        self.ear.decoder.search(&mut frames)
    }

    fn end(&mut self) -> Result<Transcript, GrammarError> {
        if !std::mem::take(&mut self.started) {
            return Err(GrammarError::NotStarted);
        }
        let padding = vec![0i16; self.recipe.tuning.padding_ms * 16];
        self.take(&padding, false)?;
        self.search()?;
        let Ear { decoder, phones, scorer, grammar } = &mut self.ear;
        decoder.end()?;
        phones.end()?;
        let (heard_phones, phone_score) = phones.best_with_score().unwrap_or_default();
        let tuning = &self.recipe.tuning;
        let weights =
            Weights { language: tuning.search.language_weight, word_insertion: tuning.search.word_insertion };
        let hypotheses =
            decoder.lattice().map(|lattice| lattice.best(tuning.nbest, scorer, &weights)).unwrap_or_default();
        let choice = choose(&hypotheses, grammar.as_ref(), tuning);
        // The decoder's own score counts every frame, silence included, as the phones' score does.
        let (heard, best_score) = decoder.best_with_score().unwrap_or((Vec::new(), f32::NEG_INFINITY));
        let phones = heard_phones.len();
        let fit_per_phone = choice.as_ref().map_or(f32::NEG_INFINITY, |choice| {
            let score = best_score - choice.gap - choice.cost * tuning.score_per_edit;
            (score - phone_score) / phones.max(1) as f32
        });
        self.evidence = Evidence {
            heard,
            accepted: choice.as_ref().map(|choice| choice.words.clone()).unwrap_or_default(),
            cost: choice.as_ref().map_or(0.0, |choice| choice.cost),
            gap: choice.as_ref().map_or(0.0, |choice| choice.gap),
            phones,
            fit_per_phone,
        };
        Ok(transcript(&self.evidence, tuning))
    }
}

/// Stands by the accepted sentence, or says why not.
fn transcript(evidence: &Evidence, tuning: &Tuning) -> Transcript {
    let confidence = tuning.confidence(evidence.fit_per_phone, evidence.cost);
    let rejected = if evidence.accepted.is_empty() {
        Some(match evidence.heard.is_empty() {
            true => "no words were heard".to_owned(),
            false => "no sentence of this home is near what was heard".to_owned(),
        })
    } else if confidence < tuning.min_confidence {
        Some(format!("the sound does not fit the sentence (confidence {confidence:.2})"))
    } else {
        None
    };
    let words = if evidence.accepted.is_empty() { &evidence.heard } else { &evidence.accepted };
    let plain: Vec<&str> = words.iter().map(|word| word.trim_start_matches(MARK)).collect();
    Transcript {
        text: plain.join(" "),
        engine: "grammar".to_owned(),
        confidence,
        language: "en".to_owned(),
        rejected,
    }
}

impl Recogniser for GrammarRecogniser {
    fn start(&mut self) -> Result<(), Fault> {
        if self.started {
            self.cancel();
        }
        self.mean.start(100.0);
        self.waiting.clear();
        self.frames = 0;
        self.shown.clear();
        self.ear.phones.start()?;
        self.ear.decoder.start()?;
        self.started = true;
        let padding = vec![0i16; self.recipe.tuning.padding_ms * 16];
        Ok(self.take(&padding, false)?)
    }

    fn feed(&mut self, samples: &[f32]) -> Result<(), Fault> {
        if !self.started {
            return Err(GrammarError::NotStarted.into());
        }
        let samples: Vec<i16> =
            samples.iter().map(|sample| (sample.clamp(-1.0, 1.0) * 32767.0) as i16).collect();
        self.take(&samples, true)?;
        if self.frames > 0 || self.waiting.len() >= self.recipe.tuning.hold_frames {
            self.search()?;
        }
        Ok(())
    }

    fn partial(&mut self) -> Option<Partial> {
        let best: Vec<String> = self.ear.decoder.best()?;
        let best: Vec<String> = best.iter().map(|word| word.trim_start_matches(MARK).to_owned()).collect();
        let stable = best.iter().zip(&self.shown).take_while(|(a, b)| a == b).count();
        let stable = best[..stable].join(" ").len();
        self.shown = best;
        Some(Partial { text: self.shown.join(" "), stable })
    }

    fn finish(&mut self) -> Result<Transcript, Fault> {
        Ok(self.end()?)
    }

    fn cancel(&mut self) {
        if std::mem::take(&mut self.started) {
            // What ends badly here is begun anew with the next utterance, which reports it.
            let _ = (self.ear.decoder.end(), self.ear.phones.end());
        }
    }
}
