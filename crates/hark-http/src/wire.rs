//! The objects programs get and send; `contracts/openapi.json` is made from them.

use chrono::{DateTime, SecondsFormat};
use hark_core::api::{HealthReport, ModelChoice, PartHealth, PartState, ReportedFault};
use hark_core::calendar::When;
use hark_core::configuration::Mistake;
use hark_core::home::{self, Home};
use hark_core::memory;
use hark_core::ports;
use hark_core::public_event::HarkState;
use hark_core::timer;
use hark_core::{Fault, FaultKind};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Breaks and tabs, no other control characters, and something that is no space (`request_input::text`).
const TEXT_PATTERN: &str = concat!(
    r"^[^\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]*",
    r"[^\s\u0000-\u001f\u007f-\u009f]",
    r"[^\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]*$"
);
/// No control characters (`request_input::session`).
const SESSION_PATTERN: &str = r"^[^\u0000-\u001f\u007f-\u009f]+$";
const MODEL_PATTERN: &str = r"^[^\s\u0000-\u001f\u007f-\u009f]+$";

/// Base64 of a picture: what it begins with in each of the formats, then anything.
const PICTURE_PATTERN: &str = concat!(
    "^(iVBORw0KGg[opqr]|/9j/|R0lGODlh|R0lGODdh|UklGR[g-v][A-Za-z0-9+/]{4}[BFJNRVZdhlptx159]XRUJQ)",
    "[A-Za-z0-9+/]*={0,2}$"
);
/// One word of a list, as the domain writes it.
fn word(value: impl Serialize) -> String {
    let value = serde_json::to_value(value).unwrap_or_default();
    value.as_str().unwrap_or_default().to_owned()
}

pub(super) fn rfc3339(unix_ms: i64) -> Option<String> {
    Some(DateTime::from_timestamp_millis(unix_ms)?.to_rfc3339_opts(SecondsFormat::Millis, true))
}

/// What went wrong, and what to do about it.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Error {
    error: ErrorDetail,
}

/// What went wrong, and what to do about it.
#[derive(Debug, Serialize, JsonSchema)]
struct ErrorDetail {
    /// For programs.
    kind: String,
    /// For people.
    message: String,
    /// What to do; empty when nothing can be done.
    fix: String,
    /// Every mistake, where a change of the configuration is refused.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    mistakes: Vec<MistakeBody>,
}

/// Something that is wrong in a configuration.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub(super) struct MistakeBody {
    /// `section.key`, or what else it is about.
    pub(super) key: String,
    pub(super) message: String,
    /// What to do about it.
    pub(super) fix: String,
}

impl From<Mistake> for MistakeBody {
    fn from(Mistake { key, message, fix }: Mistake) -> Self {
        Self { key, message, fix }
    }
}

/// A part of Hark.
#[derive(Debug, Serialize, JsonSchema)]
struct Part {
    /// Such as `microphone` or `mqtt`.
    name: String,
    /// `well`, `problem`, or `off` when it is not wanted.
    state: PartWord,
    /// What is wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    fault: Option<FaultBody>,
}

/// How a part is.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum PartWord {
    Well,
    Problem,
    Off,
}

/// A fault of a part.
#[derive(Debug, Serialize, JsonSchema)]
struct FaultBody {
    /// `bad_input`, `bad_configuration`, `missing_part`, `unavailable` or `failed`.
    kind: FaultKindWord,
    part: String,
    message: String,
    /// Whether Hark goes on and tries again by itself.
    recoverable: bool,
    fix: String,
}

/// What can be done about a fault.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum FaultKindWord {
    BadInput,
    BadConfiguration,
    MissingPart,
    Unavailable,
    Failed,
}

impl From<Fault> for FaultBody {
    fn from(fault: Fault) -> Self {
        let kind = match fault.kind {
            FaultKind::BadInput => FaultKindWord::BadInput,
            FaultKind::BadConfiguration => FaultKindWord::BadConfiguration,
            FaultKind::MissingPart => FaultKindWord::MissingPart,
            FaultKind::Unavailable => FaultKindWord::Unavailable,
            FaultKind::Failed => FaultKindWord::Failed,
        };
        let Fault { part, message, fix, recoverable, .. } = fault;
        Self { kind, part, message, recoverable, fix }
    }
}

impl From<PartHealth> for Part {
    fn from(part: PartHealth) -> Self {
        let state = match part.state {
            PartState::Well => PartWord::Well,
            PartState::Problem => PartWord::Problem,
            PartState::Off => PartWord::Off,
        };
        Self { name: part.name, state, fault: part.fault.map(FaultBody::from) }
    }
}

