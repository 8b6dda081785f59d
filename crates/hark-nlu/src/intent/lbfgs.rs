//! L-BFGS: finds the minimum of a smooth function of many numbers from its values and slopes.
//! Nocedal and Wright, Numerical Optimization, 2nd edition, algorithms 7.4 and 7.5.

/// Steps remembered.
const MEMORY: usize = 8;

/// A step must gain this share of what its slope promises.
const ARMIJO: f64 = 1e-4;

/// Goes downhill from `at` for at most `rounds` steps, or until a step gains less than `enough` of the
/// value. `function` returns the value at a point and fills in the slope.
pub fn minimise(
    at: &mut Vec<f32>,
    rounds: usize,
    enough: f64,
    mut function: impl FnMut(&[f32], &mut [f32]) -> f64,
) -> f64 {
    let mut slope = vec![0.0; at.len()];
    let mut value = function(at, &mut slope);
    let mut history: Vec<Pair> = Vec::new();
    for _ in 0..rounds {
        let direction = downhill(&slope, &history);
        let promise = dot(&direction, &slope);
        if promise >= 0.0 {
            break;
        }
        // The first step has no history to know its length from.
        let mut length = if history.is_empty() { 1.0 / dot(&slope, &slope).sqrt().max(1e-12) } else { 1.0 };
        let (mut next, mut next_slope) = (vec![0.0; at.len()], vec![0.0; at.len()]);
        let mut next_value = f64::INFINITY;
        for _ in 0..20 {
            for ((next, at), step) in next.iter_mut().zip(at.iter()).zip(&direction) {
                *next = at + length as f32 * step;
            }
            next_value = function(&next, &mut next_slope);
            if next_value <= value + ARMIJO * length * promise {
                break;
            }
            length *= 0.5;
        }
        if next_value >= value {
            break;
        }
        let pair = Pair::new(difference(&next, at), difference(&next_slope, &slope));
        history.extend(pair);
        if history.len() > MEMORY {
            history.remove(0);
        }
        let gain = value - next_value;
        (*at, slope, value) = (next, next_slope, next_value);
        if gain < enough * value.abs() {
            break;
        }
    }
    value
}

/// A step that was made and how the slope changed with it.
struct Pair {
    step: Vec<f32>,
    change: Vec<f32>,
    /// 1 / (step · change).
    share: f64,
}

impl Pair {
    /// `None` where the function does not curve upward, which would spoil the history.
    fn new(step: Vec<f32>, change: Vec<f32>) -> Option<Self> {
        let curve = dot(&step, &change);
        (curve > 1e-12).then(|| Self { share: 1.0 / curve, step, change })
    }
}

/// The two loops of L-BFGS.
fn downhill(slope: &[f32], history: &[Pair]) -> Vec<f32> {
    let mut direction: Vec<f32> = slope.iter().map(|slope| -slope).collect();
    let mut shares = Vec::with_capacity(history.len());
    for pair in history.iter().rev() {
        let share = pair.share * dot(&pair.step, &direction);
        add(&mut direction, -share, &pair.change);
        shares.push(share);
    }
    if let Some(last) = history.last() {
        let scale = 1.0 / (last.share * dot(&last.change, &last.change));
        direction.iter_mut().for_each(|value| *value *= scale as f32);
    }
    for (pair, share) in history.iter().zip(shares.iter().rev()) {
        let back = pair.share * dot(&pair.change, &direction);
        add(&mut direction, share - back, &pair.step);
    }
    direction
}

fn difference(a: &[f32], b: &[f32]) -> Vec<f32> {
    a.iter().zip(b).map(|(a, b)| a - b).collect()
}

fn add(to: &mut [f32], times: f64, what: &[f32]) {
    to.iter_mut().zip(what).for_each(|(to, what)| *to += times as f32 * what);
}

fn dot(a: &[f32], b: &[f32]) -> f64 {
    a.iter().zip(b).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_bottom_of_a_long_valley() {
        // Rosenbrock's function, 1 at (1, 1).
        let mut at = vec![-1.2, 1.0];
        let value = minimise(&mut at, 200, 0.0, |p, slope| {
            let (x, y) = (f64::from(p[0]), f64::from(p[1]));
            slope[0] = (-400.0 * x * (y - x * x) - 2.0 * (1.0 - x)) as f32;
            slope[1] = (200.0 * (y - x * x)) as f32;
            100.0 * (y - x * x).powi(2) + (1.0 - x).powi(2)
        });
        assert!(value < 1e-4, "{value} at {at:?}");
        assert!((at[0] - 1.0).abs() < 0.05 && (at[1] - 1.0).abs() < 0.05, "{at:?}");
    }

    #[test]
    fn stays_where_it_is_flat() {
        let mut at = vec![3.0];
        minimise(&mut at, 10, 1e-9, |_, slope| {
            slope[0] = 0.0;
            5.0
        });
        assert_eq!(at, [3.0]);
    }
}
