//! What `hark doctor` and `hark devices` say, and the support bundle, on HTTP. The bundle holds no secrets, and nothing that
//! was said: it is built from what is known to be neither, not by taking out what is.

use super::api_error::ApiError;
use super::server_state::SharedState;
use super::wire::Health;
use axum::Json;
use axum::extract::State;
use hark_config::keys::{self, Kind};
use hark_core::inspection::{self, SoundDevice};
use hark_telemetry::metrics::Exposition;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

/// Turns of the support bundle.
const MAX_TURNS: u32 = 100;

/// Longest word that is told of an event.
const MAX_WORD_BYTES: usize = 48;

/// Fields of events that hold words of Hark's own, never those of a person or of the home.
const EVENT_WORDS: [&str; 20] = [
    "at", "category", "decision", "endpoint", "engine", "event", "from", "kind", "language", "mode", "name",
    "outcome", "part", "reason", "route", "state", "status", "to", "tool", "turn",
];

/// Events of which a `name` is that of something the household named.
const NAMING_EVENTS: [&str; 2] = ["timer", "setting"];

/// Keys with texts that say nothing of the house.
const PLAIN_TEXTS: [&str; 8] = [
    "audio.input_device",
    "audio.output_device",
    "dashboard.listen",
    "intent.languages",
    "llm.model",
    "speaking.language",
    "speaking.voice",
    "wake.words",
];

/// Keys with numbers that say where the house is.
const PLACES: [&str; 2] = ["latitude", "longitude"];

/// What one check found.
#[derive(Debug, Serialize, JsonSchema)]
struct Finding {
    /// Such as `microphone`.
    check: String,
    /// It passed.
    ok: bool,
    /// What was found, or what is wrong.
    message: String,
    /// What to do about that; empty when it passed.
    fix: String,
}

/// What the checks found, in their order.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Findings {
    /// All passed.
    ok: bool,
    findings: Vec<Finding>,
}

/// A microphone or a speaker.
#[derive(Debug, Serialize, JsonSchema)]
struct Device {
    /// As `audio.input_device` and `audio.output_device` name it.
    name: String,
    /// What its driver says of it.
    description: String,
    lowest_rate_hz: u32,
    highest_rate_hz: u32,
    channels: u16,
    /// `auto` takes it.
    default: bool,
}

/// The sound devices of this machine.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Devices {
    microphones: Vec<Device>,
    speakers: Vec<Device>,
}

/// What helps somebody else to help: no secrets, nothing that was said, no names of the home.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct SupportBundle {
    version: String,
    health: Health,
    /// What `hark doctor` found; null where it could not look.
    doctor: Option<Findings>,
    /// Keys that are not at their default, by `section.key`; `(set)` where the value could say something of the house.
    configuration: Map<String, Value>,
    /// The last turns, the newest first: what happened when, without texts, arguments and results.
    turns: Vec<Vec<Value>>,
    /// As `/api/v1/metrics` has them.
    metrics: String,
}

pub(super) async fn doctor(State(app): State<SharedState>) -> Result<Json<Findings>, ApiError> {
    Ok(Json(app.api.examine().await?.into()))
}

pub(super) async fn devices(State(app): State<SharedState>) -> Result<Json<Devices>, ApiError> {
    let inspection::SoundDevices { microphones, speakers } = app.api.sound_devices().await?;
    let all = |devices: Vec<SoundDevice>| devices.into_iter().map(Device::from).collect();
    Ok(Json(Devices { microphones: all(microphones), speakers: all(speakers) }))
}

pub(super) async fn support(State(app): State<SharedState>) -> Result<Json<SupportBundle>, ApiError> {
    let health = app.api.health();
    let turns = app.api.turns(MAX_TURNS, None).await?.unwrap_or_default();
    let mut metrics = Exposition::from(app.api.metrics().await);
    app.metrics.expose(&mut metrics, app.open_sockets());
    Ok(Json(SupportBundle {
        version: health.version.clone(),
        health: health.into(),
        doctor: app.api.examine().await.ok().map(Findings::from),
        configuration: told(&app.api.configuration()),
        turns: turns.into_iter().map(|turn| turn.events.iter().map(bare).collect()).collect(),
        metrics: metrics.into(),
    }))
}

