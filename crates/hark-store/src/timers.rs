//! Timers in the database: the implementation of the port [`TimerStore`].

use super::error::StoreError;
use super::store::Store;
use hark_core::Fault;
use hark_core::ids::TimerId;
use hark_core::ports::TimerStore;
use hark_core::timer::{Ring, Timer, TimerKind, TimerState};
use rusqlite::{Connection, Row, Transaction, TransactionBehavior, params};
use std::time::{SystemTime, UNIX_EPOCH};

/// How many rings are remembered.
const MAX_RINGS: i64 = 10_000;

impl TimerStore for Store {
    fn changed_elsewhere(&self) -> Result<bool, Fault> {
        // SQLite counts what other connections commit; this connection's own writes do not count.
        let version = self.call("look for changes", |db| {
            db.prepare_cached("PRAGMA data_version")?.query_row([], |row| row.get::<_, i64>(0))
        })?;
        Ok(self.note_data_version(version))
    }

    fn load(&self) -> Result<Vec<Timer>, Fault> {
        let rows = self.call("read the timers", |db| {
            let mut statement = db.prepare_cached(
                "SELECT id, name, area, duration_ms, created_unix_ms, due_unix_ms, remaining_ms, state,
                    kind, recurrence, wall, skipped
                 FROM timers ORDER BY seq",
            )?;
            let rows = statement.query_map([], read_row)?;
            rows.collect::<rusqlite::Result<Vec<_>>>()
        })?;
        let timers: Result<Vec<Timer>, StoreError> = rows.into_iter().map(to_timer).collect();
        Ok(timers?)
    }

    fn save(&self, timer: &Timer) -> Result<(), Fault> {
        let timer = timer.clone();
        self.call("keep a timer", move |db| write(db, &timer))?;
        Ok(())
    }

    fn remove(&self, timer: &Timer) -> Result<(), Fault> {
        let id = timer.id.0.clone();
        self.call("take a timer away", move |db| {
            db.prepare_cached("DELETE FROM timers WHERE id = ?1")?.execute([id])
        })?;
        Ok(())
    }

    fn replace(&self, changes: &[(Timer, Option<Timer>)]) -> Result<Vec<bool>, Fault> {
        let changes = changes.to_vec();
        let done = self.call("change timers", move |db| {
            let step = db.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let done = changes.iter().map(|(before, after)| replace_one(&step, before, after.as_ref()));
            let done = done.collect::<rusqlite::Result<Vec<bool>>>()?;
            step.commit()?;
            Ok(done)
        })?;
        Ok(done)
    }

    fn told(&self, timer: &TimerId, due_unix_ms: i64) -> Result<(), Fault> {
        let id = timer.0.clone();
        self.call_first("note a ring", move |db| {
            // Not worth waiting for the disk: a power cut ends the ring as well.
            db.pragma_update(None, "synchronous", "NORMAL")?;
            let noted = db
                .prepare_cached("UPDATE rings SET told = 1 WHERE timer = ?1 AND due_unix_ms = ?2")
                .and_then(|mut statement| statement.execute(params![id, due_unix_ms]));
            db.pragma_update(None, "synchronous", "FULL")?;
            noted
        })?;
        Ok(())
    }

    fn rings(&self) -> Result<Vec<Ring>, Fault> {
        let rings = self.call("read the rings", |db| {
            // SQLite takes the other columns from the row that has the maximum.
            let mut statement = db.prepare_cached(
                "SELECT timer, due_unix_ms, told, max(seq) FROM rings
                 WHERE timer IN (SELECT id FROM timers) GROUP BY timer",
            )?;
            let rows = statement.query_map([], |row| {
                Ok(Ring { timer: TimerId(row.get(0)?), due_unix_ms: row.get(1)?, told: row.get(2)? })
            })?;
            rows.collect::<rusqlite::Result<Vec<_>>>()
        })?;
        Ok(rings)
    }
}

/// Inserts or replaces.
fn write(db: &Connection, timer: &Timer) -> rusqlite::Result<()> {
    let mut statement = db.prepare_cached(
        "INSERT INTO timers
            (id, name, area, duration_ms, created_unix_ms, due_unix_ms, remaining_ms, state, kind,
             recurrence, wall, skipped)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)
         ON CONFLICT (id) DO UPDATE SET
            name = ?2, area = ?3, duration_ms = ?4, created_unix_ms = ?5, due_unix_ms = ?6,
            remaining_ms = ?7, state = ?8, kind = ?9, recurrence = ?10, wall = ?11,
            skipped = ?12",
    )?;
    statement.execute(params![
        timer.id.0,
        timer.name,
        timer.area,
        to_column(timer.duration_ms),
        timer.created_unix_ms,
        timer.due_unix_ms,
        to_column(timer.remaining_ms),
        state_name(timer.state),
        kind_name(timer.kind),
        timer.recurrence,
        timer.wall,
        timer.skipped,
    ])?;
    Ok(())
}

