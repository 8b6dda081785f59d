//! The log of acknowledged requests: written before a request is acknowledged, with the results of its calls, until the
//! request is done. Used by `src/app/requests/inbox.rs` for requests from MQTT.

use super::store::Store;
use hark_core::{Event, Fault, Receipt};
use rusqlite::{OptionalExtension, TransactionBehavior, params};

/// Requests that are done and still known again.
const MAX_DONE: u64 = 1024;

/// A request as it arrived.
#[derive(Debug, Clone, PartialEq)]
pub struct NewRequest {
    /// The packet it came in.
    pub packet: u16,
    /// A hash of its topic and words.
    pub content: u64,
    /// A hash of its topic and the id its sender gave it.
    pub id: Option<u64>,
    /// What it asks for; `None`: too secret to be kept.
    pub event: Option<Event>,
    /// When it came, milliseconds since the Unix epoch.
    pub at_unix_ms: i64,
}

/// A request that is not done.
#[derive(Debug, Clone, PartialEq)]
pub struct OpenRequest {
    /// Its number: unique over the life of the store.
    pub number: i64,
    /// What it asks for; `None` when that was not kept or cannot be read.
    pub event: Option<Event>,
    /// When it came, milliseconds since the Unix epoch.
    pub at_unix_ms: i64,
    /// How often it was taken up after a start.
    pub tries: u32,
}

/// By what a request is known again: packet, content and id, as in [`NewRequest`].
pub type MessageKey = (u16, u64, Option<u64>);

/// What is known of a call before it is run.
#[derive(Debug, Clone, PartialEq)]
pub enum CallState {
    /// Nothing: it is noted now.
    First,
    /// It was run to its end.
    Ended(Receipt),
    /// It was begun, or another call was at its place, and its result is unknown.
    Unknown,
}

impl Store {
    /// Writes requests down, all or none; their numbers, in their order.
    ///
    /// # Errors
    /// When they could not be written.
    pub fn take_requests(&self, requests: Vec<NewRequest>) -> Result<Vec<i64>, Fault> {
        Ok(self.call("keep a request", move |db| {
            let step = db.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let mut numbers = Vec::with_capacity(requests.len());
            for request in &requests {
                // Events have no maps with keys that are not text, so they can always be written.
                let event = request.event.as_ref().and_then(|event| serde_json::to_string(event).ok());
                let sql = "INSERT INTO requests (packet, content, id, event, at_unix_ms) VALUES (?1, ?2, ?3, ?4, ?5)";
                step.prepare_cached(sql)?.execute(params![
                    request.packet,
                    request.content.cast_signed(),
                    request.id.map(u64::cast_signed),
                    event,
                    request.at_unix_ms
                ])?;
                numbers.push(step.last_insert_rowid());
            }
            let last = numbers.last().copied().unwrap_or(0);
            step.prepare_cached("DELETE FROM requests WHERE done = 1 AND seq <= ?1")?
                .execute([last.saturating_sub_unsigned(MAX_DONE)])?;
            step.commit()?;
            Ok(numbers)
        })?)
    }

    /// These are done: what they asked for is forgotten.
    ///
    /// # Errors
    /// When it could not be written; then they are taken up again after the next start.
    pub fn requests_done(&self, numbers: Vec<i64>) -> Result<(), Fault> {
        Ok(self.call("note that a request is done", move |db| {
            let step = db.transaction_with_behavior(TransactionBehavior::Immediate)?;
            for number in &numbers {
                step.prepare_cached("UPDATE requests SET done = 1, event = NULL WHERE seq = ?1")?
                    .execute([number])?;
                step.prepare_cached("DELETE FROM request_calls WHERE request = ?1")?.execute([number])?;
                step.prepare_cached("DELETE FROM request_meant WHERE request = ?1")?.execute([number])?;
            }
            step.commit()
        })?)
    }

    /// Notes that a request is taken up now.
    ///
    /// # Errors
    /// When it could not be written.
    pub fn try_request(&self, number: i64) -> Result<(), Fault> {
        self.call("note that a request is taken up", move |db| {
            db.prepare_cached("UPDATE requests SET tries = tries + 1 WHERE seq = ?1")?.execute([number])
        })?;
        Ok(())
    }

