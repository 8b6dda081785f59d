//! What an evaluation counts and measures, as rows of tables.

use crate::cli::benchmarks::samples::Samples;
use serde::{Deserialize, Serialize};

/// What came of one request or recording.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Verdict {
    /// What was asked for was done or answered.
    Right,
    /// It was not, and nothing else was changed either: asked again, refused, answered something else.
    Wrong,
    /// Something else was changed than what was asked for.
    Harmful,
    /// Nothing harmful was done; whether the answer is right takes a reader.
    Unjudged,
}

/// One request or recording with its verdict, which shows which ones failed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Case {
    /// The row it counts for.
    pub(crate) part: String,
    /// What was said.
    pub(crate) item: String,
    /// What came of it.
    pub(crate) verdict: Verdict,
    /// What was understood, changed and answered.
    pub(crate) detail: String,
}

/// A share in percent with the ends of its 95 % interval, after Wilson (1927).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(crate) struct Percent {
    /// The share, 0 ..= 100.
    pub(crate) value: f64,
    /// Lower end of the interval.
    pub(crate) low: f64,
    /// Upper end of the interval.
    pub(crate) high: f64,
}

impl Percent {
    /// `count` of `of`; `None` of nothing.
    pub(crate) fn of(count: usize, of: usize) -> Option<Self> {
        /// The 97.5th percentile of the normal distribution.
        const Z: f64 = 1.959_963_984_540_054;
        if of == 0 {
            return None;
        }
        let (n, share) = (of as f64, count as f64 / of as f64);
        let scale = 1.0 / (1.0 + Z * Z / n);
        let centre = scale * (share + Z * Z / (2.0 * n));
        let half = scale * Z * (share * (1.0 - share) / n + Z * Z / (4.0 * n * n)).sqrt();
        let percent = |part: f64| (part * 100.0).clamp(0.0, 100.0);
        Some(Self { value: percent(share), low: percent(centre - half), high: percent(centre + half) })
    }
}

impl Percent {
    /// The sum of the first numbers in that of the second ones, which may be less; the interval is that of 2,000 drawings
    /// of as many pairs (Efron's percentile bootstrap), because errors within one recording belong together. `None` of
    /// nothing.
    pub(crate) fn bootstrapped(pairs: &[(usize, usize)]) -> Option<Self> {
        const DRAWINGS: usize = 2000;
        let share = |drawn: &mut dyn Iterator<Item = &(usize, usize)>| {
            let (count, of) = drawn.fold((0, 0), |(a, b), (count, of)| (a + count, b + of));
            (of > 0).then(|| 100.0 * count as f64 / of as f64)
        };
        let value = share(&mut pairs.iter())?;
        // Knuth's linear congruential generator: the same interval each time.
        let mut state = 1_u64;
        let mut next = |below: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as usize % below
        };
        let mut drawings: Vec<f64> = (0..DRAWINGS)
            .filter_map(|_| share(&mut (0..pairs.len()).map(|_| &pairs[next(pairs.len())])))
            .collect();
        drawings.sort_by(f64::total_cmp);
        let at = |part: f64| drawings.get((drawings.len() as f64 * part) as usize).copied().unwrap_or(value);
        Some(Self { value, low: at(0.025), high: at(0.975) })
    }
}

/// One line of a report.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "figure", rename_all = "snake_case")]
pub(crate) enum Row {
    /// Requests or recordings that were judged. `right_percent` is of those that could be judged.
    Judged {
        what: String,
        right: usize,
        wrong: usize,
        harmful: usize,
        unjudged: usize,
        right_percent: Option<Percent>,
    },
    /// How many of all.
    Share { what: String, count: usize, of: usize, percent: Option<Percent> },
    /// Measured values: half of them, and 95 of 100, are not above `median` and `p95` (nearest rank).
    Values {
        what: String,
        unit: String,
        median: Option<f64>,
        p95: Option<f64>,
        highest: Option<f64>,
        n: usize,
    },
    /// Events in so many hours, with the rate and the ends of its 95 % interval.
    Rate { what: String, count: usize, hours: f64, per_hour: f64, low: f64, high: f64 },
    /// One value before and after.
    Change { what: String, unit: String, before: f64, after: f64 },
}

impl Row {
    /// The cases of a part, counted.
    pub(crate) fn judged(part: &str, cases: &[Case]) -> Self {
        let count =
            |verdict| cases.iter().filter(|case| case.part == part && case.verdict == verdict).count();
        let (right, wrong, harmful) = (count(Verdict::Right), count(Verdict::Wrong), count(Verdict::Harmful));
        Self::Judged {
            what: part.to_owned(),
            right,
            wrong,
            harmful,
            unjudged: count(Verdict::Unjudged),
            right_percent: Percent::of(right, right + wrong + harmful),
        }
    }

