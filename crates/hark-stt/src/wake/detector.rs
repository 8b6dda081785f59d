//! From scores to wake decisions: threshold, patience (hops in a row), refractory time, near misses. The values come from
//! the configuration section `wake`.

use super::verifier::WakeVerifier;
use super::{WakeEngine, WakeWord, WordEnd};
use hark_config as config;
use hark_core::Fault;
use hark_core::audio::ms_to_samples;

/// Time below the near-miss score that ends a peak; scores of one utterance dip in between.
const PEAK_OVER_MS: u64 = 240;

/// How much of a silence is still scored after it: as much sound as an engine looks back on.
const CONTEXT_MS: u64 = 2080;

/// Part of a word's threshold that is like it enough in a sound that would explain it.
const SIMILAR_SHARE: f32 = 0.5;

/// Limits of one word.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WakeLimits {
    /// Score from which a hop counts.
    pub threshold: f32,
    /// Consecutive hops that must count.
    pub patience_hops: u32,
    /// Time after a wake in which the word is not heard again.
    pub refractory_ms: u32,
    /// Score from which a failed detection is reported.
    pub near_miss_score: f32,
}

impl WakeLimits {
    /// The limits of a word.
    pub fn of(settings: &config::wake::Wake, word: &str) -> Self {
        let own = settings.limits_of(word);
        Self {
            threshold: own.threshold.unwrap_or(settings.threshold),
            patience_hops: own.patience_hops.unwrap_or(settings.patience_hops).max(1),
            refractory_ms: own.refractory_ms.unwrap_or(settings.refractory_ms),
            near_miss_score: settings.near_miss_score,
        }
    }
}

/// What the detector decided.
#[derive(Debug, Clone, PartialEq)]
pub enum WakeReport {
    /// A wake word. The first hop that reached the threshold ended `ago_samples` before the end of
    /// the samples pushed so far; `end` tells how the word's own end is found before that.
    Detected { word: String, score: f32, ago_samples: usize, end: WordEnd },
    /// Something like a wake word; reported once, when its peak is over.
    Rejected { word: String, score: f32, why: String },
}

/// Watches one word.
#[derive(Debug, Clone)]
struct WordState {
    limits: WakeLimits,
    /// Consecutive hops that reached the threshold.
    run_hops: u32,
    /// The longest run of the peak.
    longest_run: u32,
    /// Highest score of the peak that is going on; 0 when there is none.
    peak: f32,
    quiet_hops: u32,
    /// Quiet hops that end a peak.
    peak_over_hops: u32,
    /// The word is refractory up to here, in samples pushed.
    refractory_until: u64,
}

impl WordState {
    fn new(limits: WakeLimits, hop_samples: usize) -> Self {
        let peak_over_hops = ms_to_samples(PEAK_OVER_MS).div_ceil(hop_samples as u64) as u32;
        Self {
            limits,
            run_hops: 0,
            longest_run: 0,
            peak: 0.0,
            quiet_hops: 0,
            peak_over_hops,
            refractory_until: 0,
        }
    }

    fn forget_peak(&mut self) {
        (self.run_hops, self.longest_run, self.peak, self.quiet_hops) = (0, 0, 0.0, 0);
    }

    /// Takes the score of the hop that ends at `now`: whether the word is detected, or why a peak
    /// that has just ended was none.
    fn hop(&mut self, score: f32, now: u64) -> Verdict {
        let refractory = now < self.refractory_until;
        let reached = score >= self.limits.threshold;
        self.run_hops = if reached && !refractory { self.run_hops + 1 } else { 0 };
        self.longest_run = self.longest_run.max(self.run_hops);
        if self.run_hops >= self.limits.patience_hops {
            return Verdict::Detected;
        }
        // While refractory only what would have woken is worth a report.
        let floor = if refractory { self.limits.threshold } else { self.limits.near_miss_score };
        if score >= floor.min(self.limits.threshold) {
            (self.peak, self.quiet_hops) = (self.peak.max(score), 0);
            return Verdict::Nothing;
        }
        self.quiet_hops += 1;
        if self.peak == 0.0 || self.quiet_hops < self.peak_over_hops {
            return Verdict::Nothing;
        }
        let verdict = Verdict::Rejected { score: self.peak, why: self.why() };
        self.forget_peak();
        verdict
    }

