//! Recognises Hark's own voice in the microphone's signal, so that it is not taken for a person.

use super::super::audio_history::AudioHistory;
use super::super::echo::ResidualEcho;
use super::super::wake::VERIFIED_MS;
use super::AudioPipeline;
use hark_core::audio::ms_to_samples;

/// The last of what the loudspeaker played.
#[derive(Debug)]
pub(super) struct OwnVoice {
    /// Whether some of it is in the sound that is processed.
    pub(super) residual: ResidualEcho,
    /// Whether some of it was found since the interruption at hand began.
    pub(super) in_interruption: bool,
    /// As much as is looked at when a wake word is heard; nothing while it has been silent for so long.
    played: AudioHistory,
    silent_samples: u64,
}

impl OwnVoice {
    pub(super) fn new() -> Self {
        let played = AudioHistory::new(ms_to_samples(VERIFIED_MS) as usize);
        Self { residual: ResidualEcho::None, in_interruption: false, played, silent_samples: 0 }
    }

    fn hear(&mut self, played: &[f32]) {
        let silent = played.iter().all(|sample| *sample == 0.0);
        self.silent_samples = if silent { self.silent_samples + played.len() as u64 } else { 0 };
        if self.silent_samples >= ms_to_samples(VERIFIED_MS) {
            self.played.clear(0);
        } else {
            self.played.push(played);
        }
    }
}

impl AudioPipeline {
    /// Takes what the loudspeaker played, 16 kHz mono, while the sound was captured that is to be processed
    /// next; empty when it is not known. Where that sound may hold some of it, only a wake word interrupts.
    pub fn observe_playback(&mut self, played: &[f32], residual: ResidualEcho) {
        self.own_voice.residual = residual;
        self.own_voice.in_interruption |= self.is_barge_in && residual == ResidualEcho::Found;
        self.own_voice.hear(played);
    }

    /// Whether Hark itself has just said the wake word. What a canceller leaves is too little to be recognised, but
    /// enough for a wake engine.
    pub(super) fn wake_word_is_own_voice(&mut self, word: &str) -> bool {
        self.own_voice.played.copy(0, u64::MAX, &mut self.scratch);
        let Some(wake) = self.wake.as_mut().filter(|_| !self.scratch.is_empty()) else { return false };
        // One that cannot be looked at counts: Hark is not to become deaf.
        wake.is_similar_in(word, &self.scratch).unwrap_or_else(|fault| {
            tracing::warn!(%fault, "a wake word was not looked for in Hark's own voice");
            false
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_seconds_are_kept_and_none_after_so_much_silence() {
        let mut voice = OwnVoice::new();
        let mut kept_after = |played: &[f32]| {
            voice.hear(played);
            let mut kept = Vec::new();
            voice.played.copy(0, u64::MAX, &mut kept);
            kept
        };
        assert_eq!(kept_after(&[0.5; 40_000]).len(), 32_000);
        assert_eq!(kept_after(&[0.0; 16_000])[15_999..16_001], [0.5, 0.0]);
        assert!(kept_after(&[0.0; 16_000]).is_empty());
        assert!(kept_after(&[0.0; 160]).is_empty());
        assert_eq!(kept_after(&[0.1; 160]).len(), 160);
    }
}
