//! From one sample rate to another, in a stream: from the microphone or a recording to what Hark hears, and from a voice
//! to the loudspeaker.

use rubato::audioadapter_buffers::direct::InterleavedSlice;
use rubato::{Async, FixedAsync, Indexing, Resampler as _, SincInterpolationParameters, WindowFunction};

/// Rates a device, a recording or a voice may have.
pub const RATES_HZ: std::ops::RangeInclusive<u32> = 4_000..=384_000;

/// A rate nothing here can work with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{rate_hz} Hz cannot be resampled; rates from {} to {} Hz can", RATES_HZ.start(), RATES_HZ.end())]
pub struct RateError {
    /// The rate.
    pub rate_hz: u32,
}

/// Resamples a mono stream; equal rates pass through untouched. The output is aligned with the input: the filter's delay
/// is cut off at the start and made up for by [`Resampler::finish`].
pub struct Resampler {
    from_hz: u32,
    to_hz: u32,
    /// `None` where the rates are equal.
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

impl Resampler {
    /// A stream from `from_hz` to `to_hz`.
    ///
    /// # Errors
    /// When a rate is outside [`RATES_HZ`].
    pub fn new(from_hz: u32, to_hz: u32) -> Result<Self, RateError> {
        if let Some(rate_hz) = [from_hz, to_hz].into_iter().find(|rate_hz| !RATES_HZ.contains(rate_hz)) {
            return Err(RateError { rate_hz });
        }
        let sinc = if from_hz == to_hz { None } else { Some(Sinc::new(from_hz, to_hz)?) };
        Ok(Self { from_hz, to_hz, sinc })
    }

    /// The rates from which and to which it works.
    pub fn rates_hz(&self) -> (u32, u32) {
        (self.from_hz, self.to_hz)
    }

    /// Takes input samples and appends what can be made of them to `out`; up to 10 ms stay behind until more comes.
    pub fn process(&mut self, samples: &[f32], out: &mut Vec<f32>) {
        match &mut self.sinc {
            None => out.extend_from_slice(samples),
            Some(sinc) => {
                sinc.taken += samples.len() as u64;
                sinc.pending.extend_from_slice(samples);
                sinc.run(None, out);
            }
        }
    }

    /// Ends the stream: appends the rest, so that in all `ceil(input · to / from)` samples were made, and is ready for
    /// another stream.
    pub fn finish(&mut self, out: &mut Vec<f32>) {
        let Some(sinc) = &mut self.sinc else { return };
        let due = (sinc.taken * u64::from(self.to_hz)).div_ceil(u64::from(self.from_hz));
        while sinc.given < due {
            let given = sinc.given;
            sinc.run(Some(due), out);
            // The delay of the filter may take a whole chunk; more than that is a fault of the resampler.
            if sinc.given == given && sinc.skip == 0 {
                break;
            }
        }
        sinc.reset();
    }

