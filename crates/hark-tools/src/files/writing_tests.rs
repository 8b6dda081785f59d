//! What is written stands there whole; nothing leaves the folders, nothing is replaced unasked.

use super::*;
use hark_config::tools::ToolsConfig;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;

struct Folders {
    _dir: tempfile::TempDir,
    base: PathBuf,
    files: Files,
}

/// `desk` may be written, `shelf` only read, `safe` neither.
fn folders() -> Folders {
    let dir = tempfile::tempdir().unwrap();
    let base = dir.path().canonicalize().unwrap();
    for folder in ["desk/inner", "shelf", "safe"] {
        fs::create_dir_all(base.join(folder)).unwrap();
    }
    fs::write(base.join("desk/list.txt"), "milk\n").unwrap();
    fs::write(base.join("shelf/book.txt"), "Once upon a time\nthere was a Käsekuchen\n").unwrap();
    fs::write(base.join("safe/secret.txt"), "the secret").unwrap();
    symlink(base.join("safe"), base.join("desk/door")).unwrap();
    symlink(base.join("safe/secret.txt"), base.join("desk/key.txt")).unwrap();
    let folder = |name: &str| vec![base.join(name).display().to_string()];
    let config = ToolsConfig {
        file_roots: folder("shelf"),
        file_write_roots: folder("desk"),
        ..ToolsConfig::default()
    };
    Folders { files: Files::new(&config), base, _dir: dir }
}

impl Folders {
    fn text(&self, path: &str) -> Option<String> {
        fs::read_to_string(self.base.join(path)).ok()
    }
}

#[test]
fn files_are_written_added_to_moved_and_copied() {
    let at = folders();
    let written = at.files.write("inner/new.md", "# New\n", Target::New).unwrap();
    assert_eq!((written.path, written.bytes), (at.base.join("desk/inner/new.md"), Some(6)));
    let more = at.files.append("inner/new.md", "more\n").unwrap();
    assert_eq!((more.bytes, at.text("desk/inner/new.md").unwrap().as_str()), (Some(11), "# New\nmore\n"));
    at.files.append("begun.txt", "first").unwrap();
    assert_eq!(at.text("desk/begun.txt").unwrap(), "first");
    at.files.rename("begun.txt", "inner/", Target::New).unwrap();
    assert_eq!(
        (at.text("desk/begun.txt"), at.text("desk/inner/begun.txt").as_deref()),
        (None, Some("first"))
    );
    at.files.rename("inner", "outer", Target::New).unwrap();
    assert_eq!(at.text("desk/outer/begun.txt").as_deref(), Some("first"));
    let book = at.base.join("shelf/book.txt").display().to_string();
    let copy = at.files.copy(&book, "outer/copy.txt", Target::New).unwrap();
    assert_eq!((copy.bytes, at.text("desk/outer/copy.txt")), (Some(41), at.text("shelf/book.txt")));
    let left: Vec<_> = fs::read_dir(at.base.join("desk/outer")).unwrap().collect();
    assert_eq!(left.len(), 3, "nothing half-written is left: {left:?}");
}

#[test]
fn nothing_is_replaced_but_where_it_was_said() {
    let at = folders();
    let exists = |result: Result<FileEntry, FileError>| matches!(result, Err(FileError::Exists(_)));
    assert!(exists(at.files.write("list.txt", "gone", Target::New)));
    let book = at.base.join("shelf/book.txt").display().to_string();
    assert!(exists(at.files.copy(&book, "list.txt", Target::New)));
    at.files.write("other.txt", "other", Target::New).unwrap();
    assert!(exists(at.files.rename("other.txt", "list.txt", Target::New)));
    assert_eq!(
        (at.text("desk/list.txt").as_deref(), at.text("desk/other.txt").as_deref()),
        (Some("milk\n"), Some("other"))
    );
    assert!(at.files.occupied("list.txt", None).unwrap().is_some());
    assert!(at.files.occupied(".", Some("list.txt")).unwrap().is_some(), "the place in the folder");
    assert!(at.files.occupied("inner", Some("list.txt")).unwrap().is_none());
    at.files.write("list.txt", "bread", Target::Replaced).unwrap();
    assert_eq!(at.text("desk/list.txt").unwrap(), "bread");
    at.files.rename("other.txt", "list.txt", Target::Replaced).unwrap();
    assert_eq!(at.text("desk/list.txt").unwrap(), "other");
}