/// A fault with its time.
#[derive(Debug, Serialize, JsonSchema)]
struct Reported {
    /// RFC 3339.
    at: String,
    #[serde(flatten)]
    fault: FaultBody,
}

impl From<ReportedFault> for Reported {
    fn from(reported: ReportedFault) -> Self {
        Self { at: reported.at, fault: reported.fault.into() }
    }
}

/// What Hark does.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum StateWord {
    Idle,
    Listening,
    Processing,
    Responding,
    Muted,
    Error,
}

/// How Hark is.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Health {
    /// No part is in trouble.
    ok: bool,
    /// What it does now.
    state: StateWord,
    parts: Vec<Part>,
    /// The last fault of each part that has reported one since the start, the newest first.
    faults: Vec<Reported>,
    version: String,
    /// Seconds since the start.
    uptime_s: f64,
}

impl From<HealthReport> for Health {
    fn from(report: HealthReport) -> Self {
        let HealthReport { state, parts, faults, version, uptime_s } = report;
        let state = match state {
            HarkState::Idle => StateWord::Idle,
            HarkState::Listening => StateWord::Listening,
            HarkState::Processing => StateWord::Processing,
            HarkState::Responding => StateWord::Responding,
            HarkState::Muted => StateWord::Muted,
            HarkState::Error => StateWord::Error,
        };
        Self {
            ok: parts.iter().all(|part| part.state != PartState::Problem),
            state,
            parts: parts.into_iter().map(Part::from).collect(),
            faults: faults.into_iter().map(Reported::from).collect(),
            version,
            uptime_s,
        }
    }
}

/// A public event, as `contracts/events.json` shows each: `event` is its name, and the other fields go with the name.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(transparent)]
pub(super) struct Event(#[schemars(with = "EventFields")] pub(super) Value);

/// What every event has.
#[derive(JsonSchema)]
#[allow(dead_code, reason = "only its schema is used")]
struct EventFields {
    /// Name of the event.
    event: String,
    /// The turn it belongs to, or null.
    turn: Option<String>,
    /// Milliseconds since Hark was started.
    t_ms: f64,
    /// RFC 3339.
    at: String,
}

/// A turn in short.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
pub(super) struct TurnSummary {
    /// Its id.
    pub(super) turn: String,
    /// When it began, RFC 3339.
    pub(super) at: String,
    /// The conversation it belongs to.
    pub(super) session: String,
    /// What was said or typed.
    pub(super) text: Option<String>,
    /// What it was taken for: names of intents, in the order they were said.
    pub(super) intents: Vec<String>,
    /// What was answered.
    pub(super) reply: Option<String>,
    /// Language of the answer, ISO 639-1.
    pub(super) language: Option<String>,
    /// The layer that decided: `instinct`, `direct`, `context`, `template`, `intent`, `llm`.
    pub(super) route: Option<String>,
    /// How it ended: `done`, `failed`, `not_understood`, `awaiting_approval` …
    pub(super) outcome: Option<String>,
    /// Stage times in milliseconds.
    pub(super) timings_ms: Option<Map<String, Value>>,
}

/// Turns, the newest first.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Turns {
    pub(super) turns: Vec<TurnSummary>,
    /// Give it as `before` for the turns that come next; null when there are none.
    pub(super) next: Option<String>,
}

/// A turn with everything that happened in it.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Turn {
    #[serde(flatten)]
    pub(super) summary: TurnSummary,
    pub(super) events: Vec<Event>,
}

/// A thing in the home.
#[derive(Debug, Serialize, JsonSchema)]
struct Entity {
    /// `domain.object`.
    id: String,
    /// The part of the id before the dot.
    domain: String,
    name: String,
    aliases: Vec<String>,
    /// Id of its area.
    area: Option<String>,
    /// Kind within the domain.
    device_class: Option<String>,
    /// Such as `on`; `unavailable` when it cannot be reached.
    state: String,
    attributes: Map<String, Value>,
    /// Where it comes from: `demo`, `homeassistant`, `mqtt`.
    source: String,
}

/// A place in the home.
#[derive(Debug, Serialize, JsonSchema)]
struct Area {
    id: String,
    name: String,
    aliases: Vec<String>,
    /// Id of its floor.
    floor: Option<String>,
}

/// A floor of the home.
#[derive(Debug, Serialize, JsonSchema)]
struct Floor {
    id: String,
    name: String,
    aliases: Vec<String>,
    /// 0 is the ground floor.
    level: i32,
}

