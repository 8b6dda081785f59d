//! From any rate to 16 kHz mono, in a stream.

use hark_core::SAMPLE_RATE_HZ;
use rubato::audioadapter_buffers::direct::InterleavedSlice;
use rubato::{Async, FixedAsync, Indexing, Resampler, SincInterpolationParameters, WindowFunction};

/// Rates a device or a recording may have.
pub const RATES_HZ: std::ops::RangeInclusive<u32> = 4_000..=384_000;

/// A rate nothing here can work with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{rate_hz} Hz cannot be resampled; rates from {} to {} Hz can", RATES_HZ.start(), RATES_HZ.end())]
pub struct RateError {
    /// The rate.
    pub rate_hz: u32,
}

/// Resamples a mono stream to 16 kHz; passes 16 kHz through untouched. Its output is aligned with its
/// input: the filter's delay is cut off at the start and made up for by [`ToSixteenKhz::flush`].
pub struct ToSixteenKhz {
    rate_hz: u32,
    /// None at 16 kHz.
    sinc: Option<Sinc>,
}

struct Sinc {
    resampler: Async<f32>,
    /// Input samples that do not fill a chunk yet.
    pending: Vec<f32>,
    chunk: Vec<f32>,
    /// Delay samples still to be cut off.
    skip: usize,
    taken: u64,
    given: u64,
}

impl ToSixteenKhz {
    /// A stream from `rate_hz`.
    ///
    /// # Errors
    /// When the rate is outside [`RATES_HZ`].
    pub fn new(rate_hz: u32) -> Result<Self, RateError> {
        if !RATES_HZ.contains(&rate_hz) {
            return Err(RateError { rate_hz });
        }
        let sinc = if rate_hz == SAMPLE_RATE_HZ { None } else { Some(Sinc::new(rate_hz)?) };
        Ok(Self { rate_hz, sinc })
    }

    /// Takes input samples and appends 16 kHz samples to `out`; up to 10 ms stay behind until more
    /// comes.
    pub fn push(&mut self, samples: &[f32], out: &mut Vec<f32>) {
        match &mut self.sinc {
            None => out.extend_from_slice(samples),
            Some(sinc) => {
                sinc.taken += samples.len() as u64;
                sinc.pending.extend_from_slice(samples);
                sinc.run(None, out);
            }
        }
    }

    /// Appends what is left at the end of a recording.
    pub fn flush(&mut self, out: &mut Vec<f32>) {
        let rate_hz = u64::from(self.rate_hz);
        let Some(sinc) = &mut self.sinc else { return };
        let due = sinc.taken * u64::from(SAMPLE_RATE_HZ) / rate_hz;
        while sinc.given < due {
            sinc.run(Some(due), out);
        }
    }
}

impl Sinc {
    fn new(rate_hz: u32) -> Result<Self, RateError> {
        let refused = |_| RateError { rate_hz };
        // 128 taps of a Blackman-Harris window: 5 ms at 48 kHz, stop band under −90 dB.
        let parameters = SincInterpolationParameters::new(128, WindowFunction::BlackmanHarris2);
        let ratio = f64::from(SAMPLE_RATE_HZ) / f64::from(rate_hz);
        let frames = (rate_hz / 100) as usize;
        let resampler =
            Async::new_sinc(ratio, 1.0, &parameters, frames, 1, FixedAsync::Input).map_err(refused)?;
        Ok(Self {
            pending: Vec::with_capacity(frames * 4),
            chunk: vec![0.0; resampler.output_frames_max()],
            skip: resampler.output_delay(),
            resampler,
            taken: 0,
            given: 0,
        })
    }

    /// Runs whole chunks; with `flush_to` one more, filled up with silence, of which no more than that
    /// many output samples in all are kept.
    fn run(&mut self, flush_to: Option<u64>, out: &mut Vec<f32>) {
        let mut used = 0;
        loop {
            let frames = self.resampler.input_frames_next();
            let left = self.pending.len() - used;
            if left < frames && flush_to.is_none() {
                break;
            }
            let indexing = Indexing::new().partial_len(left.min(frames));
            // The buffers are as long as the resampler asks for, so neither adapter nor run refuses.
            let (Ok(input), Ok(mut output)) = (
                InterleavedSlice::new(&self.pending[used..], 1, left),
                InterleavedSlice::new_mut(&mut self.chunk, 1, self.resampler.output_frames_max()),
            ) else {
                break;
            };
            let made = self.resampler.process_into_buffer(&input, &mut output, Some(&indexing));
            let Ok((_, made)) = made else { break };
            used += left.min(frames);
            self.keep(made, flush_to.unwrap_or(u64::MAX), out);
            if flush_to.is_some() {
                break;
            }
        }
        self.pending.drain(..used);
    }