/// The configuration as far as it says nothing of the house.
fn told(configuration: &Value) -> Map<String, Value> {
    let mut told = Map::new();
    for key in keys::keys() {
        let Some(value) = configuration.get(&key.section).and_then(|section| section.get(&key.name)) else {
            continue;
        };
        if serde_json::to_value(&key.default).is_ok_and(|default| default == *value) {
            continue;
        }
        let path = key.path();
        let is_plain = match key.kind {
            Kind::Whole { .. } | Kind::Number { .. } => !PLACES.contains(&key.name.as_str()),
            Kind::Flag | Kind::Choice(_) => true,
            Kind::Text | Kind::List => PLAIN_TEXTS.contains(&path.as_str()),
            Kind::File | Kind::Folder | Kind::Tables(_) => false,
        };
        told.insert(path, if is_plain { value.clone() } else { "(set)".into() });
    }
    told
}

/// An event without what a person, a device or a page has said: numbers, flags, and words of Hark's own.
fn bare(event: &Value) -> Value {
    let name = event.get("event").and_then(Value::as_str).unwrap_or_default();
    let is_own =
        |field: &str| EVENT_WORDS.contains(&field) && !(field == "name" && NAMING_EVENTS.contains(&name));
    let fields = event.as_object().into_iter().flatten();
    let kept = fields.filter_map(|(field, value)| {
        let value = match value {
            Value::Bool(_) | Value::Number(_) => value.clone(),
            Value::String(word) if is_own(field) && is_word(word) => value.clone(),
            Value::Object(inner) if field == "timings_ms" => Value::Object(numbers(inner)),
            Value::Object(inner) if field == "receipt" => Value::Object(numbers(inner)),
            _ => return None,
        };
        Some((field.clone(), value))
    });
    Value::Object(kept.collect())
}

fn numbers(fields: &Map<String, Value>) -> Map<String, Value> {
    let plain = fields.iter().filter(|(_, value)| value.is_number() || value.is_boolean());
    plain.map(|(field, value)| (field.clone(), value.clone())).collect()
}

/// A word such as events use, or a time: no text with spaces.
fn is_word(text: &str) -> bool {
    text.len() <= MAX_WORD_BYTES
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-.:+".contains(&byte))
}

impl From<Vec<inspection::Finding>> for Findings {
    fn from(found: Vec<inspection::Finding>) -> Self {
        let ok = found.iter().all(|finding| finding.ok);
        let findings = found.into_iter().map(|finding| {
            let inspection::Finding { check, ok, message, fix } = finding;
            Finding { check, ok, message, fix }
        });
        Self { ok, findings: findings.collect() }
    }
}

impl From<SoundDevice> for Device {
    fn from(device: SoundDevice) -> Self {
        let SoundDevice { name, description, lowest_rate_hz, highest_rate_hz, channels, default } = device;
        Self { name, description, lowest_rate_hz, highest_rate_hz, channels, default }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn events_are_told_without_what_was_said_or_named() {
        let all: Vec<Value> = serde_json::from_str(include_str!("../../../contracts/events.json")).unwrap();
        for event in &all {
            let told = bare(event).to_string().to_lowercase();
            assert_eq!(bare(event)["event"], event["event"]);
            for word in ["kitchen", "pizza", "light.", "turn on", "turned", "milk"] {
                assert!(!told.contains(word), "{word} is in {told}");
            }
        }
        let action = json!({ "event": "action", "tool": "home.unlock", "args": { "name": "Vault" }, "duration_ms": 2.5,
            "receipt": { "id": "1", "ok": true, "changed": false, "detail": { "code": 4711 } } });
        let told = json!({ "event": "action", "tool": "home.unlock", "duration_ms": 2.5,
            "receipt": { "ok": true, "changed": false } });
        assert_eq!(bare(&action), told);
        assert_eq!(
            bare(&json!({ "event": "error", "part": "my own words", "why": "x" })),
            json!({ "event": "error" })
        );
        assert_eq!(bare(&json!("text")), json!({}));
    }

    #[test]
    fn of_the_configuration_only_what_says_nothing_of_the_house_is_told() {
        let configuration = json!({
            "vad": { "threshold": 0.6, "threshold_off": 0.35 },
            "tools": { "latitude": 48.1, "longitude": 11.6 },
            "mqtt": { "url": "mqtt://attic.example:1883", "username": "anna", "password_file": "/home/anna/pw" },
            "speaking": { "voice": "espeak" },
        });
        let told = Value::Object(told(&configuration));
        assert_eq!((&told["vad.threshold"], &told["speaking.voice"]), (&json!(0.6), &json!("espeak")));
        assert_eq!(told["mqtt.password_file"], "(set)");
        assert!(told["vad.threshold_off"].is_null(), "what is at its default is left out");
        for secret in ["anna", "attic", "48.1", "11.6"] {
            assert!(!told.to_string().contains(secret), "{secret} is in {told}");
        }
    }
}
