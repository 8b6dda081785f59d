//! Receipts coming in, and dangerous acts that need a yes.

use super::Machine;
use super::conversations::{Talk, conversation};
use super::state::{Approval, Opening, Phase, Turn, Work};
use crate::instincts;
use hark_core::automation::intent::RESTORE_LATER;
use hark_core::intent::refusal;
use hark_core::pin::PinVerdict;
use hark_core::public_event::{Origin, Outcome, PublicEvent};
use hark_core::tool::error_code;
use hark_core::{
    Ambiguity, Fault, FaultKind, Intent, Part, Receipt, Reply, Route, Slots, Stamp, ToolCall, TurnId,
};

/// Why a yes or no counts for nothing, as the replies are called.
const NOTHING_WAITS: &str = "nothing_waits";
const SEVERAL_WAIT: &str = "several_wait";
const NOT_YOURS: &str = "not_yours";

/// Whose answer it is, and how it was given.
#[derive(Debug, Clone, Copy)]
pub(super) struct Answerer {
    /// Of the operator, by their token.
    pub(super) operator: bool,
    /// In words, which may be a request like any other.
    pub(super) in_words: bool,
}

impl Machine {
    pub(super) fn on_acted(
        &mut self,
        now: Stamp,
        id: &TurnId,
        index: usize,
        receipt: Receipt,
        duration_ms: f64,
    ) {
        let Some(turn) = self.turn_mut(id) else { return };
        let Some(work) = turn.work.get_mut(index).filter(|work| work.is_open()) else { return };
        let Some(call) = work.call.clone() else { return };
        work.receipt = Some(receipt.clone());
        // A receipt that comes after the apology is told to the world, but not answered again.
        let finished = turn.phase == Phase::Acting && !turn.work.iter().any(Work::is_open);
        if finished {
            turn.times.acted = Some(now);
        }
        self.note_changed(id, &receipt);
        self.note_task_question(now, id, &call.tool, &receipt);
        let goes_on = finished && (self.taken_back(now, id, &receipt) || self.carry_out_now(now, id));
        self.publish(
            Some(id),
            PublicEvent::Action { tool: call.tool, args: call.args, receipt, duration_ms },
        );
        let mut asked_on = || self.ask_model_instead(now, id) || self.ask_memory_instead(now, id);
        if finished && !goes_on && !asked_on() {
            self.answer(now, id);
        }
    }

    /// Everything that was asked has its receipt: say what came of it.
    pub(super) fn answer(&mut self, now: Stamp, id: &TurnId) {
        if self.ask_which_one(now, id) {
            return;
        }
        let until_ms = now.clock_ms() + self.settings.approval_window_ms;
        let Some(turn) = self.turn_mut(id) else { return };
        // What is to last for some time and waits for a yes ends then, too: nothing has changed yet that could go back.
        let asks = turn.work.iter().any(needs_approval);
        let ends_then = |work: &&Work| {
            let changed_nothing = |receipt: &Receipt| receipt.ok && receipt.detail["count"] == 0;
            asks && work.intent.name == RESTORE_LATER && work.receipt.as_ref().is_some_and(changed_nothing)
        };
        let ends: Vec<&Work> = turn.work.iter().filter(ends_then).collect();
        let (waiting, settled): (Vec<&Work>, Vec<&Work>) =
            told(&turn.work).filter(|work| !ends_then(work)).partition(|work| needs_approval(work));
        let missed = turn.missed.iter().map(|text| Part::Missed { text: text.clone() });
        let parts: Vec<Part> = settled.iter().filter_map(|work| work.part()).chain(missed).collect();
        let failed = settled.iter().any(|work| {
            work.receipt.as_ref().is_some_and(|receipt| !receipt.ok) || work.intent.name == refusal::INTENT
        });
        let with_call = |work: &&Work| Some((work.intent.clone(), work.call.clone()?));
        let intents: Vec<_> = waiting.iter().chain(&ends).filter_map(with_call).collect();
        let by_pin = waiting.iter().any(|work| lacks(work, error_code::NEEDS_PIN));
        let asked = if by_pin { error_code::NEEDS_PIN } else { error_code::NEEDS_APPROVAL };
        let first = waiting.iter().position(|work| lacks(work, asked));
        let question = first.and_then(|first| asking_for_all(first, &waiting));
        turn.outcome = match (&question, failed) {
            (Some(_), _) => Outcome::AwaitingApproval,
            (None, true) => Outcome::Failed,
            (None, false) => Outcome::Done,
        };
        turn.asks_approval = question.is_some() && turn.speak;
        let aloud = !turn.quiet || failed || question.is_some();
        let origin = turn.origin.clone();
        let done: Vec<(Intent, Option<Receipt>)> = turn
            .work
            .iter()
            .filter(|work| !work.takes_back())
            .map(|work| (work.intent.clone(), work.receipt.clone()))
            .collect();
        self.leaning.remember(now.clock_ms() + self.settings.context_ms, &origin, done);
        self.keep_request(now, id, &origin);
        let reply = match question {
            Some(receipt) => {
                let asked = receipt.clone();
                self.talks.open(&origin).approval =
                    Some(Approval { turn: id.clone(), intents, asked, by_pin, task: None, until_ms });
                Reply::AskApproval { receipt, parts }
            }
            None => Reply::Parts { parts },
        };
        self.reply_as(now, id, reply, aloud);
    }

