//! Keeps every turn for `hark explain`: its public events, and the machine events since the machine was
//! last at rest, so that a fresh machine can replay it. Keeps what was said in its conversation, a line of it in
//! the journal, and its sound where that is switched on. All of that is written off the turn's path.

use crate::app::event_queue::EventQueue;
use crate::app::faults::report;
use crate::app::session_names::SessionNames;
use chrono::DateTime;
use hark_core::memory::{Requester, Speaker};
use hark_core::model::Picture;
use hark_core::public_event::{Origin, Outcome};
use hark_core::session::{FOCUS, ReplayPolicy, Sessions, Style, Verbosity};
use hark_core::tool::error_code;
use hark_core::{Envelope, Event, Fault, PublicEvent, Route, Stamp, TurnId};
use hark_dialog::dialog_act;
use hark_memory::Memory;
use hark_store::journal::{Journal, Line, TurnText};
use hark_store::model_history::{Entry, tells_of_outside};
use hark_store::recordings::Recordings;
use hark_store::sessions::{Exchange, SessionStore};
use hark_store::turns::{TurnRecord, Turns};
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Arc;
use tokio::runtime::Handle;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

/// Events kept for a replay at most; a conversation that never rests is cut at its beginning.
const MAX_INPUTS: usize = 4096;
/// Conversations whose mode is remembered.
const MAX_MODES: usize = 512;
/// Facts of which vectors are made after a turn; the rest after the next ones.
const MAX_EMBEDDED: usize = 16;
/// The store is tidied every this many turns.
const PRUNE_EVERY: u32 = 50;

/// Where turns are kept.
#[derive(Clone)]
pub(crate) struct Keeping {
    pub(crate) turns: Turns,
    pub(crate) sessions: SessionStore,
    /// `None` when it is switched off.
    pub(crate) journal: Option<Arc<Journal>>,
    /// Sound; what was kept before it was switched off still grows old.
    pub(crate) recordings: Recordings,
    /// Where it is told that something could not be kept.
    pub(crate) event_queue: Arc<EventQueue>,
    /// How many turns are kept.
    pub(crate) most: u32,
    /// What the household told.
    pub(crate) memory: Memory,
    /// Statements are kept that nobody asked to keep.
    pub(crate) keep_statements: bool,
}

/// See the module.
pub struct Recorder {
    keeping: Keeping,
    runtime: Handle,
    names: SessionNames,
    inputs: Vec<Value>,
    /// The last of them belongs to the turn that is opened next.
    leads_in: bool,
    open: BTreeMap<TurnId, Open>,
    /// How answers are wanted where that is another way than as text.
    modes: BTreeMap<String, &'static str>,
    /// The sound of the words that are handled now.
    sound: Option<Vec<f32>>,
    saved: u32,
    writes: Vec<JoinHandle<()>>,
    /// The end of the last write: turns are kept in the order in which they closed.
    last: Option<oneshot::Receiver<()>>,
}

/// A turn that is not closed yet.
struct Open {
    record: TurnRecord,
    origin: Option<Origin>,
    words: TurnText,
    sound: Option<Vec<f32>>,
    policy: Option<ReplayPolicy>,
    /// How the answer was wanted, where somebody can say so.
    mode: Option<&'static str>,
}

impl Recorder {
    /// Keeps turns there; `names` tells the conversations apart.
    pub(crate) fn new(keeping: Keeping, runtime: Handle, names: SessionNames) -> Self {
        let (open, writes) = (BTreeMap::new(), Vec::new());
        let (modes, inputs) = (BTreeMap::new(), Vec::new());
        let (last, leads_in) = (None, false);
        Self { keeping, runtime, names, inputs, leads_in, open, modes, sound: None, saved: 0, writes, last }
    }

