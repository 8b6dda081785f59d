//! The store opens, repairs, refuses and closes as it says.

use super::*;
use hark_core::FaultKind;
use hark_core::ids::TimerId;
use hark_core::ports::TimerStore;
use hark_core::timer::{Ring, Timer, TimerKind, TimerState};
use tempfile::TempDir;

pub(super) fn timer(id: &str) -> Timer {
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
        wall: None,
        skipped: None,
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
    assert!(after.trouble().is_none());
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
    let fault = Store::open(&path).unwrap_err();
    assert!(fault.message.contains("no database") && fault.fix.contains("there is no backup"), "{fault}");
    let store = Store::open_with_recovery(&path).unwrap();
    let told = store.trouble().expect("a fault is reported").clone();
    assert!(told.recoverable && told.message.contains("nothing in it could be read"), "{told}");
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
    let kept = database_files::set_aside(&path, "damaged").unwrap();
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
    assert!(Store::open(&path).is_err() && Store::open_read_only(&path).is_err());
    assert!(Store::open_with_recovery(&path).unwrap().trouble().is_some());
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

/// What the database holds when its files are like this.
fn held(main: &[u8], wal: &[u8]) -> (Vec<String>, bool) {
    let (_dir, path) = place();
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, main).unwrap();
    fs::write(with_suffix(&path, "-wal"), wal).unwrap();
    let store = Store::open(&path).unwrap();
    let names = store.load().unwrap().into_iter().map(|timer| timer.id.0).collect();
    (names, store.trouble().is_some())
}

#[test]
fn a_log_that_was_torn_by_a_power_cut_loses_only_what_was_never_answered() {
    let (_dir, path) = place();
    let store = Store::open(&path).unwrap();
    store.save(&timer("before")).unwrap();
    // Moments right after an answer: how long the log was, which is what the disk has for sure.
    let log = with_suffix(&path, "-wal");
    let mut moments = Vec::new();
    for number in 0..30 {
        store.save(&timer(&format!("{number:02}"))).unwrap();
        moments.push(fs::metadata(&log).unwrap().len());
    }
    let (main, wal) = (fs::read(&path).unwrap(), fs::read(&log).unwrap());
    let expected = |count: usize| -> Vec<String> {
        std::iter::once("before".to_owned()).chain((0..count).map(|number| format!("{number:02}"))).collect()
    };
    let bytes = |length: u64| usize::try_from(length).unwrap();
    for (at, end) in moments.iter().enumerate().step_by(4) {
        let whole = bytes(*end);
        let next = moments.get(at + 1).map_or(wal.len(), |next| bytes(*next));
        // Cut off right there, in the middle of the next write, and with rubbish where that should be.
        assert_eq!(held(&main, &wal[..whole]), (expected(at + 1), false));
        let middle = whole + (next - whole) / 2;
        assert_eq!(held(&main, &wal[..middle]), (expected(at + 1), false), "torn at {middle} of {next}");
        let mut garbled = wal[..next].to_vec();
        garbled[whole..].iter_mut().for_each(|byte| *byte ^= 0x5a);
        assert_eq!(held(&main, &garbled), (expected(at + 1), false));
        let mut zeroed = wal.clone();
        zeroed[whole..].fill(0);
        assert_eq!(held(&main, &zeroed), (expected(at + 1), false));
    }
}

