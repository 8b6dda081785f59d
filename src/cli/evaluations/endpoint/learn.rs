//! Learns what the evidence of a pause weighs: logistic regression of whether the speaker went on, by gradient descent with a
//! small penalty on the weights.

use super::pauses::{Pause, Recorded};
use hark_stt::endpoint::likelihood::{Evidence, SHORTEST_PAUSE_MS, Weights};

/// Penalty on the square of the weights, as so many observations that say nothing.
const RIDGE: f64 = 2.0;
const STEPS: usize = 20_000;
const STEP_SIZE: f64 = 0.5;
/// Longer pauses count as this long: nobody is waited for any longer.
const LONGEST_PAUSE_MS: u64 = 1200;

/// The weights that fit the pauses of these recordings best. Pauses that are shorter than the shortest silence that ends a request
/// are not among them.
pub(super) fn learn(recordings: &[Recorded]) -> Weights {
    let pauses: Vec<&Pause> = recordings
        .iter()
        .flat_map(|recording| &recording.pauses)
        .filter(|pause| pause.length_ms.is_none_or(|ms| ms >= SHORTEST_PAUSE_MS))
        .collect();
    let excess = |pause: &&Pause| Some(pause.length_ms?.min(LONGEST_PAUSE_MS) - SHORTEST_PAUSE_MS);
    let excesses: Vec<u64> = pauses.iter().filter_map(excess).collect();
    let pause_ms = excesses.iter().sum::<u64>() as f32 / excesses.len().max(1) as f32;
    let observed = |evidence: Evidence, pause: &Pause| {
        let goes_on = if pause.length_ms.is_some() { 1.0 } else { 0.0 };
        (evidence.features().map(f64::from), goes_on)
    };
    let alone = pauses.iter().map(|pause| observed(Evidence { smart_turn: None, ..pause.evidence }, pause));
    let answered = pauses.iter().filter(|pause| pause.evidence.smart_turn.is_some());
    let with_smart_turn = answered.map(|pause| observed(pause.evidence, pause));
    Weights {
        alone: fit(&alone.collect::<Vec<_>>()).map(rounded),
        with_smart_turn: fit(&with_smart_turn.collect::<Vec<_>>()).map(rounded),
        pause_ms: pause_ms.round(),
    }
}

fn rounded(weight: f64) -> f32 {
    ((weight * 1000.0).round() / 1000.0) as f32
}

fn fit<const N: usize>(observations: &[([f64; N], f64)]) -> [f64; N] {
    let mut weights = [0.0; N];
    let count = observations.len().max(1) as f64;
    for _ in 0..STEPS {
        let mut gradient = [0.0; N];
        for (features, goes_on) in observations {
            let sum: f64 = weights.iter().zip(features).map(|(weight, feature)| weight * feature).sum();
            let error = 1.0 / (1.0 + (-sum).exp()) - goes_on;
            gradient.iter_mut().zip(features).for_each(|(gradient, feature)| *gradient += error * feature);
        }
        for (number, (weight, gradient)) in weights.iter_mut().zip(gradient).enumerate() {
            // The first is the bias, which nothing speaks against.
            let penalty = if number == 0 { 0.0 } else { RIDGE * *weight };
            *weight -= STEP_SIZE * (gradient + penalty) / count;
        }
    }
    weights
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_tells_is_weighed_and_what_does_not_is_not() {
        let observations: Vec<([f64; 3], f64)> = (0..400)
            .map(|n| {
                let (telling, idle) =
                    (if n % 2 == 0 { 1.0 } else { -1.0 }, if n % 3 == 0 { 1.0 } else { -1.0 });
                ([1.0, telling, idle], if n % 10 == 0 { 0.0 } else { f64::from(n % 2 == 0) })
            })
            .collect();
        let [_, telling, idle] = fit(&observations);
        assert!(telling > 1.5 && idle.abs() < 0.3, "{telling} {idle}");
    }
}
