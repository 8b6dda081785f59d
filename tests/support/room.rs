//! Simulated rooms: what a microphone hears of a loudspeaker in a box with six equal walls, after the
//! image-source method of Allen and Berkley (1979), and what goes wrong on the way: a loudspeaker that
//! distorts, a clock that runs fast, noise.

#![allow(dead_code, reason = "each test binary uses its part of it")]
#![allow(clippy::expect_used, reason = "a fixture that cannot be set up fails its test")]

use realfft::RealFftPlanner;
use std::f64::consts::PI;

/// Rate of everything here.
pub const RATE_HZ: f64 = 16_000.0;

const SOUND_M_PER_S: f64 = 343.0;

/// Samples on either side of a fractional delay.
const REACH: i64 = 16;

/// A box with a loudspeaker and a microphone in it.
#[derive(Debug, Clone, Copy)]
pub struct Room {
    /// What people call it.
    pub name: &'static str,
    /// Length, width and height in metres.
    pub size_m: [f64; 3],
    /// Part of the energy that a wall swallows, 0–1.
    pub absorption: f64,
    pub loudspeaker_m: [f64; 3],
    pub microphone_m: [f64; 3],
}

/// Carpets and a bed, the device on a night table: reverberates for about 0.3 s.
pub const BEDROOM: Room = Room {
    name: "bedroom",
    size_m: [4.0, 3.2, 2.5],
    absorption: 0.30,
    loudspeaker_m: [0.6, 0.5, 0.8],
    microphone_m: [0.68, 0.56, 0.85],
};

/// Larger, with the loudspeaker on a shelf: about 0.5 s.
pub const LIVING_ROOM: Room = Room {
    name: "living room",
    size_m: [6.1, 4.7, 2.7],
    absorption: 0.22,
    loudspeaker_m: [1.0, 3.9, 1.6],
    microphone_m: [1.9, 3.1, 0.9],
};

/// Tiles all around: about 0.6 s.
pub const KITCHEN: Room = Room {
    name: "kitchen",
    size_m: [3.4, 2.9, 2.5],
    absorption: 0.13,
    loudspeaker_m: [0.4, 0.5, 1.2],
    microphone_m: [0.5, 0.62, 1.2],
};

impl Room {
    /// What the microphone hears of a single sample of 1.0, for `ms` milliseconds.
    pub fn impulse_response(&self, ms: u32) -> Vec<f32> {
        let length = (f64::from(ms) * RATE_HZ / 1000.0) as usize;
        let mut response = vec![0.0; length];
        let reflection = (1.0 - self.absorption).sqrt();
        let farthest_m = length as f64 / RATE_HZ * SOUND_M_PER_S;
        let most = self.size_m.map(|size| (farthest_m / (2.0 * size)).ceil() as i32 + 1);
        let images = |axis: usize| images(axis, self, most[axis]);
        for (x, x_bounces) in images(0) {
            for (y, y_bounces) in images(1) {
                for (z, z_bounces) in images(2) {
                    let distance = (x * x + y * y + z * z).sqrt().max(0.01);
                    if distance > farthest_m {
                        continue;
                    }
                    let gain = reflection.powi(x_bounces + y_bounces + z_bounces) / (4.0 * PI * distance);
                    add_delayed(&mut response, distance / SOUND_M_PER_S * RATE_HZ, gain);
                }
            }
        }
        response.into_iter().map(|sample| sample as f32).collect()
    }

    /// How long it takes the reverberation to fall by 60 dB, after Eyring.
    pub fn reverberation_s(&self) -> f64 {
        let [a, b, c] = self.size_m;
        let surface = 2.0 * (a * b + b * c + c * a);
        0.161 * a * b * c / (-surface * (1.0 - self.absorption).ln())
    }
}

