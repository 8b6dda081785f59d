//! MCP servers as a source of tools: each is started beside the program, watched, and started again when it fails. Nothing
//! waits for them: until a server has told its tools there are none of it, and a call says why.

mod answer;
mod bounded_lines;
mod connection;
mod listing;
mod process;
mod schema;

use hark_config::mcp::{McpConfig, McpServer};
use hark_core::Slots;
use hark_core::external_tools::{ExternalFailure, ExternalFuture, ExternalTool, ExternalTools, Trouble};
use hark_core::inspection::{ServerCondition, ServerState};
use hark_core::tool::error_code;
use rmcp::RoleClient;
use rmcp::model::CallToolRequestParams;
use rmcp::service::Peer;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::runtime::Handle;
use tokio::task::JoinHandle;

/// What the names of their tools begin with.
const PREFIX: &str = "mcp.";
/// How often it is looked whether a server has started.
const LOOKED_EVERY: Duration = Duration::from_millis(20);

/// All configured servers. They end with this.
pub struct Servers {
    servers: Vec<Arc<Server>>,
    tasks: Vec<JoinHandle<()>>,
}

/// One server.
struct Server {
    name: String,
    config: McpServer,
    state: Mutex<State>,
}

/// How it is now.
struct State {
    condition: ServerCondition,
    /// Who it says it is, in one line.
    says: String,
    trouble: Option<Trouble>,
    tools: Vec<Arc<ExternalTool>>,
    refused: Vec<String>,
    restarts: u32,
    peer: Option<Peer<RoleClient>>,
}

impl Servers {
    /// Starts every server that is switched on, each in a task of its own; waits for none.
    pub fn start(config: &McpConfig, runtime: &Handle) -> Self {
        let servers: Vec<Arc<Server>> =
            config.servers.iter().map(|(name, server)| Arc::new(Server::new(name, server))).collect();
        let wanted = servers.iter().filter(|server| server.config.enabled);
        let tasks = wanted.map(|server| runtime.spawn(connection::keep_connected(server.clone()))).collect();
        Self { servers, tasks }
    }

    /// How each is.
    pub fn states(&self) -> Vec<ServerState> {
        self.servers.iter().map(|server| server.report()).collect()
    }

    /// Waits until each has told its tools or failed.
    pub async fn all_started(&self) {
        for server in &self.servers {
            server.started().await;
        }
    }

    /// The server that a tool of this name would belong to, and the tool's name there.
    fn of<'n>(&self, tool: &'n str) -> Option<(&Arc<Server>, &'n str)> {
        let (server, tool) = tool.strip_prefix(PREFIX)?.split_once('.')?;
        Some((self.servers.iter().find(|known| known.name == server)?, tool))
    }
}

impl Drop for Servers {
    fn drop(&mut self) {
        self.tasks.iter().for_each(JoinHandle::abort);
    }
}

impl ExternalTools for Servers {
    fn tools(&self) -> Vec<Arc<ExternalTool>> {
        self.servers.iter().flat_map(|server| server.lock().tools.clone()).collect()
    }

    fn find(&self, name: &str) -> Option<Arc<ExternalTool>> {
        let (server, _) = self.of(name)?;
        server.lock().tools.iter().find(|tool| tool.name == name).cloned()
    }

    fn started(&self, name: &str) -> Pin<Box<dyn Future<Output = ()> + Send>> {
        let server = self.of(name).map(|(server, _)| server.clone());
        Box::pin(async move {
            if let Some(server) = server {
                server.started().await;
            }
        })
    }

