//! Detects whether the microphone picks up the loudspeaker at all. A canceller that has not met an echo yet takes a
//! person's voice for one. With headphones, or a loudspeaker in another room, there is nothing to cancel.

/// Power of the loudspeaker's signal from which an echo would be heard: −35 dB of full scale.
const MIN_LOUD_POWER: f32 = 3.2e-4;
/// The microphone's part of the loudspeaker's power below which there is no echo: −45 dB.
const MAX_UNCOUPLED_GAIN: f32 = 3.2e-5;
/// The longest an echo is awaited, in blocks of 4 ms: 400 ms.
const DELAYS: usize = 100;
/// Blocks of loud sound without a proof that there is no echo after which one is reckoned with again: 4 s. A person
/// who speaks meanwhile pauses in between.
const DOUBT_BLOCKS: u32 = 1000;

/// Blocks over which both powers are averaged: 20 ms. Longer, a request that has just ended would hide the silence
/// behind it: what it leaves must fall by 45 dB within a short reply.
const AVERAGED_BLOCKS: f32 = 5.0;

/// Follows the powers of both sides. An echo of a delay is ruled out by one instant at which the
/// microphone is silent so long after loud sound; there is none at all when every delay is ruled out.
#[derive(Debug, Clone)]
pub(super) struct Coupling {
    heard: f32,
    /// Powers of the loudspeaker's last blocks, a ring; where its next one belongs.
    played: [f32; DELAYS],
    next: usize,
    ruled_out: [bool; DELAYS],
    unproven_blocks: u32,
    free: bool,
}

impl Default for Coupling {
    fn default() -> Self {
        let (played, ruled_out) = ([0.0; DELAYS], [false; DELAYS]);
        Self { heard: 0.0, played, next: 0, ruled_out, unproven_blocks: 0, free: false }
    }
}

impl Coupling {
    /// The place in the loudspeaker's stream was moved: its powers so far belong to other delays, and an echo may have
    /// been beyond all of them.
    pub(super) fn place_moved(&mut self) {
        *self = Self { heard: self.heard, ..Self::default() };
    }

    /// Takes the mean squares of the next block.
    pub(super) fn block(&mut self, played: f32, heard: f32) {
        let before = self.played[(self.next + DELAYS - 1) % DELAYS];
        let played = before + (played - before) / AVERAGED_BLOCKS;
        self.heard += (heard - self.heard) / AVERAGED_BLOCKS;
        self.played[self.next] = played;
        for (ago, ruled_out) in self.ruled_out.iter_mut().enumerate() {
            let played = self.played[(self.next + DELAYS - ago) % DELAYS];
            *ruled_out |= played > MIN_LOUD_POWER && self.heard < played * MAX_UNCOUPLED_GAIN;
        }
        self.next = (self.next + 1) % DELAYS;
        // After silence the delay may be another one.
        if self.played.iter().all(|played| *played <= MIN_LOUD_POWER) {
            self.ruled_out = [false; DELAYS];
        }
        self.unproven_blocks += u32::from(played > MIN_LOUD_POWER);
        if self.ruled_out.iter().all(|ruled_out| *ruled_out) {
            (self.free, self.unproven_blocks) = (true, 0);
            self.ruled_out = [false; DELAYS];
        } else if self.unproven_blocks > DOUBT_BLOCKS {
            (self.free, self.unproven_blocks) = (false, 0);
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
        assert!(after(&mut coupling, 1, 0.0, 0.0), "it would come now");
        let mut coupling = Coupling::default();
        assert!(!after(&mut coupling, 200, 0.0, 0.0), "nothing is played");
        assert!(after(&mut coupling, 100, 0.01, 0.0));
        assert!(after(&mut coupling, 500, 0.01, 0.01), "somebody speaks");
        assert!(after(&mut coupling, 100, 0.01, 0.0));
        assert!(after(&mut coupling, 900, 0.01, 0.01));
        assert!(!after(&mut coupling, 200, 0.01, 0.01), "that is an echo");
    }

    #[test]
    fn speech_shows_it_although_it_pauses() {
        let mut coupling = Coupling::default();
        let words = |coupling: &mut Coupling| {
            after(coupling, 60, 0.01, 0.0);
            after(coupling, 30, 0.0, 0.0)
        };
        assert!(!words(&mut coupling), "two thirds of the delays are left");
        assert!(words(&mut coupling));
    }

    #[test]
    fn what_an_earlier_delay_ruled_out_does_not_count_after_silence() {
        let mut coupling = Coupling::default();
        // An echo 60 blocks late, then one without delay.
        after(&mut coupling, 60, 0.01, 0.0);
        after(&mut coupling, 200, 0.0, 0.01);
        assert!(!after(&mut coupling, 60, 0.01, 0.01));
        assert!(!after(&mut coupling, 200, 0.0, 0.0));
    }

    #[test]
    fn a_moved_place_makes_no_echo_seem_gone() {
        // Words of 60 blocks, and their echo 20 blocks behind the place that is read.
        let block = |coupling: &mut Coupling, at: u32, place: u32| {
            let sound = |at: u32| if at % 90 < 60 { 0.01 } else { 0.0 };
            coupling.block(sound(at + place), sound(at));
        };
        let mut coupling = Coupling::default();
        (0..300).for_each(|at| block(&mut coupling, at, 20));
        assert!(!coupling.is_free());
        coupling.place_moved();
        (300..600).for_each(|at| block(&mut coupling, at, 50));
        assert!(!coupling.is_free(), "powers from before the move rule nothing out");
        // Where the place is too far off, every delay seems to be without an echo.
        let mut coupling = Coupling::default();
        assert!(after(&mut coupling, 100, 0.01, 0.0));
        coupling.place_moved();
        assert!(!coupling.is_free(), "that was said of another place");
    }

    #[test]
    fn an_echo_is_never_taken_for_none() {
        let mut coupling = Coupling::default();
        assert!(!after(&mut coupling, 5000, 0.01, 0.01 * 1e-4), "40 dB weaker than what is played");
    }
}
