//! Keeps every turn for `hark explain`: its public events, and the machine events since the machine was
//! last at rest, so that a fresh machine can replay it.

use crate::domain::public_event::Origin;
use crate::domain::{Envelope, Event, PublicEvent, Stamp, TurnId};
use crate::remembering::turns::{TurnRecord, Turns};
use serde_json::Value;
use std::collections::BTreeMap;
use tokio::runtime::Handle;
use tokio::task::JoinHandle;

/// Events kept for a replay at most; a conversation that never rests is cut at its beginning.
const MOST_INPUTS: usize = 4096;
/// The store is tidied every this many turns.
const PRUNE_EVERY: u32 = 50;

/// See the module.
pub struct Recorder {
    turns: Option<Turns>,
    runtime: Handle,
    session: String,
    keep: u32,
    inputs: Vec<Value>,
    open: BTreeMap<TurnId, TurnRecord>,
    saved: u32,
    writes: Vec<JoinHandle<()>>,
}

impl Recorder {
    /// Records into `turns`, or nothing when there is no store. `session` names the conversation of turns whose origin
    /// names none.
    pub fn new(turns: Option<Turns>, runtime: Handle, session: &str, keep: u32) -> Self {
        Self {
            turns,
            runtime,
            session: session.to_owned(),
            keep,
            inputs: Vec::new(),
            open: BTreeMap::new(),
            saved: 0,
            writes: Vec::new(),
        }
    }

    /// A machine event is about to be handled; `at_rest` when no turn is open before it.
    pub fn event(&mut self, now: Stamp, event: &Event, at_rest: bool) {
        if self.turns.is_none() {
            return;
        }
        if at_rest {
            self.inputs.clear();
        }
        if self.inputs.len() < MOST_INPUTS {
            self.inputs.push(json((now, event)));
        }
    }

    /// A public event was sent; the closing record saves its turn.
    pub fn published(&mut self, envelope: &Envelope) {
        let (Some(turns), Some(id)) = (&self.turns, &envelope.turn) else { return };
        let record = self.open.entry(id.clone()).or_insert_with(|| TurnRecord {
            id: id.clone(),
            at: envelope.at.clone(),
            session: self.session.clone(),
            events: Vec::new(),
            inputs: Vec::new(),
        });
        if let Some(Origin::Api(session) | Origin::MqttSession(session)) = &envelope.origin {
            record.session.clone_from(session);
        }
        record.events.push(json(envelope));
        if !matches!(envelope.event, PublicEvent::Turn { .. }) {
            return;
        }
        let Some(mut record) = self.open.remove(id) else { return };
        record.inputs.clone_from(&self.inputs);
        self.saved += 1;
        let (turns, keep, prune) = (turns.clone(), self.keep, self.saved % PRUNE_EVERY == 1);
        self.writes.retain(|write| !write.is_finished());
        self.writes.push(self.runtime.spawn_blocking(move || {
            let written =
                turns.save_turn(&record).and_then(|()| if prune { turns.prune(keep) } else { Ok(0) });
            if let Err(fault) = written {
                tracing::error!("a turn could not be kept: {fault}");
            }
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

fn json(value: impl serde::Serialize) -> Value {
    // Only maps with keys that are not text, or a failing `Serialize`, can fail; events have neither.
    serde_json::to_value(value).unwrap_or(Value::Null)
}
