//! Sound that holds no wake word: speech, what a television may sound like, and music-like sound, all computed.

use super::room::{Place, heard};
use crate::cli::random::Xorshift;
use crate::cli::studio::{SPEEDS, Studio, faster};
use hark_core::{Fault, SAMPLE_RATE_HZ};
use std::f32::consts::TAU;

/// Silence between sentences, seconds at most.
const PAUSE_S: f64 = 1.0;
/// A stretch of sound that is made at once, seconds.
pub(super) const STRETCH_S: usize = 30;
/// Notes of a scale, as steps of a twelfth of an octave.
const SCALE: [i32; 7] = [0, 2, 4, 5, 7, 9, 11];

/// Kinds of sound.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Material {
    /// Sentences one after the other, by changing speakers, near and far.
    Speech,
    /// Two people at once over music, in a room.
    Television,
    /// Chords, a tune and drums.
    Music,
}

/// Makes sound of a kind, stretch by stretch.
pub(super) struct Maker<'a> {
    pub(super) studio: &'a mut Studio,
    /// What is said, over and over.
    pub(super) texts: &'a [String],
    pub(super) next: usize,
}

impl Maker<'_> {
    /// The next stretch.
    ///
    /// # Errors
    /// When a voice fails.
    pub(super) fn stretch(&mut self, material: Material) -> Result<Vec<f32>, Fault> {
        let count = STRETCH_S * SAMPLE_RATE_HZ as usize;
        match material {
            Material::Speech => {
                let said = self.said(count)?;
                let random = &mut self.studio.random;
                let metres = 0.5 + 2.5 * random.unit();
                Ok(heard(&said, Place { rt60: 0.3 + 0.5 * random.unit(), metres, snr_db: 25.0 }, random))
            }
            Material::Television => {
                let (first, second) = (self.said(count)?, self.said(count)?);
                let music = music(count, &mut self.studio.random);
                // Now one is louder, now the other.
                let gain = hark_audio::amplitude_of_db(-12.0 * self.studio.random.unit() as f32);
                let under = hark_audio::amplitude_of_db(-15.0 + 12.0 * self.studio.random.unit() as f32);
                let mixed: Vec<f32> = (0..count)
                    .map(|at| {
                        let of = |sound: &[f32]| sound.get(at).copied().unwrap_or_default();
                        of(&first) + gain * of(&second) + under * of(&music)
                    })
                    .collect();
                let random = &mut self.studio.random;
                Ok(heard(&mixed, Place { rt60: 0.5, metres: 2.5, snr_db: 25.0 }, random))
            }
            Material::Music => {
                let random = &mut self.studio.random;
                let music = music(count, random);
                Ok(heard(&music, Place { rt60: 0.4, metres: 1.5, snr_db: 30.0 }, random))
            }
        }
    }

    /// Sentences until there are so many samples, each peak the same.
    fn said(&mut self, count: usize) -> Result<Vec<f32>, Fault> {
        let mut out: Vec<f32> = Vec::with_capacity(count);
        while out.len() < count {
            let text = &self.texts[self.next % self.texts.len()];
            let voice = self.studio.random.below(self.studio.voices() as u64) as usize;
            let speed = SPEEDS[self.studio.random.below(SPEEDS.len() as u64) as usize];
            let said = faster(&self.studio.say(voice, text)?, speed);
            let peak = said.iter().fold(1e-6_f32, |peak, sample| peak.max(sample.abs()));
            out.extend(said.iter().map(|sample| 0.5 * sample / peak));
            let pause = (self.studio.random.unit() * PAUSE_S * f64::from(SAMPLE_RATE_HZ)) as usize;
            out.extend(std::iter::repeat_n(0.0, pause));
            self.next += 1;
        }
        out.truncate(count);
        Ok(out)
    }
}

/// A tune over chords with drums: harmonics that move as voices do, and noise that knocks.
fn music(count: usize, random: &mut Xorshift) -> Vec<f32> {
    let rate = SAMPLE_RATE_HZ as f32;
    let beat = (rate * (0.35 + 0.3 * random.unit() as f32)) as usize;
    let root = 110.0 * 2.0_f32.powf(random.below(12) as f32 / 12.0);
    let pitch = |step: i32| {
        let octave = step.div_euclid(SCALE.len() as i32);
        let tone = SCALE[step.rem_euclid(SCALE.len() as i32) as usize];
        root * 2.0_f32.powf(octave as f32 + tone as f32 / 12.0)
    };
    let mut out = vec![0.0_f32; count];
    for (number, bar) in out.chunks_mut(beat).enumerate() {
        let chord = if number % 4 == 0 { random.below(7) as i32 } else { number as i32 % 5 };
        let tune = pitch(7 + random.below(10) as i32);
        let brightness = 0.4 + 0.5 * random.unit() as f32;
        let phases: Vec<f32> = (0..12).map(|_| random.unit() as f32 * TAU).collect();
        for (at, sample) in bar.iter_mut().enumerate() {
            let seconds = at as f32 / rate;
            let fall = (-3.0 * seconds).exp();
            let chords: f32 =
                (0..3).map(|k| (TAU * pitch(chord + 2 * k) * seconds + phases[k as usize]).sin()).sum();
            let wobble = 1.0 + 0.01 * (TAU * 5.5 * seconds).sin();
            let sung: f32 = (1..=8_u8)
                .map(|k| {
                    let k = f32::from(k);
                    brightness.powf(k)
                        * (TAU * tune * wobble * k * seconds + phases[3 + k as usize % 8]).sin()
                })
                .sum();
            let knock = (random.unit() as f32 - 0.5) * (-40.0 * seconds).exp();
            *sample += 0.15 * chords * fall + 0.25 * sung * fall.sqrt() + 0.5 * knock;
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn music_goes_on_changing_and_is_not_too_loud() {
        let sound = music(5 * SAMPLE_RATE_HZ as usize, &mut Xorshift(5));
        let peak = sound.iter().fold(0.0_f32, |peak, sample| peak.max(sample.abs()));
        assert!((0.2..4.0).contains(&peak), "{peak}");
        let second = SAMPLE_RATE_HZ as usize;
        assert_ne!(sound[..second], sound[second..2 * second]);
    }
}
