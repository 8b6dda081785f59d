//! Requests from MQTT that were acknowledged: each is acted on, and once, even if the program dies at any moment.
//!
//! A request is written down before the broker is told that it arrived; its number names its turn (`asked-17`), so that
//! the turn is the same when it is taken up again after a start. What was understood is part of the promise: "in ten
//! minutes" is reckoned from when it came, and which call was meant is noted before it is run. So what it set under that
//! name (a timer, an alarm) is set once, and for the time that was meant. A call that may be run again without harm is;
//! of any other it is noted that it begins and what came of it, and where only the first is known it is not run again but
//! told: nobody knows whether the door was opened.

use crate::app::event_queue::EventQueue;
use crate::app::faults::report;
use crate::app::language::secret_guard;
use crate::app::settings::choices::Choices;
use crate::app::settings::store::SettingsStore;
use hark_core::ports::{ReceiptFuture, Tools};
use hark_core::tool::error_code;
use hark_core::{Event, Fault, FaultKind, Receipt, Risk, Slots, ToolCall, TurnId};
use hark_dialog::pin_words;
use hark_mqtt::{AckPolicy, IncomingRequest, MessageKey, RequestLog};
use hark_store::request_log::{CallState, NewRequest, OpenRequest};
use hark_store::store::Store;
use hark_tools::tools::RequestTimes;
use hark_tools::tools::outcome::Failure;
use hark_tools::tools::receipt::receipt;
use std::collections::{BTreeMap, VecDeque};
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::{Notify, oneshot};

/// The beginning of such a turn's id.
const PREFIX: &str = "asked-";

/// A request that was taken up so often without being done may be what the program dies of.
const MAX_TRIES: u32 = 5;

/// How long the next one waits for it.
const DONE_WITHIN: Duration = Duration::from_secs(60);

/// What arrives while those from before the start are taken up waits for its turn, but not longer than this.
const TURN_WITHIN: Duration = Duration::from_secs(15);

/// What waited longer than this is not wanted any more.
const STALE_MS: i64 = 15 * 60 * 1000;

/// Tools that may be run again because what they make has the call's name, or is there only once; and what takes back,
/// because what can be taken back is forgotten with the program: it finds what was done again before it, or nothing.
const KNOWN_AGAIN: &[&str] = &[
    "list.add",
    "list.create",
    "timer.start",
    "alarm.set",
    "reminder.set",
    "schedule.add",
    "automation.add",
    "home.restore_later",
    "undo.last",
];

/// See the module.
pub(crate) struct Inbox {
    store: Store,
    kept: Arc<SettingsStore>,
    choices: Choices,
    event_queue: Arc<EventQueue>,
    /// They know what must not be written down.
    tools: Arc<dyn Tools>,
    request_times: Arc<RequestTimes>,
    /// What was meant by those from before the start, by request and place.
    meant: Mutex<BTreeMap<(i64, u32), (String, Slots)>>,
    /// Done, and not noted yet.
    done: Mutex<Vec<i64>>,
    is_done: Notify,
    /// The one that is waited for.
    awaited: Mutex<Option<(i64, oneshot::Sender<()>)>>,
    /// What arrived while those from before the start are taken up; `None` when nothing has to wait. Things happen in
    /// the order in which they were asked for: "undo that" means what was asked before it.
    behind: Mutex<Option<VecDeque<Event>>>,
}

impl Inbox {
    pub(crate) fn new(
        store: Store,
        kept: Arc<SettingsStore>,
        choices: Choices,
        event_queue: &Arc<EventQueue>,
        tools: Arc<dyn Tools>,
        request_times: Arc<RequestTimes>,
    ) -> Self {
        let (done, is_done, awaited, behind) =
            (Mutex::default(), Notify::new(), Mutex::default(), Mutex::default());
        let (event_queue, meant) = (event_queue.clone(), Mutex::default());
        Self {
            store,
            kept,
            choices,
            event_queue,
            tools,
            request_times,
            meant,
            done,
            is_done,
            awaited,
            behind,
        }
    }

