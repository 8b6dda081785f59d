//! Counters of the HTTP interface, in Prometheus' text format.

use hark_telemetry::metrics::{Counter, Exposition};

/// Counts since the start.
#[derive(Debug, Default)]
pub(super) struct HttpMetrics {
    /// Answers by hundreds of their status: 1xx … 5xx.
    answers: [Counter; 5],
    /// Connections that were turned away because there were too many.
    pub(super) turned_away: Counter,
    /// Sockets that were opened.
    pub(super) sockets: Counter,
    /// Public events sockets were not sent.
    pub(super) left_out: Counter,
}

impl HttpMetrics {
    /// An answer was given.
    pub(super) fn answered(&self, status: u16) {
        if let Some(count) = usize::from(status / 100).checked_sub(1).and_then(|at| self.answers.get(at)) {
            count.raise();
        }
    }

    /// Writes the counts; `open` is how many sockets there are now.
    pub(super) fn expose(&self, text: &mut Exposition, open: usize) {
        let mut answers = text.counter("http_answers", "Answers of the HTTP interface by status.");
        for (status, count) in ["1xx", "2xx", "3xx", "4xx", "5xx"].iter().zip(&self.answers) {
            answers.labelled(("status", status), count.get());
        }
        let counters = [
            ("http_turned_away", "Connections refused because there were too many.", &self.turned_away),
            ("websockets_opened", "WebSockets that were opened.", &self.sockets),
            ("websocket_events_left_out", "Events that slow WebSockets were not sent.", &self.left_out),
        ];
        for (name, help, count) in counters {
            text.counter(name, help).value(count.get());
        }
        text.gauge("websockets", "WebSockets that are open.").value(open);
    }
}
