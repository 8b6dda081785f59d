//! `datetime.time` and `datetime.date`, in the node's own time zone.

use super::args::Args;
use super::outcome::{Failure, Outcome, Prepared};
use super::services::Services;
use chrono::{Datelike, Timelike};
use serde_json::json;
use std::sync::Arc;

/// `datetime.time`.
pub fn time(services: &Arc<Services>, _args: &Args) -> Result<Prepared, Failure> {
    let now = (services.clock)();
    let detail = json!({
        "hour": now.hour(), "minute": now.minute(), "time": now.format("%H:%M").to_string(),
    });
    Ok(Prepared::Answer(Outcome::answer(detail)))
}

/// `datetime.date`: today's, or that of a day that is named. Names are English; replies translate them.
pub fn date(services: &Arc<Services>, args: &Args) -> Result<Prepared, Failure> {
    let today = (services.clock)().date_naive();
    let asked = args.when("when").map(|when| when.start().date());
    let day = asked.unwrap_or(today);
    let mut detail = json!({
        "date": day.format("%Y-%m-%d").to_string(), "weekday": day.format("%A").to_string(),
        "day": day.day(), "month": day.format("%B").to_string(), "year": day.year(),
    });
    if asked.is_some() {
        detail["days_away"] = json!((day - today).num_days());
    }
    Ok(Prepared::Answer(Outcome::answer(detail)))
}
