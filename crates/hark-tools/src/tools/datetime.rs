//! `datetime.time` and `datetime.date`, in the node's own time zone.

use super::args::Args;
use super::outcome::{Failure, Outcome, Prepared};
use super::services::Services;
use chrono::{Datelike, Timelike};
use hark_core::calendar::When;
use hark_core::tool::{error_code, reason};
use hark_home::zone;
use serde_json::json;
use std::sync::Arc;

/// `datetime.time`.
pub fn time(services: &Arc<Services>, args: &Args) -> Result<Prepared, Failure> {
    let here = (services.clock)();
    let told =
        |hour, minute| json!({"hour": hour, "minute": minute, "time": format!("{hour:02}:{minute:02}")});
    let Some(place) = args.text("place") else {
        return Ok(Prepared::Answer(Outcome::answer(told(here.hour(), here.minute()))));
    };
    let unknown = || {
        Failure::new(error_code::NOT_FOUND, format!("the time zone of {place} is not known"))
            .because(reason::NO_TIME_THERE)
            .with("place", json!(place))
    };
    let there = zone::of_place(place).ok_or_else(unknown)?;
    let there = here.with_timezone(&there);
    let mut detail = told(there.hour(), there.minute());
    detail["place"] = json!(place);
    detail["days_away"] = json!((there.date_naive() - here.date_naive()).num_days());
    Ok(Prepared::Answer(Outcome::answer(detail)))
}

/// `datetime.date`: today's, or that of a day that is named, and how far off that is. Names are English; replies translate
/// them.
pub fn date(services: &Arc<Services>, args: &Args) -> Result<Prepared, Failure> {
    let now = (services.clock)().naive_local();
    let (today, when) = (now.date(), args.when("when"));
    let asked = when.map(|when| when.start().date());
    let day = asked.unwrap_or(today);
    let mut detail = json!({
        "date": day.format("%Y-%m-%d").to_string(), "weekday": day.format("%A").to_string(),
        "day": day.day(), "month": day.format("%B").to_string(), "year": day.year(),
    });
    if asked.is_some() {
        detail["days_away"] = json!((day - today).num_days());
    }
    if let Some(When::Moment(at)) = when {
        // Half a minute is a minute.
        let minutes = ((at - now).num_seconds() + 30) / 60;
        detail["left"] = json!({"hours": minutes / 60, "minutes": minutes % 60});
    }
    Ok(Prepared::Answer(Outcome::answer(detail)))
}
