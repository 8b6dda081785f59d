//! Counters of the HTTP interface, in Prometheus' text format.

use std::fmt::Write;
use std::sync::atomic::{AtomicU64, Ordering};

/// Counts since the start.
#[derive(Debug, Default)]
pub(super) struct HttpMetrics {
    /// Answers by hundreds of their status: 1xx … 5xx.
    answers: [AtomicU64; 5],
    /// Connections that were turned away because there were too many.
    pub(super) turned_away: AtomicU64,
    /// Sockets that were opened.
    pub(super) sockets: AtomicU64,
    /// Public events sockets were not sent.
    pub(super) left_out: AtomicU64,
}

impl HttpMetrics {
    /// An answer was given.
    pub(super) fn answered(&self, status: u16) {
        if let Some(count) = usize::from(status / 100).checked_sub(1).and_then(|at| self.answers.get(at)) {
            count.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// In Prometheus' text format; `open` is how many sockets there are now.
    pub(super) fn prometheus(&self, open: usize) -> String {
        let mut text = String::new();
        text.push_str("# HELP hark_http_answers_total Answers of the HTTP interface by status.\n");
        text.push_str("# TYPE hark_http_answers_total counter\n");
        for (at, count) in self.answers.iter().enumerate() {
            let count = count.load(Ordering::Relaxed);
            // Writing to a String cannot fail.
            let _ = writeln!(text, "hark_http_answers_total{{status=\"{}xx\"}} {count}", at + 1);
        }
        let counters = [
            ("http_turned_away", "Connections refused because there were too many.", &self.turned_away),
            ("websockets_opened", "WebSockets that were opened.", &self.sockets),
            ("websocket_events_left_out", "Events that slow WebSockets were not sent.", &self.left_out),
        ];
        for (name, help, count) in counters {
            let count = count.load(Ordering::Relaxed);
            let _ = write!(
                text,
                "# HELP hark_{name}_total {help}\n# TYPE hark_{name}_total counter\nhark_{name}_total {count}\n"
            );
        }
        let _ = write!(
            text,
            "# HELP hark_websockets WebSockets that are open.\n# TYPE hark_websockets gauge\nhark_websockets {open}\n"
        );
        text
    }
}