/// Things of the home, and its places.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Entities {
    entities: Vec<Entity>,
    areas: Vec<Area>,
    /// All floors.
    floors: Vec<Floor>,
}

impl Entities {
    /// Those of an area (by id or name) and a domain; of all where none is named.
    pub(super) fn of(home: &Home, area: Option<&str>, domain: Option<&str>) -> Self {
        let lower = area.map(str::to_lowercase);
        let is_meant = |area: &home::Area| {
            lower.as_ref().is_none_or(|it| area.id.to_lowercase() == *it || area.name.to_lowercase() == *it)
        };
        let meant: Vec<&home::Area> = home.areas.iter().filter(|area| is_meant(area)).collect();
        let in_area = |entity: &home::Entity| {
            area.is_none() || entity.area.as_ref().is_some_and(|id| meant.iter().any(|area| area.id == *id))
        };
        let entities = home.entities.iter().filter(|entity| in_area(entity));
        let entities = entities.filter(|entity| domain.is_none_or(|domain| entity.id.domain() == domain));
        Self {
            entities: entities.cloned().map(Entity::from).collect(),
            areas: meant.into_iter().cloned().map(Area::from).collect(),
            floors: home.floors.iter().cloned().map(Floor::from).collect(),
        }
    }
}

impl From<home::Area> for Area {
    fn from(area: home::Area) -> Self {
        let home::Area { id, name, aliases, floor } = area;
        Self { id, name, aliases, floor }
    }
}

impl From<home::Floor> for Floor {
    fn from(floor: home::Floor) -> Self {
        let home::Floor { id, name, aliases, level } = floor;
        Self { id, name, aliases, level }
    }
}

impl From<home::Entity> for Entity {
    fn from(entity: home::Entity) -> Self {
        let domain = entity.id.domain().to_owned();
        let home::Entity { id, name, aliases, area, device_class, state, attributes, source } = entity;
        Self { id: id.0, domain, name, aliases, area, device_class, state, attributes, source }
    }
}

/// A timer, an alarm or a reminder.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Timer {
    id: String,
    /// `timer`, `alarm`, `reminder` or `command`.
    kind: String,
    /// What it is called; of a reminder what to say, of a command the request.
    name: Option<String>,
    /// Area it was set in.
    area: Option<String>,
    /// `running`, `paused` or `ringing`.
    state: String,
    /// Length first asked for, in milliseconds.
    duration_ms: u64,
    /// When it was set, RFC 3339.
    created_at: Option<String>,
    /// When it rings, RFC 3339; null while it is paused.
    due_at: Option<String>,
    /// What is left while it is paused, in milliseconds.
    remaining_ms: Option<u64>,
    /// When it comes again: a rule of RFC 5545, or a line of cron.
    recurrence: Option<String>,
}

impl From<timer::Timer> for Timer {
    fn from(timer: timer::Timer) -> Self {
        let is_paused = timer.state == timer::TimerState::Paused;
        Self {
            kind: word(timer.kind),
            state: word(timer.state),
            created_at: rfc3339(timer.created_unix_ms),
            due_at: rfc3339(timer.due_unix_ms).filter(|_| !is_paused),
            remaining_ms: is_paused.then_some(timer.remaining_ms),
            id: timer.id.0,
            name: timer.name,
            area: timer.area,
            duration_ms: timer.duration_ms,
            recurrence: timer.recurrence,
        }
    }
}

/// Everything that is due.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Timers {
    pub(super) timers: Vec<Timer>,
}

/// Something the household asked to remember.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Fact {
    id: i64,
    /// In the words it was told.
    text: String,
    /// When, RFC 3339.
    told_at: Option<String>,
    /// The statement in the second person, where a rule reads one.
    told: Option<String>,
    /// The day that is meant by words such as "next tuesday", or the first of several, with the time where one was said:
    /// `2026-12-01`, `2026-12-01T10:00:00`.
    date: Option<String>,
    /// It comes again on that day every year.
    yearly: bool,
    /// `owner`, or `unknown`: somebody in the room or on the broker.
    speaker: String,
    /// How sure it is, 0 to 1; 1 for what Hark was asked to remember.
    sure: f32,
    /// The turn it was told in.
    turn: Option<String>,
    /// It is kept from those who are not known where `memory.private` is on.
    private: bool,
    /// What a rule has read in it.
    statement: Option<FactStatement>,
    /// Since when it is not so any more, RFC 3339.
    ended_at: Option<String>,
    /// The fact that took its place.
    replaced_by: Option<i64>,
}

