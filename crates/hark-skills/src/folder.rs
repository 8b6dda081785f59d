//! The folders of skills: who may write there, and what stands in them.

use crate::manifest::{self, Manifest};
use crate::problem::Problem;
use crate::{MANIFEST, TEXT};
use rustix::process::geteuid;
use std::fs::Metadata;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

/// Most skills of a folder.
const MAX_SKILLS: usize = 64;
/// Largest manifest, bytes.
const MAX_MANIFEST_BYTES: u64 = 16 * 1024;
/// Longest text, characters: it stands in a prompt.
const MAX_TEXT_CHARS: usize = 8000;

/// Where skills are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Folders {
    /// The owner's; need not be there.
    pub own: PathBuf,
    /// Those that come with Hark; `None`: they are not wanted.
    pub shipped: Option<PathBuf>,
}

/// What was read.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Found {
    /// Skills without a mistake, by name.
    pub skills: Vec<ReadSkill>,
    /// What is wrong with the others.
    pub problems: Vec<Problem>,
}

/// A skill as it stands on the disk.
#[derive(Debug, Clone, PartialEq)]
pub struct ReadSkill {
    /// Its manifest.
    pub manifest: Manifest,
    /// How it is to be done.
    pub text: String,
    /// Its folder.
    pub folder: PathBuf,
    /// It came with Hark.
    pub is_shipped: bool,
}

/// Reads every skill; one of the owner's takes the place of a shipped one.
pub fn read(folders: &Folders) -> Found {
    let mut found = Found::default();
    let places = [(Some(&folders.own), false), (folders.shipped.as_ref(), true)];
    for (place, is_shipped) in places.into_iter().filter_map(|(place, it)| Some((place?, it))) {
        for folder in entries(place, &mut found.problems) {
            let name = folder.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
            let is_known = |skill: &ReadSkill| skill.manifest.name == name;
            if found.skills.iter().any(is_known) {
                continue;
            }
            match read_one(&folder, is_shipped) {
                Ok(skill) => found.skills.push(skill),
                Err(problems) => found.problems.extend(problems),
            }
        }
    }
    found.skills.sort_by(|a, b| a.manifest.name.cmp(&b.manifest.name));
    found
}

/// The folders in a folder of skills.
fn entries(place: &Path, problems: &mut Vec<Problem>) -> Vec<PathBuf> {
    let Ok(listing) = std::fs::read_dir(place) else { return Vec::new() };
    if let Err(problem) = is_owners(place) {
        problems.push(problem);
        return Vec::new();
    }
    let is_hidden =
        |path: &PathBuf| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'));
    let mut folders: Vec<PathBuf> = listing
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.is_dir() && !is_hidden(path))
        .collect();
    folders.sort();
    if folders.len() > MAX_SKILLS {
        problems.push(Problem {
            file: place.to_owned(),
            line: None,
            message: format!("{} skills stand in it; {MAX_SKILLS} are read", folders.len()),
            fix: "take some of them away".into(),
        });
        folders.truncate(MAX_SKILLS);
    }
    folders
}

/// Reads the skill of a folder.
///
/// # Errors
/// Every mistake in it.
pub fn read_one(folder: &Path, is_shipped: bool) -> Result<ReadSkill, Vec<Problem>> {
    let one = |problem| vec![problem];
    let at = |file: &Path, message: String, fix: &str| Problem {
        file: file.to_owned(),
        line: None,
        message,
        fix: fix.to_owned(),
    };
    is_owners(folder).map_err(one)?;
    let (file, text_file) = (folder.join(MANIFEST), folder.join(TEXT));
    let read = |file: &Path, most: u64| {
        let size = is_owners(file)?.len();
        if size > most {
            return Err(at(file, format!("it has {size} bytes; at most {most} are read"), "shorten it"));
        }
        std::fs::read_to_string(file)
            .map_err(|error| at(file, format!("it cannot be read: {error}"), "write it as UTF-8 text"))
    };
    let mut problems = Vec::new();
    let name = folder.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let manifest =
        read(&file, MAX_MANIFEST_BYTES).map_err(one).and_then(|text| manifest::read(&file, &text, &name));
    let text = read(&text_file, MAX_TEXT_CHARS as u64 * 4).map_err(one).and_then(|text| {
        let plain: String = text.chars().filter(|c| !c.is_control() || matches!(c, '\n' | '\t')).collect();
        let plain = plain.trim().to_owned();
        match plain.chars().count() {
            0 => Err(one(at(&text_file, "it is empty".into(), "say in it how the household wants it done"))),
            1..=MAX_TEXT_CHARS => Ok(plain),
            count => {
                let message =
                    format!("it has {count} characters; at most {MAX_TEXT_CHARS} fit into a prompt");
                Err(one(at(&text_file, message, "shorten it, or make two skills of it")))
            }
        }
    });
    let manifest = manifest.map_err(|found| problems.extend(found)).ok();
    let text = text.map_err(|found| problems.extend(found)).ok();
    for script in manifest.iter().flat_map(|manifest| &manifest.scripts) {
        let path = folder.join(&script.file);
        match is_owners(&path) {
            Err(problem) => problems.push(problem),
            Ok(file) if !file.is_file() || file.permissions().mode() & 0o111 == 0 => {
                let fix = format!("chmod +x {}", path.display());
                problems.push(at(
                    &path,
                    format!("the script of the tool {} cannot be run", script.name),
                    &fix,
                ));
            }
            Ok(_) => {}
        }
    }
    match (manifest, text) {
        (Some(manifest), Some(text)) if problems.is_empty() => {
            Ok(ReadSkill { manifest, text, folder: folder.to_owned(), is_shipped })
        }
        _ => Err(problems),
    }
}

/// Whether only the owner of this program, or the system's, can write a file or folder: then its words are the owner's.
fn is_owners(path: &Path) -> Result<Metadata, Problem> {
    let problem = |message: String, fix: String| Problem { file: path.to_owned(), line: None, message, fix };
    let known = std::fs::metadata(path).map_err(|error| {
        problem(
            format!("it cannot be read: {error}"),
            format!("write it; `hark skills new` makes {MANIFEST} and {TEXT}"),
        )
    })?;
    if ![0, geteuid().as_raw()].contains(&known.uid()) {
        return Err(problem(
            "it belongs to somebody else, whose words are not the owner's".into(),
            format!("look at what stands in it, then: chown {} {}", geteuid().as_raw(), path.display()),
        ));
    }
    if known.permissions().mode() & 0o022 != 0 {
        return Err(problem(
            "others can write it, so its words need not be the owner's".into(),
            format!("look at what stands in it, then: chmod go-w {}", path.display()),
        ));
    }
    Ok(known)
}

/// What tells whether anything has changed: path, length and time of every file.
pub(crate) fn fingerprint(folders: &Folders) -> Vec<(PathBuf, u64, i64, i64)> {
    let mut seen = Vec::new();
    for place in [Some(&folders.own), folders.shipped.as_ref()].into_iter().flatten() {
        let skills = std::fs::read_dir(place).into_iter().flatten().flatten().take(MAX_SKILLS * 2);
        for skill in skills.map(|entry| entry.path()).filter(|path| path.is_dir()) {
            let files = std::fs::read_dir(&skill).into_iter().flatten().flatten().take(MAX_SKILLS);
            let paths = files.map(|entry| entry.path()).chain([skill.clone()]);
            seen.extend(paths.filter_map(|path| {
                let known = std::fs::metadata(&path).ok()?;
                // Changes of owner and mode count as well.
                Some((path, known.len(), known.ctime(), known.ctime_nsec()))
            }));
        }
    }
    seen.sort();
    seen
}
