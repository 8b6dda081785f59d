//! Timers in the database: the implementation of the port [`TimerStore`].

use super::error::RememberingError;
use super::store::Store;
use crate::domain::Fault;
use crate::domain::ids::TimerId;
use crate::domain::ports::TimerStore;
use crate::domain::timer::{Timer, TimerKind, TimerState};
use rusqlite::{Row, params};

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
                    kind, recurrence
                 FROM timers ORDER BY seq",
            )?;
            let rows = statement.query_map([], read_row)?;
            rows.collect::<rusqlite::Result<Vec<_>>>()
        })?;
        let timers: Result<Vec<Timer>, RememberingError> = rows.into_iter().map(to_timer).collect();
        Ok(timers?)
    }

    fn save(&self, timer: &Timer) -> Result<(), Fault> {
        let timer = timer.clone();
        self.call("keep a timer", move |db| {
            let mut statement = db.prepare_cached(
                "INSERT INTO timers
                    (id, name, area, duration_ms, created_unix_ms, due_unix_ms, remaining_ms, state, kind,
                     recurrence)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
                 ON CONFLICT (id) DO UPDATE SET
                    name = ?2, area = ?3, duration_ms = ?4, created_unix_ms = ?5, due_unix_ms = ?6,
                    remaining_ms = ?7, state = ?8, kind = ?9, recurrence = ?10",
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
            ])
        })?;
        Ok(())
    }

    fn remove(&self, timer: &Timer) -> Result<(), Fault> {
        let id = timer.id.0.clone();
        self.call("take a timer away", move |db| {
            db.prepare_cached("DELETE FROM timers WHERE id = ?1")?.execute([id])
        })?;
        Ok(())
    }
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
    };
    Ok((timer, row.get(7)?, row.get(8)?))
}

fn to_timer((timer, state, kind): (Timer, String, String)) -> Result<Timer, RememberingError> {
    let state = match state.as_str() {
        "running" => TimerState::Running,
        "paused" => TimerState::Paused,
        "ringing" => TimerState::Ringing,
        other => return Err(RememberingError::BadRow { what: "timer", why: format!("state `{other}`") }),
    };
    let kind = match kind.as_str() {
        "timer" => TimerKind::Timer,
        "alarm" => TimerKind::Alarm,
        "reminder" => TimerKind::Reminder,
        "command" => TimerKind::Command,
        other => return Err(RememberingError::BadRow { what: "timer", why: format!("kind `{other}`") }),
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
