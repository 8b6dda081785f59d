//! Optional noise suppression and gain control after the canceller. Both are off by default: voice activity detection
//! and wake words were trained on unprocessed microphone sound.

use hark_config::echo::Echo;
use hark_core::SAMPLE_RATE_HZ;
use sonora::config::{AdaptiveDigital, GainController2, NoiseSuppression};
use sonora::{AudioProcessing, Config, StreamConfig};

/// Samples of a frame: 10 ms.
const FRAME: usize = 160;

/// What is switched on.
pub(super) struct PostProcessing {
    processing: AudioProcessing,
    /// What does not fill a frame yet.
    pending: Vec<f32>,
}

impl PostProcessing {
    /// `None` when nothing is switched on.
    pub(super) fn new(config: &Echo) -> Option<Self> {
        if !config.noise_suppression && !config.gain_control {
            return None;
        }
        let adaptive =
            GainController2 { adaptive_digital: Some(AdaptiveDigital::default()), ..Default::default() };
        let config = Config {
            noise_suppression: config.noise_suppression.then(NoiseSuppression::default),
            gain_controller2: config.gain_control.then_some(adaptive),
            ..Config::default()
        };
        let mono = StreamConfig::new(SAMPLE_RATE_HZ, 1);
        let processing =
            AudioProcessing::builder().config(config).capture_config(mono).render_config(mono).build();
        Some(Self { processing, pending: Vec::with_capacity(FRAME * 8) })
    }

    /// Works on the samples in place, in whole frames; what is left waits for the next call.
    pub(super) fn process(&mut self, samples: &mut Vec<f32>) {
        self.pending.append(samples);
        let (frames, _) = self.pending.as_chunks::<FRAME>();
        for frame in frames {
            let mut out = [0.0; FRAME];
            let done = self.processing.process_capture_f32(&[frame], &mut [&mut out]);
            // Refused for a wrong rate or length only; the sound then stays as it is.
            samples.extend_from_slice(if done.is_ok() { &out } else { frame });
        }
        let done = frames.len() * FRAME;
        self.pending.drain(..done);
    }

    /// Appends what waits, as it is.
    pub(super) fn give_up(&mut self, samples: &mut Vec<f32>) {
        samples.append(&mut self.pending);
    }
}
