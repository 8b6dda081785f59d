//! Named conversations: what was said in them, and their settings (persona, length, mode).

use super::model_history::{self, Entry};
use super::store::Store;
use super::tags;
use chrono::DateTime;
use hark_config::memory::Memory;
use hark_core::session::session_name::{self, VOICE};
use hark_core::session::{
    KeptExchange, KeptSession, ReplayChoice, ReplayPolicy, ReplayReason, Replayed, SessionSettings, Sessions,
    Style, Verbosity,
};
use hark_core::{Fault, TurnId};
use rusqlite::{OptionalExtension, Row, Transaction, TransactionBehavior, params};
use std::sync::{Arc, Mutex, PoisonError};

/// What is kept of a turn for its conversation.
#[derive(Debug, Clone, PartialEq)]
pub struct Exchange {
    /// The turn; it must be kept already.
    pub turn: TurnId,
    /// Name of the conversation.
    pub session: String,
    /// When, milliseconds since the Unix epoch.
    pub at_unix_ms: i64,
    /// What was said; `None` for a turn that is nothing to come back to.
    pub entry: Option<Entry>,
    /// What was replayed for it.
    pub policy: Option<ReplayPolicy>,
}

/// The conversations in a store; clones share what is on its way to the disk.
#[derive(Debug, Clone)]
pub struct SessionStore {
    store: Store,
    settings: Memory,
    /// Style of conversations that have set none.
    usual: SessionSettings,
    /// Exchanges that are not written yet: the next request may come sooner than the disk.
    pending: Arc<Mutex<Vec<Exchange>>>,
    /// Turns of those whose conversation was cleared meanwhile: they are not written.
    cleared: Arc<Mutex<Vec<TurnId>>>,
}

impl SessionStore {
    /// The conversations of this store.
    pub fn new(store: Store, settings: Memory) -> Self {
        let (usual, pending, cleared) = (SessionSettings::default(), Arc::default(), Arc::default());
        Self { store, settings, usual, pending, cleared }
    }

    /// With this style for conversations that have set none.
    #[must_use]
    pub fn with_style(self, persona: &str, verbosity: Verbosity) -> Self {
        Self { usual: SessionSettings { persona: persona.to_owned(), verbosity, ..self.usual }, ..self }
    }

    /// Tells of an exchange that will be kept; it is replayed from now on. Waits for nothing.
    pub fn foresee(&self, exchange: &Exchange) {
        self.pending.lock().unwrap_or_else(PoisonError::into_inner).push(exchange.clone());
    }

    /// Keeps an exchange. Waits for the disk.
    ///
    /// # Errors
    /// When it could not be written, such as for a turn that is not kept.
    pub fn keep(&self, exchange: &Exchange) -> Result<(), Fault> {
        // Held while it is written, so that it cannot come to the disk behind its clearing.
        let mut cleared = self.cleared.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(at) = cleared.iter().position(|turn| *turn == exchange.turn) {
            cleared.swap_remove(at);
            return Ok(());
        }
        let written = self.write(exchange.clone());
        let mut pending = self.pending.lock().unwrap_or_else(PoisonError::into_inner);
        pending.retain(|waiting| waiting.turn != exchange.turn);
        written
    }

    fn write(&self, exchange: Exchange) -> Result<(), Fault> {
        let idle_ms = i64::from(self.settings.session_idle_ms);
        let policy = exchange.policy.as_ref().and_then(|policy| serde_json::to_string(policy).ok());
        Ok(self.store.call("keep what was said", move |db| {
            let change = db.transaction_with_behavior(TransactionBehavior::Immediate)?;
            touch(&change, &exchange.session, exchange.at_unix_ms)?;
            let (request, reply, tag) = match &exchange.entry {
                Some(entry) => (entry.request.as_str(), entry.reply.as_str(), tags::name(entry.tag)),
                None => ("", "", ""),
            };
            if exchange.entry.is_some() || policy.is_some() {
                let sql = "INSERT INTO entries (turn, session, request, reply, tag, replay_policy)
                           VALUES (?1, ?2, ?3, ?4, ?5, ?6)
                           ON CONFLICT (turn) DO UPDATE SET request = ?3, reply = ?4, tag = ?5, replay_policy = ?6";
                let row = params![exchange.turn.0, exchange.session, request, reply, tag, policy];
                change.prepare_cached(sql)?.execute(row)?;
            }
            // Conversations begin by themselves; they end with the last turn that is kept of them, whatever was set in
            // one that no other socket can take up again.
            let sql = "DELETE FROM sessions WHERE used_unix_ms < ?1 AND own_persona = 0
                       AND (mode = '' OR name LIKE 'ws-%') AND own_verbosity = 0
                       AND NOT EXISTS (SELECT 1 FROM entries WHERE session = name)";
            change.prepare_cached(sql)?.execute([exchange.at_unix_ms - idle_ms])?;
            change.commit()
        })?)
    }

