//! The recogniser: sound in, a sentence of the home out.

use super::build::{Ear, Recipe};
use super::cepstra::{Cepstrum, MeanEstimate};
use super::choose::{Choice, choose};
use super::decoder::Segment;
use super::error::GrammarError;
use super::lattice::{Hypothesis, Weights};
use super::tuning::Tuning;
use crate::domain::ports::{Pronounce, SpeechGrammar};
use crate::domain::{Fault, Transcript};
use crate::hearing::stt::{Partial, Recogniser};
use std::path::Path;
use std::sync::Arc;

/// Everything the decoder said about an utterance, for reports and for tuning.
#[derive(Debug, Clone, PartialEq)]
pub struct Evidence {
    /// The decoder's own best words, background words marked with `~`.
    pub heard: Vec<String>,
    /// Words with their scores.
    pub segments: Vec<Segment>,
    /// Natural log of the posterior of the best hypothesis.
    pub log_posterior: f64,
    /// Edit cost of the accepted sentence, if there is one.
    pub cost: Option<f32>,
    /// Score lost against the best hypothesis.
    pub gap: f32,
    /// Accepted words.
    pub accepted: Vec<String>,
    pub rank: usize,
    pub frames: usize,
    pub scores: Vec<Hypothesis>,
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
    evidence: Option<Evidence>,
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
            evidence: None,
        })
    }

    pub fn lm(&self, words: &[&str]) -> f32 {
        let s = &self.ear.scorer;
        let mut t = vec![0];
        t.extend(words.iter().map(|w| s.token(w).unwrap_or(1)));
        t.push(1);
        (1..t.len()).map(|i| s.trigram(if i > 1 { Some(t[i - 2]) } else { None }, t[i - 1], t[i])).sum()
    }
    pub fn evidence(&self) -> Option<&Evidence> {
        self.evidence.as_ref()
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
        self.ear.decoder.search(&mut frames)
    }

    fn end(&mut self) -> Result<Transcript, GrammarError> {
        if !std::mem::take(&mut self.started) {
            return Err(GrammarError::NotStarted);
        }
        let padding = vec![0i16; self.recipe.tuning.padding_ms * 16];
        self.take(&padding, false)?;
        self.search()?;
        if std::env::var("MEAN").is_ok() {
            println!("{:?}", self.mean.mean());
        }
        let decoder = &mut self.ear.decoder;
        decoder.end()?;
        let heard = decoder.best().unwrap_or_default();
        let hypotheses: Vec<Hypothesis> = decoder
            .lattice()
            .map(|lattice| {
                let search = &self.recipe.tuning.search;
                let weights =
                    Weights { language: search.language_weight, word_insertion: search.word_insertion };
                lattice.best(self.recipe.tuning.nbest, &self.ear.scorer, &weights)
            })
            .unwrap_or_default();
        let choice: Option<Choice> = choose(&hypotheses, self.ear.grammar.as_ref(), &self.recipe.tuning);
        self.evidence = Some(Evidence {
            heard,
            segments: decoder.segments(),
            log_posterior: decoder.log_posterior(),
            cost: choice.as_ref().map(|choice| choice.cost),
            gap: choice.as_ref().map_or(0.0, |choice| choice.gap),
            rank: choice.as_ref().map_or(0, |choice| choice.rank),
            accepted: choice.as_ref().map(|choice| choice.words.clone()).unwrap_or_default(),
            frames: self.frames,
            scores: hypotheses.clone(),
        });
        let text = choice.map(|choice| choice.words.join(" ")).unwrap_or_default();
        Ok(Transcript {
            text,
            engine: "grammar".to_owned(),
            confidence: 0.5,
            language: "en".to_owned(),
            rejected: None,
        })
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
        let best = self.ear.decoder.best()?;
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
            let _ = self.ear.decoder.end();
        }
    }
}
