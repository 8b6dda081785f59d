//! Short sounds that Hark makes itself: two sines an octave apart under a soft envelope.
//!
//! They are no speech (no noise, no glides, nothing like a formant) and end within a second, so that
//! neither the wake word nor the recogniser takes them for a person.

use hark_core::audio::Earcon;
use std::f32::consts::{PI, TAU};

/// No sample is louder, so an earcon never startles next to speech.
pub const PEAK: f32 = 0.25;

/// The octave above is there only for colour.
const OVERTONE: f32 = 0.3;

/// Rise and fall of a note, so that it does not click.
const EDGE_MS: f32 = 12.0;

/// One note: pitch (0 for a rest) and length.
type Note = (f32, u32);

fn notes(earcon: Earcon) -> &'static [Note] {
    match earcon {
        Earcon::Wake => &[(587.3, 70), (880.0, 90)],
        Earcon::Done => &[(880.0, 60), (1174.7, 110)],
        // Lower notes lie where voices do, and voice activity took them for one.
        Earcon::Error => &[(784.0, 110), (0.0, 30), (587.3, 170)],
        Earcon::Timer => &[(784.0, 120), (0.0, 60), (784.0, 120), (0.0, 60), (1046.5, 260)],
    }
}

/// How long an earcon is, in milliseconds.
pub fn length_ms(earcon: Earcon) -> u64 {
    notes(earcon).iter().map(|(_, length_ms)| u64::from(*length_ms)).sum()
}

/// The samples of an earcon at `rate_hz`, mono, the same every time.
pub fn render(earcon: Earcon, rate_hz: u32) -> Vec<f32> {
    let mut samples = Vec::new();
    for &(pitch_hz, length_ms) in notes(earcon) {
        let count = (rate_hz as usize * length_ms as usize) / 1000;
        let edge = (rate_hz as f32 * EDGE_MS / 1000.0).max(1.0);
        samples.extend((0..count).map(|n| {
            let phase = TAU * pitch_hz * n as f32 / rate_hz as f32;
            let wave = (phase.sin() + OVERTONE * (2.0 * phase).sin()) / (1.0 + OVERTONE);
            let from_edge = (n.min(count - 1 - n) as f32 / edge).min(1.0);
            let envelope = 0.5 - 0.5 * (PI * from_edge).cos();
            // Notes die away a little, as struck things do.
            PEAK * wave * envelope * (1.0 - 0.6 * n as f32 / count as f32)
        }));
    }
    samples
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn are_short_soft_and_begin_and_end_in_silence() {
        for earcon in [Earcon::Wake, Earcon::Done, Earcon::Error, Earcon::Timer] {
            for rate_hz in [16_000, 44_100, 48_000] {
                let samples = render(earcon, rate_hz);
                let peak = samples.iter().fold(0.0_f32, |peak, sample| peak.max(sample.abs()));
                let ms = samples.len() * 1000 / rate_hz as usize;
                assert!((0.1..=PEAK).contains(&peak), "{earcon:?}: peak {peak}");
                assert!((100..=700).contains(&ms), "{earcon:?}: {ms} ms");
                assert!(length_ms(earcon).abs_diff(ms as u64) <= 3, "{earcon:?}: {ms} ms");
                assert!(samples[0].abs() < 1e-3 && samples[samples.len() - 1].abs() < 1e-3);
                let steepest = samples.windows(2).map(|w| (w[1] - w[0]).abs()).fold(0.0, f32::max);
                assert!(steepest < 0.25, "{earcon:?} clicks: {steepest}");
                assert_eq!(samples, render(earcon, rate_hz));
            }
        }
    }

    #[test]
    fn differ_from_each_other() {
        let all = [Earcon::Wake, Earcon::Done, Earcon::Error, Earcon::Timer].map(|e| render(e, 16_000));
        for (index, one) in all.iter().enumerate() {
            assert!(all[index + 1..].iter().all(|other| other != one));
        }
    }
}
