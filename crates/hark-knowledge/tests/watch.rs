//! A watched folder keeps itself in step.

// Clippy knows only functions marked as tests.
#![allow(clippy::unwrap_used)]

mod common;

use common::{House, WordEncoder, go_on};
use hark_knowledge::{Counts, Knowledge, KnowledgeError, Settings, Watch, WatchEvent};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

fn start(house: &House) -> (Watch, Receiver<WatchEvent>) {
    let settings = Settings { debounce: Duration::from_millis(100), ..common::settings() };
    let knowledge = Knowledge::open(&house.index(), settings).unwrap();
    let (sender, events) = channel();
    let callback = Box::new(move |event| {
        // The test may have ended.
        let _ = sender.send(event);
    });
    let encoder = Box::new(WordEncoder::default());
    (Watch::start(knowledge, encoder, true, Box::new(|| {}), callback).unwrap(), events)
}

/// Waits for the next report that did something.
fn report(events: &Receiver<WatchEvent>) -> (usize, usize) {
    loop {
        match events.recv_timeout(Duration::from_secs(20)).unwrap() {
            WatchEvent::InStep(report) if report.indexed + report.forgotten > 0 => {
                return (report.indexed, report.forgotten);
            }
            WatchEvent::Failed(error) => panic!("{error}"),
            _ => {}
        }
    }
}

#[test]
fn files_that_come_change_and_go_are_followed() {
    let house = House::new();
    house.write("first.txt", "The fuse box is in the hall.");
    house.open().add(&house.docs(), &mut WordEncoder::default(), &mut go_on).unwrap();
    // What changed while nobody watched.
    house.write("second.txt", "The ladder is in the shed.");
    let (watch, events) = start(&house);
    assert_eq!(report(&events), (1, 0));

    house.write("sub/third.txt", "The drill is in the attic.");
    assert_eq!(report(&events), (1, 0));
    assert!(house.search("drill")[0].passage.contains("attic"));

    house.write("first.txt", "The fuse box is in the cellar now.");
    assert_eq!(report(&events), (1, 0));
    assert!(house.search("fuse box")[0].passage.contains("cellar"));

    std::fs::remove_dir_all(house.docs().join("sub")).unwrap();
    assert_eq!(report(&events), (0, 1));
    assert!(house.search("drill").iter().all(|hit| !hit.passage.contains("attic")));
    watch.stop();
}

#[test]
fn roots_are_added_and_removed_while_it_runs() {
    let house = House::new();
    let (watch, events) = start(&house);
    let file = house.write("note.txt", "The key is under the pot.");
    watch.add(&file).unwrap();
    assert_eq!(report(&events), (1, 0));
    // Saved the way editors do it: a new file takes the name.
    let new = house.write("note.tmp", "The key is with the neighbour.");
    std::fs::rename(new, &file).unwrap();
    assert_eq!(report(&events), (1, 0));
    let removed = watch.remove(&file).unwrap();
    assert_eq!(report(&events), (0, 1));
    assert_eq!(removed.recv().unwrap(), Ok(Counts { forgotten: 1, ..Counts::default() }));
    let refused = watch.add(&house.docs().join("none.txt")).unwrap();
    assert!(refused.recv().unwrap().unwrap_err().message.contains("none.txt"));
    loop {
        if let WatchEvent::Failed(error) = events.recv_timeout(Duration::from_secs(20)).unwrap() {
            assert!(matches!(error, KnowledgeError::Absent { .. }), "{error}");
            break;
        }
    }
}
