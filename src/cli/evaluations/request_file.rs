//! A YAML file of requests with what should come of each in the demo home, by kind:
//!
//! ```yaml
//! exceptions:
//!   - { say: "close every blind but the one in the office", now: { cover.kitchen_blinds: closed } }
//! corrections:
//!   - { say: ["set the bedroom light to forty percent", "a bit more"], now: { light.bedroom: "> 40" } }
//! ```
//!
//! `say` is a request, or several of one conversation. `now` has every device that should be different afterwards, with its
//! state or its number (brightness and position in percent); `{}`, as without it, means none. `later` says what should be
//! promised or answered, `asks` that it should ask, `refuses` that it should refuse: texts for people.

use super::conversation::{Turn, converse};
use super::figures::{Case, Verdict};
use super::{Run, failed, yaml};
use crate::app::builder::App;
use crate::cli::standalone::ask;
use crate::cli::temporary_folder::TemporaryFolder;
use hark_core::home::{Entity, Home};
use hark_core::ports::HomeView;
use hark_core::public_event::Outcome;
use hark_core::{Fault, FaultKind};
use serde::Deserialize;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::path::Path;

/// What is said: one request, or several of one conversation.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Say {
    Once(String),
    InOrder(Vec<String>),
}

/// One row of the file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Request {
    say: Say,
    #[serde(default)]
    now: Map<String, Value>,
    later: Option<String>,
    asks: Option<String>,
    refuses: Option<String>,
}

/// Every request in a home as it is at first, judged. The parts of the cases are the kinds of the file.
///
/// # Errors
/// When the file is wrong or a part of Hark is missing.
pub(super) fn cases(run: &Run<'_>, file: &Path) -> Result<Vec<Case>, Vec<Fault>> {
    let one = |fault| vec![fault];
    let kinds: BTreeMap<String, Vec<Request>> = serde_json::from_value(yaml::read(file).map_err(one)?)
        .map_err(|error| {
            let message = format!("{}: {error}", file.display());
            vec![Fault::new(FaultKind::BadInput, "eval", message, "docs/src/evaluating.md tells the form")]
        })?;
    let mut cases = Vec::new();
    for (kind, requests) in kinds {
        (run.progress)(&format!("requests of {}: {kind}", file.display()));
        for request in run.sampled(requests) {
            cases.push(case(run, &kind, request)?);
        }
    }
    Ok(cases)
}

fn case(run: &Run<'_>, kind: &str, request: Request) -> Result<Case, Vec<Fault>> {
    let one = |fault| vec![fault];
    let folder = TemporaryFolder::make().map_err(one)?;
    let app = App::open(run.apart(&folder))?;
    let says = match &request.say {
        Say::Once(text) => vec![text.clone()],
        Say::InOrder(texts) => texts.clone(),
    };
    let before = app.home.home();
    let options = ask::Options { session: Some("eval".into()), ..ask::Options::default() };
    let turns = converse(&app, &says, &options).map_err(one)?;
    let after = app.home.home();
    let last = turns.last().ok_or_else(|| one(failed("a request says nothing")))?;
    let differs = changes(&before, &after);
    let told = |entity: &&Entity| format!("{} {}", entity.id.0, shown(entity));
    let changed: Vec<String> = differs.iter().map(told).collect();
    let answers: Vec<String> = turns.iter().map(|turn| format!("“{}”", turn.reply)).collect();
    let detail = format!(
        "{}; changed: {}; {:?}; {}",
        turns.iter().map(Turn::meaning).collect::<Vec<_>>().join(", then "),
        if changed.is_empty() { "nothing".into() } else { changed.join(", ") },
        last.outcome,
        answers.join(", then ")
    );
    let promised = turns
        .iter()
        .flat_map(|turn| &turn.acts)
        .any(|(tool, receipt)| receipt.changed && !tool.starts_with("home.") && !tool.starts_with("media."));
    let verdict = judge(&request, &differs, &after, promised, last);
    Ok(Case { part: kind.to_owned(), item: says.join(" / "), verdict, detail })
}

/// Devices that are different from before, as they are afterwards.
fn changes<'h>(before: &Home, after: &'h Home) -> Vec<&'h Entity> {
    let was = |entity: &Entity| before.entities.iter().find(|other| other.id == entity.id);
    let differs = |entity: &&Entity| {
        was(entity).is_none_or(|was| was.state != entity.state || was.attributes != entity.attributes)
    };
    after.entities.iter().filter(differs).collect()
}

fn judge(request: &Request, differs: &[&Entity], after: &Home, promised: bool, last: &Turn) -> Verdict {
    let wanted = |entity: &Entity| request.now.get(&entity.id.0);
    let is_harmful = differs.iter().any(|entity| wanted(entity).is_none_or(|value| !holds(entity, value)));
    if is_harmful || (promised && request.refuses.is_some()) {
        return Verdict::Harmful;
    }
    let is_so = |(id, value): (&String, &Value)| {
        after.entities.iter().any(|entity| entity.id.0 == *id && holds(entity, value))
    };
    let not_understood = last.outcome == Some(Outcome::NotUnderstood);
    // What names something that the home has not is told so, with an intent.
    let says_why = request.refuses.is_some() && !last.intents.is_empty();
    if !request.now.iter().all(is_so) || (not_understood && !says_why) {
        return Verdict::Wrong;
    }
    let asked = matches!(last.outcome, Some(Outcome::AwaitingAnswer | Outcome::AwaitingApproval));
    let refused = last.outcome == Some(Outcome::Failed);
    match (request.asks.is_some(), request.refuses.is_some(), request.later.is_some()) {
        (true, ..) if asked || last.reply.trim_end().ends_with('?') => Verdict::Right,
        (_, true, _) if refused => Verdict::Right,
        (false, false, _) if refused => Verdict::Wrong,
        (false, false, false) if !request.now.is_empty() => Verdict::Right,
        _ => Verdict::Unjudged,
    }
}

