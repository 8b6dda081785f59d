//! `ui.*`: what stands in the windows of this desktop, over AT-SPI or on a Mac. It is text of others; what may not be taken
//! back by its words is asked about first.

use super::weighty::is_weighty;
use crate::tools::args::Args;
use crate::tools::outcome::{Failure, Outcome, Prepared, Work};
use crate::tools::services::Services;
use hark_accessibility::{Accessibility, AccessibilityError, Found};
use hark_core::tool::{
    error_code,
    reason::{self, Part},
};
use hark_home::permission_gate::{Danger, STEP};
use serde_json::{Value, json};
use std::sync::Arc;

/// Most things that are told of a look for something.
const MAX_FOUND: usize = 20;
/// Between the names of a way through menus.
const BETWEEN: char = '>';

/// Whether there is a desktop whose windows can be asked.
pub fn ready(_services: &Services) -> Result<(), Failure> {
    Ok(Accessibility.is_there()?)
}

/// `ui.read`.
pub fn read(_services: &Arc<Services>, args: &Args) -> Result<Prepared, Failure> {
    let program = args.owned("program");
    Ok(Prepared::Work(Box::pin(async move {
        let read = Accessibility.read(program.as_deref()).await?;
        Ok(Outcome::answer(json!({
            "program": read.program, "window": read.window, "text": read.text, "truncated": read.truncated,
        })))
    })))
}

/// `ui.find`.
pub fn find(_services: &Arc<Services>, args: &Args) -> Result<Prepared, Failure> {
    let (text, program) = (args.owned("text").unwrap_or_default(), args.owned("program"));
    Ok(Prepared::Work(Box::pin(async move {
        let found = Accessibility.find(&text, program.as_deref()).await?;
        let told: Vec<Value> = found.iter().take(MAX_FOUND).map(shown).collect();
        Ok(Outcome::answer(json!({"count": found.len(), "found": told})))
    })))
}

/// `ui.click`.
pub fn click(_services: &Arc<Services>, args: &Args) -> Result<Prepared, Failure> {
    let (text, program) = (args.owned("text").unwrap_or_default(), args.owned("program"));
    Ok(Prepared::Look(Box::pin(async move {
        let found = first(Accessibility.find(&text, program.as_deref()).await?, &text)?;
        let danger = danger("ui.click", &found);
        let work: Work = Box::pin(async move {
            Accessibility.press(&found).await?;
            Ok(Outcome::new(true, shown(&found)))
        });
        Ok(Prepared::work(danger, work))
    })))
}

/// `ui.fill`.
pub fn fill(_services: &Arc<Services>, args: &Args) -> Result<Prepared, Failure> {
    let (text, field) = (args.owned("text").unwrap_or_default(), args.owned("field").unwrap_or_default());
    let program = args.owned("program");
    Ok(Prepared::Work(Box::pin(async move {
        let mut found = Accessibility.find(&field, program.as_deref()).await?;
        // Its label is called as the field is.
        found.sort_by_key(|found| !found.element.is_editable);
        let found = first(found, &field)?;
        Accessibility.fill(&found, &text).await?;
        let mut detail = shown(&found);
        detail["text"] = json!(text);
        Ok(Outcome::new(true, detail))
    })))
}

/// `ui.menu`.
pub fn menu(_services: &Arc<Services>, args: &Args) -> Result<Prepared, Failure> {
    let way = [args.text("menu").unwrap_or_default(), args.text("entry").unwrap_or_default()].join(">");
    let way: Vec<String> = way.split(BETWEEN).map(|name| name.trim().to_owned()).collect();
    let program = args.owned("program");
    Ok(Prepared::Look(Box::pin(async move {
        let names: Vec<&str> = way.iter().map(String::as_str).collect();
        let way = Accessibility.menu_entry(&names, program.as_deref()).await?;
        let entry = way.last().cloned();
        let entry = entry.ok_or_else(|| AccessibilityError::Nothing(names.join(" > ")))?;
        let danger = danger("ui.menu", &entry);
        let work: Work = Box::pin(async move {
            Accessibility.go_through(&way).await?;
            Ok(Outcome::new(true, shown(&entry)))
        });
        Ok(Prepared::work(danger, work))
    })))
}

fn first(found: Vec<Found>, text: &str) -> Result<Found, Failure> {
    found.into_iter().next().ok_or_else(|| AccessibilityError::Nothing(text.to_owned()).into())
}

fn danger(tool: &str, found: &Found) -> Option<Danger> {
    let name = || format!("click on “{}” in {}", found.element.name, found.program);
    let parts = || json!({"label": found.element.name, "program": found.program});
    is_weighty(&found.element.name).then(|| Danger::new(STEP, tool, name()).told("element", parts()))
}

fn shown(found: &Found) -> Value {
    json!({
        "name": found.element.name, "kind": found.element.kind, "program": found.program, "window": found.window,
    })
}

impl From<AccessibilityError> for Failure {
    fn from(error: AccessibilityError) -> Self {
        let (message, fix) = (error.to_string(), error.fix());
        let failure = |code| Self::new(code, message.clone());
        let failure = match error {
            AccessibilityError::NoBus(_) => Self::not_set_up(Part::Accessibility, message),
            AccessibilityError::NoWindow(_) | AccessibilityError::Nothing(_) => {
                failure(error_code::NOT_FOUND)
            }
            AccessibilityError::NotPressable(_) | AccessibilityError::NotEditable(_) => {
                failure(error_code::UNSUPPORTED)
            }
            AccessibilityError::Secret => failure(error_code::FORBIDDEN).because(reason::NO_PASSWORDS),
            AccessibilityError::Failed(_) => failure(error_code::FAILED),
            AccessibilityError::Timeout => failure(error_code::TIMEOUT),
            AccessibilityError::Mac(error) => return error.into(),
        };
        if fix.is_empty() { failure } else { failure.fix(fix) }
    }
}
