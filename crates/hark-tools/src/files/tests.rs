//! Real folders, and everything that tries to get out of them.

use super::*;
use std::fs;
use std::os::unix::fs::symlink;

struct TestFolder {
    _dir: tempfile::TempDir,
    root: PathBuf,
    files: Files,
}

/// A root with a few files, and a secret beside it.
fn den() -> TestFolder {
    let dir = tempfile::tempdir().unwrap();
    let base = dir.path().canonicalize().unwrap();
    let root = base.join("root");
    fs::create_dir_all(root.join("inner/deep")).unwrap();
    fs::write(root.join("note.txt"), "buy milk\nand bread\n").unwrap();
    fs::write(root.join("inner/deep/plan.md"), "# plan").unwrap();
    fs::write(root.join(".hidden"), "h").unwrap();
    fs::write(base.join("secret.txt"), "the secret").unwrap();
    let config = ToolsConfig {
        file_roots: vec![root.display().to_string()],
        file_max_bytes: 1024,
        ..ToolsConfig::default()
    };
    TestFolder { root, files: Files::new(&config), _dir: dir }
}

impl TestFolder {
    fn read(&self, path: &str) -> Result<Text, FileError> {
        self.files.read(path, 0)
    }
}

#[test]
fn files_inside_are_read_by_any_path_that_stays_inside() {
    let den = den();
    let whole = den.root.join("note.txt").display().to_string();
    let roundabout = den.root.join("inner/../inner/./deep/../../note.txt").display().to_string();
    for path in [whole.as_str(), roundabout.as_str(), "note.txt", "./note.txt", "inner/../note.txt"] {
        let text = den.read(path).unwrap_or_else(|error| panic!("{path}: {error}"));
        assert_eq!((text.text.as_str(), text.bytes, text.truncated), ("buy milk\nand bread\n", 19, false));
        assert_eq!(text.path, den.root.join("note.txt"));
    }
}

#[test]
fn nothing_outside_is_read_by_dots_or_by_its_whole_path() {
    let den = den();
    let secret = den.root.parent().unwrap().join("secret.txt").display().to_string();
    let climbing = den.root.join("inner/../../secret.txt").display().to_string();
    let similar = format!("{}-not/secret.txt", den.root.display());
    for path in [
        secret.as_str(),
        climbing.as_str(),
        similar.as_str(),
        "../secret.txt",
        "inner/../../secret.txt",
        "/etc/passwd",
        "../../../../../../../../etc/passwd",
        "/",
        "..",
        "/proc/self/environ",
        "~/../../etc/passwd",
        "~",
    ] {
        let error = den.read(path).unwrap_err();
        assert!(matches!(error, FileError::Outside(..)), "{path}: {error:?}");
        assert!(matches!(den.files.list(path, 10), Err(FileError::Outside(..))), "{path}");
        assert!(matches!(den.files.search("*", Some(path), 10), Err(FileError::Outside(..))), "{path}");
    }
    assert!(matches!(den.read(""), Err(FileError::BadPath(_))));
    assert!(matches!(den.read("note.txt\0.png"), Err(FileError::BadPath(_))));
}

#[test]
fn links_and_folders_behind_links_are_not_followed() {
    let den = den();
    let base = den.root.parent().unwrap();
    symlink(base.join("secret.txt"), den.root.join("link.txt")).unwrap();
    symlink(base, den.root.join("up")).unwrap();
    symlink("note.txt", den.root.join("inside.txt")).unwrap();
    symlink("loop", den.root.join("loop")).unwrap();
    symlink(base, den.root.join("inner/deep/out")).unwrap();
    for path in
        ["link.txt", "up/secret.txt", "inside.txt", "loop", "inner/deep/out/secret.txt", "up/root/note.txt"]
    {
        let error = den.read(path).unwrap_err();
        assert!(matches!(error, FileError::Link(_)), "{path}: {error:?}");
    }
    assert!(matches!(den.files.list("up", 10), Err(FileError::Link(_))));
    assert!(matches!(den.files.search("*", Some("up"), 10), Err(FileError::Link(_))));
    let found = den.files.search("*secret*", None, 10).unwrap();
    assert_eq!(found.count, 0, "a search goes through no link: {found:?}");
    let links = den.files.search("link*", None, 10).unwrap();
    assert_eq!(links.seen[0].kind, "link", "and shows it as what it is");
}

#[test]
fn a_folder_that_becomes_a_link_while_it_is_walked_leads_nowhere() {
    let den = den();
    let (inner, aside) = (den.root.join("inner"), den.root.join("aside"));
    let outside = den.root.parent().unwrap().join("outside");
    fs::create_dir_all(outside.join("deep")).unwrap();
    fs::write(outside.join("deep/plan.md"), "the secret").unwrap();
    let done = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(std::sync::atomic::Ordering::Relaxed) {
                fs::rename(&inner, &aside).unwrap();
                symlink(&outside, &inner).unwrap();
                fs::remove_file(&inner).unwrap();
                fs::rename(&aside, &inner).unwrap();
            }
        });
        let reads: Vec<_> = (0..3000).map(|_| den.read("inner/deep/plan.md")).collect();
        done.store(true, std::sync::atomic::Ordering::Relaxed);
        for read in reads {
            match read {
                Ok(text) => assert_eq!(text.text, "# plan"),
                // A link, nothing, or a folder where the file would be: whatever stood there at that moment.
                Err(FileError::Link(_) | FileError::NotFound(_) | FileError::Wrong(..)) => {}
                Err(error) => panic!("{error:?}"),
            }
        }
    });
}

