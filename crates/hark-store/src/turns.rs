//! Turns as `hark explain` tells them: every public event, and the machine events that led to them.

use super::error::StoreError;
use super::store::Store;
use hark_core::session::session_name;
use hark_core::{Fault, TurnId};
use rusqlite::{OptionalExtension, Row, TransactionBehavior, params};
use serde_json::Value;

/// Everything kept about one turn.
#[derive(Debug, Clone, PartialEq)]
pub struct TurnRecord {
    /// The turn.
    pub id: TurnId,
    /// When it began, RFC 3339.
    pub at: String,
    /// The conversation it belongs to.
    pub session: String,
    /// Its public events (`hark_core::Envelope` as JSON objects), in the order they happened.
    pub events: Vec<Value>,
    /// What went into the turn machine, recorded for a replay.
    pub inputs: Vec<Value>,
}

/// The turns in a store; cheap to clone.
#[derive(Debug, Clone)]
pub struct Turns {
    store: Store,
}

impl Turns {
    /// The turns of this store.
    pub fn new(store: Store) -> Self {
        Self { store }
    }

    /// Keeps a turn; one with the same id is replaced and keeps its place in the order.
    ///
    /// # Errors
    /// When it could not be written.
    pub fn save_turn(&self, turn: &TurnRecord) -> Result<(), Fault> {
        let (id, at, session) = (turn.id.0.clone(), turn.at.clone(), turn.session.clone());
        let events = Value::Array(turn.events.clone()).to_string();
        let inputs = Value::Array(turn.inputs.clone()).to_string();
        self.store.call("keep a turn", move |db| {
            let mut statement = db.prepare_cached(
                "INSERT INTO turns (id, at, session, events, inputs) VALUES (?1, ?2, ?3, ?4, ?5)
                 ON CONFLICT (id) DO UPDATE SET at = ?2, session = ?3, events = ?4, inputs = ?5",
            )?;
            statement.execute(params![id, at, session, events, inputs])
        })?;
        Ok(())
    }

    /// Adds an event that was told after a turn was kept; where it is not kept any more, nothing happens.
    ///
    /// # Errors
    /// When it could not be written.
    pub fn add_event(&self, id: &TurnId, event: &Value) -> Result<(), Fault> {
        let (id, event) = (id.0.clone(), event.to_string());
        self.store.call("add to a turn", move |db| {
            let sql = "UPDATE turns SET events = json_insert(events, '$[#]', json(?2)) WHERE id = ?1";
            db.prepare_cached(sql)?.execute(params![id, event])
        })?;
        Ok(())
    }

