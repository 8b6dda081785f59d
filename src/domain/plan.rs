//! Plans: several steps that serve one request.

use super::intent::Slots;
use super::tool::Receipt;
use serde::{Deserialize, Serialize};

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
    /// Arguments of the tool.
    #[serde(default)]
    pub args: Slots,
    /// It may run beside others.
    #[serde(default)]
    pub can_parallel: bool,
    /// Ids of steps that must be completed before.
    #[serde(default)]
    pub depends_on: Vec<String>,
    /// Where it stands.
    #[serde(default = "pending")]
    pub status: StepStatus,
    /// What its tool answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub receipt: Option<Receipt>,
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
}
