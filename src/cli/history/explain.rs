//! `hark explain`: the whole story of a turn, from the store.

use super::super::{Faults, trace};
use crate::app::storage;
use hark_config::Config;
use hark_core::model::delivery::PromptSent;
use hark_core::plan::{KeptPlan, PlanStore, Step, StepStatus};
use hark_core::public_event::Timings;
use hark_core::session::ReplayPolicy;
use hark_core::{Envelope, Fault, FaultKind, PublicEvent, Route, SAMPLE_RATE_HZ, wav};
use hark_store::turns::{TurnRecord, Turns};
use hark_store::{SessionStore, Store};
use std::collections::BTreeSet;
use std::fmt::Write;

/// In front of what belongs to the line above.
const INDENT: &str = "               ";

/// Prints the turn with this id, or the last one; with a `checkpoint` its plan as it stood then.
pub(crate) fn run(config: &Config, turn: &str, checkpoint: Option<u32>, json: bool) -> Result<(), Faults> {
    let one = |fault: Fault| vec![fault];
    let store = storage::open_store_read_only(config).map_err(one)?;
    if let Some(number) = checkpoint {
        return print_checkpoint(&store, turn, number, json);
    }
    let record = find(&Turns::new(store.clone()), turn)?;
    let checkpoints = store.checkpoints(&record.id.0).map_err(one)?;
    if json {
        for event in &record.events {
            println!("{event}");
        }
    } else {
        let sessions = SessionStore::new(store, config.memory.clone());
        print!("{}", story(&record, sessions.policy_of(&record.id).map_err(one)?.as_ref()));
        for kept in checkpoints {
            println!("{INDENT}checkpoint {} at {}: {}", kept.checkpoint, kept.at, standing(&kept));
        }
        if let Some(path) = storage::open_recordings(config).map_err(one)?.path(&record.id) {
            let bytes = std::fs::metadata(&path).map_or(0, |data| data.len());
            println!("recording {} ({:.1} s)", path.display(), wav::length_s(bytes, SAMPLE_RATE_HZ));
        }
    }
    Ok(())
}

/// The plan of a turn as it stood at a checkpoint. Its turn may never have closed.
fn print_checkpoint(store: &Store, turn: &str, number: u32, json: bool) -> Result<(), Faults> {
    let one = |fault: Fault| vec![fault];
    let id = if turn == "last" { find(&Turns::new(store.clone()), turn)?.id.0 } else { turn.to_owned() };
    let kept = store.plan(&id, Some(number)).map_err(one)?.ok_or_else(|| {
        let message = format!("turn {id} has no plan with a checkpoint {number}");
        vec![Fault::new(FaultKind::BadInput, "explain", message, "`hark explain TURN` lists the checkpoints")]
    })?;
    if json {
        println!("{}", serde_json::json!(kept));
        return Ok(());
    }
    let mut text = format!("{} (checkpoint {} at {})\n", kept.plan.summary, kept.checkpoint, kept.at);
    kept.plan.steps.iter().for_each(|step| tell_step(&mut text, step));
    print!("{text}");
    Ok(())
}

/// How many steps of a plan stand where.
fn standing(kept: &KeptPlan) -> String {
    let count = |status| kept.plan.steps.iter().filter(|step| step.status == status).count();
    let (done, running) = (count(StepStatus::Completed), count(StepStatus::Running));
    format!("{done} of {} steps done, {running} running", kept.plan.steps.len())
}

/// The turn with this id, or the last one.
pub(crate) fn find(turns: &Turns, turn: &str) -> Result<TurnRecord, Faults> {
    let found = if turn == "last" { turns.last() } else { turns.by_id(&turn.into()) };
    found.map_err(|fault| vec![fault])?.ok_or_else(|| vec![absent(turn)])
}

fn absent(turn: &str) -> Fault {
    let message =
        if turn == "last" { "no turn has been kept yet".to_owned() } else { format!("no turn {turn}") };
    Fault::new(FaultKind::BadInput, "explain", message, "make one with `hark ask \"what time is it\"`")
}

