//! Counters that any thread may raise without waiting: a registry hands them out by name and takes in
//! those that parts keep for themselves.

use serde::Serialize;
use std::fmt::Write;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// A count that only grows. Raising it neither locks nor allocates, so audio callbacks may.
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

impl From<Arc<AtomicU64>> for Counter {
    fn from(shared: Arc<AtomicU64>) -> Self {
        Self(shared)
    }
}

/// One counter as it is shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Reading {
    /// Name, such as `ear_blocks`.
    pub name: &'static str,
    /// What is counted.
    pub help: &'static str,
    /// The count.
    pub value: u64,
}

/// All counters of a process. Cloning shares them.
#[derive(Debug, Clone, Default)]
pub struct Counters {
    entries: Arc<Mutex<Vec<Entry>>>,
}

#[derive(Debug)]
struct Entry {
    name: &'static str,
    help: &'static str,
    counter: Counter,
}

impl Counters {
    /// The counter `name`, made when there is none. `help` says what is counted.
    pub fn counter(&self, name: &'static str, help: &'static str) -> Counter {
        let mut entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(entry) = entries.iter().find(|entry| entry.name == name) {
            return entry.counter.clone();
        }
        let counter = Counter::default();
        entries.push(Entry { name, help, counter: counter.clone() });
        counter
    }

    /// Takes in a count that another part raises, such as the frames a capture ring had to drop. A
    /// counter of the same name is replaced: a part that was restarted counts anew.
    pub fn adopt(&self, name: &'static str, help: &'static str, shared: Arc<AtomicU64>) {
        let mut entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        entries.retain(|entry| entry.name != name);
        entries.push(Entry { name, help, counter: shared.into() });
    }

    /// All counts, by name.
    pub fn readings(&self) -> Vec<Reading> {
        let entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        let mut readings: Vec<Reading> = entries
            .iter()
            .map(|entry| Reading { name: entry.name, help: entry.help, value: entry.counter.get() })
            .collect();
        readings.sort_by_key(|reading| reading.name);
        readings
    }

    /// All counts in Prometheus' text format, each with `hark_` before and `_total` after its name.
    pub fn prometheus(&self) -> String {
        let mut text = String::new();
        for Reading { name, help, value } in self.readings() {
            // Writing to a String cannot fail.
            let _ = write!(
                text,
                "# HELP hark_{name}_total {help}\n# TYPE hark_{name}_total counter\nhark_{name}_total {value}\n"
            );
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_one_counter_however_often_it_is_asked_for() {
        let counters = Counters::default();
        let first = counters.counter("ear_blocks", "Blocks the ear has processed.");
        counters.clone().counter("ear_blocks", "again").add(4);
        first.raise();
        assert_eq!(first.get(), 5);
        assert_eq!(counters.readings().len(), 1);
    }

    #[test]
    fn adopted_counts_show_what_their_owner_raises() {
        let counters = Counters::default();
        let dropped = Arc::new(AtomicU64::new(3));
        counters.adopt("input_dropped_frames", "Frames lost.", Arc::clone(&dropped));
        dropped.fetch_add(4, Ordering::Relaxed);
        assert_eq!(counters.readings()[0].value, 7);
        counters.adopt("input_dropped_frames", "Frames lost.", Arc::default());
        assert_eq!(
            counters.readings(),
            [Reading { name: "input_dropped_frames", help: "Frames lost.", value: 0 }]
        );
    }

    #[test]
    fn prometheus_text_has_help_type_and_value() {
        let counters = Counters::default();
        counters.counter("wakes", "Wake words heard.").raise();
        assert_eq!(
            counters.prometheus(),
            "# HELP hark_wakes_total Wake words heard.\n# TYPE hark_wakes_total counter\nhark_wakes_total 1\n"
        );
    }
}
