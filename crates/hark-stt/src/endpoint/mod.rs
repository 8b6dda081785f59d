//! Endpointing: when a request begins and ends, from voice activity and from whether the words so far are a whole
//! sentence. Pure: its only clock is the sample positions it is given.

pub mod likelihood;

use crate::vad::{GateChange, SpeechGate};
use hark_config as config;
use hark_core::audio::ms_to_samples;
use hark_core::{Endpoint, VAD_BLOCK_SAMPLES};
use likelihood::{Evidence, wait};

/// Silence from which the end may be near: half of the stops within words are shorter.
const SHORT_SILENCE_MS: u64 = 32;
/// Silence from which the words so far are worth a look: shorter ones are the stops within words.
const DRAFT_AFTER_MS: u64 = 64;

/// What a block did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EndpointChange {
    /// Nothing.
    None,
    /// Speech is certain; it began at this position.
    SpeechStarted { onset: u64 },
    /// It has become quiet, perhaps only within a word.
    ShortSilence,
    /// A pause that may be the end: time to find out what was said so far.
    Paused,
    /// It was not the end.
    Resumed,
    /// The request is over.
    Ended { endpoint: Endpoint, silence_ms: u64 },
    /// No speech began within the window.
    NothingSaid,
}

/// Follows one request: waits for speech, then for its end. Positions are in 16 kHz samples.
#[derive(Debug, Clone)]
pub struct Endpointer {
    gate: SpeechGate,
    limits: config::endpoint::EndpointConfig,
    /// Silence that ends the request, and what that is called.
    patience: (u64, Endpoint),
    hushed: bool,
    paused: bool,
    /// Silence that the level shows.
    silence_by_level_ms: u64,
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
            patience: (u64::from(endpoint.silence_ms), Endpoint::Silence),
            limits: endpoint.clone(),
            hushed: false,
            paused: false,
            silence_by_level_ms: 0,
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
            Some(onset) => self.hearing(end - onset),
        }
    }

    /// Takes for how long it has been quiet up to `end`, between two blocks. The level shows the end of
    /// speech sooner than voice activity does; the longer of the two silences counts.
    pub fn silence(&mut self, end: u64, silence_by_level_ms: u64) -> EndpointChange {
        self.silence_by_level_ms = silence_by_level_ms;
        self.onset.map_or(EndpointChange::None, |onset| self.hearing(end.saturating_sub(onset)))
    }

    /// The request has lasted this many samples.
    fn hearing(&mut self, length: u64) -> EndpointChange {
        let silence_ms = self.silence_ms();
        if length >= ms_to_samples(u64::from(self.limits.max_utterance_ms)) {
            return self.ended(Endpoint::Max);
        }
        if self.paused && silence_ms == 0 {
            self.paused = false;
            self.patience = (u64::from(self.limits.silence_ms), Endpoint::Silence);
            return EndpointChange::Resumed;
        }
        if silence_ms >= self.patience.0 {
            return self.ended(self.patience.1);
        }
        if !self.paused && silence_ms >= DRAFT_AFTER_MS {
            (self.hushed, self.paused) = (true, true);
            return EndpointChange::Paused;
        }
        let hushed_before = std::mem::replace(&mut self.hushed, silence_ms >= SHORT_SILENCE_MS);
        if self.hushed && !hushed_before && !self.paused {
            return EndpointChange::ShortSilence;
        }
        EndpointChange::None
    }

    /// Takes what is known of this pause: how long is waited follows from it, and perhaps the waiting is over already. Counts
    /// until the person goes on.
    pub fn weigh(&mut self, evidence: &Evidence) -> EndpointChange {
        let Some(patience) = wait(evidence, &self.limits) else { return EndpointChange::None };
        self.patience = patience;
        match self.paused && self.silence_ms() >= self.patience.0 {
            true => self.ended(self.patience.1),
            false => EndpointChange::None,
        }
    }

    /// How long silence must last to end the request, in milliseconds, as far as is known.
    pub fn wait_ms(&self) -> u64 {
        self.patience.0
    }

    fn ended(&self, endpoint: Endpoint) -> EndpointChange {
        EndpointChange::Ended { endpoint, silence_ms: self.silence_ms() }
    }

    /// Milliseconds since the last sound of the request.
    pub fn silence_ms(&self) -> u64 {
        self.gate.silence_ms().max(self.silence_by_level_ms)
    }

    /// Whether speech has started.
    pub fn started(&self) -> bool {
        self.onset.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hark_config::endpoint::EndpointMode;
    use hark_core::ports::Completeness;

    /// Nothing but the words is known.
    fn words(completeness: Completeness) -> Evidence {
        Evidence { completeness, ..Evidence::default() }
    }

    const BLOCK: u64 = VAD_BLOCK_SAMPLES as u64;

    fn endpointer(from: u64, window_ms: u64) -> Endpointer {
        let vad = config::vad::Vad { threshold: 0.5, threshold_off: 0.35, min_speech_ms: 96 };
        let endpoint = config::endpoint::EndpointConfig {
            silence_ms: 320,
            max_utterance_ms: 2000,
            nothing_said_ms: 0,
            mode: EndpointMode::Words,
            ..Default::default()
        };
        Endpointer::new(&vad, &endpoint, from, from + ms_to_samples(window_ms))
    }

    /// Runs blocks given as `(count, probability)` and lists what happened and at which block.
    fn run(endpointer: &mut Endpointer, script: &[(usize, f32)]) -> Vec<(u64, EndpointChange)> {
        let blocks = script.iter().flat_map(|(count, probability)| std::iter::repeat_n(*probability, *count));
        let changes = blocks.zip(1..).map(|(probability, n)| (n, endpointer.block(n * BLOCK, probability)));
        let told = |change| !matches!(change, EndpointChange::None | EndpointChange::ShortSilence);
        changes.filter(|(_, change)| told(*change)).collect()
    }

    #[test]
    fn a_request_ends_after_its_silence() {
        let changes = run(&mut endpointer(0, 5000), &[(10, 0.0), (20, 0.9), (10, 0.0)]);
        let ended = EndpointChange::Ended { endpoint: Endpoint::Silence, silence_ms: 320 };
        let started = EndpointChange::SpeechStarted { onset: 10 * BLOCK };
        assert_eq!(changes, [(13, started), (32, EndpointChange::Paused), (40, ended)]);
    }

    #[test]
    fn a_pause_within_a_request_does_not_end_it() {
        let changes = run(&mut endpointer(0, 5000), &[(10, 0.9), (9, 0.0), (10, 0.9), (9, 0.0)]);
        use EndpointChange::{Paused, Resumed, SpeechStarted};
        assert_eq!(changes, [(3, SpeechStarted { onset: 0 }), (12, Paused), (20, Resumed), (31, Paused)]);
    }

    #[test]
    fn that_it_has_become_quiet_is_told_once_a_pause_and_before_the_pause() {
        let mut endpointer = endpointer(0, 5000);
        run(&mut endpointer, &[(10, 0.9)]);
        let mut told = Vec::new();
        for (n, silence_by_level_ms) in
            [8, 16, 24, 32, 40, 48, 0, 8, 32, 64, 0, 64, 72].into_iter().enumerate()
        {
            let change = endpointer.silence(10 * BLOCK + n as u64 * 128, silence_by_level_ms);
            told.extend((change != EndpointChange::None).then_some((silence_by_level_ms, change)));
        }
        use EndpointChange::{Paused, Resumed, ShortSilence};
        assert_eq!(told, [(32, ShortSilence), (32, ShortSilence), (64, Paused), (0, Resumed), (64, Paused)]);
    }

    #[test]
    fn what_the_words_mean_decides_how_long_is_waited() {
        use Completeness::{Complete, MayContinue, Unfinished, Unknown};
        for (said, end_block, endpoint) in [
            (Complete, 14, Endpoint::Complete),
            (MayContinue, 18, Endpoint::Silence),
            (Unknown, 20, Endpoint::Silence),
            (Unfinished, 39, Endpoint::Silence),
        ] {
            let mut endpointer = endpointer(0, 5000);
            let before = run(&mut endpointer, &[(10, 0.9), (2, 0.0)]);
            assert_eq!(before.last(), Some(&(12, EndpointChange::Paused)));
            assert_eq!(endpointer.weigh(&words(said)), EndpointChange::None);
            let silence = (13..60).map(|n| (n, endpointer.block(n * BLOCK, 0.0)));
            let ended = silence.into_iter().find(|(_, change)| *change != EndpointChange::None);
            let silence_ms = (end_block - 10) * 32;
            assert_eq!(ended, Some((end_block, EndpointChange::Ended { endpoint, silence_ms })), "{said:?}");
        }
    }

    #[test]
    fn silence_alone_can_end_a_request_whatever_its_words() {
        use Completeness::{Complete, MayContinue, Unfinished};
        for said in [Complete, MayContinue, Unfinished] {
            let mut endpointer = endpointer(0, 5000);
            endpointer.limits.mode = EndpointMode::Silence;
            run(&mut endpointer, &[(10, 0.9), (2, 0.0)]);
            assert_eq!(endpointer.weigh(&words(said)), EndpointChange::None);
            let silence = (13..60).map(|n| (n, endpointer.block(n * BLOCK, 0.0)));
            let ended = silence.into_iter().find(|(_, change)| *change != EndpointChange::None);
            let expected = EndpointChange::Ended { endpoint: Endpoint::Silence, silence_ms: 320 };
            assert_eq!(ended, Some((20, expected)), "{said:?}");
        }
    }

    #[test]
    fn a_late_answer_ends_at_once_and_an_old_one_counts_no_more() {
        let mut late = endpointer(0, 5000);
        run(&mut late, &[(10, 0.9), (6, 0.0)]);
        let ended = EndpointChange::Ended { endpoint: Endpoint::Complete, silence_ms: 192 };
        assert_eq!(late.weigh(&words(Completeness::Complete)), ended);

        let mut gone_on = endpointer(0, 5000);
        run(&mut gone_on, &[(10, 0.9), (2, 0.0)]);
        gone_on.weigh(&words(Completeness::Complete));
        let changes: Vec<_> = (13..24).map(|n| gone_on.block(n * BLOCK, f32::from(n < 15))).collect();
        assert_eq!(changes[0], EndpointChange::Resumed);
        assert!(!changes.iter().any(|change| matches!(change, EndpointChange::Ended { .. })), "{changes:?}");
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
