//! Databases that are damaged in many ways: each is told or was not harmed, mended as far as it can be read, and kept.

use super::*;
use hark_core::FaultKind;
use hark_core::memory::{Entity, EntityKind, Statement};
use hark_core::ports::{Fact, FactStore, ListItem, ListStore, StoredList, TimerStore};
use hark_core::timer::{Timer, TimerKind};
use tempfile::TempDir;

const TIMERS: usize = 200;
const PAGE: usize = 4096;

fn timer(number: usize) -> Timer {
    Timer {
        kind: TimerKind::Reminder,
        name: Some(format!("remember the thing with the number {number}")),
        ..tests::timer(&format!("timer-{number:03}"))
    }
}

/// The files of a database that was in use: main file and log, as a power cut leaves them.
struct Files {
    main: Vec<u8>,
    log: Vec<u8>,
}

impl Files {
    /// With everything in the main file, or with the last hundred timers in the log.
    fn of_a_house(closed: bool) -> Self {
        let dir = TempDir::new().unwrap();
        let path = dir.path().join("hark.db");
        let store = Store::open(&path).unwrap();
        let key = Entity { key: "key".into(), name: "key".into(), kind: EntityKind::Thing };
        let statement = Statement {
            subject: key,
            relation: "place".into(),
            qualifier: String::new(),
            object: "the pot".into(),
            entity: None,
            many: false,
        };
        let text = "the spare key is under the pot".into();
        let fact = Fact { text, told_unix_ms: 5, statement: Some(statement), ..Fact::default() };
        store.remember(&fact, &[]).unwrap();
        let items = vec![ListItem { text: "milk".into(), done: false }];
        store.save_list(&StoredList { name: "Shopping".into(), items }).unwrap();
        store.keep_mode(hark_core::Mode::Alert).unwrap();
        for number in 0..TIMERS {
            if number == TIMERS / 2 {
                let flush = "PRAGMA wal_checkpoint(TRUNCATE)";
                store.call("checkpoint", move |db| db.query_row(flush, [], |_| Ok(()))).unwrap();
            }
            store.save(&timer(number)).unwrap();
        }
        if closed {
            store.close();
        }
        let read = |suffix| fs::read(with_suffix(&path, suffix)).unwrap_or_default();
        Self { main: read(""), log: read("-wal") }
    }

    fn put(&self, dir: &TempDir) -> PathBuf {
        let path = dir.path().join("hark.db");
        fs::write(&path, &self.main).unwrap();
        fs::write(dir.path().join("hark.db.lock"), b"").unwrap();
        if !self.log.is_empty() {
            fs::write(with_suffix(&path, "-wal"), &self.log).unwrap();
        }
        path
    }
}

/// Opens it as commands and as the daemon do; what was told, and the timers that are there.
fn opened(what: &str, files: &Files) -> (Option<Fault>, usize) {
    let dir = TempDir::new().unwrap();
    let path = files.put(&dir);
    let by_a_command = Store::open(&path).map(|store| store.load().unwrap().len());
    let to_look = Store::open_read_only(&path).map(drop);
    // A command changes nothing but what SQLite does to read its log.
    let path = if by_a_command.is_ok() { path } else { files.put(&dir) };
    let store = Store::open_with_recovery(&path).unwrap_or_else(|fault| panic!("{what}: {fault}"));
    let there = store.load().unwrap_or_else(|fault| panic!("{what}: {fault}"));
    match &by_a_command {
        Ok(count) => {
            assert_eq!(*count, TIMERS, "{what}: not told, and not all there");
            assert!(to_look.is_ok() && store.trouble().is_none(), "{what}");
        }
        Err(fault) => {
            assert!(fault.message.contains("damaged") && fault.fix.contains("backup"), "{what}: {fault}");
            let told = store.trouble().unwrap_or_else(|| panic!("{what}: nothing is told"));
            let kept = kept_aside(&path);
            assert_eq!(kept.len(), 1, "{what}: {kept:?}");
            assert_eq!(fs::read(&kept[0]).unwrap(), files.main, "{what}: it is kept as it was");
            assert!(told.message.contains(".damaged-"), "{what}: {told}");
        }
    }
    assert!(there.iter().all(|timer| timer.kind == TimerKind::Reminder), "{what}");
    store.save(&timer(999)).unwrap_or_else(|fault| panic!("{what}: a new one works: {fault}"));
    let told = store.trouble().cloned();
    store.close();
    assert!(Store::open(&path).is_ok(), "{what}: sound from then on");
    (told, there.len())
}

