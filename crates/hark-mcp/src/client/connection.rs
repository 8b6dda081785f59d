//! The life of one connection: start, tell the tools, follow changes, and begin again after a wait that grows.

use super::bounded_lines::BoundedLines;
use super::listing::{self, Listing};
use super::process::{self, Process};
use super::{Server, Trouble};
use hark_config::paths::expand;
use hark_core::external_tools::cleaned;
use hark_net::backoff::{Backoff, Policy};
use rmcp::model::{
    ClientCapabilities, ClientConfig, Implementation, PaginatedRequestParams, ProtocolVersion, Tool,
};
use rmcp::service::{
    ClientInitializeError, ClientLifecycleMode, NotificationContext, Peer, RunningService,
    serve_client_with_lifecycle,
};
use rmcp::transport::async_rw::AsyncRwTransport;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use rmcp::transport::{IntoTransport, StreamableHttpClientTransport};
use rmcp::{ClientHandler, RoleClient};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::Notify;
use tokio::time::timeout;

/// Longest message of a server, bytes. One that sends a longer one is ended.
pub(super) const MAX_MESSAGE_BYTES: usize = 8 * 1024 * 1024;
/// Longest answer that tells of an error, bytes.
const MAX_ERROR_BYTES: usize = 4096;
/// How often the tools are asked for again: a server that has died or hangs is noticed by that, too.
const ASKED_EVERY: Duration = Duration::from_secs(60);
/// The tools are not asked for more often, whatever the server says of changes.
const NOT_BEFORE: Duration = Duration::from_secs(1);
/// A connection that lasted as long is a good one: the next wait is short again.
const STABLE: Duration = Duration::from_secs(30);
/// Most pages of tools that are asked for.
const MAX_PAGES: usize = 16;
/// How long it may take to connect to the address of a server.
const CONNECTS_WITHIN: Duration = Duration::from_secs(10);

type Connection = RunningService<RoleClient, Client>;

/// Connects to a server and reconnects after each failure, until the task is aborted.
pub(super) async fn keep_connected(server: Arc<Server>) {
    let mut backoff = Backoff::new(Policy::CONNECTION);
    loop {
        let trouble = match start(&server).await {
            Ok((connection, changed, process)) => {
                let began = Instant::now();
                let trouble = follow(&server, connection, &changed, process).await;
                if began.elapsed() >= STABLE {
                    backoff.reset();
                }
                trouble
            }
            Err(trouble) => trouble,
        };
        server.fails(trouble);
        tokio::time::sleep(backoff.next_wait()).await;
        server.lock().restarts += 1;
    }
}

/// What a server is told of its client, and what it may tell without being asked.
struct Client {
    changed: Arc<Notify>,
}

impl ClientHandler for Client {
    async fn on_tool_list_changed(&self, _context: NotificationContext<RoleClient>) {
        self.changed.notify_one();
    }

    fn get_info(&self) -> ClientConfig {
        // It can ask nothing of Hark: no model, no person, no folders.
        let client = Implementation::new("hark", env!("CARGO_PKG_VERSION"));
        ClientConfig::new(ClientCapabilities::default(), client)
    }
}

async fn start(server: &Server) -> Result<(Connection, Arc<Notify>, Option<Process>), Trouble> {
    let changed = Arc::new(Notify::new());
    let client = Client { changed: changed.clone() };
    let limit = Duration::from_millis(server.config.start_timeout_ms.into());
    let (connecting, process) = connecting(server, client)?;
    let started = timeout(limit, async {
        let connection = connecting.await?;
        let listing = list(server, connection.peer()).await?;
        Ok::<_, String>((connection, listing))
    });
    match started.await {
        Ok(Ok((connection, listing))) => {
            server.runs(connection.peer(), described(connection.peer()), listing);
            Ok((connection, changed, process))
        }
        Ok(Err(why)) => Err(trouble(server, process.as_ref(), &why).await),
        Err(_) => {
            let why = format!("it does not answer within {} ms", limit.as_millis());
            Err(trouble(server, process.as_ref(), &why).await)
        }
    }
}

type Connecting = std::pin::Pin<Box<dyn Future<Output = Result<Connection, String>> + Send>>;

fn connecting(server: &Server, client: Client) -> Result<(Connecting, Option<Process>), Trouble> {
    if !server.config.url.is_empty() {
        return Ok((Box::pin(connect(client, http(server)?)), None));
    }
    let (process, stdin, stdout) = process::start(&server.name, &server.config)?;
    let stdout = BoundedLines::new(stdout, MAX_MESSAGE_BYTES);
    let transport = AsyncRwTransport::new_client(stdout, stdin).with_max_line_length(MAX_MESSAGE_BYTES);
    Ok((Box::pin(connect(client, transport)), Some(process)))
}

