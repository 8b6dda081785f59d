//! Hark as an MCP server: its tools for other programs, on standard input and output or by streamable HTTP. What a call may do
//! is decided behind the port [`ToolHost`]; a call that needs a yes asks the person at the other program where that can ask
//! one, and is refused else. The PIN is never asked for.

use axum::Router;
use hark_core::inspection::ToolState;
use hark_core::session::session_name::API;
use hark_core::tool_host::{HostAnswer, HostQuestion, ToolHost};
use hark_core::{Fault, FaultKind, Risk, Slots};
use rmcp::handler::server::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ElicitRequest,
    ElicitRequestParams, ElicitResult, ElicitationAction, ElicitationSchema, ErrorData, Implementation,
    InputRequest, InputRequiredResult, ListToolsResult, PaginatedRequestParams, ServerCapabilities,
    ServerConfig, Tool, ToolAnnotations,
};
use rmcp::service::{RequestContext, RoleServer, serve_server};
use rmcp::transport::async_rw::AsyncRwTransport;
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Where it is at the dashboard's address.
pub const PATH: &str = "/mcp";
/// What the answer to a question is called.
const YES: &str = "yes";
/// How long a person may think.
const THINKS_FOR: Duration = Duration::from_secs(60);
/// Questions that wait at a time; a further one takes the place of the oldest.
const MAX_OPEN: usize = 64;
/// Longest message that is taken, bytes.
const MAX_BYTES: usize = 64 * 1024;

/// What answers at [`PATH`]: no sessions, an answer a request.
pub fn at_http(host: Arc<dyn ToolHost>) -> Router {
    let server = Hark::new(host);
    // Who may ask, and by which name, has been looked at before, as for every request of the dashboard.
    let config = StreamableHttpServerConfig::default()
        .with_legacy_session_mode(false)
        .with_json_response(true)
        .with_max_request_body_bytes(MAX_BYTES)
        .disable_allowed_hosts()
        .disable_allowed_origins();
    let sessions = Arc::new(NeverSessionManager::default());
    let service = StreamableHttpService::new(move || Ok(server.clone()), sessions, config);
    Router::new().route_service(PATH, service)
}

/// Serves the program at the other end of standard input and output until it hangs up.
///
/// # Errors
/// When it does not speak the protocol.
pub async fn on_stdio(host: Arc<dyn ToolHost>) -> Result<(), Fault> {
    let failed = |error: String| {
        let fix = "this command is started by a program that speaks the Model Context Protocol";
        Fault::new(FaultKind::Failed, "mcp", error, fix)
    };
    let transport =
        AsyncRwTransport::new_server(tokio::io::stdin(), tokio::io::stdout()).with_max_line_length(MAX_BYTES);
    let serving =
        serve_server(Hark::new(host), transport).await.map_err(|error| failed(error.to_string()))?;
    serving.waiting().await.map(drop).map_err(|error| failed(error.to_string()))
}

/// See the module.
#[derive(Clone)]
struct Hark {
    host: Arc<dyn ToolHost>,
    open: Arc<Mutex<BTreeMap<String, Open>>>,
}

/// A call that waits for a yes.
struct Open {
    conversation: String,
    tool: String,
    args: Slots,
    since: Instant,
}

impl Hark {
    fn new(host: Arc<dyn ToolHost>) -> Self {
        Self { host, open: Arc::default() }
    }

    /// A call for the first time.
    async fn call(
        &self,
        tool: String,
        args: Slots,
        context: &RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let conversation = format!("{API}mcp-{}", uuid::Uuid::new_v4().simple());
        let answer = self.host.call(&conversation, &tool, args.clone()).await.map_err(refused)?;
        match answer.asks {
            HostQuestion::Nothing => Ok(told(&answer).into()),
            HostQuestion::Pin => {
                // Nobody answers it here, so nothing waits for it.
                self.host.answer(&conversation, false).await.map_err(refused)?;
                Ok(not_done("It needs the PIN, which is only said or typed to Hark itself.").into())
            }
            HostQuestion::Yes => self.ask(&answer.words, Open::new(conversation, tool, args), context).await,
        }
    }

