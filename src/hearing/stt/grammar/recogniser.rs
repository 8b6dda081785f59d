//! The recogniser: sound in, a sentence of the home out.

use super::acoustic::AcousticModel;
use super::background::MARK;
use super::build::{Listener, Recipe, acoustic_dir};
use super::cepstra::{Cepstrum, MeanEstimate};
use super::choose::{Evidence, candidates};
use super::error::GrammarError;
use super::rebuild::{Rebuilder, Slot};
use super::second_look::Judges;
use super::sound::Sound;
use super::tuning::Tuning;
use crate::domain::ports::{Pronounce, SpeechGrammar};
use crate::domain::{Fault, Transcript};
use crate::hearing::stt::{Partial, Recogniser, Recognition};
use std::path::Path;
use std::sync::Arc;

/// Name of the engine in transcripts.
const ENGINE: &str = "grammar";

/// Frames of an utterance from which its cepstral mean is worth remembering: 1 s.
const MEMORABLE_FRAMES: f32 = 100.0;

/// PocketSphinx listening for the sentences of one home.
///
/// It belongs to one thread at a time (`Send`, not `Sync`). Searching goes on while it is fed; what
/// `finish` has left to do is the decoder's second pass and the choice.
pub struct GrammarRecogniser {
    recipe: Arc<Recipe>,
    listener: Listener,
    /// Where a rebuilt listener waits for the next utterance.
    slot: Slot,
    mean: MeanEstimate,
    sound: Sound,
    /// Frames not searched yet.
    waiting: Vec<Cepstrum>,
    started: bool,
    searching: bool,
    /// Words of the last partial.
    shown: Vec<String>,
    evidence: Evidence,
}

impl GrammarRecogniser {
    /// Builds a recogniser for the sentences of `grammar`; takes some tenths of a second.
    ///
    /// `model_dir` is PocketSphinx's language folder with `en-us/` (acoustic model),
    /// `cmudict-en-us.dict` and `en-us.lm.bin`; `work_dir` takes temporary files while building.
    ///
    /// # Errors
    /// When a model is missing or broken, a file cannot be written, or there are no sentences.
    pub fn new(
        tuning: Tuning,
        model_dir: &Path,
        grammar: Arc<dyn SpeechGrammar>,
        pronounce: Arc<dyn Pronounce>,
        work_dir: &Path,
    ) -> Result<Self, GrammarError> {
        let acoustic = Arc::new(AcousticModel::load(&acoustic_dir(model_dir)?)?);
        let (model_dir, work_dir) = (model_dir.to_owned(), work_dir.to_owned());
        let recipe = Recipe { model_dir, work_dir, tuning, pronounce, acoustic };
        let listener = recipe.build(grammar)?;
        let mean = MeanEstimate::new(recipe.tuning.expected_weight);
        let sound = Sound::new(recipe.acoustic.clone(), recipe.tuning.phone_penalty);
        Ok(Self {
            recipe: Arc::new(recipe),
            listener,
            slot: Slot::default(),
            mean,
            sound,
            waiting: Vec::new(),
            started: false,
            searching: false,
            shown: Vec::new(),
            evidence: Evidence::default(),
        })
    }

    /// A handle that rebuilds the vocabulary from any thread while this recogniser goes on listening.
    pub fn rebuilder(&self) -> Rebuilder {
        Rebuilder::new(self.recipe.clone(), self.slot.clone())
    }

    /// Words of the home that nobody could pronounce: sentences with them cannot be heard.
    pub fn unpronounceable(&self) -> &[String] {
        &self.listener.silent
    }

    /// What the last transcript was based on.
    pub fn evidence(&self) -> &Evidence {
        &self.evidence
    }

    /// Normalises and searches the frames that wait.
    fn search(&mut self) -> Result<(), GrammarError> {
        let mut frames = self.mean.normalise(&self.waiting);
        self.waiting.clear();
        self.searching = true;
        self.sound.observe(&frames);
        self.listener.search.follow(&self.sound);
        self.listener.decoder.search(&mut frames)
    }

    fn begin(&mut self) -> Result<(), GrammarError> {
        self.cancel();
        if let Some(fresh) = self.slot.take() {
            self.listener = fresh;
        }
        self.sound.start();
        self.listener.search.start();
        self.mean.start(MEMORABLE_FRAMES);
        self.waiting.clear();
        self.shown.clear();
        self.searching = false;
        self.listener.decoder.start()?;
        self.started = true;
        Ok(())
    }

    fn end(&mut self) -> Result<Recognition, GrammarError> {
        if !self.started {
            return Err(GrammarError::NotStarted);
        }
        let searched = self.search();
        self.started = false;
        let decoder = &mut self.listener.decoder;
        let ended = decoder.end();
        searched.and(ended)?;
        let heard = decoder.best().unwrap_or_default();
        let tuning = &self.recipe.tuning;
        self.sound.end();
        self.listener.search.follow(&self.sound);
        let found = self.listener.search.best(&self.sound, tuning.looks);
        let mut candidates = candidates(found, &heard, self.listener.grammar.as_ref(), tuning);
        let Listener { ways, scorer, .. } = &self.listener;
        let judges = Judges { sound: &self.sound, ways, scorer, tuning };
        let chosen = judges.choose_twice(&mut candidates, self.listener.grammar.as_ref());
        self.evidence = Evidence::new(heard, &candidates, chosen);
        let Evidence { accepted, heard, .. } = &self.evidence;
        let heard = unmarked(heard).join(" ");
        let transcript = Transcript {
            text: if accepted.is_empty() { heard.clone() } else { accepted.join(" ") },
            engine: ENGINE.to_owned(),
            confidence: self.evidence.confidence,
            language: "en".to_owned(),
            rejected: self.evidence.rejection(tuning.min_confidence),
            why: None,
        };
        Ok(Recognition { transcript, heard })
    }
}

impl Recogniser for GrammarRecogniser {
    fn start(&mut self) -> Result<(), Fault> {
        Ok(self.begin()?)
    }

    fn feed(&mut self, samples: &[f32]) -> Result<(), Fault> {
        if !self.started {
            return Err(GrammarError::NotStarted.into());
        }
        let samples: Vec<i16> = samples.iter().map(|sample| to_i16(*sample)).collect();
        let before = self.waiting.len();
        self.listener.decoder.analyse(&samples, &mut self.waiting)?;
        self.mean.observe(&self.waiting[before..]);
        if self.searching || self.waiting.len() >= self.recipe.tuning.hold_frames {
            self.search()?;
        }
        Ok(())
    }

    fn partial(&mut self) -> Option<Partial> {
        if !self.searching {
            return None;
        }
        let words = unmarked(&self.listener.decoder.best()?);
        let stable = words.iter().zip(&self.shown).take_while(|(now, before)| now == before).count();
        let stable = words[..stable].join(" ").chars().count();
        self.shown = words;
        Some(Partial { text: self.shown.join(" "), stable })
    }

    fn finish(&mut self) -> Result<Recognition, Fault> {
        Ok(self.end()?)
    }

    fn cancel(&mut self) {
        if std::mem::take(&mut self.started) {
            // Whatever it says, the utterance is over: the next `start` begins from nothing.
            let _ = self.listener.decoder.end();
        }
    }
}

/// Words as they are shown: background words without their mark.
fn unmarked(words: &[String]) -> Vec<String> {
    words.iter().map(|word| word.trim_start_matches(MARK).to_owned()).collect()
}

/// Full scale is 1.0; what lies above it is clipped, what is no number is silence.
fn to_i16(sample: f32) -> i16 {
    (sample * 32_767.0) as i16
}
