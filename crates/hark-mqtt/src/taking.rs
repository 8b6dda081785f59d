//! What was sent with QoS 1 is acknowledged when it is safe: acted on, or written down so that it will be even if the
//! program dies now. The book that is written into belongs to the daemon ([`Book`]); what waits to be written is here,
//! and outlives a connection.

use super::repetition::Seen;
use hark_core::event::Event;
use std::collections::VecDeque;
use std::sync::Arc;
use tokio::task::JoinHandle;

/// Messages that wait to be written down. With more the connection is not read until there is room, so that the
/// sender feels it; brokers let fewer be under way.
pub const MOST_WAITING: usize = 256;

/// A message that is to be acted on.
#[derive(Debug, Clone, PartialEq)]
pub struct Arrival {
    /// By what it is known again.
    pub known: Known,
    /// What it asks for.
    pub event: Event,
}

/// By what a message is known again after a restart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Known {
    /// The packet it came in.
    pub packet: u16,
    /// A hash of its topic and words.
    pub content: u64,
    /// A hash of its topic and the id its sender gave it.
    pub id: Option<u64>,
}

/// Where what must not be lost is written down.
pub trait Book: Send + Sync {
    /// Writes messages down and waits for the disk. What is to be handed on then, for each in their order: the
    /// request under the number it can be taken up again by, the request as it is where it could not be written, nothing where
    /// it was handed on before (see [`How::Kept`]).
    fn keep(&self, arrivals: Vec<Arrival>) -> Vec<Option<Event>>;

    /// What was written down last, in its order, also before this start.
    fn known(&self) -> Vec<Known>;
}

/// When a message may be acknowledged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum How {
    /// When it was handed on: later it is worth nothing, or happening twice would be worse than not at all.
    Now,
    /// A setting: it is handed on at once, and acknowledged when it is on the disk. Said again it changes nothing.
    Kept,
    /// When it is written down; it is handed on after that.
    Written,
}

impl How {
    /// Of this event.
    pub fn of(event: &Event) -> Self {
        match event {
            Event::Typed { .. } | Event::Say { .. } | Event::Correct { .. } | Event::CancelTimers => {
                Self::Written
            }
            Event::Set { .. } => Self::Kept,
            _ => Self::Now,
        }
    }
}

/// One message that is safe now.
#[derive(Debug, PartialEq)]
pub struct Safe {
    /// The packet to acknowledge, where it came on this connection.
    pub packet: u16,
    /// To be handed on.
    pub event: Option<Event>,
}

/// What comes in with QoS 1, over all connections.
#[derive(Default)]
pub struct Intake {
    /// What may come again.
    pub seen: Seen,
    /// What is not safe yet.
    pub desk: Desk,
}

impl Intake {
    /// With this book, and what it knows of the time before this start.
    pub fn new(book: Option<Arc<dyn Book>>) -> Self {
        let desk = Desk::new(book);
        Self { seen: Seen::of(&desk.known()), desk }
    }
}

/// The work of writing, which gives what is to be handed on.
type Writing = JoinHandle<Vec<Option<Event>>>;

/// What waits to be written down, and what is being written.
#[derive(Default)]
pub struct Desk {
    /// `None`: nothing is written down, everything is safe when it was handed on.
    book: Option<Arc<dyn Book>>,
    waiting: VecDeque<Arrival>,
    writing: Option<(Vec<Arrival>, Writing)>,
}

impl Desk {
    /// A desk with this book.
    pub fn new(book: Option<Arc<dyn Book>>) -> Self {
        Self { book, ..Self::default() }
    }

    /// What may be delivered again after the last start.
    pub fn known(&self) -> Vec<Known> {
        self.book.as_ref().map(|book| book.known()).unwrap_or_default()
    }

    /// Takes a message that is to be written down.
    pub fn put(&mut self, arrival: Arrival) {
        self.waiting.push_back(arrival);
    }

    /// Whether a message is not safe yet.
    pub fn holds(&self, packet: u16, content: u64) -> bool {
        let writing = self.writing.iter().flat_map(|(writing, _)| writing);
        let mut all = self.waiting.iter().chain(writing).map(|arrival| arrival.known);
        all.any(|known| known.packet == packet && known.content == content)
    }

