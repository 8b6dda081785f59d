//! Conversations and the nodes of the house on HTTP: the handlers and their objects.

use super::api_error::ApiError;
use super::request_input;
use super::server_state::SharedState;
use super::wire::rfc3339;
use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use hark_core::session::{KeptExchange, KeptSession};
use schemars::JsonSchema;
use serde::Serialize;

/// Most conversations that are listed, and most requests of one.
const MAX_SESSIONS: usize = 200;
const MAX_REQUESTS: usize = 200;

type Answer<T> = Result<Json<T>, ApiError>;

/// A conversation.
#[derive(Debug, Serialize, JsonSchema)]
struct Session {
    name: String,
    /// When it began, RFC 3339.
    opened_at: Option<String>,
    /// When something was said in it last, RFC 3339.
    used_at: Option<String>,
    /// Requests that are kept of it.
    requests: u64,
}

/// Conversations, the one used last first.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct SessionList {
    sessions: Vec<Session>,
}

/// A request with its reply.
#[derive(Debug, Serialize, JsonSchema)]
struct Exchange {
    /// The turn.
    turn: String,
    /// When it began, RFC 3339.
    at: String,
    request: String,
    /// Empty where nothing was answered.
    reply: String,
}

/// What was said in a conversation, the oldest first.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct SessionHistory {
    name: String,
    said: Vec<Exchange>,
}

/// A node of the house.
#[derive(Debug, Serialize, JsonSchema)]
struct Node {
    /// Its name in topics.
    node: String,
    /// The area it stands in.
    area: Option<String>,
    /// Version of Hark; empty when it does not tell.
    version: String,
    /// It is there.
    online: bool,
    /// It is the one that answers.
    own: bool,
}

/// The nodes of the house on the broker.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Nodes {
    nodes: Vec<Node>,
}

pub(super) async fn list(State(app): State<SharedState>) -> Answer<SessionList> {
    let told = |session: KeptSession| Session {
        name: session.name,
        opened_at: rfc3339(session.opened_unix_ms),
        used_at: rfc3339(session.used_unix_ms),
        requests: session.requests,
    };
    let sessions = app.api.sessions(MAX_SESSIONS).await?;
    Ok(Json(SessionList { sessions: sessions.into_iter().map(told).collect() }))
}

pub(super) async fn read(State(app): State<SharedState>, Path(name): Path<String>) -> Answer<SessionHistory> {
    let name = request_input::session(&name)?;
    let said = app.api.session(&name, MAX_REQUESTS).await?.ok_or_else(missing)?;
    let told = |said: KeptExchange| Exchange {
        turn: said.turn,
        at: said.at,
        request: said.request,
        reply: said.reply,
    };
    Ok(Json(SessionHistory { name, said: said.into_iter().map(told).collect() }))
}

pub(super) async fn clear(
    State(app): State<SharedState>,
    Path(name): Path<String>,
) -> Result<StatusCode, ApiError> {
    let name = request_input::session(&name)?;
    if app.api.clear_session(&name).await? { Ok(StatusCode::NO_CONTENT) } else { Err(missing()) }
}

pub(super) async fn nodes(State(app): State<SharedState>) -> Answer<Nodes> {
    let config = app.api.configuration();
    let own = config["mqtt"]["node"].as_str().unwrap_or_default();
    let nodes = app.api.nodes().await?.into_iter().map(|(card, online)| Node {
        own: card.node == own,
        node: card.node,
        area: card.area,
        version: card.version,
        online,
    });
    Ok(Json(Nodes { nodes: nodes.collect() }))
}

fn missing() -> ApiError {
    ApiError::not_found("there is no conversation of this name", "see /api/v1/sessions")
}
