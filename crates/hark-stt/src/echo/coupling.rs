//! Detects whether the microphone picks up the loudspeaker at all. A canceller that has not met an echo yet takes a
//! person's voice for one. With headphones, or a loudspeaker in another room, there is nothing to cancel.

/// Power of the loudspeaker's signal from which an echo would be heard: −35 dB of full scale.
const MIN_LOUD_POWER: f32 = 3.2e-4;
/// Blocks of 4 ms it must have been loud without a break, so that the echo had time to come: 400 ms.
const SETTLED_BLOCKS: u32 = 100;
/// The microphone's part of the loudspeaker's power below which there is no echo: −45 dB.
const MAX_UNCOUPLED_GAIN: f32 = 3.2e-5;
/// Blocks of loud sound without such an instant after which an echo is reckoned with again: 4 s. A person
/// who speaks meanwhile pauses in between.
const DOUBT_BLOCKS: u32 = 1000;

/// Follows the powers of both sides, averaged over 160 ms.
#[derive(Debug, Clone, Default)]
pub(super) struct Coupling {
    loud_blocks: u32,
    without_silence: u32,
    free: bool,
}

impl Coupling {
    /// Takes the powers after the next block.
    pub(super) fn block(&mut self, played: f32, heard: f32) {
        self.loud_blocks = if played > MIN_LOUD_POWER { self.loud_blocks.saturating_add(1) } else { 0 };
        if self.loud_blocks < SETTLED_BLOCKS {
            return;
        }
        self.without_silence = if heard < played * MAX_UNCOUPLED_GAIN { 0 } else { self.without_silence + 1 };
        if self.without_silence == 0 {
            self.free = true;
        } else if self.without_silence > DOUBT_BLOCKS {
            (self.free, self.without_silence) = (false, 0);
        }
    }

    /// Whether the microphone is known to hear nothing of the loudspeaker.
    pub(super) fn is_free(&self) -> bool {
        self.free
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(coupling: &mut Coupling, blocks: u32, played: f32, heard: f32) -> bool {
        (0..blocks).for_each(|_| coupling.block(played, heard));
        coupling.is_free()
    }

    #[test]
    fn silence_while_the_loudspeaker_is_loud_means_no_echo_until_it_is_long_gone() {
        let mut coupling = Coupling::default();
        assert!(!after(&mut coupling, 99, 0.01, 0.0), "an echo would not have come yet");
        assert!(!after(&mut coupling, 50, 0.0, 0.0), "nothing is played");
        assert!(after(&mut coupling, 100, 0.01, 0.0));
        assert!(after(&mut coupling, 500, 0.01, 0.01), "somebody speaks");
        assert!(after(&mut coupling, 100, 0.01, 0.0));
        assert!(after(&mut coupling, 900, 0.01, 0.01));
        assert!(!after(&mut coupling, 200, 0.01, 0.01), "that is an echo");
    }

    #[test]
    fn an_echo_is_never_taken_for_none() {
        let mut coupling = Coupling::default();
        assert!(!after(&mut coupling, 5000, 0.01, 0.01 * 1e-4), "40 dB weaker than what is played");
    }
}
