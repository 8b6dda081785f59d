//! How the last sounds before a pause were said: level and pitch against those of the seconds before. Who goes on tends to hold
//! or raise the pitch and the level; who is done lets both fall.

use hark_core::SAMPLE_RATE_HZ;
use serde::{Deserialize, Serialize};

/// Pitch is looked for in sound of half the rate: half the samples, half the lags.
const STEP: usize = 2;
const RATE_HZ: usize = SAMPLE_RATE_HZ as usize / STEP;
/// Samples from one frame to the next (10 ms), at half the rate.
const HOP: usize = RATE_HZ / 100;
/// Samples of a frame: more than two periods of the lowest pitch.
const FRAME: usize = RATE_HZ * 32 / 1000;
/// Voices from 70 to 400 Hz.
const LAGS: std::ops::RangeInclusive<usize> = RATE_HZ / 400..=RATE_HZ / 70;
/// From this correlation with itself a frame is voiced.
const VOICED: f32 = 0.55;
/// A frame so far below the loudest is no speech.
const QUIET_DB: f32 = 30.0;
/// Frames at the end that are compared with those before.
const LAST_FRAMES: usize = 20;
/// Voiced frames from which on a slope is told.
const MIN_SLOPE_FRAMES: usize = 6;

/// How the last sounds were said. 0 where nothing can be told.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Prosody {
    /// Level of the last 200 ms of speech against the median before, in dB; negative when it fell.
    pub level_db: f32,
    /// Pitch of the last 200 ms against the median, in semitones.
    pub pitch_semitones: f32,
    /// How the pitch moves in the last 300 ms that are voiced, in semitones per 100 ms.
    pub pitch_slope: f32,
    /// How long the last sound was held, without a stop or a change of voicing, in milliseconds.
    pub last_sound_ms: u64,
}

struct Frame {
    level_db: f32,
    /// In semitones over 1 Hz; `None` when it is not voiced.
    pitch: Option<f32>,
}

impl Prosody {
    /// Measures sound up to the end of speech: 16 kHz mono, best the last two seconds.
    pub fn of(sound: &[f32]) -> Self {
        let half: Vec<f32> =
            sound.chunks_exact(STEP).map(|pair| pair.iter().sum::<f32>() / STEP as f32).collect();
        let mut frames: Vec<Frame> = half.windows(FRAME).step_by(HOP).map(frame).collect();
        let loudest = frames.iter().map(|frame| frame.level_db).fold(f32::MIN, f32::max);
        let is_speech = |frame: &Frame| frame.level_db > loudest - QUIET_DB;
        frames.truncate(frames.iter().rposition(is_speech).map_or(0, |last| last + 1));
        let (before, last) = frames.split_at(frames.len().saturating_sub(LAST_FRAMES));
        let levels = |frames: &[Frame]| {
            median(frames.iter().filter(|frame| is_speech(frame)).map(|frame| frame.level_db))
        };
        let pitches = |frames: &[Frame]| median(frames.iter().filter_map(|frame| frame.pitch));
        let against = |last: Option<f32>, before: Option<f32>| {
            last.zip(before).map_or(0.0, |(last, before)| last - before)
        };
        let is_voiced = |frame: &Frame| frame.pitch.is_some();
        let ends_voiced = frames.last().is_some_and(is_voiced);
        let held = frames
            .iter()
            .rev()
            .take_while(|frame| is_speech(frame) && is_voiced(frame) == ends_voiced)
            .count();
        Self {
            level_db: against(levels(last), levels(before)),
            pitch_semitones: against(pitches(last), pitches(&frames)),
            pitch_slope: slope(&frames[frames.len().saturating_sub(LAST_FRAMES * 3 / 2)..]),
            last_sound_ms: 10 * held as u64,
        }
    }
}

