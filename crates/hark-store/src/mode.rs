//! The mode Hark was in, kept for the next start.

use super::store::Store;
use hark_core::{Fault, Mode};
use rusqlite::OptionalExtension;

impl Store {
    /// The mode that was kept last; `None` when none was.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn mode(&self) -> Result<Option<Mode>, Fault> {
        let name: Option<String> = self.call("read the mode", |db| {
            db.prepare_cached("SELECT mode FROM mode")?.query_row([], |row| row.get(0)).optional()
        })?;
        Ok(name.and_then(|name| serde_json::from_value(name.into()).ok()))
    }

    /// Keeps the mode.
    ///
    /// # Errors
    /// When it could not be written.
    pub fn keep_mode(&self, mode: Mode) -> Result<(), Fault> {
        self.call("keep the mode", move |db| {
            let sql = "INSERT INTO mode (one, mode) VALUES (1, ?1) ON CONFLICT (one) DO UPDATE SET mode = ?1";
            db.prepare_cached(sql)?.execute([mode.to_string()])
        })?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_mode_is_kept() {
        let dir = tempfile::TempDir::new().unwrap();
        let store = Store::open(&dir.path().join("hark.db")).unwrap();
        assert_eq!(store.mode().unwrap(), None);
        for mode in [Mode::Working, Mode::Guarding] {
            store.keep_mode(mode).unwrap();
            assert_eq!(store.mode().unwrap(), Some(mode));
        }
    }
}