#[test]
fn nothing_is_changed_outside_the_folders_that_may_be_written() {
    let at = folders();
    let outside = at.base.join("safe/secret.txt").display().to_string();
    let read_only = at.base.join("shelf/book.txt").display().to_string();
    let ways = [
        "../safe/new.txt",
        "inner/../../safe/new.txt",
        "door/new.txt",
        "door/../../safe/new.txt",
        "key.txt",
        "/etc/hark-was-here",
        &outside,
        &read_only,
        ".",
        "",
        "a\0b",
        "inner",
    ];
    for path in ways {
        for target in [Target::New, Target::Replaced] {
            assert!(at.files.write(path, "x", target).is_err(), "{path}");
            assert!(at.files.copy("list.txt", path, target).is_err() || path == "inner", "{path}");
            if path != "inner" {
                assert!(at.files.rename("list.txt", path, target).is_err(), "{path}");
                assert!(at.files.rename(path, "taken.txt", target).is_err(), "{path}");
            }
        }
        assert!(at.files.append(path, "x").is_err(), "{path}");
    }
    assert!(at.files.copy(&outside, "stolen.txt", Target::New).is_err());
    assert!(at.files.copy("key.txt", "stolen.txt", Target::New).is_err());
    assert!(at.files.info("door/secret.txt").is_err() && at.files.info(&outside).is_err());
    assert_eq!(at.files.info("key.txt").unwrap().unwrap().kind, "link");
    assert_eq!(at.text("safe/secret.txt").unwrap(), "the secret");
    assert_eq!(fs::read_dir(at.base.join("safe")).unwrap().count(), 1);
    assert!(at.text("desk/list.txt").is_some() && at.text("shelf/book.txt").is_some());
    let none = Files::new(&ToolsConfig::default());
    assert_eq!(none.write("x", "x", Target::New), Err(FileError::NoWriteRoots));
}

#[test]
fn a_folder_is_not_moved_into_itself_and_files_have_a_limit() {
    let at = folders();
    let inside = at.files.rename("inner", "inner/deeper", Target::New);
    assert!(matches!(inside, Err(FileError::IntoItself(..))), "{inside:?}");
    let same = at.files.copy("list.txt", "./list.txt", Target::Replaced);
    assert!(matches!(same, Err(FileError::IntoItself(..))), "{same:?}");
    let large = File::create(at.base.join("desk/large.txt")).unwrap();
    large.set_len(MAX_FILE_BYTES).unwrap();
    assert!(matches!(at.files.append("large.txt", "x"), Err(FileError::TooLarge(..))));
    large.set_len(MAX_COPIED_BYTES + 1).unwrap();
    assert!(matches!(at.files.copy("large.txt", "copy.txt", Target::New), Err(FileError::TooLarge(..))));
}

#[test]
fn words_are_found_in_files_and_not_behind_links() {
    let at = folders();
    let found = at.files.search_contents("käseKUCHEN", None, 10).unwrap();
    let lines: Vec<_> = found.found.iter().map(|one| (one.line, one.text.as_str())).collect();
    assert_eq!((lines, found.truncated), (vec![(2, "there was a Käsekuchen")], false));
    assert!(at.files.search_contents("secret", None, 10).unwrap().found.is_empty());
    assert!(at.files.search_contents("mil.", None, 10).unwrap().found.is_empty(), "words are no pattern");
    at.files.write("inner/more.txt", "milk", Target::New).unwrap();
    let one = at.files.search_contents("milk", None, 1).unwrap();
    assert_eq!((one.found.len(), one.truncated), (1, true));
    assert!(matches!(at.files.search_contents("milk", Some("../safe"), 9), Err(FileError::Outside(..))));
}
