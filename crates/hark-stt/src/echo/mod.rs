//! Acoustic echo cancellation: removes what the loudspeaker plays from the microphone's signal. [`EchoStage`] is owned by
//! the pipeline's thread and runs before the audio pipeline.
//!
//! The reference is the signal handed to the output device, after volume and ducking, with its time stamps. `far_end`
//! buffers it, `alignment` maps microphone samples to loudspeaker frames (with `delay_estimator` and `drift_tracker`),
//! and `canceller` (AEC3) subtracts the echo. AEC3 gets one block of each side in turn, so it never sees jitter; it
//! searches for the echo from 0 to 500 ms behind its reference. `post_processing` adds noise suppression and gain control.
//!
//! While nothing is played the canceller rests, keeps its filter, and the samples pass with the same delay. They also
//! pass while the microphone does not pick up the loudspeaker (`coupling`); the canceller goes on learning then.

mod alignment;
mod canceller;
mod coupling;
mod delay_estimator;
mod drift_tracker;
mod far_end;
mod post_processing;
#[cfg(test)]
mod tests;

use crate::audio_history::AudioHistory;
use alignment::Alignment;
use canceller::{BLOCK, Canceller};
use coupling::Coupling;
use delay_estimator::{DelayEstimator, MAX_DELAY_SAMPLES, MICROPHONE_SAMPLES, REFERENCE_SAMPLES};
use far_end::FarEnd;
use hark_config::echo::Echo;
use hark_core::SAMPLE_RATE_HZ;
use post_processing::PostProcessing;
use std::time::Instant;

/// How long after the last sound of the loudspeaker its echo may still be heard, in blocks of 4 ms.
const ECHO_TAIL_BLOCKS: u32 = 75;

/// Power of the loudspeaker's signal from which the canceller learns: −50 dB of full scale.
const MIN_LEARNING_POWER: f32 = 1e-5;

/// How long it takes the canceller to know a room: 1.5 s of sound.
const LEARNING_BLOCKS: u32 = 375;

/// How much of that it takes when only the place had to be set anew: half a second.
const SETTLING_BLOCKS: u32 = 125;

/// How often the echo is looked for in the sound: every 128 ms.
const ESTIMATE_BLOCKS: u32 = 32;

/// Echo is looked for in the cleaned sound while more than this part of the microphone's power is left in it: less than
/// 15 dB were taken out.
const MIN_LEAK_CHECK_SHARE: f32 = 0.03;

/// From this part of the cleaned power on, the loudspeaker's sound in it is a leak. Beside a person it was 0.02 at most.
const MIN_LEAK_SHARE: f32 = 0.1;

/// Lags that differ by less, in samples, are of the same echo.
const SAME_LAG_TOLERANCE: f64 = 16.0;

/// How long after a leak was found more of it may come: 300 ms.
const LEAK_BLOCKS: u32 = 75;

/// Blocks over which levels are averaged: 160 ms.
const LEVEL_BLOCKS: f32 = 40.0;

/// A piece of what the loudspeaker plays.
#[derive(Debug, Clone, Copy)]
pub struct Played<'a> {
    /// Number of its first frame, counted from the start of the stream.
    pub first: u64,
    /// How many frames it has.
    pub frames: usize,
    /// When its first frame sounds.
    pub sounds_at: Instant,
    /// Its samples, mono at the device's rate; empty for silence.
    pub samples: &'a [f32],
}

/// What the echo stage knows about the sound it gave out last.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EchoReport {
    /// Whether what the loudspeaker plays, or its reverberation, may be in these samples.
    pub playing: bool,
    /// Whether the canceller does not know the echo's way yet: some of it may be left. That is so for
    /// the first second and a half that is played after the start, and whenever the delay has changed.
    pub learning: bool,
    /// Whether echo was found in these samples, or in those up to 300 ms before.
    pub leaking: bool,
    /// Levels over the last 160 ms in dB of full scale: the loudspeaker's signal, the microphone's, and
    /// what is left of the microphone's.
    pub played_db: f32,
    pub heard_db: f32,
    pub cleaned_db: f32,
    /// How far behind its reference the canceller finds the echo, in ms.
    pub delay_ms: i32,
    /// Speed of the loudspeaker's clock against the microphone's, in parts per million.
    pub drift_ppm: f32,
    /// How often the streams had to be aligned anew since the loudspeaker was opened.
    pub realigned: u64,
}

impl EchoReport {
    /// How sure it is that some of the echo is still in the samples.
    pub fn residual(&self) -> ResidualEcho {
        match (self.playing, self.leaking, self.learning) {
            (true, true, _) => ResidualEcho::Found,
            (true, false, true) => ResidualEcho::Possible,
            _ => ResidualEcho::None,
        }
    }
}

