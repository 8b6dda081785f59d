//! Sounds in which nobody speaks, computed: what a recogniser must make no words of.

use hark_core::SAMPLE_RATE_HZ;
use std::f32::consts::TAU;

/// Lengths, seconds.
const SECONDS: [f32; 3] = [0.6, 2.0, 5.0];
/// Levels of noise, dB of full scale.
const LEVELS_DB: [f32; 3] = [-50.0, -35.0, -20.0];

/// Each with its name.
pub(crate) fn sounds() -> Vec<(String, Vec<f32>)> {
    let mut sounds = Vec::new();
    for seconds in SECONDS {
        for level_db in LEVELS_DB {
            let gain = hark_audio::amplitude_of_db(level_db);
            for (name, shape) in SHAPES {
                let count = (seconds * SAMPLE_RATE_HZ as f32) as usize;
                let samples = shape(count).into_iter().map(|sample| sample * gain).collect();
                sounds.push((format!("{name}, {seconds} s, {level_db} dB"), samples));
            }
        }
        sounds.push((
            format!("digital silence, {seconds} s"),
            vec![0.0; (seconds * SAMPLE_RATE_HZ as f32) as usize],
        ));
    }
    sounds
}

type Shape = fn(usize) -> Vec<f32>;

const SHAPES: [(&str, Shape); 5] =
    [("hiss", hiss), ("rumble", rumble), ("mains hum", hum), ("melody", melody), ("knocking", knocking)];

fn hiss(count: usize) -> Vec<f32> {
    // A generator of Marsaglia's (xorshift): the same noise each time.
    let mut state = 0x2545_f491_u32;
    let next = |_| {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        state as f32 / u32::MAX as f32 * 2.0 - 1.0
    };
    (0..count).map(next).collect()
}

/// As of traffic or a ventilator.
fn rumble(count: usize) -> Vec<f32> {
    let mut level = 0.0;
    let low = hiss(count).into_iter().map(|sample| {
        level = level * 0.98 + sample * 0.2;
        level
    });
    low.collect()
}

fn at(sample: usize) -> f32 {
    sample as f32 / SAMPLE_RATE_HZ as f32
}

fn hum(count: usize) -> Vec<f32> {
    let tone =
        |n| (1..=5_u8).map(|k| (TAU * 50.0 * f32::from(k) * at(n)).sin() / f32::from(k)).sum::<f32>() / 2.0;
    (0..count).map(tone).collect()
}

/// Plucked notes of a scale, three at a time.
fn melody(count: usize) -> Vec<f32> {
    const SCALE: [f32; 6] = [261.6, 329.6, 392.0, 523.3, 440.0, 349.2];
    const NOTE_S: f32 = 0.3;
    let tone = |n| {
        let (note, since) = ((at(n) / NOTE_S) as usize, at(n) % NOTE_S);
        (0..3).map(|k| (TAU * SCALE[(note + 2 * k) % SCALE.len()] * at(n)).sin()).sum::<f32>() / 3.0
            * (-4.0 * since).exp()
    };
    (0..count).map(tone).collect()
}

fn knocking(count: usize) -> Vec<f32> {
    let hiss = hiss(count);
    hiss.into_iter().enumerate().map(|(n, sample)| sample * (-60.0 * (at(n) % 0.25)).exp()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_sound_has_its_length_and_level() {
        let sounds = sounds();
        assert_eq!(sounds.len(), SECONDS.len() * (LEVELS_DB.len() * SHAPES.len() + 1));
        for (name, samples) in sounds {
            let peak = samples.iter().fold(0.0_f32, |peak, sample| peak.max(sample.abs()));
            assert!(peak < 0.5 && (peak > 0.001) != name.starts_with("digital"), "{name}: {peak}");
        }
    }
}
