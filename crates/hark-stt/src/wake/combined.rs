//! Two engines that listen for the same words: openWakeWord hears a word in more voices, microWakeWord hears less that only
//! sounds like it. A word counts when microWakeWord is sure of it, or when openWakeWord is and microWakeWord finds at least
//! something.

use super::{MicroWakeWord, OpenWakeWord, WakeEngine, WakeWord};
use hark_core::Fault;
use hark_core::audio::ms_to_samples;

/// Score of microWakeWord that bears openWakeWord out: a mean probability of 0.08. Of 120 people who said "jarvis" alone 80
/// were taken for "hey jarvis" by openWakeWord, 9 of them with this much; of those who said "hey jarvis" 88 in 100 have it.
const MIN_BORNE_OUT: f32 = 0.041;
/// The same of sound that was cut off: a mean probability of 0.5, which none of those 120 has without the other.
const MIN_BORNE_OUT_CUT: f32 = 0.258;
/// Score of openWakeWord from which microWakeWord is asked once more.
const MIN_PROBED: f32 = 0.3;
/// microWakeWord expects a pause behind the word: it is asked about the sound so far and this much silence, and the first
/// time also as if the word had been over so many milliseconds earlier.
const SILENCE_MS: u64 = 400;
const EARLIER_MS: [u64; 5] = [0, 80, 160, 240, 320];
/// Sound it is asked about: the word and something before it.
const PROBED_MS: u64 = 1600;
/// How long before openWakeWord it may come, and how long after.
const BORNE_OUT_BEFORE_MS: u64 = 1000;
const BORNE_OUT_AFTER_MS: u64 = 350;
/// Share of openWakeWord's score that counts alone: below the default threshold, and enough for a near miss.
const ALONE_SHARE: f32 = 0.5;

/// openWakeWord and microWakeWord as one engine.
pub struct CombinedWakeEngine {
    first: OpenWakeWord,
    second: MicroWakeWord,
    /// The same models, for sound that is cut off.
    probe: MicroWakeWord,
    /// The last sound.
    history: Vec<f32>,
    words: Vec<JointScore>,
    scores: Vec<f32>,
    /// Samples that do not fill a hop of the second yet.
    pending: Vec<f32>,
    /// Samples since the last reset.
    heard: u64,
}

/// What both have found of a word.
#[derive(Debug, Clone, Default)]
struct JointScore {
    /// Its place in the second engine; `None` when that does not know it.
    second: Option<usize>,
    /// When the first last found enough of it for the second to be asked once more.
    probed_at: Option<u64>,
    /// When the second found something of it last.
    borne_out_at: Option<u64>,
    /// The highest score of the first of late, and when that was.
    peak: Option<(f32, u64)>,
    /// How long ago the score of the last hop was reached.
    delay: u64,
}

impl JointScore {
    fn new(second: Option<usize>) -> Self {
        Self { second, ..Self::default() }
    }

    /// The score of a hop that ends at `now`, from the first's and the second's highest in it.
    fn hop(&mut self, now: u64, first: f32, second: f32) -> f32 {
        self.delay = 0;
        if self.second.is_none() {
            return first;
        }
        if second >= MIN_BORNE_OUT {
            self.borne_out_at = Some(now);
        }
        let is_late = |(_, at): &(f32, u64)| now - at > ms_to_samples(BORNE_OUT_AFTER_MS);
        self.peak.take_if(|peak| is_late(peak));
        if self.peak.is_none_or(|(score, _)| first >= score) {
            self.peak = Some((first, now));
        }
        let borne_out = self.is_borne_out(now);
        let joint = match self.peak.filter(|_| borne_out) {
            Some((score, at)) => {
                self.delay = now - at;
                score
            }
            None => first * ALONE_SHARE,
        };
        if second > joint {
            self.delay = 0;
        }
        joint.max(second)
    }

    /// How much earlier the sound may have ended at which the second is to be asked about it once more.
    fn probes(&mut self, now: u64, first: f32, second: f32) -> &'static [u64] {
        if first < MIN_PROBED || second >= MIN_BORNE_OUT || self.is_borne_out(now) {
            return &[];
        }
        let before = self.probed_at.replace(now);
        let again = before.is_some_and(|at| now - at <= ms_to_samples(BORNE_OUT_AFTER_MS));
        &EARLIER_MS[..if again { 1 } else { EARLIER_MS.len() }]
    }

    fn is_borne_out(&self, now: u64) -> bool {
        self.borne_out_at.is_some_and(|at| now - at <= ms_to_samples(BORNE_OUT_BEFORE_MS))
    }

    fn forget(&mut self) {
        *self = Self::new(self.second);
    }
}

impl CombinedWakeEngine {
    /// The words of `first`; `second` may know fewer. `probe` has the models of `second`, for sound that is cut off.
    pub fn new(first: OpenWakeWord, second: MicroWakeWord, probe: MicroWakeWord) -> Self {
        let place = |word: &WakeWord| second.words().iter().position(|known| known.name == word.name);
        let words: Vec<_> = first.words().iter().map(|word| JointScore::new(place(word))).collect();
        Self {
            scores: vec![0.0; words.len()],
            words,
            first,
            second,
            probe,
            history: Vec::new(),
            pending: Vec::new(),
            heard: 0,
        }
    }

    /// The second engine's highest score for a word if silence came behind the sound up to `earlier_ms` ago.
    fn probed(&mut self, place: usize, earlier_ms: u64) -> Result<f32, Fault> {
        let end = self.history.len().saturating_sub(ms_to_samples(earlier_ms) as usize);
        let from = end.saturating_sub(ms_to_samples(PROBED_MS) as usize);
        let silence = vec![0.0; ms_to_samples(SILENCE_MS) as usize];
        self.probe.reset();
        let mut best = 0.0_f32;
        for samples in [&self.history[from..end], &silence].concat().chunks_exact(self.probe.hop_samples()) {
            best = best.max(self.probe.hop(samples)?[place]);
        }
        Ok(best)
    }

