//! Hark's tools for other programs: the port through which the server of the Model Context Protocol lists and calls them.
//! A call is a request like any other: it has a turn, passes the gate, and is asked about where a sentence would be. The HTTP
//! interface implements it over the turn machine, `hark mcp serve` by the socket of the running Hark.

use super::super::fault::Fault;
use super::super::inspection::ToolState;
use super::super::intent::Slots;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::future::Future;
use std::pin::Pin;

/// What takes its time.
pub type HostFuture<T> = Pin<Box<dyn Future<Output = Result<T, Fault>> + Send>>;

/// See the module.
pub trait ToolHost: Send + Sync {
    /// The tools that other programs may call, as far as they can do something now.
    ///
    /// # Errors
    /// When no Hark answers.
    fn tools(&self) -> HostFuture<Vec<ToolState>>;
    /// Calls one of them, in a conversation of its own by that name.
    ///
    /// # Errors
    /// When it is none of them, or no Hark answers. What the tool itself says is in the answer.
    fn call(&self, conversation: &str, tool: &str, args: Slots) -> HostFuture<HostAnswer>;
    /// Answers what was asked in a conversation.
    ///
    /// # Errors
    /// When no Hark answers.
    fn answer(&self, conversation: &str, yes: bool) -> HostFuture<HostAnswer>;
}

/// What came of a call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HostAnswer {
    /// The receipt says that it was done.
    pub ok: bool,
    /// What Hark says to it; a question, where one is asked.
    pub words: String,
    /// The receipt's detail, an object; empty where there is no receipt.
    pub detail: Value,
    /// What it waits for.
    pub asks: HostQuestion,
}

/// What a call waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HostQuestion {
    /// Nothing: it is over.
    Nothing,
    /// A yes.
    Yes,
    /// The PIN, which no other program gives.
    Pin,
}