/// Level and pitch of a frame: the pitch is where it is most like itself later.
fn frame(samples: &[f32]) -> Frame {
    let power = samples.iter().map(|sample| sample * sample).sum::<f32>() / samples.len() as f32;
    let level_db = 10.0 * power.max(1e-12).log10();
    let kept = FRAME - LAGS.end();
    let energy = |part: &[f32]| part.iter().map(|sample| sample * sample).sum::<f32>();
    let likeness = |lag: usize| {
        let (now, later) = (&samples[..kept], &samples[lag..lag + kept]);
        let product: f32 = now.iter().zip(later).map(|(now, later)| now * later).sum();
        product / (energy(now) * energy(later)).sqrt().max(1e-9)
    };
    let likenesses: Vec<f32> = LAGS.map(likeness).collect();
    let best = likenesses.iter().copied().fold(0.0, f32::max);
    // Twice the period is as like; the first that is nearly the best is the period.
    let period = likenesses.iter().position(|likeness| *likeness > 0.9 * best).map(|at| at + LAGS.start());
    let pitch = period.filter(|_| best > VOICED).map(|period| 12.0 * (RATE_HZ as f32 / period as f32).log2());
    Frame { level_db, pitch }
}

fn median(values: impl Iterator<Item = f32>) -> Option<f32> {
    let mut values: Vec<f32> = values.collect();
    values.sort_by(f32::total_cmp);
    values.get(values.len() / 2).copied()
}

/// Slope of the pitch by least squares, in semitones per 100 ms (ten frames).
fn slope(frames: &[Frame]) -> f32 {
    let voiced = frames.iter().zip(0_u16..).filter_map(|(frame, at)| Some((f32::from(at), frame.pitch?)));
    let points: Vec<(f32, f32)> = voiced.collect();
    if points.len() < MIN_SLOPE_FRAMES {
        return 0.0;
    }
    let count = points.len() as f32;
    let mean = |of: fn(&(f32, f32)) -> f32| points.iter().map(of).sum::<f32>() / count;
    let (middle, pitch) = (mean(|point| point.0), mean(|point| point.1));
    let along: f32 = points.iter().map(|(at, value)| (at - middle) * (value - pitch)).sum();
    let spread: f32 = points.iter().map(|(at, _)| (at - middle).powi(2)).sum();
    10.0 * along / spread.max(1e-6)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Harmonics of a pitch that moves from one frequency to another, at a level that does, too.
    fn tone(from_hz: f32, to_hz: f32, (from, to): (f32, f32), ms: usize) -> Vec<f32> {
        let count = ms * 16;
        let mut phase = 0.0_f32;
        (0..count)
            .map(|at| {
                let share = at as f32 / count as f32;
                phase += (from_hz + (to_hz - from_hz) * share) / SAMPLE_RATE_HZ as f32;
                let wave: f32 = (1..6_u8).map(|n| (std::f32::consts::TAU * phase * f32::from(n)).sin()).sum();
                0.1 * (from + (to - from) * share) * wave
            })
            .collect()
    }

    #[test]
    fn a_falling_end_is_told_from_a_rising_one() {
        let even = tone(120.0, 120.0, (1.0, 1.0), 1200);
        let falling = Prosody::of(&[even.clone(), tone(120.0, 85.0, (1.0, 0.2), 300)].concat());
        let rising = Prosody::of(&[even.clone(), tone(120.0, 170.0, (1.0, 1.0), 300)].concat());
        assert!(falling.pitch_semitones < -1.5 && falling.pitch_slope < -1.0, "{falling:?}");
        assert!(falling.level_db < -3.0, "{falling:?}");
        assert!(rising.pitch_semitones > 1.5 && rising.pitch_slope > 1.0, "{rising:?}");
        assert!(rising.level_db.abs() < 1.0, "{rising:?}");
        assert!((1300..=1520).contains(&rising.last_sound_ms), "{rising:?}");
    }

    #[test]
    fn silence_and_too_little_sound_tell_nothing() {
        for sound in [vec![], vec![0.0; 100], vec![0.0; 32_000]] {
            let told = Prosody::of(&sound);
            assert_eq!(
                (told.level_db, told.pitch_semitones, told.pitch_slope),
                (0.0, 0.0, 0.0),
                "{}",
                sound.len()
            );
        }
    }

    #[test]
    fn what_is_quiet_behind_the_speech_is_left_out() {
        let speech = tone(150.0, 150.0, (1.0, 1.0), 800);
        let quiet: Vec<f32> = speech[..3200].iter().map(|sample| sample * 0.001).collect();
        let (alone, both) = (Prosody::of(&speech), Prosody::of(&[speech, quiet].concat()));
        assert!(both.last_sound_ms.abs_diff(alone.last_sound_ms) <= 40, "{alone:?} {both:?}");
    }
}
