//! `hark mcp`: servers of other programs' tools, and Hark's own tools for another program. The running Hark tells how the
//! servers are; without one each is started for a moment.

use super::Faults;
use super::args::Mcp as Command;
use super::running::{self, Running};
use hark_config::Config;
use hark_config::mcp::McpConfig;
use hark_core::inspection::{ServerCondition, ServerState, ToolState};
use hark_core::tool_host::{HostAnswer, HostFuture, ToolHost};
use hark_core::{Fault, FaultKind, Risk, Slots};
use hark_mcp::Servers;
use serde::Deserialize;
use serde_json::json;
use std::sync::Arc;
use tokio::runtime::Runtime;

/// Lists servers, or is one.
pub(super) fn run(config: &Config, command: &Command, sets: &[String], as_json: bool) -> Result<(), Faults> {
    let one = |fault: Fault| vec![fault];
    match command {
        Command::List => {
            let states = match Running::find(config, sets).map_err(one)? {
                Some(running) => {
                    let told: Told = running.get("/api/v1/mcp").map_err(one)?;
                    told.servers.into_iter().map(ServerState::from).collect()
                }
                None => states_by_itself(&config.mcp).map_err(one)?,
            };
            list(&states, as_json);
            Ok(())
        }
        Command::Serve => {
            let running =
                Running::find(config, sets).map_err(one)?.ok_or_else(|| one(running::none_runs()))?;
            // It has a runtime of its own, which must not end within this one.
            let running = Arc::new(running);
            let host = Arc::new(Host(running.clone()));
            runtime().map_err(one)?.block_on(hark_mcp::server::on_stdio(host)).map_err(one)
        }
    }
}

/// The running Hark behind the port, by its socket.
struct Host(Arc<Running>);

impl Host {
    /// Asks it on a thread that may wait.
    fn asked<T: Send + 'static>(
        &self,
        ask: impl FnOnce(&Running) -> Result<T, Fault> + Send + 'static,
    ) -> HostFuture<T> {
        let running = self.0.clone();
        Box::pin(async move {
            tokio::task::spawn_blocking(move || ask(&running)).await.unwrap_or_else(|error| {
                Err(Fault::new(FaultKind::Failed, "mcp", format!("it broke off: {error}"), "ask again"))
            })
        })
    }
}

impl ToolHost for Host {
    fn tools(&self) -> HostFuture<Vec<ToolState>> {
        #[derive(Deserialize)]
        struct Tools {
            tools: Vec<ToolState>,
        }
        self.asked(|running| running.get("/own/tools").map(|Tools { tools }| tools))
    }

    fn call(&self, conversation: &str, tool: &str, args: Slots) -> HostFuture<HostAnswer> {
        let call = json!({"conversation": conversation, "tool": tool, "args": args});
        self.asked(move |running| running.post_patiently("/own/tools/call", &call))
    }

    fn answer(&self, conversation: &str, yes: bool) -> HostFuture<HostAnswer> {
        let answer = json!({"conversation": conversation, "yes": yes});
        self.asked(move |running| running.post_patiently("/own/tools/answer", &answer))
    }
}

/// A server's program is watched from one thread, and talked to from another.
fn runtime() -> Result<Runtime, Fault> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
    runtime.map_err(|error| Fault::new(FaultKind::Failed, "mcp", format!("no runtime: {error}"), ""))
}

/// Starts every server, waits until each has told its tools or failed, and ends them.
pub(super) fn states_by_itself(config: &McpConfig) -> Result<Vec<ServerState>, Fault> {
    let runtime = runtime()?;
    let servers = Servers::start(config, runtime.handle());
    runtime.block_on(servers.all_started());
    Ok(servers.states())
}

/// As the running Hark tells it.
#[derive(Deserialize)]
struct Told {
    servers: Vec<ToldServer>,
}

#[derive(Deserialize)]
struct ToldServer {
    name: String,
    condition: ServerCondition,
    message: String,
    fix: String,
    tools: Vec<ToldTool>,
    refused: Vec<String>,
    restarts: u32,
}

#[derive(Deserialize)]
struct ToldTool {
    name: String,
    risk: Risk,
}

impl From<ToldServer> for ServerState {
    fn from(told: ToldServer) -> Self {
        let ToldServer { name, condition, message, fix, tools, refused, restarts } = told;
        let tools = tools.into_iter().map(|tool| (tool.name, tool.risk)).collect();
        Self { name, condition, message, fix, tools, refused, restarts }
    }
}

fn list(states: &[ServerState], as_json: bool) {
    if as_json {
        println!("{}", json!(states));
        return;
    }
    if states.is_empty() {
        println!("no MCP servers; write [mcp.servers.NAME] in the configuration file");
    }
    for state in states {
        let word = match state.condition {
            ServerCondition::Off => "off",
            ServerCondition::Starting => "starting",
            ServerCondition::Running => "running",
            ServerCondition::Failed => "FAILED",
        };
        let again =
            if state.restarts > 0 { format!(", started again {}×", state.restarts) } else { String::new() };
        println!("{word:9} {}: {}{again}", state.name, state.message);
        if !state.fix.is_empty() {
            println!("          fix: {}", state.fix);
        }
        for (name, risk) in &state.tools {
            let risk = match risk {
                Risk::Read => "looks",
                Risk::Write => "changes",
                Risk::Dangerous => "asked about",
            };
            println!("          {name} ({risk})");
        }
        for refused in &state.refused {
            println!("          refused: {refused}");
        }
    }
}
