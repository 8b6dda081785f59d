//! The handlers, one for each operation: read the request, call the API port, answer with objects of [`wire`](super::wire).

use super::access::guard::Operator;
use super::api_error::ApiError;
use super::server_state::SharedState;
use super::wire::{self, Event};
use super::{ask, request_input, turn_summary};
use axum::Json;
use axum::extract::{Path, Request, State};
use axum::http::header::CONTENT_TYPE;
use axum::http::{StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use hark_core::api::{House, KeptTurn};
use hark_core::memory::WhichFacts;
use hark_core::{TimerId, TurnId};
use hark_telemetry::metrics::{self, Exposition};
use serde_json::Value;

/// Turns in one answer, at most and when nothing is said.
const MAX_TURNS: u32 = 200;
const DEFAULT_TURNS: u32 = 20;
/// Facts in one answer.
const MAX_FACTS: usize = 1000;

type Answer<T> = Result<Json<T>, ApiError>;

pub(super) async fn health(State(app): State<SharedState>) -> Json<wire::Health> {
    Json(app.api.health().into())
}

pub(super) async fn metrics(State(app): State<SharedState>) -> Response {
    let mut text = Exposition::from(app.api.metrics().await);
    app.metrics.expose(&mut text, app.open_sockets());
    ([(CONTENT_TYPE, metrics::CONTENT_TYPE)], String::from(text)).into_response()
}

pub(super) async fn openapi(State(app): State<SharedState>) -> Response {
    ([(CONTENT_TYPE, "application/json")], (app.openapi)()).into_response()
}

pub(super) async fn turns(State(app): State<SharedState>, uri: Uri) -> Answer<wire::Turns> {
    let [limit, before] = request_input::query(&uri, ["limit", "before"])?;
    let most = match limit.map(|limit| limit.parse::<u32>()) {
        None => DEFAULT_TURNS,
        Some(Ok(limit)) if (1..=MAX_TURNS).contains(&limit) => limit,
        Some(_) => {
            let fix = format!("use 1 to {MAX_TURNS}");
            return Err(ApiError::bad_request("`limit` is not a number of turns", fix));
        }
    };
    // One more than is told: then it is known whether that was all.
    let found = app.api.turns(most + 1, before.map(TurnId)).await?;
    let mut found = found.ok_or_else(|| {
        ApiError::not_found("there is no turn `before`", "use the `next` of an answer, or the id of a turn")
    })?;
    let more = found.len() > most as usize;
    found.truncate(most as usize);
    let next = found.last().filter(|_| more).map(|turn| turn.id.0.clone());
    Ok(Json(wire::Turns { turns: found.iter().map(short).collect(), next }))
}

pub(super) async fn turn(State(app): State<SharedState>, Path(id): Path<String>) -> Answer<wire::Turn> {
    let turn = kept(&app, id).await?;
    Ok(Json(wire::Turn { summary: short(&turn), events: turn.events.into_iter().map(Event).collect() }))
}

pub(super) async fn turn_audio(
    State(app): State<SharedState>,
    Path(id): Path<String>,
) -> Result<Response, ApiError> {
    let turn = kept(&app, id).await?;
    let sound = app.api.sound(turn.id).await?.ok_or_else(|| {
        ApiError::new(
            StatusCode::NOT_FOUND,
            "not_recorded",
            "no sound of this turn is kept",
            "`journal.record_audio = true` keeps what is said from then on; what is typed has no sound",
        )
    })?;
    Ok(([(CONTENT_TYPE, "audio/wav")], sound).into_response())
}

pub(super) async fn kept(app: &SharedState, id: String) -> Result<KeptTurn, ApiError> {
    let found = app.api.turn(TurnId(id)).await?;
    found.ok_or_else(|| {
        ApiError::not_found("there is no turn of this id", "see /api/v1/turns; old ones are forgotten")
    })
}

fn short(turn: &KeptTurn) -> wire::TurnSummary {
    turn_summary::of(&turn.id.0, &turn.at, &turn.session, &turn.events)
}

pub(super) async fn entities(State(app): State<SharedState>, uri: Uri) -> Answer<wire::Entities> {
    let [area, domain] = request_input::query(&uri, ["area", "domain"])?;
    Ok(Json(wire::Entities::of(&app.api.home(), area.as_deref(), domain.as_deref())))
}

pub(super) async fn timers(State(app): State<SharedState>) -> Answer<wire::Timers> {
    let timers = app.api.timers().await?;
    Ok(Json(wire::Timers { timers: timers.into_iter().map(wire::Timer::from).collect() }))
}

pub(super) async fn cancel_timer(
    State(app): State<SharedState>,
    Path(id): Path<String>,
) -> Answer<wire::Timer> {
    match app.api.cancel_timer(TimerId(id)).await? {
        Some(timer) => Ok(Json(timer.into())),
        None => Err(ApiError::not_found("there is no timer of this id", "see /api/v1/timers")),
    }
}

pub(super) async fn memory(State(app): State<SharedState>, uri: Uri) -> Answer<wire::Memory> {
    let [words, about, history] = request_input::query(&uri, ["words", "about", "history"])?;
    let which = match (words, about, history.as_deref()) {
        (None, None, None | Some("false")) => WhichFacts::Current,
        (None, None, Some("true")) => WhichFacts::Ended,
        (Some(words), None, None | Some("false")) => WhichFacts::WithWords(words),
        (None, Some(whom), None | Some("false")) => WhichFacts::About(whom),
        _ => {
            let fix = "give one of words=…, about=… and history=true";
            return Err(ApiError::bad_request("the parameters do not go together", fix));
        }
    };
    let facts = app.api.facts(which, MAX_FACTS).await?;
    Ok(Json(wire::Memory { facts: facts.into_iter().map(wire::Fact::from).collect() }))
}

pub(super) async fn told_of(State(app): State<SharedState>) -> Answer<wire::ToldOf> {
    let entities = app.api.told_of(MAX_FACTS).await?;
    Ok(Json(wire::ToldOf { entities: entities.into_iter().map(wire::ToldOfOne::from).collect() }))
}

pub(super) async fn forget(
    State(app): State<SharedState>,
    Path(id): Path<String>,
) -> Result<StatusCode, ApiError> {
    let missing = || ApiError::not_found("there is nothing remembered of this id", "see /api/v1/memory");
    let id: i64 = id.parse().map_err(|_| missing())?;
    if app.api.forget(id).await? { Ok(StatusCode::NO_CONTENT) } else { Err(missing()) }
}

pub(super) async fn config(State(app): State<SharedState>) -> Json<wire::Configuration> {
    let config = match app.api.configuration() {
        Value::Object(sections) => sections,
        _ => serde_json::Map::new(),
    };
    Json(wire::Configuration { config })
}

pub(super) async fn say(State(app): State<SharedState>, request: Request) -> Answer<wire::Said> {
    let request: wire::SayRequest = request_input::json(request, &app).await?;
    let text = request_input::text("text", &request.text)?;
    Ok(Json(wire::Said { spoken: app.api.say(&text)? }))
}

pub(super) async fn ask(State(app): State<SharedState>, request: Request) -> Answer<wire::Turn> {
    let operator = request.extensions().get::<Operator>().copied().unwrap_or_default();
    // The place is given back with the answer: until then the pictures are in memory.
    let (request, _place) = request_input::ask_request(request, &app).await?;
    Ok(Json(ask::ask(&app, request, operator).await?))
}

/// Everything that `hark home` shows.
pub(super) async fn own_home(State(app): State<SharedState>) -> Json<House> {
    Json(app.api.house())
}

pub(super) async fn api() -> Json<wire::Addresses> {
    Json(wire::Addresses {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        openapi: "/api/v1/openapi.json".to_owned(),
        websocket: "/ws".to_owned(),
    })
}