/// Whether cleaned samples still hold some of the loudspeaker's echo.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ResidualEcho {
    /// Hardly any.
    None,
    /// It may be, because the canceller is still learning the room.
    Possible,
    /// It was found in them.
    Found,
}

/// The stage between the capture ring and the pipeline.
pub struct EchoStage {
    /// `None` when the stage is switched off.
    canceller: Option<Canceller>,
    far: FarEnd,
    alignment: Alignment,
    finder: DelayEstimator,
    /// What the microphone heard last, and the loudspeaker's sound that it is compared with.
    heard: AudioHistory,
    compared: Box<[f32; REFERENCE_SAMPLES]>,
    unlooked_blocks: u32,
    /// `heard` without its echo, and for how many blocks some of the echo is reckoned with in it.
    cleaned: AudioHistory,
    leaking_blocks: u32,
    /// One for each of the two forms of the sound.
    post_processing: Option<[PostProcessing; 2]>,
    /// What was given out last, for its words.
    words: Vec<f32>,
    /// What the loudspeaker played meanwhile.
    played: Vec<f32>,
    rest_after_blocks: u32,
    /// Blocks since the loudspeaker was last heard in the reference.
    quiet_blocks: u32,
    /// How the last block was made.
    mode: Mode,
    /// What does not fill a block yet.
    pending: Vec<f32>,
    /// The last block heard: while resting it is given out a block later, as the canceller would.
    past: [f32; BLOCK],
    /// Whether `past` holds sound that was not given out yet.
    begun: bool,
    /// Blocks in which the canceller had something loud enough to learn from.
    learned_blocks: u32,
    /// The delay for which it learned, and how often the place had been set anew by then.
    learned_for: ((i32, i32), u64),
    levels: Levels,
    coupling: Coupling,
    /// Part of the samples as they came in what is given out: 0 cancelled, 1 untouched.
    untouched: f32,
}

/// How a block is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    /// The canceller rests.
    Resting,
    /// Its first block after a rest: what it gives out is left over from before.
    Waking,
    /// Its second one: faded over.
    FadingIn,
    Cancelling,
    /// Its last one before a rest: faded over.
    FadingOut,
}

/// Mean squares over some blocks.
#[derive(Debug, Clone, Copy, Default)]
struct Levels {
    played: f32,
    heard: f32,
    cleaned: f32,
}

impl EchoStage {
    /// A stage that has not heard of any loudspeaker yet.
    pub fn new(config: &Echo) -> Self {
        Self {
            canceller: config.enabled.then(Canceller::new),
            far: FarEnd::new(SAMPLE_RATE_HZ),
            alignment: Alignment::new(),
            finder: DelayEstimator::new(),
            heard: AudioHistory::new(MICROPHONE_SAMPLES),
            compared: Box::new([0.0; REFERENCE_SAMPLES]),
            unlooked_blocks: 0,
            cleaned: AudioHistory::new(MICROPHONE_SAMPLES),
            leaking_blocks: 0,
            post_processing: PostProcessing::new(config)
                .zip(PostProcessing::new(config))
                .map(<[PostProcessing; 2]>::from),
            words: Vec::with_capacity(BLOCK * 32),
            played: Vec::with_capacity(BLOCK * 32),
            rest_after_blocks: config.rest_after_ms / 4,
            quiet_blocks: u32::MAX,
            mode: Mode::Resting,
            pending: Vec::with_capacity(BLOCK * 32),
            past: [0.0; BLOCK],
            begun: false,
            learned_blocks: 0,
            learned_for: ((0, 0), 0),
            levels: Levels::default(),
            coupling: Coupling::default(),
            untouched: 0.0,
        }
    }

    /// A loudspeaker was opened, or opened again: its stream begins with frame 0.
    pub fn speaker_opened(&mut self, rate_hz: u32) {
        self.far = FarEnd::new(rate_hz);
        self.alignment.begin_anew();
        self.coupling = Coupling::default();
    }

    /// Takes a piece of what the loudspeaker plays. To be called with everything there is before
    /// [`EchoStage::process`].
    pub fn played(&mut self, piece: &Played<'_>) {
        self.far.push(piece.first, piece.frames, piece.samples);
        self.alignment.sounds(piece.first, piece.sounds_at);
    }

