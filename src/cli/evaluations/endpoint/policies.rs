//! Ways to decide that a request is over, and what comes of each on recorded pauses.

use super::pauses::{Pause, Recorded};
use crate::cli::benchmarks::samples::Samples;
use hark_config::endpoint::{EndpointConfig, EndpointMode};
use hark_stt::endpoint::likelihood::{Evidence, Weights, wait};

/// Silence before which Smart Turn is not asked, and what it takes to answer.
const SMART_TURN_AFTER_MS: u64 = 200;
const SMART_TURN_TAKES_MS: u64 = 90;

/// How long is waited at a pause.
#[derive(Debug, Clone)]
pub(super) enum Policy {
    /// Always so long.
    Silence(u64),
    /// Until Smart Turn has answered where it says that it is over, else so long.
    SmartTurn { threshold: f32, else_ms: u64 },
    /// As the words say, this many times as long as usual.
    Words(f32, EndpointConfig),
    /// As likely as the speaker goes on; with Smart Turn or without.
    Likelihood { weights: Weights, settings: EndpointConfig, asks: bool },
}

impl Policy {
    pub(super) fn as_configured(settings: &EndpointConfig, weights: &Weights) -> Self {
        match settings.mode {
            EndpointMode::Silence => Self::Silence(u64::from(settings.silence_ms)),
            EndpointMode::Words => Self::Words(1.0, settings.clone()),
            EndpointMode::Likelihood => Self::likelihood(weights, settings, settings.smart_turn),
        }
    }

    fn likelihood(weights: &Weights, settings: &EndpointConfig, asks: bool) -> Self {
        Self::Likelihood { weights: weights.clone(), settings: settings.clone(), asks }
    }

    fn name(&self) -> String {
        match self {
            Self::Silence(ms) => format!("{ms} ms"),
            Self::SmartTurn { threshold, else_ms } => format!("threshold {threshold}, else {else_ms} ms"),
            Self::Words(times, _) => format!("{times} times as long"),
            Self::Likelihood { settings, .. } => format!("risk {}", settings.risk),
        }
    }

    fn wait_ms(&self, pause: &Pause) -> u64 {
        match self {
            Self::Silence(ms) => *ms,
            Self::SmartTurn { threshold, else_ms } => match pause.smart_turn {
                Some(over) if over >= *threshold => SMART_TURN_AFTER_MS + SMART_TURN_TAKES_MS,
                _ => *else_ms,
            },
            Self::Words(times, settings) => {
                let settings = EndpointConfig { mode: EndpointMode::Words, ..settings.clone() };
                let wait = wait(&pause.evidence, &settings).map_or(settings.silence_ms.into(), |(ms, _)| ms);
                (wait as f32 * times) as u64
            }
            Self::Likelihood { weights, settings, asks } => {
                let longest = settings.unfinished_ms.max(settings.silence_ms).max(settings.complete_ms);
                let smart_turn = pause.evidence.smart_turn.filter(|_| *asks);
                let wait = weights.wait_ms(&Evidence { smart_turn, ..pause.evidence }, settings.risk);
                wait.clamp(settings.complete_ms as f32, longest as f32) as u64
            }
        }
    }
}

/// What came of a policy.
#[derive(Debug, Clone)]
pub(super) struct Outcome {
    pub(super) settings: String,
    /// Requests that were taken to be over while the speaker went on.
    pub(super) cut_off: usize,
    /// Those of them whose speaker went on too late to be taken back.
    pub(super) lost: usize,
    /// From the end of each request to the decision, in milliseconds.
    pub(super) latencies: Samples,
    sum_ms: f64,
}

impl Outcome {
    pub(super) fn of(policy: &Policy, recordings: &[Recorded], settings: &EndpointConfig) -> Self {
        let mut outcome =
            Self { settings: policy.name(), cut_off: 0, lost: 0, latencies: Samples::default(), sum_ms: 0.0 };
        for recording in recordings {
            let late = |pause: &Pause| Some(pause.length_ms?.saturating_sub(policy.wait_ms(pause)));
            let late: Vec<u64> = recording.pauses.iter().filter_map(late).filter(|late| *late > 0).collect();
            outcome.cut_off += usize::from(!late.is_empty());
            outcome.lost += usize::from(late.iter().any(|late| *late > u64::from(settings.goes_on_ms)));
            if let Some(last) = recording.pauses.last() {
                let waited = policy.wait_ms(last) as f64;
                outcome.latencies.push(waited);
                outcome.sum_ms += waited;
            }
        }
        outcome
    }

    pub(super) fn mean_ms(&self) -> f64 {
        self.sum_ms / self.latencies.len().max(1) as f64
    }
}

/// Every way to decide, with the settings along its curve.
pub(super) fn curves(settings: &EndpointConfig, weights: &Weights) -> Vec<(&'static str, Vec<Policy>)> {
    let silence = (2..=40).map(|n| Policy::Silence(n * 50)).collect();
    let smart_turn = [0.3, 0.5, 0.7, 0.9, 0.95].into_iter().flat_map(|threshold| {
        [300, 400, 600, 800, 1000, 1300, 1600, 2000, 3000]
            .map(|else_ms| Policy::SmartTurn { threshold, else_ms })
    });
    let words =
        [0.4, 0.6, 0.8, 1.0, 1.2, 1.5, 2.0, 3.0, 4.0].map(|times| Policy::Words(times, settings.clone()));
    let risks = [0.5, 0.4, 0.3, 0.25, 0.2, 0.15, 0.12, 0.1, 0.08, 0.06, 0.05, 0.04, 0.03, 0.02, 0.01, 0.005];
    let likelihood = |asks: bool| {
        risks
            .map(|risk| Policy::likelihood(weights, &EndpointConfig { risk, ..settings.clone() }, asks))
            .to_vec()
    };
    vec![
        ("silence alone", silence),
        ("Smart Turn", smart_turn.collect()),
        ("words", words.to_vec()),
        ("likelihood without Smart Turn", likelihood(false)),
        ("likelihood", likelihood(true)),
    ]
}

/// The points of a curve than which none is both quicker and better, the quickest first.
pub(super) fn envelope(mut points: Vec<Outcome>) -> Vec<Outcome> {
    points.sort_by(|one, other| {
        (one.mean_ms(), one.cut_off as f64)
            .partial_cmp(&(other.mean_ms(), other.cut_off as f64))
            .unwrap_or(std::cmp::Ordering::Equal)
    });
    let mut least = usize::MAX;
    points.retain(|point| {
        let is_better = point.cut_off < least;
        least = least.min(point.cut_off);
        is_better
    });
    points
}