    /// Whether nothing waits and nothing is being written.
    pub fn is_empty(&self) -> bool {
        self.waiting.is_empty() && self.writing.is_none()
    }

    /// Whether no more should be taken.
    pub fn is_full(&self) -> bool {
        self.waiting.len() >= MOST_WAITING
    }

    /// Writes what waits, all of it at once; resolves when it is safe, with what was written. Never resolves while
    /// there is nothing. Dropping the future loses nothing.
    pub async fn next(&mut self) -> Vec<Safe> {
        if self.writing.is_none() && !self.waiting.is_empty() {
            let arrivals: Vec<Arrival> = self.waiting.drain(..).collect();
            let (book, batch) = (self.book.clone(), arrivals.clone());
            let write = move || match book {
                Some(book) => book.keep(batch),
                None => batch.into_iter().map(as_it_is).collect(),
            };
            self.writing = Some((arrivals, tokio::task::spawn_blocking(write)));
        }
        let Some((_, work)) = &mut self.writing else { return std::future::pending().await };
        let written = work.await;
        let arrivals = self.writing.take().map(|(arrivals, _)| arrivals).unwrap_or_default();
        let events = written.unwrap_or_else(|error| {
            tracing::error!(%error, "requests could not be written down; they are acted on all the same");
            arrivals.iter().cloned().map(as_it_is).collect()
        });
        let packets = arrivals.iter().map(|arrival| arrival.known.packet);
        packets.zip(events).map(|(packet, event)| Safe { packet, event }).collect()
    }
}

/// What is handed on of a message that is not written down.
fn as_it_is(arrival: Arrival) -> Option<Event> {
    (How::of(&arrival.event) == How::Written).then_some(arrival.event)
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::FutureExt;
    use hark_core::Setting;
    use std::sync::Mutex;

    /// Remembers what was written in one go.
    #[derive(Default)]
    struct Notebook(Mutex<Vec<usize>>);

    impl Book for Notebook {
        fn keep(&self, arrivals: Vec<Arrival>) -> Vec<Option<Event>> {
            self.0.lock().unwrap().push(arrivals.len());
            arrivals.into_iter().map(as_it_is).collect()
        }

        fn known(&self) -> Vec<Known> {
            Vec::new()
        }
    }

    fn said(packet: u16) -> Arrival {
        let event = Event::Say { text: packet.to_string() };
        Arrival { known: Known { packet, content: 1, id: None }, event }
    }

    #[tokio::test]
    async fn what_waits_is_written_together_and_comes_back_in_its_order() {
        let book = Arc::new(Notebook::default());
        let mut desk = Desk::new(Some(book.clone()));
        desk.put(said(1));
        {
            // Begun and let go, as when a connection breaks.
            let disk = book.0.lock().unwrap();
            assert!(desk.next().now_or_never().is_none());
            drop(disk);
        }
        desk.put(said(2));
        let volume = Event::Set { setting: Setting::VolumePercent(5) };
        desk.put(Arrival { event: volume, ..said(3) });
        assert!(desk.holds(1, 1) && desk.holds(2, 1) && !desk.holds(2, 2));
        let packets = |safe: Vec<Safe>| safe.into_iter().map(|it| (it.packet, it.event)).collect::<Vec<_>>();
        let say = |text: &str| Some(Event::Say { text: text.into() });
        assert_eq!(packets(desk.next().await), [(1, say("1"))]);
        assert_eq!(packets(desk.next().await), [(2, say("2")), (3, None)], "a setting was handed on before");
        assert!(desk.is_empty() && *book.0.lock().unwrap() == [1, 2]);
    }

    #[test]
    fn only_what_is_worth_something_later_is_written_down() {
        for (event, how) in [
            (Event::Stop, How::Now),
            (Event::ListenNow, How::Now),
            (Event::CancelTimers, How::Written),
            (Event::Set { setting: Setting::MicMute(true) }, How::Kept),
        ] {
            assert_eq!(How::of(&event), how, "{event:?}");
        }
    }
}