    /// Keeps as much sound as may be asked about.
    fn remember(&mut self, samples: &[f32]) {
        self.history.extend_from_slice(samples);
        let most = ms_to_samples(PROBED_MS + EARLIER_MS[EARLIER_MS.len() - 1]) as usize;
        let excess = self.history.len().saturating_sub(most);
        self.history.drain(..excess);
    }

    /// The highest scores of the second engine in the sound that has come.
    fn second_scores(&mut self, samples: &[f32]) -> Result<Vec<f32>, Fault> {
        self.pending.extend_from_slice(samples);
        let mut best = vec![0.0_f32; self.second.words().len()];
        let hop = self.second.hop_samples();
        let whole = self.pending.len() / hop * hop;
        for samples in self.pending[..whole].chunks_exact(hop) {
            for (best, score) in best.iter_mut().zip(self.second.hop(samples)?) {
                *best = best.max(*score);
            }
        }
        self.pending.drain(..whole);
        Ok(best)
    }
}

impl WakeEngine for CombinedWakeEngine {
    fn words(&self) -> &[WakeWord] {
        self.first.words()
    }

    fn hop_samples(&self) -> usize {
        self.first.hop_samples()
    }

    fn hop(&mut self, samples: &[f32]) -> Result<&[f32], Fault> {
        self.heard += samples.len() as u64;
        self.remember(samples);
        let second = self.second_scores(samples)?;
        let first = self.first.hop(samples)?.to_vec();
        for (index, first) in first.into_iter().enumerate() {
            let mut score = 0.0;
            if let Some(place) = self.words[index].second {
                score = second[place];
                for earlier_ms in self.words[index].probes(self.heard, first, score) {
                    // What is found so bears out; by itself only what was really heard wakes.
                    if self.probed(place, *earlier_ms)? >= MIN_BORNE_OUT_CUT {
                        score = MIN_BORNE_OUT;
                        break;
                    }
                }
            }
            self.scores[index] = self.words[index].hop(self.heard, first, score);
        }
        Ok(&self.scores)
    }

    fn delay_samples(&self, word: usize) -> usize {
        self.words[word].delay as usize
    }

    fn reset(&mut self) {
        self.first.reset();
        self.second.reset();
        self.words.iter_mut().for_each(JointScore::forget);
        self.scores.fill(0.0);
        self.pending.clear();
        self.history.clear();
        self.heard = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing;

    /// Scores of hops of 80 ms, from pairs of the first's and the second's.
    fn scores(word: &mut JointScore, hops: &[(f32, f32)]) -> Vec<f32> {
        let hop = ms_to_samples(80);
        (1..).zip(hops).map(|(n, (first, second))| word.hop(n * hop, *first, *second)).collect()
    }

    #[test]
    fn the_first_alone_is_not_enough_and_the_second_alone_is_when_it_is_sure() {
        let mut word = JointScore::new(Some(0));
        assert_eq!(scores(&mut word, &[(0.9, 0.0), (0.98, 0.04)]), [0.45, 0.49]);
        let mut word = JointScore::new(Some(0));
        assert_eq!(scores(&mut word, &[(0.1, 0.3), (0.2, 0.8)]), [0.3, 0.8]);
        let mut unknown = JointScore::new(None);
        assert_eq!(scores(&mut unknown, &[(0.9, 0.0)]), [0.9], "the second does not know the word");
    }

    #[test]
    fn the_second_bears_the_first_out_somewhat_before_and_shortly_after() {
        let quiet = |n: usize| vec![(0.0, 0.0); n];
        for (before, counts) in [(11, true), (13, false)] {
            let mut word = JointScore::new(Some(0));
            let hops = [vec![(0.0, 0.1)], quiet(before), vec![(0.9, 0.0)]].concat();
            assert_eq!(scores(&mut word, &hops).pop() == Some(0.9), counts, "{before} hops before");
        }
        for (after, counts) in [(3, true), (4, false)] {
            let mut word = JointScore::new(Some(0));
            let hops = [vec![(0.9, 0.0)], quiet(after), vec![(0.0, 0.1)]].concat();
            assert_eq!(scores(&mut word, &hops).pop() == Some(0.9), counts, "{after} hops after");
            let delay = if counts { ms_to_samples(80 * (after as u64 + 1)) } else { 0 };
            assert_eq!(word.delay, delay, "the word was over then");
        }
        let mut word = JointScore::new(Some(0));
        scores(&mut word, &[(0.9, 0.1)]);
        word.forget();
        assert_eq!(scores(&mut word, &[(0.9, 0.0)]), [0.45]);
    }

    #[test]
    fn people_wake_it_by_the_whole_word_only() {
        let mut engine = testing::combined_wake_engine(&["hey_jarvis"]);
        let mut best = |samples: &[f32]| {
            engine.reset();
            let sound = [&testing::silence(500), samples, &testing::silence(1000)].concat();
            let hop = engine.hop_samples();
            let scores = sound.chunks_exact(hop).map(|samples| engine.hop(samples).expect("run")[0]);
            scores.fold(0.0_f32, f32::max)
        };
        for voice in ["slt", "rms", "kal16", "awb"] {
            assert!(best(&testing::flite(voice, "hey jarvis")) >= 0.5, "{voice}");
        }
        for number in 1..=3 {
            let Some(path) = testing::shared(&format!("wake/hey_jarvis-{number}.wav")) else { return };
            assert!(best(&testing::wav(&path)) >= 0.5, "hey_jarvis-{number}");
        }
    }
}
