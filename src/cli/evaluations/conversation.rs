//! Typed requests to parts of this process, with everything that is told of them.

use super::failed;
use crate::app::builder::App;
use crate::cli::standalone::ask::{self, ask};
use hark_core::public_event::Outcome;
use hark_core::{Envelope, Fault, Intent, PublicEvent, Receipt};
use std::sync::{Arc, Mutex, PoisonError};

/// What was told of one request or recording.
#[derive(Debug, Default, Clone)]
pub(crate) struct Turn {
    /// The first words that were believed.
    pub(crate) words: Option<String>,
    /// What was understood, in order; empty for what no home can serve.
    pub(crate) intents: Vec<Intent>,
    /// What was done: the tool and its receipt.
    pub(crate) acts: Vec<(String, Receipt)>,
    /// What was answered.
    pub(crate) reply: String,
    /// How it ended.
    pub(crate) outcome: Option<Outcome>,
}

/// The name an intent has that asks nothing of the home.
const OUT_OF_SCOPE: &str = "out_of_scope";

impl Turn {
    /// Takes an event in.
    pub(crate) fn note(&mut self, event: &PublicEvent) {
        match event {
            PublicEvent::Transcript(transcript) if self.words.is_none() => {
                self.words = transcript.rejected.is_none().then(|| transcript.text.clone());
            }
            PublicEvent::Intent { intent, .. } if intent.name != OUT_OF_SCOPE => {
                self.intents.push(intent.clone())
            }
            PublicEvent::Action { tool, receipt, .. } => self.acts.push((tool.clone(), receipt.clone())),
            PublicEvent::Reply { text, .. } => {
                let gap = if self.reply.is_empty() { "" } else { " " };
                self.reply = format!("{}{gap}{text}", self.reply);
            }
            PublicEvent::Turn { outcome, .. } => self.outcome = Some(*outcome),
            _ => {}
        }
    }

    /// Whether something is different from before.
    pub(crate) fn changed(&self) -> bool {
        self.acts.iter().any(|(_, receipt)| receipt.changed)
    }

    /// The intents with their slots, in short.
    pub(crate) fn meaning(&self) -> String {
        let intents = self.intents.iter().map(|intent| {
            let slots = intent.slots.iter().map(|(slot, value)| format!(" {slot}={value}"));
            format!("{}{}", intent.name, slots.collect::<String>())
        });
        intents.collect::<Vec<_>>().join(" + ")
    }
}

/// Has every text answered, and tells what came of each. A text without a turn of its own has an empty one.
///
/// # Errors
/// When the parts do not answer.
pub(crate) fn converse(app: &App, texts: &[String], options: &ask::Options) -> Result<Vec<Turn>, Fault> {
    let turns: Arc<Mutex<Vec<Turn>>> = Arc::default();
    let told = turns.clone();
    let note = move |envelope: &Envelope| {
        let mut turns = told.lock().unwrap_or_else(PoisonError::into_inner);
        // Every typed request begins with its words.
        if matches!(envelope.event, PublicEvent::Transcript(_)) {
            turns.push(Turn::default());
        }
        if let Some(turn) = turns.last_mut() {
            turn.note(&envelope.event);
        }
    };
    ask(app, texts.iter().cloned(), options, note)?;
    let turns = std::mem::take(&mut *turns.lock().unwrap_or_else(PoisonError::into_inner));
    match turns.len() == texts.len() {
        true => Ok(turns),
        false => Err(failed(format!("{} of {} requests were taken up", turns.len(), texts.len()))),
    }
}

/// What every text comes to, without being acted on.
///
/// # Errors
/// As [`converse`].
pub(crate) fn understand(app: &App, texts: &[String]) -> Result<Vec<Turn>, Fault> {
    converse(app, texts, &ask::Options { dry_run: true, ..ask::Options::default() })
}
