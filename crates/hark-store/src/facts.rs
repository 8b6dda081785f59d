//! Facts in the database with what was read in them (a graph of entities and statements), full-text search (SQLite's
//! FTS5, words stemmed by Porter's algorithm) and vectors: the implementation of the port [`FactStore`].

use super::store::Store;
use hark_core::Fault;
use hark_core::memory::{
    Entity, EntityKind, Fact, FactStore, Source, Speaker, Statement, VectorState, Vectors,
};
use rusqlite::{Connection, OptionalExtension, Row, TransactionBehavior, params};
use std::collections::HashMap;

/// Most facts one question gives.
const MAX_FACTS: usize = 10_000;

/// A fact with its statement; what mentions it is read apart.
const SELECT: &str = "SELECT facts.id, facts.text, facts.told_unix_ms, facts.turn, facts.speaker, facts.sure,
        facts.language, facts.private, facts.told, facts.ended_unix_ms, facts.replaced_by,
        statements.relation, statements.qualifier, statements.object, statements.many,
        subject.key, subject.name, subject.kind, other.key, other.name, other.kind, facts.time, facts.person
     FROM facts LEFT JOIN statements ON statements.fact = facts.id
        LEFT JOIN entities AS subject ON subject.id = statements.subject
        LEFT JOIN entities AS other ON other.id = statements.entity";

/// Facts and all those that they, or one of these, have taken the place of.
const WITH_HISTORY: &str = "WITH RECURSIVE gone (id) AS (
        SELECT value FROM json_each(?1)
        UNION SELECT facts.id FROM facts JOIN gone ON facts.replaced_by = gone.id
     )";

impl FactStore for Store {
    fn remember(&self, fact: &Fact, ends: &[i64]) -> Result<Fact, Fault> {
        let (fact, ends) = (fact.clone(), json(ends));
        Ok(self.call("keep a fact", move |db| {
            let step = db.transaction_with_behavior(TransactionBehavior::Immediate)?;
            insert(&step, &Fact { id: 0, ended_unix_ms: None, replaced_by: None, ..fact.clone() })?;
            let id = step.last_insert_rowid();
            let fact = Fact { id, ended_unix_ms: None, replaced_by: None, ..fact };
            link(&step, &fact)?;
            let sql = "UPDATE facts SET ended_unix_ms = ?2, replaced_by = ?3
                       WHERE id IN (SELECT value FROM json_each(?1)) AND ended_unix_ms IS NULL";
            step.prepare_cached(sql)?.execute(params![ends, fact.told_unix_ms, id])?;
            drop_vectors(&step, &ends)?;
            step.commit()?;
            Ok(fact)
        })?)
    }

    fn restore(&self, fact: &Fact) -> Result<(), Fault> {
        let fact = fact.clone();
        self.call("keep a fact", move |db| {
            let step = db.transaction_with_behavior(TransactionBehavior::Immediate)?;
            if insert(&step, &fact)? > 0 {
                link(&step, &fact)?;
            } else {
                let sql = "UPDATE facts SET ended_unix_ms = ?2, replaced_by = ?3 WHERE id = ?1";
                let values = params![fact.id, fact.ended_unix_ms, fact.replaced_by];
                step.prepare_cached(sql)?.execute(values)?;
            }
            step.commit()
        })?;
        Ok(())
    }

    fn take_back(&self, id: i64) -> Result<(), Fault> {
        self.call("forget a fact", move |db| {
            let step = db.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let sql = "UPDATE facts SET ended_unix_ms = NULL, replaced_by = NULL WHERE replaced_by = ?1";
            step.prepare_cached(sql)?.execute([id])?;
            step.prepare_cached("DELETE FROM facts WHERE id = ?1")?.execute([id])?;
            forget_unnamed(&step)?;
            step.commit()
        })?;
        Ok(())
    }

