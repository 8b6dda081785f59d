//! How long the pipeline's thread may wait before it calls again. Fewer calls with more sound each cost less.

use super::{AudioPipeline, PipelineState};
use hark_core::VAD_BLOCK_SAMPLES;
use hark_core::audio::ms_to_samples;

/// Silence after which no word can be under way any more: the wake engine is not run.
const LONG_SILENCE_MS: u64 = 2500;

/// Blocks that may wait in a long silence: 192 ms. No wake word is shorter, and a model that runs
/// on several blocks in a row costs half of what it costs when it comes to each with cold caches.
const MAX_WAITING_BLOCKS: usize = 6;

impl AudioPipeline {
    /// Samples that may come before [`AudioPipeline::process`] must be called again; it has nothing to tell before.
    /// Zero while a request or an interruption may begin, end or be recognised. While the wake word is awaited
    /// nothing is reported before a hop of the wake engine is whole, and in a long silence not before a sound.
    pub fn poll_interval_samples(&self) -> usize {
        let asleep = matches!(self.state, PipelineState::AwaitingWakeWord)
            && self.barge_in_detector.is_none()
            && self.pending_events.is_empty();
        if !asleep {
            return 0;
        }
        let blocks = match &self.wake {
            Some(wake) if !self.muted && !self.in_long_silence() => {
                // The wake engine gets whole blocks.
                wake.missing_samples().div_ceil(VAD_BLOCK_SAMPLES)
            }
            _ => MAX_WAITING_BLOCKS,
        };
        (blocks * VAD_BLOCK_SAMPLES).saturating_sub(self.block_buffer.len())
    }

    /// Whether it has been silent for so long that no word can be under way.
    pub(super) fn in_long_silence(&self) -> bool {
        self.position - self.last_activity > ms_to_samples(LONG_SILENCE_MS)
    }
}
