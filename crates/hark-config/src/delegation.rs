//! `[delegation]`: tasks that are handed to AI command-line programs.

use crate::paths::expand;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a task runs in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum SandboxKind {
    /// A sandbox of this machine: it sees its workspace, a home of its own and the system's programs, and reaches the public internet.
    Bubblewrap,
    /// A Docker container that runs.
    Docker,
    /// A Podman container that runs.
    Podman,
}

/// A program that tasks are handed to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum DelegateProgram {
    /// Claude Code.
    Claude,
    /// Gemini CLI.
    Gemini,
    /// Codex.
    Codex,
}

impl DelegateProgram {
    /// Its name in the configuration.
    pub fn id(self) -> &'static str {
        match self {
            Self::Claude => "claude",
            Self::Gemini => "gemini",
            Self::Codex => "codex",
        }
    }
}

/// Tasks of coding and research that are handed to an AI command-line program, each in a folder of its own (a workspace). Each is asked about as the permissions have it for the act `delegate`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct DelegationConfig {
    /// Folder of workspaces, such as `~/Workspaces`; empty: no task is handed on.
    #[schemars(extend("x-holds" = "folder"))]
    pub workspaces: String,
    /// Workspace where none was chosen and none is named; made when it is needed.
    pub default_workspace: String,
    /// The program where none is named.
    pub program: DelegateProgram,
    /// What tasks run in.
    pub sandbox: SandboxKind,
    /// Name of the container, for `docker` and `podman`; it runs already and has the folder of workspaces mounted.
    pub container: String,
    /// Where the folder of workspaces is mounted in the container.
    pub container_workspaces: String,
    /// Folder that is the programs' home in the sandbox, where they keep their login; empty: `delegation` in the state folder.
    #[schemars(extend("x-holds" = "folder"))]
    pub home: String,
    /// More folders that the sandbox sees and cannot change, such as `~/.nvm`.
    pub read_only: Vec<String>,
    /// Hosts that programs in the sandbox reach although their address is private, such as a model server: `gpu.local:11434`, `nas.local` (every port). Public addresses they reach anyway.
    pub allowed_hosts: Vec<String>,
    /// Claude Code, by name or absolute path.
    pub claude_program: String,
    /// File with its key (`ANTHROPIC_API_KEY`); empty: its own login.
    #[schemars(extend("x-holds" = "file"))]
    pub claude_key_file: String,
    /// Gemini CLI, by name or absolute path.
    pub gemini_program: String,
    /// File with its key (`GEMINI_API_KEY`); empty: its own login.
    #[schemars(extend("x-holds" = "file"))]
    pub gemini_key_file: String,
    /// Codex, by name or absolute path.
    pub codex_program: String,
    /// File with its key (`CODEX_API_KEY`); empty: its own login.
    #[schemars(extend("x-holds" = "file"))]
    pub codex_key_file: String,
    /// Time a task may take between two questions; then it is stopped.
    #[schemars(range(min = 1, max = 1440))]
    pub max_minutes: u32,
}

impl Default for DelegationConfig {
    fn default() -> Self {
        Self {
            workspaces: String::new(),
            default_workspace: "scratch".into(),
            program: DelegateProgram::Claude,
            sandbox: SandboxKind::Bubblewrap,
            container: String::new(),
            container_workspaces: "/workspace".into(),
            home: String::new(),
            read_only: Vec::new(),
            allowed_hosts: Vec::new(),
            claude_program: "claude".into(),
            claude_key_file: String::new(),
            gemini_program: "gemini".into(),
            gemini_key_file: String::new(),
            codex_program: "codex".into(),
            codex_key_file: String::new(),
            max_minutes: 60,
        }
    }
}

impl DelegationConfig {
    /// The program of an adapter, and the file of its key; `None` for an adapter that is not known here.
    pub fn program_of(&self, id: &str) -> Option<(&str, &str)> {
        match id {
            "claude" => Some((&self.claude_program, &self.claude_key_file)),
            "gemini" => Some((&self.gemini_program, &self.gemini_key_file)),
            "codex" => Some((&self.codex_program, &self.codex_key_file)),
            _ => None,
        }
    }

    /// What is wrong with it: the key, its value, why, and how to mend it.
    pub(crate) fn problems(&self) -> impl Iterator<Item = (&'static str, &str, &'static str, &'static str)> {
        let keys = [
            ("delegation.claude_key_file", self.claude_key_file.as_str()),
            ("delegation.gemini_key_file", self.gemini_key_file.as_str()),
            ("delegation.codex_key_file", self.codex_key_file.as_str()),
        ];
        let fix = "correct the path, or clear the key where the program has a login of its own";
        let missing = keys.into_iter().filter(|(_, file)| !file.is_empty() && !expand(file).is_file());
        missing.map(move |(key, file)| (key, file, "there is no such file", fix))
    }
}