/// What happened in a turn, in lines; `policy`: what of the conversation its model was told.
pub(crate) fn story(record: &TurnRecord, policy: Option<&ReplayPolicy>) -> String {
    let mut text = format!("turn {} at {} (session {})\n", record.id, record.at, record.session);
    let events: Vec<Envelope> =
        record.events.iter().filter_map(|event| serde_json::from_value(event.clone()).ok()).collect();
    let mut told = BTreeSet::new();
    for envelope in &events {
        if let Some(line) = trace::line(envelope) {
            let _ = writeln!(text, "{line}");
        }
        match &envelope.event {
            PublicEvent::Action { args, receipt, .. } => {
                let _ = writeln!(text, "{INDENT}arguments {}", serde_json::json!(args));
                let _ = writeln!(text, "{INDENT}receipt   {}", receipt.detail);
                if receipt.tainted {
                    let _ = writeln!(text, "{INDENT}outside   text from outside may be in it, or behind it");
                }
            }
            PublicEvent::Prompt(sent) => tell_sent(&mut text, sent, &mut told),
            PublicEvent::Plan(plan) => plan.steps.iter().for_each(|step| tell_step(&mut text, step)),
            PublicEvent::Turn { timings_ms, route, attempts, .. } => {
                tell_end(&mut text, timings_ms, *route, *attempts);
            }
            _ => {}
        }
    }
    tell_contracts(&mut text, &events);
    if let Some(policy) = policy {
        tell_replay(&mut text, policy);
    }
    text
}

/// What of a prompt has a name: which facts and documents went to its server, each once a turn.
fn tell_sent(text: &mut String, sent: &PromptSent, told: &mut BTreeSet<(String, String, String)>) {
    let (server, outside) = (&sent.delivery.server, sent.delivery.outside);
    let where_to = if outside { format!("left the house, to {server}") } else { format!("to {server}") };
    for part in &sent.parts {
        for item in &part.items {
            if told.insert((server.clone(), part.what.clone(), item.clone())) {
                let _ = writeln!(text, "{INDENT}{where_to}: {}: {}", part.what, item.replace('\n', " "));
            }
        }
    }
}

/// One line a step, with what it waits for.
fn tell_step(text: &mut String, step: &Step) {
    let waits = match step.depends_on.is_empty() {
        true => String::new(),
        false => format!(", after {}", step.depends_on.join(", ")),
    };
    let beside = if step.can_parallel { ", may run beside others" } else { "" };
    let (Step { id, description, tool, .. }, args) = (step, serde_json::json!(step.args));
    let status = trace::name(step.status);
    let _ = writeln!(text, "{INDENT}{id} {status}: {description} ({tool} {args}{waits}{beside})");
    if let Some(receipt) = &step.receipt {
        let _ = writeln!(text, "{INDENT}  receipt {} {}", receipt.id, receipt.detail);
    }
}

fn tell_end(text: &mut String, timings: &Timings, route: Option<Route>, attempts: u32) {
    let stages = [
        ("end of speech → transcript", timings.speech_end_to_transcript),
        ("transcript → intent", timings.transcript_to_intent),
        ("intent → receipt", timings.intent_to_action),
        ("→ first sound", timings.to_first_audio),
        ("end of speech → first sound", timings.speech_end_to_first_audio),
    ];
    for (stage, ms) in stages {
        if let Some(ms) = ms {
            let _ = writeln!(text, "{INDENT}{stage:28} {ms:9.1} ms");
        }
    }
    let route = route.map_or_else(|| "none".to_owned(), trace::name);
    let _ = writeln!(text, "{INDENT}route {route}, {attempts} attempts");
}

/// How often a model was asked under each contract, in the order they were first asked.
fn tell_contracts(text: &mut String, events: &[Envelope]) {
    let mut asked: Vec<(&str, u32, u32, bool)> = Vec::new();
    for envelope in events {
        let PublicEvent::Contract { name, attempt, valid, fallback, .. } = &envelope.event else { continue };
        // A call begins anew with its first attempt.
        match asked.iter_mut().rev().find(|call| call.0 == name && *attempt > 1) {
            Some(call) => *call = (name, *attempt, call.2 + u32::from(!valid), *fallback),
            None => asked.push((name, *attempt, u32::from(!valid), *fallback)),
        }
    }
    for (name, attempts, invalid, fallback) in asked {
        let end = if fallback { "its fallback was used" } else { "an answer was used" };
        let _ = writeln!(text, "contract  {name}: {attempts} attempts, {invalid} invalid; {end}");
    }
}

