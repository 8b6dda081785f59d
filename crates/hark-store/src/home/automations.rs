//! Automations in the database, each as JSON: the implementation of the port [`AutomationStore`].

use crate::error::StoreError;
use crate::store::Store;
use hark_core::Fault;
use hark_core::automation::Automation;
use hark_core::ports::AutomationStore;
use rusqlite::params;

impl AutomationStore for Store {
    fn automations(&self) -> Result<Vec<Automation>, Fault> {
        let rows = self.call("read the automations", |db| {
            let mut rows = db.prepare_cached("SELECT automation FROM automations ORDER BY seq")?;
            rows.query_map([], |row| row.get(0))?.collect::<rusqlite::Result<Vec<String>>>()
        })?;
        let read = |row: String| serde_json::from_str(&row).map_err(bad);
        Ok(rows.into_iter().map(read).collect::<Result<_, _>>()?)
    }

    fn add_automation(&self, automation: &Automation) -> Result<(), Fault> {
        let (id, row) = (automation.id.0.clone(), written(automation)?);
        self.call("keep an automation", move |db| {
            db.prepare_cached(
                "INSERT INTO automations (id, automation) VALUES (?1, ?2)
                 ON CONFLICT (id) DO UPDATE SET automation = ?2",
            )?
            .execute(params![id, row])
        })?;
        Ok(())
    }

    fn replace_automation(&self, before: &Automation, after: Option<&Automation>) -> Result<bool, Fault> {
        let (id, known) = (before.id.0.clone(), written(before)?);
        let row = after.map(written).transpose()?;
        let changed = self.call("change an automation", move |db| match row {
            Some(row) => db
                .prepare_cached("UPDATE automations SET automation = ?3 WHERE id = ?1 AND automation = ?2")?
                .execute(params![id, known, row]),
            None => db
                .prepare_cached("DELETE FROM automations WHERE id = ?1 AND automation = ?2")?
                .execute(params![id, known]),
        })?;
        Ok(changed > 0)
    }
}

fn written(automation: &Automation) -> Result<String, StoreError> {
    serde_json::to_string(automation).map_err(bad)
}

fn bad(error: serde_json::Error) -> StoreError {
    StoreError::BadRow { what: "automation", why: error.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hark_core::automation::{Action, Trigger};

    #[test]
    fn one_program_wins_a_change_and_the_order_stays() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("hark.db");
        let store = Store::open(&path).unwrap();
        let one = |id: &str, unix_ms| Automation {
            id: id.into(),
            said: "turn off the lamp".into(),
            said_when: "at noon".into(),
            language: "en".into(),
            created_unix_ms: 1,
            trigger: Trigger::At { unix_ms },
            only_if: Vec::new(),
            repeats: false,
            action: Action::Intents { intents: Vec::new() },
            expires_unix_ms: None,
            was_true: false,
            were_true: Vec::new(),
            true_since_unix_ms: None,
            held_since_unix_ms: None,
            next_unix_ms: None,
            acting_since_unix_ms: None,
        };
        let (first, second) = (one("a", 10), one("b", 20));
        store.add_automation(&first).unwrap();
        store.add_automation(&second).unwrap();
        let later = one("a", 30);
        assert!(store.replace_automation(&first, Some(&later)).unwrap());
        assert!(!store.replace_automation(&first, None).unwrap(), "it is another one by now");
        drop(store);
        let store = Store::open(&path).unwrap();
        assert_eq!(store.automations().unwrap(), [later.clone(), second.clone()]);
        assert!(store.replace_automation(&later, None).unwrap());
        assert_eq!(store.automations().unwrap(), [second]);
    }
}