    fn why(&self) -> String {
        let WakeLimits { threshold, patience_hops, refractory_ms, .. } = self.limits;
        if self.peak < threshold {
            format!("score {:.2} is under the threshold {threshold:.2}", self.peak)
        } else if self.longest_run > 0 {
            format!("{} of {patience_hops} hops in a row reached the threshold", self.longest_run)
        } else {
            format!("within {refractory_ms} ms of the last wake")
        }
    }
}

enum Verdict {
    Nothing,
    Detected,
    Rejected { score: f32, why: String },
}

/// Runs an engine over a stream of samples and decides.
pub struct WakeDetector {
    engine: Box<dyn WakeEngine>,
    states: Vec<WordState>,
    scores: Vec<f32>,
    /// Samples that do not fill a hop yet.
    pending: Vec<f32>,
    /// Samples pushed since the start.
    pushed: u64,
    verifier: Option<WakeVerifier>,
}

impl WakeDetector {
    /// A detector with the limits of the settings.
    pub fn new(engine: Box<dyn WakeEngine>, settings: &config::wake::Wake) -> Self {
        let hop = engine.hop_samples();
        let state = |word: &WakeWord| WordState::new(WakeLimits::of(settings, &word.name), hop);
        let states: Vec<WordState> = engine.words().iter().map(state).collect();
        Self {
            scores: vec![0.0; states.len()],
            states,
            verifier: None,
            pending: Vec::with_capacity(engine.hop_samples() * 2),
            pushed: 0,
            engine,
        }
    }

    /// With a second look at whatever wakes.
    #[must_use]
    pub fn with_verifier(mut self, look: WakeVerifier) -> Self {
        self.verifier = Some(look);
        self
    }

    /// Whether [`Self::rejection`] needs asking.
    pub fn has_verifier(&self) -> bool {
        self.verifier.is_some()
    }

    /// Gives all words the limits of the settings.
    pub fn set_limits(&mut self, settings: &config::wake::Wake) {
        for (state, word) in self.states.iter_mut().zip(self.engine.words()) {
            state.limits = WakeLimits::of(settings, &word.name);
        }
    }

    /// Why a word that was detected is none after all; `sound`: up to now; `voiced_ms`: how much of it was voice.
    ///
    /// # Errors
    /// When the second look fails: then the word counts.
    pub fn rejection(&mut self, word: &str, sound: &[f32], voiced_ms: u64) -> Result<Option<String>, Fault> {
        let Some(look) = &mut self.verifier else { return Ok(None) };
        let doubt = look.rejection(word, sound, voiced_ms)?;
        if doubt.is_some() {
            self.end_refractory();
        }
        Ok(doubt)
    }

    /// Whether a word that was detected, or something like it, is also in this other `sound`.
    ///
    /// # Errors
    /// When the engine fails.
    pub fn is_similar_in(&mut self, word: &str, sound: &[f32]) -> Result<bool, Fault> {
        let Some(index) = self.engine.words().iter().position(|it| it.name == word) else { return Ok(false) };
        let min_similar_score = self.states[index].limits.threshold * SIMILAR_SHARE;
        let hop = self.engine.hop_samples();
        let mut found = Ok(false);
        // After a detection it remembers nothing, and so it shall be left, also when it fails.
        self.engine.reset();
        for samples in sound[sound.len() % hop..].chunks_exact(hop) {
            found = self.engine.hop(samples).map(|scores| scores[index] >= min_similar_score);
            if found != Ok(false) {
                break;
            }
        }
        self.engine.reset();
        if found == Ok(true) {
            self.end_refractory();
        }
        found
    }

