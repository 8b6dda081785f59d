//! Answers to questions and small talk: words as they come, after tools that only look where they help.

use super::action_claims::Measure;
use super::{Data, More, ThoughtEnd, Work, autonomy, fault, shown};
use crate::contracts::arguments::validated;
use crate::contracts::scoring::Subject;
use crate::contracts::{Contract, Outcome};
use futures_util::future::join_all;
use hark_core::model::{ModelCall, ModelError};
use hark_core::{Fault, FaultKind, News, PublicEvent};
use std::sync::PoisonError;

/// Calls of tools that one answer may need, of small talk and of a question.
const TALK_CALLS: usize = 2;
const QUESTION_CALLS: usize = 4;

impl Work<'_> {
    /// Says what a picture shows, or answers the question about it.
    pub(super) async fn look(&self) -> ThoughtEnd {
        self.decided("image_recognition", 1.0, "a picture came with it");
        let vars = self.vars_of_answer(Vec::new());
        let more = More { sink: Some(self.sink()), pictures: true, ..More::default() };
        let outcome = self.contract(Contract::ImageRecognition, vars, more).await;
        if let Some(error) = outcome.model_error.as_ref().filter(|error| **error != ModelError::Stopped) {
            // The honest reply to this is the contract's own, or what was heard of it.
            self.tell(PublicEvent::Error(fault(error)));
        }
        self.answered(&outcome).await
    }

    pub(super) async fn converse(&self) -> ThoughtEnd {
        self.answers_as(Subject::ConversationalAnswer);
        self.decided("answer.conversation", self.sureness(), "it is small talk");
        self.reply_with(Contract::ConversationalAnswer, TALK_CALLS).await
    }

    pub(super) async fn inquire(&self) -> ThoughtEnd {
        self.answers_as(Subject::StrictAnswer);
        self.decided("answer.general", self.sureness(), "nothing the house can do, or a question");
        self.reply_with(Contract::StrictAnswer, QUESTION_CALLS).await
    }

    fn sureness(&self) -> f32 {
        self.task.kind.as_ref().map_or(0.0, |kind| kind.confidence)
    }

    /// One cycle of tools that look, then the answer.
    pub(super) async fn reply_with(&self, contract: Contract, most_calls: usize) -> ThoughtEnd {
        let ask =
            |offer| More { sink: Some(self.sink()), offer, before: self.context.turns(), ..More::default() };
        let vars = self.vars_of_answer(Vec::new());
        let first = self.contract(contract, vars, ask(self.offer(true))).await;
        if first.calls.is_empty() {
            return self.waits_for_yes(self.finished(&first).await);
        }
        // They only look, and so at once.
        let calls = &first.calls[..first.calls.len().min(most_calls)];
        let looked = join_all(calls.iter().map(|call| self.looked_up(call))).await;
        let data = calls.iter().zip(looked).map(|(call, found)| Data::text(&call.tool, found)).collect();
        self.answer.lock().unwrap_or_else(PoisonError::into_inner).measure = Measure::Looked;
        let vars = self.vars_of_answer(data);
        let second = self.contract(contract, vars, ask(Vec::new())).await;
        self.waits_for_yes(self.finished(&second).await)
    }

    /// What a tool that looks gave back, as data for a model.
    async fn looked_up(&self, call: &ModelCall) -> String {
        let reference = self.mind.parts.contracts.reference();
        let offered = self.offer(true).iter().any(|tool| tool.name == call.tool);
        if !offered {
            return format!("there is no tool {} for questions", call.tool);
        }
        match validated(&call.tool, reference.arguments(&call.tool), &call.args) {
            Ok(args) => {
                let (_, receipt) = self.act(&call.tool, &args, None).await;
                shown(&receipt.detail)
            }
            Err(error) => error.to_string(),
        }
    }

    async fn finished(&self, outcome: &Outcome) -> ThoughtEnd {
        match &outcome.model_error {
            // It is the answer that broke off then, not the model.
            Some(ModelError::Stopped) if self.claims_an_action() => self.answered(outcome).await,
            Some(error) if outcome.fallback => Self::no_answer(Some(error)),
            Some(error) if *error != ModelError::Stopped => {
                // What was heard cannot be taken back; that it is not all is told.
                self.tell(PublicEvent::Error(fault(error)));
                self.answered(outcome).await
            }
            _ => self.answered(outcome).await,
        }
    }

    /// An answer that ends by asking whether something is to be done waits for the yes, which goes on with tools.
    fn waits_for_yes(&self, end: ThoughtEnd) -> ThoughtEnd {
        let ThoughtEnd::Answered { text, failed: false, .. } = &end else { return end };
        if !autonomy::is_question(text) || !autonomy::is_needless(text, &self.known) {
            return end;
        }
        let question = text.clone();
        self.suspend_question(&question);
        ThoughtEnd::Asks { question }
    }

    async fn answered(&self, outcome: &Outcome) -> ThoughtEnd {
        let (text, language) = (outcome.text().to_owned(), self.language());
        let answer = || self.answer.lock().unwrap_or_else(PoisonError::into_inner);
        let tell = |text| (self.tell)(News::Piece { text, ahead: String::new() });
        let rest = answer().finish();
        rest.into_iter().for_each(tell);
        let measure = answer().measure;
        let unread = answer().unread();
        if let Some(unread) = unread {
            let claims = self.may_claim(&unread, measure).await;
            let rest = answer().was_read(claims);
            rest.into_iter().for_each(tell);
        }
        let answer = answer();
        if answer.broken {
            // Nothing can have been done here: only what came before that is said, or that nothing was.
            let words = Some(answer.handed().trim().to_owned()).filter(|words| !words.is_empty());
            return ThoughtEnd::Reported { words, done: 0, steps: 0, troubles: Vec::new(), language };
        }
        // An answer that ends before its end is none that was given.
        let broke_off = outcome.model_error.as_ref().is_some_and(|error| *error != ModelError::Stopped);
        if outcome.cut_short {
            let message = "the language model was cut off in the middle of its answer";
            let fix =
                "allow longer answers in contracts/llm (max_tokens), or take a model with a longer context";
            self.tell(PublicEvent::Error(Fault::new(FaultKind::Failed, "llm", message, fix).recoverable()));
        }
        ThoughtEnd::Answered { text, language, failed: broke_off || outcome.cut_short }
    }

    fn claims_an_action(&self) -> bool {
        self.answer.lock().unwrap_or_else(PoisonError::into_inner).broken
    }

    /// The language of the answer.
    pub(super) fn language(&self) -> String {
        let known = self.context.language();
        if known.is_empty() { "unknown".to_owned() } else { known.to_owned() }
    }
}
