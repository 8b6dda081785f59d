//! Plans with every checkpoint, so that one that was interrupted goes on where it was, and an earlier one can be shown
//! or carried out again. And what came of single calls, so that none is made twice.

use super::error::StoreError;
use super::store::Store;
use hark_core::plan::{KeptPlan, Plan, PlanStore};
use hark_core::tool::CallId;
use hark_core::{Fault, Receipt};
use rusqlite::{OptionalExtension, Row, params};

/// Finished plans that are kept; older ones are forgotten.
const MAX_FINISHED_PLANS: u32 = 200;
/// Receipts that are kept; many times what the plans that are open have calls.
const MAX_RECEIPTS: u32 = 2000;

/// A row as it is: plan, session, request, checkpoint, at, finished.
type PlanRow = (String, String, String, u32, String, bool);

const SELECT: &str = "SELECT steps, session, request, checkpoint, at, finished FROM plans";

impl PlanStore for Store {
    fn checkpoint(&self, session: &str, request: &str, plan: &Plan, finished: bool) -> Result<(), Fault> {
        let steps = serde_json::to_string(plan)
            .map_err(|error| StoreError::BadRow { what: "plan", why: error.to_string() })?;
        let (id, session, request) = (plan.id.clone(), session.to_owned(), request.to_owned());
        let at = chrono::Local::now().to_rfc3339();
        self.call("keep a plan", move |db| {
            db.prepare_cached(
                "INSERT INTO plans (id, checkpoint, session, request, steps, at, finished)
                 VALUES (?1, 1 + (SELECT coalesce(max(checkpoint), 0) FROM plans WHERE id = ?1), ?2, ?3, ?4, ?5, ?6)",
            )?
            .execute(params![id, session, request, steps, at, finished])?;
            if finished {
                db.prepare_cached(
                    "DELETE FROM plans WHERE id IN
                     (SELECT id FROM plans WHERE finished ORDER BY seq DESC LIMIT -1 OFFSET ?1)",
                )?
                .execute([MAX_FINISHED_PLANS])?;
            }
            Ok(())
        })?;
        Ok(())
    }

    fn plan(&self, id: &str, checkpoint: Option<u32>) -> Result<Option<KeptPlan>, Fault> {
        let mut all = self.checkpoints(id)?;
        Ok(match checkpoint {
            None => all.pop(),
            Some(number) => all.into_iter().find(|kept| kept.checkpoint == number),
        })
    }

    fn unfinished(&self) -> Result<Vec<KeptPlan>, Fault> {
        let rows = self.call("read the plans that are open", |db| {
            let sql = format!(
                "{SELECT} AS plan WHERE seq IN (SELECT max(seq) FROM plans GROUP BY id) AND NOT finished ORDER BY seq"
            );
            db.prepare_cached(&sql)?.query_map([], read)?.collect::<rusqlite::Result<Vec<_>>>()
        })?;
        Ok(rows.into_iter().map(to_plan).collect::<Result<_, _>>()?)
    }

    fn checkpoints(&self, id: &str) -> Result<Vec<KeptPlan>, Fault> {
        let id = id.to_owned();
        let rows = self.call("read a plan", move |db| {
            let sql = format!("{SELECT} WHERE id = ?1 ORDER BY checkpoint");
            db.prepare_cached(&sql)?.query_map([id], read)?.collect::<rusqlite::Result<Vec<_>>>()
        })?;
        Ok(rows.into_iter().map(to_plan).collect::<Result<_, _>>()?)
    }

    fn keep_receipt(&self, call: &CallId, receipt: &Receipt) -> Result<(), Fault> {
        let kept = serde_json::to_string(receipt).map_err(bad_receipt)?;
        let (turn, place) = named(call);
        self.call("keep a receipt", move |db| {
            db.prepare_cached(
                "INSERT INTO receipts (turn, place, receipt) VALUES (?1, ?2, ?3) ON CONFLICT (turn, place) DO NOTHING",
            )?
            .execute(params![turn, place, kept])?;
            db.prepare_cached(
                "DELETE FROM receipts WHERE seq <= (SELECT seq FROM receipts ORDER BY seq DESC LIMIT 1 OFFSET ?1)",
            )?
            .execute([MAX_RECEIPTS])
        })?;
        Ok(())
    }