    fn search(&self, words: &[String], any: bool, most: usize) -> Result<Vec<Fact>, Fault> {
        let question = question(words, any);
        if question.is_empty() {
            return Ok(Vec::new());
        }
        Ok(self.call("search the facts", move |db| {
            let sql = format!(
                "{SELECT} JOIN facts_index ON facts_index.rowid = facts.id
                 WHERE facts_index MATCH ?1 AND facts.ended_unix_ms IS NULL
                 ORDER BY facts_index.rank, facts.id DESC LIMIT ?2"
            );
            read(db, &sql, params![question, limit(most)])
        })?)
    }

    fn newest(&self, most: usize) -> Result<Vec<Fact>, Fault> {
        Ok(self.call("read the facts", move |db| {
            let sql = format!("{SELECT} WHERE facts.ended_unix_ms IS NULL ORDER BY facts.id DESC LIMIT ?1");
            read(db, &sql, [limit(most)])
        })?)
    }

    fn by_ids(&self, ids: &[i64]) -> Result<Vec<Fact>, Fault> {
        let ids = json(ids);
        Ok(self.call("read the facts", move |db| {
            let sql = format!(
                "{SELECT} WHERE facts.id IN (SELECT value FROM json_each(?1)) AND facts.ended_unix_ms IS NULL"
            );
            read(db, &sql, [ids])
        })?)
    }

