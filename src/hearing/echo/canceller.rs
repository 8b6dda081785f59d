//! sonora's port of WebRTC's AEC3, one frame of 10 ms at a time.

use crate::config::echo::Echo;
use crate::domain::SAMPLE_RATE_HZ;
use sonora::config::{
    AdaptiveDigital, EchoCanceller, GainController2, HighPassFilter, NoiseSuppression, Pipeline,
};
use sonora::{AudioProcessing, Config, StreamConfig};

/// Samples of a frame: 10 ms.
pub(super) const FRAME: usize = 160;

/// By how many samples the canceller's output is late: it works in blocks of 64 within frames of 160.
pub(super) const DELAY: usize = 64;

/// The canceller with its state.
pub(super) struct Canceller {
    processing: AudioProcessing,
    unused: [f32; FRAME],
}

impl Canceller {
    pub(super) fn new(config: &Echo) -> Self {
        let gain =
            GainController2 { adaptive_digital: Some(AdaptiveDigital::default()), ..Default::default() };
        let config = Config {
            pipeline: Pipeline {
                multi_channel_render: false,
                multi_channel_capture: false,
                ..Default::default()
            },
            high_pass_filter: Some(HighPassFilter::default()),
            echo_canceller: Some(EchoCanceller::default()),
            noise_suppression: config.noise_suppression.then(NoiseSuppression::default),
            gain_controller2: config.gain_control.then_some(gain),
            ..Config::default()
        };
        let mono = StreamConfig::new(SAMPLE_RATE_HZ, 1);
        let processing =
            AudioProcessing::builder().config(config).capture_config(mono).render_config(mono).build();
        Self { processing, unused: [0.0; FRAME] }
    }

    /// Says how long after the loudspeaker's frame its echo is to be looked for first, in ms.
    pub(super) fn expect_delay(&mut self, delay_ms: i32) {
        // A delay outside of 0–500 ms is clamped: the canceller then looks for the echo by itself.
        let _ = self.processing.set_stream_delay_ms(delay_ms);
    }

    /// Takes what is played and what is heard; `cleaned` is what was heard [`DELAY`] samples ago
    /// without its echo.
    pub(super) fn process(
        &mut self,
        played: &[f32; FRAME],
        heard: &[f32; FRAME],
        cleaned: &mut [f32; FRAME],
    ) {
        let rendered = self.processing.process_render_f32(&[played], &mut [&mut self.unused]);
        let captured = self.processing.process_capture_f32(&[heard], &mut [cleaned]);
        // Only refused for a wrong rate or length, which are constants here.
        debug_assert!(rendered.is_ok() && captured.is_ok(), "{rendered:?} {captured:?}");
    }
}
