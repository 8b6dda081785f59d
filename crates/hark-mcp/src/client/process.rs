//! The program of a server: started directly, with nothing of Hark's environment but what the owner names, and ended with
//! everything it started.

use super::Trouble;
use hark_config::mcp::McpServer;
use hark_config::paths::{expand, read_secret_text};
use hark_core::external_tools::cleaned;
use hark_process::ProcessGroup;
use std::process::Stdio;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};

/// Variables that are handed on in any case.
const HANDED_ON: [&str; 3] = ["PATH", "HOME", "LANG"];
/// Where programs are looked for when nobody says where.
const PATH: &str = "/usr/local/bin:/usr/bin:/bin";
/// Most of its complaints that is kept, bytes.
const MAX_KEPT: usize = 2048;
/// Most of them that is told, characters.
const MAX_TOLD: usize = 200;
/// How long is waited for the rest of what it says when it has ended.
const LAST_WORDS: Duration = Duration::from_millis(200);

/// See the module.
pub(super) struct Process {
    /// Goes first: its number stays its own until the child is reaped.
    _group: ProcessGroup,
    _child: Child,
    shown: String,
    complaints: Arc<Mutex<Vec<u8>>>,
}

/// Starts it.
pub(super) fn start(name: &str, config: &McpServer) -> Result<(Process, ChildStdin, ChildStdout), Trouble> {
    let mut command = Command::new(expand(&config.command));
    command.args(&config.args).env_clear().envs(environment(name, config)?);
    command.current_dir(if config.folder.is_empty() { std::env::temp_dir() } else { expand(&config.folder) });
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.process_group(0).kill_on_drop(true);
    let cannot = |error: &dyn std::fmt::Display| Trouble {
        message: format!(
            "the program {:?} of the MCP server {name} cannot be started: {error}",
            config.command
        ),
        fix: format!("install it, or correct mcp.servers.{name}.command"),
    };
    let mut child = command.spawn().map_err(|error| cannot(&error))?;
    let group = ProcessGroup::led_by(child.id());
    let (Some(stdin), Some(stdout), Some(stderr)) =
        (child.stdin.take(), child.stdout.take(), child.stderr.take())
    else {
        return Err(cannot(&"it has no standard input and output"));
    };
    let complaints = Arc::default();
    tokio::spawn(keep_end(stderr, Arc::clone(&complaints)));
    let shown = std::iter::once(&config.command).chain(&config.args).cloned().collect::<Vec<_>>().join(" ");
    Ok((Process { _group: group, _child: child, shown, complaints }, stdin, stdout))
}

/// Its whole environment.
fn environment(name: &str, config: &McpServer) -> Result<Vec<(String, std::ffi::OsString)>, Trouble> {
    let named = config.env.iter().filter(|entry| !entry.contains('='));
    let handed_on = HANDED_ON.into_iter().chain(named.map(String::as_str));
    let mut all: Vec<_> = std::iter::once(("PATH".to_owned(), PATH.into()))
        .chain(handed_on.filter_map(|name| Some((name.to_owned(), std::env::var_os(name)?))))
        .collect();
    let given = config.env.iter().filter_map(|entry| entry.split_once('='));
    all.extend(given.map(|(name, value)| (name.to_owned(), value.into())));
    for (variable, file) in config.env_files.iter().filter_map(|entry| entry.split_once('=')) {
        let secret = read_secret_text(&expand(file)).map_err(|error| Trouble {
            message: format!("the variable {variable} of the MCP server {name} cannot be read: {error}"),
            fix: format!("correct mcp.servers.{name}.env_files"),
        })?;
        all.push((variable.to_owned(), secret.into()));
    }
    Ok(all)
}

/// Keeps the end of what is read.
async fn keep_end(mut from: impl AsyncRead + Unpin, into: Arc<Mutex<Vec<u8>>>) {
    let mut block = [0; 1024];
    while let Ok(read @ 1..) = from.read(&mut block).await {
        let mut kept = into.lock().unwrap_or_else(PoisonError::into_inner);
        kept.extend_from_slice(&block[..read]);
        let excess = kept.len().saturating_sub(MAX_KEPT);
        kept.drain(..excess);
    }
}

impl Process {
    /// As it would be started by hand.
    pub(super) fn shown(&self) -> &str {
        &self.shown
    }

    /// The last line of its complaints.
    pub(super) async fn last_words(&self) -> Option<String> {
        tokio::time::sleep(LAST_WORDS).await;
        let kept = self.complaints.lock().unwrap_or_else(PoisonError::into_inner);
        let text = String::from_utf8_lossy(&kept);
        text.lines().rev().map(|line| cleaned(line, MAX_TOLD).0).find(|line| !line.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_of_a_variable_is_read_up_to_a_limit() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("key");
        let entry = format!("KEY={}", file.display());
        let config = McpServer { env_files: vec![entry], ..McpServer::default() };
        std::fs::write(&file, "two words\n").unwrap();
        let all = environment("mail", &config).unwrap_or_else(|trouble| panic!("{}", trouble.message));
        assert!(all.contains(&("KEY".to_owned(), "two words".into())));
        std::fs::write(&file, "x".repeat(100_000)).unwrap();
        let trouble = environment("mail", &config).err().unwrap();
        assert_eq!(
            trouble.message,
            "the variable KEY of the MCP server mail cannot be read: 100000 bytes are too many for a secret"
        );
    }
}
