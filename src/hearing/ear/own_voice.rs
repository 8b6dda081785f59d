//! What Hark itself says: it must not take that for a person.

use super::super::wake::LOOKED_AT_MS;
use super::Ear;
use crate::domain::audio::ms_to_samples;

/// The last of what the loudspeaker played.
#[derive(Debug, Default)]
pub(super) struct OwnVoice {
    /// Some of it may be left in the sound, because the echo canceller is still learning the room.
    pub(super) left: bool,
    /// As much as is looked at when a wake word is heard; nothing while it has been silent for so long.
    played: Vec<f32>,
    silent_samples: u64,
}

impl OwnVoice {
    fn hear(&mut self, played: &[f32]) {
        let silent = played.iter().all(|sample| *sample == 0.0);
        self.silent_samples = if silent { self.silent_samples + played.len() as u64 } else { 0 };
        let most = ms_to_samples(LOOKED_AT_MS);
        if self.silent_samples >= most {
            self.played.clear();
            return;
        }
        self.played.extend_from_slice(played);
        self.played.drain(..self.played.len().saturating_sub(most as usize));
    }
}

impl Ear {
    /// Takes what the loudspeaker played, 16 kHz mono, while the sound was captured that is to be processed
    /// next; empty when it is not known. Whether some of it may be `left` in that sound, because the echo
    /// canceller is still learning the room: then only a wake word interrupts.
    pub fn own_voice(&mut self, played: &[f32], left: bool) {
        self.own_voice.left = left;
        self.own_voice.hear(played);
    }

    /// Whether the wake word is one that Hark itself has just said: a canceller leaves too little of its
    /// voice to understand, but a wake engine hears whispers.
    pub(super) fn said_it_itself(&mut self, word: &str) -> bool {
        let Some(wake) = self.wake.as_mut().filter(|_| !self.own_voice.played.is_empty()) else {
            return false;
        };
        // One that cannot be looked at counts: Hark is not to become deaf.
        wake.is_in(word, &self.own_voice.played).unwrap_or_else(|fault| {
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
        let mut voice = OwnVoice::default();
        voice.hear(&[0.5; 40_000]);
        assert_eq!(voice.played.len(), 32_000);
        voice.hear(&[0.0; 16_000]);
        assert_eq!(voice.played[15_999..16_001], [0.5, 0.0]);
        voice.hear(&[0.0; 16_000]);
        assert!(voice.played.is_empty());
        voice.hear(&[0.0; 160]);
        assert!(voice.played.is_empty());
        voice.hear(&[0.1; 160]);
        assert_eq!(voice.played.len(), 160);
    }
}
