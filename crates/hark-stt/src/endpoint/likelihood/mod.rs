//! How likely a speaker goes on after a pause, and how long is waited for that. Owns the one function that decides it
//! ([`Weights::log_odds`]) and how long follows from it ([`wait`]); called by the audio pipeline at every pause, and by `hark eval
//! endpoint`, which learns the weights.
//!
//! The evidence: how many of the home's sentences go on behind these words, level and pitch of the last sounds against
//! those of the request ([`prosody`]), the speaker's pace, and what Smart Turn says ([`smart_turn`]). Its weighted sum is the
//! logarithm of the odds that the speaker goes on. Silence is evidence, too: while the odds of a speaker who goes on fall with
//! every moment (pauses within requests last [`Weights::pause_ms`] on average, exponentially distributed), the request is taken to
//! be over when they have fallen to those of `endpoint.risk`:
//!
//! > `wait = SHORTEST + pause_ms × (log_odds − ln(risk / (1 − risk)))`

pub mod prosody;
pub mod smart_turn;
pub mod smart_turn_worker;

use hark_config::endpoint::{EndpointConfig, EndpointMode};
use hark_core::Endpoint;
use hark_core::ports::Completeness;
use prosody::Prosody;
use serde::{Deserialize, Serialize};
use std::sync::LazyLock;

/// Pauses that are shorter are stops within words; the odds are those of pauses that have lasted so long.
pub const SHORTEST_PAUSE_MS: u64 = 120;

/// What is known at a pause.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Evidence {
    /// How far the words are a sentence.
    pub completeness: Completeness,
    /// Of the sentences that begin with them the share that goes on.
    pub share_going_on: Option<f32>,
    /// How many words there are.
    pub words: usize,
    /// How long the speaker has spoken, without the pause.
    pub spoken_ms: u64,
    /// How the last sounds were said.
    pub prosody: Prosody,
    /// Likelihood that the turn is over by the sound alone, after Smart Turn; `None` when it was not asked, or has not
    /// answered yet.
    pub smart_turn: Option<f32>,
}

/// Names of the numbers that evidence is made into, in their order.
pub const FEATURES: [&str; 9] =
    ["bias", "unknown_words", "share", "level", "pitch", "pitch_slope", "last_sound", "pace", "smart_turn"];

impl Evidence {
    /// The evidence as numbers of about −1 to 1; 0 is what says nothing.
    pub fn features(&self) -> [f32; FEATURES.len()] {
        let is_known = !matches!(self.completeness, Completeness::Unknown);
        let share = match (self.completeness, self.share_going_on) {
            (Completeness::Unknown, _) => 0.5,
            // Here another meaning counts, and there is none.
            (Completeness::Complete, _) => 0.0,
            (Completeness::Unfinished, _) => 1.0,
            (Completeness::MayContinue, share) => share.unwrap_or(0.5),
        };
        let seconds_a_word = self.spoken_ms as f32 / 1000.0 / self.words.max(1) as f32;
        [
            1.0,
            if is_known { 0.0 } else { 1.0 },
            logit(share) / MAX_LOGIT,
            (self.prosody.level_db / 20.0).clamp(-1.0, 1.0),
            (self.prosody.pitch_semitones / 6.0).clamp(-1.0, 1.0),
            (self.prosody.pitch_slope / 6.0).clamp(-1.0, 1.0),
            (self.prosody.last_sound_ms as f32 / 400.0).min(1.0),
            if self.words == 0 { 0.0 } else { (seconds_a_word / USUAL_SECONDS_A_WORD).ln().clamp(-1.0, 1.0) },
            self.smart_turn.map_or(0.0, |over| -logit(over) / MAX_LOGIT),
        ]
    }
}

/// Odds are not taken to be farther from even.
const MAX_LOGIT: f32 = 4.0;
/// Of a request in English, its short stops counted.
const USUAL_SECONDS_A_WORD: f32 = 0.35;

/// Logarithm of the odds, in natural units, within ±`MAX_LOGIT`.
fn logit(share: f32) -> f32 {
    (share / (1.0 - share)).ln().clamp(-MAX_LOGIT, MAX_LOGIT)
}

/// What the evidence weighs. Learned by `hark eval endpoint --learn` on recordings of people.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Weights {
    /// One for each of [`FEATURES`], where Smart Turn has not answered.
    pub alone: [f32; FEATURES.len()],
    /// The same, where it has.
    pub with_smart_turn: [f32; FEATURES.len()],
    /// By how many milliseconds pauses within requests are longer than [`SHORTEST_PAUSE_MS`], on average.
    pub pause_ms: f32,
}