    /// Earlier requests of a conversation that are considered for a language model's history at most.
    pub fn history_entries(&self) -> u32 {
        self.settings.history_entries
    }

    /// Whether a request now takes the conversation up again after a rest.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn is_resumed(&self, session: &str, now_unix_ms: i64) -> Result<bool, Fault> {
        if self.pending_of(session).next().is_some() {
            return Ok(false);
        }
        let name = session.to_owned();
        let used: Option<i64> = self.store.call("read a conversation", move |db| {
            let sql = "SELECT used_unix_ms FROM sessions WHERE name = ?1";
            db.prepare_cached(sql)?.query_row([name], |row| row.get(0)).optional()
        })?;
        let idle_ms = i64::from(self.settings.session_idle_ms);
        Ok(used.is_some_and(|used| now_unix_ms - used >= idle_ms))
    }

    /// What was replayed for a turn, if anything was noted.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn policy_of(&self, turn: &TurnId) -> Result<Option<ReplayPolicy>, Fault> {
        let id = turn.0.clone();
        let policy: Option<Option<String>> = self.store.call("read what was replayed", move |db| {
            let sql = "SELECT replay_policy FROM entries WHERE turn = ?1";
            db.prepare_cached(sql)?.query_row([id], |row| row.get(0)).optional()
        })?;
        Ok(policy.flatten().and_then(|policy| serde_json::from_str(&policy).ok()))
    }

    /// The last entries of a conversation, the oldest first.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn entries(&self, session: &str) -> Result<Vec<Entry>, Fault> {
        // Taken before the disk is read: what is written meanwhile is then seen twice rather than never.
        let pending: Vec<Exchange> = self.pending_of(session).collect();
        let (name, most) = (session.to_owned(), self.settings.history_entries);
        let rows: Vec<[String; 5]> = self.store.call("read a conversation", move |db| {
            let sql = "SELECT entries.turn, request, reply, tag, turns.events
                       FROM entries JOIN turns ON turns.id = entries.turn
                       WHERE entries.session = ?1 AND request <> '' ORDER BY entries.seq DESC LIMIT ?2";
            let mut statement = db.prepare_cached(sql)?;
            let read = |row: &Row<'_>| Ok([row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?]);
            statement.query_map(params![name, most], read)?.collect()
        })?;
        let new =
            pending.into_iter().filter(|exchange| rows.iter().all(|[turn, ..]| *turn != exchange.turn.0));
        let new: Vec<Entry> = new.filter_map(|exchange| exchange.entry).collect();
        let kept = rows.iter().rev().map(|[_, request, reply, tag, events]| Entry {
            request: request.clone(),
            reply: reply.clone(),
            tag: tags::named(tag),
            tainted: model_history::tells_of_outside(events),
        });
        let mut entries: Vec<Entry> = kept.chain(new).collect();
        let surplus = entries.len().saturating_sub(most as usize);
        entries.drain(..surplus);
        Ok(entries)
    }

    /// Conversations, the one used last first, at most `most`.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn list(&self, most: usize) -> Result<Vec<KeptSession>, Fault> {
        // Taken before the disk is read, as in `entries`.
        let mut pending = self.pending.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let (mut listed, pending) = self.store.call("list conversations", move |db| {
            // What was written meanwhile is counted once.
            let mut written = db.prepare_cached("SELECT 1 FROM entries WHERE turn = ?1")?;
            for at in (0..pending.len()).rev() {
                if written.exists([&pending[at].turn.0])? {
                    pending.remove(at);
                }
            }
            let sql = "SELECT name, opened_unix_ms, used_unix_ms,
                       (SELECT count(*) FROM entries WHERE session = name AND request <> '')
                       FROM sessions ORDER BY used_unix_ms DESC, name LIMIT ?1";
            let read = |row: &Row<'_>| {
                Ok(KeptSession {
                    name: row.get(0)?,
                    opened_unix_ms: row.get(1)?,
                    used_unix_ms: row.get(2)?,
                    requests: row.get::<_, i64>(3)?.unsigned_abs(),
                })
            };
            let most = i64::try_from(most).unwrap_or(i64::MAX);
            let listed = db.prepare_cached(sql)?.query_map([most], read)?.collect::<Result<Vec<_>, _>>()?;
            Ok((listed, pending))
        })?;
        for exchange in pending {
            let (at, requests) = (exchange.at_unix_ms, u64::from(exchange.entry.is_some()));
            match listed.iter_mut().find(|known| known.name == exchange.session) {
                Some(known) => {
                    known.used_unix_ms = known.used_unix_ms.max(at);
                    known.requests += requests;
                }
                None => listed.push(KeptSession {
                    name: exchange.session,
                    opened_unix_ms: at,
                    used_unix_ms: at,
                    requests,
                }),
            }
        }
        listed.sort_by(|one, other| {
            other.used_unix_ms.cmp(&one.used_unix_ms).then_with(|| one.name.cmp(&other.name))
        });
        listed.truncate(most);
        Ok(listed)
    }

    /// The last requests of a conversation with their turns, the oldest first; `None` when there is none of this name.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn said(&self, session: &str, most: usize) -> Result<Option<Vec<KeptExchange>>, Fault> {
        let pending: Vec<Exchange> = self.pending_of(session).collect();
        let name = session.to_owned();
        let kept: Option<Vec<KeptExchange>> = self.store.call("read a conversation", move |db| {
            let sql = "SELECT 1 FROM sessions WHERE name = ?1";
            if !db.prepare_cached(sql)?.exists([&name])? {
                return Ok(None);
            }
            let sql = "SELECT entries.turn, turns.at, request, reply
                       FROM entries JOIN turns ON turns.id = entries.turn
                       WHERE entries.session = ?1 AND request <> '' ORDER BY entries.seq DESC LIMIT ?2";
            let read = |row: &Row<'_>| {
                Ok(KeptExchange {
                    turn: row.get(0)?,
                    at: row.get(1)?,
                    request: row.get(2)?,
                    reply: row.get(3)?,
                })
            };
            let most = i64::try_from(most).unwrap_or(i64::MAX);
            let mut statement = db.prepare_cached(sql)?;
            let said: rusqlite::Result<Vec<KeptExchange>> =
                statement.query_map(params![name, most], read)?.collect();
            said.map(|said| Some(said.into_iter().rev().collect()))
        })?;
        if kept.is_none() && pending.is_empty() {
            return Ok(None);
        }
        let mut said = kept.unwrap_or_default();
        for exchange in pending {
            let Some(entry) = exchange.entry.filter(|_| said.iter().all(|one| one.turn != exchange.turn.0))
            else {
                continue;
            };
            let at = DateTime::from_timestamp_millis(exchange.at_unix_ms).unwrap_or_default().to_rfc3339();
            said.push(KeptExchange { turn: exchange.turn.0, at, request: entry.request, reply: entry.reply });
        }
        said.drain(..said.len().saturating_sub(most));
        Ok(Some(said))
    }

    /// Forgets what was said in a conversation, and its settings; its turns stay. Answers whether it was there.
    ///
    /// # Errors
    /// When it could not be written.
    pub fn clear(&self, session: &str) -> Result<bool, Fault> {
        let mut cleared = self.cleared.lock().unwrap_or_else(PoisonError::into_inner);
        let name = session.to_owned();
        let gone = self.store.call("clear a conversation", move |db| {
            db.execute("DELETE FROM sessions WHERE name = ?1", [name]).map(|rows| rows > 0)
        })?;
        // What is still on its way to the disk is not kept any more either.
        let mut pending = self.pending.lock().unwrap_or_else(PoisonError::into_inner);
        let before = cleared.len();
        cleared.extend(pending.extract_if(.., |it| it.session == session).map(|it| it.turn));
        Ok(gone || cleared.len() > before)
    }

    /// What was answered last in a conversation; `None` where nothing of it is kept. It passes waiting writes, since a
    /// spoken request waits for it.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn last_reply(&self, session: &str) -> Result<Option<String>, Fault> {
        let new = self.pending_of(session).filter_map(|exchange| exchange.entry).map(|entry| entry.reply);
        let new = new.filter(|reply| !reply.trim().is_empty()).last();
        if new.is_some() {
            return Ok(new);
        }
        let name = session.to_owned();
        Ok(self.store.call_first("read the last reply", move |db| {
            let sql = "SELECT reply FROM entries WHERE session = ?1 AND trim(reply) <> '' ORDER BY seq DESC LIMIT 1";
            db.prepare_cached(sql)?.query_row([name], |row| row.get(0)).optional()
        })?)
    }

    /// The spoken conversation that was used last, and when, milliseconds since the Unix epoch.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn last_spoken(&self) -> Result<Option<(String, i64)>, Fault> {
        Ok(self.store.call("read the last spoken conversation", |db| {
            let sql = "SELECT name, used_unix_ms FROM sessions WHERE name GLOB ?1
                       ORDER BY used_unix_ms DESC LIMIT 1";
            let mut statement = db.prepare_cached(sql)?;
            statement.query_row([format!("{VOICE}*")], |row| Ok((row.get(0)?, row.get(1)?))).optional()
        })?)
    }

    fn pending_of(&self, session: &str) -> impl Iterator<Item = Exchange> {
        let pending = self.pending.lock().unwrap_or_else(PoisonError::into_inner);
        let of: Vec<Exchange> =
            pending.iter().filter(|exchange| exchange.session == session).cloned().collect();
        of.into_iter()
    }
}

