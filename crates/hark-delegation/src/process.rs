//! One run of a program: writes its standard input, passes each output line on as it arrives, and kills its process group
//! at the end.
//! Dropping the future ends it.

use rustix::process::{Pid, Signal, kill_process_group};
use std::process::Stdio;
use tokio::io::{AsyncBufRead, AsyncBufReadExt, AsyncRead, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::process::Command;

/// Longest line that is read; a longer one is left out.
const MAX_LINE_BYTES: usize = 1024 * 1024;
/// Most a program may say; one that says more is ended.
const MAX_OUTPUT_BYTES: usize = 64 * 1024 * 1024;
/// Most of what it complains about that is kept.
const MAX_COMPLAINT_BYTES: usize = 4096;

/// How a run ended.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Exit {
    /// Its exit code; `None` when a signal ended it.
    pub(crate) code: Option<i32>,
    /// The end of what it complained about.
    pub(crate) complaint: String,
    /// It said more than is read.
    pub(crate) said_too_much: bool,
}

/// Runs it to its end; `line` is called with each line of its standard output.
///
/// # Errors
/// When it cannot be started.
pub(crate) async fn run(
    mut command: Command,
    input: String,
    mut line: impl FnMut(&str),
) -> std::io::Result<Exit> {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.process_group(0).kill_on_drop(true).spawn()?;
    let group = Group(child.id().and_then(|id| Pid::from_raw(i32::try_from(id).ok()?)));
    let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    let feed = async {
        if let Some(mut stdin) = stdin {
            // A program that reads nothing has closed it; what it says then tells more.
            let _ = stdin.write_all(input.as_bytes()).await;
        }
    };
    let listen = async {
        let mut total = 0;
        let Some(stdout) = stdout else { return false };
        let mut reader = BufReader::new(stdout);
        let mut bytes = Vec::new();
        while let Some(read) = next_line(&mut reader, &mut bytes).await {
            total += read;
            if total > MAX_OUTPUT_BYTES {
                group.kill();
                return true;
            }
            line(&String::from_utf8_lossy(&bytes));
        }
        false
    };
    let (said_too_much, complaint, ()) = tokio::join!(listen, end_of(stderr), feed);
    let status = child.wait().await?;
    drop(group);
    Ok(Exit { code: status.code().filter(|_| !said_too_much), complaint, said_too_much })
}

/// Reads a line into `bytes`, which stay empty where it is too long; how many bytes were read, `None` at the end.
async fn next_line(reader: &mut (impl AsyncBufRead + Unpin), bytes: &mut Vec<u8>) -> Option<usize> {
    bytes.clear();
    let (mut total, mut is_too_long) = (0, false);
    loop {
        let found = reader.fill_buf().await.unwrap_or_default();
        if found.is_empty() {
            return (total > 0).then_some(total);
        }
        let end = found.iter().position(|byte| *byte == b'\n');
        let used = end.map_or(found.len(), |end| end + 1);
        if bytes.len() + used > MAX_LINE_BYTES {
            (is_too_long, *bytes) = (true, Vec::new());
        }
        if !is_too_long {
            bytes.extend_from_slice(&found[..used]);
        }
        reader.consume(used);
        total += used;
        if end.is_some() || total > MAX_OUTPUT_BYTES {
            return Some(total);
        }
    }
}

/// Reads to the end and keeps what came last.
async fn end_of(from: Option<impl AsyncRead + Unpin>) -> String {
    let Some(mut from) = from else { return String::new() };
    let (mut kept, mut piece) = (Vec::new(), [0; 4096]);
    while let Ok(read @ 1..) = from.read(&mut piece).await {
        kept.extend_from_slice(&piece[..read]);
        let over = kept.len().saturating_sub(MAX_COMPLAINT_BYTES);
        kept.drain(..over);
    }
    String::from_utf8_lossy(&kept).into_owned()
}

/// A group of processes that ends with this.
struct Group(Option<Pid>);

impl Group {
    fn kill(&self) {
        if let Some(leader) = self.0 {
            // Gone already is fine.
            let _ = kill_process_group(leader, Signal::KILL);
        }
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.kill();
    }
}
