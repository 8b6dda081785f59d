//! Tools: one table ([`table`]), one file a group, and the executor every route passes: check the
//! arguments, plan, the permission gate, run with a time-out, receipt.

mod alarm;
mod announce;
pub mod args;
mod datetime;
pub mod descriptor;
mod home_climate;
mod home_common;
mod home_cover;
mod home_fan;
mod home_light;
mod home_robots;
mod home_state;
mod home_switch;
mod list;
mod media;
mod memory;
pub mod outcome;
pub mod parts;
mod recent;
pub mod schedule;
pub mod table;
mod timer;
mod undo;
mod volume;
mod weather;

use crate::acting::home::command::Actions;
use crate::acting::permissions::Approval;
use crate::domain::pin::{PinCode, PinVerdict};
use crate::domain::ports::{HomeView, ReceiptFuture, Tools};
use crate::domain::tool::error_code;
use crate::domain::{Receipt, Risk, ToolCall, TurnId};
use args::Args;
use descriptor::Descriptor;
use outcome::{Failure, Outcome, Prepared, of_devices, receipt};
use serde_json::{Map, Value};
use std::sync::Arc;
use std::time::Duration;

pub use parts::{Clock, Kept, Parts};
pub use table::triggers;

/// How much longer than its devices a whole call may take, so that it is still told which of them
/// did not answer.
const GRACE: Duration = Duration::from_millis(250);

/// The executor of tools; cheap to clone.
#[derive(Clone)]
pub struct Toolbox {
    parts: Arc<Parts>,
    recent: Arc<recent::Recent>,
}

impl Toolbox {
    /// An executor over these parts.
    pub fn new(parts: Parts) -> Self {
        Self { parts: Arc::new(parts), recent: Arc::default() }
    }

    /// What the tools work with.
    pub fn parts(&self) -> &Arc<Parts> {
        &self.parts
    }
}

impl Tools for Toolbox {
    fn run(&self, call: ToolCall) -> ReceiptFuture {
        let (parts, recent) = (Arc::clone(&self.parts), Arc::clone(&self.recent));
        Box::pin(async move {
            let again = call.clone();
            recent.once(&call, || run(parts, again)).await
        })
    }

    fn has_pin(&self) -> bool {
        self.parts.pin.is_set()
    }

    fn present_pin(&self, pin: &PinCode) -> PinVerdict {
        self.parts.pin.present(pin, self.parts.now_unix_ms())
    }

    fn risk(&self, tool: &str) -> Option<Risk> {
        table::find(tool).map(|tool| tool.risk)
    }
}

async fn run(parts: Arc<Parts>, call: ToolCall) -> Receipt {
    let Some(tool) = table::find(&call.tool) else {
        let message = format!("there is no tool called {}", call.tool);
        return receipt(Err(Failure::new(error_code::FAILED, message)));
    };
    let timeout = tool.timeout_ms.map_or(parts.timeout, |ms| Duration::from_millis(u64::from(ms)));
    let work = execute(parts, tool, call, timeout);
    let result = tokio::time::timeout(timeout + GRACE, work).await.unwrap_or_else(|_| {
        let message = format!("{} did not finish within {} ms", tool.name, timeout.as_millis());
        Err(Failure::new(error_code::TIMEOUT, message))
    });
    receipt(result)
}

async fn execute(
    parts: Arc<Parts>,
    tool: &'static Descriptor,
    call: ToolCall,
    timeout: Duration,
) -> Result<Outcome, Failure> {
    let args = Args::check(tool, &call.args)?;
    let outcome = match (tool.prepare)(&parts, &args)? {
        Prepared::Answer(outcome) => Ok(outcome),
        Prepared::Work(work) => work.await,
        Prepared::Home { .. } if tool.risk == Risk::Read => {
            // A tool that is listed as reading never gets to move anything, whatever its code says.
            let message = format!("{} may only look and wanted to change something", tool.name);
            Err(Failure::new(error_code::FORBIDDEN, message))
        }
        Prepared::Home { actions, about, also } => {
            let may_be_undone = tool.name != undo::NAME;
            let turn = may_be_undone.then_some(&call.turn);
            let given = given(&parts, &call);
            let done = tell_devices(&parts, turn, (actions, given), about, timeout).await?;
            match also {
                Some(work) => Ok(joined(done, work.await?)),
                None => Ok(done),
            }
        }
    }?;
    parts.undo.note(&call.turn, parts.now_unix_ms(), outcome.undo.iter().cloned());
    Ok(outcome)
}

/// What a person has given for this call. A PIN was looked at here, in the executor; its grant is, too.
fn given(parts: &Parts, call: &ToolCall) -> Approval {
    match call.grant {
        Some(number) if parts.pin.redeem(number, &call.turn, parts.now_unix_ms()) => Approval::Pin,
        _ if call.approved => Approval::Yes,
        _ => Approval::None,
    }
}

/// Tells devices what passes the gate, and remembers for `turn` how they were.
async fn tell_devices(
    parts: &Parts,
    turn: Option<&TurnId>,
    (actions, given): (Actions, Approval),
    about: Map<String, Value>,
    timeout: Duration,
) -> Result<Outcome, Failure> {
    let touched = undo::touched(&actions);
    let cleared = parts.gate.pass(actions, given)?;
    let before = parts.home.registry().home();
    let done = parts.home.carry_out(cleared, timeout).await;
    let home = parts.home.registry().home();
    if let Some(turn) = turn {
        parts.undo.note(turn, parts.now_unix_ms(), undo::changed(&touched, &before, &home));
        parts.undo.note(turn, parts.now_unix_ms(), undo::unproved(&done));
    }
    let entities = home_common::changes(&home, &done);
    of_devices(done, entities, about)
}

/// One outcome of two; what both list is put in a row.
fn joined(mut first: Outcome, second: Outcome) -> Outcome {
    first.changed |= second.changed;
    first.undo.extend(second.undo);
    for (key, value) in second.detail {
        match (first.detail.get_mut(&key), value) {
            (Some(Value::Array(known)), Value::Array(more)) => known.extend(more),
            (_, value) => drop(first.detail.insert(key, value)),
        }
    }
    first
}

#[cfg(test)]
mod tests;
