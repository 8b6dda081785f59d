//! What can be taken back, in the database: the implementation of the port [`UndoStore`].

use crate::store::Store;
use hark_core::ports::{KeptUndo, UndoStore};
use hark_core::{Fault, TurnId};
use rusqlite::{Row, TransactionBehavior, params};

impl UndoStore for Store {
    fn undo_steps(&self, since_unix_ms: i64) -> Result<Vec<KeptUndo>, Fault> {
        Ok(self.call("read what can be taken back", move |db| {
            let mut rows = db.prepare_cached(
                "SELECT turn, turn_order, at_unix_ms, change FROM undo WHERE at_unix_ms >= ?1 ORDER BY seq",
            )?;
            rows.query_map([since_unix_ms], step)?.collect()
        })?)
    }

    fn keep_undo(&self, steps: Vec<KeptUndo>, most: usize, since_unix_ms: i64) {
        let most = i64::try_from(most).unwrap_or(i64::MAX);
        self.call_later("keep what can be taken back", move |db| {
            let change = db.transaction_with_behavior(TransactionBehavior::Immediate)?;
            for step in steps {
                change
                    .prepare_cached(
                        "INSERT INTO undo (turn, turn_order, at_unix_ms, change) VALUES (?1, ?2, ?3, ?4)",
                    )?
                    .execute(params![step.turn.0, step.order, step.at_unix_ms, step.change])?;
            }
            change
                .prepare_cached(
                    "DELETE FROM undo WHERE at_unix_ms < ?1
                     OR seq NOT IN (SELECT seq FROM undo ORDER BY seq DESC LIMIT ?2)",
                )?
                .execute(params![since_unix_ms, most])?;
            change.commit()
        });
    }

    fn forget_undo(&self, turn: &TurnId) {
        let turn = turn.0.clone();
        self.call_later("forget what was taken back", move |db| {
            db.prepare_cached("DELETE FROM undo WHERE turn = ?1")?.execute([turn]).map(|_| ())
        });
    }
}

fn step(row: &Row<'_>) -> rusqlite::Result<KeptUndo> {
    Ok(KeptUndo {
        turn: TurnId(row.get(0)?),
        order: row.get(1)?,
        at_unix_ms: row.get(2)?,
        change: row.get(3)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_changes_are_kept_over_a_restart_and_old_ones_go() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("hark.db");
        let store = Store::open(&path).unwrap();
        let one = |turn: &str, at_unix_ms| KeptUndo {
            turn: turn.into(),
            order: at_unix_ms,
            at_unix_ms,
            change: format!("\"{turn}\""),
        };
        store.keep_undo(vec![one("a", 10), one("b", 20)], 3, 0);
        store.keep_undo(vec![one("c", 30), one("d", 40)], 3, 0);
        drop(store);
        let store = Store::open(&path).unwrap();
        assert_eq!(store.undo_steps(0).unwrap(), [one("b", 20), one("c", 30), one("d", 40)]);
        assert_eq!(store.undo_steps(25).unwrap(), [one("c", 30), one("d", 40)]);
        store.forget_undo(&"c".into());
        store.keep_undo(vec![one("e", 50)], 3, 30);
        assert_eq!(store.undo_steps(0).unwrap(), [one("d", 40), one("e", 50)], "the first was too old");
    }
}
