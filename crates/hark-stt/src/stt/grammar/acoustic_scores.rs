//! Acoustic scores of an utterance: log densities of every phone's senones by frame, computed as sound comes in.
//!
//! Only the few densities of a codebook that are nearest to the frame matter. They are found once, and every senone of
//! the phone is then a small sum over them. A phone loop (any phones in any order) gives the score of unconstrained
//! speech, against which words are compared.

use super::acoustic_model::{AcousticModel, Gaussian, Phone, STATES, STREAMS};
use super::cepstra::Cepstrum;
use std::sync::Arc;

/// Densities kept of a codebook.
const TOP_DENSITIES: usize = 4;
/// Frames at the beginning from which the room's own sound is learnt, and how many of them are taken.
const NOISE_FRAMES: usize = 30;
const NOISE_QUIETEST_FRAMES: usize = 14;
/// Factor on the variances found in so few frames, and what is added to them.
const NOISE_VARIANCE_FACTOR: f32 = 2.0;
const NOISE_MIN_VARIANCE: f32 = 1.0;
/// What the room's own sound costs a frame, so that soft speech is not taken for it.
const NOISE_PENALTY: f32 = 3.0;
/// Frames after a frame that its feature needs.
const LOOKAHEAD_FRAMES: usize = 3;

/// The densities nearest to a frame, best first, and their log densities.
#[derive(Debug, Clone, Copy)]
struct Nearest {
    density: [u8; TOP_DENSITIES],
    log: [f32; TOP_DENSITIES],
}

/// What is known of the utterance so far.
pub(super) struct AcousticScores {
    model: Arc<AcousticModel>,
    cepstra: Vec<Cepstrum>,
    /// By frame, phone and stream.
    nearest: Vec<Nearest>,
    /// By frame: its score as the room's own sound.
    noise_scores: Vec<f32>,
    loop_states: Vec<[f32; STATES]>,
    /// Score of the best phones in any order, up to and with each frame.
    phone_loop: Vec<f32>,
    /// Model of the room's background noise, learnt from the quiet frames at the beginning.
    noise_model: Option<[Gaussian; STREAMS]>,
    /// Log probability of one phone after another in the loop.
    phone_penalty: f32,
}

impl AcousticScores {
    pub(super) fn new(model: Arc<AcousticModel>, phone_penalty: f32) -> Self {
        Self {
            model,
            cepstra: Vec::new(),
            nearest: Vec::new(),
            noise_scores: Vec::new(),
            loop_states: Vec::new(),
            phone_loop: Vec::new(),
            noise_model: None,
            phone_penalty,
        }
    }

    /// Forgets the last utterance.
    pub(super) fn start(&mut self) {
        self.cepstra.clear();
        self.nearest.clear();
        self.phone_loop.clear();
        self.noise_scores.clear();
        self.loop_states.clear();
        self.noise_model = None;
    }

    pub(super) fn model(&self) -> &AcousticModel {
        &self.model
    }

    /// Frames that have been scored.
    pub(super) fn frames(&self) -> usize {
        self.phone_loop.len()
    }

    /// Takes normalised cepstra in.
    pub(super) fn observe(&mut self, frames: &[Cepstrum]) {
        self.cepstra.extend_from_slice(frames);
        if self.noise_model.is_none() && self.cepstra.len() >= NOISE_FRAMES {
            self.learn_noise_model();
        }
        while self.frames() + LOOKAHEAD_FRAMES < self.cepstra.len() {
            self.score(self.frames());
        }
    }

    /// Scores the last frames, as if the last one went on.
    pub(super) fn end(&mut self) {
        while self.frames() < self.cepstra.len() {
            self.score(self.frames());
        }
    }

    /// Learns what the room sounds like from the quietest of the first frames, which lie before speech.
    fn learn_noise_model(&mut self) {
        let last = NOISE_FRAMES - LOOKAHEAD_FRAMES;
        let mut order: Vec<usize> = (LOOKAHEAD_FRAMES..last).collect();
        order.sort_by(|a, b| self.cepstra[*a][0].total_cmp(&self.cepstra[*b][0]));
        order.truncate(NOISE_QUIETEST_FRAMES);
        let features: Vec<[Cepstrum; STREAMS]> = order.iter().map(|frame| self.feature(*frame)).collect();
        let share = 1.0 / features.len() as f32;
        self.noise_model = Some(std::array::from_fn(|stream| {
            let mean: Cepstrum = std::array::from_fn(|value| {
                features.iter().map(|feature| feature[stream][value]).sum::<f32>() * share
            });
            let variance: Cepstrum = std::array::from_fn(|value| {
                let off = |feature: &[Cepstrum; STREAMS]| (feature[stream][value] - mean[value]).powi(2);
                NOISE_VARIANCE_FACTOR * features.iter().map(off).sum::<f32>() * share + NOISE_MIN_VARIANCE
            });
            Gaussian::new(&mean, &variance)
        }));
    }

    /// Log density of a frame in the room's own sound.
    fn noise_score(&self, frame: usize) -> Option<f32> {
        let feature = self.feature(frame);
        let room = self.noise_model.as_ref()?.iter().zip(&feature);
        Some(
            room.map(|(room, values)| log_density(room, values, f32::NEG_INFINITY)).sum::<f32>()
                - NOISE_PENALTY,
        )
    }

