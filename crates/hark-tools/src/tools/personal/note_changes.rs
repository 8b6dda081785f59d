//! `notes.rename`, `notes.replace` and `notes.remove`. A note that is removed goes into a hidden folder of the notes, from which
//! it is taken back.

use super::notes::{
    all, file_title, files, is_called, make_folder, no_such, numbered, shown, title_asked, title_of,
};
use crate::files::{FileEntry, FileError, Files, Target};
use crate::tools::args::Args;
use crate::tools::outcome::{Failure, Outcome, Prepared, blocking};
use crate::tools::services::Services;
use chrono::NaiveDate;
use hark_core::tool::{error_code, reason};
use hark_home::undo::{NoteChange, Undoable};
use serde_json::{Value, json};
use std::sync::Arc;

/// Where removed notes are, in the folder of notes. Hidden, so that nothing finds them there.
const TRASH: &str = ".trash";
/// Most notes between which is asked.
const MAX_CANDIDATES: usize = 5;

/// `notes.rename`.
pub fn rename(services: &Arc<Services>, args: &Args) -> Result<Prepared, Failure> {
    let (files, asked) = (files(services)?, Asked::of(services, args));
    let wanted = args.owned("to").unwrap_or_default();
    let today = (services.clock)().date_naive();
    Ok(blocking(move || {
        let note = asked.one(&files, today)?;
        let (title, before) = (file_title(&wanted, today), title_of(&note.path));
        let from = path_of(&note);
        let to = note.path.with_file_name(format!("{title}.md")).display().to_string();
        // Another case of the same letters is no other note on some disks, and one on others.
        if title == before {
            return Ok(Outcome::new(false, Value::Object(shown(&note, today))));
        }
        let moved = match files.rename(&from, &to, Target::New) {
            Err(FileError::Exists(_)) => {
                let message = format!("there is a note called {title} already");
                let failure = Failure::new(error_code::BAD_ARGUMENT, message).because(reason::NOTE_EXISTS);
                return Err(failure.with("title", json!(title)));
            }
            moved => moved?,
        };
        let mut detail = shown(&moved, today);
        detail.insert("before".into(), json!(before));
        let change = NoteChange::Moved { from, to: path_of(&moved), is_removed: false };
        Ok(Outcome::new(true, Value::Object(detail)).undone_by(Undoable::Note { title: before, change }))
    }))
}

/// `notes.replace`.
pub fn replace(services: &Arc<Services>, args: &Args) -> Result<Prepared, Failure> {
    let (files, asked) = (files(services)?, Asked::of(services, args));
    let text = format!("{}\n", args.owned("text").unwrap_or_default().trim_end());
    let today = (services.clock)().date_naive();
    Ok(blocking(move || {
        let note = asked.one(&files, today)?;
        let (path, before) = (path_of(&note), whole(&files, &note)?);
        let written = files.write(&path, &text, Target::Replaced)?;
        if whole(&files, &written)? != text {
            return Err(Failure::new(error_code::FAILED, "the note does not show the change").changed(true));
        }
        let title = title_of(&note.path);
        let change = NoteChange::Written { path, before, after: text };
        let detail = Value::Object(shown(&written, today));
        Ok(Outcome::new(true, detail).undone_by(Undoable::Note { title, change }))
    }))
}

/// `notes.remove`.
pub fn remove(services: &Arc<Services>, args: &Args) -> Result<Prepared, Failure> {
    let (files, asked) = (files(services)?, Asked::of(services, args));
    let today = (services.clock)().date_naive();
    Ok(blocking(move || {
        let note = asked.one(&files, today)?;
        let (from, title) = (path_of(&note), title_of(&note.path));
        let to = into_trash(&files, &note)?;
        if files.info(&from)?.is_some() {
            return Err(Failure::new(error_code::FAILED, "the note is still there"));
        }
        let mut detail = shown(&note, today);
        detail.insert("trash".into(), json!(to));
        let change = NoteChange::Moved { from, to, is_removed: true };
        Ok(Outcome::new(true, Value::Object(detail)).undone_by(Undoable::Note { title, change }))
    }))
}

