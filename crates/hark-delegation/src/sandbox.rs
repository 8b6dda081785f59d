//! What a program runs in: a sandbox of bubblewrap, or a container that runs already. Its environment is made here, and
//! nothing of Hark's is in it. The sandbox sees its workspace, a home of its own and, unchangeably, the system's programs;
//! of the house's files it sees none. Its network is its own, with nothing but loopback: the program's model is reached
//! through a proxy of Hark's, to which the first program in the sandbox leads.

use crate::error::{BUBBLEWRAP, DelegationError};
use crate::forwarder::FORWARD;
use hark_config::delegation::{DelegationConfig, SandboxKind};
use hark_config::paths::expand;
use std::collections::BTreeMap;
use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use tokio::process::Command;

/// What a program sees as `PATH`; before it comes the folder of the program itself.
const PATH: &str = "/usr/local/bin:/usr/bin:/bin";
/// Where the workspace is in the sandbox.
const WORKSPACE: &str = "/workspace";
/// Where the home is in the sandbox.
const HOME: &str = "/home/hark";
/// Where the forwarder is in the sandbox, and the proxy's socket.
const FORWARDER: &str = "/run/hark/hark";
const PROXY: &str = "/run/hark/proxy";
/// What of the system is seen: programs, libraries, and what of `/etc` names, certificates and time zones need.
const SYSTEM: [&str; 20] = [
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/opt",
    "/etc/alternatives",
    "/etc/ca-certificates",
    "/etc/crypto-policies",
    "/etc/group",
    "/etc/hosts",
    "/etc/ld.so.cache",
    "/etc/localtime",
    "/etc/nsswitch.conf",
    "/etc/passwd",
    "/etc/pki",
    "/etc/resolv.conf",
    "/etc/ssl",
    "/etc/timezone",
    "/etc/gai.conf",
];
/// What the first line begins with that a container prints: the number of the process in it.
pub(crate) const NUMBER: &str = "hark-process ";

/// A sandbox.
#[derive(Debug, Clone)]
pub(crate) enum Sandbox {
    /// Of this machine.
    Bubblewrap {
        /// The programs' home.
        home: PathBuf,
        /// What else is seen.
        read_only: Vec<PathBuf>,
    },
    /// A container that runs.
    Container {
        /// `docker` or `podman`.
        client: &'static str,
        /// Its name.
        name: String,
        /// Where the workspaces are in it.
        workspaces: String,
    },
}

/// What is to be run.
pub(crate) struct Program<'p> {
    /// As [`Sandbox::find`] has it.
    pub(crate) path: &'p Path,
    pub(crate) args: Vec<String>,
    /// The folder it works in, and its name in the folder of workspaces.
    pub(crate) workspace: (&'p Path, &'p str),
    /// What its environment says besides.
    pub(crate) environment: BTreeMap<String, String>,
    /// The forwarder and the proxy's socket; `None`: it reaches nothing. A container has the network it was given.
    pub(crate) way_out: Option<(&'p Path, &'p Path)>,
}

impl Sandbox {
    /// As the configuration says; `state_dir` is where Hark keeps what it keeps.
    pub(crate) fn new(config: &DelegationConfig, state_dir: &Path) -> Self {
        let container = |client| Self::Container {
            client,
            name: config.container.trim().to_owned(),
            workspaces: config.container_workspaces.trim_end_matches('/').to_owned(),
        };
        match config.sandbox {
            SandboxKind::Docker => container("docker"),
            SandboxKind::Podman => container("podman"),
            SandboxKind::Bubblewrap => Self::Bubblewrap {
                home: match config.home.trim() {
                    "" => state_dir.join("delegation"),
                    home => expand(home),
                },
                read_only: config.read_only.iter().map(|path| expand(path)).collect(),
            },
        }
    }

    /// What it is called.
    pub(crate) fn title(&self) -> String {
        match self {
            Self::Bubblewrap { .. } => BUBBLEWRAP.into(),
            Self::Container { client, name, .. } => format!("the {client} container {name}"),
        }
    }

    /// Whether its network is its own, with a proxy as the way out.
    pub(crate) fn has_own_network(&self) -> bool {
        matches!(self, Self::Bubblewrap { .. })
    }

    /// Whether what makes it is there.
    pub(crate) fn ready(&self) -> Result<(), DelegationError> {
        let client = match self {
            Self::Bubblewrap { .. } => "bwrap",
            Self::Container { name, .. } if name.is_empty() || name.starts_with('-') => {
                return Err(DelegationError::NoContainer);
            }
            Self::Container { client, .. } => client,
        };
        find(client).map(drop).ok_or(DelegationError::NoSandbox(client))
    }

    /// The program of a name or a path; in a container that is only known when it is run.
    pub(crate) fn find(&self, program: &str) -> Option<PathBuf> {
        match self {
            Self::Bubblewrap { .. } => find(program),
            Self::Container { .. } => Some(PathBuf::from(program)).filter(|_| !program.is_empty()),
        }
    }

