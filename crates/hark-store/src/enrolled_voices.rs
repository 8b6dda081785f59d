//! Voices of people in the database: the implementation of the port [`VoiceStore`]. Numbers only, never sound.

use super::store::Store;
use hark_core::Fault;
use hark_core::speaker::{VoiceSample, VoiceStore};
use rusqlite::{TransactionBehavior, params};

impl VoiceStore for Store {
    fn voices(&self) -> Result<Vec<VoiceSample>, Fault> {
        Ok(self.call("read the voices", |db| {
            let mut rows =
                db.prepare_cached("SELECT name, told_unix_ms, embedding FROM voices ORDER BY seq")?;
            let rows = rows.query_map([], |row| {
                let bytes: Vec<u8> = row.get(2)?;
                let embedding =
                    bytes.as_chunks().0.iter().map(|number| f32::from_le_bytes(*number)).collect();
                Ok(VoiceSample { name: row.get(0)?, told_unix_ms: row.get(1)?, embedding })
            })?;
            rows.collect()
        })?)
    }

    fn add_voice(&self, sample: &VoiceSample, most: usize) -> Result<(), Fault> {
        let (sample, key) = (sample.clone(), key(&sample.name));
        let most = i64::try_from(most).unwrap_or(i64::MAX);
        Ok(self.call("keep a voice", move |db| {
            let bytes: Vec<u8> = sample.embedding.iter().flat_map(|number| number.to_le_bytes()).collect();
            let change = db.transaction_with_behavior(TransactionBehavior::Immediate)?;
            change.execute(
                "INSERT INTO voices (key, name, told_unix_ms, embedding) VALUES (?1, ?2, ?3, ?4)",
                params![key, sample.name, sample.told_unix_ms, bytes],
            )?;
            change.execute(
                "DELETE FROM voices WHERE key = ?1 AND seq NOT IN
                    (SELECT seq FROM voices WHERE key = ?1 ORDER BY seq DESC LIMIT ?2)",
                params![key, most],
            )?;
            change.commit()
        })?)
    }

    fn forget_voice(&self, name: &str) -> Result<usize, Fault> {
        let key = key(name);
        Ok(self.call("forget a voice", move |db| {
            db.prepare_cached("DELETE FROM voices WHERE key = ?1")?.execute([key])
        })?)
    }
}

/// What tells names apart.
fn key(name: &str) -> String {
    name.trim().to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;
    use hark_core::speaker::EMBEDDING_NUMBERS;

    fn sample(name: &str, first: f32) -> VoiceSample {
        let mut embedding = vec![0.25; EMBEDDING_NUMBERS];
        embedding[0] = first;
        VoiceSample { name: name.into(), embedding, told_unix_ms: 1_000 }
    }

    #[test]
    fn voices_outlast_a_restart_and_the_oldest_samples_of_many_go() {
        let dir = tempfile::TempDir::new().unwrap();
        let path = dir.path().join("hark.db");
        let store = Store::open(&path).unwrap();
        for (name, first) in [("Anna", 0.1), ("Ben", 0.2), ("anna", 0.3), ("Anna", -0.4)] {
            store.add_voice(&sample(name, first), 2).unwrap();
        }
        store.close();
        let store = Store::open(&path).unwrap();
        assert_eq!(store.voices().unwrap(), [sample("Ben", 0.2), sample("anna", 0.3), sample("Anna", -0.4)]);
        assert_eq!(store.forget_voice(" ANNA ").unwrap(), 2);
        assert_eq!(store.forget_voice("Carl").unwrap(), 0);
        assert_eq!(store.voices().unwrap(), [sample("Ben", 0.2)]);
    }
}
