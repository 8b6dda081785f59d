//! A second look at a wake word before it wakes: whether somebody spoke at all, and whether a recogniser of words hears
//! the word too. What a television says that only sounds like it to the first engine does not to both.

use crate::stt::grammar::{Keyphrases, Spotted};
use hark_core::Fault;
use hark_core::audio::to_i16;

/// How much sound up to the detection is looked at.
pub const LOOKED_AT_MS: u64 = 2000;
/// Voice that a spoken word has at least.
const LEAST_VOICED_MS: u64 = 96;
/// Evidence for each sound from which the words count as heard, in powers of ten: the first engine has heard them
/// already.
const LEAST_DECADES_A_SOUND: f32 = -5.5;
/// Silence behind the sound, so that a word at its very end is told of: the spotter waits for 100 ms.
const FLUSH_SAMPLES: usize = 3200;

/// See the module.
pub struct SecondLook {
    /// `None`: only whether somebody spoke.
    words: Option<Words>,
}

struct Words {
    names: Vec<String>,
    spotter: Keyphrases,
}

impl SecondLook {
    /// Looks whether somebody spoke.
    pub fn voice() -> Self {
        Self { words: None }
    }

    /// And whether the spotter hears the words; `names`: those of the wake words in the order of its phrases.
    pub fn words(names: Vec<String>, spotter: Keyphrases) -> Self {
        Self { words: Some(Words { names, spotter }) }
    }

    /// What the name of a trained wake word says: `hey_jarvis_v0.1` is "hey jarvis".
    pub fn phrase_of(name: &str) -> String {
        let parts = name.split(['_', '-', ' ']);
        let words = parts.filter(|part| !part.is_empty() && !part.contains(|c: char| c.is_ascii_digit()));
        words.collect::<Vec<_>>().join(" ").to_lowercase()
    }

    /// Why the word was not said after all; `None` when it was.
    pub(super) fn doubt(
        &mut self,
        word: &str,
        sound: &[f32],
        voiced_ms: u64,
    ) -> Result<Option<String>, Fault> {
        if voiced_ms < LEAST_VOICED_MS {
            return Ok(Some("nobody spoke just then".into()));
        }
        let Some(Words { names, spotter }) = &mut self.words else { return Ok(None) };
        let samples = sound.iter().map(|sample| to_i16(*sample));
        let samples: Vec<i16> = samples.chain(std::iter::repeat_n(0, FLUSH_SAMPLES)).collect();
        let mut spotted = Vec::new();
        spotter.restart()?;
        spotter.listen(&samples, &mut spotted)?;
        let heard = |it: &Spotted| {
            names.get(it.phrase).is_some_and(|name| name == word)
                && it.decades_a_sound >= LEAST_DECADES_A_SOUND
        };
        let was_heard = spotted.iter().any(heard);
        Ok((!was_heard).then(|| "its words were not heard at a second look".into()))
    }
}