    fn receipt(&self, call: &CallId) -> Result<Option<Receipt>, Fault> {
        let (turn, place) = named(call);
        let kept: Option<String> = self.call("read a receipt", move |db| {
            db.prepare_cached("SELECT receipt FROM receipts WHERE turn = ?1 AND place = ?2")?
                .query_row(params![turn, place], |row| row.get(0))
                .optional()
        })?;
        Ok(kept.map(|kept| serde_json::from_str(&kept).map_err(bad_receipt)).transpose()?)
    }
}

fn named(call: &CallId) -> (String, i64) {
    (call.turn.0.clone(), i64::try_from(call.index).unwrap_or(i64::MAX))
}

fn bad_receipt(error: serde_json::Error) -> StoreError {
    StoreError::BadRow { what: "receipt", why: error.to_string() }
}

fn read(row: &Row<'_>) -> rusqlite::Result<PlanRow> {
    Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?, row.get(5)?))
}

fn to_plan(row: PlanRow) -> Result<KeptPlan, StoreError> {
    let (steps, session, request, checkpoint, at, finished) = row;
    let plan = serde_json::from_str(&steps)
        .map_err(|error| StoreError::BadRow { what: "plan", why: error.to_string() })?;
    Ok(KeptPlan { plan, session, request, checkpoint, at, finished })
}

#[cfg(test)]
mod tests {
    use super::*;
    use hark_core::Slots;
    use hark_core::plan::{Step, StepStatus};

    fn plan(id: &str, status: StepStatus) -> Plan {
        let step = Step {
            id: "1".into(),
            description: "look".into(),
            tool: "t".into(),
            args: Slots::new(),
            can_parallel: false,
            depends_on: Vec::new(),
            only_if: None,
            status,
            receipt: None,
            call: None,
        };
        Plan { id: id.into(), summary: "s".into(), steps: vec![step], tainted: true }
    }

    #[test]
    fn the_first_receipt_of_a_call_counts_and_survives_the_program() {
        let dir = tempfile::TempDir::new().unwrap();
        let path = dir.path().join("hark.db");
        let call = |index| CallId { turn: "t-1".into(), index };
        let receipt = |id: &str| Receipt {
            id: id.into(),
            ok: true,
            changed: true,
            detail: serde_json::json!({"item": "saffron"}),
            tainted: false,
        };
        let store = Store::open(&path).unwrap();
        assert_eq!(store.receipt(&call(0)).unwrap(), None);
        store.keep_receipt(&call(0), &receipt("a")).unwrap();
        store.keep_receipt(&call(0), &receipt("b")).unwrap();
        drop(store);
        let store = Store::open(&path).unwrap();
        assert_eq!(store.receipt(&call(0)).unwrap(), Some(receipt("a")));
        assert_eq!(store.receipt(&call(1)).unwrap(), None);
        assert_eq!(store.receipt(&CallId { turn: "t-2".into(), index: 0 }).unwrap(), None);
    }

    #[test]
    fn every_checkpoint_is_kept_and_only_open_plans_are_unfinished() {
        let dir = tempfile::TempDir::new().unwrap();
        let store = Store::open(&dir.path().join("hark.db")).unwrap();
        let keep = |id, status, finished| store.checkpoint("s", "r", &plan(id, status), finished).unwrap();
        keep("a", StepStatus::Running, false);
        keep("b", StepStatus::Running, false);
        keep("a", StepStatus::Completed, true);
        let open: Vec<String> = store.unfinished().unwrap().into_iter().map(|kept| kept.plan.id).collect();
        assert_eq!(open, ["b"]);
        let all = store.checkpoints("a").unwrap();
        assert_eq!(
            all.iter().map(|kept| (kept.checkpoint, kept.finished)).collect::<Vec<_>>(),
            [(1, false), (2, true)]
        );
        assert_eq!(store.plan("a", Some(1)).unwrap().unwrap().plan, plan("a", StepStatus::Running));
        assert_eq!(store.plan("a", None).unwrap().unwrap().plan, plan("a", StepStatus::Completed));
        assert!(store.plan("a", Some(3)).unwrap().is_none() && store.plan("c", None).unwrap().is_none());
    }
}
