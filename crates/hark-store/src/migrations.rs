//! The schema of the database as a list of migrations. Migrations are only ever added at the end; `user_version` counts
//! those that were applied.

use rusqlite::{Connection, TransactionBehavior};
use std::collections::BTreeSet;

/// One step each; the place in the list is its number, starting at 1.
const STEPS: &[&str] = &[
    // 1: timers and turns.
    "CREATE TABLE timers (
        seq             INTEGER PRIMARY KEY AUTOINCREMENT,
        id              TEXT NOT NULL UNIQUE,
        name            TEXT,
        area            TEXT,
        duration_ms     INTEGER NOT NULL,
        created_unix_ms INTEGER NOT NULL,
        due_unix_ms     INTEGER NOT NULL,
        remaining_ms    INTEGER NOT NULL,
        state           TEXT NOT NULL CHECK (state IN ('running', 'paused', 'ringing'))
     ) STRICT;
     CREATE TABLE turns (
        seq     INTEGER PRIMARY KEY AUTOINCREMENT,
        id      TEXT NOT NULL UNIQUE,
        at      TEXT NOT NULL,
        session TEXT NOT NULL,
        events  TEXT NOT NULL,
        inputs  TEXT NOT NULL
     ) STRICT;",
    // 2: alarms and reminders beside timers; lists; facts with their full-text index.
    "ALTER TABLE timers ADD COLUMN kind TEXT NOT NULL DEFAULT 'timer'
        CHECK (kind IN ('timer', 'alarm', 'reminder', 'command'));
     ALTER TABLE timers ADD COLUMN recurrence TEXT;
     CREATE TABLE lists (
        seq  INTEGER PRIMARY KEY AUTOINCREMENT,
        name TEXT NOT NULL UNIQUE
     ) STRICT;
     CREATE TABLE list_items (
        list INTEGER NOT NULL REFERENCES lists (seq) ON DELETE CASCADE,
        at   INTEGER NOT NULL,
        text TEXT NOT NULL,
        done INTEGER NOT NULL CHECK (done IN (0, 1)),
        PRIMARY KEY (list, at)
     ) STRICT;
     CREATE TABLE facts (
        id           INTEGER PRIMARY KEY AUTOINCREMENT,
        text         TEXT NOT NULL,
        told_unix_ms INTEGER NOT NULL
     ) STRICT;
     CREATE VIRTUAL TABLE facts_index USING fts5 (
        text, content = 'facts', content_rowid = 'id', tokenize = 'porter unicode61 remove_diacritics 2'
     );
     CREATE TRIGGER facts_told AFTER INSERT ON facts BEGIN
        INSERT INTO facts_index (rowid, text) VALUES (new.id, new.text);
     END;
     CREATE TRIGGER facts_forgotten AFTER DELETE ON facts BEGIN
        INSERT INTO facts_index (facts_index, rowid, text) VALUES ('delete', old.id, old.text);
     END;",
    // 3: which timers rang, once for every due time.
    "CREATE TABLE rings (
        seq          INTEGER PRIMARY KEY AUTOINCREMENT,
        timer        TEXT NOT NULL,
        due_unix_ms  INTEGER NOT NULL,
        rang_unix_ms INTEGER NOT NULL,
        told         INTEGER NOT NULL DEFAULT 0 CHECK (told IN (0, 1)),
        UNIQUE (timer, due_unix_ms)
     ) STRICT;",
    // 4: the time of day that was meant.
    "ALTER TABLE timers ADD COLUMN wall TEXT;",
    // 5: settings that were changed while it ran, each with what the configuration said then.
    "CREATE TABLE settings (
        name       TEXT PRIMARY KEY,
        value      TEXT NOT NULL,
        configured TEXT NOT NULL
     ) STRICT;",
    // 6: conversations that have a name, and what was said in them.
    "CREATE TABLE sessions (
        name           TEXT PRIMARY KEY,
        persona        TEXT NOT NULL DEFAULT '',
        verbosity      TEXT NOT NULL DEFAULT 'short' CHECK (verbosity IN ('short', 'long')),
        mode           TEXT NOT NULL DEFAULT '',
        opened_unix_ms INTEGER NOT NULL,
        used_unix_ms   INTEGER NOT NULL
     ) STRICT;
     CREATE TABLE entries (
        seq           INTEGER PRIMARY KEY AUTOINCREMENT,
        turn          TEXT NOT NULL UNIQUE REFERENCES turns (id) ON DELETE CASCADE,
        session       TEXT NOT NULL REFERENCES sessions (name) ON DELETE CASCADE,
        request       TEXT NOT NULL,
        reply         TEXT NOT NULL,
        tag           TEXT NOT NULL,
        replay_policy TEXT
     ) STRICT;
     CREATE INDEX entries_of_session ON entries (session, seq);",
    // 7: plans with their checkpoints; the mode.
    "CREATE TABLE plans (
        seq        INTEGER PRIMARY KEY AUTOINCREMENT,
        id         TEXT NOT NULL,
        checkpoint INTEGER NOT NULL,
        session    TEXT NOT NULL,
        request    TEXT NOT NULL,
        steps      TEXT NOT NULL,
        at         TEXT NOT NULL,
        finished   INTEGER NOT NULL CHECK (finished IN (0, 1)),
        UNIQUE (id, checkpoint)
     ) STRICT;
     CREATE TABLE mode (
        one  INTEGER PRIMARY KEY CHECK (one = 1),
        mode TEXT NOT NULL
     ) STRICT;",
    // 8: what came of the calls of tasks, known before their plans are.
    "CREATE TABLE receipts (
        seq     INTEGER PRIMARY KEY AUTOINCREMENT,
        turn    TEXT NOT NULL,
        place   INTEGER NOT NULL,
        receipt TEXT NOT NULL,
        UNIQUE (turn, place)
     ) STRICT;",
    // 9: requests that were acknowledged and are not acted on yet, and what came of their calls. `event` goes when it is
    // done; the rest is kept for a while, to know the request again.
    "CREATE TABLE requests (
        seq        INTEGER PRIMARY KEY AUTOINCREMENT,
        packet     INTEGER NOT NULL,
        content    INTEGER NOT NULL,
        id         INTEGER,
        event      TEXT,
        at_unix_ms INTEGER NOT NULL,
        tries      INTEGER NOT NULL DEFAULT 0,
        done       INTEGER NOT NULL DEFAULT 0 CHECK (done IN (0, 1))
     ) STRICT;
     CREATE INDEX requests_open ON requests (seq) WHERE done = 0;
     CREATE TABLE request_calls (
        request INTEGER NOT NULL REFERENCES requests (seq) ON DELETE CASCADE,
        at      INTEGER NOT NULL,
        call    TEXT NOT NULL,
        receipt TEXT,
        PRIMARY KEY (request, at)
     ) STRICT;",
    // 10: which call a request meant, of those that may be run again: then it is the same call.
    "CREATE TABLE request_meant (
        request INTEGER NOT NULL REFERENCES requests (seq) ON DELETE CASCADE,
        at      INTEGER NOT NULL,
        call    TEXT NOT NULL,
        PRIMARY KEY (request, at)
     ) STRICT;",
    // 11: what is carried out when something happens.
    "CREATE TABLE automations (
        seq        INTEGER PRIMARY KEY AUTOINCREMENT,
        id         TEXT NOT NULL UNIQUE,
        automation TEXT NOT NULL
     ) STRICT;",
    // 12: facts as a graph: where each is from and until when it was so, what was read in it, and vectors of its words. A
    // fact outlives its statement where an entity is lost to damage, so the statement has a table of its own.
    "ALTER TABLE facts ADD COLUMN turn TEXT;
     ALTER TABLE facts ADD COLUMN speaker TEXT NOT NULL DEFAULT 'unknown';
     ALTER TABLE facts ADD COLUMN sure REAL NOT NULL DEFAULT 1.0;
     ALTER TABLE facts ADD COLUMN language TEXT NOT NULL DEFAULT '';
     ALTER TABLE facts ADD COLUMN private INTEGER NOT NULL DEFAULT 0;
     ALTER TABLE facts ADD COLUMN told TEXT NOT NULL DEFAULT '';
     ALTER TABLE facts ADD COLUMN ended_unix_ms INTEGER;
     ALTER TABLE facts ADD COLUMN replaced_by INTEGER;
     CREATE INDEX facts_replaced ON facts (replaced_by) WHERE replaced_by IS NOT NULL;
     CREATE TABLE entities (
        id   INTEGER PRIMARY KEY AUTOINCREMENT,
        key  TEXT NOT NULL UNIQUE,
        name TEXT NOT NULL,
        kind TEXT NOT NULL
     ) STRICT;
     CREATE TABLE statements (
        fact      INTEGER PRIMARY KEY REFERENCES facts (id) ON DELETE CASCADE,
        subject   INTEGER NOT NULL REFERENCES entities (id) ON DELETE CASCADE,
        relation  TEXT NOT NULL,
        qualifier TEXT NOT NULL,
        object    TEXT NOT NULL,
        entity    INTEGER REFERENCES entities (id) ON DELETE CASCADE,
        many      INTEGER NOT NULL
     ) STRICT;
     CREATE TABLE mentions (
        fact   INTEGER NOT NULL REFERENCES facts (id) ON DELETE CASCADE,
        entity INTEGER NOT NULL REFERENCES entities (id) ON DELETE CASCADE,
        UNIQUE (fact, entity)
     ) STRICT;
     CREATE INDEX mentions_of ON mentions (entity, fact);
     CREATE TABLE fact_vectors (
        fact    INTEGER PRIMARY KEY REFERENCES facts (id) ON DELETE CASCADE,
        encoder TEXT NOT NULL,
        vector  BLOB NOT NULL
     ) STRICT;
     CREATE INDEX fact_vectors_by ON fact_vectors (encoder, fact);",
    // 13: voices of people, as numbers.
    "CREATE TABLE voices (
        seq          INTEGER PRIMARY KEY AUTOINCREMENT,
        key          TEXT NOT NULL,
        name         TEXT NOT NULL,
        told_unix_ms INTEGER NOT NULL,
        embedding    BLOB NOT NULL
     ) STRICT;
     CREATE INDEX voices_by_key ON voices (key, seq);",
    // 14: which turns of a conversation a language model is told, where a person decides it.
    "ALTER TABLE sessions ADD COLUMN replay TEXT NOT NULL DEFAULT 'auto';",
    // 15: dates of facts that only the day they were told on gives a meaning, and whom a conversation was about last.
    "ALTER TABLE facts ADD COLUMN time TEXT;
     CREATE TABLE recent_entities (
        conversation TEXT NOT NULL,
        place        INTEGER NOT NULL,
        key          TEXT NOT NULL,
        name         TEXT NOT NULL,
        kind         TEXT NOT NULL,
        at_unix_ms   INTEGER NOT NULL,
        PRIMARY KEY (conversation, place)
     ) STRICT;",
    // 16: how a conversation is answered where it was not said in it: as everywhere, which `house_style` says.
    "ALTER TABLE sessions ADD COLUMN own_persona INTEGER NOT NULL DEFAULT 0;
     ALTER TABLE sessions ADD COLUMN own_verbosity INTEGER NOT NULL DEFAULT 0;
     UPDATE sessions SET own_persona = 1 WHERE persona <> '';
     UPDATE sessions SET own_verbosity = 1 WHERE verbosity = 'long';
     CREATE TABLE house_style (
        one       INTEGER PRIMARY KEY CHECK (one = 1),
        persona   TEXT,
        verbosity TEXT
     ) STRICT;",
    // 17: whose voice told a fact, where that is known; its speaker is `known` then.
    "ALTER TABLE facts ADD COLUMN person TEXT;",
    // 18: what was done last, so that it can be taken back.
    "CREATE TABLE undo (
        seq        INTEGER PRIMARY KEY AUTOINCREMENT,
        turn       TEXT NOT NULL,
        turn_order INTEGER NOT NULL,
        at_unix_ms INTEGER NOT NULL,
        change     TEXT NOT NULL
     ) STRICT;
     CREATE INDEX undo_of_turn ON undo (turn);",
    // 19: which time of what repeats was left out.
    "ALTER TABLE timers ADD COLUMN skipped TEXT;",
];

