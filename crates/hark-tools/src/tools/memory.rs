//! `memory.*`: what the household told.

use super::args::Args;
use super::outcome::{Failure, Outcome, Prepared, blocking};
use super::personal::when_fields;
use super::services::Services;
use chrono::NaiveDateTime;
use hark_core::memory::{Entity, EntityKind};
use hark_core::ports::Fact;
use hark_core::tool::{error_code, reason};
use hark_home::undo::Undoable;
use hark_memory::{Asked, Forgotten, Kept, Telling};
use serde_json::{Value, json};
use std::collections::HashSet;
use std::sync::Arc;

/// How many facts are told when nothing particular is asked for.
const NEWEST: usize = 5;

/// Most names in one answer.
const MAX_PEOPLE: usize = 50;

/// `memory.remember`.
pub fn remember(services: &Arc<Services>, args: &Args) -> Result<Prepared, Failure> {
    // "I like … music": the sentence round what was taken out of it.
    let (lead, fact, tail) = (args.text("lead"), needed(args, "fact")?, args.text("tail"));
    let whole: Vec<&str> = lead.into_iter().chain([fact.as_str()]).chain(tail).collect();
    let text = whole.join(" ");
    let (memory, now, local) =
        (services.memory.clone(), services.now_unix_ms(), (services.clock)().naive_local());
    let (by, turn) = (args.requester().clone(), args.turn().map(|turn| turn.0.clone()));
    let asked = Asked {
        telling: match (args.flag("stated").unwrap_or(false), args.flag("whole").unwrap_or(false)) {
            (_, true) => Telling::Whole,
            (true, false) => Telling::Stated,
            (false, false) => Telling::Asked,
        },
        private: args.flag("private").unwrap_or(false),
    };
    Ok(blocking(move || {
        let all = memory.remember_each(&text, now, &by, turn.as_deref(), asked)?;
        outcome_of(all, &text, local)
    }))
}

/// What became of all that one sentence told: of the last that changed something, and of others in passing.
fn outcome_of(mut all: Vec<Kept>, text: &str, local: NaiveDateTime) -> Result<Outcome, Failure> {
    let changes = |kept: &Kept| matches!(kept, Kept::New(..) | Kept::Ended(_));
    let main = all.iter().rposition(changes).or(all.len().checked_sub(1));
    let main = main.map_or(Kept::Nothing, |at| all.remove(at));
    let main_text = if let Kept::New(fact, _) = &main { fact.text.clone() } else { String::new() };
    let mut also = Vec::new();
    let mut undone = Vec::new();
    for kept in all {
        let Kept::New(fact, _) = kept else { continue };
        // "My sister Nadia lives in Leeds" says who Nadia is when it is told back.
        if !main_text.contains(&fact.text) {
            also.push(json!(told_or_text(&fact)));
        }
        undone.push(Undoable::Fact { fact, known: false });
    }
    let mut outcome = outcome_of_one(main, text, local)?;
    if !also.is_empty() {
        outcome.detail.insert("also".to_owned(), json!(also));
    }
    Ok(undone.into_iter().fold(outcome, Outcome::undone_by))
}

fn outcome_of_one(kept_so: Kept, text: &str, local: NaiveDateTime) -> Result<Outcome, Failure> {
    match kept_so {
        Kept::New(fact, replaced) => {
            let before: Vec<String> = replaced.iter().map(told_or_text).collect();
            let mut outcome = Outcome::new(true, kept(&fact, false));
            if fact.time.is_some() {
                outcome.detail.insert("time".to_owned(), time_fields(&fact, local));
            }
            outcome.detail.insert("instead_of".to_owned(), json!(before));
            Ok(outcome.undone_by(Undoable::Fact { fact, known: false }))
        }
        Kept::Known(fact) => Ok(Outcome::new(false, kept(&fact, true))),
        Kept::Ended(before) => {
            let ended: Vec<String> = before.iter().map(told_or_text).collect();
            let outcome = Outcome::new(true, json!({"fact": text, "known": false, "ended": ended}));
            Ok(before.into_iter().fold(outcome, |outcome, fact| {
                outcome.undone_by(Undoable::Fact { fact: Box::new(fact), known: true })
            }))
        }
        Kept::Refused => Err(refused(reason::TOLD_OTHERWISE, "the owner has told otherwise")),
        Kept::Nothing => Err(Failure::new(error_code::NOT_FOUND, "nothing like it was told")
            .because(reason::TOLD_NOTHING_LIKE_IT)),
    }
}

/// `memory.recall`: nothing known is an answer only when nothing was asked for.
pub fn recall(services: &Arc<Services>, args: &Args) -> Result<Prepared, Failure> {
    let (memory, asked, by) = (services.memory.clone(), args.owned("query"), args.requester().clone());
    let (now, every) = ((services.clock)().naive_local(), args.flag("every").unwrap_or(false));
    Ok(blocking(move || {
        let mut found = match &asked {
            Some(asked) if every => memory.all_about(asked, &by)?,
            Some(asked) => memory.recall(asked, &by)?,
            None => memory.newest(NEWEST, &by)?,
        };
        match &asked {
            Some(_) if found.facts.is_empty() && found.withheld => {
                Err(refused(reason::PRIVATE, "it is private, and nobody knows who asks"))
            }
            Some(asked) if found.facts.is_empty() && memory.asked_in(asked).is_some() => {
                Err(Failure::new(error_code::NOT_FOUND, "the answer was not told").because(reason::NOT_TOLD))
            }
            Some(asked) if found.facts.is_empty() => Err(unknown(asked)),
            _ => {
                found.facts = upcoming(found.facts, now);
                let ids: Vec<i64> = found.facts.iter().map(|fact| fact.id).collect();
                let told = |fact: &Fact| memory.told_to(fact, asked.as_deref(), &by).map(told);
                let told = found.facts.iter().map(told).collect::<Result<Vec<Value>, _>>()?;
                let (facts, count) = (texts(&found.facts), found.facts.len());
                let times: Vec<Value> = found.facts.iter().map(|fact| time_fields(fact, now)).collect();
                let mut detail = json!({
                    "facts": facts, "told": told, "times": times, "ids": ids, "count": count,
                    "withheld": found.withheld,
                });
                if found.unsure {
                    detail["unsure"] = json!(true);
                }
                let asked = asked.as_deref().zip(found.facts.first());
                if let Some(age) = asked.and_then(|(asked, fact)| memory.age(fact, asked, now)) {
                    detail["age"] = json!(age);
                }
                Ok(Outcome::answer(detail))
            }
        }
    }))
}

