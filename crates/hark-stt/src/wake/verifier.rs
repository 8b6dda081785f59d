//! Verifies a wake word detection before it wakes: there must have been voice activity, and the keyphrase spotter must
//! find the word too. A sound from a television that resembles the word for one engine rarely does for both.

use crate::stt::grammar::{KeyphraseHit, KeyphraseSpotter};
use hark_core::Fault;
use hark_core::audio::to_i16;

/// How much sound up to the detection is looked at.
pub const VERIFIED_MS: u64 = 2000;
/// Voice that a spoken word has at least.
const MIN_VOICED_MS: u64 = 96;
/// Evidence for each sound from which the words count as heard, in powers of ten: the first engine has heard them
/// already.
const MIN_DECADES_PER_PHONE: f32 = -5.5;
/// Silence behind the sound, so that a word at its very end is told of: the spotter waits for 100 ms.
const FLUSH_SAMPLES: usize = 3200;

/// The verifier.
pub struct WakeVerifier {
    /// `None`: only voice activity is checked.
    words: Option<SpottedWords>,
}

struct SpottedWords {
    names: Vec<String>,
    spotter: KeyphraseSpotter,
}

impl WakeVerifier {
    /// Checks for voice activity.
    pub fn voice() -> Self {
        Self { words: None }
    }

    /// And whether the spotter hears the words; `names`: those of the wake words in the order of its phrases.
    pub fn words(names: Vec<String>, spotter: KeyphraseSpotter) -> Self {
        Self { words: Some(SpottedWords { names, spotter }) }
    }

    /// What the name of a trained wake word says: `hey_jarvis_v0.1` is "hey jarvis".
    pub fn phrase_of(name: &str) -> String {
        let parts = name.split(['_', '-', ' ']);
        let words = parts.filter(|part| !part.is_empty() && !part.contains(|c: char| c.is_ascii_digit()));
        words.collect::<Vec<_>>().join(" ").to_lowercase()
    }

    /// Why the word was not said after all; `None` when it was.
    pub(super) fn rejection(
        &mut self,
        word: &str,
        sound: &[f32],
        voiced_ms: u64,
    ) -> Result<Option<String>, Fault> {
        if voiced_ms < MIN_VOICED_MS {
            return Ok(Some("there was no voice at that moment".into()));
        }
        let Some(SpottedWords { names, spotter }) = &mut self.words else { return Ok(None) };
        let samples = sound.iter().map(|sample| to_i16(*sample));
        let samples: Vec<i16> = samples.chain(std::iter::repeat_n(0, FLUSH_SAMPLES)).collect();
        let mut spotted = Vec::new();
        spotter.restart()?;
        spotter.listen(&samples, &mut spotted)?;
        let heard = |it: &KeyphraseHit| {
            names.get(it.phrase).is_some_and(|name| name == word)
                && it.decades_per_phone >= MIN_DECADES_PER_PHONE
        };
        let was_heard = spotted.iter().any(heard);
        Ok((!was_heard).then(|| "the keyphrase spotter did not find its words".into()))
    }
}
