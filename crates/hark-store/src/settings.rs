//! Settings that were changed while Hark ran, in the database.

use super::store::Store;
use hark_core::Fault;
use rusqlite::{TransactionBehavior, params};
use serde_json::Value;

/// A setting as it was changed.
#[derive(Debug, Clone, PartialEq)]
pub struct KeptSetting {
    /// Which.
    pub name: String,
    /// Its value.
    pub value: Value,
    /// What the configuration said when it was changed.
    pub configured: Value,
}

impl Store {
    /// All settings that are kept. One that cannot be read is left out, as if it had never been changed.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn settings(&self) -> Result<Vec<KeptSetting>, Fault> {
        let rows: Vec<(String, String, String)> = self.call("read the settings", |db| {
            let mut rows = db.prepare_cached("SELECT name, value, configured FROM settings ORDER BY name")?;
            rows.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?.collect()
        })?;
        let read = |(name, value, configured): (String, String, String)| {
            let parsed = serde_json::from_str(&value).ok().zip(serde_json::from_str(&configured).ok());
            if parsed.is_none() {
                tracing::warn!(name, "a setting in the database cannot be read");
            }
            parsed.map(|(value, configured)| KeptSetting { name, value, configured })
        };
        Ok(rows.into_iter().filter_map(read).collect())
    }

    /// Keeps settings, each in the place of what was kept of it before.
    ///
    /// # Errors
    /// When they could not be written; then all are as before.
    pub fn keep_settings(&self, settings: Vec<KeptSetting>) -> Result<(), Fault> {
        Ok(self.call("keep a setting", move |db| {
            let change = db.transaction_with_behavior(TransactionBehavior::Immediate)?;
            for KeptSetting { name, value, configured } in &settings {
                let sql = "INSERT INTO settings (name, value, configured) VALUES (?1, ?2, ?3)
                           ON CONFLICT (name) DO UPDATE SET value = ?2, configured = ?3";
                change.prepare_cached(sql)?.execute(params![
                    name,
                    value.to_string(),
                    configured.to_string()
                ])?;
            }
            change.commit()
        })?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn kept(name: &str, value: Value, configured: Value) -> KeptSetting {
        KeptSetting { name: name.into(), value, configured }
    }

    #[test]
    fn settings_are_there_after_a_restart_each_as_it_was_last() {
        let dir = tempfile::TempDir::new().unwrap();
        let path = dir.path().join("hark.db");
        let store = Store::open(&path).unwrap();
        let voice = kept("voice", json!("espeak"), json!("none"));
        store.keep_settings(vec![voice.clone(), kept("volume_percent", json!(10), json!(80))]).unwrap();
        store.keep_settings(vec![kept("volume_percent", json!(30), json!(70))]).unwrap();
        store.close();
        let settings = Store::open(&path).unwrap().settings().unwrap();
        assert_eq!(settings, [voice, kept("volume_percent", json!(30), json!(70))]);
    }

    #[test]
    fn what_cannot_be_read_is_as_if_it_was_never_changed() {
        let dir = tempfile::TempDir::new().unwrap();
        let store = Store::open(&dir.path().join("hark.db")).unwrap();
        store.keep_settings(vec![kept("voice", json!("espeak"), json!("none"))]).unwrap();
        let broken = "INSERT INTO settings (name, value, configured) VALUES ('volume', '{', '1')";
        store.call("break it", move |db| db.execute(broken, [])).unwrap();
        assert_eq!(store.settings().unwrap().len(), 1);
    }
}