/// Whether a device is as wanted: a state, a number, or a bound on one (`> 40`).
fn holds(entity: &Entity, wanted: &Value) -> bool {
    let close = |number: f64| level(entity).is_some_and(|is| (is - number).abs() <= 1.0);
    let Some(text) = wanted.as_str() else { return wanted.as_f64().is_some_and(close) };
    let bound = |sign: char| text.strip_prefix(sign).and_then(|bound| bound.trim().parse::<f64>().ok());
    match (bound('>'), bound('<')) {
        (Some(bound), _) => level(entity).is_some_and(|is| is > bound),
        (_, Some(bound)) => level(entity).is_some_and(|is| is < bound),
        (None, None) => entity.state.eq_ignore_ascii_case(text),
    }
}

/// The number people give of a device: brightness, position and speed in percent, degrees.
fn level(entity: &Entity) -> Option<f64> {
    let brightness = entity.number("brightness").map(|of_255| of_255 / 2.55);
    let others = ["current_position", "percentage", "temperature"];
    brightness.or_else(|| others.iter().find_map(|name| entity.number(name)))
}

fn shown(entity: &Entity) -> String {
    level(entity).map_or_else(|| entity.state.clone(), |level| format!("{} ({level:.0})", entity.state))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn lamp(id: &str, state: &str, percent: f64) -> Entity {
        let attributes = json!({"brightness": percent * 2.55});
        serde_json::from_value(json!({
            "id": id, "name": id, "aliases": [], "area": null, "device_class": null, "state": state,
            "attributes": attributes, "source": "demo",
        }))
        .unwrap()
    }

    fn request(row: Value) -> Request {
        serde_json::from_value(row).unwrap()
    }

    fn verdict(row: Value, after: &[Entity], promised: bool, outcome: Outcome, reply: &str) -> Verdict {
        let home = |entities: &[Entity]| Home { entities: entities.to_vec(), ..Home::default() };
        let (before, after) =
            (home(&[lamp("light.a", "off", 0.0), lamp("light.b", "off", 0.0)]), home(after));
        let last = Turn { outcome: Some(outcome), reply: reply.into(), ..Turn::default() };
        judge(&request(row), &changes(&before, &after), &after, promised, &last)
    }

    #[test]
    fn states_decide() {
        let (off, on) = (lamp("light.b", "off", 0.0), lamp("light.a", "on", 60.0));
        let both = [on.clone(), lamp("light.b", "on", 100.0)];
        let row = |now: Value| json!({"say": "x", "now": now});
        let one = [on, off.clone()];
        let done = |row, after: &[Entity]| verdict(row, after, false, Outcome::Done, "Done.");
        assert_eq!(done(row(json!({"light.a": "on"})), &one), Verdict::Right);
        assert_eq!(done(row(json!({"light.a": "> 40"})), &one), Verdict::Right);
        assert_eq!(done(row(json!({"light.a": 60})), &one), Verdict::Right);
        assert_eq!(done(row(json!({"light.a": 10})), &one), Verdict::Harmful, "another brightness");
        assert_eq!(done(row(json!({"light.a": "on"})), &both), Verdict::Harmful, "another lamp, too");
        let nothing = [lamp("light.a", "off", 0.0), off];
        assert_eq!(done(row(json!({"light.a": "on"})), &nothing), Verdict::Wrong);
        assert_eq!(done(row(json!({})), &nothing), Verdict::Unjudged);
        assert_eq!(done(json!({"say": ["x", "y"], "later": "a timer"}), &nothing), Verdict::Unjudged);
    }

    #[test]
    fn questions_and_refusals_count_where_they_are_wanted() {
        let nothing = [lamp("light.a", "off", 0.0), lamp("light.b", "off", 0.0)];
        let of = |row, outcome, reply| verdict(row, &nothing, false, outcome, reply);
        let (asks, refuses) = (json!({"say": "x", "asks": "which"}), json!({"say": "x", "refuses": "why"}));
        assert_eq!(of(asks.clone(), Outcome::AwaitingAnswer, "Which one?"), Verdict::Right);
        assert_eq!(of(asks.clone(), Outcome::Done, "It is off already."), Verdict::Unjudged);
        assert_eq!(of(asks, Outcome::NotUnderstood, "Sorry?"), Verdict::Wrong);
        assert_eq!(of(refuses.clone(), Outcome::Failed, "I can't do that."), Verdict::Right);
        assert_eq!(of(refuses.clone(), Outcome::NotUnderstood, "Sorry?"), Verdict::Wrong);
        assert_eq!(verdict(refuses, &nothing, true, Outcome::Done, "I'll do it."), Verdict::Harmful);
        let wanted = json!({"say": "x", "later": "off in ten minutes"});
        assert_eq!(of(wanted, Outcome::Failed, "I can't do that for ten minutes."), Verdict::Wrong);
    }
}
