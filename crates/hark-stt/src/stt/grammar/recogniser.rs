//! The grammar recogniser: sound in, a sentence of the home or free words out. Runs on the thread `hark-stt`, with
//! Moonshine on a thread of its own.

use super::LANGUAGE;
use super::acoustic_model::AcousticModel;
use super::acoustic_scores::AcousticScores;
use super::background_model::BACKGROUND_MARK;
use super::builder::{DecoderBuilder, GrammarDecoder, acoustic_dir};
use super::cepstra::{Cepstrum, MeanEstimate};
use super::error::GrammarError;
use super::hypothesis_confidence::{HypothesisEvidence, Meant, candidates};
use super::pronunciation::respelt;
use super::rebuild::{PendingDecoder, Rebuilder};
use super::rescoring::{Candidate, Rescorer};
use super::tuning::Tuning;
use crate::stt::moonshine::{MoonshineError, MoonshineFiles, MoonshineRescorer, MoonshineResult};
use crate::stt::{Partial, Recogniser, Recognition};
use hark_core::audio::to_i16;
use hark_core::ports::{Pronounce, SpeechGrammar};
use hark_core::{Fault, Transcript};
use std::path::Path;
use std::sync::Arc;

/// Name of the engine in transcripts.
const ENGINE: &str = "grammar";
/// The same of words that are no sentence of the home.
const MOONSHINE_ENGINE: &str = "neural";

/// Of texts in written form that may have been said, likeliest first, tells the one that is a request as a whole, and how it
/// is best spelt.
pub type RequestAmong = Arc<dyn Fn(&[&str]) -> Option<(usize, String)> + Send + Sync>;