    /// Asks which of several things is meant, where a tool could not tell. The reply tells first what else was done. A request to
    /// restore the state later is kept together with the request that is asked about.
    fn ask_which_one(&mut self, now: Stamp, id: &TurnId) -> bool {
        let until_ms = now.clock_ms() + self.settings.context_ms;
        let Some(turn) = self.turn_mut(id) else { return false };
        let works: Vec<&Work> = told(&turn.work).collect();
        let Some((at, (candidates, areas))) =
            works.iter().enumerate().find_map(|(at, work)| Some((at, candidates(work)?)))
        else {
            return false;
        };
        // Nothing has changed yet that could go back.
        let ends = works[at + 1..].iter().take_while(|work| work.intent.name == RESTORE_LATER).count();
        let others: Vec<&Work> = [&works[..at], &works[at + 1 + ends..]].concat();
        if others.iter().any(|work| needs_approval(work)) {
            return false;
        }
        let intents = works[at..=at + ends].iter().map(|work| work.intent.clone()).collect();
        let parts = others.iter().filter_map(|work| work.part()).collect();
        let done = others.iter().map(|work| (work.intent.clone(), work.receipt.clone())).collect::<Vec<_>>();
        let origin = turn.origin.clone();
        if !done.is_empty() {
            self.leaning.remember(until_ms, &origin, done);
        }
        let doubts = vec![Ambiguity { intent: 0, slot: "name".into(), candidates, areas }];
        self.ask_which(now, id, intents, doubts, parts);
        true
    }

    /// The person said yes: exactly the calls that were asked about run, marked as approved.
    pub(super) fn approve(&mut self, now: Stamp, id: &TurnId, grant: Option<u64>) {
        let Some(origin) = self.origin_of(id) else { return };
        let Some(approval) = self.talks.known(&origin).and_then(|talk| talk.approval.take()) else { return };
        let mut person = None;
        if let Some(turn) = self.turn_mut(id) {
            turn.is_task = true;
            person = turn.person.clone();
        }
        let approved = |mut call: ToolCall| {
            // What is refused to whoever says yes is not done because another asked for it.
            call.requester.person = person.clone().or(call.requester.person);
            ToolCall { turn: id.clone(), approved: true, grant, ..call }
        };
        if let Some(task) = approval.task {
            if let Some((_, call)) = approval.intents.into_iter().next() {
                self.think_on(now, id, task, approved(call));
            }
            return;
        }
        let work = approval.intents.into_iter().enumerate().map(|(index, (intent, call))| {
            let call = approved(ToolCall { index, ..call });
            Work { intent, call: Some(call), receipt: None }
        });
        let work = work.collect();
        self.run(now, id, work);
    }

