//! What a language model is set to, and what comes of it: words as they are written, dangerous calls that wait for a
//! yes, questions to the person, and the honest answer when there is none.

use super::Machine;
use super::conversations::Waiting;
use super::state::{Approval, Opening, Phase, Turn, Work};
use crate::slash::Slip;
use crate::{dialog_act, intent_tools, text_transformation};
use hark_core::model::Picture;
use hark_core::public_event::{Origin, Outcome, PublicEvent};
use hark_core::session::session_name;
use hark_core::thinking::TextSource;
use hark_core::tool::error_code;
use hark_core::{
    Ambiguity, Category, Classification, Effect, Fault, Intent, ModelHelp, News, Receipt, Reply, Resume,
    Route, Slots, Stamp, Task, Thought, ThoughtEnd, ToolCall, TurnId, Understanding,
};

/// Pictures one request may come with.
const MAX_PICTURES: usize = 4;

/// What a request is called that takes several tools, planned or one after the other.
const TASKS: [&str; 2] = ["plan", "react"];

/// Failures of a tool that has no answer, so that a model may have one.
const UNANSWERED: [&str; 3] = [error_code::NOT_CONFIGURED, error_code::NOT_FOUND, error_code::UNSUPPORTED];

/// Kinds of requests that ask for nothing that was told, however they begin: "could you …", "what's the weather".
const NOT_TOLD: [Category; 4] =
    [Category::HomeControl, Category::Media, Category::SystemControl, Category::Weather];

/// How much longer than the task itself its turn waits for the end of it.
const SLACK_MS: u64 = 10_000;

impl Machine {
    /// Pictures that go with the next request of this one.
    pub(super) fn on_pictures(&mut self, origin: &Origin, mut pictures: Vec<Picture>) {
        pictures.truncate(MAX_PICTURES);
        self.talks.open(origin).pictures = pictures;
    }

    /// Looks at the pictures that came with a request, before anything else; whether there were any.
    pub(super) fn look_at_pictures(&mut self, now: Stamp, id: &TurnId, text: &str) -> bool {
        let Some(origin) = self.origin_of(id) else { return false };
        let pictures = self.talks.known(&origin).map(|talk| std::mem::take(&mut talk.pictures));
        let pictures = pictures.filter(|pictures| !pictures.is_empty());
        let Some(pictures) = pictures else { return false };
        if self.settings.thinks {
            self.think(now, id, Task { pictures, ..self.task(id, text, None) });
        } else {
            self.reply(now, id, Reply::Fixed { key: "no_picture".into() });
        }
        true
    }

    /// No template and no classifier knows what to do: it answers a question of a task, or a model is asked, or the
    /// person is told that nobody knows.
    pub(super) fn wonder(
        &mut self,
        now: Stamp,
        id: &TurnId,
        nothing: Intent,
        mut understanding: Understanding,
    ) {
        let Some(turn) = self.turn_mut(id) else { return };
        let (text, origin, opening) = (turn.heard.clone(), turn.origin.clone(), turn.opening);
        let focused = self.is_focused(&origin);
        understanding.hint.take_if(|_| focused);
        let waiting = self.talks.known(&origin).and_then(|talk| talk.waiting.take());
        if let Some(waiting) = waiting {
            let resume = Some(Resume::Answered { task: waiting.task });
            self.think(now, id, Task { resume, ..self.task(id, &text, understanding.classification) });
            return;
        }
        // What came without being asked for may not be meant for Hark; a model would answer it all the same. Only who is
        // in the middle of talking with it goes on.
        let chats = self.talks.of(&origin).is_some_and(|talk| talk.chats);
        let asked = match opening {
            Opening::WakeWord | Opening::Asked => true,
            Opening::FollowUp => chats,
            Opening::BargeIn => false,
        };
        let unknown_thing = self.turn_mut(id).is_some_and(|turn| turn.unknown.is_some());
        if self.settings.thinks && asked && !unknown_thing {
            let task = self.task(id, &text, understanding.classification);
            self.think(now, id, Task { hint: understanding.hint, language: understanding.language, ..task });
            return;
        }
        // What was asked for is known, and a thing that was named nearly: is that meant?
        let near = self.turn_mut(id).and_then(|turn| turn.near.clone()).filter(|_| asked);
        if let Some(near) = near
            && nothing.slots.get("name").is_some_and(|name| *name == near.name.as_str())
        {
            let doubt = Ambiguity {
                intent: 0,
                slot: "name".to_owned(),
                candidates: vec![near.name],
                areas: Vec::new(),
            };
            self.ask_which(now, id, vec![nothing], vec![doubt], Vec::new());
            return;
        }
        self.tell_intent(id, nothing);
        let question = understanding.classification.as_ref().is_some_and(is_question);
        if asked && !unknown_thing && (question || text.trim_end().ends_with('?')) {
            if let Some(turn) = self.turn_mut(id) {
                turn.outcome = Outcome::NotUnderstood;
            }
            // How to get a language model is a hint, too.
            let model = if focused { ModelHelp::Connected } else { ModelHelp::NotConnected };
            self.reply(now, id, Reply::DontKnow { hint: understanding.hint, model });
        } else {
            if let Some(turn) = self.turn_mut(id) {
                turn.hint = understanding.hint;
            }
            self.not_understood(now, id);
        }
    }

