//! Which node answers, live: what the pipeline hears and what the others say goes to the arbiter, what it orders to
//! the broker and the turn machine.

use crate::app::event_queue::EventQueue;
use hark_config::satellite::Satellite;
use hark_core::Event;
use hark_core::house::Claim;
use hark_dialog::arbitration::{Arbiter, Order, Timing};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio::time::Instant;

/// Messages that wait at most. Overflow: refused; a claim is repeated, and one that is lost means that two
/// nodes settle it when they have both won.
const WAITING_MAX: usize = 64;

/// Input of the arbiter.
#[derive(Debug)]
enum Told {
    Heard { score: f32, level_db: f32 },
    Claimed(Claim),
}

/// Tells the arbiter; cheap to clone, never waits. Does nothing where there is no arbiter.
#[derive(Debug, Clone, Default)]
pub struct Claims(Option<Sender<Told>>);

/// What the arbiter listens to.
pub struct Claimed(Receiver<Told>);

impl Claims {
    /// Both ends, if nodes shall settle who answers.
    pub fn new(config: &Satellite) -> (Self, Option<Claimed>) {
        if !config.arbitration {
            return (Self::default(), None);
        }
        let (tell, told) = channel(WAITING_MAX);
        (Self(Some(tell)), Some(Claimed(told)))
    }

    /// The wake word was heard.
    pub fn heard(&self, score: f32, level_db: f32) {
        self.tell(Told::Heard { score, level_db });
    }

    /// Another node, or this one, said so.
    pub fn claimed(&self, claim: Claim) {
        self.tell(Told::Claimed(claim));
    }

    fn tell(&self, told: Told) {
        if let Some(Err(error)) = self.0.as_ref().map(|tell| tell.try_send(told)) {
            tracing::debug!("a claim was passed over: {error}");
        }
    }
}

/// Settles who answers, until every [`Claims`] is gone. `send` reaches all nodes.
pub async fn settle(
    mut claimed: Claimed,
    node: String,
    config: Satellite,
    send: impl Fn(&Claim),
    event_queue: Arc<EventQueue>,
) {
    let timing = Timing {
        window_ms: config.arbitration_window_ms.into(),
        hold_ms: config.arbitration_hold_ms.into(),
        takeover_ms: config.arbitration_takeover_ms.into(),
    };
    let began = Instant::now();
    let now_ms = || u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
    let mut arbiter = Arbiter::new(&node, rand_id(), timing);
    loop {
        let due = arbiter.next_ms().map(|at| began + Duration::from_millis(at));
        let orders = tokio::select! {
            told = claimed.0.recv() => match told {
                Some(Told::Heard { score, level_db }) => arbiter.heard(now_ms(), score, level_db),
                Some(Told::Claimed(claim)) => arbiter.received(now_ms(), claim),
                None => return,
            },
            () = tokio::time::sleep_until(due.unwrap_or_else(Instant::now)), if due.is_some() => {
                arbiter.tick(now_ms())
            }
        };
        for order in orders {
            match order {
                Order::Send(claim) => send(&claim),
                Order::Stand(standing) => {
                    if let Err(full) = event_queue.push(Event::Standing { standing }) {
                        tracing::error!("who answers was not told: {full}");
                    }
                }
            }
        }
    }
}

/// Another one at every start, so that claims of before are not taken for these; exact in JSON.
fn rand_id() -> u64 {
    uuid::Uuid::new_v4().as_u64_pair().0 >> 12
}