/// The loudspeaker's images along one axis: distance to the microphone, and bounces on the way.
fn images(axis: usize, room: &Room, most: i32) -> Vec<(f64, i32)> {
    let (source, size) = (room.loudspeaker_m[axis], room.size_m[axis]);
    (-most..=most)
        .flat_map(|n| [(n, 0), (n, 1)])
        .map(|(n, mirrored)| {
            let place = f64::from(1 - 2 * mirrored) * source + 2.0 * f64::from(n) * size;
            (place - room.microphone_m[axis], (n - mirrored).abs() + n.abs())
        })
        .collect()
}

fn add_delayed(response: &mut [f64], delay: f64, gain: f64) {
    let middle = delay.floor() as i64;
    for index in middle - REACH + 1..=middle + REACH {
        if let Some(sample) = usize::try_from(index).ok().and_then(|index| response.get_mut(index)) {
            *sample += gain * windowed_sinc(index as f64 - delay);
        }
    }
}

fn windowed_sinc(distance: f64) -> f64 {
    let angle = PI * distance;
    let sinc = if angle.abs() < 1e-9 { 1.0 } else { angle.sin() / angle };
    sinc * 0.5 * (1.0 + (angle / REACH as f64).cos())
}

/// What comes out of `response` for `input`, as long as the input.
pub fn convolve(input: &[f32], response: &[f32]) -> Vec<f32> {
    let size = (input.len() + response.len()).next_power_of_two();
    let mut planner = RealFftPlanner::<f32>::new();
    let (forward, inverse) = (planner.plan_fft_forward(size), planner.plan_fft_inverse(size));
    let spectrum = |samples: &[f32]| {
        let mut padded = samples.to_vec();
        padded.resize(size, 0.0);
        let mut out = forward.make_output_vec();
        forward.process(&mut padded, &mut out).expect("lengths fit");
        out
    };
    let mut product = spectrum(input);
    product.iter_mut().zip(spectrum(response)).for_each(|(a, b)| *a *= b);
    let mut out = inverse.make_output_vec();
    inverse.process(&mut product, &mut out).expect("lengths fit");
    out[..input.len()].iter().map(|sample| sample / size as f32).collect()
}

/// The samples as they sound when they are played `speed` times as fast.
pub fn play_at(samples: &[f32], speed: f64) -> Vec<f32> {
    if speed == 1.0 {
        return samples.to_vec();
    }
    (0..samples.len())
        .map(|n| {
            let place = n as f64 * speed;
            let middle = place.floor() as i64;
            let known = |index: i64| {
                let sample = usize::try_from(index).ok().and_then(|index| samples.get(index));
                f64::from(sample.copied().unwrap_or(0.0))
            };
            (middle - REACH + 1..=middle + REACH)
                .map(|index| known(index) * windowed_sinc(index as f64 - place))
                .sum::<f64>() as f32
        })
        .collect()
}

/// A small loudspeaker near its limits: peaks are rounded off; 0 changes nothing.
pub fn distort(samples: &mut [f32], amount: f32) {
    for sample in samples {
        *sample -= amount * *sample * *sample * *sample;
    }
}

/// White noise of this level in dB of full scale, always the same.
pub fn noise(count: usize, level_db: f32) -> Vec<f32> {
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    // A uniform distribution over ±1 has a mean square of 1/3.
    let peak = hark_audio::amplitude_of_db(level_db) * 3.0_f32.sqrt();
    (0..count)
        .map(|_| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            ((state >> 40) as f32 / (1_u64 << 23) as f32 - 1.0) * peak
        })
        .collect()
}

/// Mean square.
pub fn power(samples: &[f32]) -> f32 {
    samples.iter().map(|sample| sample * sample).sum::<f32>() / samples.len().max(1) as f32
}

/// Level of a ratio of powers in dB.
pub fn decibels(ratio: f32) -> f32 {
    10.0 * ratio.max(1e-12).log10()
}

/// Sum of two signals; the shorter one ends in silence.
pub fn mix(a: &[f32], b: &[f32]) -> Vec<f32> {
    let at = |samples: &[f32], n: usize| samples.get(n).copied().unwrap_or(0.0);
    (0..a.len().max(b.len())).map(|n| at(a, n) + at(b, n)).collect()
}
