//! The order of calls: what takes back, now or later, waits until the calls before it have recorded their changes, and
//! calls behind it wait for it. What only looks waits for the changes before it in the same request, as does what is set for
//! later: it looks at what it waits for. What changes waits for those calls before it in the same request that may concern
//! the same.

use crate::tools::services::Services;
use crate::tools::{automation, undo};
use hark_core::ports::{ReceiptFuture, Tools};
use hark_core::{Risk, ToolCall, TurnId};
use serde_json::Value;
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
        let kind = match () {
            () if looks => Kind::Looks,
            () if takes_back || call.tool == automation::RESTORE_LATER => Kind::TakesBack,
            () => Kind::Changes,
        };
        let place = self.under_way.begin(Open::of(kind, &call));
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
    open: BTreeMap<u64, Open>,
}

/// A call that has not ended.
#[derive(Debug, Clone)]
struct Open {
    kind: Kind,
    turn: TurnId,
    /// What its tool is for: `home` of `home.turn_on`.
    tools: String,
    /// Its arguments of `ABOUT`.
    about: [Option<Value>; ABOUT.len()],
}

/// What the tools are for that keep something for later. A timer that it waits for may be set in the same request.
const WATCH: &str = "automation";

/// Arguments that tell what a call is about.
const ABOUT: [&str; 4] = ["name", "area", "floor", "list"];

impl Open {
    fn of(kind: Kind, call: &ToolCall) -> Self {
        let tools = call.tool.split('.').next().unwrap_or_default().to_owned();
        Self { kind, turn: call.turn.clone(), tools, about: ABOUT.map(|slot| call.args.get(slot).cloned()) }
    }

    /// Whether this call has to wait until another one that began before it has ended.
    fn waits_for(&self, other: &Self) -> bool {
        let same_turn = self.turn == other.turn;
        match (self.kind, other.kind) {
            (Kind::TakesBack | Kind::Looks, Kind::Looks) => false,
            (Kind::Looks, _) => same_turn,
            (Kind::TakesBack, _) | (_, Kind::TakesBack) => true,
            (Kind::Changes, _) => same_turn && (self.tools == WATCH || self.may_concern_the_same(other)),
        }
    }

    /// Tools of one kind, and nothing tells that they are about different things.
    fn may_concern_the_same(&self, other: &Self) -> bool {
        let differs =
            |(one, other): (&Option<Value>, &Option<Value>)| one.is_some() && other.is_some() && one != other;
        self.tools == other.tools && !self.about.iter().zip(&other.about).any(differs)
    }
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
    call: Open,
    all: Arc<UnderWay>,
}

impl UnderWay {
    fn begin(self: &Arc<Self>, call: Open) -> Place {
        let mut calls = self.lock();
        let number = calls.next;
        calls.next += 1;
        calls.open.insert(number, call.clone());
        Place { number, call, all: Arc::clone(self) }
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
            let must_end = |(_, other): (&u64, &Open)| self.call.waits_for(other);
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
    use serde_json::json;
    use std::task::{Context, Waker};

    /// A call of a tool of this kind about a thing of this name.
    fn open(kind: Kind, turn: &TurnId, tools: &str, name: Option<&str>) -> Open {
        let about = [name.map(|name| json!(name)), None, None, None];
        Open { kind, turn: turn.clone(), tools: tools.to_owned(), about }
    }

    #[tokio::test]
    async fn what_takes_back_waits_for_those_before_it_and_those_behind_for_it() {
        let (all, turn) = (Arc::new(UnderWay::default()), TurnId::from("t"));
        let begin = |kind, name| all.begin(open(kind, &turn, "home", Some(name)));
        let [a, b] = ["a", "b"].map(|name| begin(Kind::Changes, name));
        let back = begin(Kind::TakesBack, "");
        let later = begin(Kind::Changes, "c");
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
        let begin = |kind, turn, name| all.begin(open(kind, turn, "home", Some(name)));
        let (_other, change) = (begin(Kind::Changes, &others, "a"), begin(Kind::Changes, &mine, "a"));
        let look = begin(Kind::Looks, &mine, "a");
        let later = begin(Kind::Changes, &mine, "b");
        let mut context = Context::from_waker(Waker::noop());
        let mut waits = Box::pin(look.turn());
        assert!(look.call.waits_for(&change.call));
        assert!(waits.as_mut().poll(&mut context).is_pending());
        later.turn().await;
        drop(change);
        waits.await;
    }

    #[test]
    fn what_is_set_for_later_waits_for_all_changes_before_it() {
        let (mine, others) = (TurnId::from("mine"), TurnId::from("others"));
        let later = open(Kind::Changes, &mine, "automation", None);
        let timer = open(Kind::Changes, &mine, "timer", None);
        assert!(later.waits_for(&timer));
        assert!(!timer.waits_for(&later));
        assert!(!later.waits_for(&open(Kind::Changes, &others, "timer", None)));
    }

    #[tokio::test]
    async fn what_may_concern_the_same_is_done_in_the_order_it_was_said() {
        let (all, turn) = (Arc::new(UnderWay::default()), TurnId::from("t"));
        let mut context = Context::from_waker(Waker::noop());
        let changes = |tools, name| open(Kind::Changes, &turn, tools, name);
        let lists = all.begin(open(Kind::Looks, &turn, "list", None));
        let [lamp, radio] =
            [("home", "lamp"), ("home", "radio")].map(|(tools, name)| all.begin(changes(tools, Some(name))));
        let [item, lamp_again] =
            [("list", None), ("home", Some("lamp"))].map(|(tools, name)| all.begin(changes(tools, name)));
        let of_another = all.begin(open(Kind::Changes, &TurnId::from("u"), "home", Some("lamp")));
        for apart in [&lists, &lamp, &radio, &of_another] {
            apart.turn().await;
        }
        let (mut ticks, mut turns) = (Box::pin(item.turn()), Box::pin(lamp_again.turn()));
        assert!(ticks.as_mut().poll(&mut context).is_pending(), "the list is being read");
        assert!(turns.as_mut().poll(&mut context).is_pending(), "the lamp is being changed");
        drop(lists);
        ticks.await;
        drop(lamp);
        turns.await;
    }
}