    fn about(&self, keys: &[String], most: usize) -> Result<Vec<Fact>, Fault> {
        let keys = json(keys);
        Ok(self.call("read the facts", move |db| {
            let sql = format!(
                "{SELECT} WHERE facts.ended_unix_ms IS NULL AND facts.id IN (
                    SELECT mentions.fact FROM mentions JOIN entities ON entities.id = mentions.entity
                    WHERE entities.key IN (SELECT value FROM json_each(?1)))
                 ORDER BY facts.id DESC LIMIT ?2"
            );
            read(db, &sql, params![keys, limit(most)])
        })?)
    }

    fn history(&self, most: usize) -> Result<Vec<Fact>, Fault> {
        Ok(self.call("read the facts", move |db| {
            let sql = format!(
                "{SELECT} WHERE facts.ended_unix_ms IS NOT NULL
                 ORDER BY facts.ended_unix_ms DESC, facts.id DESC LIMIT ?1"
            );
            read(db, &sql, [limit(most)])
        })?)
    }

    fn entities(&self, keys: &[String]) -> Result<Vec<Entity>, Fault> {
        let keys = json(keys);
        Ok(self.call("read the entities", move |db| {
            let sql = "SELECT key, name, kind FROM entities WHERE key IN (SELECT value FROM json_each(?1))";
            db.prepare_cached(sql)?
                .query_map([keys], |row| Ok(entity(row, 0)?.unwrap_or_else(nothing)))?
                .collect()
        })?)
    }

    fn all_entities(&self, most: usize) -> Result<Vec<(Entity, u64)>, Fault> {
        Ok(self.call("read the entities", move |db| {
            let sql = "SELECT entities.key, entities.name, entities.kind, count(facts.id) AS number
                       FROM entities JOIN mentions ON mentions.entity = entities.id
                         JOIN facts ON facts.id = mentions.fact AND facts.ended_unix_ms IS NULL
                       GROUP BY entities.id ORDER BY number DESC, entities.id LIMIT ?1";
            let mut rows = db.prepare_cached(sql)?;
            let read = |row: &Row<'_>| {
                let number: i64 = row.get(3)?;
                Ok((entity(row, 0)?.unwrap_or_else(nothing), u64::try_from(number).unwrap_or(0)))
            };
            rows.query_map([limit(most)], read)?.collect()
        })?)
    }

    fn rename(&self, key: &str, now: &Entity) -> Result<(), Fault> {
        let (key, now) = (key.to_owned(), now.clone());
        self.call("rename an entity", move |db| {
            let step = db.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let id_of = |key: &str| -> rusqlite::Result<Option<i64>> {
                step.query_row("SELECT id FROM entities WHERE key = ?1", [key], |row| row.get(0)).optional()
            };
            match (id_of(&key)?, id_of(&now.key)?) {
                (Some(old), None) => {
                    let sql = "UPDATE entities SET key = ?2, name = ?3, kind = ?4 WHERE id = ?1";
                    step.execute(sql, params![old, now.key, now.name, now.kind.name()])?;
                }
                (Some(old), Some(new)) if old != new => {
                    for sql in [
                        "UPDATE statements SET subject = ?2 WHERE subject = ?1",
                        "UPDATE statements SET entity = ?2 WHERE entity = ?1",
                        "UPDATE OR IGNORE mentions SET entity = ?2 WHERE entity = ?1",
                    ] {
                        step.execute(sql, [old, new])?;
                    }
                    step.execute("DELETE FROM entities WHERE id = ?1", [old])?;
                }
                _ => {}
            }
            step.commit()
        })?;
        Ok(())
    }

    fn forget(&self, ids: &[i64]) -> Result<Vec<Fact>, Fault> {
        let ids = json(ids);
        Ok(self.call("forget a fact", move |db| {
            let step = db.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let sql =
                format!("{WITH_HISTORY} {SELECT} JOIN gone ON gone.id = facts.id ORDER BY facts.id DESC");
            let gone = read(&step, &sql, [&ids])?;
            let all: Vec<i64> = gone.iter().map(|fact| fact.id).collect();
            let sql = "DELETE FROM facts WHERE id IN (SELECT value FROM json_each(?1))";
            step.prepare_cached(sql)?.execute([json(&all)])?;
            forget_unnamed(&step)?;
            step.commit()?;
            Ok(gone)
        })?)
    }

    fn end(&self, ids: &[i64], now_unix_ms: i64) -> Result<(), Fault> {
        let ids = json(ids);
        self.call("keep that a fact is not so any more", move |db| {
            let step = db.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let sql = "UPDATE facts SET ended_unix_ms = ?2
                       WHERE id IN (SELECT value FROM json_each(?1)) AND ended_unix_ms IS NULL";
            step.prepare_cached(sql)?.execute(params![ids, now_unix_ms])?;
            drop_vectors(&step, &ids)?;
            step.commit()
        })?;
        Ok(())
    }

    fn keep_vector(&self, id: i64, encoder: &str, vector: &[u8]) -> Result<(), Fault> {
        let (encoder, vector) = (encoder.to_owned(), vector.to_owned());
        self.call("keep the vector of a fact", move |db| {
            let sql = "INSERT OR REPLACE INTO fact_vectors (fact, encoder, vector)
                       SELECT id, ?2, ?3 FROM facts WHERE id = ?1 AND ended_unix_ms IS NULL";
            db.prepare_cached(sql)?.execute(params![id, encoder, vector])
        })?;
        Ok(())
    }

    fn vectors(&self, encoder: &str, known: Option<VectorState>) -> Result<Option<Vectors>, Fault> {
        let encoder = encoder.to_owned();
        Ok(self.call("read the vectors of facts", move |db| {
            let sql = "SELECT count(*), coalesce(max(fact), 0) FROM fact_vectors WHERE encoder = ?1";
            let state = db
                .prepare_cached(sql)?
                .query_row([&encoder], |row| Ok(VectorState { count: row.get(0)?, last: row.get(1)? }))?;
            if known == Some(state) {
                return Ok(None);
            }
            let mut all = Vectors { state, ..Vectors::default() };
            let sql = "SELECT fact, vector FROM fact_vectors WHERE encoder = ?1 ORDER BY fact";
            let mut rows = db.prepare_cached(sql)?;
            let mut rows = rows.query([&encoder])?;
            while let Some(row) = rows.next()? {
                let vector = row.get_ref(1)?.as_blob().unwrap_or_default();
                let width = all.numbers.len().checked_div(all.ids.len()).unwrap_or(vector.len());
                // One of another length is of no use; a damaged row must not shift those behind it.
                if vector.len() == width && width > 0 {
                    all.ids.push(row.get(0)?);
                    all.numbers.extend_from_slice(vector);
                }
            }
            Ok(Some(all))
        })?)
    }

    fn keep_recent(
        &self,
        conversation: &str,
        entities: &[Entity],
        now_unix_ms: i64,
        most: usize,
    ) -> Result<(), Fault> {
        let (conversation, entities) = (conversation.to_owned(), entities.to_vec());
        self.call("keep whom a conversation was about", move |db| {
            let step = db.transaction_with_behavior(TransactionBehavior::Immediate)?;
            step.execute("DELETE FROM recent_entities WHERE conversation = ?1", [&conversation])?;
            let sql = "INSERT INTO recent_entities (conversation, place, key, name, kind, at_unix_ms)
                       VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
            for (place, entity) in (0_i64..).zip(&entities) {
                let Entity { key, name, kind } = entity;
                let row = params![conversation, place, key, name, kind.name(), now_unix_ms];
                step.prepare_cached(sql)?.execute(row)?;
            }
            let sql = "DELETE FROM recent_entities WHERE conversation NOT IN (
                          SELECT conversation FROM recent_entities GROUP BY conversation
                          ORDER BY max(at_unix_ms) DESC LIMIT ?1)";
            step.prepare_cached(sql)?.execute([limit(most)])?;
            step.commit()
        })?;
        Ok(())
    }

    fn recent(&self, conversation: Option<&str>) -> Result<Vec<Entity>, Fault> {
        let conversation = conversation.map(str::to_owned);
        Ok(self.call_first("read whom a conversation was about", move |db| {
            let sql = "SELECT key, name, kind FROM recent_entities WHERE conversation = coalesce(?1, (
                          SELECT conversation FROM recent_entities ORDER BY at_unix_ms DESC LIMIT 1))
                       ORDER BY place";
            let mut rows = db.prepare_cached(sql)?;
            rows.query_map([conversation], |row| Ok(entity(row, 0)?.unwrap_or_else(nothing)))?.collect()
        })?)
    }

    fn without_vector(&self, encoder: &str, most: usize) -> Result<Vec<(i64, String)>, Fault> {
        let encoder = encoder.to_owned();
        Ok(self.call("read the facts", move |db| {
            let sql = "SELECT id, text FROM facts WHERE ended_unix_ms IS NULL AND NOT EXISTS (
                          SELECT 1 FROM fact_vectors WHERE fact = facts.id AND encoder = ?1)
                       ORDER BY id DESC LIMIT ?2";
            let mut rows = db.prepare_cached(sql)?;
            rows.query_map(params![encoder, limit(most)], |row| Ok((row.get(0)?, row.get(1)?)))?.collect()
        })?)
    }
}

