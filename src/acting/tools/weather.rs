//! `weather.get`: the weather of the configured place, now.

use super::args::Args;
use super::outcome::{Failure, Outcome, Prepared};
use super::parts::Parts;
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// `weather.get`.
pub fn get(parts: &Arc<Parts>, _args: &Args) -> Result<Prepared, Failure> {
    let (weather, timeout) = (parts.weather.clone(), parts.timeout);
    Ok(Prepared::Work(Box::pin(async move {
        let now = weather.now(timeout).await?;
        let mut detail = Map::new();
        detail.insert("temperature".into(), json!(now.temperature));
        detail.insert("unit".into(), json!(now.unit));
        detail.insert("condition".into(), json!(now.condition));
        if let Some(speed) = now.wind_speed {
            detail.insert("wind_speed".into(), json!(speed));
            detail.insert("wind_unit".into(), json!(now.wind_unit.unwrap_or_else(|| "km/h".into())));
        }
        Ok(Outcome::answer(Value::Object(detail)))
    })))
}
