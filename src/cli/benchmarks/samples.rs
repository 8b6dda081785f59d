//! Measured values and what is said of them.

use serde::Serialize;
use std::time::{Duration, Instant};

/// Unit of a row's numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub enum Unit {
    /// Microseconds.
    #[serde(rename = "us")]
    Us,
    /// Milliseconds.
    #[serde(rename = "ms")]
    Ms,
    /// Mebibytes.
    #[serde(rename = "MiB")]
    MiB,
    /// Time of computing for a time of sound; 0.1 is a tenth of real time.
    #[serde(rename = "of_real_time")]
    OfRealTime,
}

/// One line of the table.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Row {
    /// Name for programs; it does not change.
    pub name: &'static str,
    /// What was measured, for people.
    pub what: &'static str,
    /// Unit of `median` and `p95`.
    pub unit: Unit,
    /// Half of the values are not above it; null when nothing could be measured.
    pub median: Option<f64>,
    /// 95 of 100 values are not above it.
    pub p95: Option<f64>,
    /// How many values there are.
    pub count: usize,
}

/// Values of one kind.
#[derive(Debug, Clone, Default)]
pub(crate) struct Samples(Vec<f64>);

impl Samples {
    pub(crate) fn push(&mut self, value: f64) {
        self.0.push(value);
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Keeps how long `work` takes, in microseconds.
    pub(crate) fn time<T>(&mut self, work: impl FnOnce() -> T) -> T {
        let begun = Instant::now();
        let result = work();
        self.push(us(begun.elapsed()));
        result
    }

    /// The value that this share of all values does not exceed (nearest rank).
    pub(crate) fn at(&self, share: f64) -> Option<f64> {
        let mut sorted = self.0.clone();
        sorted.sort_by(f64::total_cmp);
        let rank = (sorted.len() as f64 * share).ceil() as usize;
        sorted.get(rank.max(1) - 1).copied()
    }

    /// The row of values that are in `unit`.
    pub(crate) fn row(&self, name: &'static str, what: &'static str, unit: Unit) -> Row {
        Row { name, what, unit, median: self.at(0.5), p95: self.at(0.95), count: self.0.len() }
    }
}

pub(crate) fn us(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
}

pub(crate) fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn median_and_p95_are_values_that_were_measured() {
        let mut samples = Samples::default();
        (1..=100).rev().for_each(|value| samples.push(f64::from(value)));
        let row = samples.row("x", "y", Unit::Us);
        assert_eq!((row.median, row.p95, row.count), (Some(50.0), Some(95.0), 100));
        let mut one = Samples::default();
        one.push(7.0);
        assert_eq!((one.at(0.5), one.at(0.95)), (Some(7.0), Some(7.0)));
        assert_eq!(Samples::default().row("x", "y", Unit::Ms).median, None);
    }
}