/// Adds the row of a fact; with the id 0 under a new one. How many were added: none where the id is there.
fn insert(db: &Connection, fact: &Fact) -> rusqlite::Result<usize> {
    let sql = "INSERT INTO facts (id, text, told_unix_ms, turn, speaker, sure, language, private, told,
                  ended_unix_ms, replaced_by, time, person)
               VALUES (nullif(?1, 0), ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13) ON CONFLICT DO NOTHING";
    let source = &fact.source;
    let time = fact.time.as_ref().and_then(|time| serde_json::to_string(time).ok());
    db.prepare_cached(sql)?.execute(params![
        fact.id,
        fact.text,
        fact.told_unix_ms,
        source.turn,
        source.speaker.name(),
        f64::from(source.sure.clamp(0.0, 1.0)),
        source.language,
        source.private,
        fact.told,
        fact.ended_unix_ms,
        fact.replaced_by,
        time,
        source.person,
    ])
}

/// Adds the statement of a fact and what it mentions.
fn link(db: &Connection, fact: &Fact) -> rusqlite::Result<()> {
    if let Some(statement) = &fact.statement {
        let subject = entity_id(db, &statement.subject)?;
        let other = statement.entity.as_ref().map(|other| entity_id(db, other)).transpose()?;
        let sql =
            "INSERT OR REPLACE INTO statements (fact, subject, relation, qualifier, object, entity, many)
                   VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
        let Statement { relation, qualifier, object, many, .. } = statement;
        db.prepare_cached(sql)?
            .execute(params![fact.id, subject, relation, qualifier, object, other, many])?;
    }
    let of_statement = fact.statement.iter().flat_map(|it| [Some(&it.subject), it.entity.as_ref()]).flatten();
    for mentioned in fact.mentions.iter().chain(of_statement) {
        let id = entity_id(db, mentioned)?;
        let sql = "INSERT OR IGNORE INTO mentions (fact, entity) VALUES (?1, ?2)";
        db.prepare_cached(sql)?.execute([fact.id, id])?;
    }
    Ok(())
}

