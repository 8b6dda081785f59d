//! `shell.run`: a program the owner has allowed.

use crate::shell::{ProgramOutput, ShellError};
use crate::tools::args::Args;
use crate::tools::outcome::{Failure, Outcome, Prepared};
use crate::tools::services::Services;
use hark_core::tool::{
    error_code,
    reason::{self, Part},
};
use hark_home::permission_gate::Danger;
use serde_json::json;
use std::sync::Arc;

/// Whether any program is allowed.
pub fn ready(services: &Services) -> Result<(), Failure> {
    if services.shell.is_open() { Ok(()) } else { Err(ShellError::NothingAllowed.into()) }
}

/// `shell.run`.
pub fn run(services: &Arc<Services>, args: &Args) -> Result<Prepared, Failure> {
    let order = services.shell.order(args.text("program").unwrap_or_default(), &args.texts("args"))?;
    let shown = order.shown();
    let danger = Danger::new("shell", "shell.run", format!("command {shown}"));
    let danger = danger.told("command", json!({"command": shown}));
    let shell = services.shell.clone();
    Ok(Prepared::Gated(
        danger,
        Box::pin(async move {
            let ran = shell.run(order).await?;
            outcome(&shown, ran)
        }),
    ))
}

/// What a program that ended badly said goes with the failure.
pub(super) fn outcome(shown: &str, ran: ProgramOutput) -> Result<Outcome, Failure> {
    if let Some(0) = ran.exit_code {
        let detail = json!({
            "command": shown, "exit_code": 0, "stdout": ran.stdout, "stderr": ran.stderr, "truncated": false,
        });
        return Ok(Outcome::new(true, detail));
    }
    let why = match ran.exit_code {
        _ if ran.truncated => "said more than is kept, and was ended".to_owned(),
        Some(code) => format!("ended with exit code {code}"),
        None => "was ended by a signal".to_owned(),
    };
    let complaint = ran.stderr.lines().next().map(|line| format!(": {line}")).unwrap_or_default();
    let failure = Failure::new(error_code::FAILED, format!("{shown} {why}{complaint}")).changed(true);
    let failure = failure.with("command", json!(shown)).with("exit_code", json!(ran.exit_code));
    let failure = failure.with("stdout", json!(ran.stdout)).with("stderr", json!(ran.stderr));
    Err(failure.with("truncated", json!(ran.truncated)))
}

impl From<ShellError> for Failure {
    fn from(error: ShellError) -> Self {
        let message = error.to_string();
        let failure = |code| Self::new(code, message.clone());
        match error {
            ShellError::NothingAllowed => Self::not_set_up(Part::Programs, message)
                .fix("name the programs that may be run: tools.shell_allow = [\"uptime\"]"),
            ShellError::NotAllowed(..) => failure(error_code::FORBIDDEN)
                .because(reason::PROGRAM_NOT_ALLOWED)
                .fix("add the program to tools.shell_allow"),
            ShellError::RunsAnything(_) => failure(error_code::FORBIDDEN)
                .because(reason::PROGRAM_NOT_ALLOWED)
                .fix("take it out of tools.shell_allow"),
            ShellError::NotFound(_) => failure(error_code::NOT_FOUND).fix("install it, or correct its path"),
            ShellError::BadArgument(_) => failure(error_code::BAD_ARGUMENT).with("argument", json!("args")),
            ShellError::Start(..) => failure(error_code::FAILED),
        }
    }
}
