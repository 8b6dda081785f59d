//! `script.list` and `script.run`: the owner's scripts, of a folder that is allowed.

use super::shell::outcome;
use crate::scripts::ScriptError;
use crate::tools::args::Args;
use crate::tools::outcome::{Failure, Outcome, Prepared, blocking};
use crate::tools::services::Services;
use hark_core::tool::{error_code, reason::Part};
use hark_home::permission_gate::Danger;
use serde_json::json;
use std::sync::Arc;

/// Whether there is a folder.
pub fn ready(services: &Services) -> Result<(), Failure> {
    if services.scripts.is_open() { Ok(()) } else { Err(ScriptError::NoFolder.into()) }
}

/// `script.list`.
pub fn list(services: &Arc<Services>, _args: &Args) -> Result<Prepared, Failure> {
    let scripts = services.scripts.clone();
    Ok(blocking(move || {
        let names: Vec<String> = scripts.list()?.into_iter().map(|script| script.name).collect();
        Ok(Outcome::answer(json!({"count": names.len(), "scripts": names})))
    }))
}

/// `script.run`.
pub fn run(services: &Arc<Services>, args: &Args) -> Result<Prepared, Failure> {
    let script = services.scripts.find(args.text("name").unwrap_or_default())?;
    let (program, words) = script.command(&args.texts("args"), services.scripts.mac())?;
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let call = services.shell.script(&program, &words)?;
    let shown = call.shown();
    // By voice only the name is told; with arguments, all of it.
    let danger = if args.texts("args").is_empty() {
        let danger = Danger::new("shell", "script.run", format!("script {}", script.name));
        danger.told("script", json!({"script": script.name}))
    } else {
        let danger = Danger::new("shell", "script.run", format!("command {shown}"));
        danger.told("command", json!({"command": shown}))
    };
    let shell = services.shell.clone();
    Ok(Prepared::Gated(
        danger,
        Box::pin(async move {
            let ran = shell.run(call).await?;
            let done = outcome(&shown, ran)?;
            let mut detail = done.detail;
            detail.insert("name".into(), json!(script.name));
            Ok(Outcome { detail, ..Outcome::new(true, json!({})) })
        }),
    ))
}

impl From<ScriptError> for Failure {
    fn from(error: ScriptError) -> Self {
        let message = error.to_string();
        let failure = |code| Self::new(code, message.clone());
        match error {
            ScriptError::NoFolder => Self::not_set_up(Part::Scripts, message)
                .fix("name one: tools.scripts_folder = \"~/.config/hark/scripts\""),
            ScriptError::Unreadable(..) => failure(error_code::FAILED).fix("correct tools.scripts_folder"),
            ScriptError::NotFound(_) => failure(error_code::NOT_FOUND)
                .fix("put it into tools.scripts_folder, executable, and so that only you can change it"),
            ScriptError::Ambiguous(..) => failure(error_code::AMBIGUOUS),
            ScriptError::NoArguments(_) => failure(error_code::BAD_ARGUMENT),
            ScriptError::Mac(error) => error.into(),
        }
    }
}
