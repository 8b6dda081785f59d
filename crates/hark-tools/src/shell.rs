//! Programs the owner has allowed: started directly, never by way of a shell, with nothing of this program's
//! environment, and ended with everything they started when their time is over.

use hark_config::tools::{ToolsConfig, runs_anything};
use hark_process::ProcessGroup;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::process::Command;

/// Where names are looked for, and the `PATH` a program sees.
const PATH: &str = "/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin";
/// Most of each of its two outputs that is kept; a program that says more is ended.
pub const MAX_OUTPUT_BYTES: usize = 64 * 1024;
/// Most arguments of a call.
pub const MAX_ARGS: usize = 64;
/// Longest argument, characters.
pub const MAX_ARG_CHARS: usize = 1000;

/// Why a program is not run, or did not do what it should.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ShellError {
    /// None is allowed.
    #[error("no program may be run here")]
    NothingAllowed,
    /// Not on the list.
    #[error("{0} may not be run; allowed are {1}")]
    NotAllowed(String, String),
    /// It is what runs everything.
    #[error("{0} runs whatever it is given and is never run")]
    RunsAnything(String),
    /// On the list and not on the disk.
    #[error("there is no program {0} on this machine")]
    NotFound(String),
    /// An argument that is none.
    #[error("argument {0} has control characters in it")]
    BadArgument(usize),
    /// It cannot be started.
    #[error("{0} cannot be started: {1}")]
    Start(String, String),
}

/// What a program has left.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProgramOutput {
    /// Its exit code; `None` when a signal ended it.
    pub exit_code: Option<i32>,
    /// What it said.
    pub stdout: String,
    /// What it complained about.
    pub stderr: String,
    /// It said more than is kept, and was ended for it.
    pub truncated: bool,
}

/// A program with its arguments, checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProgramCall {
    program: PathBuf,
    args: Vec<String>,
}

impl ProgramCall {
    /// As a person is asked about it: words with blanks in quotes.
    pub fn shown(&self) -> String {
        let quoted = |arg: &String| {
            if arg.is_empty() || arg.contains([' ', '"', '\'']) { format!("{arg:?}") } else { arg.clone() }
        };
        let mut words = vec![self.program.display().to_string()];
        words.extend(self.args.iter().map(quoted));
        words.join(" ")
    }
}

/// The programs that may be run.
#[derive(Debug, Clone, Default)]
pub struct Shell {
    allowed: Vec<String>,
    /// Where they run; `None`: the folder for temporary files.
    folder: Option<PathBuf>,
}

impl Shell {
    /// As the configuration says.
    pub fn new(config: &ToolsConfig, folder: Option<&Path>) -> Self {
        Self { allowed: config.shell_allow.clone(), folder: folder.map(Path::to_owned) }
    }

    /// Whether any program may be run.
    pub fn is_open(&self) -> bool {
        !self.allowed.is_empty()
    }

    /// Checks what is to be run; `program` is as the list has it, by name or by path.
    ///
    /// # Errors
    /// When it is not allowed, not there, or an argument is none.
    pub fn order(&self, program: &str, args: &[&str]) -> Result<ProgramCall, ShellError> {
        if self.allowed.is_empty() {
            return Err(ShellError::NothingAllowed);
        }
        let asked = program.trim();
        let found = find(asked);
        // The same program by name and by path is the same program.
        let same = |allowed: &String| {
            allowed == asked || found.is_some() && home(find(allowed)) == home(found.clone())
        };
        if !self.allowed.iter().any(same) {
            return Err(ShellError::NotAllowed(asked.to_owned(), self.allowed.join(", ")));
        }
        let program = found.ok_or_else(|| ShellError::NotFound(asked.to_owned()))?;
        // A link may have a harmless name: what it leads to counts as well.
        let real = program.canonicalize().map_err(|_| ShellError::NotFound(asked.to_owned()))?;
        if [&program, &real].iter().any(|path| runs_anything(&path.to_string_lossy())) {
            return Err(ShellError::RunsAnything(asked.to_owned()));
        }
        call(program, args)
    }