/// PocketSphinx listening for the sentences of one home.
///
/// It belongs to one thread at a time (`Send`, not `Sync`). Searching goes on while it is fed; what
/// `finish` has left to do is the decoder's second pass and the choice.
pub struct GrammarRecogniser {
    builder: Arc<DecoderBuilder>,
    decoder: GrammarDecoder,
    /// Where a rebuilt decoder waits for the next utterance.
    pending: PendingDecoder,
    mean: MeanEstimate,
    sound: AcousticScores,
    /// Frames not searched yet.
    waiting: Vec<Cepstrum>,
    started: bool,
    searching: bool,
    moonshine: Option<MoonshineRescorer>,
    request_among: Option<RequestAmong>,
    /// Sound for Moonshine: the utterance, and what came before it.
    utterance: Vec<f32>,
    /// Words of the last partial.
    shown: Vec<String>,
    evidence: HypothesisEvidence,
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
        let builder = DecoderBuilder { model_dir, work_dir, tuning, pronounce, acoustic };
        let decoder = builder.build(grammar)?;
        let mean = MeanEstimate::new(builder.tuning.expected_weight);
        let sound = AcousticScores::new(builder.acoustic.clone(), builder.tuning.phone_penalty);
        Ok(Self {
            builder: Arc::new(builder),
            decoder,
            pending: PendingDecoder::default(),
            mean,
            sound,
            waiting: Vec::new(),
            started: false,
            searching: false,
            moonshine: None,
            request_among: None,
            utterance: Vec::new(),
            shown: Vec::new(),
            evidence: HypothesisEvidence::default(),
        })
    }

    /// Asks Moonshine too.
    ///
    /// # Errors
    /// When one of its files is missing or broken.
    pub fn with_moonshine(mut self, files: MoonshineFiles) -> Result<Self, MoonshineError> {
        self.moonshine = Some(MoonshineRescorer::new(files, self.decoder.grammar.clone())?);
        Ok(self)
    }

    /// Of the words that Moonshine may have heard, those are preferred that are a request.
    #[must_use]
    pub fn with_requests(self, request_among: RequestAmong) -> Self {
        Self { request_among: Some(request_among), ..self }
    }

    /// A handle that rebuilds the vocabulary from any thread while this recogniser goes on listening.
    pub fn rebuilder(&self) -> Rebuilder {
        Rebuilder::new(self.builder.clone(), &self.pending)
    }

    /// Words of the home without a pronunciation: sentences with them cannot be recognised.
    pub fn unpronounceable(&self) -> &[String] {
        &self.decoder.unpronounceable
    }

    /// What the last transcript was based on.
    pub fn evidence(&self) -> &HypothesisEvidence {
        &self.evidence
    }

    /// Normalises and searches the frames that wait.
    fn search(&mut self) -> Result<(), GrammarError> {
        let mut frames = self.mean.normalise(&self.waiting);
        self.waiting.clear();
        self.searching = true;
        self.sound.observe(&frames);
        self.decoder.search.advance(&self.sound);
        self.decoder.free_decoder.search(&mut frames)
    }

    fn begin(&mut self) -> Result<(), GrammarError> {
        self.cancel();
        if let Some(fresh) = self.pending.take() {
            self.with_moonshine_model(|moonshine, _| moonshine.set_grammar(fresh.grammar.clone()));
            self.decoder = fresh;
        }
        self.utterance.clear();
        // It opens while the person still speaks.
        self.prepare();
        self.sound.start();
        self.decoder.search.start();
        self.mean.start();
        self.waiting.clear();
        self.shown.clear();
        self.searching = false;
        self.decoder.free_decoder.start()?;
        self.started = true;
        Ok(())
    }

    /// Asks Moonshine, if there is one, about the utterance so far; none from now on when that
    /// fails.
    fn with_moonshine_model<T>(
        &mut self,
        ask: impl FnOnce(&mut MoonshineRescorer, &[f32]) -> Result<T, MoonshineError>,
    ) -> Option<T> {
        match ask(self.moonshine.as_mut()?, &self.utterance) {
            Ok(value) => Some(value),
            Err(error) => {
                tracing::warn!(%error, "the recogniser goes on without Moonshine");
                self.moonshine = None;
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
        self.with_moonshine_model(|moonshine, utterance| moonshine.decode_final(utterance));
        let first_pass = self.first_pass(over);
        let result = match &first_pass {
            Ok(first_pass) if !self.is_undisputed(&first_pass.evidence) => {
                self.with_moonshine_model(|moonshine, _| moonshine.result()).flatten()
            }
            _ => {
                self.moonshine.iter_mut().for_each(MoonshineRescorer::abort);
                None
            }
        };
        let first_pass = first_pass?;
        let evidence = match result {
            Some(result) => self.rescore_with_moonshine(first_pass, result),
            None => first_pass.evidence,
        };
        tracing::debug!(over, ?evidence, "an utterance was recognised");
        self.evidence = evidence;
        Ok(self.recognition())
    }

    /// Whether there is no need to ask Moonshine.
    fn is_undisputed(&self, evidence: &HypothesisEvidence) -> bool {
        evidence.is_undisputed() && self.decoder.grammar.is_open(&evidence.accepted.join(" ")) == Some(false)
    }

    /// What the decoder and the search make of the utterance.
    fn first_pass(&mut self, over: bool) -> Result<FirstPass, GrammarError> {
        self.search()?;
        let heard = self.decoder.free_decoder.best().unwrap_or_default();
        let tuning = &self.builder.tuning;
        if over {
            self.sound.end();
            self.decoder.search.advance(&self.sound);
        }
        let found = self.decoder.search.best(&self.sound, tuning.nbest);
        let mut candidates = candidates(found, &heard, self.decoder.grammar.as_ref(), tuning);
        let rescorer = self.rescorer();
        let chosen = rescorer.choose_with_confusable_words(&mut candidates, self.decoder.grammar.as_ref());
        let evidence = HypothesisEvidence::new(heard, &candidates, chosen);
        Ok(FirstPass { candidates, evidence })
    }

    fn rescorer(&self) -> Rescorer<'_> {
        let GrammarDecoder { pronunciations, scorer, .. } = &self.decoder;
        Rescorer { sound: &self.sound, pronunciations, scorer, tuning: &self.builder.tuning }
    }

    /// Chooses once more, with what Moonshine found.
    fn rescore_with_moonshine(
        &mut self,
        first_pass: FirstPass,
        result: MoonshineResult,
    ) -> HypothesisEvidence {
        tracing::debug!(?result, "what Moonshine found");
        let FirstPass { mut candidates, evidence } = first_pass;
        let agreed = result.sentences.first().is_some_and(|first| first.words == evidence.accepted);
        if agreed {
            // Nothing either proposes beside it can win: the person need not wait for the others' scores.
            candidates.retain(|candidate| candidate.words == evidence.accepted);
        }
        for found in result.sentences.iter().take(if agreed { 1 } else { usize::MAX }) {
            let known = candidates.iter_mut().find(|candidate| candidate.words == found.words);
            match known {
                Some(candidate) => candidate.moonshine_score = Some(found.score),
                None => candidates.push(Candidate {
                    words: found.words.clone(),
                    cost: 0.0,
                    moonshine_score: Some(found.score),
                }),
            }
        }
        let unknown: Vec<Vec<String>> = candidates
            .iter()
            .filter(|one| one.moonshine_score.is_none())
            .map(|one| one.words.clone())
            .collect();
        let scores = self.with_moonshine_model(|moonshine, _| moonshine.score(&unknown));
        let mut scores = scores.unwrap_or_default().into_iter();
        for candidate in candidates.iter_mut().filter(|candidate| candidate.moonshine_score.is_none()) {
            candidate.moonshine_score = scores.next().flatten();
        }
        candidates.retain(|candidate| candidate.moonshine_score.is_some());
        let chosen = self.rescorer().choose(&candidates);
        let min_confidence = self.builder.tuning.min_confidence;
        let evidence = HypothesisEvidence::new(evidence.heard, &candidates, chosen);
        evidence.with_moonshine(&candidates, chosen, &result, min_confidence, &|texts| self.meant(texts))
    }

    /// The first of several texts that means something here.
    fn meant(&self, texts: &[&str]) -> Option<Meant> {
        let is_sentence = |text: &&str| self.decoder.grammar.is_open(text).is_some();
        let request =
            |texts: &[&str]| self.request_among.as_ref().and_then(|request_among| request_among(texts));
        let sentence = || texts.iter().position(is_sentence).map(|at| (at, texts[at].to_owned()));
        let respelt = || {
            let phones_of = |words: &[String]| self.builder.phones_of(words);
            let spelt = respelt(texts.first()?, &self.decoder.pronunciations, &phones_of);
            let (_, text) = request(&spelt.iter().map(String::as_str).collect::<Vec<_>>())?;
            Some((0, text))
        };
        let (at, text) = request(texts).or_else(sentence).or_else(respelt)?;
        let is_open = self.decoder.grammar.is_open(&text) == Some(true);
        Some(Meant { at, text, is_open })
    }

    fn recognition(&self) -> Recognition {
        let HypothesisEvidence { accepted, heard, free_words, .. } = &self.evidence;
        let heard = unmarked(heard).join(" ");
        let mut transcript = Transcript {
            text: if accepted.is_empty() { heard.clone() } else { accepted.join(" ") },
            engine: ENGINE.to_owned(),
            confidence: self.evidence.confidence,
            language: LANGUAGE.to_owned(),
            rejected: self.evidence.rejection(self.builder.tuning.min_confidence),
            why: None,
            speaker: None,
        };
        if let (Some(_), Some(own)) = (&transcript.rejected, free_words) {
            transcript.why = transcript.rejected.take();
            transcript.engine = MOONSHINE_ENGINE.to_owned();
            (transcript.text, transcript.confidence) = (own.text.clone(), own.confidence);
            return Recognition { heard: own.text.clone(), transcript };
        }
        // The decoder tells its last word only when it has heard some silence after it.
        let heard = if self.evidence.is_whole() { transcript.text.clone() } else { heard };
        Recognition { transcript, heard }
    }
}