/// What of the conversation a model was told, and why.
fn tell_replay(text: &mut String, policy: &ReplayPolicy) {
    let reason = policy.reason.map_or_else(|| "no reason".to_owned(), trace::name);
    let left_out: Vec<String> = policy.filtered_types.iter().map(trace::name).collect();
    let trimmed = if policy.trimmed { ", the oldest trimmed" } else { "" };
    let _ = writeln!(
        text,
        "replay    {reason}: {} of {} turns ({} characters{trimmed}), {} left out [{}], context {}",
        policy.entries_used,
        policy.entries_available,
        policy.chars_used,
        policy.entries_filtered,
        left_out.join(", "),
        trace::name(policy.context_strength),
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use hark_core::model::Delivery;
    use hark_core::model::delivery::PromptPart;
    use hark_core::plan::StepStatus;
    use hark_core::public_event::Outcome;
    use hark_core::session::{ContextStrength, EntryTag, ReplayReason};
    use hark_core::{Mode, Stamp};
    use serde_json::json;

    fn record(events: Vec<PublicEvent>) -> TurnRecord {
        let envelope = |event| Envelope::new(event, Some("t-1".into()), Stamp::default(), "now".into());
        let events = events.into_iter().map(|event| serde_json::to_value(envelope(event)).unwrap()).collect();
        TurnRecord { id: "t-1".into(), at: "now".into(), session: "home".into(), events, inputs: Vec::new() }
    }

    fn contract(name: &str, attempt: u32, errors: &[&str], fallback: bool) -> PublicEvent {
        let errors: Vec<String> = errors.iter().map(|error| (*error).to_owned()).collect();
        PublicEvent::Contract { name: name.into(), attempt, valid: errors.is_empty(), errors, fallback }
    }

    #[test]
    fn contracts_plan_modes_and_replay_are_told() {
        let step = Step {
            id: "b".into(),
            description: "Dim the lamp.".into(),
            tool: "home.light".into(),
            args: serde_json::Map::from_iter([("brightness".to_owned(), json!(30))]),
            can_parallel: true,
            depends_on: vec!["a".into()],
            only_if: None,
            status: StepStatus::Completed,
            receipt: None,
            call: None,
        };
        let plan = hark_core::plan::Plan {
            id: "p".into(),
            summary: "Evening.".into(),
            steps: vec![step],
            tainted: false,
        };
        let update = PublicEvent::StepUpdate {
            plan: "p".into(),
            step: "b".into(),
            status: StepStatus::Running,
            message: "dimming".into(),
            total_steps: 1,
            result: serde_json::Value::Null,
        };
        let record = record(vec![
            PublicEvent::Mode { from: Mode::Alert, to: Mode::Working, why: "a task".into() },
            contract("plan", 1, &["/steps: too short"], false),
            contract("plan", 2, &[], false),
            contract("scoring", 1, &["x"], false),
            contract("scoring", 2, &["y"], true),
            PublicEvent::Plan(plan),
            update,
            PublicEvent::Turn {
                timings_ms: Timings::default(),
                route: Some(Route::Llm),
                attempts: 5,
                outcome: Outcome::Done,
            },
        ]);
        let policy = ReplayPolicy {
            entries_available: 8,
            entries_filtered: 2,
            filtered_types: vec![EntryTag::Meta, EntryTag::Other],
            entries_used: 4,
            chars_used: 3120,
            trimmed: true,
            reason: Some(ReplayReason::Continuation),
            context_strength: ContextStrength::Moderate,
            tainted: false,
        };
        let story = story(&record, Some(&policy));
        for part in [
            "ALERT → WORKING: a task",
            "plan, attempt 1: invalid: /steps: too short",
            "b completed: Dim the lamp. (home.light {\"brightness\":30}, after a, may run beside others)",
            "b running dimming",
            "route llm, 5 attempts",
            "contract  plan: 2 attempts, 1 invalid; an answer was used",
            "contract  scoring: 2 attempts, 2 invalid; its fallback was used",
            "continuation: 4 of 8 turns (3120 characters, the oldest trimmed), 2 left out [meta, other], context moderate",
        ] {
            assert!(story.contains(part), "{part} is not in\n{story}");
        }
    }

    #[test]
    fn what_went_to_a_server_is_told_by_name_and_once() {
        let part = |what: &str, items: &[&str]| PromptPart {
            what: what.into(),
            chars: 40,
            items: items.iter().map(|item| (*item).to_owned()).collect(),
        };
        let sent = |server: &str, outside| {
            let delivery = Delivery { server: server.into(), outside, ..Delivery::default() };
            let parts = vec![
                part("request", &[]),
                part("memory", &["Anna is my wife"]),
                part("documents", &["Boiler manual, page 3"]),
            ];
            PublicEvent::Prompt(PromptSent { contract: "strict_answer".into(), delivery, tools: 0, parts })
        };
        let story = story(&record(vec![sent("main", false), sent("cloud", true), sent("cloud", true)]), None);
        for (line, times) in [
            ("left the house, to cloud: memory: Anna is my wife", 1),
            ("left the house, to cloud: documents: Boiler manual, page 3", 1),
            ("to main: memory: Anna is my wife", 1),
            ("LEFT THE HOUSE", 2),
        ] {
            assert_eq!(story.matches(line).count(), times, "{line}\n{story}");
        }
    }
}