    /// When the request that this turn is of came, milliseconds since the Unix epoch; `None`: it is none of these.
    pub(crate) fn asked_at(&self, turn: &TurnId) -> Option<i64> {
        self.request_times.of(turn)
    }

    /// The call that was meant at its place before the program died, where there was one of the same tool.
    fn as_meant(&self, number: i64, at: u32, call: ToolCall) -> ToolCall {
        match lock(&self.meant).remove(&(number, at)) {
            Some((tool, args)) if tool == call.tool => ToolCall { args, ..call },
            _ => call,
        }
    }

    /// What was promised before this start and is not done, in its order. What cannot be carried out any more is told.
    pub(crate) fn left_over(&self) -> Result<Vec<(i64, Event)>, Fault> {
        let now = crate::app::clock::wall_unix_ms();
        let (mut events, mut given_up) = (Vec::new(), Vec::new());
        for request in self.store.open_requests()? {
            match still_wanted(&request, now) {
                Ok(event) => {
                    self.request_times.note(turn_of(request.number), request.at_unix_ms);
                    events.push((request.number, event));
                }
                Err(why) => {
                    given_up.push(request.number);
                    report(&self.event_queue, not_carried_out(why));
                }
            }
        }
        if !given_up.is_empty() {
            self.store.requests_done(given_up)?;
        }
        let meant = self.store.meant()?.into_iter();
        *lock(&self.meant) = meant
            .filter_map(|(number, at, call)| Some(((number, at), serde_json::from_str(&call).ok()?)))
            .collect();
        if !events.is_empty() {
            *lock(&self.behind) = Some(VecDeque::new());
            tracing::info!(count = events.len(), "requests that were promised are taken up again");
        }
        Ok(events)
    }

    /// Hands on what is left over, one after the other, so that it is known which the program dies of, should it; then
    /// what arrived meanwhile.
    pub(crate) async fn take_up(self: Arc<Self>, left_over: Vec<(i64, Event)>) {
        let mut taking_up = pin!(self.take_up_in_order(left_over));
        let in_time = tokio::time::timeout(TURN_WITHIN, taking_up.as_mut()).await.is_ok();
        self.hand_on_what_waits();
        if !in_time {
            taking_up.await;
        }
    }

    fn hand_on_what_waits(&self) {
        // Held to the end: what arrives now comes after it.
        let mut behind = lock(&self.behind);
        for event in behind.take().into_iter().flatten() {
            if let Err(full) = self.event_queue.push(event) {
                tracing::error!("a request waits for the next start: {full}");
            }
        }
    }

    /// The request, unless it has to wait for those from before the start: then it is handed on after them.
    fn wait_behind(&self, event: Event) -> Option<Event> {
        match lock(&self.behind).as_mut() {
            Some(waiting) => {
                waiting.push_back(event);
                None
            }
            None => Some(event),
        }
    }

    async fn take_up_in_order(&self, left_over: Vec<(i64, Event)>) {
        for (number, event) in left_over {
            let store = self.store.clone();
            if let Err(fault) = blocking(move || store.try_request(number)).await {
                tracing::error!("a request waits for the next start: {fault}");
                continue;
            }
            let (tell, told) = oneshot::channel();
            *lock(&self.awaited) = Some((number, tell));
            if let Err(full) = self.event_queue.push(promised(number, event)) {
                tracing::error!("a request waits for the next start: {full}");
            }
            // Longer than that nothing takes that can be waited for.
            let _ = tokio::time::timeout(DONE_WITHIN, told).await;
        }
    }

    /// The turn has closed, or what it stands for is done without one.
    pub(crate) fn done(&self, turn: &TurnId) {
        if let Some(number) = number(turn) {
            self.request_times.forget(turn);
            lock(&self.done).push(number);
            self.is_done.notify_one();
            if let Some((_, tell)) = lock(&self.awaited).take_if(|(awaited, _)| *awaited == number) {
                // Who waits may have given up.
                let _ = tell.send(());
            }
        }
    }

