//! `delegate.*` and `workspace.*`: tasks that are handed to an AI command-line program, and the folders they are worked at in.

use super::web::refuse_secrets;
use crate::tools::args::Args;
use crate::tools::outcome::{Failure, Outcome, Prepared, blocking, blocking_work};
use crate::tools::services::Services;
use hark_core::delegation::TaskState;
use hark_core::tool::{error_code, reason::Part};
use hark_delegation::{DelegationError, Requested, TaskView};
use hark_home::permission_gate::{DELEGATE, Danger};
use serde_json::{Value, json};
use std::sync::Arc;

/// Most of a goal that a person is told before they say yes, characters.
const MAX_TOLD: usize = 200;

/// Whether tasks can be begun here.
pub fn can_begin(services: &Services) -> Result<(), Failure> {
    Ok(services.delegation.ready()?)
}

/// Whether there is a folder of workspaces.
pub fn has_workspaces(services: &Services) -> Result<(), Failure> {
    Ok(services.delegation.workspaces().root().map(drop)?)
}

/// `delegate.task`. Asked about, with the goal, the program and the folder.
pub fn task(services: &Arc<Services>, args: &Args) -> Result<Prepared, Failure> {
    services.running_node()?;
    let goal = args.owned("goal").unwrap_or_default();
    // What goes to the program goes to its model, outside of the house.
    refuse_secrets(services, &goal)?;
    let requester = args.requester();
    let requested = Requested {
        to: args.owned("to"),
        workspace: args.owned("workspace"),
        conversation: requester.conversation.clone(),
        language: args.owned("language").unwrap_or_else(|| services.language.clone()),
        goal,
    };
    let (program, workspace) = services.delegation.plan(&requested)?;
    let told: String = requested.goal.chars().take(MAX_TOLD).collect();
    let name = format!("task “{told}” to {program}, in the workspace {workspace}");
    let parts = json!({"goal": told, "program": program, "workspace": workspace});
    let danger = Danger::new(DELEGATE, "delegate.task", name).told("task", parts);
    let delegation = Arc::clone(&services.delegation);
    let work = move || {
        let task = delegation.begin(requested)?;
        Ok(Outcome::new(
            true,
            json!({"program": task.program, "workspace": task.workspace, "goal": task.goal}),
        ))
    };
    Ok(Prepared::Gated(danger, blocking_work(work)))
}

/// `delegate.status`: where the task is, or how the last one ended.
pub fn status(services: &Arc<Services>, _args: &Args) -> Result<Prepared, Failure> {
    let now = services.now_unix_ms() / 1000;
    let detail = match services.delegation.view() {
        None => json!({"state": "none"}),
        Some(task) => shown(&task, now),
    };
    Ok(Prepared::Answer(Outcome::answer(detail)))
}

/// `delegate.answer`: what the task asks is answered.
pub fn answer(services: &Arc<Services>, args: &Args) -> Result<Prepared, Failure> {
    services.running_node()?;
    let answer = args.owned("answer").unwrap_or_default();
    refuse_secrets(services, &answer)?;
    let delegation = Arc::clone(&services.delegation);
    Ok(blocking(move || {
        let task = delegation.answer(&answer)?;
        Ok(Outcome::new(true, json!({"program": task.program, "workspace": task.workspace})))
    }))
}

/// `delegate.stop`.
pub fn stop(services: &Arc<Services>, _args: &Args) -> Result<Prepared, Failure> {
    let delegation = Arc::clone(&services.delegation);
    let now = services.now_unix_ms() / 1000;
    Ok(Prepared::Work(Box::pin(async move {
        let task = delegation.stop().await?;
        Ok(Outcome::new(true, shown(&task, now)))
    })))
}

/// `workspace.list`.
pub fn list(services: &Arc<Services>, _args: &Args) -> Result<Prepared, Failure> {
    let delegation = Arc::clone(&services.delegation);
    Ok(blocking(move || {
        let names = delegation.workspaces().list()?;
        let detail = json!({"count": names.len(), "workspaces": names, "chosen": delegation.chosen()});
        Ok(Outcome::answer(detail))
    }))
}

/// `workspace.choose`.
pub fn choose(services: &Arc<Services>, args: &Args) -> Result<Prepared, Failure> {
    let (delegation, name) = (Arc::clone(&services.delegation), args.owned("name").unwrap_or_default());
    Ok(blocking(move || {
        let before = delegation.chosen();
        let name = delegation.choose(&name)?;
        Ok(Outcome::new(before != name, json!({"name": name})))
    }))
}

/// `workspace.create`; it is chosen, too.
pub fn create(services: &Arc<Services>, args: &Args) -> Result<Prepared, Failure> {
    let (delegation, name) = (Arc::clone(&services.delegation), args.owned("name").unwrap_or_default());
    Ok(blocking(move || Ok(Outcome::new(true, json!({"name": delegation.create(&name)?})))))
}

/// A task as receipts show it.
fn shown(task: &TaskView, now_unix: i64) -> Value {
    let began = i64::try_from(task.began_unix).unwrap_or(now_unix);
    let said = match task.state {
        TaskState::Asking => &task.question,
        TaskState::Done => &task.summary,
        TaskState::Failed => &task.error,
        TaskState::Running | TaskState::Stopped | TaskState::Interrupted => &task.words,
    };
    json!({
        "state": task.state, "goal": task.goal, "program": task.program, "workspace": task.workspace,
        "said": said, "file": task.file, "minutes": (now_unix - began).max(0) / 60, "added": task.changes.added,
        "changed": task.changes.changed, "removed": task.changes.removed, "files": task.changes.files,
    })
}

impl From<DelegationError> for Failure {
    fn from(error: DelegationError) -> Self {
        let failure = |code| Self::new(code, error.to_string());
        let failure = match &error {
            DelegationError::NoWorkspaces | DelegationError::BadRoot(..) => {
                Self::not_set_up(Part::DelegationFolder, error.to_string())
            }
            DelegationError::NoContainer => Self::not_set_up(Part::DelegationContainer, error.to_string()),
            DelegationError::Key(..) => Self::not_set_up(Part::DelegationKey, error.to_string()),
            DelegationError::NoSandbox(_)
            | DelegationError::NoProgram
            | DelegationError::NotInstalled { .. } => Self::not_set_up(Part::Delegation, error.to_string()),
            DelegationError::UnknownProgram(_)
            | DelegationError::UnknownWorkspace(_)
            | DelegationError::NoTask
            | DelegationError::AsksNothing => failure(error_code::NOT_FOUND),
            DelegationError::SeveralWorkspaces(..) => failure(error_code::AMBIGUOUS),
            DelegationError::WorkspaceExists(_) | DelegationError::BadName(_) => {
                failure(error_code::BAD_ARGUMENT)
            }
            DelegationError::Busy(_) | DelegationError::SandboxRefused(..) | DelegationError::Failed(_) => {
                failure(error_code::FAILED)
            }
        };
        match error.fix() {
            fix if fix.is_empty() => failure,
            fix => failure.fix(fix),
        }
    }
}
