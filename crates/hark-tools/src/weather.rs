//! The weather, now or of a day to come, of an Open-Meteo-compatible endpoint (<https://open-meteo.com/en/docs>): asked only when
//! somebody asks, with a time-out and a limit on what is read.

use chrono::NaiveDate;
use hark_config::tools::ToolsConfig;
use hark_core::fault::root_cause;
use hark_http_client::BodyError;
use hark_language::Phrase;
use hark_language::weather::Weather as Words;
use serde::Deserialize;
use std::time::Duration;

/// Time-out of the service, if a tool has as much: the person waits for the answer.
pub const LIMIT_MS: u32 = 10_000;

/// Most of an answer that is read; a current-weather answer has about 600 bytes.
const MAX_BODY_BYTES: usize = 64 * 1024;

/// The weather now.
#[derive(Debug, Clone, PartialEq)]
pub struct WeatherNow {
    /// Temperature, in `unit`.
    pub temperature: f64,
    /// Such as `°C`.
    pub unit: String,
    /// In words, such as "light rain".
    pub condition: &'static str,
    /// In `wind_unit`, when the endpoint tells.
    pub wind_speed: Option<f64>,
    /// Such as `km/h`.
    pub wind_unit: Option<String>,
}

/// The weather of a day.
#[derive(Debug, Clone, PartialEq)]
pub struct WeatherDay {
    /// Lowest temperature, in `unit`.
    pub low: f64,
    /// Highest temperature, in `unit`.
    pub high: f64,
    /// Such as `°C`.
    pub unit: String,
    /// In words, such as "light rain": the worst of the day.
    pub condition: &'static str,
    /// How likely rain or snow is, in percent, when the endpoint tells.
    pub rain_chance: Option<f64>,
}

/// Days that a forecast goes ahead, today included: what Open-Meteo has.
const FORECAST_DAYS: &str = "16";

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WeatherError {
    /// `tools.weather_url` is empty.
    #[error("no weather service is connected")]
    NotConfigured,
    /// The address is not one.
    #[error("the address of the weather service is no http or https address: {0}")]
    BadUrl(String),
    /// The service does not answer.
    #[error("the weather service cannot be reached: {0}")]
    Unreachable(String),
    /// The answer did not come in time.
    #[error("the weather service did not answer in time")]
    Timeout,
    /// The day is over, or too far ahead.
    #[error("there is no forecast for {0}")]
    NoForecast(NaiveDate),
    /// An answer that is not the weather.
    #[error("the weather service gave an answer that cannot be used: {0}")]
    BadAnswer(String),
}

/// Asks for the weather.
#[derive(Debug, Clone)]
pub struct Weather {
    source: Result<Source, WeatherError>,
    words: &'static Words,
}

#[derive(Debug, Clone)]
struct Source {
    client: reqwest::Client,
    url: reqwest::Url,
    limit: Duration,
}

/// The parts of the answer that are used.
#[derive(Deserialize)]
struct Answer {
    current: Current,
    #[serde(default)]
    current_units: Units,
}

#[derive(Deserialize)]
struct Current {
    temperature_2m: f64,
    weather_code: u16,
    wind_speed_10m: Option<f64>,
}

#[derive(Deserialize, Default)]
struct Units {
    temperature_2m: Option<String>,
    wind_speed_10m: Option<String>,
}

/// The same for days: a column for each quantity.
#[derive(Deserialize)]
struct Forecast {
    daily: Daily,
    #[serde(default)]
    daily_units: DailyUnits,
}

#[derive(Deserialize)]
struct Daily {
    time: Vec<NaiveDate>,
    weather_code: Vec<Option<u16>>,
    temperature_2m_max: Vec<Option<f64>>,
    temperature_2m_min: Vec<Option<f64>>,
    #[serde(default)]
    precipitation_probability_max: Vec<Option<f64>>,
}

#[derive(Deserialize, Default)]
struct DailyUnits {
    temperature_2m_max: Option<String>,
}

impl Weather {
    /// Whether a service is configured at all.
    pub fn is_configured(&self) -> bool {
        !matches!(self.source, Err(WeatherError::NotConfigured))
    }

    /// Prepares requests, in a house that speaks `language` (a tag such as `en`); a wrong configuration is reported with
    /// the first request.
    pub fn new(config: &ToolsConfig, language: &str) -> Self {
        Self { source: Source::new(config), words: &hark_language::of(language).weather }
    }