    /// Notes what is done, and waits for the disk.
    pub(crate) fn note(&self) {
        let done = std::mem::take(&mut *lock(&self.done));
        if done.is_empty() {
            return;
        }
        if let Err(fault) = self.store.requests_done(done.clone()) {
            tracing::error!("requests may be acted on again after the next start: {fault}");
            lock(&self.done).extend(done);
        }
    }

    /// Notes whatever is done, until it is aborted.
    pub(crate) async fn follow(self: Arc<Self>) {
        loop {
            self.is_done.notified().await;
            let inbox = self.clone();
            if let Err(error) = tokio::task::spawn_blocking(move || inbox.note()).await {
                tracing::error!(%error, "requests may be acted on again after the next start");
            }
        }
    }

    /// The request as a row of the request log. A number that can be the PIN, or the value of a password field, is not written down: whoever gave it must give it
    /// again after a restart, because what it was the answer to is forgotten as well.
    fn row(&self, arrival: &IncomingRequest, at_unix_ms: i64) -> NewRequest {
        let MessageKey { packet, content, id } = arrival.known;
        let found = |text: &str| pin_words::find(text, true, self.event_queue.languages());
        let is_pin =
            |text: &str| self.tools.has_pin() && found(text).is_some_and(|found| found.pin.is_some());
        let is_secret = matches!(&arrival.event, Event::Typed { text, .. }
            if is_pin(text) || secret_guard::may_hold_value(text, &*self.tools));
        let event = (!is_secret).then(|| arrival.event.clone());
        NewRequest { packet, content, id, event, at_unix_ms }
    }

    fn keep_setting(&self, event: &Event) {
        let Event::Set { setting } = event else { return };
        // What is refused is told where it is changed.
        if self.choices.check(setting).is_ok()
            && let Err(fault) = self.kept.keep(setting.clone())
        {
            report(&self.event_queue, fault.recoverable());
        }
    }
}

impl RequestLog for Inbox {
    fn keep(&self, arrivals: Vec<IncomingRequest>) -> Vec<Option<Event>> {
        let written = |arrival: &&IncomingRequest| AckPolicy::of(&arrival.event) == AckPolicy::AfterLogged;
        let now = crate::app::clock::wall_unix_ms();
        let rows: Vec<NewRequest> = arrivals.iter().filter(written).map(|it| self.row(it, now)).collect();
        let numbers = if rows.is_empty() { Ok(Vec::new()) } else { self.store.take_requests(rows) };
        let mut numbers = numbers
            .unwrap_or_else(|fault| {
                // The house must work with a disk that is full.
                report(&self.event_queue, fault.recoverable());
                Vec::new()
            })
            .into_iter();
        let hand_on = |IncomingRequest { event, .. }: IncomingRequest| match AckPolicy::of(&event) {
            AckPolicy::AfterStored => {
                self.keep_setting(&event);
                None
            }
            AckPolicy::AfterLogged => self.wait_behind(match numbers.next() {
                Some(number) => {
                    self.request_times.note(turn_of(number), now);
                    promised(number, event)
                }
                None => event,
            }),
            AckPolicy::Immediately => None,
        };
        arrivals.into_iter().map(hand_on).collect()
    }

    fn known(&self) -> Vec<MessageKey> {
        let known = self.store.known_requests().unwrap_or_else(|fault| {
            tracing::warn!("what is delivered again after this start may be acted on again: {fault}");
            Vec::new()
        });
        known.into_iter().map(|(packet, content, id)| MessageKey { packet, content, id }).collect()
    }
}

fn promised(number: i64, event: Event) -> Event {
    Event::Promised { turn: turn_of(number), event: Box::new(event) }
}

fn turn_of(number: i64) -> TurnId {
    TurnId(format!("{PREFIX}{number}"))
}

fn number(turn: &TurnId) -> Option<i64> {
    turn.0.strip_prefix(PREFIX)?.parse().ok()
}