    /// The newest turn, `None` when there is none.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn last(&self) -> Result<Option<TurnRecord>, Fault> {
        let row = self.store.call("read the last turn", |db| {
            let sql = "SELECT id, at, session, events, inputs FROM turns ORDER BY seq DESC LIMIT 1";
            db.prepare_cached(sql)?.query_row([], read_row).optional()
        })?;
        Ok(row.map(to_turn).transpose()?)
    }

    /// The newest turns, the newest first.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn newest(&self, most: u32) -> Result<Vec<TurnRecord>, Fault> {
        let rows = self.store.call("read the newest turns", move |db| {
            let sql = "SELECT id, at, session, events, inputs FROM turns ORDER BY seq DESC LIMIT ?1";
            db.prepare_cached(sql)?.query_map([most], read_row)?.collect::<rusqlite::Result<Vec<_>>>()
        })?;
        Ok(rows.into_iter().map(to_turn).collect::<Result<_, _>>()?)
    }

    /// The newest of the turns before one, the newest first; `None` when that one is not kept.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn before(&self, id: &TurnId, most: u32) -> Result<Option<Vec<TurnRecord>>, Fault> {
        let id = id.0.clone();
        let rows = self.store.call("read the turns before one", move |db| {
            let place = db
                .prepare_cached("SELECT seq FROM turns WHERE id = ?1")?
                .query_row([id], |row| row.get::<_, i64>(0))
                .optional()?;
            let Some(place) = place else { return Ok(None) };
            let sql = "SELECT id, at, session, events, inputs FROM turns WHERE seq < ?1
                       ORDER BY seq DESC LIMIT ?2";
            let mut rows = db.prepare_cached(sql)?;
            rows.query_map(params![place, most], read_row)?.collect::<rusqlite::Result<Vec<_>>>().map(Some)
        })?;
        Ok(rows.map(|rows| rows.into_iter().map(to_turn).collect::<Result<_, _>>()).transpose()?)
    }

    /// One turn by its id, `None` when it is not kept.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn by_id(&self, id: &TurnId) -> Result<Option<TurnRecord>, Fault> {
        let id = id.0.clone();
        let row = self.store.call("read a turn", move |db| {
            let sql = "SELECT id, at, session, events, inputs FROM turns WHERE id = ?1";
            db.prepare_cached(sql)?.query_row([id], read_row).optional()
        })?;
        Ok(row.map(to_turn).transpose()?)
    }

    /// Forgets all but the newest `keep` turns, and of each conversation that somebody gave a name its newest `keep_named`,
    /// so that it is taken up again whatever was said elsewhere since. Of those that are older no more than `keep` stay in all.
    /// Answers which were forgotten.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn prune(&self, keep: u32, keep_named: u32) -> Result<Vec<TurnId>, Fault> {
        Ok(self.store.call("forget old turns", move |db| {
            let step = db.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let mut named: Vec<String> = step
                .prepare_cached("SELECT DISTINCT session FROM turns")?
                .query_map([], |row| row.get(0))?
                .collect::<rusqlite::Result<_>>()?;
            named.retain(|session| !session_name::is_generated(session));
            let sql = "WITH cut (seq) AS (SELECT seq FROM turns ORDER BY seq DESC LIMIT 1 OFFSET ?1)
                       DELETE FROM turns WHERE seq <= (SELECT seq FROM cut) AND seq NOT IN (
                           SELECT seq FROM (
                               SELECT seq, row_number() OVER (PARTITION BY session ORDER BY seq DESC) AS place
                               FROM turns WHERE session IN (SELECT value FROM json_each(?2))
                           ) WHERE place <= ?3 AND seq <= (SELECT seq FROM cut) ORDER BY seq DESC LIMIT ?1
                       ) RETURNING id";
            let names = Value::from(named).to_string();
            let forgotten = step
                .prepare_cached(sql)?
                .query_map(params![keep, names, keep_named], |row| Ok(TurnId(row.get(0)?)))?
                .collect::<rusqlite::Result<_>>()?;
            step.commit()?;
            Ok(forgotten)
        })?)
    }
}

/// A row as it is: id, at, session, events, inputs.
type TextRow = [String; 5];

fn read_row(row: &Row<'_>) -> rusqlite::Result<TextRow> {
    Ok([row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?])
}