    /// The requests that are not done, in their order.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn open_requests(&self) -> Result<Vec<OpenRequest>, Fault> {
        let rows = self.call("read the requests that wait", |db| {
            let sql = "SELECT seq, event, at_unix_ms, tries FROM requests WHERE done = 0 ORDER BY seq";
            let mut rows = db.prepare_cached(sql)?;
            rows.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?)))?
                .collect::<rusqlite::Result<Vec<(i64, Option<String>, i64, u32)>>>()
        })?;
        let open = |(number, event, at_unix_ms, tries): (i64, Option<String>, i64, u32)| OpenRequest {
            number,
            event: event.and_then(|event| serde_json::from_str(&event).ok()),
            at_unix_ms,
            tries,
        };
        Ok(rows.into_iter().map(open).collect())
    }

    /// The requests that may come again, in their order.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn known_requests(&self) -> Result<Vec<MessageKey>, Fault> {
        Ok(self.call("read the last requests", |db| {
            let sql = "SELECT packet, content, id FROM requests ORDER BY seq";
            let mut rows = db.prepare_cached(sql)?;
            rows.query_map([], |row| {
                let (content, id): (i64, Option<i64>) = (row.get(1)?, row.get(2)?);
                Ok((row.get(0)?, content.cast_unsigned(), id.map(i64::cast_unsigned)))
            })?
            .collect()
        })?)
    }

    /// Notes what is meant at this place of a request, before it is done: of a call that may be run again, so that it
    /// is the same call then.
    ///
    /// # Errors
    /// When it could not be written.
    pub fn note_meant(&self, request: i64, at: u32, call: String) -> Result<(), Fault> {
        self.call("note what is meant", move |db| {
            let sql = "INSERT INTO request_meant (request, at, call) VALUES (?1, ?2, ?3)
                ON CONFLICT (request, at) DO UPDATE SET call = ?3";
            db.prepare_cached(sql)?.execute(params![request, at, call])
        })?;
        Ok(())
    }

    /// What was meant by the requests that are not done: request, place and call.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn meant(&self) -> Result<Vec<(i64, u32, String)>, Fault> {
        Ok(self.call("read what was meant", |db| {
            let mut rows = db.prepare_cached("SELECT request, at, call FROM request_meant")?;
            rows.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?.collect()
        })?)
    }

    /// Notes that a call of a request is about to be run, at this place of it; what is known of it.
    ///
    /// # Errors
    /// When it could not be written.
    pub fn begin_call(&self, request: i64, at: u32, call: String) -> Result<CallState, Fault> {
        Ok(self.call("note a call", move |db| {
            let sql = "SELECT call, receipt FROM request_calls WHERE request = ?1 AND at = ?2";
            let known: Option<(String, Option<String>)> = db
                .prepare_cached(sql)?
                .query_row(params![request, at], |row| Ok((row.get(0)?, row.get(1)?)))
                .optional()?;
            let Some((known, receipt)) = known else {
                let sql = "INSERT INTO request_calls (request, at, call) VALUES (?1, ?2, ?3)";
                db.prepare_cached(sql)?.execute(params![request, at, call])?;
                return Ok(CallState::First);
            };
            let receipt = receipt.filter(|_| known == call);
            let receipt = receipt.and_then(|receipt| serde_json::from_str(&receipt).ok());
            Ok(receipt.map_or(CallState::Unknown, CallState::Ended))
        })?)
    }

    /// Notes what came of a call that was begun.
    ///
    /// # Errors
    /// When it could not be written.
    pub fn end_call(&self, request: i64, at: u32, receipt: &Receipt) -> Result<(), Fault> {
        let receipt = serde_json::to_string(receipt).ok();
        self.call("note what came of a call", move |db| {
            let sql = "UPDATE request_calls SET receipt = ?3 WHERE request = ?1 AND at = ?2";
            db.prepare_cached(sql)?.execute(params![request, at, receipt])
        })?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn request(packet: u16, text: &str) -> NewRequest {
        let event = Some(Event::Say { text: text.into() });
        NewRequest { packet, content: u64::MAX - u64::from(packet), id: Some(7), event, at_unix_ms: 5 }
    }

    #[test]
    fn what_is_not_done_is_there_after_a_restart_and_counts_its_tries() {
        let dir = tempfile::TempDir::new().unwrap();
        let path = dir.path().join("hark.db");
        let store = Store::open(&path).unwrap();
        let numbers = store.take_requests(vec![request(1, "a"), request(2, "b"), request(3, "c")]).unwrap();
        store.requests_done(vec![numbers[1]]).unwrap();
        store.close();
        for tries in 0..2 {
            let store = Store::open(&path).unwrap();
            let open = store.open_requests().unwrap();
            let seen: Vec<_> = open.iter().map(|it| (it.number, it.event.clone(), it.tries)).collect();
            let say = |text: &str| Some(Event::Say { text: text.into() });
            assert_eq!(seen, [(numbers[0], say("a"), tries), (numbers[2], say("c"), tries)]);
            let known = store.known_requests().unwrap();
            assert_eq!(known[1], (2, u64::MAX - 2, Some(7)), "known again, though it is done");
            open.iter().for_each(|request| store.try_request(request.number).unwrap());
            store.close();
        }
    }

    #[test]
    fn what_is_done_long_ago_is_forgotten_and_what_waits_is_not() {
        let dir = tempfile::TempDir::new().unwrap();
        let store = Store::open(&dir.path().join("hark.db")).unwrap();
        let waits = store.take_requests(vec![request(1, "waits")]).unwrap();
        for _ in 0..3 {
            let numbers = store.take_requests(vec![request(2, "x"); 1000]).unwrap();
            store.requests_done(numbers).unwrap();
        }
        store.take_requests(vec![request(3, "y")]).unwrap();
        assert!(store.known_requests().unwrap().len() <= 1026);
        assert_eq!(store.open_requests().unwrap()[0].number, waits[0]);
    }

    #[test]
    fn what_was_meant_is_known_until_the_request_is_done() {
        let dir = tempfile::TempDir::new().unwrap();
        let store = Store::open(&dir.path().join("hark.db")).unwrap();
        let numbers = store.take_requests(vec![request(1, "a"), request(2, "b")]).unwrap();
        for (number, call) in [(numbers[0], "first"), (numbers[0], "then"), (numbers[1], "other")] {
            store.note_meant(number, 0, call.to_owned()).unwrap();
        }
        assert_eq!(store.meant().unwrap(), [(numbers[0], 0, "then".into()), (numbers[1], 0, "other".into())]);
        store.requests_done(vec![numbers[0]]).unwrap();
        assert_eq!(store.meant().unwrap(), [(numbers[1], 0, "other".into())]);
    }

    #[test]
    fn a_call_is_begun_once_and_its_receipt_is_known() {
        let dir = tempfile::TempDir::new().unwrap();
        let store = Store::open(&dir.path().join("hark.db")).unwrap();
        let number = store.take_requests(vec![request(1, "a")]).unwrap()[0];
        let begin = |at, call: &str| store.begin_call(number, at, call.to_owned()).unwrap();
        assert_eq!(begin(0, "toggle"), CallState::First);
        assert_eq!(begin(0, "toggle"), CallState::Unknown);
        assert_eq!(begin(1, "toggle"), CallState::First);
        let receipt = Receipt {
            id: "r".into(),
            ok: true,
            changed: true,
            detail: json!({"state": "on"}),
            tainted: false,
        };
        store.end_call(number, 0, &receipt).unwrap();
        assert_eq!(begin(0, "toggle"), CallState::Ended(receipt));
        assert_eq!(begin(0, "something else"), CallState::Unknown);
        store.requests_done(vec![number]).unwrap();
        assert_eq!(begin(0, "toggle"), CallState::First, "forgotten with its request");
    }
}