/// What is asked for, or why that is not done any more.
fn still_wanted(request: &OpenRequest, now_unix_ms: i64) -> Result<Event, &'static str> {
    if request.tries >= MAX_TRIES {
        return Err("the program ended each time it was tried");
    }
    if now_unix_ms.saturating_sub(request.at_unix_ms) > STALE_MS {
        return Err("Hark was off for more than a quarter of an hour");
    }
    request.event.clone().ok_or("it held what may be the PIN or a password, which is not kept")
}

fn not_carried_out(why: &str) -> Fault {
    let message = format!("a request that came by MQTT was not carried out: {why}");
    Fault::new(FaultKind::Failed, "mqtt", message, "ask again if it is still wanted").recoverable()
}

/// Tools that run a call of a promised request once.
pub(crate) struct OnceOnly {
    pub(crate) tools: Arc<dyn Tools>,
    pub(crate) inbox: Arc<Inbox>,
}

impl Tools for OnceOnly {
    fn run(&self, call: ToolCall) -> ReceiptFuture {
        let Some(number) = number(&call.turn) else { return self.tools.run(call) };
        let is_plain = !call.approved && call.grant.is_none();
        let is_harmless = self.tools.risk(&call.tool) == Some(Risk::Read)
            || is_plain && self.may_repeat(&call.tool, &call.args);
        if is_harmless {
            return self.tools.run(call);
        }
        let tools = self.tools.clone();
        if is_plain && KNOWN_AGAIN.contains(&call.tool.as_str()) {
            return Box::pin(run_as_meant(tools, self.inbox.clone(), number, call));
        }
        Box::pin(run_once(tools, self.inbox.store.clone(), number, call))
    }

    fn inner(&self) -> Option<&dyn Tools> {
        Some(&*self.tools)
    }

    fn risk(&self, tool: &str) -> Option<Risk> {
        self.tools.risk(tool)
    }
}

async fn run_as_meant(tools: Arc<dyn Tools>, inbox: Arc<Inbox>, number: i64, call: ToolCall) -> Receipt {
    let Ok(at) = u32::try_from(call.index) else { return tools.run(call).await };
    let call = inbox.as_meant(number, at, call);
    let (store, words) = (inbox.store.clone(), in_words(&call));
    if let Err(fault) = blocking(move || store.note_meant(number, at, words)).await {
        tracing::error!("a call may be understood anew, should the program die now: {fault}");
    }
    tools.run(call).await
}

/// A call as it is noted.
fn in_words(call: &ToolCall) -> String {
    serde_json::to_string(&(&call.tool, &call.args)).unwrap_or_default()
}

async fn run_once(tools: Arc<dyn Tools>, store: Store, number: i64, call: ToolCall) -> Receipt {
    let Ok(at) = u32::try_from(call.index) else { return tools.run(call).await };
    let (book, name, words) = (store.clone(), call.tool.clone(), in_words(&call));
    let begun = blocking(move || book.begin_call(number, at, words)).await;
    match begun {
        Ok(CallState::First) => {}
        Ok(CallState::Ended(known)) => return known,
        Ok(CallState::Unknown) => {
            let message =
                format!("the program ended while {name} was under way; whether it was done is not known");
            return receipt(Err(Failure::new(error_code::FAILED, message)));
        }
        // Not noted: done, because somebody waits for it, and perhaps twice if the program dies now.
        Err(fault) => tracing::error!("a call could not be noted: {fault}"),
    }
    let receipt = tools.run(call).await;
    let told = receipt.clone();
    if let Err(fault) = blocking(move || store.end_call(number, at, &told)).await {
        tracing::error!("what came of a call could not be noted: {fault}");
    }
    receipt
}

async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Fault> + Send + 'static,
) -> Result<T, Fault> {
    tokio::task::spawn_blocking(work).await.unwrap_or_else(|error| {
        Err(Fault::new(FaultKind::Failed, "memory", error.to_string(), "see the log"))
    })
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // What it guards is whole after every statement that can panic.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
#[path = "inbox_tests.rs"]
mod tests;