/// The version a fully migrated file has.
pub(crate) const LATEST: u32 = STEPS.len() as u32;

/// How many steps the file has had.
pub(crate) fn version(db: &Connection) -> rusqlite::Result<u32> {
    db.pragma_query_value(None, "user_version", |row| row.get(0))
}

/// The tables that a file of this version has, without those that belong to an index.
pub(crate) fn tables_at(version: u32) -> rusqlite::Result<BTreeSet<String>> {
    let db = Connection::open_in_memory()?;
    STEPS.iter().take(version as usize).try_for_each(|step| db.execute_batch(step))?;
    tables(&db)
}

/// The tables, without those that SQLite makes for itself or for an index.
pub(super) fn tables(db: &Connection) -> rusqlite::Result<BTreeSet<String>> {
    let sql = "SELECT name FROM pragma_table_list
               WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'";
    db.prepare(sql)?.query_map([], |row| row.get(0))?.collect()
}

/// Applies the steps that are missing, each in a transaction together with its number, so that a power
/// cut leaves a file either before or after a step.
pub(crate) fn migrate(db: &mut Connection) -> rusqlite::Result<()> {
    migrate_to(db, LATEST)
}

/// The same up to a version.
pub(crate) fn migrate_to(db: &mut Connection, last: u32) -> rusqlite::Result<()> {
    let done = version(db)?;
    for (number, step) in (1..=last).zip(STEPS).filter(|(number, _)| *number > done) {
        let transaction = db.transaction_with_behavior(TransactionBehavior::Immediate)?;
        // Another process may have been quicker while this one waited for the lock.
        if version(&transaction)? < number {
            transaction.execute_batch(step)?;
            transaction.pragma_update(None, "user_version", number)?;
        }
        transaction.commit()?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_file_gets_every_step_and_a_second_run_does_nothing() {
        let mut db = Connection::open_in_memory().unwrap();
        migrate(&mut db).unwrap();
        assert_eq!(version(&db).unwrap(), LATEST);
        db.execute("INSERT INTO turns (id, at, session, events, inputs) VALUES ('a','b','c','[]','[]')", [])
            .unwrap();
        migrate(&mut db).unwrap();
        let kept: i64 = db.query_row("SELECT count(*) FROM turns", [], |row| row.get(0)).unwrap();
        assert_eq!(kept, 1);
    }

    #[test]
    fn a_step_that_fails_leaves_the_version_where_it_was() {
        let mut db = Connection::open_in_memory().unwrap();
        db.execute_batch("CREATE TABLE turns (other TEXT)").unwrap();
        assert!(migrate(&mut db).is_err());
        assert_eq!(version(&db).unwrap(), 0);
        let timers: i64 = db
            .query_row("SELECT count(*) FROM sqlite_schema WHERE name = 'timers'", [], |r| r.get(0))
            .unwrap();
        assert_eq!(timers, 0, "the half of the step that worked must be gone");
    }
}
