//! Tasks that were handed to other programs: their news are told where the task was asked for, by the tool that looks at it,
//! and what they ask is answered there by the next words that are no request.

use super::Machine;
use super::request::is_pointless;
use hark_core::delegation::{TaskNews, TaskState};
use hark_core::public_event::{Origin, PublicEvent};
use hark_core::{Intent, Receipt, Route, Slots, Stamp, TurnId, Understanding};

/// The intent that hands a task on.
const TASK: &str = "HarkTask";
/// The intent that looks at a task, and its tool.
const STATUS: (&str, &str) = ("HarkTaskStatus", "delegate.status");
/// The intent that answers what a task asks, and its slot.
const ANSWER: (&str, &str) = ("HarkTaskAnswer", "answer");

impl Machine {
    /// A task goes on, asks something, or is over.
    pub(super) fn on_delegation(&mut self, now: Stamp, news: TaskNews) {
        self.task_runs = news.state == TaskState::Running;
        if news.state != TaskState::Asking {
            self.talks.all_mut().for_each(|talk| talk.task_question_ms = None);
        }
        let TaskNews { task, goal, program, workspace, state, text, conversation: asked_in, language } = news;
        let heard = goal.clone();
        self.publish(None, PublicEvent::Delegation { task, goal, program, workspace, state, text });
        if !state.is_news() {
            return;
        }
        let in_the_room = Origin::of_conversation(&asked_in) == Origin::Voice;
        let origin = if in_the_room { Origin::Internal } else { Origin::of_conversation(&asked_in) };
        let id = self.typed_turn(now, heard.clone(), origin, in_the_room, false);
        if let Some(turn) = self.turn_mut(&id) {
            turn.heard = heard;
            turn.route = Some(Route::Template);
            turn.times.intent = Some(now);
            turn.speak_in(&language);
        }
        let why = "a task that was handed on has news".to_owned();
        self.start_work(now, &id, vec![intent(STATUS.0, Slots::new(), why)], false);
    }

    /// Notes that who was just told what a task asks may answer it.
    pub(super) fn note_task_question(&mut self, now: Stamp, id: &TurnId, tool: &str, receipt: &Receipt) {
        if tool != STATUS.1 || !receipt.ok || receipt.detail["state"] != "asking" {
            return;
        }
        let until_ms = now.clock_ms() + self.settings.question_window_ms;
        let Some(turn) = self.turn_mut(id) else { return };
        let origin = turn.origin.clone();
        self.talks.open(&origin).task_question_ms = Some(until_ms);
    }

    /// A task is told of in the language it was asked for in.
    pub(super) fn put_language_in(&mut self, id: &TurnId, intents: &mut [Intent]) {
        let Some(language) = self.turn_mut(id).map(|turn| turn.language.clone()) else { return };
        for intent in intents.iter_mut().filter(|intent| intent.name == TASK) {
            intent.slots.entry("language").or_insert_with(|| language.clone().into());
        }
    }

    /// Whether what a task asks may be answered in this conversation.
    pub(super) fn is_asked_by_task(&self, origin: &Origin) -> bool {
        self.talks.of(origin).is_some_and(|talk| talk.task_question_ms.is_some())
    }

    /// Takes words that are no request by a sentence for the answer to what a task asks; whether one asks here.
    pub(super) fn answers_task(&mut self, now: Stamp, id: &TurnId, understanding: &Understanding) -> bool {
        let Some(turn) = self.turn_mut(id).filter(|turn| !turn.dry_run) else { return false };
        let (heard, origin) = (turn.heard.clone(), turn.origin.clone());
        let asks_only_this = |talk: &super::Talk| {
            talk.task_question_ms.is_some() && talk.approval.is_none() && talk.waiting.is_none()
        };
        let is_asked = self.talks.of(&origin).is_some_and(asks_only_this);
        let is_request = |intent: &Intent| intent.route == Route::Template && !is_pointless(intent);
        if !is_asked || understanding.intents.iter().any(is_request) {
            return false;
        }
        let slots = Slots::from_iter([(ANSWER.1.to_owned(), heard.into())]);
        let why = "it answers what a task asks".to_owned();
        if let Some(turn) = self.turn_mut(id) {
            turn.route = Some(Route::Context);
        }
        self.start_work(now, id, vec![intent(ANSWER.0, slots, why)], false);
        true
    }
}

fn intent(name: &str, slots: Slots, why: String) -> Intent {
    let (name, route) = (name.to_owned(), Route::Template);
    Intent { name, slots, confidence: 1.0, route, why, response: None, single: false }
}
