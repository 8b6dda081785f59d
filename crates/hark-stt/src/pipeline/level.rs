//! How loud it is, for displays and other nodes, and how loud it is made: what is raised, and whose speech it is learnt from.

use super::{AudioPipeline, FLOOR_DBFS, PipelineState};
use crate::wake::WakeDetector;

/// Above this probability a block is speech to learn from: what is at its edges is quieter.
const SURE_SPEECH: f32 = 0.8;

/// Current levels and scores, for displays.
#[derive(Debug, Clone, PartialEq)]
pub struct Meter {
    /// Level of the last block relative to full scale as it came in, −100 ..= 0.
    pub level_dbfs: f32,
    /// Decibels that it is raised by.
    pub gain_db: f32,
    /// Probability that the last block was speech.
    pub vad: f32,
    /// Wake words with their scores of the last 80 ms.
    pub wake: Vec<(String, f32)>,
    /// Whether a request is awaited or heard.
    pub listening: bool,
    /// Whether the pipeline is muted.
    pub muted: bool,
}

impl AudioPipeline {
    /// What is heard at the moment.
    pub fn meter(&self) -> Meter {
        let wake = self.wake.iter().flat_map(WakeDetector::scores);
        Meter {
            level_dbfs: (self.level_dbfs - self.gain_db()).max(FLOOR_DBFS),
            gain_db: self.gain_db(),
            vad: self.probability,
            wake: wake.map(|(word, score)| (word.to_owned(), score)).collect(),
            listening: matches!(
                self.state,
                PipelineState::AwaitingSpeech { .. } | PipelineState::InUtterance { .. }
            ) && !self.is_barge_in,
            muted: self.muted,
        }
    }

    /// Decibels that sound is raised by.
    pub(super) fn gain_db(&self) -> f32 {
        self.auto_gain.as_ref().map_or(0.0, |gain| gain.gain_db())
    }

    /// Both forms of the next sound, raised; `None` where they stay as they are.
    pub(super) fn raised(&mut self, voice: &[f32], words: &[f32]) -> Option<(Vec<f32>, Vec<f32>)> {
        let gain = self.auto_gain.as_mut().filter(|gain| gain.raises())?;
        let (mut voice, mut words) = (voice.to_vec(), words.to_vec());
        gain.raise(&mut voice, &mut words);
        Some((voice, words))
    }

    /// Learns from the last block how loud people are. Over Hark's own output nobody can tell.
    pub(super) fn learn_gain(&mut self) {
        let sounds =
            self.is_barge_in || self.barge_in_detector.is_some() || self.position < self.playback_until;
        let is_request = matches!(self.state, PipelineState::InUtterance { .. });
        if let Some(gain) = self.auto_gain.as_mut().filter(|_| self.probability > SURE_SPEECH && !sounds) {
            gain.learn(self.level_dbfs, is_request);
        }
    }
}

/// Level of a block relative to full scale.
pub(super) fn level_dbfs(block: &[f32]) -> f32 {
    let power = block.iter().map(|sample| sample * sample).sum::<f32>() / block.len() as f32;
    (10.0 * power.max(f32::MIN_POSITIVE).log10()).clamp(FLOOR_DBFS, 0.0)
}
