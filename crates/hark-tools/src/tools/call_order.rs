//! The order of calls: what takes back, now or later, waits until the calls before it have recorded their changes, and
//! calls behind it wait for it. What only looks waits for the changes before it in the same request.

use super::services::Services;
use super::{automation, undo};
use hark_core::ports::{ReceiptFuture, Tools};
use hark_core::{Risk, ToolCall, TurnId};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::Notify;

/// Tools that run in this order.
pub struct CallOrder {
    tools: Arc<dyn Tools>,
    services: Arc<Services>,
    under_way: Arc<UnderWay>,
}

impl CallOrder {
    /// These tools, which work with these services. None waits for those before it for longer than a tool may take.
    pub fn new(tools: Arc<dyn Tools>, services: Arc<Services>) -> Self {
        Self { tools, services, under_way: Arc::default() }
    }
}

impl Tools for CallOrder {
    fn run(&self, call: ToolCall) -> ReceiptFuture {
        // All before anything is awaited.
        let takes_back = call.tool == undo::NAME;
        let looks = self.tools.risk(&call.tool) == Some(Risk::Read);
        if looks && !self.under_way.is_changing(&call.turn) {
            return self.tools.run(call);
        }
        let kind = match () {
            () if looks => Kind::Looks,
            () if takes_back || call.tool == automation::RESTORE_LATER => Kind::TakesBack,
            () => Kind::Changes,
        };
        let place = self.under_way.begin(kind, &call.turn);
        if kind != Kind::Looks && !takes_back {
            self.services.undo.begins(&call.turn);
        }
        let (tools, patience) = (Arc::clone(&self.tools), self.services.timeout);
        Box::pin(async move {
            if tokio::time::timeout(patience, place.turn()).await.is_err() {
                tracing::warn!(
                    tool = call.tool,
                    "a call before it takes long; it is not waited for any more"
                );
            }
            let receipt = tools.run(call).await;
            drop(place);
            receipt
        })
    }

    fn inner(&self) -> Option<&dyn Tools> {
        Some(&*self.tools)
    }

    fn risk(&self, tool: &str) -> Option<Risk> {
        self.tools.risk(tool)
    }
}

/// The calls that are under way.
#[derive(Debug, Default)]
struct UnderWay {
    calls: Mutex<Calls>,
    ended: Notify,
}

#[derive(Debug, Default)]
struct Calls {
    /// Number of the next one.
    next: u64,
    /// All that have not ended.
    open: BTreeMap<u64, (Kind, TurnId)>,
}

/// What a call does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Looks,
    Changes,
    TakesBack,
}

/// One of them; it has ended when this is dropped.
#[derive(Debug)]
struct Place {
    number: u64,
    kind: Kind,
    turn: TurnId,
    all: Arc<UnderWay>,
}

impl UnderWay {
    fn begin(self: &Arc<Self>, kind: Kind, turn: &TurnId) -> Place {
        let mut calls = self.lock();
        let number = calls.next;
        calls.next += 1;
        calls.open.insert(number, (kind, turn.clone()));
        Place { number, kind, turn: turn.clone(), all: Arc::clone(self) }
    }

    /// Whether a change of a request has not ended.
    fn is_changing(&self, turn: &TurnId) -> bool {
        self.lock().open.values().any(|(kind, of)| *kind != Kind::Looks && of == turn)
    }

    fn lock(&self) -> MutexGuard<'_, Calls> {
        // Whole after every statement.
        self.calls.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Place {
    /// Waits until it is its turn.
    async fn turn(&self) {
        loop {
            let ended = self.all.ended.notified();
            tokio::pin!(ended);
            // From here on no end is missed.
            ended.as_mut().enable();
            let must_end = |(_, (kind, turn)): (&u64, &(Kind, TurnId))| match (self.kind, kind) {
                (_, Kind::Looks) => false,
                (Kind::Looks, _) => *turn == self.turn,
                (Kind::TakesBack, _) | (_, Kind::TakesBack) => true,
                (Kind::Changes, Kind::Changes) => false,
            };
            if !self.all.lock().open.range(..self.number).any(must_end) {
                return;
            }
            ended.await;
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.all.lock().open.remove(&self.number);
        self.all.ended.notify_waiters();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::task::{Context, Waker};

    #[tokio::test]
    async fn what_takes_back_waits_for_those_before_it_and_those_behind_for_it() {
        let (all, turn) = (Arc::new(UnderWay::default()), TurnId::from("t"));
        let [a, b] = [Kind::Changes, Kind::Changes].map(|kind| all.begin(kind, &turn));
        let back = all.begin(Kind::TakesBack, &turn);
        let later = all.begin(Kind::Changes, &turn);
        let mut context = Context::from_waker(Waker::noop());
        let mut waits = Box::pin(back.turn());
        let mut behind = Box::pin(later.turn());
        b.turn().await;
        assert!(waits.as_mut().poll(&mut context).is_pending());
        drop(b);
        assert!(waits.as_mut().poll(&mut context).is_pending(), "the first one has not ended");
        drop(a);
        waits.await;
        assert!(behind.as_mut().poll(&mut context).is_pending(), "it has not taken back yet");
        drop(back);
        behind.await;
    }

    #[tokio::test]
    async fn what_looks_waits_for_the_changes_of_its_own_request() {
        let all = Arc::new(UnderWay::default());
        let (mine, others) = (TurnId::from("mine"), TurnId::from("others"));
        let (_other, change) = (all.begin(Kind::Changes, &others), all.begin(Kind::Changes, &mine));
        let look = all.begin(Kind::Looks, &mine);
        let later = all.begin(Kind::Changes, &mine);
        let mut context = Context::from_waker(Waker::noop());
        let mut waits = Box::pin(look.turn());
        assert!(all.is_changing(&mine));
        assert!(waits.as_mut().poll(&mut context).is_pending());
        later.turn().await;
        drop(change);
        waits.await;
    }
}