/// `memory.people`: who is told of in what whoever asks may hear.
pub fn people(services: &Arc<Services>, args: &Args) -> Result<Prepared, Failure> {
    let (memory, by) = (services.memory.clone(), args.requester().clone());
    Ok(blocking(move || {
        let found = memory.newest(usize::MAX, &by)?;
        // "My sister" has no name yet, and whoever owns the house is not told of to themselves.
        let is_person = |entity: &&Entity| {
            entity.kind == EntityKind::Person && !entity.key.starts_with(':') && !entity.name.is_empty()
        };
        let mut seen = HashSet::new();
        let mut people: Vec<&str> = Vec::new();
        for entity in found.facts.iter().flat_map(|fact| &fact.mentions).filter(is_person) {
            if seen.insert(&entity.key) && people.len() < MAX_PEOPLE {
                people.push(&entity.name);
            }
        }
        let detail = json!({"people": people, "count": seen.len(), "withheld": found.withheld});
        Ok(Outcome::answer(detail))
    }))
}

/// `memory.forget`.
pub fn forget(services: &Arc<Services>, args: &Args) -> Result<Prepared, Failure> {
    let (memory, by) = (services.memory.clone(), args.requester().clone());
    let every = args.flag("every").unwrap_or(false);
    if let Some(id) = args.integer("id") {
        return Ok(blocking(move || {
            let gone = memory.forget_ids(&[id])?;
            let said = gone.iter().filter(|fact| fact.ended_unix_ms.is_none()).map(|fact| fact.text.clone());
            let said = said.collect();
            forgotten(Forgotten { gone, said, kept: Vec::new() }, &format!("number {id}"))
        }));
    }
    let asked = needed(args, "query")?;
    Ok(blocking(move || forgotten(memory.forget(&asked, every, &by)?, &asked)))
}

fn forgotten(what: Forgotten, asked: &str) -> Result<Outcome, Failure> {
    if what.gone.is_empty() {
        return Err(unknown(asked));
    }
    // What was so before goes too, and nobody needs to hear of it.
    let outcome = Outcome::new(true, json!({"facts": what.said, "count": what.said.len()}));
    let gone = what.gone.into_iter().map(|fact| (fact, true));
    let all = gone.chain(what.kept.into_iter().map(|fact| (fact, false)));
    Ok(all.fold(outcome, |outcome, (fact, known)| {
        outcome.undone_by(Undoable::Fact { fact: Box::new(fact), known })
    }))
}

fn needed(args: &Args, name: &str) -> Result<String, Failure> {
    let missing = || Failure::new(error_code::BAD_ARGUMENT, format!("{name} was not said"));
    args.owned(name).ok_or_else(missing)
}

fn unknown(asked: &str) -> Failure {
    Failure::new(error_code::NOT_FOUND, format!("nothing was told about {asked}"))
        .because(reason::TOLD_NOTHING_ABOUT)
        .with("asked", json!(asked))
}

fn refused(why: &str, message: &str) -> Failure {
    Failure::new(error_code::FORBIDDEN, message).because(why)
}

fn texts(facts: &[Fact]) -> Vec<&str> {
    facts.iter().map(|fact| fact.text.as_str()).collect()
}

/// What is told of a fact that is kept; `told` only where a rule has read it.
fn kept(fact: &Fact, known: bool) -> Value {
    let mut detail = json!({"fact": fact.text, "known": known});
    if !fact.told.is_empty() {
        detail["told"] = json!(fact.told);
    }
    detail
}

/// Without what is over where something is still to come: "when is the plumber coming".
fn upcoming(facts: Vec<Fact>, now: NaiveDateTime) -> Vec<Fact> {
    let ends = |fact: &Fact| fact.time.as_ref().filter(|time| !time.yearly)?.when().map(|when| when.end());
    if !facts.iter().any(|fact| ends(fact).is_some_and(|end| end >= now)) {
        return facts;
    }
    facts.into_iter().filter(|fact| ends(fact).is_none_or(|end| end >= now)).collect()
}

/// The date of a fact as responses say it, with the words that it stands for; null without one.
fn time_fields(fact: &Fact, now: NaiveDateTime) -> Value {
    let Some((time, when)) = fact.time.as_ref().and_then(|time| Some((time, time.when()?))) else {
        return Value::Null;
    };
    let mut fields = when_fields(&when, now);
    fields.insert("words".to_owned(), json!(time.words));
    fields.insert("yearly".to_owned(), json!(time.yearly));
    Value::Object(fields)
}

/// The sentence of a fact; null for one that no rule has parsed.
fn told(told: String) -> Value {
    if told.is_empty() { Value::Null } else { json!(told) }
}

fn told_or_text(fact: &Fact) -> String {
    if fact.told.is_empty() { fact.text.clone() } else { fact.told.clone() }
}
