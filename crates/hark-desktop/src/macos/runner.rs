//! Runs the programs of macOS: found where the system has them, not by `PATH`; ended when their time is over.

use super::command::CommandLine;
use super::error::{MacError, failure};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use tokio::io::AsyncWriteExt;
use tokio::process::Command;

/// Where macOS has its programs; nobody but Apple can write there.
const FOLDERS: [&str; 4] = ["/usr/bin", "/usr/sbin", "/bin", "/sbin"];
/// pbcopy and pbpaste take text for what the locale says, and networksetup answers in its language.
const LOCALE: &str = "en_US.UTF-8";
/// Most that is read of a program's answer.
const MAX_OUTPUT_BYTES: usize = 16 * 1024 * 1024;

/// Where programs are looked for; cheap to clone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Runner {
    folders: Vec<PathBuf>,
}

impl Default for Runner {
    fn default() -> Self {
        Self { folders: FOLDERS.map(PathBuf::from).into() }
    }
}

impl Runner {
    /// One whose programs are in this folder.
    pub(crate) fn of(folder: &Path) -> Self {
        Self { folders: vec![folder.to_owned()] }
    }

    /// Whether a program is there.
    ///
    /// # Errors
    /// When it is not.
    pub(crate) fn has(&self, program: &'static str) -> Result<PathBuf, MacError> {
        let mut paths = self.folders.iter().map(|folder| folder.join(program));
        paths.find(|path| path.is_file()).ok_or(MacError::NoProgram(program))
    }

    /// What it prints.
    ///
    /// # Errors
    /// When it is not there, fails, or does not end in time.
    pub(crate) async fn answer(&self, command: &CommandLine) -> Result<String, MacError> {
        let path = self.has(command.program)?;
        let failed = |error: std::io::Error| MacError::Failed(format!("{}: {error}", command.program));
        let mut child = Command::new(path)
            .args(&command.arguments)
            .env("LC_ALL", LOCALE)
            .stdin(if command.input.is_some() { Stdio::piped() } else { Stdio::null() })
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .map_err(failed)?;
        let work = async {
            let (input, words) = (child.stdin.take(), command.input.as_deref().unwrap_or_default());
            let write = async move {
                if let Some(mut input) = input {
                    // One that ends without reading it tells why on its standard error.
                    let _ = input.write_all(words.as_bytes()).await;
                }
            };
            tokio::join!(write, child.wait_with_output()).1
        };
        let output = tokio::time::timeout(command.limit, work).await;
        let output = output.map_err(|_| MacError::Timeout(command.program))?.map_err(failed)?;
        if output.stdout.len() > MAX_OUTPUT_BYTES {
            return Err(MacError::Failed(format!("{} said more than can be read", command.program)));
        }
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        if output.status.success() {
            return Ok(text(&output.stdout));
        }
        let complaint = if output.stderr.is_empty() { &output.stdout } else { &output.stderr };
        Err(failure(command.program, &text(complaint)))
    }

    /// The same for callers that wait. On a thread of its own: the caller may be within a runtime.
    ///
    /// # Errors
    /// As [`Runner::answer`].
    pub(crate) fn waited(&self, command: CommandLine) -> Result<String, MacError> {
        let failed = |error: std::io::Error| MacError::Failed(error.to_string());
        let runner = self.clone();
        let run = move || {
            let runtime =
                tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(failed)?;
            runtime.block_on(runner.answer(&command))
        };
        let thread = std::thread::Builder::new().name("hark-mac".into()).spawn(run).map_err(failed)?;
        thread.join().unwrap_or_else(|_| Err(MacError::Failed("the call ended unexpectedly".into())))
    }
}

#[cfg(test)]
mod tests {
    use super::super::played::Played;
    use super::*;
    use std::time::Duration;

    #[test]
    fn programs_get_their_arguments_and_input_as_they_are() {
        let played = Played::new();
        played.program("pbcopy", "cat > \"$0.input\"; echo \"$LC_ALL\"");
        let words = "two\nlines; \"$(rm x)\" ä";
        let command = CommandLine::new("pbcopy", ["-pboard", "a b", "*"]).with_input(words);
        assert_eq!(played.runner().waited(command).unwrap(), "en_US.UTF-8\n");
        assert_eq!(played.calls(), ["pbcopy|-pboard|a b|*"]);
        assert_eq!(played.file("pbcopy.input"), words);
    }

    #[test]
    fn a_program_that_fails_hangs_or_is_missing_is_told_of() {
        let played = Played::new();
        played.program("osascript", "echo 'execution error: no. (-1743)' >&2; exit 1");
        // A shell would leave its child behind, which holds the pipes.
        played.program("pmset", "exec sleep 30");
        let run = |command| played.runner().waited(command);
        assert_eq!(
            run(CommandLine::new("osascript", ["x"])),
            Err(MacError::NotGranted(super::super::Privacy::Automation))
        );
        let hangs = CommandLine::new("pmset", ["sleepnow"]).within(Duration::from_millis(200));
        assert_eq!(run(hangs), Err(MacError::Timeout("pmset")));
        assert_eq!(run(CommandLine::new("mdfind", ["x"])), Err(MacError::NoProgram("mdfind")));
    }

    #[tokio::test]
    async fn waiting_within_a_runtime_is_allowed() {
        let played = Played::new();
        played.program("pbpaste", "echo text");
        assert_eq!(played.runner().waited(CommandLine::new("pbpaste", [""; 0])).unwrap(), "text\n");
    }
}