#[cfg(target_os = "linux")]
#[test]
fn only_ordinary_files_are_read() {
    let den = den();
    rustix::fs::mknodat(
        rustix::fs::CWD,
        den.root.join("pipe"),
        FileType::Fifo,
        Mode::from_raw_mode(0o600),
        0,
    )
    .unwrap();
    let _socket = std::os::unix::net::UnixListener::bind(den.root.join("socket")).unwrap();
    for path in ["pipe", "socket", "inner", "."] {
        let error = den.read(path).unwrap_err();
        assert!(matches!(error, FileError::Wrong(..)), "{path}: {error:?}");
    }
    assert!(matches!(den.files.list("note.txt", 10), Err(FileError::Wrong(..))));
    assert!(matches!(den.read("note.txt/more"), Err(FileError::Wrong(..))));
    assert!(matches!(den.read("nothing"), Err(FileError::NotFound(_))));
    assert_eq!(den.files.search("pipe", None, 10).unwrap().seen[0].kind, "other");
}

#[cfg(target_os = "linux")]
#[test]
fn even_with_everything_allowed_the_kernels_files_and_devices_are_not_read() {
    let config = ToolsConfig { file_roots: vec!["/".into()], ..ToolsConfig::default() };
    let files = Files::new(&config);
    for path in ["/proc/version", "/proc/cpuinfo", "/dev/zero", "/dev/null"] {
        let error = files.read(path, 0).unwrap_err();
        assert!(matches!(error, FileError::Wrong(..)), "{path}: {error:?}");
    }
    assert!(matches!(files.list("/proc", 10), Err(FileError::Wrong(..))));
    assert!(matches!(files.search("cpuinfo", Some("/proc"), 10), Err(FileError::Wrong(..))));
}

#[test]
fn what_is_not_text_is_refused_with_its_size() {
    let den = den();
    fs::write(den.root.join("nul.txt"), b"text\0more").unwrap();
    fs::write(den.root.join("latin.txt"), b"caf\xe9 au lait").unwrap();
    fs::write(den.root.join("half.txt"), b"caf\xc3").unwrap();
    for (name, bytes) in [("nul.txt", 9), ("latin.txt", 12), ("half.txt", 4)] {
        let error = den.read(name).unwrap_err();
        assert_eq!(error, FileError::Binary { path: den.root.join(name).display().to_string(), bytes });
        assert!(error.to_string().contains(&bytes.to_string()));
    }
}

#[test]
fn much_is_cut_between_characters_and_read_on() {
    let den = den();
    // 1 + 1000 × 2 bytes: the limit of 1024 falls into the middle of a character.
    let whole = format!("x{}", "ä".repeat(1000));
    fs::write(den.root.join("long.txt"), &whole).unwrap();
    let first = den.read("long.txt").unwrap();
    assert_eq!((first.bytes, first.truncated, first.text.len()), (2001, true, 1023));
    let rest = den.files.read("long.txt", first.next).unwrap();
    assert!(!rest.truncated);
    assert_eq!(first.text + &rest.text, whole);
    assert_eq!(den.files.read("long.txt", 2).unwrap().text.chars().next(), Some('ä'), "not half of one");
    assert_eq!(den.files.read("long.txt", 1_000_000).unwrap().text, "");
}

#[test]
fn folders_are_listed_in_order_and_cut() {
    let den = den();
    let all = den.files.list(".", 100).unwrap();
    let names: Vec<_> =
        all.seen.iter().map(|seen| (seen.path.file_name().unwrap().to_str().unwrap(), seen.kind)).collect();
    assert_eq!(names, [(".hidden", "file"), ("inner", "folder"), ("note.txt", "file")]);
    assert_eq!((all.count, all.truncated, all.seen[2].bytes), (3, false, Some(19)));
    let some = den.files.list(".", 2).unwrap();
    assert_eq!((some.seen.len(), some.count, some.truncated), (2, 3, true));
}

#[test]
fn searching_finds_by_name_at_any_depth() {
    let den = den();
    let paths = |pattern: &str| {
        let found = den.files.search(pattern, None, 100).unwrap();
        found
            .seen
            .iter()
            .map(|seen| seen.path.strip_prefix(&den.root).unwrap().display().to_string())
            .collect::<Vec<_>>()
    };
    assert_eq!(paths("*.md"), ["inner/deep/plan.md"]);
    assert_eq!(paths("N"), ["inner", "inner/deep/plan.md", "note.txt"]);
    assert_eq!(paths(".h*"), [".hidden"]);
    assert_eq!(paths("hidden"), [""; 0]);
}

#[test]
fn without_a_folder_nothing_is_open() {
    let files = Files::new(&ToolsConfig::default());
    assert!(!files.is_open());
    assert_eq!(files.read("/etc/passwd", 0), Err(FileError::NoRoots));
    assert_eq!(files.list("/", 1), Err(FileError::NoRoots));
    assert_eq!(files.search("*", None, 1), Err(FileError::NoRoots));
}
