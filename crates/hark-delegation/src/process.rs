//! One run of a program: writes its standard input, passes each output line on as it arrives, and kills its process group
//! at the end.
//! Dropping the future ends it.

use hark_process::ProcessGroup;
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
    let group = ProcessGroup::led_by(child.id());
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
    let leaders_end = group.leaders_end();
    drop(tokio::task::spawn_blocking(move || leaders_end.wait()).await);
    // Before the program is reaped: its number stays its own until then.
    drop(group);
    let status = child.wait().await?;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn what_it_leaves_behind_ends_before_it_is_reaped_and_its_code_is_kept() {
        let mut command = Command::new("/bin/sh");
        // The one left behind holds no pipe, so that the program itself ends at once.
        command.args(["-c", "sleep 600 >/dev/null 2>&1 & echo $!; exit 3"]);
        let mut left_behind = String::new();
        let exit = run(command, String::new(), |line| left_behind = line.trim().to_owned()).await.unwrap();
        assert_eq!((exit.code, exit.said_too_much), (Some(3), false));
        let stat = format!("/proc/{left_behind}/stat");
        // It may still wait to be reaped.
        while std::fs::read_to_string(&stat).is_ok_and(|stat| !stat.contains(") Z ")) {
            tokio::time::sleep(std::time::Duration::from_millis(5)).await;
        }
    }
}