#[test]
fn a_file_that_was_cut_is_told_and_what_is_left_of_it_is_saved() {
    let whole = Files::of_a_house(true);
    let length = whole.main.len();
    for cut in [
        0,
        1,
        50,
        99,
        100,
        511,
        512,
        2000,
        PAGE - 1,
        PAGE,
        PAGE + 1,
        length / 3,
        length / 2,
        length - PAGE,
        length - 1,
    ] {
        let files = Files { main: whole.main[..cut].to_vec(), log: Vec::new() };
        let (told, saved) = opened(&format!("cut to {cut} of {length}"), &files);
        assert!(told.is_some() && (cut > length / 2 || saved < TIMERS), "cut to {cut}: {saved} saved");
    }
}

#[test]
fn a_damaged_head_costs_nothing_else() {
    let whole = Files::of_a_house(true);
    for at in
        [0, 5, 15, 16, 17, 18, 19, 20, 21, 22, 23, 28, 31, 40, 44, 47, 52, 56, 59, 60, 62, 63, 92, 96, 99]
    {
        for flip in [0x01, 0x80, 0xff] {
            let mut main = whole.main.clone();
            main[at] ^= flip;
            let what = format!("byte {at} ^ {flip:#x}");
            let dir = TempDir::new().unwrap();
            let path = Files { main: main.clone(), log: Vec::new() }.put(&dir);
            // A version that a newer Hark may have given is none of this program's business.
            if Store::open(&path).is_err_and(|fault| fault.message.contains("knows up to")) {
                continue;
            }
            let (_, saved) = opened(&what, &Files { main, log: Vec::new() });
            assert_eq!(saved, TIMERS, "{what}");
        }
    }
    let mut main = whole.main.clone();
    main[..100].fill(0);
    assert_eq!(opened("no head", &Files { main, log: Vec::new() }).1, TIMERS);
}

#[test]
fn a_damaged_page_costs_what_was_on_it() {
    let whole = Files::of_a_house(true);
    let pages = whole.main.len() / PAGE;
    let mut whole_ones = 0;
    for page in 1..pages {
        for how in ["zeroed", "overwritten", "flipped"] {
            let mut main = whole.main.clone();
            let bytes = &mut main[page * PAGE..(page + 1) * PAGE];
            match how {
                "zeroed" => bytes.fill(0),
                "overwritten" => bytes.fill(0x5a),
                _ => bytes[..8].iter_mut().for_each(|byte| *byte ^= 0xff),
            }
            let (told, saved) =
                opened(&format!("page {page} of {pages} {how}"), &Files { main, log: Vec::new() });
            whole_ones += usize::from(saved == TIMERS);
            // A page holds some thirty of them; a root holds them all.
            let of_a_leaf = saved >= TIMERS - 60;
            assert!(saved == 0 || of_a_leaf || told.is_some(), "page {page} {how}: {saved}");
        }
    }
    assert!(whole_ones > pages, "most pages hold other things: {whole_ones} of {}", pages * 3);
}

#[test]
fn a_log_that_is_damaged_before_its_end_is_told() {
    let house = Files::of_a_house(false);
    let intact = opened("as it is", &house);
    assert_eq!(intact, (None, TIMERS));
    let length = house.log.len();
    for at in [0, 4, 10, 17, 26, 40, 60, 1000, length / 4, length / 2, length * 3 / 4] {
        let mut log = house.log.clone();
        log[at] ^= 0x10;
        let (told, saved) =
            opened(&format!("byte {at} of the log"), &Files { main: house.main.clone(), log });
        assert!(told.is_some() && (TIMERS / 2..TIMERS).contains(&saved), "byte {at}: {saved} saved");
    }
}

