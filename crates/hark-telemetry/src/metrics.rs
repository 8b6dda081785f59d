//! What is counted and measured, and Prometheus' text format for it
//! (<https://prometheus.io/docs/instrumenting/exposition_formats/>, version 0.0.4).

use std::fmt::{Display, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Content type of [`Exposition`].
pub const CONTENT_TYPE: &str = "text/plain; version=0.0.4; charset=utf-8";

/// Upper bounds of a [`Histogram`]'s buckets in seconds, from unnoticeable to far too long.
const BUCKETS_S: [f64; 11] = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0];

/// A count that only grows; clones share it. Raising it neither locks nor allocates, so audio callbacks may.
#[derive(Debug, Clone, Default)]
pub struct Counter(Arc<AtomicU64>);

impl Counter {
    /// One more.
    pub fn raise(&self) {
        self.add(1);
    }

    /// `amount` more.
    pub fn add(&self, amount: u64) {
        // Counts are read for people and for the watchdog; nothing else is ordered by them.
        self.0.fetch_add(amount, Ordering::Relaxed);
    }

    /// The count now.
    pub fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// How often something took how long.
#[derive(Debug, Clone, Default)]
pub struct Histogram {
    /// By bucket, not cumulated; the last one has no bound.
    counts: [u64; BUCKETS_S.len() + 1],
    sum_s: f64,
}

impl Histogram {
    /// It took so long once more.
    pub fn record(&mut self, seconds: f64) {
        let at = BUCKETS_S.iter().position(|bound| seconds <= *bound).unwrap_or(BUCKETS_S.len());
        self.counts[at] += 1;
        self.sum_s += seconds;
    }
}

/// Metrics as a text. What stands in it already, such as another part's metrics, is kept.
#[derive(Debug, Default)]
pub struct Exposition(String);

impl From<String> for Exposition {
    fn from(text: String) -> Self {
        Self(text)
    }
}

impl From<Exposition> for String {
    fn from(exposition: Exposition) -> Self {
        exposition.0
    }
}

impl Exposition {
    /// Begins a count: `hark_` and `_total` are put around its name. `help` says what is counted.
    pub fn counter(&mut self, name: &str, help: &str) -> Samples<'_> {
        self.metric(format!("hark_{name}_total"), "counter", help)
    }

    /// Begins a value that goes up and down; `hark_` is put before its name.
    pub fn gauge(&mut self, name: &str, help: &str) -> Samples<'_> {
        self.metric(format!("hark_{name}"), "gauge", help)
    }

    /// Begins a distribution; `hark_` is put before its name.
    pub fn histogram(&mut self, name: &str, help: &str) -> Samples<'_> {
        self.metric(format!("hark_{name}"), "histogram", help)
    }

    fn metric(&mut self, name: String, kind: &str, help: &str) -> Samples<'_> {
        // Writing to a String cannot fail.
        let _ = writeln!(self.0, "# HELP {name} {help}\n# TYPE {name} {kind}");
        Samples { text: &mut self.0, name }
    }
}

/// The values of one metric.
pub struct Samples<'a> {
    text: &'a mut String,
    name: String,
}

impl Samples<'_> {
    /// The only value.
    pub fn value(mut self, value: impl Display) {
        self.line("", &[], value);
    }

    /// The value with this label.
    pub fn labelled(&mut self, label: (&str, &str), value: impl Display) {
        self.line("", &[label], value);
    }

    /// The value with two labels.
    pub fn labelled_twice(&mut self, labels: [(&str, &str); 2], value: impl Display) {
        self.line("", &labels, value);
    }

    /// The distribution with this label.
    pub fn distribution(&mut self, label: (&str, &str), histogram: &Histogram) {
        let mut so_far = 0;
        let bounds = BUCKETS_S.iter().map(f64::to_string).chain(["+Inf".to_owned()]);
        for (count, bound) in histogram.counts.iter().zip(bounds) {
            so_far += count;
            self.line("_bucket", &[label, ("le", &bound)], so_far);
        }
        self.line("_sum", &[label], histogram.sum_s);
        self.line("_count", &[label], so_far);
    }

    fn line(&mut self, suffix: &str, labels: &[(&str, &str)], value: impl Display) {
        let labels: Vec<String> =
            labels.iter().map(|(name, value)| format!("{name}=\"{}\"", escaped(value))).collect();
        let labels = if labels.is_empty() { String::new() } else { format!("{{{}}}", labels.join(",")) };
        let _ = writeln!(self.text, "{}{suffix}{labels} {value}", self.name);
    }
}

fn escaped(label: &str) -> String {
    label.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clones_of_a_counter_share_the_count() {
        let counter = Counter::default();
        counter.clone().add(4);
        counter.raise();
        assert_eq!(counter.get(), 5);
    }

    #[test]
    fn every_kind_is_written_as_prometheus_wants_it() {
        let mut text = Exposition::from("up 1\n".to_owned());
        text.counter("wakes", "Wake words heard.").value(1);
        let mut turns = text.counter("turns", "Turns.");
        turns.labelled_twice([("route", "template"), ("outcome", "done")], 2);
        text.gauge("part_up", "Parts.").labelled(("part", "a \"b\"\\\n"), 0);
        assert_eq!(
            String::from(text),
            "up 1\n\
             # HELP hark_wakes_total Wake words heard.\n# TYPE hark_wakes_total counter\nhark_wakes_total 1\n\
             # HELP hark_turns_total Turns.\n# TYPE hark_turns_total counter\n\
             hark_turns_total{route=\"template\",outcome=\"done\"} 2\n\
             # HELP hark_part_up Parts.\n# TYPE hark_part_up gauge\n\
             hark_part_up{part=\"a \\\"b\\\"\\\\\\n\"} 0\n"
        );
    }

    #[test]
    fn buckets_of_a_histogram_are_cumulated() {
        let mut histogram = Histogram::default();
        [0.004, 0.04, 40.0].into_iter().for_each(|seconds| histogram.record(seconds));
        let mut text = Exposition::default();
        text.histogram("stage_seconds", "Stages.").distribution(("stage", "x"), &histogram);
        let text = String::from(text);
        for line in [
            "# TYPE hark_stage_seconds histogram",
            "hark_stage_seconds_bucket{stage=\"x\",le=\"0.005\"} 1",
            "hark_stage_seconds_bucket{stage=\"x\",le=\"0.05\"} 2",
            "hark_stage_seconds_bucket{stage=\"x\",le=\"10\"} 2",
            "hark_stage_seconds_bucket{stage=\"x\",le=\"+Inf\"} 3",
            "hark_stage_seconds_sum{stage=\"x\"} 40.044",
            "hark_stage_seconds_count{stage=\"x\"} 3",
        ] {
            assert!(text.lines().any(|one| one == line), "{line} is not in\n{text}");
        }
    }
}