    /// A machine event is about to be handled; `at_rest` when no turn is open before it. `sound`: that of the words it
    /// holds, where it may be kept.
    pub fn event(&mut self, now: Stamp, event: &Event, at_rest: bool, sound: Option<Vec<f32>>) {
        self.sound = sound;
        self.note_mode(event);
        if at_rest && !std::mem::replace(&mut self.leads_in, leads_in(event)) {
            self.inputs.clear();
        }
        if self.inputs.len() < MAX_INPUTS {
            self.inputs.push(match event {
                // The machine hands pictures on and never looks at them, and they would fill the disk.
                Event::Pictures { origin, pictures } => {
                    let bare =
                        |it: &Picture| Picture { media_type: it.media_type.clone(), base64: String::new() };
                    let pictures = pictures.iter().map(bare).collect();
                    json((now, Event::Pictures { origin: origin.clone(), pictures }))
                }
                event => json((now, event)),
            });
        }
    }

    /// From the request itself: what is kept of the conversation may be another mode when the turn is written.
    fn note_mode(&mut self, event: &Event) {
        let (session, mode) = match event {
            Event::Focus { origin: Origin::Api(session), on } => (session, on.then_some(FOCUS)),
            Event::Typed { origin: Origin::Api(session), speak, .. } => {
                let silent = self.modes.get(session).copied().filter(|mode| *mode == FOCUS);
                (session, if *speak { Some("voice") } else { silent })
            }
            _ => return,
        };
        match mode {
            Some(mode) => {
                if self.modes.len() >= MAX_MODES && !self.modes.contains_key(session) {
                    self.modes.clear();
                }
                self.modes.insert(session.clone(), mode);
            }
            None => drop(self.modes.remove(session)),
        }
    }

    /// The conversation a request belongs to that is made now.
    pub fn session(&self, origin: Option<&Origin>) -> String {
        self.names.now(origin)
    }

    /// What was answered last in the conversation a request of this origin belongs to now.
    pub fn last_reply(&self, origin: &Origin) -> Option<String> {
        match self.keeping.sessions.last_reply(&self.session(Some(origin))) {
            Ok(reply) => reply,
            Err(fault) => {
                tracing::warn!("nobody knows what was said last in this conversation: {fault}");
                None
            }
        }
    }

    /// Keeps how a language model answers in the conversation of this origin, or everywhere, which is what it answers.
    ///
    /// # Errors
    /// When the disk refuses.
    pub fn keep_style(&self, origin: &Origin, style: &Style) -> Result<bool, Fault> {
        self.keeping.sessions.keep_style(&self.session(Some(origin)), style)
    }

    /// A public event was sent; the closing record saves its turn. Answers what may be kept of it that was said in passing.
    pub(crate) fn published(&mut self, envelope: &Envelope) -> Option<Passing> {
        let id = envelope.turn.as_ref()?;
        // What is told of a turn that has closed, such as how good its answer was, opens it no more.
        if envelope.origin.is_none() && !self.open.contains_key(id) {
            self.add(id, json(envelope));
            return None;
        }
        let open = self.open.entry(id.clone()).or_insert_with(|| Open {
            record: TurnRecord {
                id: id.clone(),
                at: envelope.at.clone(),
                session: self.names.now(envelope.origin.as_ref()),
                events: Vec::new(),
                inputs: Vec::new(),
            },
            origin: envelope.origin.clone(),
            words: TurnText::default(),
            sound: None,
            policy: None,
            mode: match &envelope.origin {
                Some(Origin::Api(session)) => Some(self.modes.get(session).copied().unwrap_or("chat")),
                _ => None,
            },
        });
        open.record.events.push(json(envelope));
        if let PublicEvent::Replay(policy) = &envelope.event {
            open.policy = Some(policy.clone());
        }
        if let PublicEvent::Transcript(_) = &envelope.event {
            open.sound = self.sound.take();
        }
        // What was not recognised of it may be the PIN.
        if let PublicEvent::Action { receipt, .. } = &envelope.event
            && receipt.detail["error"] == error_code::NEEDS_PIN
        {
            open.sound = None;
        }
        open.words.take(&envelope.event);
        let PublicEvent::Turn { outcome, .. } = envelope.event else { return None };
        let mut open = self.open.remove(id)?;
        open.record.inputs.clone_from(&self.inputs);
        self.keep(open, envelope.clone(), outcome)
    }

