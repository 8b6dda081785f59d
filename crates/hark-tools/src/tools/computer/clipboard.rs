//! `clipboard.*`: the text in the desktop's clipboard.

use crate::clipboard::{ClipboardError, MAX_CHARS};
use crate::tools::args::Args;
use crate::tools::outcome::{Failure, Outcome, Prepared, blocking};
use crate::tools::services::Services;
use hark_core::tool::{error_code, reason};
use serde_json::json;
use std::sync::Arc;

/// Whether there is a desktop.
pub fn ready(services: &Services) -> Result<(), Failure> {
    services.clipboard.ready().map_err(Failure::from)
}

/// `clipboard.read`.
pub fn read(services: &Arc<Services>, _args: &Args) -> Result<Prepared, Failure> {
    let clipboard = Arc::clone(&services.clipboard);
    Ok(blocking(move || {
        let whole = clipboard.read()?;
        let text: String = whole.chars().take(MAX_CHARS).collect();
        let truncated = text.len() < whole.len();
        Ok(Outcome::answer(
            json!({"text": text, "characters": whole.chars().count(), "truncated": truncated}),
        ))
    }))
}

/// `clipboard.write`.
pub fn write(services: &Arc<Services>, args: &Args) -> Result<Prepared, Failure> {
    let (clipboard, text) = (Arc::clone(&services.clipboard), args.owned("text").unwrap_or_default());
    Ok(blocking(move || {
        clipboard.write(&text)?;
        Ok(Outcome::new(true, json!({"characters": text.chars().count()})))
    }))
}

impl From<ClipboardError> for Failure {
    fn from(error: ClipboardError) -> Self {
        let message = error.to_string();
        match error {
            ClipboardError::None(_) => Self::new(error_code::NOT_CONFIGURED, message)
                .because(reason::NO_DESKTOP)
                .fix("run Hark inside a desktop session, so that DISPLAY is set"),
            ClipboardError::NoText => Self::new(error_code::NOT_FOUND, message).fix("copy a text first"),
            ClipboardError::Broken(_) => {
                Self::new(error_code::FAILED, message).fix("look whether the desktop still runs")
            }
        }
    }
}
