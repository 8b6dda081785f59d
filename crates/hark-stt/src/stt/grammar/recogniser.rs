//! The recogniser: sound in, a sentence of the home out.

use super::LANGUAGE;
use super::acoustic::AcousticModel;
use super::background::MARK;
use super::build::{Listener, Recipe, acoustic_dir};
use super::cepstra::{Cepstrum, MeanEstimate};
use super::choose::{Evidence, candidates};
use super::error::GrammarError;
use super::rebuild::{Rebuilder, Slot};
use super::second_look::{Candidate, Judges};
use super::sound::Sound;
use super::tuning::Tuning;
use crate::stt::neural::{Finding, NeuralError, NeuralFiles, NeuralListener};
use crate::stt::{Partial, Recogniser, Recognition};
use hark_core::audio::to_i16;
use hark_core::ports::{Pronounce, SpeechGrammar};
use hark_core::{Fault, Transcript};
use std::path::Path;
use std::sync::Arc;

/// Name of the engine in transcripts.
const ENGINE: &str = "grammar";
/// The same of words that are no sentence of the home.
const NEURAL_ENGINE: &str = "neural";

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
    neural: Option<NeuralListener>,
    /// Sound for the neural listener: the utterance, and what came before it.
    utterance: Vec<f32>,
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
            neural: None,
            utterance: Vec::new(),
            shown: Vec::new(),
            evidence: Evidence::default(),
        })
    }

    /// Asks a neural listener too.
    ///
    /// # Errors
    /// When one of its files is missing or broken.
    pub fn with_neural(mut self, files: NeuralFiles) -> Result<Self, NeuralError> {
        self.neural = Some(NeuralListener::new(files, self.listener.grammar.clone())?);
        Ok(self)
    }

    /// A handle that rebuilds the vocabulary from any thread while this recogniser goes on listening.
    pub fn rebuilder(&self) -> Rebuilder {
        Rebuilder::new(self.recipe.clone(), &self.slot)
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
            self.with_ear(|neural, _| neural.listen_for(fresh.grammar.clone()));
            self.listener = fresh;
        }
        self.utterance.clear();
        // It opens while the person still speaks.
        self.prepare();
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

    /// Asks the neural listener, if there is one, about the utterance so far; none from now on when that
    /// fails.
    fn with_ear<T>(
        &mut self,
        ask: impl FnOnce(&mut NeuralListener, &[f32]) -> Result<T, NeuralError>,
    ) -> Option<T> {
        match ask(self.neural.as_mut()?, &self.utterance) {
            Ok(value) => Some(value),
            Err(error) => {
                tracing::warn!(%error, "the recogniser goes on without its neural listener");
                self.neural = None;
                None
            }
        }
    }

    /// What was said so far; `over` when nothing more will be fed.
    fn recognise(&mut self, over: bool) -> Result<Recognition, GrammarError> {
        if !self.started {
            return Err(GrammarError::NotStarted);
        }
        // Both listen at once: there are two cores, and the person waits.
        self.with_ear(|neural, utterance| neural.listen_to_the_end(utterance));
        let look = self.look(over);
        let finding = match &look {
            Ok(look) if !self.is_sure(&look.evidence) => self.with_ear(|neural, _| neural.found()).flatten(),
            _ => {
                self.neural.iter_mut().for_each(NeuralListener::give_up);
                None
            }
        };
        let look = look?;
        let evidence = match finding {
            Some(finding) => self.look_again(look, finding),
            None => look.evidence,
        };
        tracing::debug!(over, ?evidence, "an utterance was recognised");
        self.evidence = evidence;
        Ok(self.recognition())
    }

    /// Whether there is no need to ask the neural listener.
    fn is_sure(&self, evidence: &Evidence) -> bool {
        evidence.is_sure() && self.listener.grammar.is_open(&evidence.accepted.join(" ")) == Some(false)
    }

    /// What the decoder and the search make of the utterance.
    fn look(&mut self, over: bool) -> Result<Look, GrammarError> {
        self.search()?;
        let heard = self.listener.decoder.best().unwrap_or_default();
        let tuning = &self.recipe.tuning;
        if over {
            self.sound.end();
            self.listener.search.follow(&self.sound);
        }
        let found = self.listener.search.best(&self.sound, tuning.looks);
        let mut candidates = candidates(found, &heard, self.listener.grammar.as_ref(), tuning);
        let judges = self.judges();
        let chosen = judges.choose_twice(&mut candidates, self.listener.grammar.as_ref());
        let evidence = Evidence::new(heard, &candidates, chosen);
        Ok(Look { candidates, evidence })
    }

    fn judges(&self) -> Judges<'_> {
        let Listener { ways, scorer, .. } = &self.listener;
        Judges { sound: &self.sound, ways, scorer, tuning: &self.recipe.tuning }
    }

    /// Chooses once more, with what the neural listener found.
    fn look_again(&mut self, look: Look, finding: Finding) -> Evidence {
        let Look { mut candidates, evidence } = look;
        let agreed = finding.sentences.first().is_some_and(|first| first.words == evidence.accepted);
        if agreed {
            // Nothing either proposes beside it can win: the person need not wait for the others' scores.
            candidates.retain(|candidate| candidate.words == evidence.accepted);
        }
        for found in finding.sentences.iter().take(if agreed { 1 } else { usize::MAX }) {
            let known = candidates.iter_mut().find(|candidate| candidate.words == found.words);
            match known {
                Some(candidate) => candidate.neural = Some(found.score),
                None => candidates.push(Candidate {
                    words: found.words.clone(),
                    cost: 0.0,
                    neural: Some(found.score),
                }),
            }
        }
        let unknown: Vec<Vec<String>> =
            candidates.iter().filter(|one| one.neural.is_none()).map(|one| one.words.clone()).collect();
        let scores = self.with_ear(|neural, _| neural.score(&unknown));
        let mut scores = scores.unwrap_or_default().into_iter();
        for candidate in candidates.iter_mut().filter(|candidate| candidate.neural.is_none()) {
            candidate.neural = scores.next().flatten();
        }
        candidates.retain(|candidate| candidate.neural.is_some());
        let chosen = self.judges().choose(&candidates);
        let known = self.listener.grammar.is_open(&finding.free).is_some();
        Evidence::together(evidence.heard, &candidates, chosen, finding, known)
    }

    fn recognition(&self) -> Recognition {
        let Evidence { accepted, heard, own, .. } = &self.evidence;
        let heard = unmarked(heard).join(" ");
        let mut transcript = Transcript {
            text: if accepted.is_empty() { heard.clone() } else { accepted.join(" ") },
            engine: ENGINE.to_owned(),
            confidence: self.evidence.confidence,
            language: LANGUAGE.to_owned(),
            rejected: self.evidence.rejection(self.recipe.tuning.min_confidence),
            why: None,
        };
        if let (Some(_), Some(own)) = (&transcript.rejected, own) {
            transcript.why = transcript.rejected.take();
            transcript.engine = NEURAL_ENGINE.to_owned();
            (transcript.text, transcript.confidence) = (own.text.clone(), own.confidence);
            return Recognition { heard: own.text.clone(), transcript };
        }
        // The decoder tells its last word only when it has heard some silence after it.
        let heard = if self.evidence.is_whole() { transcript.text.clone() } else { heard };
        Recognition { transcript, heard }
    }
}

