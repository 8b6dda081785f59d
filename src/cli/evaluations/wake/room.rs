//! Rooms in which words are heard: impulse responses that are computed, and noise.

use crate::cli::random::Xorshift;
use hark_core::SAMPLE_RATE_HZ;

/// Volume of the rooms, cubic metres.
const VOLUME: f64 = 60.0;
/// Pulses a second of the tail: so many sound like dense noise, and need a tenth of the work (velvet noise, Järveläinen and
/// Karjalainen, 2007).
const DENSITY: f64 = 1500.0;
/// The tail begins so long behind the direct sound, seconds.
const GAP_S: f64 = 0.004;

/// Where somebody speaks.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Place {
    /// Time in which reflections fall by 60 dB, seconds.
    pub(super) rt60: f64,
    /// Metres to the microphone.
    pub(super) metres: f64,
    /// Speech against noise, dB.
    pub(super) snr_db: f32,
}

/// An impulse response: pulses with their delay in samples.
pub(super) fn impulse_response(place: Place, random: &mut Xorshift) -> Vec<(usize, f32)> {
    let rate = f64::from(SAMPLE_RATE_HZ);
    let envelope = |seconds: f64| 10.0_f64.powf(-3.0 * seconds / place.rt60);
    let count = ((place.rt60 - GAP_S).max(0.0) * DENSITY) as usize;
    let mut pulses: Vec<(usize, f64)> = (0..count)
        .map(|at| {
            let seconds = GAP_S + (at as f64 + random.unit()) / DENSITY;
            let sign = if random.unit() < 0.5 { -1.0 } else { 1.0 };
            ((seconds * rate) as usize, sign * envelope(seconds))
        })
        .collect();
    // At the critical distance, 0.057 √(V / RT60), direct and reflected sound are as loud (Kuttruff, Room Acoustics).
    let critical = 0.057 * (VOLUME / place.rt60).sqrt();
    let reflected = (place.metres / critical).powi(2);
    let energy: f64 = pulses.iter().map(|(_, gain)| gain * gain).sum();
    let scale = (reflected / energy.max(f64::MIN_POSITIVE)).sqrt();
    pulses.iter_mut().for_each(|(_, gain)| *gain *= scale);
    pulses.push((0, 1.0));
    pulses.into_iter().map(|(delay, gain)| (delay, gain as f32)).collect()
}

/// What is heard of a sound there, at a level of its own, with noise.
pub(super) fn heard(sound: &[f32], place: Place, random: &mut Xorshift) -> Vec<f32> {
    let response = impulse_response(place, random);
    let tail = response.iter().map(|(delay, _)| *delay).max().unwrap_or(0);
    let mut out = vec![0.0; sound.len() + tail];
    for (delay, gain) in response {
        for (sample, direct) in out[delay..].iter_mut().zip(sound) {
            *sample += gain * direct;
        }
    }
    let level = hark_audio::amplitude_of_db(-6.0 - 18.0 * random.unit() as f32);
    let peak = out.iter().fold(1e-6_f32, |peak, sample| peak.max(sample.abs()));
    let power = |samples: &[f32]| samples.iter().map(|it| it * it).sum::<f32>() / samples.len().max(1) as f32;
    let noise = noise(out.len(), random);
    let scale = (power(&out) / power(&noise).max(1e-12)).sqrt() * hark_audio::amplitude_of_db(-place.snr_db);
    out.iter().zip(&noise).map(|(sample, noise)| (sample + scale * noise) / peak * level).collect()
}

/// Noise as of a ventilator: more of it below.
fn noise(count: usize, random: &mut Xorshift) -> Vec<f32> {
    let mut low = 0.0_f32;
    (0..count)
        .map(|_| {
            low += 0.1 * (random.unit() as f32 - 0.5 - low);
            low
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_room_falls_by_60_db_in_its_time_and_has_its_share_of_reflections() {
        for (rt60, metres) in [(0.3, 3.0), (0.8, 3.0), (0.5, 0.4)] {
            let place = Place { rt60, metres, snr_db: 20.0 };
            let response = impulse_response(place, &mut Xorshift(7));
            let within = |from: f64, to: f64| {
                let rate = f64::from(SAMPLE_RATE_HZ);
                let is_in = |delay: usize| (from..to).contains(&(delay as f64 / rate));
                let all = response.iter().filter(|(delay, _)| *delay > 0 && is_in(*delay));
                all.map(|(_, gain)| f64::from(gain * gain)).sum::<f64>()
            };
            let reflected = within(0.0, 2.0);
            let critical = 0.057 * (VOLUME / rt60).sqrt();
            assert!((reflected - (metres / critical).powi(2)).abs() < 0.01 * reflected, "{reflected}");
            let fall = 10.0 * (within(0.1 * rt60, 0.2 * rt60) / within(0.6 * rt60, 0.7 * rt60)).log10();
            assert!((fall - 30.0).abs() < 3.0, "half of the time: {fall}");
        }
    }

    #[test]
    fn noise_is_as_loud_as_it_is_told() {
        let sound: Vec<f32> = (0..16_000).map(|n| (n as f32 * 0.3).sin()).collect();
        let place = Place { rt60: 0.3, metres: 0.01, snr_db: 10.0 };
        let out = heard(&sound, place, &mut Xorshift(3));
        let peak = out.iter().fold(0.0_f32, |peak, sample| peak.max(sample.abs()));
        assert!(out.len() > sound.len() && (0.04..0.9).contains(&peak), "{peak}");
    }
}
