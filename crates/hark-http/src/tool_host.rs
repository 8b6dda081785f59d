//! Hark's tools for other programs and the page: a call is the typed command `/tool` in a conversation, so that it has a turn,
//! passes the gate and is asked about as any request is. The owner's socket has the same for `hark mcp serve`. What only looks
//! passes the gate without a turn where the page asks for it.

use super::api_error::ApiError;
use super::ask::{self, Said};
use super::request_input;
use super::server_state::SharedState;
use super::wire::Turn;
use axum::Json;
use axum::extract::{Path, Request, State};
use hark_core::inspection::ToolState;
use hark_core::session::session_name;
use hark_core::tool::error_code;
use hark_core::tool_host::{HostAnswer, HostFuture, HostQuestion, ToolHost};
use hark_core::{Fault, FaultKind, Risk, Slots};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

/// How a turn ends that waits for a yes or the PIN.
const AWAITS: &str = "awaiting_approval";

/// See the module.
pub(super) struct Host(pub(super) SharedState);

impl ToolHost for Host {
    fn tools(&self) -> HostFuture<Vec<ToolState>> {
        let tools = self.0.api.served_tools();
        Box::pin(async move { Ok(tools) })
    }

    fn call(&self, conversation: &str, tool: &str, args: Slots) -> HostFuture<HostAnswer> {
        let (app, conversation, tool) = (self.0.clone(), conversation.to_owned(), tool.to_owned());
        Box::pin(async move { called(&app, &conversation, &tool, args).await.map_err(fault) })
    }

    fn answer(&self, conversation: &str, yes: bool) -> HostFuture<HostAnswer> {
        let (app, conversation) = (self.0.clone(), conversation.to_owned());
        Box::pin(async move { answered(&app, &conversation, yes).await.map_err(fault) })
    }
}

/// A call as `hark mcp serve` sends it.
#[derive(Debug, Deserialize)]
pub(super) struct Call {
    conversation: String,
    tool: String,
    args: Slots,
}

/// A yes or no as it sends it.
#[derive(Debug, Deserialize)]
pub(super) struct Answer {
    conversation: String,
    yes: bool,
}

/// What a tool is called with.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct CallRequest {
    /// As the tool's schema in `/api/v1/tools` has them.
    #[serde(default)]
    args: Map<String, Value>,
    /// The conversation its turn belongs to; one of its own when missing.
    #[serde(default)]
    session_id: Option<String>,
}

/// What is asked before a call is carried out.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum AskedWord {
    Nothing,
    /// A yes, in the same conversation.
    Yes,
    /// The PIN, in the same conversation.
    Pin,
}

/// What a call came to.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct CallResult {
    /// It was carried out; else `detail` has `error`, `message` and mostly `fix`.
    ok: bool,
    /// What the receipt says: the fields the tool answers with. Often text from outside the house.
    detail: Map<String, Value>,
    asks: AskedWord,
    /// What was said to it; null where there is no turn.
    reply: Option<String>,
    /// Its turn; null for a tool that only looks.
    turn: Option<String>,
}

pub(super) async fn call_tool(
    State(app): State<SharedState>,
    Path(name): Path<String>,
    request: Request,
) -> Result<Json<CallResult>, ApiError> {
    let CallRequest { args, session_id } = request_input::json(request, &app).await?;
    let unknown = || ApiError::not_found("there is no tool of this name", "see /api/v1/tools");
    if app.api.tool_risk(&name).ok_or_else(unknown)? == Risk::Read {
        let receipt = app.api.look(&name, args).await;
        let detail = receipt.detail.as_object().cloned().unwrap_or_default();
        let asks = AskedWord::Nothing;
        return Ok(Json(CallResult { ok: receipt.ok, detail, asks, reply: None, turn: None }));
    }
    let conversation = match &session_id {
        Some(name) => request_input::session(name)?,
        None => format!("{}{}", session_name::API, uuid::Uuid::now_v7()),
    };
    let turn = typed(&app, &conversation, &name, args).await?;
    let HostAnswer { ok, words, detail, asks } = told(&turn);
    let asks = match asks {
        HostQuestion::Nothing => AskedWord::Nothing,
        HostQuestion::Yes => AskedWord::Yes,
        HostQuestion::Pin => AskedWord::Pin,
    };
    let detail = detail.as_object().cloned().unwrap_or_default();
    Ok(Json(CallResult { ok, detail, asks, reply: Some(words), turn: Some(turn.summary.turn) }))
}

pub(super) async fn tools(State(app): State<SharedState>) -> Json<Value> {
    Json(json!({"tools": app.api.served_tools()}))
}

pub(super) async fn call(
    State(app): State<SharedState>,
    request: Request,
) -> Result<Json<HostAnswer>, ApiError> {
    let Call { conversation, tool, args } = request_input::json(request, &app).await?;
    let conversation = request_input::session(&conversation)?;
    Ok(Json(called(&app, &conversation, &tool, args).await?))
}

pub(super) async fn answer(
    State(app): State<SharedState>,
    request: Request,
) -> Result<Json<HostAnswer>, ApiError> {
    let Answer { conversation, yes } = request_input::json(request, &app).await?;
    let conversation = request_input::session(&conversation)?;
    Ok(Json(answered(&app, &conversation, yes).await?))
}

async fn called(
    app: &SharedState,
    conversation: &str,
    tool: &str,
    args: Slots,
) -> Result<HostAnswer, ApiError> {
    if !app.api.served_tools().iter().any(|served| served.name == tool) {
        let message = format!("there is no tool {tool} for other programs");
        let fix = "list the tools; `mcp.serve` says of which kinds they are, `hark doctor` what is missing";
        return Err(ApiError::bad_request(message, fix));
    }
    Ok(told(&typed(app, conversation, tool, args).await?))
}

/// The turn of the typed command.
async fn typed(app: &SharedState, conversation: &str, tool: &str, args: Slots) -> Result<Turn, ApiError> {
    let text = request_input::text("arguments", &format!("/tool {tool} {}", Value::Object(args)))?;
    ask::turn(app, conversation, Said::Words { text, dry_run: false, pictures: Vec::new() }).await
}

/// The caller is not the operator: it may approve calls of its own conversation only.
async fn answered(app: &SharedState, conversation: &str, yes: bool) -> Result<HostAnswer, ApiError> {
    Ok(told(&ask::turn(app, conversation, Said::Answer { yes, operator: false }).await?))
}

/// What the last receipt of a turn says.
fn told(turn: &Turn) -> HostAnswer {
    let receipt = turn.events.iter().rev().find(|event| event.0["event"] == "action");
    let receipt = receipt.map(|event| &event.0["receipt"]);
    let detail = receipt.map_or_else(|| json!({}), |receipt| receipt["detail"].clone());
    let asks = match detail["error"].as_str() {
        _ if turn.summary.outcome.as_deref() != Some(AWAITS) => HostQuestion::Nothing,
        Some(error_code::NEEDS_PIN) => HostQuestion::Pin,
        _ => HostQuestion::Yes,
    };
    HostAnswer {
        ok: receipt.is_some_and(|receipt| receipt["ok"] == true),
        words: turn.summary.reply.clone().unwrap_or_default(),
        detail,
        asks,
    }
}

fn fault(error: ApiError) -> Fault {
    let told = error.to_json();
    let text = |key: &str| told[key].as_str().unwrap_or_default().to_owned();
    Fault::new(FaultKind::BadInput, "mcp", text("message"), text("fix"))
}