/// The number of an entity, which is added where it is not there. What was only a thing can turn out to be more.
fn entity_id(db: &Connection, entity: &Entity) -> rusqlite::Result<i64> {
    let sql = "INSERT INTO entities (key, name, kind) VALUES (?1, ?2, ?3) ON CONFLICT (key) DO UPDATE
               SET kind = CASE WHEN kind = 'thing' THEN excluded.kind ELSE kind END RETURNING id";
    let values = params![entity.key, entity.name, entity.kind.name()];
    db.prepare_cached(sql)?.query_row(values, |row| row.get(0))
}

/// Forgets entities that no fact names any more.
fn forget_unnamed(db: &Connection) -> rusqlite::Result<()> {
    let sql = "DELETE FROM entities WHERE NOT EXISTS (SELECT 1 FROM mentions WHERE entity = entities.id)";
    db.prepare_cached(sql)?.execute([]).map(drop)
}

/// What has ended is not compared with any more.
fn drop_vectors(db: &Connection, ids: &str) -> rusqlite::Result<()> {
    let sql = "DELETE FROM fact_vectors WHERE fact IN (SELECT value FROM json_each(?1))";
    db.prepare_cached(sql)?.execute([ids]).map(drop)
}

fn read(db: &Connection, sql: &str, values: impl rusqlite::Params) -> rusqlite::Result<Vec<Fact>> {
    let mut facts: Vec<Fact> =
        db.prepare_cached(sql)?.query_map(values, read_row)?.collect::<rusqlite::Result<_>>()?;
    let ids: Vec<i64> = facts.iter().map(|fact| fact.id).collect();
    let sql = "SELECT mentions.fact, entities.key, entities.name, entities.kind FROM json_each(?1)
               JOIN mentions ON mentions.fact = json_each.value
               JOIN entities ON entities.id = mentions.entity ORDER BY mentions.rowid";
    let mut mentions: HashMap<i64, Vec<Entity>> = HashMap::new();
    let mut rows = db.prepare_cached(sql)?;
    let mut rows = rows.query([json(&ids)])?;
    while let Some(row) = rows.next()? {
        mentions.entry(row.get(0)?).or_default().extend(entity(row, 1)?);
    }
    for fact in &mut facts {
        fact.mentions = mentions.remove(&fact.id).unwrap_or_default();
    }
    Ok(facts)
}

fn read_row(row: &Row<'_>) -> rusqlite::Result<Fact> {
    let speaker: String = row.get(4)?;
    let source = Source {
        turn: row.get(3)?,
        speaker: Speaker::named(&speaker),
        person: row.get(22)?,
        sure: row.get::<_, f64>(5)? as f32,
        language: row.get(6)?,
        private: row.get(7)?,
    };
    let statement = match (row.get::<_, Option<String>>(11)?, entity(row, 15)?) {
        (Some(relation), Some(subject)) => Some(Statement {
            subject,
            relation,
            qualifier: row.get(12)?,
            object: row.get(13)?,
            many: row.get(14)?,
            entity: entity(row, 18)?,
        }),
        _ => None,
    };
    Ok(Fact {
        id: row.get(0)?,
        text: row.get(1)?,
        told_unix_ms: row.get(2)?,
        source,
        statement,
        told: row.get(8)?,
        mentions: Vec::new(),
        time: row.get::<_, Option<String>>(21)?.and_then(|time| serde_json::from_str(&time).ok()),
        ended_unix_ms: row.get(9)?,
        replaced_by: row.get(10)?,
    })
}