    /// A yes or no over a connection. It answers the question of its own conversation; the operator's answers the turn
    /// it names, or the only question there is, whoever was asked. Every other one is told that it changed nothing.
    pub(super) fn on_answer(
        &mut self,
        now: Stamp,
        origin: Origin,
        turn: Option<&TurnId>,
        yes: bool,
        by: Answerer,
    ) {
        let fits = |approval: &Approval| turn.is_none_or(|id| approval.turn == *id);
        let waits = |talk: &&Talk| talk.approval.as_ref().is_some_and(fits);
        let waiting: Vec<&Origin> = self.talks.all().filter(waits).map(Talk::origin).collect();
        let word = instincts::word_for(yes, &self.languages);
        let asked = match waiting.as_slice() {
            all if all.contains(&conversation(&origin)) => Ok(origin.clone()),
            [only] if by.operator => Ok((*only).clone()),
            [_, _, ..] if by.operator => Err(SEVERAL_WAIT),
            _ if by.in_words || self.asks_something_else(&origin, turn) => Ok(origin.clone()),
            [] => Err(NOTHING_WAITS),
            _ => Err(NOT_YOURS),
        };
        match asked {
            Ok(asked) => {
                let speak = asked == Origin::Voice;
                self.on_typed(now, word.to_owned(), asked, speak, false);
            }
            Err(key) => {
                // Taken for words, it could be a yes to something else that waits here.
                let id = self.typed_turn(now, word.to_owned(), origin, false, false);
                self.turn_down(now, &id, key);
            }
        }
    }

    /// Takes a yes or no in words that answers nothing here, while a dangerous act waits in another conversation: it
    /// counts where it was asked for, and nowhere else. Whether it was that.
    pub(super) fn answers_elsewhere(&mut self, now: Stamp, id: &TurnId, text: &str, origin: &Origin) -> bool {
        let expected = |talk: &Talk| talk.chats || talk.awaits_words();
        let meant_here = self.talks.of(origin).is_some_and(expected);
        let elsewhere = self.talks.all().any(|talk| talk.approval.is_some());
        // What was said without being asked for need not be for Hark.
        let was_asked = |turn: &mut Turn| matches!(turn.opening, Opening::WakeWord | Opening::Asked);
        let is_for_hark = self.turn_mut(id).is_some_and(|turn| was_asked(turn) && !turn.dry_run);
        if meant_here || !elsewhere || !is_for_hark || instincts::yes_or_no(text, &self.languages).is_none() {
            return false;
        }
        self.turn_down(now, id, NOT_YOURS);
        true
    }

    /// A yes or no that answers nothing: its sender is told why, and what waits goes on waiting.
    fn turn_down(&mut self, now: Stamp, id: &TurnId, key: &str) {
        let refused = match key {
            NOTHING_WAITS => None,
            SEVERAL_WAIT => Some(("several questions wait for a yes or no", "name the turn that asked")),
            _ => Some((
                "the question that waits for a yes or no was asked in another conversation",
                "answer where it was asked, or as the operator: `hark approve`, `hark deny`",
            )),
        };
        if let Some(turn) = self.turn_mut(id) {
            turn.outcome = if refused.is_some() { Outcome::Failed } else { Outcome::NotUnderstood };
        }
        if let Some((message, fix)) = refused {
            let fault = Fault::new(FaultKind::BadInput, "approval", message, fix).recoverable();
            self.publish(Some(id), PublicEvent::Error(fault));
        }
        self.reply(now, id, Reply::Fixed { key: key.into() });
    }

    /// Whether a yes or no is awaited in this conversation that is for no dangerous act: for one that was given up, which
    /// is to be told, or for a question.
    fn asks_something_else(&self, origin: &Origin, turn: Option<&TurnId>) -> bool {
        let Some(talk) = self.talks.of(origin).filter(|talk| talk.approval.is_none()) else { return false };
        let lapsed = talk.lapsed.as_ref().is_some_and(|it| turn.is_none_or(|id| it.turn == *id));
        lapsed
            || turn.is_none()
                && (talk.waiting.is_some() || talk.question.is_some() || talk.task_question_ms.is_some())
    }

