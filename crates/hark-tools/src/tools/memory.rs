//! `memory.*`: what the household asked to remember.

use super::args::Args;
use super::outcome::{Failure, Outcome, Prepared, blocking};
use super::services::Services;
use crate::undo::Undoable;
use hark_core::ports::Fact;
use hark_core::tool::error_code;
use serde_json::json;
use std::sync::Arc;

/// How many facts are told when nothing particular is asked for.
const NEWEST: usize = 5;

/// `memory.remember`.
pub fn remember(services: &Arc<Services>, args: &Args) -> Result<Prepared, Failure> {
    // "I like … music": the sentence round what was taken out of it.
    let (lead, fact, tail) = (args.text("lead"), needed(args, "fact")?, args.text("tail"));
    let whole: Vec<&str> = lead.into_iter().chain([fact.as_str()]).chain(tail).collect();
    let fact = whole.join(" ");
    let (memory, now) = (services.memory.clone(), services.now_unix_ms());
    Ok(blocking(move || {
        let (fact, new) = memory.remember(&fact, now)?;
        let outcome = Outcome::new(new, json!({"fact": fact.text, "known": !new}));
        Ok(if new { outcome.undone_by(Undoable::Fact { fact, known: false }) } else { outcome })
    }))
}

/// `memory.recall`: nothing known is an answer only when nothing was asked for.
pub fn recall(services: &Arc<Services>, args: &Args) -> Result<Prepared, Failure> {
    let (memory, asked) = (services.memory.clone(), args.owned("query"));
    Ok(blocking(move || {
        let found = match &asked {
            Some(asked) => memory.recall(asked)?,
            None => memory.list(None, NEWEST)?,
        };
        match asked {
            Some(asked) if found.is_empty() => Err(unknown(&asked)),
            _ => Ok(Outcome::answer(json!({"facts": texts(&found), "count": found.len()}))),
        }
    }))
}

/// `memory.forget`.
pub fn forget(services: &Arc<Services>, args: &Args) -> Result<Prepared, Failure> {
    let asked = needed(args, "query")?;
    let (memory, every) = (services.memory.clone(), args.flag("every").unwrap_or(false));
    Ok(blocking(move || {
        let gone = memory.forget(&asked, every)?;
        if gone.is_empty() {
            return Err(unknown(&asked));
        }
        let mut outcome = Outcome::new(true, json!({"facts": texts(&gone), "count": gone.len()}));
        for fact in gone {
            outcome = outcome.undone_by(Undoable::Fact { fact, known: true });
        }
        Ok(outcome)
    }))
}

fn needed(args: &Args, name: &str) -> Result<String, Failure> {
    let missing = || Failure::new(error_code::BAD_ARGUMENT, format!("{name} was not said"));
    args.owned(name).ok_or_else(missing)
}

fn unknown(asked: &str) -> Failure {
    Failure::new(error_code::NOT_FOUND, format!("I was told nothing about {asked}"))
}

fn texts(facts: &[Fact]) -> Vec<&str> {
    facts.iter().map(|fact| fact.text.as_str()).collect()
}