impl Weights {
    /// Those that Hark comes with.
    pub fn shipped() -> &'static Self {
        #[expect(clippy::expect_used, reason = "see below")]
        static SHIPPED: LazyLock<Weights> = LazyLock::new(|| {
            // The file is built in, and a test reads it.
            serde_json::from_str(include_str!("weights.json")).expect("weights.json is whole")
        });
        &SHIPPED
    }

    /// Logarithm of the odds that the speaker goes on, after a pause of [`SHORTEST_PAUSE_MS`].
    pub fn log_odds(&self, evidence: &Evidence) -> f32 {
        let weights = if evidence.smart_turn.is_some() { &self.with_smart_turn } else { &self.alone };
        weights.iter().zip(evidence.features()).map(|(weight, feature)| weight * feature).sum()
    }

    /// Silence after which a request is over, when at most this share of those that go on so is to be cut off.
    ///
    /// Not limited: less than 0 where it is over at once.
    pub fn wait_ms(&self, evidence: &Evidence, risk: f32) -> f32 {
        let accepted = (risk / (1.0 - risk)).ln();
        SHORTEST_PAUSE_MS as f32 + self.pause_ms * (self.log_odds(evidence) - accepted)
    }
}

/// How long is waited in silence for a speaker to go on, in milliseconds, and what the end is called then; `None` where silence
/// alone decides.
pub fn wait(evidence: &Evidence, settings: &EndpointConfig) -> Option<(u64, Endpoint)> {
    let endpoint = match evidence.completeness {
        Completeness::Complete => Endpoint::Complete,
        _ => Endpoint::Silence,
    };
    // Who asked for more time to think gets it in the middle of a sentence as well.
    let longest = settings.unfinished_ms.max(settings.silence_ms);
    let wait_ms = match settings.mode {
        EndpointMode::Silence => return None,
        EndpointMode::Words => match evidence.completeness {
            Completeness::Complete => settings.complete_ms,
            Completeness::MayContinue => settings.may_continue_ms,
            Completeness::Unfinished => longest,
            Completeness::Unknown => settings.silence_ms,
        },
        EndpointMode::Likelihood => {
            let wait = Weights::shipped().wait_ms(evidence, settings.risk);
            wait.clamp(settings.complete_ms as f32, longest.max(settings.complete_ms) as f32) as u32
        }
    };
    Some((u64::from(wait_ms), endpoint))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn evidence(completeness: Completeness, share: f32) -> Evidence {
        Evidence {
            completeness,
            share_going_on: Some(share),
            words: 5,
            spoken_ms: 1800,
            ..Evidence::default()
        }
    }

    #[test]
    fn the_more_likely_a_speaker_goes_on_the_longer_is_waited() {
        let settings = EndpointConfig { mode: EndpointMode::Likelihood, ..EndpointConfig::default() };
        let waits = [
            evidence(Completeness::Complete, 0.0),
            evidence(Completeness::MayContinue, 0.3),
            evidence(Completeness::MayContinue, 0.95),
            evidence(Completeness::Unfinished, 1.0),
        ]
        .map(|evidence| wait(&evidence, &settings).unwrap().0);
        assert!(waits.is_sorted() && waits[0] < waits[3], "{waits:?}");
        let limits = u64::from(settings.complete_ms)..=u64::from(settings.unfinished_ms);
        assert!(waits.iter().all(|wait| limits.contains(wait)), "{waits:?}");
    }

    #[test]
    fn less_risk_is_more_waiting() {
        let evidence = evidence(Completeness::MayContinue, 0.5);
        let waits = [0.3, 0.1, 0.02].map(|risk| Weights::shipped().wait_ms(&evidence, risk));
        assert!(waits.is_sorted(), "{waits:?}");
    }

    #[test]
    fn words_alone_decide_where_that_is_wanted_and_silence_alone_where_that_is() {
        let settings = EndpointConfig { mode: EndpointMode::Words, ..EndpointConfig::default() };
        let wait_for = |completeness| wait(&evidence(completeness, 0.5), &settings);
        assert_eq!(wait_for(Completeness::Complete), Some((120, Endpoint::Complete)));
        assert_eq!(wait_for(Completeness::MayContinue), Some((250, Endpoint::Silence)));
        assert_eq!(wait_for(Completeness::Unknown), Some((600, Endpoint::Silence)));
        assert_eq!(wait_for(Completeness::Unfinished), Some((900, Endpoint::Silence)));
        let settings = EndpointConfig { mode: EndpointMode::Silence, ..settings };
        assert_eq!(wait(&evidence(Completeness::Complete, 0.0), &settings), None);
    }

    #[test]
    fn what_is_not_known_says_nothing() {
        let features = Evidence::default().features();
        assert_eq!(features[0..2], [1.0, 1.0]);
        assert!(features[2..].iter().all(|feature| *feature == 0.0), "{features:?}");
    }
}
