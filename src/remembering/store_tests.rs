//! The store opens, repairs, refuses and closes as it says.

use super::*;
use crate::domain::FaultKind;
use crate::domain::ids::TimerId;
use crate::domain::ports::TimerStore;
use crate::domain::timer::{Timer, TimerKind, TimerState};
use tempfile::TempDir;

fn timer(id: &str) -> Timer {
    Timer {
        id: TimerId::from(id),
        kind: TimerKind::Timer,
        name: Some("pizza".into()),
        area: None,
        duration_ms: 60_000,
        created_unix_ms: 1_000,
        due_unix_ms: 61_000,
        remaining_ms: 0,
        state: TimerState::Running,
        recurrence: None,
    }
}

fn place() -> (TempDir, PathBuf) {
    let dir = TempDir::new().unwrap();
    let path = dir.path().join("state/hark.db");
    (dir, path)
}

fn files(dir: &TempDir) -> Vec<String> {
    let names = fs::read_dir(dir.path().join("state")).unwrap();
    let mut names: Vec<String> =
        names.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

#[test]
fn settings_are_those_that_survive_a_power_cut() {
    let (_dir, path) = place();
    let store = Store::open(&path).unwrap();
    let read = |pragma: &'static str| {
        store.call("read", move |db| {
            db.pragma_query_value(None, pragma, |row| row.get::<_, rusqlite::types::Value>(0))
        })
    };
    assert_eq!(read("journal_mode").unwrap(), rusqlite::types::Value::Text("wal".into()));
    assert_eq!(read("synchronous").unwrap(), rusqlite::types::Value::Integer(2));
    assert_eq!(read("foreign_keys").unwrap(), rusqlite::types::Value::Integer(1));
}

#[cfg(unix)]
#[test]
fn nobody_else_can_read_it() {
    use std::os::unix::fs::PermissionsExt;
    let (dir, path) = place();
    let store = Store::open(&path).unwrap();
    store.save(&timer("a")).unwrap();
    for name in files(&dir) {
        let mode = fs::metadata(dir.path().join("state").join(&name)).unwrap().permissions().mode();
        assert_eq!(mode & 0o077, 0, "{name}");
    }
}

#[test]
fn what_was_answered_is_there_for_another_process_even_without_a_clean_close() {
    let (_dir, path) = place();
    let store = Store::open(&path).unwrap();
    store.save(&timer("a")).unwrap();
    // A copy of the files at this moment is what a power cut would leave.
    let copy = TempDir::new().unwrap();
    for suffix in ["", "-wal"] {
        let from = format!("{}{suffix}", path.display());
        fs::copy(from, copy.path().join(format!("hark.db{suffix}"))).unwrap();
    }
    let after = Store::open(&copy.path().join("hark.db")).unwrap();
    assert_eq!(after.load().unwrap(), vec![timer("a")]);
    assert!(after.repaired().is_none());
    assert_eq!(Store::open_read_only(&path).unwrap().load().unwrap(), vec![timer("a")]);
}

#[test]
fn a_reader_cannot_write() {
    let (_dir, path) = place();
    let _daemon = Store::open(&path).unwrap();
    let reader = Store::open_read_only(&path).unwrap();
    assert!(reader.save(&timer("a")).is_err());
}

#[test]
fn a_reader_of_nothing_is_told_so_and_makes_nothing() {
    let (dir, path) = place();
    let fault = Store::open_read_only(&path).unwrap_err();
    assert_eq!(fault.kind, FaultKind::BadInput);
    assert!(fault.message.contains("hark.db"), "{fault}");
    assert!(!dir.path().join("state").exists());
}

#[test]
fn a_damaged_file_is_kept_under_another_name_and_a_fresh_one_works() {
    let (dir, path) = place();
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    let rubbish = b"this is no database, and it is longer than a header of one hundred bytes: ".repeat(40);
    fs::write(&path, &rubbish).unwrap();
    let store = Store::open(&path).unwrap();
    let told = store.repaired().expect("a fault is reported").clone();
    assert!(told.recoverable && told.message.contains("damaged"), "{told}");
    store.save(&timer("a")).unwrap();
    assert_eq!(store.load().unwrap().len(), 1);
    store.close();
    let names = files(&dir);
    let kept = names.iter().find(|name| name.contains(".damaged-")).unwrap();
    assert_eq!(fs::read(dir.path().join("state").join(kept)).unwrap(), rubbish);
}

#[test]
fn a_log_is_set_aside_with_its_database() {
    let (dir, path) = place();
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, b"main").unwrap();
    fs::write(dir.path().join("state/hark.db-wal"), b"log").unwrap();
    let kept = set_aside(&path).unwrap();
    assert_eq!(fs::read(&kept).unwrap(), b"main");
    assert_eq!(fs::read(format!("{}-wal", kept.display())).unwrap(), b"log");
    assert_eq!(files(&dir).len(), 2);
}

#[test]
fn damage_in_the_middle_of_a_real_database_is_found() {
    let (_dir, path) = place();
    let store = Store::open(&path).unwrap();
    for number in 0..200 {
        store.save(&timer(&format!("timer-{number}"))).unwrap();
    }
    store.close();
    let mut bytes = fs::read(&path).unwrap();
    assert!(bytes.len() > 12 * 1024);
    for byte in &mut bytes[4096 + 8..4096 * 3] {
        *byte = 0x5a;
    }
    fs::write(&path, &bytes).unwrap();
    assert!(Store::open(&path).unwrap().repaired().is_some());
}

#[test]
fn a_file_of_a_newer_hark_is_left_alone() {
    let (_dir, path) = place();
    Store::open(&path).unwrap().close();
    let db = Connection::open(&path).unwrap();
    db.pragma_update(None, "user_version", migrations::LATEST + 1).unwrap();
    drop(db);
    let fault = Store::open(&path).unwrap_err();
    assert!(fault.message.contains("version") && !fault.fix.is_empty(), "{fault}");
    assert!(Store::open_read_only(&path).is_err());
    let db = Connection::open(&path).unwrap();
    assert_eq!(migrations::version(&db).unwrap(), migrations::LATEST + 1);
}

#[test]
fn a_folder_in_the_way_is_an_error_with_a_fix() {
    let dir = TempDir::new().unwrap();
    let fault = Store::open(dir.path()).unwrap_err();
    assert!(!fault.fix.is_empty() && fault.message.contains("cannot open"), "{fault}");
}

#[test]
fn many_threads_write_and_nothing_is_lost() {
    let (_dir, path) = place();
    let store = Store::open(&path).unwrap();
    std::thread::scope(|scope| {
        for thread in 0..8 {
            let store = store.clone();
            scope.spawn(move || {
                for number in 0..12 {
                    store.save(&timer(&format!("{thread}-{number}"))).unwrap();
                }
            });
        }
    });
    assert_eq!(store.load().unwrap().len(), 96);
}

#[test]
fn after_closing_calls_fail_and_the_thread_is_gone() {
    let (_dir, path) = place();
    let store = Store::open(&path).unwrap();
    let other = store.clone();
    store.save(&timer("a")).unwrap();
    store.close();
    assert!(other.save(&timer("b")).is_err());
    other.close();
    assert_eq!(Store::open(&path).unwrap().load().unwrap(), vec![timer("a")]);
}
