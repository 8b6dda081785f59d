//! Documents that change, go and come back; an indexing that is stopped or killed.

// Clippy knows only functions marked as tests.
#![allow(clippy::unwrap_used)]

mod common;

use common::{House, WordEncoder, ends_with, go_on};
use hark_knowledge::{DocumentState, Knowledge, Searcher, Status};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant, SystemTime};

const CHILD: &str = "HARK_KNOWLEDGE_TEST_CHILD";

fn add(knowledge: &mut Knowledge, path: &Path) -> (usize, usize, usize) {
    let report = knowledge.add(path, &mut WordEncoder::default(), &mut go_on).unwrap();
    assert_eq!(report.failed, 0, "{:?}", report.failures);
    (report.indexed, report.unchanged, report.forgotten)
}

#[test]
fn only_what_changed_is_read_again() {
    let house = House::new();
    let oven = house.write("a/oven.txt", "The oven light is yellow.");
    let tap = house.write("tap.txt", "The tap drips.");
    house.write(".hidden.txt", "Nobody reads this.");
    let mut knowledge = house.open();
    assert_eq!(add(&mut knowledge, &house.docs()), (2, 0, 0));
    assert_eq!(add(&mut knowledge, &house.docs()), (0, 2, 0));

    // A new time and the same bytes: unchanged.
    let file = std::fs::File::options().write(true).open(&tap).unwrap();
    file.set_modified(SystemTime::now() + Duration::from_secs(60)).unwrap();
    assert_eq!(add(&mut knowledge, &house.docs()), (0, 2, 0));

    house.write("tap.txt", "The tap is silver.");
    assert_eq!(add(&mut knowledge, &house.docs()), (1, 1, 0));
    assert_eq!(house.search("silver tap")[0].answer, "The tap is silver.");
    assert!(house.search("drips").iter().all(|hit| !hit.passage.contains("drips")));

    std::fs::remove_file(&oven).unwrap();
    let report = knowledge.refresh(&mut WordEncoder::default(), &mut go_on).unwrap();
    assert_eq!((report.indexed, report.unchanged, report.forgotten), (0, 1, 1));
    assert!(house.search("oven light").iter().all(|hit| !ends_with(hit, "a/oven.txt")));
    let names: Vec<PathBuf> = knowledge.list().unwrap().into_iter().map(|document| document.path).collect();
    assert_eq!(names, [tap]);
    assert_clean(&house);
}

#[test]
fn what_is_removed_is_gone_and_stays_gone() {
    let house = House::new();
    for name in ["one/a.txt", "one/b.txt", "one2/c.txt"] {
        house.write(name, format!("Words of {name}."));
    }
    let mut knowledge = house.open();
    add(&mut knowledge, &house.docs().join("one"));
    add(&mut knowledge, &house.docs().join("one2"));
    assert_eq!(knowledge.remove(&house.docs().join("one")).unwrap(), 2);
    knowledge.refresh(&mut WordEncoder::default(), &mut go_on).unwrap();
    let status = knowledge.status().unwrap();
    assert_eq!((status.documents, status.roots), (1, vec![house.docs().join("one2")]));
    assert_clean(&house);
    assert_eq!(rows(&house, "windows"), rows_of_documents(&house));
}

#[test]
fn a_root_on_a_disk_that_is_away_is_not_forgotten() {
    let house = House::new();
    house.write("disk/a.txt", "The fuse box is in the hall.");
    let mut knowledge = house.open();
    add(&mut knowledge, &house.docs().join("disk"));
    std::fs::rename(house.docs().join("disk"), house.docs().join("elsewhere")).unwrap();
    let report = knowledge.refresh(&mut WordEncoder::default(), &mut go_on).unwrap();
    assert_eq!((report.forgotten, report.failed), (0, 1));
    assert_eq!(house.search("fuse box").len(), 1);
}

#[test]
fn a_stopped_indexing_goes_on_where_it_was() {
    let house = House::new();
    house.write("long.txt", long_text(40));
    let mut knowledge = house.open();
    let mut batches = 0;
    let mut encoder = WordEncoder::default();
    let report = knowledge
        .add(&house.docs(), &mut encoder, &mut |_| {
            batches += 1;
            if batches > 2 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })
        .unwrap();
    assert!(report.stopped);
    let half = knowledge.status().unwrap();
    assert_eq!((half.passages - half.pending_passages, half.documents), (32, 1));
    assert_eq!(knowledge.list().unwrap()[0].state, DocumentState::Pending);
    // Its words are found already.
    assert!(house.search("number39").iter().any(|hit| hit.passage.contains("number39")));
    let before = encoder.runs;
    knowledge.refresh(&mut encoder, &mut go_on).unwrap();
    let status = knowledge.status().unwrap();
    assert_eq!(status.pending_passages, 0);
    assert!(encoder.runs - before < before, "what was embedded is embedded once");
    assert_eq!(knowledge.list().unwrap()[0].state, DocumentState::Ready);
}

#[test]
fn another_encoder_embeds_all_again() {
    let house = House::new();
    house.write("a.txt", "The fuse box is in the hall.");
    let mut knowledge = house.open();
    add(&mut knowledge, &house.docs());
    let mut other = WordEncoder { name: "other", ..WordEncoder::default() };
    // Until then words are searched, and vectors that do not fit are left alone.
    let mut searcher = Searcher::open(&house.index(), common::settings()).unwrap();
    assert_eq!(searcher.search(&mut other, "fuse box").unwrap()[0].signals.cosine, 0.0);
    knowledge.refresh(&mut other, &mut go_on).unwrap();
    assert!(searcher.search(&mut other, "fuse box").unwrap()[0].signals.cosine > 0.3);
    assert_eq!(knowledge.status().unwrap().encoder.as_deref(), Some("other"));
    assert_clean(&house);
}

