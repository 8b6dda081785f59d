//! "Undo that" after Hark was started again: each request here is a program of its own.

use super::{ask, folder, reply};
use crate::support::{Hark, named};
use std::fs;

#[test]
fn what_was_done_before_a_restart_is_taken_back() {
    let hark = Hark::new();
    let settings = [
        format!("personal.calendar_path={}", folder(&hark, "calendar")),
        format!("personal.notes_folder={}", folder(&hark, "notes")),
    ];
    let settings: Vec<&str> = settings.iter().map(String::as_str).collect();
    let say = |words: &str| reply(&ask(&hark, &settings, words)).to_owned();
    let files = |name: &str| fs::read_dir(hark.path(name)).unwrap().flatten().count();
    say("take a note: call the plumber");
    say("rename the note call the plumber to plumber");
    say("add dentist tomorrow at three in the afternoon to my calendar");
    say("add sweeping to my to do list");
    say("turn on the kitchen light");
    for told in [
        "The counter light is off again.",
        "sweeping",
        "Dentist is out of your calendar again.",
        "call the plumber",
    ] {
        let said = say("undo that");
        assert!(said.to_lowercase().contains(&told.to_lowercase()), "{told}: {said}");
    }
    assert_eq!(files("calendar"), 0);
    assert!(hark.path("notes/call the plumber.md").is_file());
    say("undo that");
    assert_eq!(say("undo that"), "Sorry, there is nothing to undo.");
    // What is forgotten stands nowhere any more, so it does not come back, and nothing else is taken back instead.
    say("take a note: buy paint");
    say("remember that the code of the shed is 471199");
    say("forget what I said about the code of the shed");
    assert_eq!(say("undo that"), "Sorry, that cannot be taken back.");
    assert!(hark.path("notes/buy paint.md").is_file());
    let database = rusqlite::Connection::open(hark.path("hark.db")).unwrap();
    let sql = "SELECT count(*) FROM undo WHERE change LIKE '%471199%'";
    assert_eq!(database.query_row(sql, [], |row| row.get::<_, i64>(0)).unwrap(), 0);
}

#[test]
fn a_file_that_was_moved_or_written_is_as_before_in_every_language() {
    for (language, undo, told) in [
        ("en", "undo that", ["a.txt is back in desk.", "b.txt is gone again.", "a.txt is as it was."]),
        (
            "de",
            "mach das rückgängig",
            ["a.txt liegt wieder in desk.", "b.txt ist wieder weg.", "a.txt ist wieder wie vorher."],
        ),
        (
            "nl",
            "maak dat ongedaan",
            ["a.txt staat weer in desk.", "b.txt is weer weg.", "a.txt is weer zoals eerst."],
        ),
    ] {
        let hark = Hark::new();
        let desk = folder(&hark, "desk");
        fs::create_dir(hark.path("desk/old")).unwrap();
        fs::write(hark.path("desk/a.txt"), "one").unwrap();
        let settings =
            [format!("tools.file_write_roots=[{desk:?}]"), format!("speaking.language={language}")];
        let lines = [
            "/tool filesystem.move from=a.txt to=old",
            undo,
            "/tool filesystem.copy from=a.txt to=b.txt",
            undo,
            "/tool filesystem.append path=a.txt text=two",
            undo,
            "/tool filesystem.move from=a.txt to=c.txt",
        ];
        let events = hark.ask_lines(&["--session", "s"], &settings, &lines);
        let said: Vec<&str> = named(&events, "reply").iter().filter_map(|it| it["text"].as_str()).collect();
        assert_eq!([said[1], said[3], said[5]], told);
        fs::write(hark.path("desk/a.txt"), "mine").unwrap();
        let events = hark.ask_lines(&["--session", "s"], &settings, &[undo]);
        assert_eq!(named(&events, "action")[0]["receipt"]["detail"]["why"], "changed_meanwhile");
        let text = |name: &str| fs::read_to_string(hark.path("desk").join(name)).unwrap();
        assert_eq!((text("a.txt"), text("c.txt")), ("mine".to_owned(), "one".to_owned()));
    }
}