fn to_turn([id, at, session, events, inputs]: TextRow) -> Result<TurnRecord, StoreError> {
    let parse = |text: &str| {
        serde_json::from_str::<Vec<Value>>(text)
            .map_err(|error| StoreError::BadRow { what: "turn", why: format!("{id}: {error}") })
    };
    let (events, inputs) = (parse(&events)?, parse(&inputs)?);
    Ok(TurnRecord { id: TurnId(id), at, session, events, inputs })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use tempfile::TempDir;

    fn turn(id: &str) -> TurnRecord {
        TurnRecord {
            id: TurnId::from(id),
            at: "2026-11-21T14:05:00+01:00".into(),
            session: "voice".into(),
            events: vec![json!({"event": "wake", "word": "hey_jarvis", "score": 0.9, "turn": id})],
            inputs: vec![json!({"kind": "tick"})],
        }
    }

    fn turns() -> (TempDir, Turns) {
        let dir = TempDir::new().unwrap();
        let store = Store::open(&dir.path().join("hark.db")).unwrap();
        (dir, Turns::new(store))
    }

    #[test]
    fn turns_come_back_as_they_were() {
        let (_dir, turns) = turns();
        assert_eq!(turns.last().unwrap(), None);
        turns.save_turn(&turn("a")).unwrap();
        turns.save_turn(&turn("b")).unwrap();
        assert_eq!(turns.last().unwrap(), Some(turn("b")));
        assert_eq!(turns.by_id(&"a".into()).unwrap(), Some(turn("a")));
        assert_eq!(turns.by_id(&"c".into()).unwrap(), None);
        assert_eq!(turns.newest(5).unwrap(), [turn("b"), turn("a")]);
        assert_eq!(turns.newest(1).unwrap(), [turn("b")]);
        assert_eq!(turns.before(&"b".into(), 5).unwrap(), Some(vec![turn("a")]));
        assert_eq!(turns.before(&"a".into(), 5).unwrap(), Some(Vec::new()));
        assert_eq!(turns.before(&"c".into(), 5).unwrap(), None);
    }

    #[test]
    fn saving_again_replaces_without_becoming_the_newest() {
        let (_dir, turns) = turns();
        turns.save_turn(&turn("a")).unwrap();
        turns.save_turn(&turn("b")).unwrap();
        let longer = TurnRecord { events: vec![json!({"event": "reply"}); 3], ..turn("a") };
        turns.save_turn(&longer).unwrap();
        assert_eq!(turns.by_id(&"a".into()).unwrap(), Some(longer));
        assert_eq!(turns.last().unwrap().unwrap().id, "b".into());
    }

    #[test]
    fn what_is_told_later_comes_after_what_was_told() {
        let (_dir, turns) = turns();
        let late = json!({"event": "evaluation", "label": "x", "metrics": {"clarity": 9.5}, "alert": null});
        turns.add_event(&"a".into(), &late).unwrap();
        assert_eq!(turns.last().unwrap(), None, "nothing is opened by it");
        turns.save_turn(&turn("a")).unwrap();
        turns.add_event(&"a".into(), &late).unwrap();
        let events = turns.by_id(&"a".into()).unwrap().unwrap().events;
        assert_eq!((events.len(), &events[..1], &events[1]), (2, &turn("a").events[..], &late));
    }

    #[test]
    fn pruning_keeps_the_newest() {
        let (_dir, turns) = turns();
        for number in 0..10 {
            turns.save_turn(&turn(&number.to_string())).unwrap();
        }
        assert_eq!(turns.prune(20, 5).unwrap(), []);
        assert_eq!(turns.prune(3, 0).unwrap(), ["0", "1", "2", "3", "4", "5", "6"].map(TurnId::from));
        assert_eq!(turns.by_id(&"6".into()).unwrap(), None);
        assert!(turns.by_id(&"7".into()).unwrap().is_some());
        assert_eq!(turns.prune(0, 5).unwrap().len(), 3);
        assert_eq!(turns.last().unwrap(), None);
    }

    #[test]
    fn conversations_with_a_name_keep_their_own() {
        let (_dir, turns) = turns();
        let save = |id: &str, session: &str| {
            let record = TurnRecord { session: session.into(), ..turn(id) };
            turns.save_turn(&record).unwrap();
        };
        for number in 0..4 {
            save(&format!("cook {number}"), "cooking");
            save(&format!("trip {number}"), "trip");
        }
        for number in 0..20 {
            save(&format!("said {number}"), "voice-20270115T080000000Z");
        }
        let kept = |id: &str| turns.by_id(&id.into()).unwrap().is_some();
        turns.prune(10, 2).unwrap();
        let named = ["cook 1", "cook 2", "cook 3", "trip 1", "trip 2", "trip 3"];
        assert_eq!(named.map(kept), [false, true, true, false, true, true]);
        assert_eq!(["said 9", "said 10", "said 19"].map(kept), [false, true, true]);
        // Names that nobody uses any more do not fill the disk.
        turns.prune(3, 2).unwrap();
        assert_eq!(named.map(kept), [false, false, true, false, true, true]);
        assert_eq!(["said 16", "said 17"].map(kept), [false, true]);
    }
}