    /// A script that the owner has put where scripts are allowed, by its absolute path.
    ///
    /// # Errors
    /// When an argument is none.
    pub fn script(&self, path: &Path, args: &[&str]) -> Result<ProgramCall, ShellError> {
        call(path.to_owned(), args)
    }

    /// Runs it to its end. Dropping the future ends the program and everything it started.
    ///
    /// # Errors
    /// When it cannot be started.
    pub async fn run(&self, order: ProgramCall) -> Result<ProgramOutput, ShellError> {
        let shown = order.program.display().to_string();
        let cannot = |error: std::io::Error| ShellError::Start(shown.clone(), error.to_string());
        let temporary = std::env::temp_dir();
        let folder = self.folder.as_deref().filter(|folder| folder.is_dir()).unwrap_or(&temporary);
        let mut child = Command::new(&order.program)
            .args(&order.args)
            .env_clear()
            .env("PATH", PATH)
            .env("LANG", "C.UTF-8")
            .current_dir(folder)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0)
            .kill_on_drop(true)
            .spawn()
            .map_err(cannot)?;
        let group = ProcessGroup::led_by(child.id());
        let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
        let (mut out, mut err) = (Vec::new(), Vec::new());
        // Too much output ends both; a program that does not end is ended by the caller's time-out.
        let read = tokio::try_join!(keep(stdout, &mut out), keep(stderr, &mut err));
        let truncated = read.is_err();
        if truncated {
            group.kill();
        }
        let leaders_end = group.leaders_end();
        drop(tokio::task::spawn_blocking(move || leaders_end.wait()).await);
        // Before the program is reaped: its number stays its own until then.
        drop(group);
        let status = child.wait().await.map_err(cannot)?;
        let exit_code = if truncated { None } else { status.code() };
        Ok(ProgramOutput { exit_code, stdout: printable(&out), stderr: printable(&err), truncated })
    }
}

fn call(program: PathBuf, args: &[&str]) -> Result<ProgramCall, ShellError> {
    if let Some(at) = args.iter().position(|arg| arg.contains(char::is_control)) {
        return Err(ShellError::BadArgument(at + 1));
    }
    Ok(ProgramCall { program, args: args.iter().map(|&arg| arg.to_owned()).collect() })
}

/// The file of a program: its path, or the first of its name in [`PATH`].
fn find(program: &str) -> Option<PathBuf> {
    if program.starts_with('/') {
        return Some(PathBuf::from(program)).filter(|path| path.is_file());
    }
    if program.is_empty() || program.contains('/') {
        return None;
    }
    PATH.split(':').map(|folder| Path::new(folder).join(program)).find(|path| path.is_file())
}

/// The same place by whichever of its paths. Only the folder is looked through: several programs may be links to one
/// file that does what its name says.
fn home(program: Option<PathBuf>) -> Option<PathBuf> {
    let program = program?;
    Some(program.parent()?.canonicalize().ok()?.join(program.file_name()?))
}

/// Reads to the end; an error when there is more than is kept.
async fn keep(from: Option<impl AsyncRead + Unpin>, into: &mut Vec<u8>) -> Result<(), ()> {
    let Some(from) = from else { return Ok(()) };
    let read = from.take(MAX_OUTPUT_BYTES as u64 + 1).read_to_end(into).await;
    if into.len() > MAX_OUTPUT_BYTES {
        into.truncate(MAX_OUTPUT_BYTES);
        return Err(());
    }
    // A pipe that breaks has said all it will.
    drop(read);
    Ok(())
}

/// Text without what would move a terminal's cursor.
fn printable(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let kept = |c: &char| !c.is_control() || matches!(c, '\n' | '\t');
    text.chars().filter(kept).collect::<String>().trim_end().to_owned()
}

#[cfg(test)]
#[path = "shell_tests.rs"]
mod tests;