    /// Forgets the stream and is ready for another.
    pub fn reset(&mut self) {
        if let Some(sinc) = &mut self.sinc {
            sinc.reset();
        }
    }
}

impl Sinc {
    fn new(from_hz: u32, to_hz: u32) -> Result<Self, RateError> {
        let refused = |_| RateError { rate_hz: from_hz };
        // 128 taps of a Blackman-Harris window: 5 ms at 48 kHz, stop band under −90 dB.
        let parameters = SincInterpolationParameters::new(128, WindowFunction::BlackmanHarris2);
        let ratio = f64::from(to_hz) / f64::from(from_hz);
        let frames = (from_hz / 100) as usize;
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

    fn reset(&mut self) {
        self.resampler.reset();
        self.pending.clear();
        self.skip = self.resampler.output_delay();
        (self.taken, self.given) = (0, 0);
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
    use proptest::prelude::*;

    fn tone(tone_hz: f32, rate_hz: u32, samples: usize) -> Vec<f32> {
        let step = std::f64::consts::TAU * f64::from(tone_hz) / f64::from(rate_hz);
        (0..samples).map(|i| (i as f64 * step).sin() as f32 * 0.5).collect()
    }

    fn resampled(samples: &[f32], from_hz: u32, to_hz: u32, piece: usize) -> Vec<f32> {
        let mut resampler = Resampler::new(from_hz, to_hz).expect("rates");
        let mut out = Vec::new();
        for piece in samples.chunks(piece) {
            resampler.process(piece, &mut out);
        }
        resampler.finish(&mut out);
        out
    }

    #[test]
    fn a_tone_keeps_its_length_place_and_level() {
        let heard =
            [8_000, 11_025, 22_050, 32_000, 44_100, 47_999, 48_000, 96_000, 192_000].map(|hz| (hz, 16_000));
        let said = [(22_050, 48_000), (22_050, 44_100), (16_000, 44_100), (24_000, 48_000)];
        for (from_hz, to_hz) in heard.into_iter().chain(said) {
            let out = resampled(&tone(440.0, from_hz, from_hz as usize / 2), from_hz, to_hz, 333);
            let expected = tone(440.0, to_hz, to_hz as usize / 2);
            assert!(out.len().abs_diff(expected.len()) <= 1, "{from_hz} to {to_hz}: {} samples", out.len());
            // In place to within one sample: the filter's delay is not a whole number of them.
            let worst = (399..=401).map(|start| {
                let pairs = out[start..].iter().zip(&expected[400..]).take(expected.len() - 800);
                pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f32::max)
            });
            let worst = worst.fold(f32::MAX, f32::min);
            assert!(worst < 0.05, "{from_hz} to {to_hz}: off by {worst}");
        }
    }

    #[test]
    fn what_the_lower_rate_cannot_hold_is_taken_out() {
        for (tone_hz, from_hz, to_hz) in [(11_000.0, 48_000, 16_000), (10_000.0, 22_050, 16_000)] {
            let out = resampled(&tone(tone_hz, from_hz, from_hz as usize / 2), from_hz, to_hz, 480);
            let loudest = out.iter().skip(500).take(7_000).fold(0.0_f32, |a, b| a.max(b.abs()));
            assert!(loudest < 0.001, "alias of {loudest}");
        }
    }

    #[test]
    fn equal_rates_pass_untouched() {
        let samples = tone(300.0, 16_000, 1600);
        assert_eq!(resampled(&samples, 16_000, 16_000, 100), samples);
    }

    #[test]
    fn can_be_used_again_after_the_end() {
        let (mut resampler, input) =
            (Resampler::new(22_050, 48_000).expect("rates"), tone(500.0, 22_050, 3000));
        let (mut first, mut second) = (Vec::new(), Vec::new());
        for output in [&mut first, &mut second] {
            resampler.process(&input, output);
            resampler.finish(output);
        }
        assert_eq!(first, second);
    }

    #[test]
    fn impossible_rates_are_refused() {
        for rate_hz in [0, 100, 1_000_000] {
            assert!(Resampler::new(rate_hz, 16_000).is_err());
            assert!(Resampler::new(16_000, rate_hz).is_err());
        }
    }

    #[test]
    fn channels_are_averaged_and_broken_samples_silenced() {
        let mut out = Vec::new();
        mix_down(&[1.0, 0.0, f32::NAN, 0.5, 0.5, f32::INFINITY, 9.0], 2, &mut out);
        assert_eq!(out, [0.5, 0.25, 0.25]);
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 30, failure_persistence: None, ..ProptestConfig::default() })]
        #[test]
        fn cutting_into_pieces_changes_nothing(
            length in 0_usize..3000,
            piece in 1_usize..900,
            rates in prop::sample::select(vec![(22_050_u32, 48_000_u32), (48_000, 16_000), (16_000, 44_100), (8_000, 8_000)]),
        ) {
            let input = tone(700.0, rates.0, length);
            let whole = resampled(&input, rates.0, rates.1, length.max(1));
            prop_assert_eq!(&whole, &resampled(&input, rates.0, rates.1, piece));
            prop_assert_eq!(whole.len() as u64, (length as u64 * u64::from(rates.1)).div_ceil(u64::from(rates.0)));
        }
    }
}