#[test]
fn searching_works_while_indexing() {
    let house = House::new();
    house.write("a.txt", "The fuse box is in the hall.");
    let mut knowledge = house.open();
    add(&mut knowledge, &house.docs());
    for at in 0..30 {
        house.write(&format!("more/{at}.txt"), long_text(3));
    }
    let mut searcher = Searcher::open(&house.index(), common::settings()).unwrap();
    let folder = house.docs();
    let writer = std::thread::spawn(move || {
        let mut slow = WordEncoder { delay: Duration::from_micros(300), ..WordEncoder::default() };
        knowledge.add(&folder, &mut slow, &mut go_on).map(|report| report.indexed)
    });
    let mut searches = 0;
    while !writer.is_finished() {
        let hits = searcher.search(&mut WordEncoder::default(), "where is the fuse box").unwrap();
        assert!(ends_with(&hits[0], "a.txt"), "{hits:?}");
        searches += 1;
    }
    assert_eq!(writer.join().unwrap().unwrap(), 30);
    assert!(searches > 5, "{searches}");
}

#[test]
fn a_killed_indexing_goes_on_and_nothing_is_lost_or_twice() {
    let house = House::new();
    for at in 0..12 {
        house.write(&format!("{at:02}.txt"), long_text(30));
    }
    let mut kills = 0;
    for round in 0..4 {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "child_that_is_killed", "--ignored", "--nocapture"])
            .env(CHILD, house.folder.path())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        // Each child is let to do something.
        let begun = pending_and_windows(&house).1;
        let deadline = Instant::now() + Duration::from_secs(30);
        while pending_and_windows(&house).1 < begun + 100 && Instant::now() < deadline {
            std::thread::sleep(Duration::from_millis(3 + round));
        }
        kills += usize::from(child.try_wait().unwrap().is_none());
        child.kill().unwrap();
        child.wait().unwrap();
        assert_clean(&house);
    }
    assert!(kills >= 3, "the children were too quick to be killed");
    let mut knowledge = house.open();
    knowledge.add(&house.docs(), &mut WordEncoder::default(), &mut go_on).unwrap();
    let status = knowledge.status().unwrap();

    let other = House::new();
    let mut whole = other.open();
    whole.add(&house.docs(), &mut WordEncoder::default(), &mut go_on).unwrap();
    let expected = whole.status().unwrap();
    let counts = |s: &Status| (s.documents, s.passages, s.pending_passages, s.windows);
    assert_eq!(counts(&status), counts(&expected));
    let question = "number17 of the household";
    let texts = |house: &House| {
        house.search(question).into_iter().map(|hit| (hit.path, hit.passage)).collect::<Vec<_>>()
    };
    assert_eq!(texts(&house), texts(&other));
    assert_clean(&house);
}

/// Run by the test above as a process of its own.
#[test]
#[ignore = "only a child of another test"]
fn child_that_is_killed() {
    let Some(folder) = std::env::var_os(CHILD) else { return };
    let folder = Path::new(&folder);
    let mut knowledge = Knowledge::open(&folder.join("knowledge.db"), common::settings()).unwrap();
    let mut slow = WordEncoder { delay: Duration::from_micros(500), ..WordEncoder::default() };
    knowledge.add(&folder.canonicalize().unwrap().join("docs"), &mut slow, &mut go_on).unwrap();
}

/// A text that is cut into so many passages.
fn long_text(passages: usize) -> String {
    let section = |n: usize| {
        let sentence = format!("This sentence number{n} tells of the household and its many small things. ");
        format!("{n}.1 Section number{n}\n\n{}\n\n", sentence.repeat(8))
    };
    (0..passages).map(section).collect()
}

fn pending_and_windows(house: &House) -> (usize, usize) {
    let Ok(searcher) = Searcher::open(&house.index(), common::settings()) else { return (0, 0) };
    searcher.status().map_or((0, 0), |status| (status.pending_passages, status.windows))
}

fn count(house: &House, sql: &str) -> i64 {
    let db = rusqlite::Connection::open(house.index()).unwrap();
    db.query_row(sql, [], |row| row.get(0)).unwrap()
}

fn rows(house: &House, table: &str) -> i64 {
    count(house, &format!("SELECT count(*) FROM {table}"))
}

fn rows_of_documents(house: &House) -> i64 {
    count(
        house,
        "SELECT count(*) FROM windows w JOIN passages p ON p.id = w.passage JOIN documents d ON d.id = p.document",
    )
}

/// The file is sound, and its parts agree.
fn assert_clean(house: &House) {
    let db = rusqlite::Connection::open(house.index()).unwrap();
    let verdict: String = db.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
    assert_eq!(verdict, "ok");
    let orphans: i64 =
        db.query_row("SELECT count(*) FROM pragma_foreign_key_check", [], |row| row.get(0)).unwrap();
    assert_eq!(orphans, 0);
    assert_eq!(rows(house, "passages"), rows(house, "passages_index"));
    let codes = count(house, "SELECT coalesce(sum(length(codes)), 0) FROM code_blocks");
    assert_eq!(codes, rows(house, "windows") * (common::DIMENSION as i64 / 8));
}