/// See [`TimerStore::replace`].
fn replace_one(step: &Transaction<'_>, before: &Timer, after: Option<&Timer>) -> rusqlite::Result<bool> {
    let mut is_there = step.prepare_cached(
        "SELECT 1 FROM timers WHERE id = ?1 AND state = ?2 AND due_unix_ms = ?3 AND remaining_ms = ?4",
    )?;
    let is_there = is_there.exists(params![
        before.id.0,
        state_name(before.state),
        before.due_unix_ms,
        to_column(before.remaining_ms)
    ])?;
    match (is_there, after) {
        (false, _) => {}
        (true, None) => {
            step.prepare_cached("DELETE FROM timers WHERE id = ?1")?.execute([&before.id.0])?;
        }
        (true, Some(after)) => write(step, after)?,
    }
    if let Some(rings) = after.filter(|after| is_there && after.state == TimerState::Ringing) {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis());
        let now = i64::try_from(now).unwrap_or(i64::MAX);
        step.prepare_cached(
            "INSERT INTO rings (timer, due_unix_ms, rang_unix_ms) VALUES (?1, ?2, ?3)
             ON CONFLICT (timer, due_unix_ms) DO UPDATE SET rang_unix_ms = ?3, told = 0",
        )?
        .execute(params![rings.id.0, rings.due_unix_ms, now])?;
        step.prepare_cached("DELETE FROM rings WHERE seq <= (SELECT max(seq) FROM rings) - ?1")?
            .execute([MAX_RINGS])?;
    }
    Ok(is_there)
}

/// SQLite's integers are signed; a length beyond 292 million years is cut.
fn to_column(ms: u64) -> i64 {
    i64::try_from(ms).unwrap_or(i64::MAX)
}

fn state_name(state: TimerState) -> &'static str {
    match state {
        TimerState::Running => "running",
        TimerState::Paused => "paused",
        TimerState::Ringing => "ringing",
    }
}

fn kind_name(kind: TimerKind) -> &'static str {
    match kind {
        TimerKind::Timer => "timer",
        TimerKind::Alarm => "alarm",
        TimerKind::Reminder => "reminder",
        TimerKind::Command => "command",
    }
}

/// A row as it is; state and kind are still text.
fn read_row(row: &Row<'_>) -> rusqlite::Result<(Timer, String, String)> {
    let timer = Timer {
        id: TimerId(row.get(0)?),
        kind: TimerKind::Timer,
        name: row.get(1)?,
        area: row.get(2)?,
        duration_ms: u64::try_from(row.get::<_, i64>(3)?).unwrap_or(0),
        created_unix_ms: row.get(4)?,
        due_unix_ms: row.get(5)?,
        remaining_ms: u64::try_from(row.get::<_, i64>(6)?).unwrap_or(0),
        state: TimerState::Running,
        recurrence: row.get(9)?,
        wall: row.get(10)?,
        skipped: row.get(11)?,
    };
    Ok((timer, row.get(7)?, row.get(8)?))
}

fn to_timer((timer, state, kind): (Timer, String, String)) -> Result<Timer, StoreError> {
    let state = match state.as_str() {
        "running" => TimerState::Running,
        "paused" => TimerState::Paused,
        "ringing" => TimerState::Ringing,
        other => return Err(StoreError::BadRow { what: "timer", why: format!("state `{other}`") }),
    };
    let kind = match kind.as_str() {
        "timer" => TimerKind::Timer,
        "alarm" => TimerKind::Alarm,
        "reminder" => TimerKind::Reminder,
        "command" => TimerKind::Command,
        other => return Err(StoreError::BadRow { what: "timer", why: format!("kind `{other}`") }),
    };
    Ok(Timer { state, kind, ..timer })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn any_timer() -> impl Strategy<Value = Timer> {
        let state =
            prop_oneof![Just(TimerState::Running), Just(TimerState::Paused), Just(TimerState::Ringing)];
        let times = (0..=i64::MAX as u64, any::<i64>(), any::<i64>(), 0..=i64::MAX as u64);
        let name = proptest::option::of(".{0,20}");
        let kind = prop_oneof![
            Just(TimerKind::Timer),
            Just(TimerKind::Alarm),
            Just(TimerKind::Reminder),
            Just(TimerKind::Command),
        ];
        let what = ("[a-e]", kind, name.clone());
        let rest = (name.clone(), times, state, name);
        (what, rest).prop_map(|((id, kind, name), (area, times, state, recurrence))| Timer {
            id: TimerId(id),
            kind,
            name,
            area,
            duration_ms: times.0,
            created_unix_ms: times.1,
            due_unix_ms: times.2,
            remaining_ms: times.3,
            state,
            wall: recurrence.clone(),
            skipped: recurrence.clone(),
            recurrence,
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]

        /// Whatever was saved and removed, a store opened again holds exactly the rest, in the order
        /// the timers were first set.
        #[test]
        fn a_store_opened_again_holds_what_was_answered(
            steps in proptest::collection::vec((any_timer(), any::<bool>()), 1..12)
        ) {
            let dir = tempfile::TempDir::new().unwrap();
            let path = dir.path().join("hark.db");
            let store = Store::open(&path).unwrap();
            let mut expected: Vec<Timer> = Vec::new();
            for (timer, remove) in steps {
                let at = expected.iter().position(|known| known.id == timer.id);
                if remove {
                    store.remove(&timer).unwrap();
                    if let Some(at) = at { expected.remove(at); }
                } else {
                    store.save(&timer).unwrap();
                    match at { Some(at) => expected[at] = timer, None => expected.push(timer) }
                }
            }
            drop(store);
            prop_assert_eq!(Store::open(&path).unwrap().load().unwrap(), expected);
        }
    }
}