    /// Whether a dangerous act waits for the PIN, and this one may give it.
    pub fn awaits_pin(&self, now: Stamp, origin: &Origin) -> bool {
        self.approval(origin).is_some_and(|approval| approval.by_pin && approval.until_ms > now.clock_ms())
    }

    /// The request at hand was a PIN, and the executor has looked at it.
    pub(super) fn on_pin(&mut self, now: Stamp, id: &TurnId, verdict: PinVerdict) {
        let why = "the PIN was asked for".into();
        let name = "HarkPin".to_owned();
        let route = Route::Instinct;
        let intent =
            Intent { name, slots: Slots::new(), confidence: 1.0, route, why, response: None, single: false };
        self.tell_intent(id, intent);
        let until_ms = now.clock_ms() + self.settings.approval_window_ms;
        let Some(turn) = self.turn_mut(id) else { return };
        turn.route = Some(route);
        turn.times.intent = Some(now);
        match verdict {
            PinVerdict::Right { grant } => self.approve(now, id, Some(grant)),
            PinVerdict::Wrong => {
                turn.outcome = Outcome::AwaitingApproval;
                turn.asks_approval = turn.speak;
                let origin = turn.origin.clone();
                let talk = self.talks.known(&origin);
                if let Some(approval) = talk.and_then(|talk| talk.approval.as_mut()) {
                    approval.until_ms = until_ms;
                }
                self.reply(now, id, Reply::Fixed { key: "pin_wrong".into() });
            }
            PinVerdict::Locked => {
                turn.outcome = Outcome::Failed;
                let origin = turn.origin.clone();
                self.talks.open(&origin).approval = None;
                self.reply(now, id, Reply::Fixed { key: "pin_locked".into() });
            }
        }
    }
}

/// The receipt that is asked about, with the other acts that the same yes lets through: none happens unnamed.
fn asking_for_all(first: usize, waiting: &[&Work]) -> Option<Receipt> {
    let mut asked = waiting.get(first)?.receipt.clone()?;
    let others = waiting.iter().enumerate().filter(|(at, _)| *at != first);
    let also: Vec<_> = others.filter_map(|(_, work)| Some(work.receipt.as_ref()?.detail.clone())).collect();
    if let (false, Some(detail)) = (also.is_empty(), asked.detail.as_object_mut()) {
        detail.insert("also".into(), also.into());
    }
    Some(asked)
}

/// What the reply mentions. Not an automation that was carried out at once, since its acts are mentioned themselves, nor the
/// other one of "if …, otherwise …".
fn told(work: &[Work]) -> impl Iterator<Item = &Work> {
    let carries_out = |work: &Work, what: bool| {
        work.receipt.as_ref().is_some_and(|receipt| receipt.ok && receipt.detail["carry_out"] == what)
    };
    let is_choice = |work: &Work| work.intent.slots.get("at_once").is_some_and(|at_once| at_once == "drop");
    let chosen = work.iter().any(|work| is_choice(work) && carries_out(work, true));
    work.iter().filter(move |work| {
        let is_other = chosen && is_choice(work) && carries_out(work, false);
        !carries_out(work, true) && !is_other && !work.takes_back()
    })
}

/// Names and areas of what may be meant, where a tool could not tell; `None` where it could.
fn candidates(work: &Work) -> Option<(Vec<String>, Vec<Option<String>>)> {
    let detail = &work.receipt.as_ref().filter(|receipt| !receipt.ok)?.detail;
    let texts = |key: &str| -> Option<Vec<Option<String>>> {
        let texts = detail[key].as_array()?.iter().map(|text| text.as_str().map(str::to_owned));
        Some(texts.collect())
    };
    let names: Vec<String> = texts("names")?.into_iter().flatten().collect();
    (!names.is_empty()).then(|| (names, texts("areas").unwrap_or_default()))
}

fn needs_approval(work: &Work) -> bool {
    lacks(work, error_code::NEEDS_APPROVAL) || lacks(work, error_code::NEEDS_PIN)
}

fn lacks(work: &Work, code: &str) -> bool {
    work.receipt.as_ref().is_some_and(|receipt| !receipt.ok && receipt.detail["error"] == code)
}