/// A subject, a typed relation, an object.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct FactStatement {
    /// Name of whom or what it is about; empty: whoever told it.
    subject: String,
    /// Type of the relation, such as `spouse`.
    relation: String,
    /// What tells relations of a type apart: `colour` of a favourite colour.
    qualifier: String,
    /// The other end.
    object: String,
}

/// A day, with the time of day where that was said.
fn begins(when: When) -> String {
    match when.has_time() {
        true => when.start().format("%Y-%m-%dT%H:%M:%S").to_string(),
        false => when.start().date().to_string(),
    }
}

impl From<ports::Fact> for Fact {
    fn from(fact: ports::Fact) -> Self {
        let statement = fact.statement.map(|it| FactStatement {
            subject: it.subject.name,
            relation: it.relation,
            qualifier: it.qualifier,
            object: it.object,
        });
        Self {
            id: fact.id,
            text: fact.text,
            told_at: rfc3339(fact.told_unix_ms),
            told: Some(fact.told).filter(|told| !told.is_empty()),
            yearly: fact.time.as_ref().is_some_and(|time| time.yearly),
            date: fact.time.as_ref().and_then(memory::SaidTime::when).map(begins),
            speaker: fact.source.speaker.name().to_owned(),
            sure: fact.source.sure,
            turn: fact.source.turn,
            private: fact.source.private,
            statement,
            ended_at: fact.ended_unix_ms.and_then(rfc3339),
            replaced_by: fact.replaced_by,
        }
    }
}

/// Somebody, something or somewhere that facts are about.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct ToldOfOne {
    /// As it was said; empty: whoever speaks.
    name: String,
    /// `person`, `place`, `thing` or `project`.
    kind: String,
    /// Facts about it.
    facts: u64,
}

impl From<(memory::Entity, u64)> for ToldOfOne {
    fn from((entity, facts): (memory::Entity, u64)) -> Self {
        Self { name: entity.name, kind: entity.kind.name().to_owned(), facts }
    }
}

/// Whom and what the household told of, the most frequent first.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct ToldOf {
    pub(super) entities: Vec<ToldOfOne>,
}

/// What the household asked to remember, the newest first.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Memory {
    pub(super) facts: Vec<Fact>,
}

/// The configuration in force: sections with their keys. Secrets are in files, of which only the names are told.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Configuration {
    pub(super) config: Map<String, Value>,
}

/// A text to be said.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct SayRequest {
    /// The text.
    #[schemars(length(min = 1, max = 4096), regex(pattern = TEXT_PATTERN))]
    pub(super) text: String,
}

/// What became of it.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Said {
    /// It is said; false when it is only shown, because it is quiet now or there is no voice.
    pub(super) spoken: bool,
}

/// A picture that goes with a request; all of one request together within `dashboard.max_image_kib` (6 MiB as it comes).
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Image {
    /// Its kind, as the sender has it; what it begins with decides.
    #[schemars(regex(pattern = "^image/(png|jpeg|webp|gif)$"))]
    pub(super) media_type: String,
    /// Its bytes.
    #[schemars(length(min = 4), regex(pattern = PICTURE_PATTERN))]
    pub(super) base64: String,
}

/// A typed request.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct AskRequest {
    /// The request.
    #[schemars(length(min = 1, max = 4096), regex(pattern = TEXT_PATTERN))]
    pub(super) text: String,
    /// Name of the conversation it belongs to, so that what is asked back can be answered; a conversation of its own
    /// when there is none.
    #[serde(default)]
    #[schemars(length(min = 1, max = 64), regex(pattern = SESSION_PATTERN))]
    pub(super) session_id: Option<String>,
    /// Find out what it means and do nothing.
    #[serde(default)]
    pub(super) dry_run: bool,
    /// The language model that answers, where one is needed: one that `[llm]` names, or the name of its server. Where there is
    /// none of that name, the reply says which there are.
    #[serde(default)]
    #[schemars(length(min = 1, max = 256), regex(pattern = MODEL_PATTERN))]
    pub(super) model: Option<String>,
    /// Pictures it is about.
    #[serde(default)]
    #[schemars(length(max = 4))]
    pub(super) images: Vec<Image>,
}

/// A model of language.
#[derive(Debug, Serialize)]
pub(super) struct Model {
    name: String,
    provider: String,
    chosen: bool,
}

impl From<ModelChoice> for Model {
    fn from(ModelChoice { name, provider, chosen }: ModelChoice) -> Self {
        Self { name, provider, chosen }
    }
}

/// Where things are.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Addresses {
    pub(super) version: String,
    /// Address of the OpenAPI document.
    pub(super) openapi: String,
    /// Address of the WebSocket.
    pub(super) websocket: String,
}
