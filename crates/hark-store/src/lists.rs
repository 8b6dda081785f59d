//! Lists in the database: the implementation of the port [`ListStore`].

use super::store::Store;
use hark_core::Fault;
use hark_core::ports::{ListItem, ListStore, StoredList};
use rusqlite::{Connection, TransactionBehavior, params};

impl ListStore for Store {
    fn lists(&self) -> Result<Vec<StoredList>, Fault> {
        Ok(self.call("read the lists", |db| {
            let mut names = db.prepare_cached("SELECT seq, name FROM lists ORDER BY seq")?;
            let names = names.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
            let names: Vec<(i64, String)> = names.collect::<rusqlite::Result<_>>()?;
            names.into_iter().map(|(seq, name)| Ok(StoredList { name, items: items(db, seq)? })).collect()
        })?)
    }

    fn save_list(&self, list: &StoredList) -> Result<(), Fault> {
        let list = list.clone();
        Ok(self.call("keep a list", move |db| {
            let change = db.transaction_with_behavior(TransactionBehavior::Immediate)?;
            change.execute("INSERT INTO lists (name) VALUES (?1) ON CONFLICT DO NOTHING", [&list.name])?;
            let seq: i64 =
                change.query_row("SELECT seq FROM lists WHERE name = ?1", [&list.name], |row| row.get(0))?;
            change.execute("DELETE FROM list_items WHERE list = ?1", [seq])?;
            for (at, item) in (0i64..).zip(&list.items) {
                let mut add = change.prepare_cached(
                    "INSERT INTO list_items (list, at, text, done) VALUES (?1, ?2, ?3, ?4)",
                )?;
                add.execute(params![seq, at, item.text, item.done])?;
            }
            change.commit()
        })?)
    }

    fn remove_list(&self, name: &str) -> Result<(), Fault> {
        let name = name.to_owned();
        self.call("take a list away", move |db| {
            db.prepare_cached("DELETE FROM lists WHERE name = ?1")?.execute([name])
        })?;
        Ok(())
    }
}

fn items(db: &Connection, list: i64) -> rusqlite::Result<Vec<ListItem>> {
    let mut rows = db.prepare_cached("SELECT text, done FROM list_items WHERE list = ?1 ORDER BY at")?;
    let rows = rows.query_map([list], |row| Ok(ListItem { text: row.get(0)?, done: row.get(1)? }))?;
    rows.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn list(name: &str, items: &[(&str, bool)]) -> StoredList {
        let items = items.iter().map(|(text, done)| ListItem { text: (*text).to_owned(), done: *done });
        StoredList { name: name.to_owned(), items: items.collect() }
    }

    #[test]
    fn lists_are_there_after_a_restart_in_their_order() {
        let dir = tempfile::TempDir::new().unwrap();
        let path = dir.path().join("hark.db");
        let store = Store::open(&path).unwrap();
        store.save_list(&list("Shopping", &[("milk", false), ("eggs", true), ("milk", false)])).unwrap();
        store.save_list(&list("Hardware", &[])).unwrap();
        store.save_list(&list("Gifts", &[("a kite", false)])).unwrap();
        store.remove_list("Hardware").unwrap();
        store.remove_list("nowhere").unwrap();
        store.save_list(&list("Shopping", &[("bread", false)])).unwrap();
        store.close();
        let kept = Store::open(&path).unwrap().lists().unwrap();
        assert_eq!(kept, [list("Shopping", &[("bread", false)]), list("Gifts", &[("a kite", false)])]);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]

        #[test]
        fn any_text_comes_back_as_it_was(
            name in ".{1,30}", items in proptest::collection::vec((".{0,30}", any::<bool>()), 0..8)
        ) {
            let dir = tempfile::TempDir::new().unwrap();
            let store = Store::open(&dir.path().join("hark.db")).unwrap();
            let items: Vec<ListItem> =
                items.into_iter().map(|(text, done)| ListItem { text, done }).collect();
            let list = StoredList { name, items };
            store.save_list(&list).unwrap();
            prop_assert_eq!(store.lists().unwrap(), vec![list]);
        }
    }
}
