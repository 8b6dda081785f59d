//! `hark remember`: what the household asked to remember. Reads and writes the same store as the daemon.

use super::args::Remember as Command;
use crate::app::storage::open_store;
use hark_config::Config;
use hark_core::ports::{Fact, FactStore};
use hark_core::{Fault, FaultKind};
use hark_tools::memory::Memory;
use serde_json::json;
use std::sync::Arc;

/// Most facts that are shown.
const MOST: usize = 10_000;

/// Lists, searches or forgets.
pub(super) fn run(config: &Config, command: &Command, as_json: bool) -> Result<(), Fault> {
    let store = open_store(config)?;
    let memory = Memory::new(Arc::new(store.clone()));
    match command {
        Command::List => show(&memory.list(None, MOST)?, as_json),
        Command::Search { words } => show(&memory.list(Some(&words.join(" ")), MOST)?, as_json),
        Command::Forget { id } => {
            if !store.forget(*id)? {
                let message = format!("there is no fact {id}");
                let fix = "`hark remember list` shows them with their numbers";
                return Err(Fault::new(FaultKind::BadInput, "memory", message, fix));
            }
            println!("forgotten");
        }
    }
    Ok(())
}

fn show(facts: &[Fact], as_json: bool) {
    if as_json {
        println!("{}", json!(facts));
        return;
    }
    if facts.is_empty() {
        println!("nothing");
    }
    for fact in facts {
        let told = chrono::DateTime::from_timestamp_millis(fact.told_unix_ms).unwrap_or_default();
        let told = told.with_timezone(&chrono::Local).format("%Y-%m-%d %H:%M");
        println!("{:5}  {told}  {}", fact.id, fact.text);
    }
}
