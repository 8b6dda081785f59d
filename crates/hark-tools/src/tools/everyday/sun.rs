//! `datetime.sun`: when the sun rises or sets where the house stands.

use crate::tools::args::Args;
use crate::tools::outcome::{Failure, Outcome, Prepared};
use crate::tools::services::Services;
use chrono::{Days, NaiveDate, Timelike};
use hark_core::automation::SunEvent;
use hark_core::ports::HomeView;
use hark_core::tool::error_code;
use hark_home::automations::{AutomationError, sun};
use serde_json::json;
use std::sync::Arc;

/// `datetime.sun`.
pub fn sun(services: &Arc<Services>, args: &Args) -> Result<Prepared, Failure> {
    let location = services.home.registry().home().location.ok_or(AutomationError::NoLocation)?;
    let now_unix_ms = services.now_unix_ms();
    let zone = services.automations.zone();
    let today = zone.wall(now_unix_ms).date();
    let mut day = args.when("when").map_or(today, |when| when.start().date());
    let event = args.text("event").unwrap_or("sunset");
    let kind = if event == "sunrise" { SunEvent::Sunrise } else { SunEvent::Sunset };
    let on = |day: NaiveDate| {
        sun::unix_ms(location, day, kind).ok_or_else(|| {
            let verb = if event == "sunrise" { "rise" } else { "set" };
            Failure::new(error_code::UNSUPPORTED, format!("the sun does not {verb} here on {day}"))
        })
    };
    let mut at_unix_ms = on(day)?;
    if args.flag("next") == Some(true) && at_unix_ms <= now_unix_ms {
        day = day.checked_add_days(Days::new(1)).unwrap_or(day);
        at_unix_ms = on(day)?;
    }
    let left_minutes = u64::try_from((at_unix_ms - now_unix_ms) / 60_000).unwrap_or(0);
    let at = zone.wall(at_unix_ms);
    Ok(Prepared::Answer(Outcome::answer(json!({
        "event": event,
        "date": day.format("%Y-%m-%d").to_string(),
        "weekday": day.format("%A").to_string(),
        "days_away": (day - today).num_days(),
        "hour": at.hour(),
        "minute": at.minute(),
        "time": at.format("%H:%M").to_string(),
        "over": at_unix_ms <= now_unix_ms,
        "left_hours": left_minutes / 60,
        "left_minutes": left_minutes % 60,
    }))))
}