    /// A detection was rejected: the word may be detected again at once.
    fn end_refractory(&mut self) {
        self.states.iter_mut().for_each(|state| state.refractory_until = 0);
    }

    /// Takes samples of a long silence without running the engine, which is most of
    /// what a pipeline costs in a quiet room. The last of them are kept and scored with what comes next, so
    /// that a word is scored as if nothing had been left out.
    pub fn rest(&mut self, samples: &[f32]) {
        self.pushed += samples.len() as u64;
        self.pending.extend_from_slice(samples);
        let hop = self.engine.hop_samples();
        let excess = (self.pending.len() / hop).saturating_sub(ms_to_samples(CONTEXT_MS) as usize / hop);
        self.pending.drain(..excess * hop);
        self.scores.fill(0.0);
    }

    /// Takes the next samples (16 kHz mono, any number) and appends what was decided to `out`.
    ///
    /// # Errors
    /// When the engine fails; the samples count as heard.
    pub fn push(&mut self, samples: &[f32], out: &mut Vec<WakeReport>) -> Result<(), Fault> {
        self.pushed += samples.len() as u64;
        self.pending.extend_from_slice(samples);
        let hop = self.engine.hop_samples();
        let mut used = 0;
        let mut result = Ok(());
        while self.pending.len() - used >= hop && result.is_ok() {
            match self.engine.hop(&self.pending[used..used + hop]) {
                Ok(scores) => self.scores.copy_from_slice(scores),
                Err(fault) => result = Err(fault),
            }
            used += hop;
            if result.is_ok() {
                self.decide(self.pending.len() - used, out);
            }
        }
        if result.is_err() {
            used = self.pending.len();
        }
        self.pending.drain(..used);
        result
    }

    /// Looks at the scores of a hop that ended `ago` samples before the end of what was pushed.
    fn decide(&mut self, ago: usize, out: &mut Vec<WakeReport>) {
        let now = self.pushed - ago as u64;
        let hop = self.engine.hop_samples();
        for (index, state) in self.states.iter_mut().enumerate() {
            let word = &self.engine.words()[index];
            match state.hop(self.scores[index], now) {
                Verdict::Nothing => {}
                Verdict::Rejected { score, why } => {
                    out.push(WakeReport::Rejected { word: word.name.clone(), score, why });
                }
                Verdict::Detected => {
                    let waited = state.run_hops.saturating_sub(1) as usize * hop;
                    out.push(WakeReport::Detected {
                        word: word.name.clone(),
                        score: self.scores[index],
                        ago_samples: ago + waited + self.engine.delay_samples(index),
                        end: word.end,
                    });
                    state.refractory_until = now + ms_to_samples(u64::from(state.limits.refractory_ms));
                    self.forget();
                    return;
                }
            }
        }
    }

    /// Samples that the next hop still wants, before which nothing is decided.
    pub fn missing_samples(&self) -> usize {
        self.engine.hop_samples().saturating_sub(self.pending.len())
    }

    /// Forgets the sound so that nothing wakes from a mixture of old and new, but not the refractory
    /// times.
    fn forget(&mut self) {
        self.engine.reset();
        self.states.iter_mut().for_each(WordState::forget_peak);
    }

    /// Forgets everything that was heard, as after a gap in the sound.
    pub fn reset(&mut self) {
        self.forget();
        self.pending.clear();
        self.scores.fill(0.0);
    }