#[test]
fn what_is_no_database_of_this_program_is_told_and_not_changed() {
    let dir = TempDir::new().unwrap();
    let path = dir.path().join("other.db");
    Connection::open(&path)
        .unwrap()
        .execute_batch("CREATE TABLE moz_places (url TEXT); INSERT INTO moz_places VALUES ('x')")
        .unwrap();
    let foreign = fs::read(&path).unwrap();
    let text = b"# notes\nmilk, bread and butter\n".repeat(300);
    for (what, bytes, word) in [("foreign", &foreign, "moz_places"), ("a text", &text, "no database")] {
        let dir = TempDir::new().unwrap();
        let files = Files { main: bytes.clone(), log: Vec::new() };
        let path = files.put(&dir);
        let fault = Store::open(&path).unwrap_err();
        assert!(fault.message.contains(word), "{what}: {fault}");
        assert_eq!(fs::read(&path).unwrap(), *bytes, "{what}: left alone");
        let (told, saved) = opened(what, &files);
        let told = told.unwrap();
        assert!(saved == 0 && told.message.contains("nothing in it could be read"), "{what}: {told}");
        assert!(!told.fix.contains(".recover"), "{what}: {told}");
    }
    for version in [0, 3, 7, -5, 1_000_000] {
        let dir = TempDir::new().unwrap();
        let files = Files::of_a_house(true);
        let path = files.put(&dir);
        Connection::open(&path).unwrap().pragma_update(None, "user_version", version).unwrap();
        let db = Files { main: fs::read(&path).unwrap(), log: Vec::new() };
        let (told, saved) = opened(&format!("version {version}"), &db);
        assert!(told.is_some() && saved == TIMERS, "version {version}: {saved}");
    }
}

#[test]
fn what_was_saved_is_told_table_by_table_and_lists_and_facts_are_there() {
    let mut house = Files::of_a_house(true);
    house.main[..16].fill(0);
    let dir = TempDir::new().unwrap();
    let store = Store::open_with_recovery(&house.put(&dir)).unwrap();
    let told = store.trouble().unwrap().message.clone();
    for words in [
        "timers 200",
        "lists 1",
        "list_items 1",
        "facts 1",
        "entities 1",
        "statements 1",
        "mode 1",
        "saved whole",
    ] {
        assert!(told.contains(words), "{words}: {told}");
    }
    assert!(!told.contains("not readable"), "{told}");
    assert_eq!(store.lists().unwrap()[0].items[0].text, "milk");
    let found = store.search(&["spare".into()], true, 5).unwrap();
    assert_eq!(found.len(), 1, "the index is there, too");
    assert_eq!(found[0].statement.as_ref().unwrap().relation, "place");
}

#[test]
fn who_only_looks_is_told_of_a_row_that_cannot_be_and_of_an_end_that_is_missing() {
    let dir = TempDir::new().unwrap();
    let path = Files::of_a_house(true).put(&dir);
    let whole = fs::read(&path).unwrap();
    let db = Connection::open(&path).unwrap();
    db.execute_batch("PRAGMA ignore_check_constraints = 1; UPDATE timers SET state = '?' WHERE seq = 7")
        .unwrap();
    drop(db);
    let fault = Store::open_read_only(&path).unwrap_err();
    assert!(fault.message.contains("damaged"), "{fault}");
    fs::write(&path, &whole[..whole.len() - 1]).unwrap();
    let fault = Store::open_read_only(&path).unwrap_err();
    assert!(fault.message.contains("its end is missing"), "{fault}");
    fs::write(&path, &whole).unwrap();
    assert!(Store::open_read_only(&path).is_ok());
}