/// Takes a change back, where the note is as the change left it; answers what is undone.
///
/// # Errors
/// When it was changed meanwhile.
pub fn put_back(services: &Services, change: &NoteChange) -> Result<&'static str, Failure> {
    let files = files(services)?;
    let is_still = |path: &str, text: &str| -> Result<FileEntry, Failure> {
        let there = files.info(path)?.ok_or_else(changed)?;
        if whole(&files, &there)? == text { Ok(there) } else { Err(changed()) }
    };
    Ok(match change {
        NoteChange::Taken { path, text } => {
            into_trash(&files, &is_still(path, text)?)?;
            "taken"
        }
        NoteChange::Written { path, before, after } => {
            is_still(path, after)?;
            files.write(path, before, Target::Replaced)?;
            "written"
        }
        NoteChange::Moved { from, to, is_removed } => {
            files.rename(to, from, Target::New).map_err(|error| match error {
                FileError::Exists(_) | FileError::NotFound(_) => changed(),
                error => error.into(),
            })?;
            if *is_removed { "removed" } else { "renamed" }
        }
    })
}

fn changed() -> Failure {
    Failure::new(error_code::FAILED, "the note was changed meanwhile").because(reason::CHANGED_MEANWHILE)
}

fn path_of(note: &FileEntry) -> String {
    note.path.display().to_string()
}

/// The whole text of a note.
///
/// # Errors
/// When it is longer than what is kept to take a change back.
pub(super) fn whole(files: &Files, note: &FileEntry) -> Result<String, Failure> {
    let read = files.read(&path_of(note), 0)?;
    if read.truncated {
        return Err(Failure::new(error_code::UNSUPPORTED, "the note is too long to be changed here"));
    }
    Ok(read.text)
}

/// Puts a note into the trash, under a name that none there has; answers its path.
fn into_trash(files: &Files, note: &FileEntry) -> Result<String, Failure> {
    let Some(root) = files.first_root() else { return Err(FileError::NoRoots.into()) };
    let trash = root.join(TRASH);
    make_folder(&trash)?;
    let moved = numbered(&title_of(&note.path), |name| {
        files.rename(&path_of(note), &trash.join(name).display().to_string(), Target::New)
    })?;
    Ok(path_of(&moved))
}

/// Which note is meant.
struct Asked {
    id: Option<String>,
    title: Option<String>,
}

impl Asked {
    fn of(services: &Services, args: &Args) -> Self {
        Self { id: args.owned("id"), title: title_asked(services, args) }
    }

    /// The one that is meant: the newest of all where no title was said. Where several fit, it is asked which.
    fn one(&self, files: &Files, today: NaiveDate) -> Result<FileEntry, Failure> {
        let mut notes = all(files)?;
        let named =
            |note: &FileEntry, title: &str| title_of(&note.path).to_lowercase() == title.to_lowercase();
        match (&self.id, &self.title) {
            (Some(id), _) => notes.retain(|note| named(note, id)),
            (None, Some(title)) if notes.iter().any(|note| named(note, title)) => {
                notes.retain(|note| named(note, title));
            }
            (None, Some(title)) => notes.retain(|note| is_called(note, title)),
            (None, None) => notes.truncate(1),
        }
        match notes.len() {
            0 => Err(no_such(self.id.as_deref().or(self.title.as_deref()))),
            1 => Ok(notes.remove(0)),
            count => {
                let candidates = notes.iter().take(MAX_CANDIDATES).map(|note| {
                    let mut shown = shown(note, today);
                    shown.insert("id".into(), json!(title_of(&note.path)));
                    shown.insert("note".into(), json!(true));
                    Value::Object(shown)
                });
                let candidates: Vec<Value> = candidates.collect();
                let failure = Failure::new(error_code::AMBIGUOUS, format!("{count} notes fit"));
                Err(failure.with("candidates", json!(candidates)))
            }
        }
    }
}
