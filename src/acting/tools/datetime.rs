//! `datetime.time` and `datetime.date`, in the node's own time zone.

use super::args::Args;
use super::outcome::{Failure, Outcome, Prepared};
use super::parts::Parts;
use chrono::{Datelike, Timelike};
use serde_json::json;
use std::sync::Arc;

/// `datetime.time`.
pub fn time(parts: &Arc<Parts>, _args: &Args) -> Result<Prepared, Failure> {
    let now = (parts.clock)();
    let detail = json!({
        "hour": now.hour(), "minute": now.minute(), "time": now.format("%H:%M").to_string(),
    });
    Ok(Prepared::Answer(Outcome::answer(detail)))
}

/// `datetime.date`. Names are English; replies translate them.
pub fn date(parts: &Arc<Parts>, _args: &Args) -> Result<Prepared, Failure> {
    let now = (parts.clock)();
    let detail = json!({
        "date": now.format("%Y-%m-%d").to_string(), "weekday": now.format("%A").to_string(),
        "day": now.day(), "month": now.format("%B").to_string(), "year": now.year(),
    });
    Ok(Prepared::Answer(Outcome::answer(detail)))
}
