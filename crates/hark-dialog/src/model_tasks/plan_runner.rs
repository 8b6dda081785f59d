//! Plans: made under contract, checked, and carried out with a checkpoint before and after every step, so that a
//! power cut loses nothing and repeats no completed step.

use super::claimed_action::ClaimedAction;
use super::success_guard::troubles;
use super::{Data, More, Suspended, ThoughtEnd, Work, needs_approval, shown};
use crate::contracts::Contract;
use crate::contracts::arguments::validated;
use crate::contracts::plan_check::plan_of;
use crate::contracts::step_values;
use futures_util::stream::{FuturesUnordered, StreamExt};
use hark_core::plan::{KeptPlan, Plan, Step, StepStatus};
use hark_core::tool::{CallId, error_code};
use hark_core::{Fault, PublicEvent, Receipt, ReceiptId, Risk, ToolCall};
use serde_json::{Value, json};
use std::sync::PoisonError;

impl Work<'_> {
    pub(super) async fn plan(&self) -> ThoughtEnd {
        let sure = self.task.kind.as_ref().map_or(0.0, |kind| kind.confidence);
        self.decided("plan", sure, "it takes several steps");
        let names = self.offer_for_plan();
        let vars = self.vars_of_plan(&self.task.text, Vec::new());
        let more = More { tools: Some(&names), before: self.context.turns(), ..More::default() };
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
            Err(fault) => ThoughtEnd::NoAnswer { fault: Some(fault), cause: None },
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
            Err(fault) => ThoughtEnd::NoAnswer { fault: Some(fault), cause: None },
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
            return ThoughtEnd::NoAnswer { fault: Some(fault), cause: None };
        }
        self.tell(PublicEvent::Plan(plan.clone()));
        let mut replans = self.mind.parts.settings.max_replans;
        // Steps before this one have been planned anew already.
        let mut replaced = 0;
        loop {
            self.decide_conditions(&mut plan);
            let batch = next(&plan);
            if batch.is_empty() {
                let failed = plan.steps.iter().skip(replaced).any(may_be_replaced);
                if replans == 0 || !failed {
                    break;
                }
                replans -= 1;
                match self.plan_the_rest(&mut plan).await {
                    Some(first) => replaced = first,
                    None => break,
                }
                continue;
            }
            if let Some(at) = batch.iter().copied().find(|&at| !self.take_values(&mut plan, at)) {
                self.update(&plan, at, trouble_of(&plan.steps[at]));
                continue;
            }
            let begin = |&at: &usize| {
                let call = self.begin(&mut plan.steps[at], &mut approved);
                (at, ToolCall { tainted: plan.tainted, ..call })
            };
            let calls: Vec<(usize, ToolCall)> = batch.iter().map(begin).collect();
            if let Err(fault) = self.checkpoint(&plan, false) {
                return ThoughtEnd::NoAnswer { fault: Some(fault), cause: None };
            }
            batch.iter().for_each(|&at| self.update(&plan, at, String::new()));
            let run = |(at, call)| async move { (at, self.carry_out_call(call).await) };
            let mut running: FuturesUnordered<_> = calls.into_iter().map(run).collect();
            let mut waits = None;
            while let Some((at, (call, receipt))) = running.next().await {
                let waiting = self.settle(&mut plan, at, call, receipt);
                waits = waits.or(waiting);
                if let Err(fault) = self.checkpoint(&plan, false) {
                    return ThoughtEnd::NoAnswer { fault: Some(fault), cause: None };
                }
            }
            if let Some(waits) = waits {
                // Everything beside it has been noted; it begins again with the yes. Without one it does not go on by
                // itself: a question survives no restart, and may be answered with no, or by nobody.
                if let Err(fault) = self.checkpoint(&plan, true) {
                    return ThoughtEnd::NoAnswer { fault: Some(fault), cause: None };
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
        let result = plan.steps[at].receipt.as_ref().map_or(Value::Null, |receipt| receipt.detail.clone());
        let (plan, total_steps) = (plan.id.clone(), plan.steps.len());
        self.tell(PublicEvent::StepUpdate { plan, step, status, message, total_steps, result });
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

    /// Leaves out the steps that are ready and whose condition does not hold; where that cannot be told they have failed.
    fn decide_conditions(&self, plan: &mut Plan) {
        for at in 0..plan.steps.len() {
            let step = &plan.steps[at];
            let Some(condition) = step.only_if.as_ref().filter(|_| is_ready(plan, step)) else { continue };
            let (status, why) = match step_values::holds(condition, result_of(plan, &condition.step)) {
                Ok(true) => continue,
                Ok(false) => (StepStatus::Skipped, "left out: its condition does not hold".to_owned()),
                Err(why) => (StepStatus::Failed, why),
            };
            if status == StepStatus::Failed {
                plan.steps[at].receipt = Some(unusable(&plan.id, &plan.steps[at], &why));
            }
            plan.steps[at].status = status;
            self.update(plan, at, why);
        }
    }

    /// Puts values of earlier results into the arguments of a step that begins; false where that cannot be, and the step
    /// has failed. What it has then is what it is called with, also after a restart.
    fn take_values(&self, plan: &mut Plan, at: usize) -> bool {
        let step = &plan.steps[at];
        if step_values::needed(&json!(step.args), None).is_empty() {
            return true;
        }
        let reference = self.mind.parts.contracts.reference();
        let filled = step_values::filled(&step.args, |id| result_of(plan, id)).and_then(|args| {
            let checked = validated(&step.tool, reference.arguments(&step.tool), &json!(args));
            checked.map_err(|error| error.to_string())
        });
        match filled {
            Ok(args) => {
                let from = step_values::needed(&json!(plan.steps[at].args), None);
                let tells = |step: &Step| step.receipt.as_ref().is_some_and(|receipt| receipt.tainted);
                // From here on the plan does what text from outside may say.
                plan.tainted |= plan.steps.iter().any(|step| from.contains(&step.id) && tells(step));
                plan.steps[at].args = args;
                true
            }
            Err(why) => {
                plan.steps[at].receipt = Some(unusable(&plan.id, &plan.steps[at], &why));
                plan.steps[at].status = StepStatus::Failed;
                false
            }
        }
    }

    /// Has the rest planned anew after a step failed: the place of the first new step. What was done stays and is not done
    /// again. The model learns what failed, except where a later call of the same tool succeeded.
    async fn plan_the_rest(&self, plan: &mut Plan) -> Option<usize> {
        let told: Vec<_> = plan
            .steps
            .iter()
            .map(|step| {
                let result = step.receipt.as_ref().map(|receipt| &receipt.detail);
                json!({"step": step.description, "tool": step.tool, "status": step.status, "result": result})
            })
            .collect();
        let names = self.offer_for_plan();
        let data = vec![Data::text("steps so far", shown(&json!(told)))];
        let mut vars = self.vars_of_plan(&self.request(), data);
        vars["replans"] = json!(true);
        let outcome =
            self.contract(Contract::Plan, vars, More { tools: Some(&names), ..More::default() }).await;
        let rest = plan_of(&outcome.value, &plan.id).filter(|_| !outcome.fallback)?;
        // What a model has planned that read results from outside is what they may have planned.
        plan.tainted |= self.is_tainted();
        plan.steps.retain(|step| step.status != StepStatus::Pending);
        // Done anew under other ids: each is there once.
        let number = plan.steps.len();
        let renamed = |id: &String| format!("{number}-{id}");
        let ids: Vec<String> = rest.steps.iter().map(|step| step.id.clone()).collect();
        for mut step in rest.steps {
            step.args = step_values::renamed(&step.args, &ids, &renamed);
            step.id = renamed(&step.id);
            step.depends_on = step.depends_on.iter().map(renamed).collect();
            if let Some(condition) = &mut step.only_if {
                condition.step = renamed(&condition.step);
            }
            plan.steps.push(step);
        }
        self.tell(PublicEvent::Plan(plan.clone()));
        Some(number)
    }

    /// Steps that can never begin, because one before them failed.
    fn skip_the_rest(&self, plan: &mut Plan) {
        for at in 0..plan.steps.len() {
            if plan.steps[at].status != StepStatus::Pending {
                continue;
            }
            // Steps are looked at in any order: what a step waits for may itself wait for one that was left out.
            let (status, why) = if waits_for(plan, at, StepStatus::Failed) {
                (StepStatus::Failed, "left out: a step before it failed")
            } else {
                (StepStatus::Skipped, "left out: a step before it was")
            };
            plan.steps[at].status = status;
            self.update(plan, at, why.into());
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
            .filter_map(|step| {
                Some(ClaimedAction::of(&step.tool, true, &json!(step.args), step.receipt.as_ref()?, &own))
            })
            .collect();
        let written: Vec<ClaimedAction> =
            actions.iter().filter(|action| risk(&action.tool) != Some(Risk::Read)).cloned().collect();
        let found: Vec<_> = plan
            .steps
            .iter()
            .filter_map(|step| match step.status {
                StepStatus::Completed if risk(&step.tool) == Some(Risk::Read) => {
                    Some(json!({"step": step.description, "result": step.receipt.as_ref()?.detail}))
                }
                StepStatus::Skipped => Some(json!({"step": step.description, "left_out": "not needed"})),
                _ => None,
            })
            .collect();
        let mut words = None;
        if !found.is_empty() {
            let (text, language) = (shown(&json!(found)), self.context.language());
            let vars = json!({"text": text, "request": self.request(), "language": language});
            let outcome = self.contract(Contract::ResponseFormatting, vars, More::default()).await;
            if !outcome.fallback {
                words = self.honest(outcome.text(), &written, !written.is_empty()).await;
            }
        }
        let done = plan.steps.iter().filter(|step| step.status == StepStatus::Completed).count();
        let troubles = troubles(&actions).into_iter().map(str::to_owned).collect();
        let counts = |(at, step): &(usize, &Step)| match step.status {
            StepStatus::Skipped => false,
            StepStatus::Failed => !is_mended(plan, *at),
            _ => true,
        };
        let steps = plan.steps.iter().enumerate().filter(counts).count();
        ThoughtEnd::Reported { words, done, steps, troubles, language: self.language() }
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

/// What is noted of a step whose arguments or condition cannot be made from earlier results.
fn unusable(plan: &str, step: &Step, why: &str) -> Receipt {
    let detail = json!({"error": error_code::BAD_ARGUMENT, "message": why});
    let id = ReceiptId(format!("{plan}-{}-unusable", step.id));
    Receipt { id, ok: false, changed: false, detail, tainted: false }
}

fn trouble_of(step: &Step) -> String {
    let message = step.receipt.as_ref().and_then(|receipt| receipt.detail["message"].as_str());
    message.unwrap_or_default().to_owned()
}

/// What a completed step found.
fn result_of<'p>(plan: &'p Plan, id: &str) -> Option<&'p Value> {
    let step = plan.steps.iter().find(|step| step.id == id && step.status == StepStatus::Completed)?;
    step.receipt.as_ref().map(|receipt| &receipt.detail)
}

/// Whether a step waits, directly or through others, for one of this status.
fn waits_for(plan: &Plan, at: usize, status: StepStatus) -> bool {
    let mut open: Vec<&String> = plan.steps[at].depends_on.iter().collect();
    let mut seen: Vec<&String> = Vec::new();
    while let Some(id) = open.pop() {
        let Some(step) = plan.steps.iter().find(|step| step.id == *id).filter(|_| !seen.contains(&id)) else {
            continue;
        };
        if step.status == status {
            return true;
        }
        seen.push(id);
        open.extend(&step.depends_on);
    }
    false
}

/// Whether another way may be planned in place of a step that failed: not where somebody refused it, and not where nobody
/// knows whether it was done.
fn may_be_replaced(step: &Step) -> bool {
    let Some(receipt) = step.receipt.as_ref().filter(|_| step.status == StepStatus::Failed) else {
        return false;
    };
    receipt.detail["error"] != error_code::FORBIDDEN
        && receipt.detail["interrupted"] != true
        && !receipt.changed
}

/// Whether a later call of the same tool did what this step could not.
fn is_mended(plan: &Plan, at: usize) -> bool {
    let later = |step: &Step| step.tool == plan.steps[at].tool && step.status == StepStatus::Completed;
    plan.steps[at].receipt.is_some() && plan.steps.iter().skip(at + 1).any(later)
}

fn is_ready(plan: &Plan, step: &Step) -> bool {
    let completed =
        |id: &String| plan.steps.iter().any(|step| step.id == *id && step.status == StepStatus::Completed);
    step.status == StepStatus::Pending && step.depends_on.iter().all(completed)
}

/// The steps that begin now: all that may run beside others, or one alone.
fn next(plan: &Plan) -> Vec<usize> {
    let ready: Vec<usize> = (0..plan.steps.len()).filter(|&at| is_ready(plan, &plan.steps[at])).collect();
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
            only_if: None,
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
