//! When a request begins and when it is over, from voice activity alone. Pure: no clock but the
//! positions it is given.

use super::vad::{GateChange, SpeechGate};
use crate::config;
use crate::domain::audio::ms_to_samples;
use crate::domain::{Endpoint, VAD_BLOCK_SAMPLES};

/// What a block did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EndpointChange {
    /// Nothing.
    None,
    /// Speech is certain; it began at this position.
    SpeechStarted { onset: u64 },
    /// The request is over.
    Ended { endpoint: Endpoint, silence_ms: u64 },
    /// Nobody spoke within the window.
    NothingSaid,
}

/// Follows one request: waits for speech, then for its end. Positions are in 16 kHz samples.
#[derive(Debug, Clone)]
pub struct Endpointer {
    gate: SpeechGate,
    silence_ms: u64,
    max_samples: u64,
    /// Blocks that begin before this position are not part of the request.
    from: u64,
    /// Where waiting for the first word ends.
    give_up_at: u64,
    onset: Option<u64>,
}

impl Endpointer {
    /// Waits for a request that begins at `from` or later, until `give_up_at`.
    pub fn new(
        vad: &config::vad::Vad,
        endpoint: &config::endpoint::EndpointConfig,
        from: u64,
        give_up_at: u64,
    ) -> Self {
        Self {
            gate: SpeechGate::new(vad),
            silence_ms: u64::from(endpoint.silence_ms),
            max_samples: ms_to_samples(u64::from(endpoint.max_utterance_ms)),
            from,
            give_up_at,
            onset: None,
        }
    }

    /// The same for a request that follows on a wake word, perhaps in the same breath.
    pub fn after_wake_word(
        vad: &config::vad::Vad,
        endpoint: &config::endpoint::EndpointConfig,
        from: u64,
        give_up_at: u64,
    ) -> Self {
        Self { gate: SpeechGate::after_wake_word(vad), ..Self::new(vad, endpoint, from, give_up_at) }
    }

    /// Takes the speech probability of the next block, which ends at `end`. Must not be called again
    /// after `Ended` or `NothingSaid`.
    pub fn block(&mut self, end: u64, probability: f32) -> EndpointChange {
        let length = VAD_BLOCK_SAMPLES as u64;
        // Half a block of the wake word's own end does no harm and saves half a block of the request.
        if end < self.from + length / 2 {
            return EndpointChange::None;
        }
        if let GateChange::Started { blocks_ago } = self.gate.push(probability) {
            let onset = (end - (u64::from(blocks_ago) * length).min(end)).max(self.from);
            self.onset = Some(onset);
            return EndpointChange::SpeechStarted { onset };
        }
        match self.onset {
            None if end >= self.give_up_at && !self.gate.undecided() => EndpointChange::NothingSaid,
            None => EndpointChange::None,
            Some(_) if self.gate.silence_ms() >= self.silence_ms => self.ended(Endpoint::Silence),
            Some(onset) if end - onset >= self.max_samples => self.ended(Endpoint::Max),
            Some(_) => EndpointChange::None,
        }
    }

    fn ended(&self, endpoint: Endpoint) -> EndpointChange {
        EndpointChange::Ended { endpoint, silence_ms: self.silence_ms() }
    }

    /// Milliseconds since the last voiced block ended.
    pub fn silence_ms(&self) -> u64 {
        self.gate.silence_ms()
    }

    /// Whether speech has started.
    pub fn started(&self) -> bool {
        self.onset.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BLOCK: u64 = VAD_BLOCK_SAMPLES as u64;

    fn endpointer(from: u64, window_ms: u64) -> Endpointer {
        let vad = config::vad::Vad { threshold: 0.5, threshold_off: 0.35, min_speech_ms: 96 };
        let endpoint =
            config::endpoint::EndpointConfig { silence_ms: 320, max_utterance_ms: 2000, nothing_said_ms: 0 };
        Endpointer::new(&vad, &endpoint, from, from + ms_to_samples(window_ms))
    }

    /// Runs blocks given as `(count, probability)` and lists what happened and at which block.
    fn run(endpointer: &mut Endpointer, script: &[(usize, f32)]) -> Vec<(u64, EndpointChange)> {
        let blocks = script.iter().flat_map(|(count, probability)| std::iter::repeat_n(*probability, *count));
        let changes = blocks.zip(1..).map(|(probability, n)| (n, endpointer.block(n * BLOCK, probability)));
        changes.filter(|(_, change)| *change != EndpointChange::None).collect()
    }

    #[test]
    fn a_request_ends_after_its_silence() {
        let changes = run(&mut endpointer(0, 5000), &[(10, 0.0), (20, 0.9), (10, 0.0)]);
        let ended = EndpointChange::Ended { endpoint: Endpoint::Silence, silence_ms: 320 };
        assert_eq!(changes, [(13, EndpointChange::SpeechStarted { onset: 10 * BLOCK }), (40, ended)]);
    }

    #[test]
    fn a_pause_within_a_request_does_not_end_it() {
        let changes = run(&mut endpointer(0, 5000), &[(10, 0.9), (9, 0.0), (10, 0.9), (9, 0.0)]);
        assert_eq!(changes, [(3, EndpointChange::SpeechStarted { onset: 0 })]);
    }

    #[test]
    fn the_hard_limit_ends_a_request_that_does_not_stop() {
        let changes = run(&mut endpointer(0, 5000), &[(63, 0.9)]);
        let ended = EndpointChange::Ended { endpoint: Endpoint::Max, silence_ms: 0 };
        assert_eq!(changes[1], (63, ended));
    }

    #[test]
    fn silence_gives_up_at_the_end_of_the_window() {
        let changes = run(&mut endpointer(0, 1000), &[(32, 0.0)]);
        assert_eq!(changes, [(32, EndpointChange::NothingSaid)]);
    }

    #[test]
    fn somebody_who_has_just_begun_at_the_end_of_the_window_is_heard() {
        let changes = run(&mut endpointer(0, 1000), &[(30, 0.0), (3, 0.9)]);
        assert_eq!(changes, [(33, EndpointChange::SpeechStarted { onset: 30 * BLOCK })]);
    }

    #[test]
    fn what_was_before_the_request_does_not_count() {
        // Speech of the wake word up to block 10; the request is silence.
        let changes = run(&mut endpointer(10 * BLOCK, 640), &[(10, 0.9), (20, 0.0)]);
        assert_eq!(changes, [(30, EndpointChange::NothingSaid)]);
    }

    #[test]
    fn in_one_breath_the_request_begins_where_the_wake_word_ended() {
        let from = 10 * BLOCK + 100;
        let changes = run(&mut endpointer(from, 5000), &[(30, 0.9)]);
        assert_eq!(changes, [(13, EndpointChange::SpeechStarted { onset: from })]);
    }
}
