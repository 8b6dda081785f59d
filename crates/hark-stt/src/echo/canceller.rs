//! AEC3, the echo canceller of WebRTC in sonora's port, one block of 4 ms at a time.
//!
//! Its block processor is used directly rather than through `sonora::AudioProcessing`: that takes
//! frames of 10 ms, which cost 4 ms more, and fixes what has to be set for a loudspeaker that is
//! aligned by its own moments.

use hark_core::SAMPLE_RATE_HZ;
use sonora::high_pass_filter::HighPassFilter;
use sonora_aec3::block::Block;
use sonora_aec3::block_processor::BlockProcessor;
use sonora_aec3::config::EchoCanceller3Config;

/// Samples of a block: 4 ms.
pub(super) const BLOCK: usize = 64;

/// AEC3 counts like 16-bit samples.
const FULL_SCALE: f32 = 32_768.0;

/// From here on the microphone is overdriven, and its echo is no longer what the loudspeaker played.
const OVERDRIVEN: f32 = 32_700.0 / FULL_SCALE;

/// The canceller with its state.
pub(super) struct Canceller {
    processor: BlockProcessor,
    high_pass: HighPassFilter,
    rendered: Block,
    captured: Block,
    /// The block without what the filter explains, and the one before.
    filtered: [Block; 2],
    /// The microphone's channel for the filter, kept because the filter takes whole vectors.
    channel: [Vec<f32>; 1],
}

impl Canceller {
    pub(super) fn new() -> Self {
        let mut config = EchoCanceller3Config::default();
        // Looks for echoes before the strongest one, for streams whose delay is not known; with them it
        // moves back and forth by a block, and every move costs what was learned.
        config.delay.detect_pre_echo = false;
        // By default a filter is trusted to take 6 dB out, as for a telephone whose two ends have not been
        // aligned, and a person who is as loud as the loudspeaker is taken for echo. Ours is aligned: how
        // good it is may be measured.
        config.erle.max_l = 100.0;
        config.erle.max_h = 50.0;
        config.validate();
        let rate_hz = SAMPLE_RATE_HZ as usize;
        Self {
            processor: BlockProcessor::new(&config, rate_hz, 1, 1),
            high_pass: HighPassFilter::new(SAMPLE_RATE_HZ as i32, 1),
            rendered: Block::new(1, 1),
            captured: Block::new(1, 1),
            filtered: [Block::new(1, 1), Block::new(1, 1)],
            channel: [vec![0.0; BLOCK]],
        }
    }

    /// How long after a block of the loudspeaker its echo is to be expected, in ms: where to look first.
    pub(super) fn expect_delay(&mut self, delay_ms: i32) {
        self.processor.set_audio_buffer_delay(delay_ms.max(0));
    }

    /// How far behind the loudspeaker's block the echo is found, in ms.
    pub(super) fn delay_ms(&self) -> i32 {
        self.processor.get_metrics().delay_ms
    }

    /// Takes what is played and what is heard; `cleaned` is the block heard before, without its echo:
    /// the canceller works with windows of two blocks. `words` is the same block without what a linear
    /// filter explains of it: some echo is left, but nothing of a person who speaks meanwhile is missing.
    pub(super) fn process(
        &mut self,
        played: &[f32; BLOCK],
        heard: &[f32; BLOCK],
        cleaned: &mut [f32; BLOCK],
        words: &mut [f32; BLOCK],
    ) {
        let scaled = |samples: &[f32; BLOCK]| samples.map(|sample| sample * FULL_SCALE);
        self.rendered.view_mut(0, 0).copy_from_slice(&scaled(played));
        self.channel[0].copy_from_slice(&scaled(heard));
        self.high_pass.process_channels(&mut self.channel);
        self.captured.view_mut(0, 0).copy_from_slice(&self.channel[0]);
        let overdriven = heard.iter().any(|sample| sample.abs() >= OVERDRIVEN);
        self.processor.buffer_render(&self.rendered);
        self.filtered.swap(0, 1);
        let [filtered, before] = &mut self.filtered;
        // As it is, should the canceller not have begun yet.
        filtered.view_mut(0, 0).copy_from_slice(self.captured.view(0, 0));
        self.processor.process_capture(false, overdriven, Some(filtered), &mut self.captured);
        for (block, into) in [(&self.captured, cleaned), (&*before, words)] {
            for (into, sample) in into.iter_mut().zip(block.view(0, 0)) {
                *into = (sample / FULL_SCALE).clamp(-1.0, 1.0);
            }
        }
    }
}
