//! `[mcp]` and `[mcp.servers.NAME]`: servers of the Model Context Protocol whose tools Hark may call, and what of Hark other
//! programs may call.

use crate::permissions::TOOL_PERMISSIONS;
use hark_core::Risk;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Tools of other programs by the Model Context Protocol, and Hark's own for them (`hark mcp`).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct McpConfig {
    /// What other programs may use of Hark (`hark mcp serve`, and `/mcp` where the dashboard is), by the permission the tools need (`contracts/tools.json`). What needs a yes by voice needs one there too.
    pub serve: Vec<String>,
    /// Whether programs are served at `/mcp` of the dashboard's address as well, with its token.
    pub serve_http: bool,
    /// Servers whose tools Hark may call as `mcp.NAME.TOOL`: each in a table of its own, written by hand in this file.
    pub servers: BTreeMap<String, McpServer>,
}

impl Default for McpConfig {
    fn default() -> Self {
        let serve = ["alarm", "datetime", "home", "list", "media", "memory", "reminder", "timer", "weather"];
        Self { serve: serve.map(str::to_owned).into(), serve_http: true, servers: BTreeMap::new() }
    }
}

/// One server: a program that is started, or an address.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct McpServer {
    /// Whether it is used.
    pub enabled: bool,
    /// Program that speaks the protocol on its standard input and output, by name or absolute path; empty where `url` is given.
    pub command: String,
    /// Its arguments, each as it is; no shell reads them.
    pub args: Vec<String>,
    /// Its environment, which is empty else but for `PATH`, `HOME` and `LANG`: names of variables that are handed on (`API_BASE`), or a name with its value (`TZ=Europe/Berlin`).
    pub env: Vec<String>,
    /// Variables whose values are secret: a name and the file that holds it (`API_KEY=/etc/hark/key`).
    pub env_files: Vec<String>,
    /// Folder it runs in; empty: the folder for temporary files.
    #[schemars(extend("x-holds" = "folder"))]
    pub folder: String,
    /// Address of a server that is reached by streamable HTTP, such as `http://127.0.0.1:8000/mcp`; empty where `command` is given.
    pub url: String,
    /// File with the token that is sent to the address; empty: none.
    #[schemars(extend("x-holds" = "file"))]
    pub token_file: String,
    /// What its tools may do where the lists below do not name them. `dangerous`: each call is asked about.
    pub risk: McpRisk,
    /// Its tools that only look, by the names the server gives them.
    pub read_tools: Vec<String>,
    /// Its tools that change something that can be changed back.
    pub write_tools: Vec<String>,
    /// Its tools that are asked about each time.
    pub dangerous_tools: Vec<String>,
    /// Its tools that are left out.
    pub hidden_tools: Vec<String>,
    /// Whether what it says of its tools is believed, and its tools that only look may be called without a yes by a language model that has read text from outside. Their arguments then go to this server unasked.
    pub trusted: bool,
    /// Words of a request that tell of its tools, besides its name and theirs.
    pub words: Vec<String>,
    /// Time a call may take; no more than `tools.timeout_ms`.
    #[schemars(range(min = 100, max = 300000))]
    pub timeout_ms: u32,
    /// Time it may take to start and to tell its tools.
    #[schemars(range(min = 100, max = 300000))]
    pub start_timeout_ms: u32,
}

/// What a tool may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum McpRisk {
    /// Looks only.
    Read,
    /// Changes something that can be changed back.
    Write,
    /// Is asked about each time, as the permissions have it for the act `mcp`.
    Dangerous,
}

impl Default for McpServer {
    fn default() -> Self {
        Self {
            enabled: true,
            command: String::new(),
            args: Vec::new(),
            env: Vec::new(),
            env_files: Vec::new(),
            folder: String::new(),
            url: String::new(),
            token_file: String::new(),
            risk: McpRisk::Dangerous,
            read_tools: Vec::new(),
            write_tools: Vec::new(),
            dangerous_tools: Vec::new(),
            hidden_tools: Vec::new(),
            trusted: false,
            words: Vec::new(),
            timeout_ms: 30_000,
            start_timeout_ms: 30_000,
        }
    }
}

impl McpServer {
    /// What a tool of it may do, by the name the server gives it; of several lists the strictest counts.
    pub fn risk_of(&self, tool: &str) -> Risk {
        let names = |list: &[String]| list.iter().any(|name| name == tool);
        if names(&self.dangerous_tools) {
            Risk::Dangerous
        } else if names(&self.write_tools) {
            Risk::Write
        } else if names(&self.read_tools) {
            Risk::Read
        } else {
            match self.risk {
                McpRisk::Read => Risk::Read,
                McpRisk::Write => Risk::Write,
                McpRisk::Dangerous => Risk::Dangerous,
            }
        }
    }