#[test]
fn a_backup_is_made_a_few_are_kept_and_one_is_put_back() {
    let dir = TempDir::new().unwrap();
    let path = dir.path().join("hark.db");
    let store = Store::open(&path).unwrap();
    (0..TIMERS).for_each(|number| store.save(&timer(number)).unwrap());
    let made = store.back_up(TimeDelta::days(1)).unwrap().unwrap();
    assert_eq!(store.back_up(TimeDelta::days(1)).unwrap(), None, "one a day");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(fs::metadata(&made.path).unwrap().permissions().mode() & 0o077, 0);
    }
    for day in 10..20 {
        fs::copy(&made.path, made.path.with_file_name(format!("hark-202001{day}T000000Z.db"))).unwrap();
    }
    store.save(&timer(999)).unwrap();
    std::thread::sleep(Duration::from_millis(1100));
    let newest = store.back_up(TimeDelta::zero()).unwrap().unwrap();
    let all = backups::list(&path);
    assert_eq!(all.len(), 5);
    assert_eq!((&all[0], &all[1]), (&newest, &made));
    assert!(backups::restore(&path, None).unwrap_err().message.contains("in use"));
    store.close();
    drop(store);
    let mut bytes = fs::read(&path).unwrap();
    bytes[PAGE..].fill(0);
    fs::write(&path, &bytes).unwrap();
    let fault = Store::open(&path).unwrap_err();
    assert!(fault.fix.contains(&format!("hark store restore {}", newest.name)), "{fault}");
    assert!(backups::restore(&path, Some("other.db")).unwrap_err().message.contains(&made.name));
    let (_, before) = backups::restore(&path, Some(&made.name)).unwrap();
    assert_eq!(fs::read(before.unwrap()).unwrap(), bytes, "kept");
    assert_eq!(Store::open(&path).unwrap().load().unwrap().len(), TIMERS);
}

#[test]
fn an_older_database_is_backed_up_before_it_is_changed() {
    let dir = TempDir::new().unwrap();
    let path = dir.path().join("hark.db");
    migrations::migrate_to(&mut Connection::open(&path).unwrap(), 9).unwrap();
    let store = Store::open(&path).unwrap();
    assert!(store.meant().unwrap().is_empty(), "it is up to date");
    let backup = &backups::list(&path)[0];
    let old = Connection::open(&backup.path).unwrap();
    assert_eq!(migrations::version(&old).unwrap(), 9);
}

#[test]
fn a_full_disk_is_told_as_that_and_what_was_kept_is_known_where_nothing_can_be_written() {
    let dir = TempDir::new().unwrap();
    let path = dir.path().join("hark.db");
    let store = Store::open(&path).unwrap();
    (0..TIMERS).for_each(|number| store.save(&timer(number)).unwrap());
    // SQLite's own limit gives the error that a full disk gives.
    store.call("limit", |db| db.query_row("PRAGMA max_page_count = 1", [], |_| Ok(()))).unwrap();
    let fault = (1000..3000).find_map(|number| store.save(&timer(number)).err()).unwrap();
    assert_eq!((fault.kind, fault.message.as_str()), (FaultKind::Unavailable, "the disk is full"));
    let kept = store.load().unwrap();
    store.close();
    drop(store);
    let unkept = Store::open_in_memory(&path).unwrap();
    assert_eq!(unkept.load().unwrap(), kept);
    let told = unkept.trouble().unwrap();
    assert!(told.message.contains("nothing new can be kept") && told.message.contains("timers"), "{told}");
    let fault = unkept.save(&timer(5000)).unwrap_err();
    assert_eq!(fault.kind, FaultKind::Unavailable, "{fault}");
    assert_eq!(unkept.back_up(TimeDelta::zero()).unwrap(), None);
    assert_eq!(unkept.load().unwrap().len(), kept.len());
    // A folder in its place.
    let fault = Store::open_with_recovery(dir.path()).unwrap_err();
    assert_eq!(fault.kind, FaultKind::Unavailable);
    assert!(Store::open_in_memory(dir.path()).unwrap().load().unwrap().is_empty());
}
