//! Undo of `filesystem.*`: the files are as before the change, or the undo is refused with its reason.

use super::*;
use std::fs;

/// A house that may change the files of a folder, each called by its path below it.
struct Desk {
    house: House,
    folder: tempfile::TempDir,
}

impl Desk {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("old")).unwrap();
        fs::write(folder.path().join("a.txt"), "one\n").unwrap();
        fs::write(folder.path().join("b.txt"), "two\n").unwrap();
        fs::write(folder.path().join("photo.jpg"), [0xff, 0xd8, 0]).unwrap();
        let file_write_roots = vec![folder.path().display().to_string()];
        let tools = ToolsConfig { file_write_roots, ..ToolsConfig::default() };
        Self { house: Built { tools, ..Built::default() }.house(), folder }
    }

    /// Every file with what is in it.
    fn all(&self) -> Vec<(String, Vec<u8>)> {
        let mut all = Vec::new();
        for folder in ["", "old/"] {
            for entry in fs::read_dir(self.folder.path().join(folder)).unwrap() {
                let path = entry.unwrap().path();
                if path.is_file() {
                    let name = path.file_name().unwrap().to_str().unwrap();
                    all.push((format!("{folder}{name}"), fs::read(&path).unwrap()));
                }
            }
        }
        all.sort();
        all
    }

    fn write(&self, path: &str, text: &str) {
        fs::write(self.folder.path().join(path), text).unwrap();
    }

    async fn done(&self, tool: &str, args: Value) {
        let receipt = self.house.call(tool, args, true).await;
        assert!(receipt.ok, "{tool}: {}", receipt.detail);
    }
}

#[tokio::test]
async fn every_change_of_a_file_is_taken_back() {
    for (tool, args, what) in [
        ("filesystem.write", json!({"path": "new.txt", "text": "x"}), "made"),
        ("filesystem.write", json!({"path": "a.txt", "text": "x"}), "written"),
        ("filesystem.append", json!({"path": "a.txt", "text": "more"}), "written"),
        ("filesystem.append", json!({"path": "photo.jpg", "text": "more"}), "written"),
        ("filesystem.append", json!({"path": "new.txt", "text": "more"}), "made"),
        ("filesystem.copy", json!({"from": "photo.jpg", "to": "old"}), "made"),
        ("filesystem.copy", json!({"from": "photo.jpg", "to": "a.txt"}), "written"),
        ("filesystem.move", json!({"from": "a.txt", "to": "c.txt"}), "moved"),
        ("filesystem.move", json!({"from": "photo.jpg", "to": "old"}), "moved"),
        ("filesystem.move", json!({"from": "a.txt", "to": "b.txt"}), "moved"),
    ] {
        let desk = Desk::new();
        let before = desk.all();
        desk.done(tool, args.clone()).await;
        assert_ne!(desk.all(), before, "{tool} {args}");
        let undone = desk.house.ok("undo.last", json!({})).await;
        let told = &undone.detail["undone"][0];
        assert_eq!((&told["kind"], &told["what"]), (&json!("file"), &json!(what)), "{tool} {args}");
        assert_eq!(desk.all(), before, "{tool} {args}");
        assert_eq!(desk.house.fails("undo.last", json!({})).await.0, error_code::NOT_FOUND, "once");
    }
    // A folder comes back with all that is in it, also what came into it since.
    let desk = Desk::new();
    desk.done("filesystem.move", json!({"from": "old", "to": "archive"})).await;
    desk.write("archive/later.txt", "x");
    desk.house.ok("undo.last", json!({})).await;
    assert!(desk.all().iter().any(|(path, _)| path == "old/later.txt"));
}

#[tokio::test]
async fn several_changes_of_one_request_are_taken_back_together() {
    let desk = Desk::new();
    let before = desk.all();
    for (tool, args) in [
        ("filesystem.write", json!({"path": "new.txt", "text": "x"})),
        ("filesystem.append", json!({"path": "new.txt", "text": "y"})),
        ("filesystem.append", json!({"path": "new.txt", "text": "z"})),
        ("filesystem.move", json!({"from": "new.txt", "to": "old"})),
    ] {
        desk.done(tool, args).await;
    }
    desk.house.ok("undo.last", json!({})).await;
    assert_eq!(desk.all(), before);
}

#[tokio::test]
async fn what_was_changed_meanwhile_stays() {
    type Meanwhile = fn(&Desk);
    let cases: [(&str, Value, Meanwhile); 6] = [
        ("filesystem.write", json!({"path": "new.txt", "text": "x"}), |desk| desk.write("new.txt", "mine")),
        ("filesystem.write", json!({"path": "a.txt", "text": "x"}), |desk| desk.write("a.txt", "mine")),
        ("filesystem.append", json!({"path": "a.txt", "text": "x"}), |desk| desk.write("a.txt", "mine")),
        ("filesystem.copy", json!({"from": "a.txt", "to": "c.txt"}), |desk| desk.write("c.txt", "mine")),
        ("filesystem.move", json!({"from": "a.txt", "to": "c.txt"}), |desk| desk.write("a.txt", "mine")),
        ("filesystem.move", json!({"from": "a.txt", "to": "c.txt"}), |desk| {
            fs::create_dir(desk.folder.path().join("a.txt")).unwrap();
        }),
    ];
    for (tool, args, meanwhile) in cases {
        let desk = Desk::new();
        desk.done(tool, args.clone()).await;
        meanwhile(&desk);
        let before = desk.all();
        let (code, receipt) = desk.house.fails("undo.last", json!({})).await;
        assert_eq!(
            (code.as_str(), &receipt.detail["why"]),
            (error_code::FAILED, &json!("changed_meanwhile")),
            "{tool} {args}"
        );
        assert!(!receipt.changed, "{tool} {args}");
        assert_eq!(desk.all(), before, "{tool} {args}");
    }
}

/// Half of a request is taken back where the other half cannot be: the receipt says that something changed.
#[tokio::test]
async fn what_is_taken_back_in_part_is_told_as_a_change() {
    let desk = Desk::new();
    desk.done("filesystem.append", json!({"path": "a.txt", "text": "x"})).await;
    desk.done("filesystem.append", json!({"path": "b.txt", "text": "x"})).await;
    desk.write("a.txt", "mine");
    let (_, receipt) = desk.house.fails("undo.last", json!({})).await;
    assert!(receipt.changed, "{}", receipt.detail);
    let text = |name: &str| fs::read_to_string(desk.folder.path().join(name)).unwrap();
    assert_eq!((text("a.txt"), text("b.txt")), ("mine".to_owned(), "two\n".to_owned()));
}

/// What was replaced and is no text, or too long, is not kept: nothing is taken back then.
#[tokio::test]
async fn what_is_not_kept_is_refused_with_the_reason() {
    for (tool, args) in [
        ("filesystem.write", json!({"path": "photo.jpg", "text": "x"})),
        ("filesystem.copy", json!({"from": "a.txt", "to": "long.txt"})),
        ("filesystem.move", json!({"from": "a.txt", "to": "photo.jpg"})),
    ] {
        let desk = Desk::new();
        desk.write("long.txt", &"long ".repeat(100_000));
        desk.done(tool, args.clone()).await;
        let before = desk.all();
        let (code, receipt) = desk.house.fails("undo.last", json!({})).await;
        assert_eq!(
            (code.as_str(), &receipt.detail["why"]),
            (error_code::UNSUPPORTED, &json!("before_not_kept")),
            "{tool}"
        );
        assert!(receipt.detail["path"].as_str().unwrap().contains('/'), "{tool}");
        assert_eq!(desk.all(), before, "{tool}");
    }
}