    /// `count` of `of`.
    pub(crate) fn share(what: &str, count: usize, of: usize) -> Self {
        Self::Share { what: what.to_owned(), count, of, percent: Percent::of(count, of) }
    }

    /// Values in `unit`.
    pub(crate) fn values(what: &str, unit: &str, samples: &Samples) -> Self {
        Self::Values {
            what: what.to_owned(),
            unit: unit.to_owned(),
            median: samples.at(0.5),
            p95: samples.at(0.95),
            highest: samples.at(1.0),
            n: samples.len(),
        }
    }

    /// `count` in so many hours. The interval is that of a Poisson process, after Garwood (1936).
    pub(crate) fn rate(what: &str, count: usize, hours: f64) -> Self {
        let per = |events: f64| if hours > 0.0 { events / hours } else { 0.0 };
        let low = if count == 0 { 0.0 } else { chi_square(-1.0, 2 * count) / 2.0 };
        let high = chi_square(1.0, 2 * count + 2) / 2.0;
        let what = what.to_owned();
        Self::Rate { what, count, hours, per_hour: per(count as f64), low: per(low), high: per(high) }
    }

    /// A value in `unit` before and after.
    pub(crate) fn change(what: &str, unit: &str, before: f64, after: f64) -> Self {
        Self::Change { what: what.to_owned(), unit: unit.to_owned(), before, after }
    }
}

/// The 2.5th (`side` −1) or 97.5th (1) percentile of a chi-square distribution, after Wilson and Hilferty (1931): within one
/// percent.
fn chi_square(side: f64, freedom: usize) -> f64 {
    /// The 97.5th percentile of the normal distribution.
    const Z: f64 = 1.959_963_984_540_054;
    let ninth = 2.0 / (9.0 * freedom as f64);
    freedom as f64 * (1.0 - ninth + side * Z * ninth.sqrt()).max(0.0).powi(3)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_have_the_interval_of_a_poisson_process() {
        // Exact limits of the mean (Garwood's table): 0: 0 – 3.689, 5: 1.623 – 11.668, 20: 12.217 – 30.888.
        for (count, low, high) in [(0, 0.0, 3.689), (5, 1.623, 11.668), (20, 12.217, 30.888)] {
            let Row::Rate { per_hour, low: found, high: above, .. } = Row::rate("x", count, 0.5) else {
                panic!("another row");
            };
            assert!((per_hour - 2.0 * count as f64).abs() < 1e-9);
            assert!((found / 2.0 - low).abs() <= 0.02 * low && (above / 2.0 - high).abs() <= 0.01 * high);
        }
    }

    #[test]
    fn intervals_are_those_of_wilson() {
        // Newcombe (1998), table I: 81 of 263, 15 of 148, 0 of 20, 1 of 29.
        for (count, of, low, high) in
            [(81, 263, 25.53, 36.62), (15, 148, 6.24, 16.05), (0, 20, 0.0, 16.11), (1, 29, 0.61, 17.18)]
        {
            let percent = Percent::of(count, of).unwrap();
            assert!((percent.low - low).abs() < 0.01 && (percent.high - high).abs() < 0.01, "{percent:?}");
        }
        assert_eq!(Percent::of(0, 0), None);
        assert_eq!(Percent::of(7, 7).map(|all| (all.value, all.high)), Some((100.0, 100.0)));
    }

    #[test]
    fn a_bootstrapped_interval_holds_the_share_and_shrinks_with_more() {
        let pairs: Vec<(usize, usize)> = (0..40).map(|n| (usize::from(n % 4 == 0) * 2, 5)).collect();
        let few = Percent::bootstrapped(&pairs[..20]).unwrap();
        let many = Percent::bootstrapped(&pairs).unwrap();
        for percent in [few, many] {
            assert!(
                (percent.value - 10.0).abs() < 1e-9 && percent.low < 10.0 && percent.high > 10.0,
                "{percent:?}"
            );
        }
        assert!(many.high - many.low < few.high - few.low);
        assert_eq!(Percent::bootstrapped(&[]), None);
        assert_eq!(Percent::bootstrapped(&[(0, 0)]), None);
    }

    #[test]
    fn what_cannot_be_judged_counts_for_nothing() {
        let case = |verdict| Case { part: "a".into(), item: String::new(), verdict, detail: String::new() };
        let cases = [Verdict::Right, Verdict::Right, Verdict::Harmful, Verdict::Unjudged].map(case);
        let Row::Judged { right, wrong, harmful, unjudged, right_percent, .. } = Row::judged("a", &cases)
        else {
            panic!("another row");
        };
        assert_eq!((right, wrong, harmful, unjudged), (2, 0, 1, 1));
        assert!((right_percent.unwrap().value - 66.67).abs() < 0.01);
        assert_eq!(Row::judged("b", &cases), Row::judged("b", &[]));
    }
}
