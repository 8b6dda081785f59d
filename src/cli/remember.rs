//! `hark remember`: what the household told. Reads and writes the same store as the daemon; whoever runs it is the owner.

use super::args::Remember as Command;
use crate::app::clock::wall_unix_ms;
use crate::app::language::languages::load_lexicons;
use crate::app::language::memory::statements;
use crate::app::storage::open_store;
use hark_config::Config;
use hark_core::memory::{Entity, Requester, WhichFacts};
use hark_core::ports::Fact;
use hark_core::public_event::Origin;
use hark_core::{Fault, FaultKind};
use hark_memory::{Asked, Kept, Memory, Telling};
use serde_json::json;
use std::sync::Arc;

/// Most facts that are shown.
const MAX: usize = 10_000;

/// Lists, adds, searches or forgets.
pub(super) fn run(config: &Config, command: &Command, as_json: bool) -> Result<(), Fault> {
    let memory = open(config)?;
    match command {
        Command::List { history } => {
            let which = if *history { WhichFacts::Ended } else { WhichFacts::Current };
            show(&memory.list(&which, MAX)?, as_json);
        }
        Command::Search { words } => {
            show(&memory.list(&WhichFacts::WithWords(words.join(" ")), MAX)?, as_json)
        }
        Command::About { whom } => show(&memory.list(&WhichFacts::About(whom.join(" ")), MAX)?, as_json),
        Command::Entities => show_entities(&memory.told_of(MAX)?, as_json),
        Command::Add { words, private } => {
            let asked = Asked { telling: Telling::Asked, private: *private };
            let owner = Requester::of(&Origin::Cli);
            match memory.remember(&words.join(" "), wall_unix_ms(), &owner, None, asked)? {
                Kept::New(fact, _) => show(&[*fact], as_json),
                Kept::Known(fact) => show(&[*fact], as_json),
                Kept::Ended(facts) => show(&facts, as_json),
                Kept::Refused | Kept::Nothing => show(&[], as_json),
            }
        }
        Command::Forget { id } => {
            if memory.forget_ids(&[*id])?.is_empty() {
                let message = format!("there is no fact {id}");
                let fix = "`hark remember list` shows them with their numbers";
                return Err(Fault::new(FaultKind::BadInput, "memory", message, fix));
            }
            println!("forgotten");
        }
    }
    Ok(())
}

/// What was told, with the rules of the languages that are spoken here; vectors are the daemon's work.
fn open(config: &Config) -> Result<Memory, Fault> {
    let memory = Memory::new(Arc::new(open_store(config)?));
    let models_dir = config.paths.models_dir()?;
    let first = |faults: Vec<Fault>| {
        let none = || {
            Fault::new(FaultKind::BadConfiguration, "memory", "the rules cannot be read", "see `hark doctor`")
        };
        faults.into_iter().next().unwrap_or_else(none)
    };
    load_lexicons(&models_dir).map_err(first)?;
    Ok(memory.with_reader(Arc::new(statements(config, &models_dir).map_err(first)?)))
}

fn show(facts: &[Fact], as_json: bool) {
    if as_json {
        println!("{}", json!(facts));
        return;
    }
    if facts.is_empty() {
        println!("nothing");
    }
    let local = |unix_ms: i64| {
        let at = chrono::DateTime::from_timestamp_millis(unix_ms).unwrap_or_default();
        at.with_timezone(&chrono::Local).format("%Y-%m-%d %H:%M").to_string()
    };
    for fact in facts {
        let until = fact.ended_unix_ms.map_or_else(String::new, |at| format!("  (until {})", local(at)));
        let private = if fact.source.private { "  (private)" } else { "" };
        println!("{:5}  {}  {}{private}{until}", fact.id, local(fact.told_unix_ms), fact.text);
    }
}

fn show_entities(entities: &[(Entity, u64)], as_json: bool) {
    if as_json {
        let all: Vec<_> = entities
            .iter()
            .map(|(entity, facts)| json!({"name": entity.name, "kind": entity.kind, "facts": facts}))
            .collect();
        println!("{}", json!(all));
        return;
    }
    if entities.is_empty() {
        println!("nothing");
    }
    for (entity, facts) in entities {
        let name = if entity.name.is_empty() { "(you)" } else { &entity.name };
        println!("{facts:5}  {:8}  {name}", entity.kind.name());
    }
}