/// What the decoder and the search made of an utterance.
struct Look {
    candidates: Vec<Candidate>,
    evidence: Evidence,
}

impl Recogniser for GrammarRecogniser {
    fn start(&mut self) -> Result<(), Fault> {
        Ok(self.begin()?)
    }

    fn precede(&mut self, samples: &[f32]) {
        if self.neural.is_some() {
            self.utterance.extend_from_slice(samples);
        }
    }

    fn prepare(&mut self) {
        self.with_ear(|neural, _| neural.prepare());
    }

    fn rest(&mut self) {
        self.with_ear(|neural, _| neural.rest());
    }

    fn feed(&mut self, samples: &[f32]) -> Result<(), Fault> {
        if !self.started {
            return Err(GrammarError::NotStarted.into());
        }
        if self.neural.is_some() {
            self.utterance.extend_from_slice(samples);
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

    fn foresee_end(&mut self) {
        if self.started {
            self.with_ear(NeuralListener::listen);
        }
    }

    fn partial(&mut self) -> Option<Partial> {
        if !self.searching {
            return None;
        }
        let words = unmarked(&self.listener.decoder.best()?);
        let stable = words.iter().zip(&self.shown).take_while(|(now, before)| now == before).count();
        let stable = words[..stable].join(" ").chars().count();
        self.shown = words;
        let beginning = self.listener.search.beginning(&self.sound);
        // Where there is nobody who hears better, these words must do.
        let opening = self.neural.is_none().then(|| self.listener.beginnings.gain(&self.shown));
        Some(Partial { text: self.shown.join(" "), stable, beginning, opening })
    }

    fn look_hard(&mut self) -> Option<Partial> {
        // Both look at once.
        self.with_ear(NeuralListener::listen);
        let partial = self.partial();
        let finding = self.with_ear(|neural, _| neural.found()).flatten();
        let opening = finding.map(|finding| self.listener.beginnings.best(&finding.openings));
        partial.map(|partial| Partial { opening: opening.or(partial.opening), ..partial })
    }

    fn draft(&mut self) -> Option<Result<Recognition, Fault>> {
        Some(self.recognise(false).map_err(Fault::from))
    }

    fn finish(&mut self) -> Result<Recognition, Fault> {
        let recognition = self.recognise(true);
        self.cancel();
        Ok(recognition?)
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
