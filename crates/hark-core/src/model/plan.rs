//! Plans: several steps that serve one request.

use crate::fault::Fault;
use crate::intent::Slots;
use crate::serde_helpers::is_false;
use crate::tool::{CallId, Receipt};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Where a step stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StepStatus {
    /// Not begun.
    Pending,
    /// Its tool runs, or ran when the power went.
    Running,
    /// Done, with a receipt.
    Completed,
    /// Not done.
    Failed,
    /// Left out, because its condition does not hold.
    Skipped,
}

/// What must hold of the result of an earlier step, for a step to be done.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StepCondition {
    /// Id of the earlier step.
    pub step: String,
    /// Where in its result, names with points between: `temperature`, `entities.0.state`.
    pub field: String,
    /// How the two are compared.
    pub is: Comparison,
    /// With what.
    pub value: Value,
}

/// How a result and a value are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Comparison {
    /// They are the same.
    Equal,
    /// They are not the same.
    Different,
    /// The result is a greater number.
    Above,
    /// The result is a smaller number.
    Below,
    /// The result is a text or a list with the value in it.
    Contains,
}

/// One step.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Step {
    /// Unique within the plan.
    pub id: String,
    /// For people.
    pub description: String,
    /// Name in the tool table.
    pub tool: String,
    /// Arguments of the tool. `${ID.FIELD}` in a text is a value of the result of an earlier step.
    #[serde(default)]
    pub args: Slots,
    /// It may run beside others.
    #[serde(default)]
    pub can_parallel: bool,
    /// Ids of steps that must be completed before.
    #[serde(default)]
    pub depends_on: Vec<String>,
    /// It is done only where this holds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub only_if: Option<StepCondition>,
    /// Where it stands.
    #[serde(default = "pending")]
    pub status: StepStatus,
    /// What its tool answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub receipt: Option<Receipt>,
    /// The call it was begun with; kept before that runs, and the same when it goes on after a restart.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call: Option<CallId>,
}

fn pending() -> StepStatus {
    StepStatus::Pending
}

/// A plan with the state of its steps.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// Unique over the life of the store.
    pub id: String,
    /// For people, one sentence.
    pub summary: String,
    /// In the order they were planned.
    pub steps: Vec<Step>,
    /// Whoever planned it had read text from outside the house.
    #[serde(default, skip_serializing_if = "is_false")]
    pub tainted: bool,
}

/// A plan as it was at a checkpoint.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct KeptPlan {
    /// The plan with its steps as they stood.
    pub plan: Plan,
    /// Name of the conversation it was made in.
    pub session: String,
    /// The request it serves.
    pub request: String,
    /// Number of the checkpoint, from 1.
    pub checkpoint: u32,
    /// When, RFC 3339.
    pub at: String,
    /// Nothing of it is left to do.
    pub finished: bool,
}

/// Where plans are kept. Implemented by `hark-store`. A returned `Ok` means it is on the disk.
pub trait PlanStore: Send + Sync {
    /// Keeps a plan as it is now, as its next checkpoint.
    ///
    /// # Errors
    /// When it could not be written; then the step must not begin.
    fn checkpoint(&self, session: &str, request: &str, plan: &Plan, finished: bool) -> Result<(), Fault>;
    /// A plan as it was at a checkpoint; `None`: at its last one. `Ok(None)` when there is no such plan.
    ///
    /// # Errors
    /// When the database cannot be read.
    fn plan(&self, id: &str, checkpoint: Option<u32>) -> Result<Option<KeptPlan>, Fault>;
    /// Plans that something is left to do of, the oldest first.
    ///
    /// # Errors
    /// When the database cannot be read.
    fn unfinished(&self) -> Result<Vec<KeptPlan>, Fault>;
    /// Every checkpoint of a plan, in order.
    ///
    /// # Errors
    /// When the database cannot be read.
    fn checkpoints(&self, id: &str) -> Result<Vec<KeptPlan>, Fault>;
    /// Keeps what came of a call; what is known of it already stays.
    ///
    /// # Errors
    /// When it could not be written.
    fn keep_receipt(&self, call: &CallId, receipt: &Receipt) -> Result<(), Fault>;
    /// What came of a call; `None` when nobody knows.
    ///
    /// # Errors
    /// When the database cannot be read.
    fn receipt(&self, call: &CallId) -> Result<Option<Receipt>, Fault>;
}
