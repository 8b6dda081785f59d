//! A line of JSON a turn, in a file a day: `journal/2026-11-22.ndjson`. Lines are written whole, one write each; a
//! line that a power cut tore stays as it is, and the next one begins on a line of its own.

use chrono::{Days, NaiveDate};
use hark_config::journal::JournalConfig;
use hark_config::paths;
use hark_core::public_event::{PublicEvent, Timings};
use hark_core::session::{ReplayPolicy, ReplayReason, SessionSettings};
use hark_core::{Envelope, Fault, FaultKind, Route};
use serde::Serialize;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

const ENDING: &str = ".ndjson";
const MEGABYTE: u64 = 1_000_000;
/// A file longer than this part of what all may take is closed, and the day goes on in another.
const FILES_PER_LIMIT: u64 = 4;

/// One turn.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Line {
    /// When it began, RFC 3339.
    pub time: String,
    /// The conversation.
    pub session: String,
    /// `chat`, `voice` or `focus`.
    pub mode: String,
    /// As whom Hark answered; empty: itself.
    pub persona: String,
    /// `short` or `long`.
    pub verbosity: hark_core::session::Verbosity,
    /// Whether earlier turns were told to a model.
    pub replay: Replay,
    /// What was asked.
    pub request: String,
    /// What was answered.
    pub response: String,
    /// What of the earlier turns.
    pub replay_policy: ReplayPolicy,
    /// The stage of the router that served it.
    pub route: Option<Route>,
    /// Stage times in milliseconds.
    pub timings: Timings,
    /// Calls of tools and models.
    pub attempts: u32,
}

/// Whether earlier turns were told to a model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Replay {
    /// They were.
    pub enabled: bool,
    /// How many.
    pub count: usize,
    /// Because a named conversation was taken up again.
    pub session: bool,
}

/// What was said in a turn, from its events.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TurnText {
    /// What was asked; empty without a request.
    pub request: String,
    /// What was answered.
    pub response: String,
    /// ISO 639-1 code of the request.
    pub language: String,
    streaming: Option<usize>,
}

impl TurnText {
    /// Takes what an event says. PINs are not in events.
    pub fn take(&mut self, event: &PublicEvent) {
        match event {
            PublicEvent::Transcript(transcript) if transcript.rejected.is_none() => {
                self.request.clone_from(&transcript.text);
                self.language.clone_from(&transcript.language);
            }
            PublicEvent::Reply { text, ends, .. } => self.reply(text, *ends),
            _ => {}
        }
    }

    /// A reply, or a piece of one that is streamed; its last piece may repeat the whole.
    fn reply(&mut self, text: &str, ends: bool) {
        let from = match self.streaming {
            Some(from) => from,
            None => {
                if !self.response.is_empty() {
                    self.response.push(' ');
                }
                self.response.len()
            }
        };
        let so_far = &self.response[from..];
        if ends && !so_far.is_empty() && text.trim_start().starts_with(so_far.trim()) {
            self.response.truncate(from);
        }
        self.response.push_str(text);
        self.streaming = (!ends).then_some(from);
    }
}

impl Line {
    /// From the closing record of a turn and what is known of it.
    pub fn new(
        closing: &Envelope,
        began: &str,
        session: &str,
        settings: SessionSettings,
        words: &TurnText,
        policy: Option<ReplayPolicy>,
    ) -> Option<Self> {
        let PublicEvent::Turn { timings_ms, route, attempts, .. } = &closing.event else { return None };
        let policy = policy.unwrap_or_else(|| ReplayPolicy::nothing(0));
        Some(Self {
            time: began.to_owned(),
            session: session.to_owned(),
            mode: settings.mode,
            persona: settings.persona,
            verbosity: settings.verbosity,
            replay: Replay {
                enabled: policy.reason.is_some(),
                count: policy.entries_used,
                session: policy.reason == Some(ReplayReason::Session),
            },
            request: words.request.clone(),
            response: words.response.clone(),
            replay_policy: policy,
            route: *route,
            timings: *timings_ms,
            attempts: *attempts,
        })
    }
}

/// The files.
#[derive(Debug)]
pub struct Journal {
    dir: PathBuf,
    keep_days: u64,
    most_bytes: u64,
    /// The day that was written to last; one writer at a time.
    last: Mutex<Option<NaiveDate>>,
}

impl Journal {
    /// Keeps its files in `dir`, which is made with the first line.
    pub fn new(dir: PathBuf, settings: &JournalConfig) -> Self {
        let most_bytes = u64::from(settings.max_megabytes) * MEGABYTE;
        Self { dir, keep_days: settings.keep_days.into(), most_bytes, last: Mutex::default() }
    }

