//! Buffers sound until a block is whole, in the two forms that the echo stage gives: `voice` without anything that could
//! be Hark's own voice (for voice activity), and `words` as people said it (for recognition).

use crate::silence_detector;
use hark_core::VAD_BLOCK_SAMPLES;

/// A block of sound at 16 kHz.
pub(super) type Block = [f32; VAD_BLOCK_SAMPLES];

/// Both forms, sample by sample of the same moments.
#[derive(Debug, Default)]
pub(super) struct BlockBuffer {
    voice: Vec<f32>,
    words: Vec<f32>,
}

impl BlockBuffer {
    /// Takes from the front of both what is missing to the next frame of the level; says how much that was.
    pub(super) fn take(&mut self, voice: &[f32], words: &[f32]) -> usize {
        let missing = silence_detector::FRAME_SAMPLES - self.len() % silence_detector::FRAME_SAMPLES;
        let count = missing.min(voice.len()).min(words.len());
        self.voice.extend_from_slice(&voice[..count]);
        self.words.extend_from_slice(&words[..count]);
        count
    }

    /// The frame of the level that has just become whole.
    pub(super) fn whole_frame(&self) -> Option<&[f32]> {
        let whole = !self.voice.is_empty() && self.len().is_multiple_of(silence_detector::FRAME_SAMPLES);
        whole.then(|| &self.voice[self.len() - silence_detector::FRAME_SAMPLES..])
    }

    /// The block that has just become whole: for voice activity, and for recognition.
    pub(super) fn whole_block(&mut self) -> Option<(Block, Block)> {
        let block = (self.voice.as_slice().try_into().ok()?, self.words.as_slice().try_into().ok()?);
        self.clear();
        Some(block)
    }

    /// What waits, as it was said.
    pub(super) fn words(&self) -> &[f32] {
        &self.words
    }

    /// How many samples wait.
    pub(super) fn len(&self) -> usize {
        self.voice.len()
    }

    pub(super) fn clear(&mut self) {
        self.voice.clear();
        self.words.clear();
    }
}