    /// Asks the person at the other program, by whichever way it has.
    async fn ask(
        &self,
        question: &str,
        open: Open,
        context: &RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let can_ask = context.client_capabilities().is_some_and(|can| can.elicitation.is_some());
        let is_newer = context.protocol_version().is_some_and(|version| !version.has_initialize());
        let schema = ElicitationSchema::builder().required_bool(YES).build_unchecked();
        let params = ElicitRequestParams::FormElicitationParams {
            meta: None,
            message: question.to_owned(),
            requested_schema: schema,
        };
        if can_ask && is_newer {
            let state = self.keep(open);
            let asked = InputRequest::Elicitation(ElicitRequest::new(params));
            let asked = BTreeMap::from([(YES.to_owned(), asked)]);
            return Ok(InputRequiredResult::new(Some(asked), Some(state)).into());
        }
        if can_ask
            && let Ok(said) = context.peer.create_elicitation_with_timeout(params, Some(THINKS_FOR)).await
        {
            return self.answered(&open.conversation, is_yes(&said)).await;
        }
        let words = format!(
            "Nothing was done yet. Hark asks: “{question}” This program cannot ask you; say yes with `hark approve`, \
             or on Hark's page."
        );
        Ok(not_done(&words).into())
    }

    /// What came of an answer.
    async fn answered(&self, conversation: &str, yes: bool) -> Result<CallToolResponse, ErrorData> {
        let answer = self.host.answer(conversation, yes).await.map_err(refused)?;
        Ok(told(&answer).into())
    }

    /// Keeps a call until it is answered; what comes back names it and can be guessed by nobody.
    fn keep(&self, open: Open) -> String {
        let state = uuid::Uuid::new_v4().simple().to_string();
        let mut kept = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() >= MAX_OPEN {
            let oldest = kept.iter().min_by_key(|(_, open)| open.since).map(|(state, _)| state.clone());
            oldest.and_then(|oldest| kept.remove(&oldest));
        }
        kept.insert(state.clone(), open);
        state
    }

    /// The call of this name; it is answered once, and only as it was asked about.
    fn take(&self, state: &str, tool: &str, args: &Slots) -> Option<Open> {
        let mut kept = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        kept.remove(state).filter(|open| open.tool == tool && open.args == *args)
    }
}

impl Open {
    fn new(conversation: String, tool: String, args: Slots) -> Self {
        Self { conversation, tool, args, since: Instant::now() }
    }
}

impl ServerHandler for Hark {
    fn get_info(&self) -> ServerConfig {
        let about = "Hark, a home assistant: the devices of a home, timers, lists and what it was told. \
                     What is dangerous is asked about before it is done.";
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(Implementation::new("hark", env!("CARGO_PKG_VERSION")))
            .with_instructions(about)
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let tools = self.host.tools().await.map_err(refused)?;
        Ok(ListToolsResult::with_all_items(tools.into_iter().map(tool).collect()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let (tool, args) = (request.name.into_owned(), request.arguments.unwrap_or_default());
        let Some(state) = request.request_state else { return self.call(tool, args, &context).await };
        let Some(open) = self.take(&state, &tool, &args) else {
            return Err(ErrorData::invalid_params(
                "no call waits for this answer; call the tool again",
                None,
            ));
        };
        let said = request.input_responses.as_ref().and_then(|all| all.get(YES));
        let said = said.and_then(|said| serde_json::from_value::<ElicitResult>(said.clone()).ok());
        self.answered(&open.conversation, said.is_some_and(|said| is_yes(&said))).await
    }
}

/// Only a yes in so many words is one.
fn is_yes(said: &ElicitResult) -> bool {
    let yes = said.content.as_ref().and_then(|content| content.get(YES)).and_then(Value::as_bool);
    said.action == ElicitationAction::Accept && yes == Some(true)
}

fn tool(state: ToolState) -> Tool {
    let schema: Map<String, Value> = match state.arguments {
        Value::Object(schema) => schema,
        _ => Map::new(),
    };
    let hints = ToolAnnotations::new()
        .read_only(state.risk == Risk::Read)
        .destructive(state.risk == Risk::Dangerous)
        .open_world(false);
    Tool::new(state.name, state.description, Arc::new(schema)).annotate(hints)
}

/// The words of an answer, with the receipt as data.
fn told(answer: &HostAnswer) -> CallToolResult {
    let words = vec![ContentBlock::text(answer.words.clone())];
    let mut result = if answer.ok { CallToolResult::success(words) } else { CallToolResult::error(words) };
    result.structured_content = Some(answer.detail.clone()).filter(Value::is_object);
    result
}

fn not_done(words: &str) -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(words)])
}

fn refused(fault: Fault) -> ErrorData {
    let words =
        if fault.fix.is_empty() { fault.message } else { format!("{} ({})", fault.message, fault.fix) };
    match fault.kind {
        FaultKind::BadInput => ErrorData::invalid_params(words, None),
        _ => ErrorData::internal_error(words, None),
    }
}
