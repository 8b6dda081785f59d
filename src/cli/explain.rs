//! `hark explain`: the whole story of a turn, from the store.

use super::{Faults, trace};
use crate::config::Config;
use crate::daemon::workshop;
use crate::domain::{Envelope, Fault, FaultKind, PublicEvent};
use crate::remembering::turns::{TurnRecord, Turns};
use std::fmt::Write;

/// Prints the turn with this id, or the last one.
pub(super) fn run(config: &Config, turn: &str, json: bool) -> Result<(), Faults> {
    let store = workshop::open_store_read_only(config).map_err(|fault| vec![fault])?;
    let turns = Turns::new(store);
    let found = if turn == "last" { turns.last() } else { turns.by_id(&turn.into()) };
    let record = found.map_err(|fault| vec![fault])?.ok_or_else(|| vec![absent(turn)])?;
    if json {
        for event in &record.events {
            println!("{event}");
        }
    } else {
        print!("{}", story(&record));
    }
    Ok(())
}

fn absent(turn: &str) -> Fault {
    let message =
        if turn == "last" { "no turn has been kept yet".to_owned() } else { format!("no turn {turn}") };
    Fault::new(FaultKind::BadInput, "explain", message, "make one with `hark ask \"what time is it\"`")
}

fn story(record: &TurnRecord) -> String {
    let mut text = format!("turn {} at {} (session {})\n", record.id, record.at, record.session);
    let events: Vec<Envelope> =
        record.events.iter().filter_map(|event| serde_json::from_value(event.clone()).ok()).collect();
    for envelope in &events {
        if let Some(line) = trace::line(envelope) {
            let _ = writeln!(text, "{line}");
        }
        if let PublicEvent::Action { args, receipt, .. } = &envelope.event {
            let _ = writeln!(text, "               arguments {}", serde_json::json!(args));
            let _ = writeln!(text, "               receipt   {}", receipt.detail);
        }
        if let PublicEvent::Turn { timings_ms, route, attempts, .. } = &envelope.event {
            let stages = [
                ("end of speech → transcript", timings_ms.speech_end_to_transcript),
                ("transcript → intent", timings_ms.transcript_to_intent),
                ("intent → receipt", timings_ms.intent_to_action),
                ("→ first sound", timings_ms.to_first_audio),
                ("end of speech → first sound", timings_ms.speech_end_to_first_audio),
            ];
            for (stage, ms) in stages {
                if let Some(ms) = ms {
                    let _ = writeln!(text, "               {stage:28} {ms:9.1} ms");
                }
            }
            let route = route.map_or_else(|| "none".to_owned(), trace::name);
            let _ = writeln!(text, "               route {route}, {attempts} tool calls");
        }
    }
    text
}
