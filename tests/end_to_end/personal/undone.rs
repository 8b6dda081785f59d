//! "Undo that" after Hark was started again: each request here is a program of its own.

use super::{ask, folder, reply};
use crate::support::Hark;
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
