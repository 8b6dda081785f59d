//! `weather.get`: the weather of a day to come from the service; the weather now from a weather entity of the home where
//! one is named or no service is configured, else from the service. Where there is neither, a thermometer tells how warm
//! it is in the area that is asked about.

use super::args::Args;
use super::home::common::target;
use super::outcome::{Failure, Outcome, Prepared};
use super::services::Services;
use super::untrusted_text::is_text;
use crate::weather::WeatherError;
use chrono::NaiveDate;
use hark_core::home::Entity;
use hark_core::ports::HomeView;
use hark_home::select::{Scope, select};
use hark_home::{DeviceError, UNAVAILABLE};
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// Whether there is a service, or a weather entity in the home.
pub fn ready(services: &Services) -> Result<(), Failure> {
    let tells = |entity: &Entity| entity.id.domain() == "weather" || is_thermometer(entity);
    let there = || services.home.registry().home().entities.iter().any(tells);
    if services.weather.is_configured() || there() { Ok(()) } else { Err(WeatherError::NotConfigured.into()) }
}

fn is_thermometer(entity: &Entity) -> bool {
    entity.id.domain() == "sensor" && entity.device_class.as_deref() == Some("temperature")
}

/// `weather.get`.
pub fn get(services: &Arc<Services>, args: &Args) -> Result<Prepared, Failure> {
    let today = (services.clock)().date_naive();
    if let Some(day) = args.when("when").map(|when| when.start().date()).filter(|day| *day != today) {
        return forecast(services, today, day);
    }
    let home = services.home.registry().home();
    let there = home.entities.iter().any(|entity| entity.id.domain() == "weather");
    let mut asked = target(args);
    if asked.name.is_some() || there && !services.weather.is_configured() {
        asked.domain = Some("weather".into());
        // The weather is the same in every room.
        asked.area = None;
        asked.floor = None;
        let entity = select(&home, &asked, Scope::default())?.remove(0);
        return Ok(Prepared::Answer(of_entity(services, &entity)?));
    }
    if asked.area.is_some() && !services.weather.is_configured() {
        (asked.domain, asked.device_class) = (Some("sensor".into()), Some("temperature".into()));
        let thermometer =
            select(&home, &asked, Scope::default()).map_err(|_| WeatherError::NotConfigured)?.remove(0);
        let Ok(temperature) = thermometer.state.parse::<f64>() else {
            return Err(DeviceError::Offline(thermometer.name).into());
        };
        let unit = thermometer.text("unit_of_measurement").unwrap_or("°C");
        return Ok(Prepared::Answer(Outcome::answer(json!({ "temperature": temperature, "unit": unit }))));
    }
    let weather = services.weather.clone();
    Ok(Prepared::Work(Box::pin(async move {
        let now = weather.now().await?;
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

/// The weather of another day, which only the service tells: weather entities have no forecast among their
/// attributes.
fn forecast(services: &Arc<Services>, today: NaiveDate, day: NaiveDate) -> Result<Prepared, Failure> {
    if !services.weather.is_configured() {
        return Err(WeatherError::NoForecast(day).into());
    }
    let weather = services.weather.clone();
    let said = if today.succ_opt() == Some(day) { "tomorrow".into() } else { day.format("%A").to_string() };
    Ok(Prepared::Work(Box::pin(async move {
        let found = weather.on(day).await?;
        let mut detail = json!({
            "temperature": found.high, "unit": found.unit, "condition": found.condition,
            "day": said, "low": found.low, "high": found.high,
        });
        if let Some(chance) = found.rain_chance {
            detail["rain_chance"] = json!(chance);
        }
        Ok(Outcome::answer(detail))
    })))
}

fn of_entity(services: &Services, entity: &Entity) -> Result<Outcome, Failure> {
    if entity.state == UNAVAILABLE {
        return Err(DeviceError::Offline(entity.name.clone()).into());
    }
    let Some(temperature) = entity.number("temperature") else {
        return Err(
            DeviceError::Unsupported { name: entity.name.clone(), what: "tell the temperature" }.into()
        );
    };
    let condition = match services.weather.state_words(&entity.state) {
        Some(said) => said.to_owned(),
        // No condition has so many words: it may be an injected text.
        None if is_text(&entity.state) => {
            let what = "tell the weather";
            return Err(DeviceError::Unsupported { name: entity.name.clone(), what }.into());
        }
        None => entity.state.replace(['-', '_'], " "),
    };
    let mut detail = json!({
        "temperature": temperature, "condition": condition,
        "unit": entity.text("temperature_unit").unwrap_or("°C"),
    });
    if let Some(speed) = entity.number("wind_speed") {
        detail["wind_speed"] = json!(speed);
        detail["wind_unit"] = json!(entity.text("wind_speed_unit").unwrap_or("km/h"));
    }
    Ok(Outcome::answer(detail))
}