    /// The state of a weather entity in words, when it has other ones than its own.
    pub fn state_words(&self, state: &str) -> Option<&'static str> {
        self.words.states.get(state).map(Phrase::text)
    }

    /// Asks for the weather now.
    ///
    /// # Errors
    /// What is missing, or what the service did.
    pub async fn now(&self) -> Result<WeatherNow, WeatherError> {
        let source = self.source.as_ref().map_err(Clone::clone)?;
        let now = async { read(&source.ask(source.url.clone()).await?, self.words) };
        tokio::time::timeout(source.limit, now).await.unwrap_or(Err(WeatherError::Timeout))
    }

    /// Asks for the weather of a day, as the place counts its days.
    ///
    /// # Errors
    /// As [`Weather::now`]; `NoForecast` for a day the service does not tell about.
    pub async fn on(&self, day: NaiveDate) -> Result<WeatherDay, WeatherError> {
        let source = self.source.as_ref().map_err(Clone::clone)?;
        let mut url = source.url.clone();
        url.query_pairs_mut()
            .append_pair(
                "daily",
                "weather_code,temperature_2m_max,temperature_2m_min,precipitation_probability_max",
            )
            .append_pair("timezone", "auto")
            .append_pair("forecast_days", FORECAST_DAYS);
        let forecast = async { read_day(&source.ask(url).await?, day, self.words) };
        tokio::time::timeout(source.limit, forecast).await.unwrap_or(Err(WeatherError::Timeout))
    }
}

impl Source {
    fn new(config: &ToolsConfig) -> Result<Self, WeatherError> {
        let address = config.weather_url.trim();
        if address.is_empty() {
            return Err(WeatherError::NotConfigured);
        }
        let bad = |why: String| WeatherError::BadUrl(format!("{address} ({why})"));
        let mut url = reqwest::Url::parse(address).map_err(|error| bad(error.to_string()))?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(bad(format!("scheme {}", url.scheme())));
        }
        url.query_pairs_mut()
            .append_pair("latitude", &config.weather_latitude.to_string())
            .append_pair("longitude", &config.weather_longitude.to_string())
            .append_pair("current", "temperature_2m,weather_code,wind_speed_10m");
        let client = hark_http_client::builder()
            .redirect(reqwest::redirect::Policy::limited(3))
            .build()
            .map_err(|error| WeatherError::Unreachable(root_cause(&error)))?;
        let limit = Duration::from_millis(config.timeout_ms.min(LIMIT_MS).into());
        Ok(Self { client, url, limit })
    }

    async fn ask(&self, url: reqwest::Url) -> Result<Vec<u8>, WeatherError> {
        let unreachable = |error: reqwest::Error| WeatherError::Unreachable(root_cause(&error));
        let response = self.client.get(url).send().await.map_err(unreachable)?;
        if !response.status().is_success() {
            return Err(WeatherError::BadAnswer(format!("status {}", response.status())));
        }
        hark_http_client::body(response, MAX_BODY_BYTES).await.map_err(|error| match error {
            BodyError::Broken(error) => unreachable(error),
            BodyError::TooLong(_) => WeatherError::BadAnswer(error.to_string()),
        })
    }
}

/// Temperatures that there are.
fn is_possible(temperature: f64) -> bool {
    (-150.0..=200.0).contains(&temperature)
}

fn short(unit: Option<String>) -> Option<String> {
    unit.filter(|unit| !unit.is_empty() && unit.chars().count() <= 10)
}

fn read_day(body: &[u8], day: NaiveDate, words: &Words) -> Result<WeatherDay, WeatherError> {
    let bad = WeatherError::BadAnswer;
    let Forecast { daily, daily_units } =
        serde_json::from_slice(body).map_err(|error| bad(error.to_string()))?;
    let missing = || WeatherError::NoForecast(day);
    let at = daily.time.iter().position(|known| *known == day).ok_or_else(missing)?;
    let of = |column: &[Option<f64>]| column.get(at).copied().flatten();
    let low = of(&daily.temperature_2m_min).ok_or_else(missing)?;
    let high = of(&daily.temperature_2m_max).ok_or_else(missing)?;
    if !is_possible(low) || !is_possible(high) {
        return Err(bad(format!("temperatures from {low} to {high}")));
    }
    let code = daily.weather_code.get(at).copied().flatten().ok_or_else(missing)?;
    Ok(WeatherDay {
        low,
        high,
        unit: short(daily_units.temperature_2m_max).unwrap_or_else(|| "°C".into()),
        condition: condition(code, words)?,
        rain_chance: of(&daily.precipitation_probability_max).filter(|chance| (0.0..=100.0).contains(chance)),
    })
}

fn read(body: &[u8], words: &Words) -> Result<WeatherNow, WeatherError> {
    let bad = WeatherError::BadAnswer;
    let answer: Answer = serde_json::from_slice(body).map_err(|error| bad(error.to_string()))?;
    let Current { temperature_2m: temperature, weather_code, wind_speed_10m: wind_speed } = answer.current;
    if !is_possible(temperature) {
        return Err(bad(format!("a temperature of {temperature}")));
    }
    let condition = condition(weather_code, words)?;
    Ok(WeatherNow {
        temperature,
        unit: short(answer.current_units.temperature_2m).unwrap_or_else(|| "°C".into()),
        condition,
        wind_speed: wind_speed.filter(|speed| (0.0..=1000.0).contains(speed)),
        wind_unit: short(answer.current_units.wind_speed_10m),
    })
}

/// The words of a code.
fn condition(code: u16, words: &Words) -> Result<&'static str, WeatherError> {
    let known = words.codes.get(&code.to_string());
    known
        .map(Phrase::text)
        .ok_or_else(|| WeatherError::BadAnswer(format!("weather code {code}, without words")))
}

#[cfg(test)]
#[path = "weather_tests.rs"]
mod tests;