    fn missing(&self, name: &str) -> Option<Trouble> {
        let Some((server, _)) = self.of(name) else {
            let server = name.strip_prefix(PREFIX)?.split('.').next()?;
            return Some(Trouble {
                message: format!("no MCP server is called {server}"),
                fix: format!("configure it as [mcp.servers.{server}]; `hark mcp list` shows those there are"),
            });
        };
        let state = server.lock();
        let trouble = match state.condition {
            ServerCondition::Running => Trouble {
                message: format!("the MCP server {} has no such tool", server.name),
                fix: "`hark mcp list` shows those it has, and those that are refused".into(),
            },
            ServerCondition::Off => Trouble {
                message: format!("the MCP server {} is switched off", server.name),
                fix: format!("set mcp.servers.{}.enabled = true", server.name),
            },
            ServerCondition::Starting => server.starting(),
            ServerCondition::Failed => state.trouble.clone().unwrap_or_else(|| server.starting()),
        };
        Some(trouble)
    }

    fn call(&self, name: &str, args: Slots) -> ExternalFuture {
        let of = self.of(name);
        let peer = of.and_then(|(server, _)| server.lock().peer.clone());
        let (server, tool) =
            of.map_or_else(Default::default, |(it, tool)| (it.name.clone(), tool.to_owned()));
        Box::pin(async move {
            let Some(peer) = peer else {
                return Err(ExternalFailure {
                    code: error_code::OFFLINE,
                    message: format!("the MCP server {server} does not run"),
                    fix: "look at `hark mcp list`".into(),
                    asked: false,
                });
            };
            let call = CallToolRequestParams::new(tool).with_arguments(args);
            answer::of(&server, peer.call_tool_once(call).await)
        })
    }
}

impl Server {
    fn new(name: &str, config: &McpServer) -> Self {
        let condition = if config.enabled { ServerCondition::Starting } else { ServerCondition::Off };
        let state = State {
            condition,
            says: String::new(),
            trouble: None,
            tools: Vec::new(),
            refused: Vec::new(),
            restarts: 0,
            peer: None,
        };
        Self { name: name.to_owned(), config: config.clone(), state: Mutex::new(state) }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until it has told its tools or failed; at once where it is switched off.
    async fn started(&self) {
        while self.lock().condition == ServerCondition::Starting {
            tokio::time::sleep(LOOKED_EVERY).await;
        }
    }

    fn starting(&self) -> Trouble {
        Trouble {
            message: format!("the MCP server {} has not told its tools yet", self.name),
            fix: "ask again in a moment".into(),
        }
    }

    /// It runs, and has these tools.
    fn runs(&self, peer: &Peer<RoleClient>, says: String, listing: listing::Listing) {
        let mut state = self.lock();
        if let Some(first) = listing.refused.first().filter(|_| listing.refused != state.refused) {
            let count = listing.refused.len();
            tracing::warn!(
                server = self.name,
                "{count} tools of an MCP server are not taken (`hark mcp list` shows them): {first}"
            );
        }
        state.condition = ServerCondition::Running;
        state.says = says;
        state.trouble = None;
        state.tools = listing.tools;
        state.refused = listing.refused;
        state.peer = Some(peer.clone());
    }

    /// It does not work: its tools stay known, and say why they cannot be called.
    fn fails(&self, trouble: Trouble) {
        let mut state = self.lock();
        if state.trouble.as_ref() != Some(&trouble) {
            tracing::warn!(server = self.name, "an MCP server does not work: {}", trouble.message);
        }
        let out_of_order = |tool: &Arc<ExternalTool>| {
            Arc::new(ExternalTool { trouble: Some(trouble.clone()), ..(**tool).clone() })
        };
        state.tools = state.tools.iter().map(out_of_order).collect();
        state.condition = ServerCondition::Failed;
        state.peer = None;
        state.trouble = Some(trouble);
    }

    fn report(&self) -> ServerState {
        let state = self.lock();
        let (message, fix) = match &state.trouble {
            Some(trouble) => (trouble.message.clone(), trouble.fix.clone()),
            None => (state.says.clone(), String::new()),
        };
        ServerState {
            name: self.name.clone(),
            condition: state.condition,
            message,
            fix,
            tools: state.tools.iter().map(|tool| (tool.name.clone(), tool.risk)).collect(),
            refused: state.refused.clone(),
            restarts: state.restarts,
        }
    }
}