/// What the decoder and the search made of an utterance.
struct FirstPass {
    candidates: Vec<Candidate>,
    evidence: HypothesisEvidence,
}

impl Recogniser for GrammarRecogniser {
    fn start(&mut self) -> Result<(), Fault> {
        Ok(self.begin()?)
    }

    fn preroll(&mut self, samples: &[f32]) {
        if self.moonshine.is_some() {
            self.utterance.extend_from_slice(samples);
        }
    }

    fn prepare(&mut self) {
        self.with_moonshine_model(|moonshine, _| moonshine.prepare());
    }

    fn release_memory(&mut self) {
        self.with_moonshine_model(|moonshine, _| moonshine.unload());
    }

    fn feed(&mut self, samples: &[f32]) -> Result<(), Fault> {
        if !self.started {
            return Err(GrammarError::NotStarted.into());
        }
        if self.moonshine.is_some() {
            self.utterance.extend_from_slice(samples);
        }
        let samples: Vec<i16> = samples.iter().map(|sample| to_i16(*sample)).collect();
        let before = self.waiting.len();
        self.decoder.free_decoder.analyse(&samples, &mut self.waiting)?;
        self.mean.observe(&self.waiting[before..]);
        if self.searching || self.waiting.len() >= self.builder.tuning.hold_frames {
            self.search()?;
        }
        Ok(())
    }

    fn anticipate_end(&mut self) {
        if self.started {
            self.with_moonshine_model(MoonshineRescorer::decode);
        }
    }

    fn partial(&mut self) -> Option<Partial> {
        if !self.searching {
            return None;
        }
        let words = unmarked(&self.decoder.free_decoder.best()?);
        let stable = words.iter().zip(&self.shown).take_while(|(now, before)| now == before).count();
        let stable = words[..stable].join(" ").chars().count();
        self.shown = words;
        let beginning = self.decoder.search.best_prefix(&self.sound);
        // Without Moonshine these words must do.
        let opening = self.moonshine.is_none().then(|| self.decoder.prefix_likelihoods.gain(&self.shown));
        Some(Partial { text: self.shown.join(" "), stable, beginning, opening })
    }

    fn rescored_partial(&mut self) -> Option<Partial> {
        // Both at once.
        self.with_moonshine_model(MoonshineRescorer::decode);
        let partial = self.partial();
        let result = self.with_moonshine_model(|moonshine, _| moonshine.result()).flatten();
        let opening = result.map(|result| self.decoder.prefix_likelihoods.best(&result.prefixes));
        partial.map(|partial| Partial { opening: opening.or(partial.opening), ..partial })
    }

    fn draft(&mut self) -> Option<Result<Recognition, Fault>> {
        Some(self.recognise(false).map_err(Fault::from))
    }

    fn finish(&mut self) -> Result<Recognition, Fault> {
        let recognition = self.recognise(true);
        self.cancel();
        let recognition = recognition?;
        // What had to be decided by other means says little about this ear.
        if self.evidence.is_sure() {
            self.mean.keep();
        }
        Ok(recognition)
    }

    fn cancel(&mut self) {
        if std::mem::take(&mut self.started) {
            // Whatever it says, the utterance is over: the next `start` begins from nothing.
            let _ = self.decoder.free_decoder.end();
        }
    }
}

/// Words as they are shown: background words without their mark.
fn unmarked(words: &[String]) -> Vec<String> {
    words.iter().map(|word| word.trim_start_matches(BACKGROUND_MARK).to_owned()).collect()
}
