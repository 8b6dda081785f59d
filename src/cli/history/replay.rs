//! `hark replay`: feeds what was recorded of a turn to today's turn machine and shows any difference.

use super::super::explain::find;
use super::super::{Faults, trace};
use crate::app::builder;
use crate::app::storage;
use crate::cli::standalone::replay::{Difference, LEAD_UP_TURNS, Replayed, replay, start_of};
use hark_config::Config;
use hark_core::{Envelope, Fault, FaultKind, PublicEvent, Stamp};
use hark_store::turns::Turns;
use serde_json::Value;

/// Replays the turn with this id, or the last one.
pub(crate) fn run(config: &Config, turn: &str, json: bool) -> Result<(), Faults> {
    let one = |fault: Fault| vec![fault];
    let turns = Turns::new(storage::open_store_read_only(config).map_err(one)?);
    let record = find(&turns, turn)?;
    let before = turns.before(&record.id, LEAD_UP_TURNS).map_err(one)?.unwrap_or_default();
    let of_this_start: Vec<_> =
        before.into_iter().rev().filter(|turn| start_of(&turn.id) == start_of(&record.id)).collect();
    let settings = builder::machine_settings(config, "");
    let replayed = replay(&record, &of_this_start, &settings).map_err(one)?;
    if json {
        println!("{}", serde_json::json!(replayed));
    } else {
        print!("{}", told(&replayed));
    }
    if replayed.same {
        return Ok(());
    }
    let message = format!("turn {} comes out differently today", replayed.turn);
    let fix = "if that is what was meant to change, nothing is to be done";
    Err(one(Fault::new(FaultKind::Failed, "replay", message, fix)))
}

fn told(replayed: &Replayed) -> String {
    let Replayed { turn, same, inputs, events, differences } = replayed;
    let verdict = if *same { "the same today" } else { "different today" };
    let mut text = format!("turn {turn}: {inputs} events fed, {events} told: {verdict}\n");
    for difference in differences {
        let (side, event) = match difference {
            Difference::Recorded(event) => ("- recorded", event),
            Difference::Today(event) => ("+ today   ", event),
        };
        text.push_str(&format!("{side}  {}\n", line(event)));
    }
    text
}

/// As `hark explain` tells it, with every field behind.
fn line(event: &Value) -> String {
    let words = serde_json::from_value::<PublicEvent>(event.clone()).ok().and_then(|event| {
        let line = trace::line(&Envelope::new(event, None, Stamp::default(), String::new()))?;
        line.split_once(" s  ").map(|(_, words)| words.to_owned())
    });
    match words {
        Some(words) => format!("{words}  {event}"),
        None => event.to_string(),
    }
}
