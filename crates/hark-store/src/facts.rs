//! Facts in the database, with full-text search (SQLite's FTS5, words stemmed by Porter's algorithm):
//! the implementation of the port [`FactStore`].

use super::store::Store;
use hark_core::Fault;
use hark_core::ports::{Fact, FactStore};
use rusqlite::{Row, params};

/// Most facts one question gives.
const MAX_FACTS: usize = 10_000;

impl FactStore for Store {
    fn remember(&self, text: &str, told_unix_ms: i64) -> Result<Fact, Fault> {
        let text = text.to_owned();
        Ok(self.call("keep a fact", move |db| {
            let sql = "INSERT INTO facts (text, told_unix_ms) VALUES (?1, ?2)";
            db.prepare_cached(sql)?.execute(params![text, told_unix_ms])?;
            Ok(Fact { id: db.last_insert_rowid(), text, told_unix_ms })
        })?)
    }

    fn restore(&self, fact: &Fact) -> Result<(), Fault> {
        let fact = fact.clone();
        self.call("keep a fact", move |db| {
            let sql = "INSERT INTO facts (id, text, told_unix_ms) VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING";
            db.prepare_cached(sql)?.execute(params![fact.id, fact.text, fact.told_unix_ms])
        })?;
        Ok(())
    }

    fn search(&self, words: &[String], any: bool, most: usize) -> Result<Vec<Fact>, Fault> {
        let question = question(words, any);
        if question.is_empty() {
            return Ok(Vec::new());
        }
        Ok(self.call("search the facts", move |db| {
            let sql = "SELECT facts.id, facts.text, facts.told_unix_ms
                       FROM facts_index JOIN facts ON facts.id = facts_index.rowid
                       WHERE facts_index MATCH ?1 ORDER BY rank, facts.id DESC LIMIT ?2";
            let mut rows = db.prepare_cached(sql)?;
            rows.query_map(params![question, limit(most)], read_row)?.collect()
        })?)
    }

    fn newest(&self, most: usize) -> Result<Vec<Fact>, Fault> {
        Ok(self.call("read the facts", move |db| {
            let sql = "SELECT id, text, told_unix_ms FROM facts ORDER BY id DESC LIMIT ?1";
            db.prepare_cached(sql)?.query_map([limit(most)], read_row)?.collect()
        })?)
    }

    fn forget(&self, id: i64) -> Result<bool, Fault> {
        let gone = self.call("forget a fact", move |db| {
            db.prepare_cached("DELETE FROM facts WHERE id = ?1")?.execute([id])
        })?;
        Ok(gone > 0)
    }
}

/// Words as FTS5 asks for them: each in quotes, so that none of them is read as its syntax.
fn question(words: &[String], any: bool) -> String {
    let said = words.iter().filter(|word| word.chars().any(char::is_alphanumeric));
    let quoted: Vec<String> = said.map(|word| format!("\"{}\"", word.replace('"', ""))).collect();
    quoted.join(if any { " OR " } else { " AND " })
}

fn limit(most: usize) -> i64 {
    i64::try_from(most.min(MAX_FACTS)).unwrap_or(0)
}

fn read_row(row: &Row<'_>) -> rusqlite::Result<Fact> {
    Ok(Fact { id: row.get(0)?, text: row.get(1)?, told_unix_ms: row.get(2)? })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        text.split(' ').map(str::to_owned).collect()
    }

    fn found(store: &Store, text: &str, any: bool) -> Vec<String> {
        store.search(&words(text), any, 10).unwrap().into_iter().map(|fact| fact.text).collect()
    }

    fn store() -> (tempfile::TempDir, Store) {
        let dir = tempfile::TempDir::new().unwrap();
        let store = Store::open(&dir.path().join("hark.db")).unwrap();
        for (at, text) in
            ["the spare key is under the pot", "Zoë is allergic to nuts", "the bins go out on Tuesdays"]
                .iter()
                .enumerate()
        {
            store.remember(text, at as i64).unwrap();
        }
        (dir, store)
    }

    #[test]
    fn facts_are_found_by_their_words_in_any_inflection() {
        let (_dir, store) = store();
        assert_eq!(found(&store, "spare keys", false), ["the spare key is under the pot"]);
        assert_eq!(found(&store, "zoe allergic", false), ["Zoë is allergic to nuts"]);
        assert_eq!(found(&store, "bin tuesday", false), ["the bins go out on Tuesdays"]);
        assert!(found(&store, "spare tyre", false).is_empty());
        assert_eq!(found(&store, "spare tyre", true), ["the spare key is under the pot"]);
        assert!(found(&store, "?", false).is_empty() && found(&store, "", true).is_empty());
    }

    #[test]
    fn a_question_is_words_and_never_syntax() {
        let (_dir, store) = store();
        for text in ["\"", "key\" OR \"nuts", "text:key", "key*", "NOT key", "(key", "key AND", "^key"] {
            store.search(&words(text), false, 10).unwrap();
            store.search(&words(text), true, 10).unwrap();
        }
        assert!(found(&store, "NEAR key", false).is_empty(), "NEAR is a word like any other");
    }

    #[test]
    fn what_is_forgotten_is_found_no_more_and_can_come_back() {
        let (_dir, store) = store();
        let fact = store.search(&words("key"), false, 1).unwrap().remove(0);
        assert!(store.forget(fact.id).unwrap() && !store.forget(fact.id).unwrap());
        assert!(found(&store, "key", false).is_empty());
        assert_eq!(store.newest(10).unwrap().len(), 2);
        store.restore(&fact).unwrap();
        store.restore(&fact).unwrap();
        assert_eq!(store.search(&words("pot"), false, 10).unwrap(), [fact]);
        assert_eq!(store.newest(1).unwrap()[0].text, "the bins go out on Tuesdays");
    }
}