    /// A text that is to be put into other words, by rule; whether the request was that.
    pub(super) fn change_text(&mut self, now: Stamp, id: &TurnId, text: &str) -> bool {
        let Some((mut change, spoken)) = text_transformation::read(text, &self.languages) else {
            return false;
        };
        let Some(turn) = self.turn_mut(id) else { return false };
        turn.speak_in(spoken);
        let (origin, dry_run) = (turn.origin.clone(), turn.dry_run);
        let mut known = true;
        if let TextSource::LastReply { text } = &mut change.of {
            let last = self.last_reply(&origin).unwrap_or_default();
            known = !last.trim().is_empty();
            last.clone_into(text);
        }
        if dry_run {
            self.tell_intent(id, text_transformation::intent(&change));
            self.close(id, Outcome::DryRun);
        } else if self.settings.thinks && known {
            self.think(now, id, Task { change: Some(change), ..self.task(id, text, None) });
        } else {
            self.tell_intent(id, text_transformation::intent(&change));
            if let Some(turn) = self.turn_mut(id) {
                turn.route = Some(Route::Llm);
                turn.times.intent = Some(now);
                turn.outcome = Outcome::NotUnderstood;
            }
            let key = if known { "no_change" } else { "nothing_to_change" };
            self.reply(now, id, Reply::Fixed { key: key.into() });
        }
        true
    }

    /// Hands a question on to a language model that its tool could not answer; whether that was so.
    pub(super) fn ask_model_instead(&mut self, now: Stamp, id: &TurnId) -> bool {
        let thinks = self.settings.thinks;
        let Some(turn) = self.turn_mut(id).filter(|_| thinks) else { return false };
        let [work] = turn.work.as_slice() else { return false };
        if !is_unanswered(work) || !intent_tools::model_may_answer(&work.intent.name) {
            return false;
        }
        turn.work.clear();
        let text = turn.heard.clone();
        let task = self.task(id, &text, None);
        self.think(now, id, task);
        true
    }

    /// Asks memory the same question, where its tool failed for want of data: a birthday that is not in the address book. Returns
    /// whether memory is being asked. If it knows nothing either, the user hears the tool's error.
    pub(super) fn ask_memory_instead(&mut self, now: Stamp, id: &TurnId) -> bool {
        let languages = self.languages.clone();
        let Some(turn) = self.turn_mut(id) else { return false };
        match turn.work.as_slice() {
            [work] => {
                let is_of_others = turn.kind.as_ref().is_some_and(|kind| NOT_TOLD.contains(&kind.category));
                let is_asked = !is_of_others
                    && !intent_tools::is_of_memory(&work.intent.name)
                    && dialog_act::begins_as_question(&turn.heard, &languages);
                if !is_asked || !is_unanswered(work) {
                    return false;
                }
                let recall = intent_tools::recall(&turn.heard);
                self.more_work(now, id, vec![recall]);
                true
            }
            [first, second] if is_unanswered(first) && intent_tools::is_recall(&second.intent.name) => {
                let is_told = second.receipt.as_ref().is_some_and(|receipt| receipt.ok);
                turn.work.remove(usize::from(!is_told));
                false
            }
            _ => false,
        }
    }