    fn keep(&mut self, mut open: Open, closing: Envelope, outcome: Outcome) -> Option<Passing> {
        let exchange = exchange(&open, outcome);
        let at_unix_ms = exchange.at_unix_ms;
        let passing = passing(&open, &closing, &exchange).filter(|_| self.keeping.keep_statements);
        self.keeping.sessions.foresee(&exchange);
        self.saved += 1;
        let (keeping, prune) = (self.keeping.clone(), self.saved % PRUNE_EVERY == 1);
        let said = passing.clone();
        self.write(move || {
            let failed = |what: &str, fault: Fault| {
                tracing::error!("{what}: {fault}");
                report(&keeping.event_queue, fault.recoverable());
            };
            // Whoever sees the turn finds its sound.
            if let Some(sound) = open.sound.take()
                && let Err(fault) = keeping.recordings.write(&open.record.id, &sound)
            {
                failed("the sound of a turn could not be kept", fault);
            }
            if let Err(fault) = keeping.turns.save_turn(&open.record) {
                failed("a turn could not be kept", fault);
            }
            if let Err(fault) = keeping.sessions.keep(&exchange) {
                failed("what was said could not be kept", fault);
            }
            if let Err(fault) = note(&keeping, open, &closing) {
                failed("a line of the journal is missing", fault);
            }
            if let Err(fault) = keep_passing(&keeping, passing.as_ref(), at_unix_ms) {
                failed("what was told could not be kept", fault);
            }
            if let Err(fault) = forget(&keeping, prune) {
                failed("what is old could not be forgotten", fault);
            }
        });
        said
    }

    /// Adds an event to a turn that is closed.
    fn add(&mut self, id: &TurnId, event: Value) {
        let (turns, turn) = (self.keeping.turns.clone(), id.clone());
        self.write(move || {
            if let Err(fault) = turns.add_event(&turn, &event) {
                tracing::error!("what was told of a turn later could not be kept: {fault}");
            }
        });
    }

    /// Does what waits for the disk, after all that was to be written before.
    fn write(&mut self, work: impl FnOnce() + Send + 'static) {
        let (done, next) = oneshot::channel::<()>();
        let before = self.last.replace(next);
        self.writes.retain(|write| !write.is_finished());
        self.writes.push(self.runtime.spawn(async move {
            if let Some(before) = before {
                // Nothing is ever sent: it ends when the one before does, whatever became of it.
                let _ = before.await;
            }
            if let Err(error) = tokio::task::spawn_blocking(work).await {
                tracing::error!("a turn could not be kept: {error}");
            }
            drop(done);
        }));
    }

    /// Waits until every turn is on the disk. Not from within the runtime.
    pub fn finish(&mut self) {
        for write in self.writes.drain(..) {
            if let Err(error) = self.runtime.block_on(write) {
                tracing::error!("a turn could not be kept: {error}");
            }
        }
    }
}

/// Whether an event that opens no turn is said with the request that follows.
fn leads_in(event: &Event) -> bool {
    matches!(
        event,
        Event::Recalled { .. } | Event::PinPresented { .. } | Event::Pictures { .. } | Event::Focus { .. }
    )
}

/// Forgets sound that is too old or too much, and where it is time old turns with theirs.
fn forget(keeping: &Keeping, prune: bool) -> Result<(), Fault> {
    if prune {
        // A conversation with a name is taken up again after any number of turns elsewhere.
        let of_named = keeping.sessions.history_entries();
        keeping.recordings.forget(&keeping.turns.prune(keeping.most, of_named)?)?;
    }
    keeping.recordings.tidy()
}

