//! `hark approve` and `hark deny`: the yes or no of the operator to what the running Hark asks.

use super::Faults;
use super::running::{Running, none_runs};
use hark_config::Config;
use hark_core::public_event::Outcome;
use hark_core::{Envelope, Fault, FaultKind, PublicEvent, Transcript};
use serde_json::json;
use std::io::Write;

/// Gives the answer, and prints what Hark says to it.
pub(super) fn run(
    config: &Config,
    sets: &[String],
    yes: bool,
    turn: Option<String>,
    json: bool,
) -> Result<(), Faults> {
    let one = |fault: Fault| vec![fault];
    let running = Running::find(config, sets).map_err(one)?.ok_or_else(|| one(none_runs()))?;
    let (kind, word) = if yes { ("approve", "yes") } else { ("deny", "no") };
    let (mut reply, mut ended) = (String::new(), None);
    let mut hear = |envelope: &Envelope| match &envelope.event {
        PublicEvent::Reply { text, ends: true, .. } => reply.clone_from(text),
        PublicEvent::Turn { outcome, .. } => ended = Some(*outcome),
        _ => {}
    };
    // It may belong to the conversation that was asked.
    let mine = |said: &Transcript, _| said.engine == "typed" && said.text == word;
    running.converse(&json!({"type": kind, "turn": turn}), mine, &mut hear).map_err(one)?;
    if matches!(ended, Some(Outcome::NotUnderstood | Outcome::Failed)) {
        let fix = "`hark explain` tells what was asked last, and what came of it";
        return Err(one(Fault::new(FaultKind::Failed, "approve", reply, fix)));
    }
    let line = if json { json!({"reply": reply, "outcome": ended}).to_string() } else { reply };
    // A reader that went away has its answer in the house.
    let _ = writeln!(std::io::stdout(), "{line}");
    Ok(())
}