    /// The person in the room speaks anew: what is still being thought about for them has lost its place.
    pub(super) fn forget_what_is_thought(&mut self) {
        let of_the_room = |turn: &&Turn| turn.phase == Phase::Thinking && turn.origin == Origin::Voice;
        let ids: Vec<TurnId> = self.turns.iter().filter(of_the_room).map(|turn| turn.id.clone()).collect();
        for id in ids {
            self.close(&id, Outcome::Cancelled);
        }
    }

    /// A plan was being carried out when the program ended, or somebody wants one carried out again.
    pub(super) fn on_plan(&mut self, now: Stamp, origin: Origin, session: String, resume: Resume) {
        let speak = origin == Origin::Internal && session.starts_with(session_name::VOICE);
        let id = self.open(now, origin, Phase::Understanding, speak).id.clone();
        if self.settings.thinks {
            self.think(now, &id, Task { session, resume: Some(resume), ..self.task(&id, "", None) });
        } else {
            self.no_answer(now, &id, None, None);
        }
    }

    /// Takes `/plan run ID`, and `/plan run ID N` for its Nth checkpoint; whether the text was that.
    pub(super) fn plan_again(&mut self, now: Stamp, id: &TurnId, text: &str) -> bool {
        let words: Vec<&str> = text.split_whitespace().collect();
        let (plan, number) = match words.as_slice() {
            ["/plan", "run", plan] => (*plan, None),
            ["/plan", "run", plan, number] => (*plan, Some(number.parse::<u32>())),
            ["/plan", ..] => ("", None),
            _ => return false,
        };
        let checkpoint = number.transpose();
        match (plan, checkpoint) {
            ("", _) | (_, Err(_)) => {
                if let Some(turn) = self.turn_mut(id) {
                    turn.outcome = Outcome::NotUnderstood;
                }
                self.reply(now, id, Slip::new("slip_plan", "").reply());
            }
            (_, Ok(_)) if !self.settings.thinks => self.no_answer(now, id, None, None),
            (_, Ok(checkpoint)) => {
                let resume = Some(Resume::Again { plan: plan.to_owned(), checkpoint });
                self.think(now, id, Task { resume, ..self.task(id, text, None) });
            }
        }
        true
    }

    /// What a direct command gave back is judged like every answer.
    pub(super) fn judge_direct(&mut self, turn: &Turn) {
        let direct =
            turn.route == Some(Route::Direct) && self.settings.thinks && turn.outcome == Outcome::Done;
        let tool = turn.work.first().and_then(|work| work.intent.name.strip_prefix("tool."));
        if let Some(tool) = tool.filter(|_| direct) {
            let (turn, request, answer) = (turn.id.clone(), turn.heard.clone(), turn.reply.clone());
            self.out.push(Effect::Judge { turn, tool: tool.to_owned(), request, answer });
        }
    }

    fn task(&self, id: &TurnId, text: &str, kind: Option<Classification>) -> Task {
        let turn = self.turns.iter().find(|turn| turn.id == *id);
        Task {
            turn: id.clone(),
            origin: turn.map_or(Origin::Internal, |turn| turn.origin.clone()),
            session: String::new(),
            text: text.to_owned(),
            language: turn.map(|turn| turn.language.clone()).unwrap_or_default(),
            kind,
            pictures: Vec::new(),
            hint: None,
            spoken: turn.is_some_and(|turn| turn.speak),
            person: turn.and_then(|turn| turn.person.clone()),
            change: None,
            model: turn.and_then(|turn| turn.model.clone()),
            resume: None,
        }
    }

