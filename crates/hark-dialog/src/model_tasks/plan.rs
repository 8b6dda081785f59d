//! Plans: made under contract, checked, and carried out with a checkpoint before and after every step, so that a
//! power cut loses nothing and repeats no completed step.

use super::success_guard::{ClaimedAction, honest, troubles};
use super::{More, Suspended, ThoughtEnd, Work, needs_approval, shown};
use crate::contracts::Contract;
use crate::contracts::plans::plan_of;
use futures_util::stream::{FuturesUnordered, StreamExt};
use hark_core::plan::{KeptPlan, Plan, Step, StepStatus};
use hark_core::tool::{CallId, error_code};
use hark_core::{Fault, PublicEvent, Receipt, ReceiptId, Risk, ToolCall};
use serde_json::json;
use std::sync::PoisonError;

impl Work<'_> {
    pub(super) async fn plan(&self) -> ThoughtEnd {
        let sure = self.task.kind.as_ref().map_or(0.0, |kind| kind.confidence);
        self.decided("plan", sure, "it takes several steps");
        let names: Vec<String> = self.offer(false).into_iter().map(|tool| tool.name).collect();
        let vars = self.vars_with_memory(&self.task.text, &[]);
        let more = More { tools: Some(&names), ..More::default() };
        let outcome = self.contract(Contract::Plan, vars, more).await;
        if let Some(error) = outcome.model_error.as_ref().filter(|_| outcome.fallback) {
            return Self::no_answer(Some(error));
        }
        // One plan a turn: its id is the turn's.
        match plan_of(&outcome.value, &self.task.turn.0).filter(|_| !outcome.fallback) {
            // What was read before it was planned may have planned it; what its steps find changes them no more.
            Some(plan) => self.carry_out(Plan { tainted: self.is_tainted(), ..plan }, None).await,
            None => {
                let text = outcome.value["message"].as_str().unwrap_or_default().to_owned();
                ThoughtEnd::Answered { text, language: self.language(), failed: true }
            }
        }
    }

    /// Goes on where it was: after a yes for one of its calls, or after a power cut.
    pub(super) async fn plan_on(&self, id: &str, call: Option<ToolCall>) -> ThoughtEnd {
        match self.mind.parts.plans.plan(id, None) {
            Ok(Some(kept)) => {
                self.goes_on_with(&kept.request);
                self.carry_out(kept.plan, call).await
            }
            Ok(None) => Self::no_answer(None),
            Err(fault) => ThoughtEnd::NoAnswer { fault: Some(fault) },
        }
    }

    /// Begins anew from an earlier checkpoint, under the id of this turn.
    pub(super) async fn plan_again(&self, id: &str, checkpoint: Option<u32>) -> ThoughtEnd {
        self.decided("plan", 1.0, "an earlier plan is carried out again");
        match self.mind.parts.plans.plan(id, Some(checkpoint.unwrap_or(1))) {
            Ok(Some(KeptPlan { mut plan, request, .. })) => {
                self.goes_on_with(&request);
                // Its first checkpoint is taken when its first steps begin: without a number all of it is done again.
                // What ran at a checkpoint begins anew, because somebody wants it.
                let anew = |step: &&mut Step| checkpoint.is_none() || step.status == StepStatus::Running;
                for step in plan.steps.iter_mut().filter(anew) {
                    (step.status, step.receipt, step.call) = (StepStatus::Pending, None, None);
                }
                self.carry_out(Plan { id: self.task.turn.0.clone(), ..plan }, None).await
            }
            Ok(None) => {
                let text = self.words().no_plan(id);
                ThoughtEnd::Answered { text, language: self.language(), failed: true }
            }
            Err(fault) => ThoughtEnd::NoAnswer { fault: Some(fault) },
        }
    }

    async fn carry_out(&self, plan: Plan, approved: Option<ToolCall>) -> ThoughtEnd {
        let carried = || self.mind.carried.lock().unwrap_or_else(PoisonError::into_inner);
        carried().insert(self.task.turn.clone(), plan.id.clone());
        let end = self.steps_of(plan, approved).await;
        carried().remove(&self.task.turn);
        end
    }

    async fn steps_of(&self, mut plan: Plan, mut approved: Option<ToolCall>) -> ThoughtEnd {
        if let Err(fault) = self.look_up_what_ran(&mut plan) {
            return ThoughtEnd::NoAnswer { fault: Some(fault) };
        }
        self.tell(PublicEvent::Plan(plan.clone()));
        loop {
            let batch = next(&plan);
            if batch.is_empty() {
                break;
            }
            let begin = |&at: &usize| {
                let call = self.begin(&mut plan.steps[at], &mut approved);
                (at, ToolCall { tainted: plan.tainted, ..call })
            };
            let calls: Vec<(usize, ToolCall)> = batch.iter().map(begin).collect();
            if let Err(fault) = self.checkpoint(&plan, false) {
                return ThoughtEnd::NoAnswer { fault: Some(fault) };
            }
            batch.iter().for_each(|&at| self.update(&plan, at, String::new()));
            let run = |(at, call)| async move { (at, self.carry_out_call(call).await) };
            let mut running: FuturesUnordered<_> = calls.into_iter().map(run).collect();
            let mut waits = None;
            while let Some((at, (call, receipt))) = running.next().await {
                let waiting = self.settle(&mut plan, at, call, receipt);
                waits = waits.or(waiting);
                if let Err(fault) = self.checkpoint(&plan, false) {
                    return ThoughtEnd::NoAnswer { fault: Some(fault) };
                }
            }
            if let Some(waits) = waits {
                // Everything beside it has been noted; it begins again with the yes. Without one it does not go on by
                // itself: a question survives no restart, and may be answered with no, or by nobody.
                if let Err(fault) = self.checkpoint(&plan, true) {
                    return ThoughtEnd::NoAnswer { fault: Some(fault) };
                }
                self.suspend(Suspended::Plan { id: plan.id.clone() });
                return waits;
            }
        }
        self.skip_the_rest(&mut plan);
        if let Err(fault) = self.checkpoint(&plan, true) {
            tracing::error!("the end of a plan was not kept; after a restart it goes on: {fault}");
        }
        self.report(&plan).await
    }

    /// Steps whose call ran when the program ended: what came of it is looked up. Where that is not known, what can be
    /// done again without doing more is done again under the same name, and the rest has failed: nothing that may have
    /// been done is done a second time in silence.
    fn look_up_what_ran(&self, plan: &mut Plan) -> Result<(), Fault> {
        for step in plan.steps.iter_mut().filter(|step| step.status == StepStatus::Running) {
            let known = match &step.call {
                Some(call) => self.mind.parts.plans.receipt(call)?,
                None => None,
            };
            match known {
                // It was asked about and not done; it is asked about again.
                Some(receipt) if needs_approval(&receipt) => {
                    (step.status, step.call) = (StepStatus::Pending, None);
                }
                Some(receipt) => {
                    step.status = if receipt.ok { StepStatus::Completed } else { StepStatus::Failed };
                    step.receipt = Some(receipt);
                }
                None if self.is_harmless(&step.tool, &step.args) => step.status = StepStatus::Pending,
                None => {
                    step.status = StepStatus::Failed;
                    step.receipt = Some(interrupted(&plan.id, step));
                }
            }
        }
        Ok(())
    }

    /// The call of a step that begins now; a yes is good for one step, once.
    fn begin(&self, step: &mut Step, approved: &mut Option<ToolCall>) -> ToolCall {
        step.status = StepStatus::Running;
        if let Some(call) = approved.take_if(|call| is_for(call, step)) {
            let call = ToolCall { index: self.next_index(), ..call };
            step.call = Some(call.id());
            return call;
        }
        let id = step
            .call
            .get_or_insert_with(|| CallId { turn: self.task.turn.clone(), index: self.next_index() });
        let (turn, index) = (id.turn.clone(), id.index);
        let (tool, args) = (step.tool.clone(), step.args.clone());
        self.new_call(index, turn, &tool, args)
    }

    fn checkpoint(&self, plan: &Plan, finished: bool) -> Result<(), Fault> {
        self.mind.parts.plans.checkpoint(&self.task.session, &self.request(), plan, finished)
    }

    fn update(&self, plan: &Plan, at: usize, message: String) {
        let (step, status) = (plan.steps[at].id.clone(), plan.steps[at].status);
        self.tell(PublicEvent::StepUpdate { plan: plan.id.clone(), step, status, message });
    }

    /// Notes how a step ended; what is asked when it waits for a yes.
    fn settle(&self, plan: &mut Plan, at: usize, call: ToolCall, receipt: Receipt) -> Option<ThoughtEnd> {
        let step = &mut plan.steps[at];
        if needs_approval(&receipt) {
            // As if it had not begun.
            (step.status, step.call) = (StepStatus::Pending, None);
            self.update(plan, at, "waits for a yes".into());
            return Some(ThoughtEnd::NeedsApproval { call, receipt });
        }
        step.status = if receipt.ok { StepStatus::Completed } else { StepStatus::Failed };
        let message = receipt.detail["message"].as_str().unwrap_or_default().to_owned();
        step.receipt = Some(receipt);
        self.update(plan, at, message);
        None
    }

    /// Steps that can never begin, because one before them failed.
    fn skip_the_rest(&self, plan: &mut Plan) {
        for at in 0..plan.steps.len() {
            if plan.steps[at].status == StepStatus::Pending {
                plan.steps[at].status = StepStatus::Failed;
                self.update(plan, at, "left out: a step before it failed".into());
            }
        }
    }

    /// What came of it, in words: results of what was looked up by the model under contract, the rest by count.
    async fn report(&self, plan: &Plan) -> ThoughtEnd {
        let risk = |tool: &str| self.mind.parts.tools.risk(tool);
        let own = self.words();
        let actions: Vec<ClaimedAction> = plan
            .steps
            .iter()
            // A step that only looks and fails is told as well.
            .filter_map(|step| Some(ClaimedAction::of(&step.tool, true, step.receipt.as_ref()?, &own)))
            .collect();
        let written: Vec<ClaimedAction> =
            actions.iter().filter(|action| risk(&action.tool) != Some(Risk::Read)).cloned().collect();
        let found: Vec<_> = plan
            .steps
            .iter()
            .filter(|step| step.status == StepStatus::Completed && risk(&step.tool) == Some(Risk::Read))
            .filter_map(|step| {
                Some(json!({"step": step.description, "result": step.receipt.as_ref()?.detail}))
            })
            .collect();
        let mut words = None;
        if !found.is_empty() {
            let (text, language) = (shown(&json!(found)), self.context.language());
            let vars = json!({"text": text, "request": self.request(), "language": language});
            let outcome = self.contract(Contract::ResponseFormatting, vars, More::default()).await;
            words = honest(outcome.text(), &written, !written.is_empty(), &self.known)
                .filter(|_| !outcome.fallback);
        }
        let done = plan.steps.iter().filter(|step| step.status == StepStatus::Completed).count();
        let troubles = troubles(&actions).into_iter().map(str::to_owned).collect();
        ThoughtEnd::Reported { words, done, steps: plan.steps.len(), troubles, language: self.language() }
    }
}

