//! `notes.*`: the household's notes, a folder of Markdown files. A note is called as its file is.

use super::{day_fields, without_article};
use crate::files::{FileEntry, FileError, Files, Target};
use crate::tools::args::Args;
use crate::tools::outcome::{Failure, Outcome, Prepared, blocking};
use crate::tools::services::Services;
use chrono::{DateTime, NaiveDate};
use hark_core::tool::{
    error_code,
    reason::{self, Part},
};
use hark_home::undo::{NoteChange, Undoable};
use serde_json::{Map, Value, json};
use std::path::Path;
use std::sync::Arc;

/// Most of a note that is told, characters.
const MAX_TOLD_CHARS: usize = 4000;
/// Longest title that is made of the words of a note, characters.
const MAX_TITLE_CHARS: usize = 50;
/// Most notes that are looked at.
const MAX_NOTES: usize = 20_000;
/// Most notes that a search tells, and most where all are asked for.
const MAX_FOUND: usize = 20;
const MAX_LISTED: usize = 200;
/// Notes of the same title that get numbers.
const MAX_NUMBER: u32 = 1000;

fn none() -> Failure {
    Failure::not_set_up(Part::Notes, "there is no folder of notes")
        .fix("name one: personal.notes_folder = \"~/Notes\"")
}

/// Whether there is a folder.
pub fn ready(services: &Services) -> Result<(), Failure> {
    services.personal.notes().map(drop).ok_or_else(none)
}

pub(super) fn files(services: &Services) -> Result<Files, Failure> {
    services.personal.notes().ok_or_else(none)
}

/// `notes.read`.
pub fn read(services: &Arc<Services>, args: &Args) -> Result<Prepared, Failure> {
    let (files, title) = (files(services)?, title_asked(services, args));
    let today = (services.clock)().date_naive();
    Ok(blocking(move || {
        let notes = all(&files)?;
        let Some(note) = meant(&notes, title.as_deref()) else { return Err(no_such(title.as_deref())) };
        let read = files.read(&note.path.display().to_string(), 0)?;
        let text: String = read.text.trim().chars().take(MAX_TOLD_CHARS).collect();
        let is_cut = read.truncated || text.len() < read.text.trim().len();
        let mut detail = json!({"count": notes.len(), "text": text, "truncated": is_cut});
        if let Value::Object(detail) = &mut detail {
            detail.extend(shown(note, today));
        }
        Ok(Outcome::answer(detail))
    }))
}

/// `notes.search`.
pub fn search(services: &Arc<Services>, args: &Args) -> Result<Prepared, Failure> {
    let (files, words) = (files(services)?, args.text("words").map(|words| without_article(services, words)));
    let today = (services.clock)().date_naive();
    Ok(blocking(move || {
        let notes = all(&files)?;
        let lines = match &words {
            Some(words) if !notes.is_empty() => files.search_contents(words, None, MAX_NOTES)?,
            _ => Default::default(),
        };
        let line = |note: &FileEntry| lines.found.iter().find(|found| found.path == note.path);
        let fits = |note: &&FileEntry| {
            words.as_ref().is_none_or(|words| is_called(note, words)) || line(note).is_some()
        };
        let found: Vec<&FileEntry> = notes.iter().filter(fits).collect();
        let most = if words.is_some() { MAX_FOUND } else { MAX_LISTED };
        let shown = found.iter().take(most).map(|note| {
            let mut shown = shown(note, today);
            let text = line(note).map_or_else(String::new, |found| found.text.clone());
            shown.insert("text".into(), json!(text));
            Value::Object(shown)
        });
        let mut detail = json!({"count": found.len(), "notes": shown.collect::<Vec<_>>()});
        if let Some(words) = words {
            detail["words"] = json!(words);
        }
        Ok(Outcome::answer(detail))
    }))
}

/// `notes.create`.
pub fn create(services: &Arc<Services>, args: &Args) -> Result<Prepared, Failure> {
    let (files, text) = (files(services)?, args.owned("text").unwrap_or_default());
    let title = args.owned("title").unwrap_or_else(|| text.clone());
    let today = (services.clock)().date_naive();
    Ok(blocking(move || {
        if let Some(folder) = files.first_root() {
            make_last(folder)?;
        }
        let text = format!("{}\n", text.trim_end());
        let note = numbered(&file_title(&title, today), |name| files.write(name, &text, Target::New))?;
        let (title, path) = (title_of(&note.path), note.path.display().to_string());
        let undo = Undoable::Note { title, change: NoteChange::Taken { path, text } };
        Ok(Outcome::new(true, Value::Object(shown(&note, today))).undone_by(undo))
    }))
}

/// Makes the folder of the notes where it is not there yet, and none above it: a path that was mistyped, or a disk that is not
/// mounted, is told of.
fn make_last(folder: &Path) -> Result<(), Failure> {
    match folder.parent() {
        Some(above) if !folder.is_dir() && !above.is_dir() => {
            let message =
                format!("there is no folder {}, to make the folder of the notes in", above.display());
            Err(Failure::not_set_up(Part::NotesFolder, message)
                .fix("make it, or correct personal.notes_folder"))
        }
        _ => make_folder(folder),
    }
}