    /// The words with their scores of the last hop.
    pub fn scores(&self) -> impl Iterator<Item = (&str, f32)> {
        self.engine.words().iter().zip(&self.scores).map(|(word, score)| (word.name.as_str(), *score))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing;

    /// Gives the first sample of each hop as its score.
    struct Scripted {
        words: Vec<WakeWord>,
        score: [f32; 1],
    }

    impl WakeEngine for Scripted {
        fn words(&self) -> &[WakeWord] {
            &self.words
        }

        fn hop_samples(&self) -> usize {
            1280
        }

        fn hop(&mut self, samples: &[f32]) -> Result<&[f32], Fault> {
            self.score[0] = samples[0];
            Ok(&self.score)
        }

        fn reset(&mut self) {}
    }

    fn detector(patience_hops: u32, refractory_ms: u32) -> WakeDetector {
        let words = vec![WakeWord { name: "word".into(), end: WordEnd::Before { ms: 0 } }];
        let settings = config::wake::Wake { patience_hops, refractory_ms, ..config::wake::Wake::default() };
        WakeDetector::new(Box::new(Scripted { words, score: [0.0] }), &settings)
    }

    fn run(detector: &mut WakeDetector, scores: &[f32]) -> Vec<WakeReport> {
        let mut out = Vec::new();
        for score in scores {
            detector.push(&[*score; 1280], &mut out).expect("scripted");
        }
        out
    }

    fn whys(reports: &[WakeReport]) -> Vec<String> {
        let why = |report: &WakeReport| match report {
            WakeReport::Rejected { score, why, .. } => Some(format!("{score}: {why}")),
            WakeReport::Detected { .. } => None,
        };
        reports.iter().filter_map(why).collect()
    }

    #[test]
    fn a_score_over_the_threshold_wakes_once() {
        let reports = run(&mut detector(1, 2000), &[0.1, 0.9, 0.1, 0.1]);
        assert_eq!(reports.len(), 1);
        assert!(matches!(&reports[0], WakeReport::Detected { score, ago_samples: 0, .. } if *score == 0.9));
    }

    #[test]
    fn patience_waits_and_points_back_to_the_first_hop() {
        let reports = run(&mut detector(3, 2000), &[0.9, 0.9, 0.9]);
        assert!(matches!(&reports[..], [WakeReport::Detected { ago_samples: 2560, .. }]), "{reports:?}");
    }

    #[test]
    fn a_near_miss_is_reported_once_with_its_peak() {
        let reports = run(&mut detector(1, 2000), &[0.25, 0.1, 0.41, 0.3, 0.0, 0.0, 0.0, 0.0]);
        assert_eq!(whys(&reports), ["0.41: score 0.41 is under the threshold 0.50"]);
        let reports = run(&mut detector(2, 2000), &[0.8, 0.1, 0.1, 0.1, 0.1]);
        assert_eq!(whys(&reports), ["0.8: 1 of 2 hops in a row reached the threshold"]);
    }

    #[test]
    fn within_the_refractory_time_it_does_not_wake_again() {
        let mut detector = detector(1, 400);
        let reports = run(&mut detector, &[0.9, 0.3, 0.9, 0.0, 0.0, 0.0, 0.0, 0.9]);
        assert!(matches!(reports[0], WakeReport::Detected { .. }));
        assert_eq!(whys(&reports), ["0.9: within 400 ms of the last wake"]);
        assert!(matches!(reports[2], WakeReport::Detected { .. }), "{reports:?}");
    }

    #[test]
    fn samples_of_any_length_make_hops() {
        let mut detector = detector(1, 0);
        let mut out = Vec::new();
        detector.push(&[0.9; 1000], &mut out).expect("scripted");
        assert!(out.is_empty());
        detector.push(&[0.9; 1000], &mut out).expect("scripted");
        assert!(matches!(out[..], [WakeReport::Detected { ago_samples: 720, .. }]), "{out:?}");
    }

    #[test]
    fn running_speech_and_music_wake_nothing() {
        let words = ["hey_jarvis", "okay_nabu", "hey_rhasspy"];
        let settings = config::wake::Wake::default();
        for folder in ["speech", "vad"] {
            let Some(folder) = testing::shared(folder) else { continue };
            for entry in std::fs::read_dir(folder).expect("folder") {
                let path = entry.expect("entry").path();
                let mut detector = WakeDetector::new(Box::new(testing::openwakeword(&words)), &settings);
                let mut out = Vec::new();
                detector.push(&testing::wav(&path), &mut out).expect("run");
                detector.push(&testing::silence(1000), &mut out).expect("run");
                assert_eq!(out, [], "{}", path.display());
            }
        }
    }
}
