//! Automations: what waited for something is carried out as a turn of its own, and what is to be done only if something
//! is so goes on in the turn that asked when the tool has found that it is.

use super::Machine;
use super::state::Work;
use crate::intent_tools;
use hark_core::automation::{Action, Automation, intent};
use hark_core::public_event::Origin;
use hark_core::{Effect, Intent, Route, Slots, Stamp, ToolCall, TurnId};

/// Where a receipt says that what depends on it is to be done now.
const CARRY_OUT: &str = "carry_out";

/// Where the intents are that depend on it.
const INTENTS: &str = "intents";

/// Beginnings of names of tools that are seen to have been used; their success need not be said by a house at night.
const SEEN: &[&str] = &["home.", "media.", "automation."];

/// What those tools are called that only tell something.
const TELLS: &str = "get_";

impl Machine {
    /// What an automation waited for has happened.
    pub(super) fn on_automation(&mut self, now: Stamp, automation: Automation) {
        let why = match automation.said_when.as_str() {
            "" => "what was to last for some time is over".to_owned(),
            said_when => format!("it was asked for: {} {said_when}", automation.said),
        };
        let intents = match automation.action {
            Action::Intents { intents } => intents,
            Action::Restore { .. } => {
                let slots = Slots::from_iter([("id".to_owned(), automation.id.0.into())]);
                let name = intent::RESTORE.to_owned();
                vec![Intent {
                    name,
                    slots,
                    confidence: 1.0,
                    route: Route::Template,
                    why: why.clone(),
                    response: None,
                    single: false,
                }]
            }
        };
        let text = match automation.said.as_str() {
            "" => automation.said_when,
            said => said.to_owned(),
        };
        let id = self.typed_turn(now, text.clone(), Origin::Internal, true, false);
        let quiet = intents.iter().all(|intent| is_seen(&intent.name));
        if let Some(turn) = self.turn_mut(&id) {
            turn.heard = text;
            turn.quiet = quiet;
            turn.route = intents.first().map(|intent| intent.route);
            turn.times.intent = Some(now);
            turn.speak_in(&automation.language);
        }
        let intents = intents.into_iter().map(|intent| Intent { why: why.clone(), ..intent }).collect();
        self.start_work(now, &id, intents, false);
    }

    /// Goes on with what a receipt has found to be right now; whether there is any.
    pub(super) fn carry_out_now(&mut self, now: Stamp, id: &TurnId) -> bool {
        let Some(turn) = self.turn_mut(id) else { return false };
        let is_due = |work: &&mut Work| {
            work.receipt.as_ref().is_some_and(|receipt| receipt.ok && receipt.detail[CARRY_OUT] == true)
                && work.intent.slots.contains_key(INTENTS)
        };
        let mut intents: Vec<Intent> = Vec::new();
        for work in turn.work.iter_mut().filter(is_due) {
            let kept = work.intent.slots.remove(INTENTS).unwrap_or_default();
            intents.extend(serde_json::from_value::<Vec<Intent>>(kept).unwrap_or_default());
        }
        if intents.is_empty() {
            return false;
        }
        self.more_work(now, id, intents);
        true
    }

    /// Starts calls behind those of the turn that are done, or answers at once when there is none.
    pub(super) fn more_work(&mut self, now: Stamp, id: &TurnId, intents: Vec<Intent>) {
        let Some(turn) = self.turn_mut(id) else { return };
        let (first, requester) = (turn.work.len(), turn.requester());
        for (at, intent) in intents.iter().enumerate() {
            turn.work.push(Work::new(id, first + at, intent.clone(), false, requester.clone()));
        }
        let calls: Vec<ToolCall> =
            turn.work.iter().skip(first).filter_map(|work| work.call.clone()).collect();
        let acts = !calls.is_empty();
        self.out.extend(calls.into_iter().map(|call| Effect::Act { call }));
        for intent in intents {
            self.tell_intent(id, intent);
        }
        if !acts {
            self.answer(now, id);
        }
    }
}

/// Whether an intent is served by a tool whose work is seen.
fn is_seen(intent: &str) -> bool {
    intent_tools::tool_for(intent)
        .is_some_and(|tool| SEEN.iter().any(|begins| tool.starts_with(begins)) && !tool.contains(TELLS))
}