async fn connect<E, A>(
    client: Client,
    transport: impl IntoTransport<RoleClient, E, A>,
) -> Result<Connection, String>
where
    E: std::error::Error + Send + Sync + 'static,
{
    // Newer servers are asked once who they are, older ones greeted first.
    let lifecycle = ClientLifecycleMode::Auto {
        preferred_versions: vec![ProtocolVersion::V_2026_07_28],
        legacy_version: Some(ProtocolVersion::V_2025_11_25),
    };
    serve_client_with_lifecycle(client, transport, lifecycle).await.map_err(|error| not_started(&error))
}

/// The address is the owner's choice and may be private; nothing leads from it to another one.
fn http(server: &Server) -> Result<StreamableHttpClientTransport<reqwest::Client>, Trouble> {
    let bad = |message: String, fix: &str| Trouble { message, fix: fix.to_owned() };
    let client = hark_http_client::builder()
        .pool_max_idle_per_host(0)
        .connect_timeout(CONNECTS_WITHIN)
        .build()
        .map_err(|error| {
            bad(format!("no HTTP client: {error}"), "look at the certificates of this machine")
        })?;
    let mut config = StreamableHttpClientTransportConfig::with_uri(server.config.url.clone())
        .max_json_response_size(MAX_MESSAGE_BYTES)
        .max_sse_event_size(MAX_MESSAGE_BYTES)
        .max_error_response_size(MAX_ERROR_BYTES);
    let file = &server.config.token_file;
    if !file.is_empty() {
        let token = std::fs::read_to_string(expand(file)).map_err(|error| {
            let fix = format!("correct mcp.servers.{}.token_file", server.name);
            bad(format!("the token of the MCP server {} cannot be read: {error}", server.name), &fix)
        })?;
        config = config.auth_header(token.trim().to_owned());
    }
    Ok(StreamableHttpClientTransport::with_client(client, config))
}

/// Follows a connection until it ends; says why it did.
async fn follow(
    server: &Server,
    connection: Connection,
    changed: &Notify,
    process: Option<Process>,
) -> Trouble {
    let peer = connection.peer().clone();
    let limit = Duration::from_millis(server.config.start_timeout_ms.into());
    let ended = connection.waiting();
    tokio::pin!(ended);
    loop {
        tokio::select! {
            _ = &mut ended => return trouble(server, process.as_ref(), "it has ended").await,
            () = changed.notified() => tokio::time::sleep(NOT_BEFORE).await,
            () = tokio::time::sleep(ASKED_EVERY) => {}
        }
        match timeout(limit, list(server, &peer)).await {
            Ok(Ok(listing)) => server.runs(&peer, described(&peer), listing),
            Ok(Err(why)) => return trouble(server, process.as_ref(), &why).await,
            Err(_) => {
                let why = format!("it does not answer within {} ms", limit.as_millis());
                return trouble(server, process.as_ref(), &why).await;
            }
        }
    }
}

/// Its tools, as far as they can be taken.
async fn list(server: &Server, peer: &Peer<RoleClient>) -> Result<Listing, String> {
    let mut tools: Vec<Tool> = Vec::new();
    let mut cursor = None;
    for _ in 0..MAX_PAGES {
        let mut page = PaginatedRequestParams::default();
        page.cursor = cursor;
        let page = peer
            .list_tools(Some(page))
            .await
            .map_err(|error| format!("it tells no tools: {}", plain(&error)))?;
        tools.extend(page.tools);
        cursor = page.next_cursor;
        if cursor.is_none() || tools.len() > listing::MAX_TOOLS {
            break;
        }
    }
    Ok(listing::of(&server.name, &server.config, tools))
}

/// Who it says it is, in one line.
fn described(peer: &Peer<RoleClient>) -> String {
    let Some(info) = peer.peer_info() else { return String::new() };
    let name =
        info.server_info.as_ref().map(|it| format!("{} {}, ", it.name, it.version)).unwrap_or_default();
    cleaned(&format!("{name}protocol {}", info.protocol_version).replace('\n', " "), 120).0
}

/// Why a connection was not made.
fn not_started(error: &ClientInitializeError) -> String {
    match error {
        ClientInitializeError::TransportError { error, .. } => plain(&*error.error),
        ClientInitializeError::LegacyFallbackFailed { fallback, .. } => not_started(fallback),
        other => plain(other),
    }
}

/// The cause of an error, without the names of types around it.
fn plain(error: &(dyn std::error::Error + 'static)) -> String {
    let cause = std::iter::successors(Some(error), |error| error.source()).last();
    cause.map_or_else(String::new, ToString::to_string)
}

async fn trouble(server: &Server, process: Option<&Process>, why: &str) -> Trouble {
    let mut message = format!("the MCP server {}: {}", server.name, cleaned(why, 300).0);
    let Some(process) = process else {
        let fix = format!("is it running? look at mcp.servers.{}.url and token_file", server.name);
        return Trouble { message, fix };
    };
    if let Some(said) = process.last_words().await {
        message.push_str(&format!("; it said: {said}"));
    }
    let fix = format!("try `{}` by hand; correct [mcp.servers.{}]", process.shown(), server.name);
    Trouble { message, fix }
}