/// What is noted of a step that ran when the program ended, where nobody knows what came of it.
fn interrupted(plan: &str, step: &Step) -> Receipt {
    let message = format!(
        "Hark was ended while it was doing this: {}. Nobody knows whether it was done, so it was not done again",
        step.description.trim_end_matches('.')
    );
    let detail = json!({"error": error_code::FAILED, "message": message, "interrupted": true});
    let id = ReceiptId(format!("{plan}-{}-interrupted", step.id));
    Receipt { id, ok: false, changed: false, detail, tainted: false }
}

/// The steps that begin now: all that may run beside others, or one alone.
fn next(plan: &Plan) -> Vec<usize> {
    let completed =
        |id: &String| plan.steps.iter().any(|step| step.id == *id && step.status == StepStatus::Completed);
    let ready = |step: &Step| step.status == StepStatus::Pending && step.depends_on.iter().all(completed);
    let ready: Vec<usize> = (0..plan.steps.len()).filter(|&at| ready(&plan.steps[at])).collect();
    let beside: Vec<usize> = ready.iter().copied().filter(|&at| plan.steps[at].can_parallel).collect();
    if beside.is_empty() { ready.into_iter().take(1).collect() } else { beside }
}

fn is_for(call: &ToolCall, step: &Step) -> bool {
    call.tool == step.tool && call.args == step.args
}