/// Makes a conversation, or notes that it is used.
fn touch(change: &Transaction<'_>, session: &str, now_unix_ms: i64) -> rusqlite::Result<usize> {
    let sql = "INSERT INTO sessions (name, opened_unix_ms, used_unix_ms) VALUES (?1, ?2, ?2)
               ON CONFLICT (name) DO UPDATE SET used_unix_ms = max(used_unix_ms, ?2)";
    change.prepare_cached(sql)?.execute(params![session, now_unix_ms])
}

impl Sessions for SessionStore {
    fn replay(&self, session: &str, reason: Option<ReplayReason>) -> Result<Replayed, Fault> {
        let choice = self.settings(session)?.replay;
        Ok(model_history::replay(&self.entries(session)?, reason, choice, &self.settings))
    }

    fn settings(&self, session: &str) -> Result<SessionSettings, Fault> {
        let name = session.to_owned();
        let usual = self.usual.clone();
        Ok(self.store.call("read a conversation", move |db| {
            let sql = "SELECT persona, verbosity FROM house_style";
            let house: Option<(Option<String>, Option<String>)> =
                db.prepare_cached(sql)?.query_row([], |row| Ok((row.get(0)?, row.get(1)?))).optional()?;
            let (persona, verbosity) = house.unwrap_or_default();
            let everywhere = SessionSettings {
                persona: persona.unwrap_or(usual.persona),
                verbosity: verbosity.map_or(usual.verbosity, |name| named(&name)),
                ..SessionSettings::default()
            };
            let sql = "SELECT persona, verbosity, mode, replay, own_persona, own_verbosity
                       FROM sessions WHERE name = ?1";
            let read = |row: &Row<'_>| {
                let (verbosity, replay): (String, String) = (row.get(1)?, row.get(3)?);
                let (own_persona, own_verbosity): (bool, bool) = (row.get(4)?, row.get(5)?);
                Ok(SessionSettings {
                    persona: if own_persona { row.get(0)? } else { everywhere.persona.clone() },
                    verbosity: if own_verbosity { named(&verbosity) } else { everywhere.verbosity },
                    mode: row.get(2)?,
                    replay: ReplayChoice::parse(&replay).unwrap_or_default(),
                })
            };
            let own = db.prepare_cached(sql)?.query_row([name], read).optional()?;
            Ok(own.unwrap_or(everywhere))
        })?)
    }

    fn keep_style(&self, session: &str, style: &Style) -> Result<bool, Fault> {
        let (name, style) = (session.to_owned(), style.clone());
        let everywhere = style.in_words && session_name::is_generated(session);
        let now_unix_ms = chrono::Utc::now().timestamp_millis();
        self.store.call("keep how a conversation is answered", move |db| {
            let change = db.transaction_with_behavior(TransactionBehavior::Immediate)?;
            touch(&change, &name, now_unix_ms)?;
            let Style { persona, verbosity, replay, .. } = style;
            let verbosity = verbosity.map(|verbosity| match verbosity {
                Verbosity::Short => "short",
                Verbosity::Long => "long",
            });
            // What is said for everywhere holds in this conversation too, whatever was set in it.
            let sql =
                "UPDATE sessions SET persona = coalesce(?2, persona), verbosity = coalesce(?3, verbosity),
                          replay = coalesce(?4, replay),
                          own_persona = iif(?2 IS NULL, own_persona, ?5),
                          own_verbosity = iif(?3 IS NULL, own_verbosity, ?5)
                       WHERE name = ?1";
            let replay = replay.map(|replay| replay.to_string());
            change.prepare_cached(sql)?.execute(params![name, persona, verbosity, replay, !everywhere])?;
            if everywhere {
                let sql = "INSERT INTO house_style (one, persona, verbosity) VALUES (1, ?1, ?2)
                           ON CONFLICT (one) DO UPDATE
                           SET persona = coalesce(?1, persona), verbosity = coalesce(?2, verbosity)";
                change.prepare_cached(sql)?.execute(params![persona, verbosity])?;
            }
            change.commit()
        })?;
        Ok(everywhere)
    }

    fn keep_mode(&self, session: &str, mode: &str) -> Result<(), Fault> {
        let (name, mode) = (session.to_owned(), mode.to_owned());
        let now_unix_ms = chrono::Utc::now().timestamp_millis();
        Ok(self.store.call("keep the mode of a conversation", move |db| {
            let change = db.transaction_with_behavior(TransactionBehavior::Immediate)?;
            touch(&change, &name, now_unix_ms)?;
            change.execute("UPDATE sessions SET mode = ?2 WHERE name = ?1", [name, mode])?;
            change.commit()
        })?)
    }
}