    /// Files that hold secrets of it.
    pub fn secret_files(&self) -> impl Iterator<Item = &str> {
        let of_env = self.env_files.iter().filter_map(|entry| entry.split_once('=').map(|(_, file)| file));
        of_env.chain([self.token_file.as_str()]).filter(|file| !file.is_empty())
    }
}

/// What is wrong with a server, with the key within its table, the value, and how to mend it.
pub(crate) fn problems(name: &str, server: &McpServer) -> Vec<(&'static str, String, String, String)> {
    let mut found = Vec::new();
    let mut add = |key, value: &str, message: &str, fix: &str| {
        found.push((key, value.to_owned(), message.to_owned(), fix.to_owned()));
    };
    if !is_name(name) {
        add("", name, "not a name of a server", "use 1 to 32 of: a to z, 0 to 9, `_` and `-`");
    }
    match (server.command.is_empty(), server.url.is_empty()) {
        (true, true) => {
            add("command", "", "neither a program nor an address", "name one: command = \"uvx\", or url = …");
        }
        (false, false) => {
            add("url", &server.url, "an address beside a program", "keep one of command and url")
        }
        _ => {}
    }
    if server.command.contains(char::is_control) {
        add("command", &server.command, "not the name of a program", "name it by name or absolute path");
    }
    let is_variable = |name: &str| {
        let plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
        !name.is_empty() && name.chars().all(plain) && !name.starts_with(|c: char| c.is_ascii_digit())
    };
    for entry in &server.env {
        if !is_variable(entry.split_once('=').map_or(entry.as_str(), |(name, _)| name)) {
            add("env", entry, "not a variable", "write its name, or NAME=value");
        }
    }
    for entry in &server.env_files {
        let pair = entry.split_once('=').filter(|(name, file)| is_variable(name) && !file.is_empty());
        match pair {
            None => add("env_files", entry, "not a variable with a file", "write NAME=/path/of/the/file"),
            Some((_, file)) if !crate::paths::expand(file).is_file() => {
                add("env_files", file, "there is no such file", "correct the path, or take the entry out");
            }
            Some(_) => {}
        }
    }
    if !server.token_file.is_empty() && server.url.is_empty() {
        add("token_file", &server.token_file, "a token without an address", "take it out; use env_files");
    }
    for word in &server.words {
        if word.trim().chars().count() < 3 {
            add("words", word, "too short to tell of anything", "use words of three letters or more");
        }
    }
    found
}

/// Permissions that `mcp.serve` may name: those of Hark's own tools.
pub(crate) fn served() -> impl Iterator<Item = &'static str> {
    TOOL_PERMISSIONS.into_iter().filter(|permission| !["mcp", "skill"].contains(permission))
}

/// Whether it can stand in the name of a tool.
fn is_name(name: &str) -> bool {
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_' || c == '-';
    (1..=32).contains(&name.len()) && name.chars().all(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_strictest_list_counts_and_unknown_tools_are_dangerous() {
        let list = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        let server = McpServer {
            read_tools: list(&["look", "both"]),
            write_tools: list(&["set"]),
            dangerous_tools: list(&["both"]),
            ..McpServer::default()
        };
        let risks = ["look", "set", "both", "new"].map(|tool| server.risk_of(tool));
        assert_eq!(risks, [Risk::Read, Risk::Write, Risk::Dangerous, Risk::Dangerous]);
        assert_eq!(McpServer { risk: McpRisk::Read, ..server }.risk_of("new"), Risk::Read);
    }

    #[test]
    fn mistakes_name_the_key() {
        let keys = |server: McpServer| -> Vec<&str> {
            problems("time", &server).into_iter().map(|(key, ..)| key).collect()
        };
        let good = McpServer { command: "x".into(), ..McpServer::default() };
        assert_eq!(keys(good.clone()), Vec::<&str>::new());
        assert_eq!(keys(McpServer::default()), ["command"]);
        assert_eq!(keys(McpServer { url: "http://x".into(), ..good.clone() }), ["url"]);
        assert_eq!(keys(McpServer { env: vec!["A B".into(), "1=x".into()], ..good.clone() }), ["env", "env"]);
        assert_eq!(keys(McpServer { env_files: vec!["A=/no/file".into()], ..good.clone() }), ["env_files"]);
        assert_eq!(keys(McpServer { token_file: "/x".into(), ..good.clone() }), ["token_file"]);
        assert_eq!(problems("a.b", &good).len(), 1);
    }
}