    /// Log density of a senone of `phone` in a frame.
    pub(super) fn senone(&self, frame: usize, phone: Phone, senone: u16) -> f32 {
        self.senone_score(frame, phone, senone, |logs| {
            let best = logs.iter().copied().fold(f32::NEG_INFINITY, f32::max);
            best + logs.iter().map(|log| (log - best).exp()).sum::<f32>().ln()
        })
    }

    /// Like `senone`, by its best density alone: never more, at most ln 4 a stream less, and without
    /// logarithms.
    pub(super) fn best_density_score(&self, frame: usize, phone: Phone, senone: u16) -> f32 {
        self.senone_score(frame, phone, senone, |logs| logs[0].max(logs[1]).max(logs[2]).max(logs[3]))
    }

    /// Sum over the streams of their densities' logarithms as `join` makes one of them.
    fn senone_score(
        &self,
        frame: usize,
        phone: Phone,
        senone: u16,
        join: impl Fn([f32; TOP_DENSITIES]) -> f32,
    ) -> f32 {
        let first = (frame * self.model.phone_count() + phone as usize) * STREAMS;
        let streams = self.nearest[first..first + STREAMS].iter().enumerate();
        let modelled = streams
            .map(|(stream, nearest)| {
                let log =
                    |at: usize| nearest.log[at] + self.model.weight(stream, nearest.density[at], senone);
                join(std::array::from_fn(log))
            })
            .sum();
        if phone == self.model.silence { f32::max(modelled, self.noise_scores[frame]) } else { modelled }
    }

    /// How well frames `from..to` can be explained by any phones.
    pub(super) fn phone_loop_score(&self, from: usize, to: usize) -> f32 {
        let before = |frame: usize| if frame == 0 { 0.0 } else { self.phone_loop[frame - 1] };
        before(to) - before(from)
    }

    /// By how much phones explain the part of frames `from..to` better than silence where that is most.
    pub(super) fn speech_beyond_silence(&self, from: usize, to: usize) -> f32 {
        let silence = self.model.silence;
        let senones = self.model.base(silence);
        let (mut most, mut here) = (0.0_f32, 0.0_f32);
        for frame in from..to {
            let quiet = senones.iter().map(|senone| self.senone(frame, silence, *senone));
            let gain = self.phone_loop_score(frame, frame + 1) - quiet.fold(f32::NEG_INFINITY, f32::max);
            here = (here + gain).max(0.0);
            most = most.max(here);
        }
        most
    }

    fn score(&mut self, frame: usize) {
        let feature = self.feature(frame);
        let model = self.model.clone();
        let width = model.phone_count() * STREAMS;
        for phone in 0..model.phone_count() {
            for (stream, values) in feature.iter().enumerate() {
                let before = (frame > 0).then(|| self.nearest[self.nearest.len() - width].density);
                self.nearest.push(nearest(&model, phone as Phone, stream, values, before));
            }
        }
        self.noise_scores.push(self.noise_score(frame).unwrap_or(f32::NEG_INFINITY));
        self.advance_phone_loop(frame);
    }

    /// Cepstra, slope and the slope's slope, `1s_c_d_dd` of SphinxBase; the first and last frame go on.
    fn feature(&self, frame: usize) -> [Cepstrum; STREAMS] {
        let last = self.cepstra.len() as i64 - 1;
        let at = |offset: i64| &self.cepstra[(frame as i64 + offset).clamp(0, last) as usize];
        let slope = |value: usize, offset: i64| at(offset + 2)[value] - at(offset - 2)[value];
        [
            *at(0),
            std::array::from_fn(|value| slope(value, 0)),
            std::array::from_fn(|value| slope(value, 1) - slope(value, -1)),
        ]
    }

    fn advance_phone_loop(&mut self, frame: usize) {
        let model = self.model.clone();
        let enter = match self.phone_loop.last() {
            Some(before) => before + self.phone_penalty,
            None => 0.0,
        };
        self.loop_states.resize(model.phone_count(), [f32::NEG_INFINITY; STATES]);
        let mut best = f32::NEG_INFINITY;
        for phone in 0..model.phone_count() {
            let senones = model.base(phone as Phone);
            let transitions = model.transitions(phone as Phone);
            let old = self.loop_states[phone];
            let new: [f32; STATES] = std::array::from_fn(|state| {
                let from = if state == 0 { enter } else { old[state - 1] + transitions[state - 1].go };
                from.max(old[state] + transitions[state].stay)
                    + self.best_density_score(frame, phone as Phone, senones[state])
            });
            self.loop_states[phone] = new;
            best = best.max(new[STATES - 1] + transitions[STATES - 1].go);
        }
        // The first frames cannot leave a phone of three states yet.
        let inside = self.loop_states.iter().flatten().copied().fold(f32::NEG_INFINITY, f32::max);
        self.phone_loop.push(if best.is_finite() { best } else { inside });
    }
}