    /// Adds a line to the file of its day; forgets files that are too old or too much. Waits for the file system.
    ///
    /// # Errors
    /// When it could not be written.
    pub fn append(&self, line: &Line) -> Result<(), Fault> {
        let day: NaiveDate = match line.time.get(..10).and_then(|day| day.parse().ok()) {
            Some(day) => day,
            None => return Err(self.fault(format!("a turn without a date: {:?}", line.time))),
        };
        let mut text = serde_json::to_string(line).map_err(|error| self.fault(error.to_string()))?;
        text.push('\n');
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let size = self.write(day, &text).map_err(|error| self.fault(error.to_string()))?;
        let grown = size >= self.most_bytes / FILES_PER_LIMIT;
        if grown || *last != Some(day) {
            if grown {
                self.close_part(day).map_err(|error| self.fault(error.to_string()))?;
            }
            self.forget(day).map_err(|error| self.fault(error.to_string()))?;
        }
        *last = Some(day);
        Ok(())
    }

    /// Writes one line and answers how long the file is then.
    fn write(&self, day: NaiveDate, line: &str) -> io::Result<u64> {
        paths::make_dir(&self.dir, 0o750)?;
        let mut file = open(&self.file_of(day))?;
        let torn = is_torn(&mut file)?;
        let line = if torn { format!("\n{line}") } else { line.to_owned() };
        // One call, at the end of the file: whole or torn, never mixed with another program's line.
        file.write_all(line.as_bytes())?;
        Ok(file.metadata()?.len())
    }

    fn file_of(&self, day: NaiveDate) -> PathBuf {
        self.dir.join(format!("{day}{ENDING}"))
    }

    /// Gives the day's file the next number; the day goes on in a new one.
    fn close_part(&self, day: NaiveDate) -> io::Result<()> {
        let mut number = 1;
        for entry in fs::read_dir(&self.dir)?.flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            number = number.max(part_of(&name, day).map_or(0, |part| part + 1));
        }
        fs::rename(self.file_of(day), self.dir.join(format!("{day}.{number:03}{ENDING}")))
    }

    /// Takes files away that are too old, then the oldest while all are too much.
    fn forget(&self, today: NaiveDate) -> io::Result<()> {
        let mut files: Vec<(String, PathBuf, u64)> = Vec::new();
        for entry in fs::read_dir(&self.dir)?.flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            let Some(day) = day_of(&name) else { continue };
            let oldest = today.checked_sub_days(Days::new(self.keep_days.saturating_sub(1)));
            if oldest.is_some_and(|oldest| day < oldest) {
                remove(&entry.path())?;
            } else {
                files.push((sorted(&name), entry.path(), entry.metadata().map_or(0, |data| data.len())));
            }
        }
        files.sort_unstable();
        let mut total: u64 = files.iter().map(|(_, _, size)| size).sum();
        let now = self.file_of(today);
        for (_, path, size) in files.iter().filter(|(_, path, _)| *path != now) {
            if total <= self.most_bytes {
                break;
            }
            remove(path)?;
            total = total.saturating_sub(*size);
        }
        Ok(())
    }

    fn fault(&self, why: String) -> Fault {
        let message = format!("the journal in {} cannot be written: {why}", self.dir.display());
        let fix = "make room or correct journal.dir, or set journal.enabled = false";
        Fault::new(FaultKind::Failed, "journal", message, fix).recoverable()
    }
}

/// A file that only its owner can read: it holds what was said at home.
fn open(path: &Path) -> io::Result<File> {
    paths::private(OpenOptions::new().read(true).append(true).create(true)).open(path)
}

/// Whether the last line has no end.
fn is_torn(file: &mut File) -> io::Result<bool> {
    if file.metadata()?.len() == 0 {
        return Ok(false);
    }
    let mut last = [0];
    file.seek(SeekFrom::End(-1))?;
    file.read_exact(&mut last)?;
    Ok(last != *b"\n")
}

/// The day of a journal's file, `None` for any other file.
fn day_of(name: &str) -> Option<NaiveDate> {
    let stem = name.strip_suffix(ENDING)?;
    let (day, part) = stem.split_once('.').unwrap_or((stem, "0"));
    part.parse::<u32>().ok().and_then(|_| day.parse().ok())
}

/// The number of a closed part of a day.
fn part_of(name: &str, day: NaiveDate) -> Option<u32> {
    name.strip_prefix(&format!("{day}."))?.strip_suffix(ENDING)?.parse().ok()
}

/// A name by which files come in the order they were written: the one without a number is the last of its day.
fn sorted(name: &str) -> String {
    let stem = name.trim_end_matches(ENDING);
    if stem.contains('.') { stem.to_owned() } else { format!("{stem}.~") }
}

fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

#[cfg(test)]
#[path = "tests/journal.rs"]
mod tests;