    fn keep(&mut self, made: usize, most: u64, out: &mut Vec<f32>) {
        let skipped = self.skip.min(made);
        self.skip -= skipped;
        let room = usize::try_from(most - self.given.min(most)).unwrap_or(usize::MAX);
        let kept = (made - skipped).min(room);
        out.extend_from_slice(&self.chunk[skipped..skipped + kept]);
        self.given += kept as u64;
    }
}

/// Appends the mean of each frame's channels.
pub fn mix_down(interleaved: &[f32], channels: usize, out: &mut Vec<f32>) {
    out.extend(interleaved.chunks_exact(channels.max(1)).map(|frame| mean(frame.iter().copied())));
}

/// The mean of a frame's channels; samples that are no numbers are silence.
pub fn mean(frame: impl ExactSizeIterator<Item = f32>) -> f32 {
    let share = 1.0 / frame.len().max(1) as f32;
    frame.map(|sample| if sample.is_finite() { sample } else { 0.0 }).sum::<f32>() * share
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tone(rate_hz: u32, tone_hz: f32, seconds: f32) -> Vec<f32> {
        let step = std::f32::consts::TAU * tone_hz / rate_hz as f32;
        (0..(rate_hz as f32 * seconds) as usize).map(|i| (i as f32 * step).sin() * 0.5).collect()
    }

    fn resampled(rate_hz: u32, samples: &[f32], piece: usize) -> Vec<f32> {
        let mut resampler = ToSixteenKhz::new(rate_hz).expect("rate");
        let mut out = Vec::new();
        for piece in samples.chunks(piece) {
            resampler.push(piece, &mut out);
        }
        resampler.flush(&mut out);
        out
    }

    #[test]
    fn every_common_rate_keeps_length_place_and_level() {
        for rate_hz in [8_000, 11_025, 22_050, 32_000, 44_100, 47_999, 48_000, 96_000, 192_000] {
            let out = resampled(rate_hz, &tone(rate_hz, 440.0, 0.5), 333);
            assert!(out.len().abs_diff(8_000) <= 1, "{rate_hz}: {} samples", out.len());
            let expected = tone(16_000, 440.0, 0.5);
            // In place to within one sample: the filter's delay is not a whole number of them.
            let worst = (199..=201).map(|start| {
                let pairs = out[start..].iter().zip(&expected[200..]).take(7_600);
                pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f32::max)
            });
            let worst = worst.fold(f32::MAX, f32::min);
            assert!(worst < 0.05, "{rate_hz}: off by {worst}");
        }
    }

    #[test]
    fn what_sixteen_khz_cannot_hold_is_taken_out() {
        let out = resampled(48_000, &tone(48_000, 11_000.0, 0.5), 480);
        let loudest = out.iter().skip(500).take(7_000).fold(0.0_f32, |a, b| a.max(b.abs()));
        assert!(loudest < 0.001, "alias of {loudest}");
    }

    #[test]
    fn sixteen_khz_passes_untouched() {
        let samples = tone(16_000, 300.0, 0.1);
        assert_eq!(resampled(16_000, &samples, 100), samples);
    }

    #[test]
    fn impossible_rates_are_refused() {
        for rate_hz in [0, 100, 1_000_000] {
            assert!(ToSixteenKhz::new(rate_hz).is_err());
        }
    }

    #[test]
    fn channels_are_averaged_and_broken_samples_silenced() {
        let mut out = Vec::new();
        mix_down(&[1.0, 0.0, f32::NAN, 0.5, 0.5, f32::INFINITY, 9.0], 2, &mut out);
        assert_eq!(out, [0.5, 0.25, 0.25]);
    }
}
