//! How long the ear may be left alone: it costs least when it is called seldom, with much sound at a time.

use super::{Ear, State};
use hark_core::VAD_BLOCK_SAMPLES;
use hark_core::audio::ms_to_samples;

/// Nobody speaks when it has been silent for this long: no word can be under way then. The wake engine
/// rests.
const NOBODY_AFTER_MS: u64 = 2500;

/// Blocks that may wait while nobody speaks: 192 ms. No wake word is over sooner, and a model that runs
/// on several blocks in a row costs half of what it costs when it comes to each with cold caches.
const RESTING_BLOCKS: usize = 6;

impl Ear {
    /// Samples that may come before [`Ear::process`] must be called again; it has nothing to tell before.
    /// None while a request or an interruption may begin, end or be recognised. Asleep it has news only
    /// when a hop of the wake engine is whole, and where nobody speaks not before somebody does.
    pub fn patience_samples(&self) -> usize {
        let asleep = matches!(self.state, State::Asleep) && self.watch.is_none() && self.untold.is_empty();
        if !asleep {
            return 0;
        }
        let blocks = match &self.wake {
            Some(wake) if !self.muted && !self.nobody_speaks() => {
                // The wake engine gets whole blocks.
                wake.missing_samples().div_ceil(VAD_BLOCK_SAMPLES)
            }
            _ => RESTING_BLOCKS,
        };
        (blocks * VAD_BLOCK_SAMPLES).saturating_sub(self.incoming.len())
    }

    /// Whether it has been silent for so long that no word can be under way.
    pub(super) fn nobody_speaks(&self) -> bool {
        self.position - self.last_sound > ms_to_samples(NOBODY_AFTER_MS)
    }
}