    /// Hands a task to the model. A dry run ends here: what a model would do is not known without asking it.
    fn think(&mut self, now: Stamp, id: &TurnId, task: Task) {
        if self.turn_mut(id).is_some_and(|turn| turn.dry_run) {
            self.close(id, Outcome::DryRun);
            return;
        }
        let give_up_at_ms = now.clock_ms() + self.settings.task_timeout_ms + SLACK_MS;
        let Some(turn) = self.turn_mut(id) else { return };
        turn.phase = Phase::Thinking;
        turn.route = Some(Route::Llm);
        turn.times.intent.get_or_insert(now);
        turn.is_task |= task.resume.is_some();
        turn.hint.clone_from(&task.hint);
        turn.give_up_at_ms = give_up_at_ms;
        self.out.push(Effect::Think { task: Box::new(task) });
    }

    /// A task goes on with the call that was approved.
    pub(super) fn think_on(&mut self, now: Stamp, id: &TurnId, task: TurnId, call: ToolCall) {
        let resume = Some(Resume::Approved { task, call });
        self.think(now, id, Task { resume, ..self.task(id, "", None) });
    }

    pub(super) fn on_news(&mut self, now: Stamp, id: &TurnId, news: News) {
        // A score comes after the answer, when the turn may be over, and a tool may ask a model, too.
        if let News::Told {
            event:
                event @ (PublicEvent::Evaluation { .. } | PublicEvent::Contract { .. } | PublicEvent::Prompt(_)),
        } = news
        {
            self.publish(Some(id), event);
            return;
        }
        let Some(turn) = self.turn_mut(id).filter(|turn| turn.phase == Phase::Thinking) else { return };
        match news {
            News::Decided { intent } => {
                turn.is_task |= intent.name.starts_with("tool.") || TASKS.contains(&intent.name.as_str());
                self.tell_intent(id, intent);
            }
            News::Piece { text, ahead } => {
                let (language, speak, sounding) = (turn.language.clone(), turn.speak, turn.sounding);
                turn.reply.push_str(&text);
                if sounding {
                    self.said.more(id, &text);
                }
                if !text.is_empty() {
                    let event =
                        PublicEvent::Reply { text: text.clone(), language: language.clone(), ends: false };
                    self.publish(Some(id), event);
                }
                self.out.push(Effect::SayPiece { turn: id.clone(), text, ahead, language, speak });
            }
            News::Told { event } => {
                let acted = matches!(event, PublicEvent::Action { .. });
                if acted {
                    turn.times.acted = Some(now);
                }
                self.publish(Some(id), event);
            }
        }
    }

    pub(super) fn on_thought(&mut self, now: Stamp, id: &TurnId, thought: Thought) {
        let Some(turn) = self.turn_mut(id).filter(|turn| turn.phase == Phase::Thinking) else { return };
        turn.attempts += thought.attempts;
        match thought.end {
            ThoughtEnd::Answered { text, language, failed } => {
                turn.outcome = if failed { Outcome::Failed } else { Outcome::Done };
                turn.speak_in(&language);
                let reply = match turn.hint.take() {
                    Some(tool) => Reply::Hinted { text, tool },
                    None => Reply::Text { text },
                };
                self.end_words(now, id, reply);
            }
            ThoughtEnd::Hinted { text, language, failed, hint } => {
                let origin = turn.origin.clone();
                let hint = hint.filter(|_| !self.is_focused(&origin));
                if let Some(turn) = self.turn_mut(id) {
                    turn.hint = hint;
                }
                let end = ThoughtEnd::Answered { text, language, failed };
                self.on_thought(now, id, Thought { end, attempts: 0 });
            }
            ThoughtEnd::Reported { words, done, steps, troubles, language } => {
                let failed = !troubles.is_empty() || words.is_none() && done == 0;
                turn.outcome = if failed { Outcome::Failed } else { Outcome::Done };
                turn.speak_in(&language);
                self.end_words(now, id, Reply::Report { words, done, steps, troubles });
            }
            ThoughtEnd::NoAnswer { fault, cause } => self.no_answer(now, id, fault, cause),
            ThoughtEnd::NeedsApproval { call, receipt } => self.ask_for_task(now, id, call, receipt),
            ThoughtEnd::Asks { question } => self.ask_for_answer(now, id, Reply::Text { text: question }),
            ThoughtEnd::AsksAgain => self.ask_for_answer(now, id, Reply::Fixed { key: "ask_again".into() }),
        }
    }

