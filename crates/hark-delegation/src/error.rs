//! Why a task is not begun, and what to do about it.

use hark_net::confined;

/// What the sandbox of this machine is called.
pub(crate) const BUBBLEWRAP: &str = "bubblewrap";

/// Why something of a task is not done.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DelegationError {
    /// No folder of workspaces is named.
    #[error("no folder is set up in which tasks may be worked at")]
    NoWorkspaces,
    /// The folder of workspaces cannot be used.
    #[error("the folder of workspaces {0} cannot be used: {1}")]
    BadRoot(String, String),
    /// The program that makes the sandbox is not there.
    #[error("there is no {0} on this machine, in which a task would run")]
    NoSandbox(&'static str),
    /// The sandbox cannot be made: its name, and why.
    #[error("{0} cannot be used: {1}")]
    SandboxRefused(String, String),
    /// No container is named.
    #[error("no container is named in which tasks run")]
    NoContainer,
    /// None of the programs is there.
    #[error("no program is here that tasks can be handed to")]
    NoProgram,
    /// One program is not there.
    #[error("{title} is not installed here")]
    NotInstalled {
        /// What it is called.
        title: String,
        /// How it is installed.
        install: String,
    },
    /// No adapter of this name.
    #[error("I know no program {0} that a task can be handed to")]
    UnknownProgram(String),
    /// No workspace of this name.
    #[error("there is no workspace called {0}")]
    UnknownWorkspace(String),
    /// Several workspaces fit.
    #[error("several workspaces are called {0}: {1}")]
    SeveralWorkspaces(String, String),
    /// There is one of this name.
    #[error("there is a workspace {0} already")]
    WorkspaceExists(String),
    /// Nothing that a folder can be called.
    #[error("a workspace cannot be called {0}")]
    BadName(String),
    /// One task at a time.
    #[error("a task is being worked at already: {0}")]
    Busy(String),
    /// There is none.
    #[error("no task is being worked at")]
    NoTask,
    /// It asks nothing.
    #[error("the task asks nothing")]
    AsksNothing,
    /// The file with the key cannot be read.
    #[error("the key of {0} cannot be read from {1}: {2}")]
    Key(String, String, String),
    /// It could not be started, written down or looked at.
    #[error("{0}")]
    Failed(String),
}

impl DelegationError {
    /// What to do about it; empty where there is nothing to do.
    pub fn fix(&self) -> String {
        match self {
            Self::NoWorkspaces => "name a folder: delegation.workspaces = \"~/Workspaces\"".into(),
            Self::BadRoot(..) => "make the folder, or correct delegation.workspaces".into(),
            Self::NoSandbox("bwrap") => {
                "apt install bubblewrap, or set delegation.sandbox to docker or podman".into()
            }
            Self::NoSandbox(program) => format!("install {program}, or set delegation.sandbox to bubblewrap"),
            Self::SandboxRefused(title, _) if title == BUBBLEWRAP => confined::fix()
                .unwrap_or("try it as the user Hark runs as: bwrap --unshare-all --ro-bind / / true; the kernel (user.max_user_namespaces, AppArmor) may forbid it")
                .into(),
            Self::SandboxRefused(..) => "look whether it runs, and whether Hark may use it".into(),
            Self::NoContainer => {
                "name one that runs and has the workspaces mounted: delegation.container = \"NAME\"".into()
            }
            Self::NoProgram => {
                "install one, such as Claude Code (npm install -g @anthropic-ai/claude-code), or say where it is: delegation.claude_program".into()
            }
            Self::NotInstalled { install, .. } => format!("{install}, or say where it is in [delegation]"),
            Self::Key(..) => "correct the path in [delegation], or empty it".into(),
            Self::UnknownWorkspace(_) => "say “create a workspace called …”, or “which workspaces are there”".into(),
            _ => String::new(),
        }
    }
}