    /// Cleans what the microphone brought, 16 kHz mono, in place. `captured_until` is when the last of
    /// the samples was captured; without it (a recording) they pass untouched.
    ///
    /// Every sample comes out once, 4 ms late, in blocks of 4 ms: less than that waits for the next call.
    /// With noise suppression or gain control the blocks are of 10 ms.
    pub fn process(&mut self, samples: &mut Vec<f32>, captured_until: Option<Instant>) {
        let (true, Some(captured_until)) = (self.canceller.is_some(), captured_until) else {
            self.pass(samples);
            return;
        };
        self.words.clear();
        self.played.clear();
        if samples.is_empty() {
            return;
        }
        self.begun = true;
        let mut pending = std::mem::take(&mut self.pending);
        pending.append(samples);
        let resting = self.mode == Mode::Resting;
        self.alignment.captured(captured_until, pending.len(), resting, &self.far);
        let (blocks, _) = pending.as_chunks::<BLOCK>();
        for heard in blocks {
            self.block(heard, samples);
        }
        let done = blocks.len() * BLOCK;
        pending.drain(..done);
        self.pending = pending;
        self.note_learning();
        if let Some([post_processing, of_words]) = &mut self.post_processing {
            post_processing.process(samples);
            of_words.process(&mut self.words);
        }
    }

    /// Appends one block cleaned, in both forms, and what the loudspeaker played meanwhile.
    fn block(&mut self, heard: &[f32; BLOCK], samples: &mut Vec<f32>) {
        if self.alignment.take_moved() {
            self.coupling.place_moved();
        }
        let (mut played, mut cleaned, mut words) = ([0.0; BLOCK], [0.0; BLOCK], [0.0; BLOCK]);
        let sound = match self.alignment.next(BLOCK, &self.far) {
            Some((place, step)) => self.far.read(place, step, &mut played),
            None => false,
        };
        self.quiet_blocks = if sound { 0 } else { self.quiet_blocks.saturating_add(1) };
        self.mode = self.mode.next(self.quiet_blocks > self.rest_after_blocks);
        let passed = std::mem::replace(&mut self.past, *heard);
        if self.mode != Mode::Resting
            && let Some(canceller) = &mut self.canceller
        {
            canceller.expect_delay(self.alignment.lead_ms());
            canceller.process(&played, heard, &mut cleaned, &mut words);
            let learns = self.levels.played > MIN_LEARNING_POWER && self.learned_blocks < LEARNING_BLOCKS;
            self.learned_blocks += u32::from(learns);
        }
        let part = if self.coupling.is_free() { 1.0 } else { 0.0 };
        let step = (part - std::mem::replace(&mut self.untouched, part)) / BLOCK as f32;
        for block in [&mut cleaned, &mut words] {
            self.mode.mix(&passed, block);
            for (index, (into, past)) in block.iter_mut().zip(&passed).enumerate() {
                let part = part - step * (BLOCK - index) as f32;
                *into += (past - *into) * part;
            }
        }
        self.levels.add(&played, heard, &cleaned);
        self.coupling.block(power(&played), power(heard));
        self.heard.push(heard);
        self.cleaned.push(&cleaned);
        self.leaking_blocks = self.leaking_blocks.saturating_sub(1);
        self.unlooked_blocks += 1;
        if self.unlooked_blocks >= ESTIMATE_BLOCKS && self.levels.played > MIN_LEARNING_POWER {
            self.unlooked_blocks = 0;
            self.estimate_delay();
        }
        samples.extend_from_slice(&cleaned);
        self.words.extend_from_slice(&words);
        self.played.extend_from_slice(&played);
    }

    /// What the canceller learned counts for less where the echo comes another way now.
    fn note_learning(&mut self) {
        let delay_ms = self.canceller.as_ref().map_or(0, Canceller::delay_ms);
        let (way, jumps) = ((delay_ms, self.alignment.lead_ms()), self.alignment.moves());
        if way != self.learned_for.0 {
            self.learned_blocks = 0;
        } else if jumps != self.learned_for.1 {
            self.learned_blocks = self.learned_blocks.min(LEARNING_BLOCKS - SETTLING_BLOCKS);
        }
        self.learned_for = (way, jumps);
    }

