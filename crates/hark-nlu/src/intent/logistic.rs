//! Multinomial logistic regression: weights of classes over the numbers of the encoder.

use super::lbfgs;

/// What keeps the weights small; with it, few examples do not make great certainty.
const RIDGE: f64 = 0.1;

/// A step that gains less ends the fit.
const ENOUGH: f64 = 1e-4;

/// Differences of probability below this do not move a weight.
const NOTHING: f32 = 1e-5;

/// Rows of numbers with their classes.
pub struct Rows<'a> {
    /// `[rows × width]`.
    pub numbers: &'a [f32],
    /// Numbers in a row.
    pub width: usize,
    /// Class of each row.
    pub classes: &'a [usize],
    /// How much each row counts.
    pub weights: &'a [f32],
}

/// Weights of each class: `width` factors and one constant.
#[derive(Debug, Clone, PartialEq)]
pub struct Model {
    /// Numbers in a row.
    pub width: usize,
    /// `[classes × (width + 1)]`.
    pub weights: Vec<f32>,
}

impl Model {
    /// Fits the rows whose place `chosen` takes; at most `rounds` steps.
    pub fn fit(rows: &Rows<'_>, classes: usize, chosen: impl Fn(usize) -> bool, rounds: usize) -> Self {
        let chosen: Vec<usize> = (0..rows.classes.len()).filter(|row| chosen(*row)).collect();
        let mut weights = vec![0.0; classes * (rows.width + 1)];
        let loss = |at: &[f32], slope: &mut [f32]| loss(rows, &chosen, classes, at, slope);
        lbfgs::minimise(&mut weights, rounds, ENOUGH, loss);
        Self { width: rows.width, weights }
    }

    /// Scores of the classes for one row; `into` gets them.
    pub fn scores(&self, row: &[f32], into: &mut Vec<f32>) {
        into.clear();
        into.extend(self.weights.chunks_exact(self.width + 1).map(|class| score(class, row)));
    }
}

fn score(class: &[f32], row: &[f32]) -> f32 {
    dot(&class[..row.len()], row) + class[row.len()]
}

/// The product of two rows. Eight sums side by side, so that the processor can add them at once.
pub fn dot(a: &[f32], b: &[f32]) -> f32 {
    let mut sums = [0.0_f32; 8];
    let (left, right) = (a.chunks_exact(8), b.chunks_exact(8));
    let rest: f32 = left.remainder().iter().zip(right.remainder()).map(|(a, b)| a * b).sum();
    for (a, b) in left.zip(right) {
        for lane in 0..8 {
            sums[lane] += a[lane] * b[lane];
        }
    }
    sums.iter().sum::<f32>() + rest
}

/// Scores to probabilities, in place.
pub fn soft_max(scores: &mut [f32]) {
    let most = scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let mut sum = 0.0;
    for score in scores.iter_mut() {
        *score = (*score - most).exp();
        sum += *score;
    }
    scores.iter_mut().for_each(|score| *score /= sum);
}

/// Sum of the rows' surprise at their classes, plus the ridge; `slope` gets its gradient.
fn loss(rows: &Rows<'_>, chosen: &[usize], classes: usize, at: &[f32], slope: &mut [f32]) -> f64 {
    let stride = rows.width + 1;
    let mut total = 0.0_f64;
    for (class, slope) in slope.chunks_exact_mut(stride).enumerate() {
        let weights = &at[class * stride..][..stride];
        for (slope, weight) in slope.iter_mut().zip(&weights[..rows.width]) {
            *slope = RIDGE as f32 * weight;
            total += 0.5 * RIDGE * f64::from(*weight).powi(2);
        }
        // The constant is free.
        slope[rows.width] = 0.0;
    }
    let mut shares = vec![0.0_f32; classes];
    for row in chosen {
        let numbers = &rows.numbers[row * rows.width..][..rows.width];
        let (class, weight) = (rows.classes[*row], rows.weights[*row]);
        for (share, weights) in shares.iter_mut().zip(at.chunks_exact(stride)) {
            *share = score(weights, numbers);
        }
        soft_max(&mut shares);
        total -= f64::from(weight) * f64::from(shares[class].max(1e-30)).ln();
        for (at, share) in shares.iter().enumerate() {
            let off = weight * (share - if at == class { 1.0 } else { 0.0 });
            if off.abs() < NOTHING {
                continue;
            }
            let slope = &mut slope[at * stride..][..stride];
            for (slope, number) in slope.iter_mut().zip(numbers) {
                *slope += off * number;
            }
            slope[rows.width] += off;
        }
    }
    total
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Three clouds of points around three corners.
    fn clouds() -> (Vec<f32>, Vec<usize>) {
        let corners = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        let mut numbers = Vec::new();
        let mut classes = Vec::new();
        for index in 0..60 {
            let class = index % 3;
            for (axis, value) in corners[class].iter().enumerate() {
                numbers.push(value + 0.2 * ((index * 7 + axis * 5) % 11) as f32 / 11.0);
            }
            classes.push(class);
        }
        (numbers, classes)
    }

    #[test]
    fn tells_clouds_apart_that_it_has_not_seen() {
        let (numbers, classes) = clouds();
        let weights = vec![1.0; classes.len()];
        let rows = Rows { numbers: &numbers, width: 3, classes: &classes, weights: &weights };
        let model = Model::fit(&rows, 3, |row| row < 30, 50);
        let mut scores = Vec::new();
        for row in 30..60 {
            model.scores(&numbers[row * 3..][..3], &mut scores);
            soft_max(&mut scores);
            assert!(scores[classes[row]] > 0.5, "row {row}: {scores:?}");
            assert!((scores.iter().sum::<f32>() - 1.0).abs() < 1e-5);
        }
    }

    #[test]
    fn the_slope_is_the_slope_of_the_loss() {
        let (numbers, classes) = clouds();
        let weights: Vec<f32> = (0..classes.len()).map(|row| 0.5 + (row % 2) as f32).collect();
        let rows = Rows { numbers: &numbers, width: 3, classes: &classes, weights: &weights };
        let chosen: Vec<usize> = (0..classes.len()).collect();
        let mut at: Vec<f32> = (0..12).map(|index| 0.1 * (index % 5) as f32 - 0.2).collect();
        let (mut slope, mut ignored) = (vec![0.0; 12], vec![0.0; 12]);
        loss(&rows, &chosen, 3, &at, &mut slope);
        for index in 0..12 {
            let before = at[index];
            at[index] = before + 1e-2;
            let above = loss(&rows, &chosen, 3, &at, &mut ignored);
            at[index] = before - 1e-2;
            let below = loss(&rows, &chosen, 3, &at, &mut ignored);
            at[index] = before;
            let measured = (above - below) / 2e-2;
            assert!(
                (measured - f64::from(slope[index])).abs() < 1e-2,
                "{index}: {measured} {}",
                slope[index]
            );
        }
    }

    #[test]
    fn rows_that_are_no_multiple_of_eight_are_added_whole() {
        let row: Vec<f32> = (0..19).map(|index| index as f32).collect();
        assert_eq!(dot(&row, &row), (0..19).map(|index| (index * index) as f32).sum::<f32>());
    }
}