/// The densities of a codebook nearest to a frame. `before` is where to look first: what was near the
/// frame before prunes the rest.
fn nearest(
    model: &AcousticModel,
    phone: Phone,
    stream: usize,
    values: &Cepstrum,
    before: Option<[u8; TOP_DENSITIES]>,
) -> Nearest {
    let codebook = model.codebook(phone, stream);
    let mut found = Nearest { density: [0; TOP_DENSITIES], log: [f32::NEG_INFINITY; TOP_DENSITIES] };
    let mut least = f32::NEG_INFINITY;
    if let Some(before) = before {
        let logs = before.map(|density| log_density(&codebook[density as usize], values, least));
        // A little below, so that they are found again in the walk over all.
        least = logs.iter().copied().fold(f32::INFINITY, f32::min) - 1e-3;
    }
    for (density, gaussian) in codebook.iter().enumerate() {
        let log = log_density(gaussian, values, least);
        if log <= least || log <= found.log[TOP_DENSITIES - 1] {
            continue;
        }
        let place = found.log.iter().position(|other| log > *other).unwrap_or(TOP_DENSITIES - 1);
        found.log.copy_within(place..TOP_DENSITIES - 1, place + 1);
        found.density.copy_within(place..TOP_DENSITIES - 1, place + 1);
        found.log[place] = log;
        found.density[place] = density as u8;
        least = least.max(found.log[TOP_DENSITIES - 1]);
    }
    found
}

/// Log density, given up early when it falls below `least`.
fn log_density(gaussian: &Gaussian, values: &Cepstrum, least: f32) -> f32 {
    let mut log = gaussian.peak;
    let dimensions = values.iter().zip(&gaussian.mean).zip(&gaussian.precision);
    for (place, ((value, mean), precision)) in dimensions.enumerate() {
        let off = value - mean;
        log -= off * off * precision;
        if place % 4 == 3 && log < least {
            return f32::NEG_INFINITY;
        }
    }
    log
}

#[cfg(test)]
mod tests {
    use super::super::test_scores::{AROUND, PHONE, frames, heard, model, phones};
    use super::*;

    #[test]
    fn a_phone_fits_its_own_sound_better_than_others() {
        let model = model();
        let sound = heard(&model, "stop");
        let [s, aa] = [phones(&model, "S")[0], phones(&model, "AA")[0]];
        let middle = |phone: Phone| model.base(phone)[1];
        let (in_s, in_aa) = (AROUND + PHONE / 2, AROUND + 2 * PHONE + PHONE / 2);
        assert!(sound.senone(in_s, s, middle(s)) > sound.senone(in_s, aa, middle(aa)) + 5.0);
        assert!(sound.senone(in_aa, aa, middle(aa)) > sound.senone(in_aa, s, middle(s)) + 5.0);
    }

    #[test]
    fn the_quick_score_lies_a_little_under_the_exact_one() {
        let model = model();
        let sound = heard(&model, "turn on");
        for frame in (0..sound.frames()).step_by(7) {
            for phone in 0..model.phone_count() as Phone {
                let senone = model.base(phone)[1];
                let gap = sound.senone(frame, phone, senone) - sound.best_density_score(frame, phone, senone);
                assert!((-1e-2..=STREAMS as f32 * 4f32.ln() + 1e-2).contains(&gap), "{frame} {phone}: {gap}");
            }
        }
    }

    #[test]
    fn what_anything_explains_adds_up() {
        let model = model();
        let sound = heard(&model, "turn off");
        let (middle, end) = (sound.frames() / 2, sound.frames());
        let sum = sound.phone_loop_score(0, middle) + sound.phone_loop_score(middle, end);
        assert!((sum - sound.phone_loop_score(0, end)).abs() < 0.1);
        assert_eq!(sound.phone_loop_score(middle, middle), 0.0);
    }

    #[test]
    fn frames_are_scored_when_what_follows_them_is_known_and_forgotten_at_the_start() {
        let model = model();
        let mut sound = AcousticScores::new(model.clone(), -2.0);
        let said = frames(&model, &phones(&model, "SIL SIL S AA"));
        sound.observe(&said[..20]);
        assert_eq!(sound.frames(), 20 - LOOKAHEAD_FRAMES);
        sound.observe(&said[20..]);
        sound.end();
        assert_eq!(sound.frames(), said.len());
        sound.start();
        assert_eq!(sound.frames(), 0);
        sound.end();
        assert_eq!(sound.frames(), 0);
    }

    #[test]
    fn the_noise_of_the_room_counts_as_silence() {
        let model = model();
        let silence = model.silence;
        let quiet = |noise: &[Cepstrum]| {
            let mut sound = AcousticScores::new(model.clone(), -2.0);
            sound.observe(noise);
            sound.end();
            sound.senone(noise.len() - 1, silence, model.base(silence)[1])
        };
        // A hum like a vowel, which the model's silence does not know.
        let hum = vec![frames(&model, &phones(&model, "AA"))[PHONE / 2]; 60];
        let learnt = quiet(&hum);
        let unknown = quiet(&hum[..NOISE_FRAMES - 1]);
        assert!(learnt > unknown + 20.0, "{learnt} {unknown}");
    }
}