    /// Looks for the echo in what the microphone heard last, and tells the alignment where it is; and whether it is
    /// also in what was given out.
    fn estimate_delay(&mut self) {
        let Some((place, step)) = self.alignment.place(&self.far) else { return };
        self.far.read(
            place - step * (MAX_DELAY_SAMPLES + MICROPHONE_SAMPLES) as f64,
            step,
            &mut *self.compared,
        );
        self.finder.set_played(&self.compared);
        let mut recent = Vec::new();
        self.heard.copy(0, u64::MAX, &mut recent);
        let Some(heard_lag) = self.finder.find(&recent) else { return };
        if self.levels.cleaned > self.levels.heard * MIN_LEAK_CHECK_SHARE && !self.coupling.is_free() {
            self.cleaned.copy(0, u64::MAX, &mut recent);
            // Two equal delays in a row: when a person begins to speak, a false delay may be found once.
            let same = |lag: &f64| (lag - heard_lag - BLOCK as f64).abs() < SAME_LAG_TOLERANCE;
            let lag = self.finder.find(&recent).filter(same);
            if lag.is_some_and(|lag| delay_estimator::share(&*self.compared, &recent, lag) > MIN_LEAK_SHARE) {
                tracing::debug!("residual echo was found");
                self.leaking_blocks = LEAK_BLOCKS;
            }
        }
        self.alignment.echo(heard_lag, &self.far);
    }

    /// The samples that [`EchoStage::process`] gave out last, for what was said: what a linear filter
    /// explains of the loudspeaker is missing from them, but nothing of a person who spoke meanwhile, as
    /// it is from those. Without an echo they are the same.
    pub fn words(&self) -> &[f32] {
        &self.words
    }

    /// What the loudspeaker played, 16 kHz mono, while the samples were captured that
    /// [`EchoStage::process`] gave out last, give or take a block; empty when that is not known.
    pub fn played_meanwhile(&self) -> &[f32] {
        &self.played
    }

    /// Lets samples through as they are; whatever waited comes first.
    fn pass(&mut self, samples: &mut Vec<f32>) {
        let new = std::mem::take(samples);
        self.words.clear();
        self.played.clear();
        if let Some([post_processing, of_words]) = &mut self.post_processing {
            post_processing.give_up(samples);
            of_words.give_up(&mut self.words);
        }
        let begun = std::mem::take(&mut self.begun).then(|| std::mem::replace(&mut self.past, [0.0; BLOCK]));
        let waiting = std::mem::take(&mut self.pending);
        for into in [samples, &mut self.words] {
            into.extend(begun.iter().flatten());
            into.extend_from_slice(&waiting);
            into.extend_from_slice(&new);
        }
    }

    /// Whether what the loudspeaker plays, or its reverberation, may be in what came out last.
    pub fn is_playing(&self) -> bool {
        self.quiet_blocks <= ECHO_TAIL_BLOCKS
    }

    /// What is known about what came out last.
    pub fn report(&self) -> EchoReport {
        EchoReport {
            playing: self.is_playing(),
            learning: self.learned_blocks < LEARNING_BLOCKS && !self.coupling.is_free(),
            leaking: self.leaking_blocks > 0,
            played_db: decibels(self.levels.played),
            heard_db: decibels(self.levels.heard),
            cleaned_db: decibels(self.levels.cleaned),
            delay_ms: self.canceller.as_ref().map_or(0, Canceller::delay_ms),
            drift_ppm: self.alignment.drift_ppm() as f32,
            realigned: self.alignment.jumps(),
        }
    }
}

impl Mode {
    /// How the next block is made.
    fn next(self, resting: bool) -> Self {
        match (self, resting) {
            (Self::Cancelling, true) => Self::FadingOut,
            (_, true) => Self::Resting,
            (Self::Resting, false) => Self::Waking,
            (Self::Waking, false) => Self::FadingIn,
            (Self::FadingIn | Self::Cancelling | Self::FadingOut, false) => Self::Cancelling,
        }
    }

    /// Makes the block of what passed by and what was cleaned.
    fn mix(self, passed: &[f32; BLOCK], cleaned: &mut [f32; BLOCK]) {
        match self {
            Self::Cancelling => {}
            Self::Resting | Self::Waking => *cleaned = *passed,
            Self::FadingIn | Self::FadingOut => {
                for (index, (into, past)) in cleaned.iter_mut().zip(passed).enumerate() {
                    let so_far = index as f32 / BLOCK as f32;
                    let part = if self == Self::FadingIn { so_far } else { 1.0 - so_far };
                    *into = past + (*into - past) * part;
                }
            }
        }
    }
}

impl Levels {
    fn add(&mut self, played: &[f32], heard: &[f32], cleaned: &[f32]) {
        for (level, samples) in
            [(&mut self.played, played), (&mut self.heard, heard), (&mut self.cleaned, cleaned)]
        {
            *level += (power(samples) - *level) / LEVEL_BLOCKS;
        }
    }
}

/// Mean square.
fn power(samples: &[f32]) -> f32 {
    samples.iter().map(|sample| sample * sample).sum::<f32>() / samples.len() as f32
}

fn decibels(power: f32) -> f32 {
    10.0 * power.max(1e-12).log10()
}