#[cfg(test)]
mod tests {
    use super::*;
    use hark_core::Slots;

    fn step(id: &str, can_parallel: bool, depends_on: &[&str], status: StepStatus) -> Step {
        Step {
            id: id.into(),
            description: String::new(),
            tool: "t".into(),
            args: Slots::new(),
            can_parallel,
            depends_on: depends_on.iter().map(|id| (*id).to_owned()).collect(),
            status,
            receipt: None,
            call: None,
        }
    }

    fn begins(steps: Vec<Step>) -> Vec<usize> {
        next(&Plan { id: "p".into(), summary: String::new(), steps, tainted: false })
    }

    #[test]
    fn steps_begin_when_what_they_need_is_there() {
        use StepStatus::{Completed, Failed, Pending, Running};
        let fan = |a, b| {
            vec![
                step("a", true, &[], a),
                step("b", true, &[], b),
                step("c", false, &[], Pending),
                step("d", true, &["a", "b"], Pending),
            ]
        };
        assert_eq!(begins(fan(Pending, Pending)), [0, 1], "what may run beside others goes first, at once");
        assert_eq!(begins(fan(Completed, Running)), [2]);
        assert_eq!(begins(fan(Completed, Completed)), [3]);
        assert_eq!(begins(fan(Completed, Failed)), [2], "and d never");
        assert!(
            begins(vec![step("a", false, &["b"], Pending), step("b", false, &["a"], Pending)]).is_empty()
        );
    }
}