/// The entity in three columns from `first` on; `None` where they are empty.
fn entity(row: &Row<'_>, first: usize) -> rusqlite::Result<Option<Entity>> {
    let Some(key) = row.get::<_, Option<String>>(first)? else { return Ok(None) };
    let kind: String = row.get(first + 2)?;
    let kind = EntityKind::named(&kind).unwrap_or_default();
    Ok(Some(Entity { key, name: row.get(first + 1)?, kind }))
}

/// Stands for an entity without a key, which the table does not hold.
fn nothing() -> Entity {
    Entity { key: String::new(), name: String::new(), kind: EntityKind::Thing }
}

/// A list for `json_each`.
fn json<T: serde::Serialize>(list: &[T]) -> String {
    serde_json::to_string(list).unwrap_or_else(|_| "[]".to_owned())
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

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        text.split(' ').map(str::to_owned).collect()
    }

    fn found(store: &Store, text: &str, any: bool) -> Vec<String> {
        store.search(&words(text), any, 10).unwrap().into_iter().map(|fact| fact.text).collect()
    }

    fn plain(text: &str, at: i64) -> Fact {
        Fact { text: text.to_owned(), told_unix_ms: at, ..Fact::default() }
    }

    fn person(key: &str) -> Entity {
        Entity { key: key.to_owned(), name: key.to_owned(), kind: EntityKind::Person }
    }

    fn stated(subject: &Entity, relation: &str, object: &Entity) -> Fact {
        let statement = Statement {
            subject: subject.clone(),
            relation: relation.to_owned(),
            qualifier: String::new(),
            object: object.name.clone(),
            entity: Some(object.clone()),
            many: false,
        };
        let text = format!("{} {relation} {}", subject.name, object.name);
        let mentions = vec![subject.clone(), object.clone()];
        Fact { statement: Some(statement), told: format!("told {text}"), mentions, ..plain(&text, 1) }
    }

    fn store() -> (tempfile::TempDir, Store) {
        let dir = tempfile::TempDir::new().unwrap();
        let store = Store::open(&dir.path().join("hark.db")).unwrap();
        for (at, text) in
            ["the spare key is under the pot", "Zoë is allergic to nuts", "the bins go out on Tuesdays"]
                .iter()
                .enumerate()
        {
            store.remember(&plain(text, at as i64), &[]).unwrap();
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
        assert_eq!(store.forget(&[fact.id]).unwrap(), std::slice::from_ref(&fact));
        assert!(store.forget(&[fact.id]).unwrap().is_empty());
        assert!(found(&store, "key", false).is_empty());
        assert_eq!(store.newest(10).unwrap().len(), 2);
        store.restore(&fact).unwrap();
        store.restore(&fact).unwrap();
        assert_eq!(store.search(&words("pot"), false, 10).unwrap(), [fact]);
        assert_eq!(store.newest(1).unwrap()[0].text, "the bins go out on Tuesdays");
    }

    #[test]
    fn what_takes_the_place_of_another_ends_it_and_its_history_goes_with_it() {
        let (_dir, store) = store();
        let (me, anna, julia) = (person(":owner"), person("anna"), person("julia"));
        let first = store.remember(&stated(&me, "spouse", &anna), &[]).unwrap();
        let second = store.remember(&stated(&me, "spouse", &julia), &[first.id]).unwrap();
        let current = store.about(&[":owner".to_owned()], 10).unwrap();
        assert_eq!(current, std::slice::from_ref(&second));
        assert!(found(&store, "anna", false).is_empty(), "it is not so any more");
        let ended = store.history(10).unwrap();
        assert_eq!(
            (ended[0].id, ended[0].replaced_by, ended[0].ended_unix_ms),
            (first.id, Some(second.id), Some(1))
        );
        // Taking back makes the first true again.
        store.take_back(second.id).unwrap();
        assert_eq!(store.about(&["anna".to_owned()], 10).unwrap()[0].id, first.id);
        assert!(store.entities(&["julia".to_owned()]).unwrap().is_empty(), "nobody names her any more");
        let third = store.remember(&stated(&me, "spouse", &julia), &[first.id]).unwrap();
        let gone = store.forget(&[third.id]).unwrap();
        assert_eq!(gone.len(), 2, "{gone:?}");
        assert!(store.history(10).unwrap().is_empty());
        for fact in &gone {
            store.restore(fact).unwrap();
        }
        assert_eq!(store.about(&[":owner".to_owned()], 10).unwrap(), [third]);
        assert_eq!(store.history(10).unwrap().len(), 1);
        assert_eq!(store.all_entities(10).unwrap().len(), 2, "what has ended is not counted");
    }

    #[test]
    fn somebody_without_a_name_gets_one() {
        let (_dir, store) = store();
        let (sister, rome, julia) = (person(":sibling"), person("rome"), person("julia"));
        store.remember(&stated(&sister, "lives", &rome), &[]).unwrap();
        store.rename(":sibling", &julia).unwrap();
        assert_eq!(
            store.about(&["julia".to_owned()], 10).unwrap()[0].statement.as_ref().unwrap().subject,
            julia
        );
        store.remember(&stated(&sister, "likes", &rome), &[]).unwrap();
        store.rename(":sibling", &julia).unwrap();
        assert_eq!(store.about(&["julia".to_owned()], 10).unwrap().len(), 2);
        assert!(store.entities(&[":sibling".to_owned()]).unwrap().is_empty());
    }

    #[test]
    fn vectors_are_read_again_only_when_they_have_changed() {
        let (_dir, store) = store();
        let ids: Vec<i64> = store.without_vector("e", 10).unwrap().into_iter().map(|(id, _)| id).collect();
        assert_eq!(ids.len(), 3);
        store.keep_vector(ids[0], "e", &[1, 2]).unwrap();
        store.keep_vector(ids[1], "e", &[3, 4]).unwrap();
        store.keep_vector(9999, "e", &[3, 4]).unwrap();
        let all = store.vectors("e", None).unwrap().unwrap();
        assert_eq!((all.ids.len(), all.numbers.len()), (2, 4));
        assert_eq!(store.vectors("e", Some(all.state)).unwrap(), None);
        assert_eq!(store.without_vector("e", 10).unwrap().len(), 1);
        assert_eq!(store.without_vector("other", 10).unwrap().len(), 3);
        store.end(&[ids[0]], 5).unwrap();
        let left = store.vectors("e", Some(all.state)).unwrap().unwrap();
        assert_eq!(left.ids, [ids[1]]);
    }

    #[test]
    fn facts_of_before_the_graph_stay_what_they_were() {
        let dir = tempfile::TempDir::new().unwrap();
        let path = dir.path().join("hark.db");
        {
            let mut db = Connection::open(&path).unwrap();
            crate::migrations::migrate_to(&mut db, 11).unwrap();
            db.execute("INSERT INTO facts (text, told_unix_ms) VALUES ('the key is red', 7)", []).unwrap();
        }
        let store = Store::open(&path).unwrap();
        let kept = store.newest(10).unwrap();
        assert_eq!(kept.len(), 1);
        let expected = Fact { id: 1, ..plain("the key is red", 7) };
        assert_eq!(kept[0], expected);
        assert_eq!(found(&store, "red keys", false), ["the key is red"]);
    }
}