#[test]
fn a_step_of_many_timers_is_whole_or_not_at_all() {
    let (_dir, path) = place();
    let store = Store::open(&path).unwrap();
    let all: Vec<Timer> = (0..40).map(|number| timer(&format!("{number:02}"))).collect();
    all.iter().for_each(|timer| store.save(timer).unwrap());
    let log = with_suffix(&path, "-wal");
    let before = fs::read(&log).unwrap().len();
    let ringing = |timer: &Timer| Timer { state: TimerState::Ringing, ..timer.clone() };
    let step: Vec<_> = all.iter().map(|timer| (timer.clone(), Some(ringing(timer)))).collect();
    assert_eq!(store.replace(&step).unwrap(), vec![true; 40]);
    let (main, wal) = (fs::read(&path).unwrap(), fs::read(&log).unwrap());
    let rings = |wal: &[u8]| {
        let (_dir, path) = place();
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, &main).unwrap();
        fs::write(with_suffix(&path, "-wal"), wal).unwrap();
        let store = Store::open(&path).unwrap();
        let timers = store.load().unwrap();
        (
            timers.iter().filter(|timer| timer.state == TimerState::Ringing).count(),
            store.rings().unwrap().len(),
        )
    };
    assert_eq!(rings(&wal), (40, 40));
    for part in 1..8 {
        let cut = before + (wal.len() - before) * part / 8;
        assert_eq!(rings(&wal[..cut]), (0, 0), "cut at {cut}");
    }
}

#[test]
fn what_is_kept_changes_only_from_what_it_is_thought_to_be() {
    let (_dir, path) = place();
    let store = Store::open(&path).unwrap();
    let first = timer("a");
    store.save(&first).unwrap();
    let rings = Timer { state: TimerState::Ringing, ..first.clone() };
    let absent = timer("b");
    let step = [(first.clone(), Some(rings.clone())), (absent.clone(), Some(absent))];
    assert_eq!(store.replace(&step).unwrap(), [true, false]);
    assert_eq!(store.replace(&[(first.clone(), None)]).unwrap(), [false], "it rings by now");
    assert_eq!(store.load().unwrap(), vec![rings.clone()]);
    let told = |told: bool| vec![Ring { timer: first.id.clone(), due_unix_ms: first.due_unix_ms, told }];
    assert_eq!(store.rings().unwrap(), told(false));
    store.told(&first.id, first.due_unix_ms).unwrap();
    assert_eq!(store.rings().unwrap(), told(true));
    // Noting that does not change how everything else is written.
    let synchronous =
        store.call("read", |db| db.pragma_query_value(None, "synchronous", |row| row.get::<_, i64>(0)));
    assert_eq!(synchronous.unwrap(), 2);
    assert_eq!(store.replace(&[(rings, None)]).unwrap(), [true]);
    assert!(store.load().unwrap().is_empty() && store.rings().unwrap().is_empty());
}

#[test]
fn a_damaged_file_that_another_program_has_open_is_not_taken_from_under_it() {
    let (dir, path) = place();
    let daemon = Store::open(&path).unwrap();
    for number in 0..200 {
        daemon.save(&timer(&format!("timer-{number}"))).unwrap();
    }
    daemon.call("checkpoint", |db| db.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))).unwrap();
    let mut bytes = fs::read(&path).unwrap();
    bytes[4096 + 8..4096 * 3].fill(0x5a);
    fs::write(&path, &bytes).unwrap();
    let fault = Store::open_with_recovery(&path).unwrap_err();
    assert!(fault.message.contains("damaged") && fault.fix.contains("again"), "{fault}");
    assert!(!files(&dir).iter().any(|name| name.contains(".damaged-")));
    daemon.close();
    drop(daemon);
    assert!(Store::open_with_recovery(&path).unwrap().trouble().is_some());
}

#[test]
fn programs_that_open_a_new_database_at_once_all_get_it() {
    for _ in 0..20 {
        let (_dir, path) = place();
        let start = std::sync::Barrier::new(6);
        let open = &|number: usize| -> Result<(), Fault> {
            start.wait();
            // The last ones only look: they may come before there is anything.
            match number < 4 {
                true => Store::open_with_recovery(&path).map(|store| assert!(store.trouble().is_none())),
                false => Store::open_read_only(&path)
                    .map(drop)
                    .or_else(|fault| (fault.kind == FaultKind::BadInput).then_some(()).ok_or(fault)),
            }
        };
        std::thread::scope(|all| {
            let opening: Vec<_> = (0..6).map(|number| all.spawn(move || open(number))).collect();
            for opened in opening {
                opened.join().unwrap().unwrap();
            }
        });
        assert_eq!(kept_aside(&path), Vec::<PathBuf>::new());
    }
}