/// Makes a folder, for its owner alone.
pub(super) fn make_folder(folder: &Path) -> Result<(), Failure> {
    let made = hark_config::paths::make_dir(folder, 0o700);
    Ok(made.map_err(|error| FileError::Refused(folder.display().to_string(), error.to_string()))?)
}

/// Puts a file where none is: under its title, else with a number behind it.
pub(super) fn numbered(
    title: &str,
    put: impl Fn(&str) -> Result<FileEntry, FileError>,
) -> Result<FileEntry, Failure> {
    for number in 1..MAX_NUMBER {
        let name = if number == 1 { format!("{title}.md") } else { format!("{title} {number}.md") };
        match put(&name) {
            Err(FileError::Exists(_)) => {}
            there => return Ok(there?),
        }
    }
    Err(FileError::Exists(format!("{title}.md")).into())
}

/// `notes.append`.
pub fn append(services: &Arc<Services>, args: &Args) -> Result<Prepared, Failure> {
    let (files, text) = (files(services)?, args.owned("text").unwrap_or_default());
    let (title, today) = (title_asked(services, args), (services.clock)().date_naive());
    Ok(blocking(move || {
        let notes = all(&files)?;
        let Some(note) = meant(&notes, title.as_deref()) else { return Err(no_such(title.as_deref())) };
        let path = note.path.display().to_string();
        let ends = note.bytes.unwrap_or(0).checked_sub(1).map(|last| files.read(&path, last)).transpose()?;
        let line_break = if ends.is_some_and(|end| end.text != "\n") { "\n" } else { "" };
        let before = files.read(&path, 0)?;
        let added = format!("{line_break}{}\n", text.trim_end());
        let written = files.append(&path, &added)?;
        let outcome = Outcome::new(true, Value::Object(shown(&written, today)));
        // What a note too long to be kept said is not there to be put back.
        if before.truncated {
            return Ok(outcome);
        }
        let after = format!("{}{added}", before.text);
        let change = NoteChange::Written { path, before: before.text, after };
        Ok(outcome.undone_by(Undoable::Note { title: title_of(&note.path), change }))
    }))
}

/// The title that was asked for.
pub(super) fn title_asked(services: &Services, args: &Args) -> Option<String> {
    args.text("title").map(|title| without_article(services, title))
}

/// Every note, the newest first; none where the folder is not there yet.
pub(super) fn all(files: &Files) -> Result<Vec<FileEntry>, Failure> {
    let found = match files.search("*.md", None, MAX_NOTES) {
        Err(FileError::NotFound(_)) => return Ok(Vec::new()),
        found => found?,
    };
    let mut notes: Vec<FileEntry> = found.seen.into_iter().filter(|entry| entry.kind == "file").collect();
    notes.sort_by(|a, b| b.modified_unix_s.cmp(&a.modified_unix_s).then_with(|| b.path.cmp(&a.path)));
    Ok(notes)
}

/// The note of this title, else the newest that has all its words; without one, the newest of all.
fn meant<'n>(notes: &'n [FileEntry], title: Option<&str>) -> Option<&'n FileEntry> {
    let Some(asked) = title else { return notes.first() };
    let is_exact = |note: &&FileEntry| title_of(&note.path).to_lowercase() == asked.to_lowercase();
    notes.iter().find(is_exact).or_else(|| notes.iter().find(|note| is_called(note, asked)))
}

pub(super) fn is_called(note: &FileEntry, words: &str) -> bool {
    let title = title_of(&note.path).to_lowercase();
    words.to_lowercase().split_whitespace().all(|word| title.contains(word))
}

pub(super) fn no_such(title: Option<&str>) -> Failure {
    let message = title
        .map_or_else(|| "there are no notes".to_owned(), |title| format!("there is no note called {title}"));
    let failure = Failure::new(error_code::NOT_FOUND, message).because(reason::NO_SUCH_NOTE);
    match title {
        Some(title) => failure.with("title", json!(title)),
        None => failure,
    }
}

pub(super) fn title_of(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

pub(super) fn shown(note: &FileEntry, today: NaiveDate) -> Map<String, Value> {
    let day = DateTime::from_timestamp(note.modified_unix_s, 0).map_or(today, |at| at.date_naive());
    let mut shown = day_fields(day, today);
    shown.insert("title".into(), json!(title_of(&note.path)));
    shown
}

/// A title as a file can have it: letters, digits and blanks, whole words; without any, the day.
pub(super) fn file_title(words: &str, today: NaiveDate) -> String {
    let kept = |c: char| if c.is_alphanumeric() || matches!(c, '-' | '\'' | '’') { c } else { ' ' };
    let plain: String = words.chars().map(kept).collect();
    let mut title = String::new();
    for word in plain.split_whitespace() {
        if title.chars().count() + word.chars().count() >= MAX_TITLE_CHARS {
            break;
        }
        if !title.is_empty() {
            title.push(' ');
        }
        title.push_str(word);
    }
    if title.is_empty() { today.to_string() } else { title }
}
