//! What the handles of the voice and its thread hand each other: orders, flags that interrupt, and what is reported.

use super::playback::{PlaybackControl, PlaybackFeeder};
use super::reply_text::ReplyText;
use hark_core::audio::Earcon;
use hark_core::ports::Voice;
use hark_core::public_event::SpeakingEnd;
use hark_core::{Fault, TurnId};
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How often the thread looks at the ring while something plays: reports are at most this late.
const POLL: Duration = Duration::from_millis(2);

/// What the voice reports, from its own thread. Reports must not wait for the voice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SpeakingEvent {
    /// The first sample of the turn's reply was handed to the device.
    Started { turn: TurnId },
    /// Nothing of it is left to hand over. Comes exactly once for each accepted `say`; without a
    /// `Started` before it nothing was heard. `Stop` also stands for what could not be said.
    Ended { turn: TurnId, reason: SpeakingEnd },
    /// The voice could not say something.
    Fault(Fault),
}

/// Something to be played, in order.
#[derive(Debug)]
pub(super) enum Order {
    Say { turn: TurnId, text: Arc<ReplyText>, language: String },
    Earcon(Earcon),
}

/// What the handles leave for the thread.
#[derive(Default)]
pub(super) struct Inbox {
    pub(super) orders: VecDeque<Order>,
    /// Turns whose orders a stop took out of the queue; their end is still to be reported.
    pub(super) cancelled: Vec<TurnId>,
    /// A new output that takes the place of the old one; the inner `None` is no output.
    pub(super) output: Option<Option<PlaybackFeeder>>,
    pub(super) shutdown: bool,
    /// The newest likely reply, with its language.
    pub(super) likely: Option<(String, String)>,
    /// A voice that takes the place of the one that speaks.
    pub(super) voice: Option<Box<dyn Voice>>,
    /// Control of the newest output.
    pub(super) control: Option<PlaybackControl>,
    pub(super) volume_percent: u8,
    pub(super) settle_asked: u64,
    pub(super) settled: u64,
    /// Counts whatever the thread may have to look at.
    pub(super) told: u64,
    /// Whether the thread is no more.
    pub(super) gone: bool,
}

impl Inbox {
    /// Silences what sounds and empties the queue.
    pub(super) fn drop_all(&mut self) {
        if let Some(control) = &self.control {
            control.stop();
        }
        self.likely = None;
        let orders = std::mem::take(&mut self.orders);
        self.cancelled.extend(orders.into_iter().filter_map(|order| match order {
            Order::Say { turn, text, .. } => {
                text.close();
                Some(turn)
            }
            Order::Earcon(_) => None,
        }));
    }
}

/// How far the thread has read its news.
pub(super) struct Ticket {
    told: u64,
    settle_asked: u64,
}

/// The inbox with its locks.
pub(super) struct Mailbox {
    pub(super) inbox: Mutex<Inbox>,
    /// Something was put into the inbox.
    pub(super) news: Condvar,
    /// The thread has settled, or is gone.
    pub(super) settled: Condvar,
    /// Set with a stop, a new output or the shutdown, cleared when the thread has taken note.
    pub(super) interrupt: AtomicBool,
}

impl Mailbox {
    /// Plain data behind the lock: it is whole even if a holder panicked.
    pub(super) fn lock(&self) -> MutexGuard<'_, Inbox> {
        self.inbox.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether the thread has to drop what it does and look into the inbox.
    pub(super) fn interrupted(&self) -> bool {
        self.interrupt.load(Ordering::Acquire)
    }

    /// The thread has taken note of the interruption; call with the lock held.
    pub(super) fn clear_interrupt(&self, _held: &Inbox) {
        self.interrupt.store(false, Ordering::Release);
    }

    /// The next order; none while an interruption waits, for it may concern what came before.
    pub(super) fn take_order(&self) -> Option<Order> {
        let mut inbox = self.lock();
        if self.interrupted() { None } else { inbox.orders.pop_front() }
    }

    /// Something is new for the thread.
    pub(super) fn tell(&self) {
        self.lock().told += 1;
        self.news.notify_one();
    }

    /// What the thread knows of; to be read before it looks at everything else.
    pub(super) fn ticket(&self) -> Ticket {
        let inbox = self.lock();
        Ticket { told: inbox.told, settle_asked: inbox.settle_asked }
    }

    /// Sleeps until something is newer than `ticket`. `settled`: the thread has done all it can before
    /// the device asks for more. `playing`: the ring must be looked at again soon.
    pub(super) fn rest(&self, ticket: &Ticket, settled: bool, playing: bool) {
        let mut inbox = self.lock();
        if self.interrupted() || inbox.told != ticket.told {
            return;
        }
        if settled {
            inbox.settled = ticket.settle_asked;
            self.settled.notify_all();
            if inbox.settle_asked != ticket.settle_asked {
                return;
            }
        }
        if playing {
            drop(self.news.wait_timeout(inbox, POLL));
        } else {
            drop(self.news.wait(inbox));
        }
    }

    /// Changes the inbox and has the thread drop what it does.
    pub(super) fn interrupt(&self, change: impl FnOnce(&mut Inbox)) {
        let mut inbox = self.lock();
        change(&mut inbox);
        inbox.told += 1;
        self.interrupt.store(true, Ordering::Release);
        self.news.notify_one();
    }
}

/// Frees those who wait for the thread when it ends, however it ends.
pub(super) struct Gone(pub(super) Arc<Mailbox>);

impl Drop for Gone {
    fn drop(&mut self) {
        self.0.lock().gone = true;
        self.0.settled.notify_all();
    }
}