fn named(verbosity: &str) -> Verbosity {
    if verbosity == "long" { Verbosity::Long } else { Verbosity::Short }
}

/// Names spoken conversations: one goes on until there was no speech for a while.
#[derive(Debug)]
pub struct VoiceSessions {
    idle_ms: i64,
    /// Name, and when it was used last.
    open: Mutex<Option<(String, i64)>>,
}

impl VoiceSessions {
    /// The one that was used `last`, with its time, is still open: it goes on unless it was too long ago.
    pub fn new(settings: &Memory, last: Option<(String, i64)>) -> Self {
        Self { idle_ms: i64::from(settings.session_idle_ms), open: Mutex::new(last) }
    }

    /// The conversation that words spoken now belong to; begins one when the last is over.
    pub fn at(&self, now_unix_ms: i64) -> String {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let name = match open.take().filter(|(_, used)| now_unix_ms - used < self.idle_ms) {
            Some((name, _)) => name,
            None => {
                let began = DateTime::from_timestamp_millis(now_unix_ms).unwrap_or_default();
                format!("{VOICE}{}", began.format("%Y%m%dT%H%M%S%3fZ"))
            }
        };
        *open = Some((name.clone(), now_unix_ms));
        name
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::turns::{TurnRecord, Turns};
    use hark_core::session::EntryTag;
    use tempfile::TempDir;

    struct Kept {
        _dir: TempDir,
        turns: Turns,
        sessions: SessionStore,
    }

    fn kept() -> Kept {
        let dir = TempDir::new().unwrap();
        let store = Store::open(&dir.path().join("hark.db")).unwrap();
        Kept {
            _dir: dir,
            turns: Turns::new(store.clone()),
            sessions: SessionStore::new(store, Memory::default()),
        }
    }

    fn exchange(turn: &str, session: &str, at_unix_ms: i64) -> Exchange {
        let entry = Some(Entry::new(&format!("turn on lamp {turn}"), "Done.", EntryTag::Instruction));
        Exchange { turn: turn.into(), session: session.into(), at_unix_ms, entry, policy: None }
    }

    fn keep(kept: &Kept, exchange: &Exchange) {
        let (id, session) = (exchange.turn.clone(), exchange.session.clone());
        let turn = TurnRecord { id, session, at: String::new(), events: Vec::new(), inputs: Vec::new() };
        kept.turns.save_turn(&turn).unwrap();
        kept.sessions.keep(exchange).unwrap();
    }

    #[test]
    fn each_conversation_has_its_own_turns() {
        let kept = kept();
        for (turn, session) in [("1", "a"), ("2", "b"), ("3", "a")] {
            keep(&kept, &exchange(turn, session, 5));
        }
        let replayed = kept.sessions.replay("a", Some(ReplayReason::Session)).unwrap();
        assert_eq!(replayed.text, "User: turn on lamp 1\nHark: Done.\nUser: turn on lamp 3\nHark: Done.\n");
        assert_eq!(kept.sessions.entries("b").unwrap()[0].tag, EntryTag::Instruction);
        assert_eq!(
            kept.sessions.replay("c", Some(ReplayReason::Session)).unwrap().policy.entries_available,
            0
        );
        assert_eq!(kept.sessions.replay("a", None).unwrap().text, "");
    }

    #[test]
    fn text_from_outside_is_known_again_before_and_after_it_is_on_the_disk() {
        let kept = kept();
        let outside = serde_json::json!({"event": "action", "receipt": {"ok": true, "tainted": true}});
        for (turn, session, events) in [("1", "plain", vec![]), ("2", "page", vec![outside])] {
            let said = exchange(turn, session, 5);
            let turn = TurnRecord {
                id: turn.into(),
                session: session.into(),
                at: String::new(),
                events,
                inputs: Vec::new(),
            };
            kept.turns.save_turn(&turn).unwrap();
            kept.sessions.keep(&said).unwrap();
        }
        let tainted = |session: &str| {
            kept.sessions.replay(session, Some(ReplayReason::Session)).unwrap().policy.tainted
        };
        assert_eq!((tainted("plain"), tainted("page")), (false, true));
        let mut new = exchange("3", "plain", 6);
        new.entry.as_mut().unwrap().tainted = true;
        kept.sessions.foresee(&new);
        assert!(tainted("plain"));
        // What the person wrote is not text from outside.
        assert!(!model_history::tells_of_outside(r#"{"text":"say \"tainted\":true"}"#));
    }

    #[test]
    fn an_exchange_counts_before_it_is_on_the_disk_and_once_after() {
        let kept = kept();
        keep(&kept, &exchange("1", "a", 5));
        let second = exchange("2", "a", 6);
        kept.sessions.foresee(&second);
        let clone = kept.sessions.clone();
        assert_eq!(clone.entries("a").unwrap().len(), 2);
        assert_eq!(clone.entries("b").unwrap().len(), 0);
        keep(&kept, &second);
        assert_eq!(clone.entries("a").unwrap().len(), 2);
        assert!(kept.sessions.pending.lock().unwrap().is_empty());
    }

    #[test]
    fn conversations_are_listed_read_and_cleared() {
        let kept = kept();
        for (turn, session, at) in [("1", "desk", 5), ("2", "voice-x", 6), ("3", "desk", 7)] {
            keep(&kept, &exchange(turn, session, at));
        }
        let listed = kept.sessions.list(10).unwrap();
        let names: Vec<(&str, u64)> = listed.iter().map(|one| (one.name.as_str(), one.requests)).collect();
        assert_eq!(names, [("desk", 2), ("voice-x", 1)]);
        assert_eq!((listed[0].opened_unix_ms, listed[0].used_unix_ms), (5, 7));
        assert_eq!(kept.sessions.list(1).unwrap().len(), 1);
        let said = kept.sessions.said("desk", 10).unwrap().unwrap();
        let turns: Vec<&str> = said.iter().map(|one| one.turn.as_str()).collect();
        assert_eq!((turns, said[0].request.as_str()), (vec!["1", "3"], "turn on lamp 1"));
        assert_eq!(kept.sessions.said("desk", 1).unwrap().unwrap()[0].turn, "3", "the last ones");
        assert_eq!(kept.sessions.said("none", 10).unwrap(), None);
        kept.sessions.foresee(&exchange("4", "desk", 8));
        assert_eq!(kept.sessions.list(1).unwrap()[0].requests, 3, "what is on its way to the disk counts");
        assert_eq!(kept.sessions.said("desk", 2).unwrap().unwrap()[1].turn, "4");
        assert!(kept.sessions.clear("desk").unwrap());
        assert!(!kept.sessions.clear("desk").unwrap(), "it is gone");
        kept.sessions.keep(&exchange("4", "desk", 8)).unwrap();
        assert_eq!(
            kept.sessions.said("desk", 10).unwrap(),
            None,
            "nor does it come back from its way to the disk"
        );
        assert_eq!(kept.turns.newest(10).unwrap().len(), 3, "turns stay");
    }

    #[test]
    fn settings_stay_with_their_conversation() {
        let kept = kept();
        let settings = SessionSettings {
            persona: "a butler".into(),
            verbosity: Verbosity::Long,
            mode: "focus".into(),
            replay: ReplayChoice::Last(5),
        };
        assert_eq!(kept.sessions.settings("a").unwrap(), SessionSettings::default());
        let style = Style {
            persona: Some("a butler".into()),
            verbosity: Some(Verbosity::Long),
            replay: Some(ReplayChoice::Last(5)),
            in_words: false,
        };
        assert!(!kept.sessions.keep_style("a", &style).unwrap());
        kept.sessions.keep_mode("a", "focus").unwrap();
        keep(&kept, &exchange("1", "a", 5));
        assert_eq!(kept.sessions.settings("a").unwrap(), settings);
        assert_eq!(kept.sessions.settings("b").unwrap(), SessionSettings::default());
    }

    #[test]
    fn what_is_said_in_words_counts_everywhere_but_in_a_conversation_with_a_name() {
        let kept = kept();
        let sessions = kept.sessions.clone().with_style("a pirate", Verbosity::Long);
        let of = |session: &str| {
            let found = sessions.settings(session).unwrap();
            (found.persona, found.verbosity)
        };
        assert_eq!(of("voice-1"), ("a pirate".into(), Verbosity::Long), "as it is configured");
        let said = |persona: Option<&str>, verbosity| Style {
            persona: persona.map(str::to_owned),
            verbosity,
            replay: None,
            in_words: true,
        };
        let own = Style { in_words: false, ..said(Some(""), None) };
        assert!(!sessions.keep_style("voice-1", &own).unwrap());
        assert_eq!((of("voice-1").0, of("voice-2").0), (String::new(), "a pirate".into()));
        assert!(sessions.keep_style("voice-1", &said(Some("a butler"), None)).unwrap());
        assert!(sessions.keep_style("ask-7", &said(None, Some(Verbosity::Short))).unwrap());
        for session in ["voice-1", "voice-2", "evening", "mqtt"] {
            assert_eq!(of(session), ("a butler".into(), Verbosity::Short), "{session}");
        }
        assert!(!sessions.keep_style("evening", &said(Some(""), Some(Verbosity::Long))).unwrap());
        assert_eq!(of("evening"), (String::new(), Verbosity::Long));
        assert_eq!(of("voice-2"), ("a butler".into(), Verbosity::Short));
    }

    #[test]
    fn a_mode_is_kept_as_long_as_somebody_can_come_back_to_it() {
        let kept = kept();
        let settings = SessionSettings { mode: "focus".into(), ..SessionSettings::default() };
        for session in ["ws-1", "desk"] {
            kept.sessions.keep_mode(session, "focus").unwrap();
        }
        let much_later =
            chrono::Utc::now().timestamp_millis() + 2 * i64::from(Memory::default().session_idle_ms);
        keep(&kept, &exchange("1", "other", much_later));
        assert_eq!(kept.sessions.settings("desk").unwrap(), settings);
        assert_eq!(
            kept.sessions.settings("ws-1").unwrap(),
            SessionSettings::default(),
            "of a socket that is gone"
        );
    }

    #[test]
    fn a_named_conversation_is_taken_up_again_after_a_rest() {
        let kept = kept();
        let idle = i64::from(Memory::default().session_idle_ms);
        assert!(!kept.sessions.is_resumed("a", 0).unwrap());
        keep(&kept, &exchange("1", "a", 1000));
        assert!(!kept.sessions.is_resumed("a", 1000 + idle - 1).unwrap());
        assert!(kept.sessions.is_resumed("a", 1000 + idle).unwrap());
    }

    #[test]
    fn what_was_said_goes_with_its_turn_and_spoken_conversations_with_their_last() {
        let kept = kept();
        for turn in 0..5 {
            keep(&kept, &exchange(&turn.to_string(), "voice-x", turn));
        }
        assert_eq!(kept.sessions.entries("voice-x").unwrap().len(), 5);
        kept.turns.prune(2, 2).unwrap();
        assert_eq!(kept.sessions.entries("voice-x").unwrap().len(), 2);
        kept.turns.prune(0, 2).unwrap();
        keep(&kept, &exchange("later", "voice-y", 1_000_000_000));
        let names: Vec<String> = kept
            .sessions
            .store
            .call("look", |db| {
                let mut statement = db.prepare("SELECT name FROM sessions")?;
                statement.query_map([], |row| row.get(0))?.collect()
            })
            .unwrap();
        assert_eq!(names, ["voice-y"]);
    }

    #[test]
    fn what_was_replayed_is_kept_with_the_turn() {
        let kept = kept();
        let policy = kept.sessions.replay("a", Some(ReplayReason::Session)).unwrap().policy;
        let without = exchange("1", "a", 5);
        let with = Exchange { policy: Some(policy.clone()), entry: None, ..exchange("2", "a", 6) };
        keep(&kept, &without);
        keep(&kept, &with);
        assert_eq!(kept.sessions.policy_of(&"1".into()).unwrap(), None);
        assert_eq!(kept.sessions.policy_of(&"2".into()).unwrap(), Some(policy));
        assert_eq!(kept.sessions.entries("a").unwrap().len(), 1);
    }

    #[test]
    fn a_spoken_conversation_is_over_after_a_silence() {
        let settings = Memory { session_idle_ms: 60_000, ..Memory::default() };
        let voice = VoiceSessions::new(&settings, None);
        let first = voice.at(1_800_000_000_000);
        assert_eq!(first, "voice-20270115T080000000Z");
        assert_eq!(voice.at(1_800_000_059_999), first);
        assert_eq!(voice.at(1_800_000_110_000), first);
        assert_ne!(voice.at(1_800_000_170_000), first);
    }

    #[test]
    fn a_spoken_conversation_goes_on_over_a_restart() {
        let kept = kept();
        assert_eq!(kept.sessions.last_spoken().unwrap(), None);
        for (turn, session, at) in [("1", "voice-a", 1_000), ("2", "voice-b", 2_000), ("3", "desk", 3_000)] {
            keep(&kept, &exchange(turn, session, at));
        }
        let last = kept.sessions.last_spoken().unwrap();
        assert_eq!(last, Some(("voice-b".to_owned(), 2_000)));
        let settings = Memory { session_idle_ms: 60_000, ..Memory::default() };
        assert_eq!(VoiceSessions::new(&settings, last.clone()).at(61_999), "voice-b");
        assert_ne!(VoiceSessions::new(&settings, last).at(62_000), "voice-b");
        assert_eq!(kept.sessions.last_reply("voice-b").unwrap().as_deref(), Some("Done."));
        assert_eq!(kept.sessions.last_reply("voice-c").unwrap(), None);
    }
}