    /// The command that runs a program in it.
    ///
    /// # Errors
    /// When the home cannot be made.
    pub(crate) fn command(&self, program: Program<'_>) -> Result<Command, DelegationError> {
        let mut command = match self {
            Self::Bubblewrap { home, read_only } => bubblewrap(home, read_only, &program)?,
            Self::Container { client, name, workspaces } => {
                let mut command = Command::new(client);
                command.env_clear();
                command.args(["exec", "-i", "-w", &format!("{workspaces}/{}", program.workspace.1)]);
                // Values are taken from the client's own environment, so that no list of processes shows them.
                command.args(program.environment.keys().flat_map(|name| ["-e", name.as_str()]));
                // What ends there is told its number first: ending the client alone ends nothing.
                let tells = format!("echo \"{NUMBER}$$\"; exec \"$@\"");
                command.args([name, "sh", "-c", &tells, "hark"]).arg(program.path);
                command.env("PATH", env::var_os("PATH").unwrap_or_else(|| PATH.into()));
                for name in ["HOME", "XDG_RUNTIME_DIR", "DOCKER_HOST", "CONTAINER_HOST"] {
                    command.envs(env::var_os(name).map(|value| (name, value)));
                }
                command
            }
        };
        command.args(program.args).envs(program.environment);
        Ok(command)
    }

    /// What ends a process in it for which ending its client is not enough.
    pub(crate) fn ends(&self, number: u32) -> Option<Command> {
        let Self::Container { client, name, .. } = self else { return None };
        let mut command = Command::new(client);
        let kill = format!("kill -KILL -- -{number} || kill -KILL {number}");
        command.args(["exec", name, "sh", "-c", &kill]);
        Some(command)
    }

    /// A command that shows whether it can be made at all.
    ///
    /// # Errors
    /// As [`Sandbox::command`].
    pub(crate) fn trial<'p>(
        &self,
        workspace: (&'p Path, &'p str),
        way_out: Option<(&'p Path, &'p Path)>,
    ) -> Result<Command, DelegationError> {
        let (path, environment) = (Path::new("/bin/true"), BTreeMap::new());
        self.command(Program { path, args: Vec::new(), workspace, environment, way_out })
    }
}

fn bubblewrap(home: &Path, read_only: &[PathBuf], program: &Program<'_>) -> Result<Command, DelegationError> {
    std::fs::create_dir_all(home)
        .map_err(|error| DelegationError::Failed(format!("{} cannot be made: {error}", home.display())))?;
    let mut command = Command::new("bwrap");
    command.env_clear();
    command.args(["--unshare-all", "--die-with-parent", "--new-session", "--cap-drop", "ALL"]);
    command.args(["--hostname", "sandbox", "--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp"]);
    command.args(["--ro-bind", "/usr", "/usr"]);
    command.args(SYSTEM.iter().flat_map(|path| ["--ro-bind-try", path, path]));
    let seen = of_program(program.path).into_iter().chain(read_only.iter().cloned());
    for path in seen {
        command.arg("--ro-bind-try").args([&path, &path]);
    }
    if let Some((forwarder, socket)) = program.way_out {
        command.arg("--ro-bind").arg(forwarder).arg(FORWARDER);
        command.arg("--ro-bind").arg(socket).arg(PROXY);
    }
    command.arg("--bind").arg(home).arg(HOME);
    command.arg("--bind").arg(program.workspace.0).args([
        WORKSPACE,
        "--remount-ro",
        "/",
        "--chdir",
        WORKSPACE,
        "--",
    ]);
    if program.way_out.is_some() {
        command.args([FORWARDER, FORWARD, PROXY, "--"]);
    }
    command.arg(program.path);
    let mut path = OsString::from(program.path.parent().unwrap_or(Path::new("/usr/bin")));
    path.push(":");
    path.push(PATH);
    command.env("PATH", path).env("HOME", HOME).env("LANG", "C.UTF-8").env("TERM", "dumb");
    Ok(command)
}

/// What a program outside of the system's folders needs to be seen for: itself, and the folder its link leads to, where its
/// other parts are.
fn of_program(path: &Path) -> Vec<PathBuf> {
    let is_system = |path: &Path| ["/usr", "/opt", "/bin"].iter().any(|folder| path.starts_with(folder));
    let mut seen = vec![path.to_owned()];
    if let Ok(real) = path.canonicalize()
        && real != path
    {
        let home = env::var_os("HOME").map(PathBuf::from);
        let is_package = |folder: &&Path| folder.components().count() > 2 && Some(*folder) != home.as_deref();
        seen.push(real.parent().filter(is_package).map_or_else(|| real.clone(), Path::to_owned));
    }
    seen.retain(|path| !is_system(path));
    seen
}

/// The file of a program: its absolute path, or the first of its name in `PATH`.
fn find(program: &str) -> Option<PathBuf> {
    if program.starts_with('/') {
        return Some(PathBuf::from(program)).filter(|path| path.is_file());
    }
    if program.is_empty() || program.contains('/') {
        return None;
    }
    let path = env::var_os("PATH").unwrap_or_else(|| PATH.into());
    env::split_paths(&path)
        .map(|folder| folder.join(program))
        .find(|path| path.is_absolute() && path.is_file())
}
