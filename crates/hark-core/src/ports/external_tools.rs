//! Tools that are not in the table: those of MCP servers and of skills. They come and go while the program runs. `hark-mcp` and
//! the program's skills implement the port; the executor of tools calls them behind the same gate as its own.

use super::super::intent::Slots;
use super::super::model::ToolSpec;
use super::super::tool::Risk;
use crate::text::is_invisible;
use serde_json::Value;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

/// A tool of another program.
#[derive(Debug, Clone, PartialEq)]
pub struct ExternalTool {
    /// Its name here, such as `mcp.time.get_current_time`: letters, digits, `.`, `_` and `-` only.
    pub name: String,
    /// What the other program says it does, without control characters, and short.
    pub description: String,
    /// JSON Schema of its arguments, an object that refers to nothing outside itself. Bounded in size.
    pub schema: Value,
    /// As the owner has it; nothing that the other program says of itself counts.
    pub risk: Risk,
    /// What `permissions.deny_tools` calls it, and the act that is asked about where it is dangerous: `mcp` or `skill`.
    pub permission: &'static str,
    /// Group it belongs to, such as `mcp.time`.
    pub agent: String,
    /// Words of a request that tell of it.
    pub triggers: Vec<String>,
    /// The owner trusts the program behind it as far as its tools that only read: they may be called without a yes by a
    /// model that has read text from outside, and what it says of its tools is no such text.
    pub trusted: bool,
    /// Time a call may take.
    pub timeout_ms: u32,
    /// Why it cannot work now; `None` when it can.
    pub trouble: Option<Trouble>,
}

/// Why something does not work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trouble {
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    pub fix: String,
}

/// Result of an external tool: untrusted text, bounded in length, control characters removed.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ExternalAnswer {
    /// Its words.
    pub text: String,
    /// There was more than is kept.
    pub truncated: bool,
}

/// Why a call came to nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExternalFailure {
    /// One of the codes of receipts ([`crate::tool::error_code`]).
    pub code: &'static str,
    /// What went wrong.
    pub message: String,
    /// What to do about it; empty: nothing is known.
    pub fix: String,
    /// The program was asked: it may have done something all the same.
    pub asked: bool,
}

/// What comes of a call.
pub type ExternalFuture = Pin<Box<dyn Future<Output = Result<ExternalAnswer, ExternalFailure>> + Send>>;

/// A source of tools.
pub trait ExternalTools: Send + Sync {
    /// Those there are now, with those that cannot work for the moment.
    fn tools(&self) -> Vec<Arc<ExternalTool>>;
    /// The tool of this name.
    fn find(&self, name: &str) -> Option<Arc<ExternalTool>> {
        self.tools().into_iter().find(|tool| tool.name == name)
    }
    /// Waits until the program that would have a tool of this name has started or failed; at once where there is none.
    fn started(&self, name: &str) -> Pin<Box<dyn Future<Output = ()> + Send>>;
    /// Why a tool that would have this name is not there; `None` when no program of this source would have it.
    fn missing(&self, name: &str) -> Option<Trouble>;
    /// Calls a tool. The arguments were checked against its schema, and the gate has let the call through.
    fn call(&self, name: &str, args: Slots) -> ExternalFuture;
}

impl ExternalTool {
    /// The tool as it is described to a language model.
    pub fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: self.name.clone(),
            description: self.description.clone(),
            schema: self.schema.clone(),
            results: Vec::new(),
            risk: self.risk,
            triggers: self.triggers.clone(),
            agent: self.agent.clone(),
            outside: !self.trusted,
        }
    }
}

/// Text of another program in one line or several: without control characters other than line breaks and tabs, at most so
/// many characters. The flag says whether there was more.
pub fn cleaned(text: &str, most: usize) -> (String, bool) {
    let kept = |c: &char| !c.is_control() && !is_invisible(*c) || matches!(c, '\n' | '\t');
    let mut chars = text.chars().filter(kept);
    let cleaned: String = chars.by_ref().take(most).collect();
    (cleaned.trim().to_owned(), chars.next().is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_seen_is_taken_out_and_the_rest_is_bounded() {
        assert_eq!(cleaned("a\u{1b}[2Jb\u{202e}c\r\nd\u{e0041}", 100), ("a[2Jbc\nd".to_owned(), false));
        assert_eq!(cleaned("Grüße", 4), ("Grüß".to_owned(), true));
        assert_eq!(cleaned(" \u{0} ", 10), (String::new(), false));
    }
}