    fn ask_for_answer(&mut self, now: Stamp, id: &TurnId, question: Reply) {
        let until_ms = now.clock_ms() + self.settings.question_window_ms;
        let Some(turn) = self.turn_mut(id) else { return };
        turn.outcome = Outcome::AwaitingAnswer;
        let origin = turn.origin.clone();
        self.talks.open(&origin).waiting = Some(Waiting { task: id.clone(), until_ms });
        self.end_words(now, id, question);
    }

    /// The answer is whole. What was not told in pieces yet is said after them.
    fn end_words(&mut self, now: Stamp, id: &TurnId, reply: Reply) {
        let Some(turn) = self.turn_mut(id) else { return };
        if turn.reply.is_empty() {
            self.reply(now, id, reply);
            return;
        }
        turn.phase = Phase::Wording;
        let (written, language, speak) = (turn.reply.clone(), turn.language.clone(), turn.speak);
        self.out.push(Effect::EndPieces { turn: id.clone(), written, reply, language, speak });
    }

    fn no_answer(&mut self, now: Stamp, id: &TurnId, fault: Option<Fault>, cause: Option<ModelHelp>) {
        let Some(turn) = self.turn_mut(id) else { return };
        turn.outcome = if fault.is_some() { Outcome::Failed } else { Outcome::NotUnderstood };
        let unknown = if fault.is_some() { ModelHelp::Away } else { ModelHelp::Connected };
        let model = cause.unwrap_or(unknown);
        if let Some(fault) = fault {
            self.publish(Some(id), PublicEvent::Error(fault));
        }
        let written = self.turn_mut(id).map(|turn| turn.reply.clone()).unwrap_or_default();
        if written.is_empty() {
            self.reply(now, id, Reply::DontKnow { hint: None, model });
        } else {
            // It broke off in the middle: what was said is what was said.
            self.end_words(now, id, Reply::Text { text: written });
        }
    }

    /// A task wants something dangerous: the person is asked, as for every other route.
    fn ask_for_task(&mut self, now: Stamp, id: &TurnId, call: ToolCall, receipt: Receipt) {
        let until_ms = now.clock_ms() + self.settings.approval_window_ms;
        let Some(turn) = self.turn_mut(id) else { return };
        turn.outcome = Outcome::AwaitingApproval;
        turn.asks_approval = turn.speak;
        let origin = turn.origin.clone();
        let intent = Intent {
            name: format!("tool.{}", call.tool),
            slots: Slots::new(),
            confidence: 1.0,
            route: Route::Llm,
            why: "a language model wants it".into(),
            response: None,
            single: false,
        };
        let by_pin = receipt.detail["error"] == error_code::NEEDS_PIN;
        let asked = receipt.clone();
        let task = Some(id.clone());
        let approval =
            Approval { turn: id.clone(), intents: vec![(intent, call)], asked, by_pin, task, until_ms };
        self.talks.open(&origin).approval = Some(approval);
        self.reply(now, id, Reply::AskApproval { receipt, parts: Vec::new() });
    }
}

/// Whether a request of this kind wants to know something.
fn is_question(kind: &Classification) -> bool {
    use hark_core::Category::{Question, WebSearch};
    matches!(kind.category, Question | WebSearch)
}

/// Whether the tool of a question knew no answer.
fn is_unanswered(work: &Work) -> bool {
    let failed = work.receipt.as_ref().filter(|receipt| !receipt.ok);
    failed.and_then(|receipt| receipt.detail["error"].as_str()).is_some_and(|code| UNANSWERED.contains(&code))
}