/// What of a turn its conversation comes back to: what was asked and answered, and not merely tried.
fn exchange(open: &Open, outcome: Outcome) -> Exchange {
    let counts = !matches!(outcome, Outcome::DryRun | Outcome::Elsewhere | Outcome::NothingSaid);
    let words = &open.words;
    let entry = (counts && !words.request.trim().is_empty()).then(|| {
        let events = serde_json::to_string(&open.record.events).unwrap_or_default();
        let tainted = tells_of_outside(&events);
        let tag = dialog_act::tag(&words.request, &[hark_language::of(&words.language)]);
        Entry { tainted, ..Entry::new(&words.request, &words.response, tag) }
    });
    let at_unix_ms = DateTime::parse_from_rfc3339(&open.record.at).map_or(0, |at| at.timestamp_millis());
    let (turn, session) = (open.record.id.clone(), open.record.session.clone());
    Exchange { turn, session, at_unix_ms, entry, policy: open.policy.clone() }
}

/// Something that was said in passing, by whom, when, and in which turn.
#[derive(Clone)]
pub(crate) struct Passing {
    pub(crate) text: String,
    /// ISO 639-1, as far as it is known.
    pub(crate) language: String,
    pub(crate) by: Requester,
    pub(crate) turn: TurnId,
    pub(crate) at_unix_ms: i64,
}

/// What may be kept of a turn that nobody asked to keep anything in: of one that wanted nothing done.
fn passing(open: &Open, closing: &Envelope, exchange: &Exchange) -> Option<Passing> {
    let talked = matches!(closing.event, PublicEvent::Turn { route: None | Some(Route::Llm), .. });
    let origin = open.origin.as_ref().filter(|origin| **origin != Origin::Internal)?;
    // A text from outside may have been read in it.
    exchange.entry.as_ref().filter(|entry| talked && !entry.tainted)?;
    let (text, turn) = (open.words.request.clone(), open.record.id.clone());
    let (language, at_unix_ms) = (open.words.language.clone(), exchange.at_unix_ms);
    // Whoever speaks at a browser's microphone is not known by who opened the page.
    let is_typed = open.record.events.iter().any(|event| event["engine"] == "typed");
    let of_origin = Requester::of(origin);
    let speaker = if is_typed { of_origin.speaker } else { Speaker::Unknown };
    let person = open.record.events.iter().find_map(|event| event["speaker"]["name"].as_str());
    let by = Requester { speaker, ..of_origin }.with_voice_of(person.map(str::to_owned));
    Some(Passing { text, language, by, turn, at_unix_ms })
}

/// Keeps what was stated in passing and whom it was about, and makes vectors of what was told lately.
fn keep_passing(keeping: &Keeping, passing: Option<&Passing>, at_unix_ms: i64) -> Result<(), Fault> {
    if let Some(Passing { text, by, turn, .. }) = passing {
        keeping.memory.remember_in_passing(text, at_unix_ms, by, Some(&turn.0))?;
    }
    keeping.memory.keep_recent(at_unix_ms)?;
    // Without the encoder facts are found by their words.
    if let Err(fault) = keeping.memory.embed_missing(MAX_EMBEDDED) {
        tracing::debug!("facts have no vectors yet: {fault}");
    }
    Ok(())
}

/// The line of a turn in the journal.
fn note(keeping: &Keeping, open: Open, closing: &Envelope) -> Result<(), Fault> {
    let Some(journal) = &keeping.journal else { return Ok(()) };
    let mut settings = keeping.sessions.settings(&open.record.session)?;
    if let Some(mode) = open.mode {
        settings.mode = mode.to_owned();
        if mode == FOCUS {
            settings.verbosity = Verbosity::Short;
        }
    } else if settings.mode.is_empty() {
        settings.mode = if open.origin == Some(Origin::Voice) { "voice" } else { "chat" }.into();
    }
    let (at, session) = (&open.record.at, &open.record.session);
    Line::new(closing, at, session, settings, &open.words, open.policy)
        .map_or(Ok(()), |line| journal.append(&line))
}

fn json(value: impl serde::Serialize) -> Value {
    // Only maps with keys that are not text, or a failing `Serialize`, can fail; events have neither.
    serde_json::to_value(value).unwrap_or(Value::Null)
}

#[cfg(test)]
#[path = "recorder_tests.rs"]
mod tests;
