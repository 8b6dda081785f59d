//! What was done last, and how it was before, so that "undo that" can take it back. It is kept over a restart, except facts,
//! which have to be gone when they are forgotten, and long texts.

use hark_core::automation::Automation;
use hark_core::home::Entity;
use hark_core::ports::{Fact, KeptUndo, ListItem, StoredList, UndoStore};
use hark_core::timer::Timer;
use hark_core::{EntityId, TurnId};
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// How many changes are remembered.
const MAX_STEPS: usize = 64;

/// For how long a change can be undone: later it is unclear what "that" means.
const WITHIN_MS: i64 = 3600 * 1000;

/// Most bytes of one change that is kept over a restart; a calendar in a single file is kept whole.
const MAX_KEPT_BYTES: usize = 1024 * 1024;

/// The word for what was done to a list or an event, one of [`DONE`]. An alias, since serde's derive borrows a field from the
/// JSON that is written as `&str`.
type Done = &'static str;

/// All that is done to lists and events.
const DONE: [Done; 6] = ["added", "changed", "cleared", "completed", "created", "removed"];

/// One thing that was changed, with what it takes to change it back.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Undoable {
    /// A device, as it was.
    Device(Box<Entity>),
    /// A device, as it was, that was told something and did not prove it in time: it may move yet.
    Unproved(Box<Entity>),
    /// The items of a to-do list of the home, before and after; a change that was not proved in time may come yet.
    Items {
        /// The list.
        list: EntityId,
        /// As they were.
        from: Vec<ListItem>,
        /// As they were to be.
        to: Vec<ListItem>,
    },
    /// A list that Hark keeps.
    List {
        /// As it was; `None` when it was made.
        before: Option<StoredList>,
        /// What the change left on it.
        after: Vec<ListItem>,
        /// Its name.
        name: String,
        /// `added`, `completed`, `removed`, `cleared`, `created`.
        #[serde(deserialize_with = "done")]
        what: Done,
        /// The items it was about.
        items: Vec<String>,
    },
    /// Timers, alarms, reminders: each as it was, `None` when it was set; and as it was left, `None` when it
    /// was taken away.
    Timer {
        /// As it was.
        before: Option<Box<Timer>>,
        /// As it was left.
        after: Option<Box<Timer>>,
    },
    /// What waits for something to happen: as it was, `None` when it was set; and as it was left, `None` when it was
    /// taken away.
    Automation {
        /// As it was.
        before: Option<Box<Automation>>,
        /// As it was left.
        after: Option<Box<Automation>>,
    },
    /// The volume of this node as it was, 0–100.
    Volume(u8),
    /// A fact, and whether it was known before.
    Fact {
        /// The fact.
        fact: Box<Fact>,
        /// It was forgotten rather than told.
        known: bool,
    },
    /// An event of a calendar, by the texts and versions of what it stands in.
    Event {
        /// What it is called.
        title: String,
        /// `added`, `changed` or `removed`.
        #[serde(deserialize_with = "done")]
        what: Done,
        /// A path, or an address.
        place: String,
        /// The text that was there; `None` when there was none.
        before: Option<String>,
        /// The version that was left; `None` when none was.
        after: Option<String>,
    },
    /// A note.
    Note {
        /// What it was called.
        title: String,
        /// What happened to it.
        change: NoteChange,
    },
    /// A file.
    File(FileChange),
    /// Something that was not kept over a restart, and cannot be taken back any more.
    Lost,
}

impl Undoable {
    /// As it is kept: a fact nowhere, so that one that is forgotten is gone.
    fn kept(&self) -> String {
        let lost = || "\"lost\"".to_owned();
        if matches!(self, Self::Fact { .. }) {
            return lost();
        }
        match serde_json::to_string(self) {
            Ok(text) if text.len() <= MAX_KEPT_BYTES => text,
            Ok(_) => lost(),
            Err(error) => {
                tracing::warn!(%error, "a change cannot be kept over a restart");
                lost()
            }
        }
    }
}

/// One of the words of [`DONE`].
fn done<'de, D: Deserializer<'de>>(from: D) -> Result<Done, D::Error> {
    let word = String::deserialize(from)?;
    let known = DONE.into_iter().find(|known| *known == word);
    known.ok_or_else(|| D::Error::custom(format!("`{word}` is nothing that is done")))
}

/// What happened to a note. Paths are those of the folder of notes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NoteChange {
    /// It was taken.
    Taken {
        /// Where.
        path: String,
        /// What it says.
        text: String,
    },
    /// It says something else.
    Written {
        /// Where it is.
        path: String,
        /// What it said.
        before: String,
        /// What it says.
        after: String,
    },
    /// It was renamed, or put into the trash.
    Moved {
        /// Where it was.
        from: String,
        /// Where it is.
        to: String,
        /// It is in the trash.
        is_removed: bool,
    },
}

/// What happened to a file or folder, by whole paths. `after` is what the content that was left comes to, SHA-256 in
/// hexadecimal digits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FileChange {
    /// There was none.
    Made {
        /// Where it is.
        path: String,
        /// What was left.
        after: String,
    },
    /// It was replaced.
    Written {
        /// Where it is.
        path: String,
        /// What it said.
        before: String,
        /// What was left.
        after: String,
    },
    /// Something was added to its end.
    Added {
        /// Where it is.
        path: String,
        /// How many bytes it had.
        bytes: u64,
        /// What was left.
        after: String,
    },
    /// It was moved or renamed.
    Moved {
        /// Where it was.
        from: String,
        /// Where it is.
        to: String,
        /// What the file said that was there; `None` where there was none.
        replaced: Option<String>,
    },
    /// What it said before is no text, or too long to be kept.
    Unkept {
        /// Where it is.
        path: String,
    },
}

#[derive(Debug)]
struct Step {
    turn: TurnId,
    at_unix_ms: i64,
    what: Undoable,
}

#[derive(Debug, Default)]
struct Steps {
    all: VecDeque<Step>,
    /// What was wanted and was so already, the last behind.
    already: Vec<(TurnId, Entity)>,
    /// Turns in the order in which they last began to change something, with their number in it: one that takes long may end after
    /// a later one.
    begun: VecDeque<(TurnId, i64)>,
}

impl Steps {
    /// What a turn changed, the last change first.
    fn of<'a>(&'a self, turn: &'a TurnId) -> impl Iterator<Item = &'a Step> {
        self.all.iter().rev().filter(move |step| step.turn == *turn)
    }

    fn begins(&mut self, turn: &TurnId) {
        self.begun.retain(|(known, _)| known != turn);
        if self.begun.len() == MAX_STEPS {
            self.begun.pop_front();
        }
        let number = self.begun.back().map_or(0, |(_, number)| *number) + 1;
        self.begun.push_back((turn.clone(), number));
    }

    fn number_of(&self, turn: &TurnId) -> Option<i64> {
        self.begun.iter().find(|(known, _)| known == turn).map(|(_, number)| *number)
    }
}

/// The last changes.
#[derive(Default)]
pub struct UndoLog {
    steps: Mutex<Steps>,
    /// Where they are kept; `None` keeps them in memory alone.
    store: Option<Arc<dyn UndoStore>>,
}

impl UndoLog {
    /// With what was kept of the last hour; that it cannot be read is logged, and nothing can be taken back then.
    pub fn kept_in(store: Arc<dyn UndoStore>, now_unix_ms: i64) -> Self {
        let since = now_unix_ms.saturating_sub(WITHIN_MS);
        let kept = store.undo_steps(since).unwrap_or_else(|fault| {
            tracing::warn!("{fault}");
            Vec::new()
        });
        // What is too old is not kept any longer.
        store.keep_undo(Vec::new(), MAX_STEPS, since);
        let mut steps = Steps::default();
        for KeptUndo { turn, order, at_unix_ms, change } in kept {
            steps.begun.retain(|(known, _)| *known != turn);
            steps.begun.push_back((turn.clone(), order));
            let what = serde_json::from_str(&change).unwrap_or_else(|error| {
                tracing::warn!(%error, "a change that was kept cannot be read, so it cannot be taken back");
                Undoable::Lost
            });
            steps.all.push_back(Step { turn, at_unix_ms, what });
        }
        steps.begun.make_contiguous().sort_by_key(|(_, order)| *order);
        Self { steps: Mutex::new(steps), store: Some(store) }
    }

    fn lock(&self) -> MutexGuard<'_, Steps> {
        // A panic while the lock was held leaves steps that are still steps.
        self.steps.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A turn is about to change something.
    pub fn begins(&self, turn: &TurnId) {
        self.lock().begins(turn);
    }

    /// Notes what a turn changed.
    pub fn note(&self, turn: &TurnId, at_unix_ms: i64, changes: impl IntoIterator<Item = Undoable>) {
        let mut steps = self.lock();
        let mut kept = Vec::new();
        for what in changes {
            let order = match steps.number_of(turn) {
                Some(number) => number,
                None => {
                    steps.begins(turn);
                    steps.number_of(turn).unwrap_or_default()
                }
            };
            if self.store.is_some() {
                kept.push(KeptUndo { turn: turn.clone(), order, at_unix_ms, change: what.kept() });
            }
            if steps.all.len() == MAX_STEPS {
                steps.all.pop_front();
            }
            steps.all.push_back(Step { turn: turn.clone(), at_unix_ms, what });
        }
        // Under the lock, so that they are kept in this order.
        if let Some(store) = self.store.as_ref().filter(|_| !kept.is_empty()) {
            store.keep_undo(kept, MAX_STEPS, at_unix_ms.saturating_sub(WITHIN_MS));
        }
    }

    /// What the last turn that changed anything changed, the last change first; `None` when that is too long
    /// ago or there is none.
    pub fn last(&self, now_unix_ms: i64) -> Option<(TurnId, Vec<Undoable>)> {
        let steps = self.lock();
        let (turn, last) =
            steps.begun.iter().rev().find_map(|(turn, _)| Some((turn, steps.of(turn).next()?)))?;
        let in_time = now_unix_ms - last.at_unix_ms <= WITHIN_MS;
        let changes = steps.of(turn).map(|step| step.what.clone()).collect();
        in_time.then(|| (turn.clone(), changes))
    }

    /// What a turn changed, the last change first.
    pub fn of(&self, turn: &TurnId) -> Vec<Undoable> {
        self.lock().of(turn).map(|step| step.what.clone()).collect()
    }

    /// Notes what a turn wanted on or open and was so already.
    pub fn note_already(&self, turn: &TurnId, things: impl IntoIterator<Item = Entity>) {
        let already = &mut self.lock().already;
        already.extend(things.into_iter().map(|thing| (turn.clone(), thing)));
        already.drain(..already.len().saturating_sub(MAX_STEPS));
    }

    /// What a turn wanted on or open and was so already, as it was.
    pub fn already(&self, turn: &TurnId) -> Vec<Entity> {
        self.lock().already.iter().filter(|(of, _)| of == turn).map(|(_, thing)| thing.clone()).collect()
    }

    /// What this turn changed has been taken back.
    pub fn forget(&self, turn: &TurnId) {
        let mut steps = self.lock();
        let before = steps.all.len();
        steps.all.retain(|step| step.turn != *turn);
        if let Some(store) = self.store.as_ref().filter(|_| steps.all.len() < before) {
            store.forget_undo(turn);
        }
    }
}

impl std::fmt::Debug for UndoLog {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("UndoLog").field("steps", &self.steps).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_turn_is_taken_back_as_a_whole_and_the_last_first() {
        let log = UndoLog::default();
        assert_eq!(log.last(0), None);
        log.note(&"a".into(), 0, [Undoable::Volume(10)]);
        log.note(&"b".into(), 5, [Undoable::Volume(20)]);
        log.note(&"b".into(), 6, [Undoable::Volume(30)]);
        let (turn, changes) = log.last(10).unwrap();
        assert_eq!(changes, [Undoable::Volume(30), Undoable::Volume(20)]);
        log.forget(&turn);
        assert_eq!(log.last(10).unwrap().1, [Undoable::Volume(10)]);
        assert_eq!(log.last(WITHIN_MS + 1), None, "too long ago");
        for number in 0..200 {
            log.note(&TurnId(number.to_string()), 10, [Undoable::Volume(1)]);
        }
        assert_eq!(log.lock().all.len(), MAX_STEPS);
        log.begins(&"slow".into());
        log.begins(&"quick".into());
        log.note(&"quick".into(), 10, [Undoable::Volume(2)]);
        log.note(&"slow".into(), 11, [Undoable::Volume(3)]);
        assert_eq!(log.last(11).unwrap().0, "quick".into(), "what was asked for last, whatever ended last");
    }

    #[derive(Default)]
    struct InMemory(Mutex<Vec<KeptUndo>>);

    impl UndoStore for InMemory {
        fn undo_steps(&self, since_unix_ms: i64) -> Result<Vec<KeptUndo>, hark_core::Fault> {
            let kept = self.0.lock().unwrap();
            Ok(kept.iter().filter(|step| step.at_unix_ms >= since_unix_ms).cloned().collect())
        }

        fn keep_undo(&self, steps: Vec<KeptUndo>, _: usize, _: i64) {
            self.0.lock().unwrap().extend(steps);
        }

        fn forget_undo(&self, turn: &TurnId) {
            self.0.lock().unwrap().retain(|step| step.turn != *turn);
        }
    }

    fn event(text: &str) -> Undoable {
        Undoable::Event {
            title: "Dentist".into(),
            what: "changed",
            place: "/calendar/a.ics".into(),
            before: Some(text.to_owned()),
            after: None,
        }
    }

    #[test]
    fn what_was_done_can_be_taken_back_after_a_restart() {
        let store: Arc<InMemory> = Arc::default();
        let open = |now| UndoLog::kept_in(store.clone(), now);
        let log = open(0);
        let list = |name: &str| StoredList { name: name.into(), items: Vec::new() };
        let changes = [
            event("BEGIN:VCALENDAR"),
            Undoable::Volume(40),
            Undoable::Note {
                title: "Boiler".into(),
                change: NoteChange::Moved { from: "a".into(), to: "b".into(), is_removed: true },
            },
            Undoable::File(FileChange::Added { path: "a".into(), bytes: 3, after: "00ff".into() }),
            Undoable::List {
                before: Some(list("to do")),
                after: Vec::new(),
                name: "to do".into(),
                what: "cleared",
                items: vec!["milk".into()],
            },
        ];
        log.begins(&"slow".into());
        log.note(&"quick".into(), 10, changes.clone());
        log.note(&"slow".into(), 20, [Undoable::Volume(5)]);
        let (turn, found) = open(30).last(30).unwrap();
        assert_eq!((turn, found), ("quick".into(), changes.into_iter().rev().collect()));
        open(30).forget(&"quick".into());
        let log = open(40);
        assert_eq!(log.last(40).unwrap().0, "slow".into());
        log.note(&"next".into(), 50, [Undoable::Volume(6)]);
        assert_eq!(open(60).last(60).unwrap().0, "next".into(), "turns are counted on");
        assert_eq!(open(51 + WITHIN_MS).last(51 + WITHIN_MS), None, "too long ago");
    }

    #[test]
    fn facts_and_long_texts_are_not_kept() {
        let store: Arc<InMemory> = Arc::default();
        let log = UndoLog::kept_in(store.clone(), 0);
        let fact = Fact { text: "the code is 1234".into(), ..Fact::default() };
        log.note(
            &"a".into(),
            1,
            [false, true].map(|known| Undoable::Fact { fact: Box::new(fact.clone()), known }),
        );
        log.note(&"b".into(), 2, [event(&"x".repeat(MAX_KEPT_BYTES))]);
        assert!(store.0.lock().unwrap().iter().all(|kept| kept.change == "\"lost\""));
        let again = UndoLog::kept_in(store, 3);
        assert_eq!(again.last(3).unwrap(), ("b".into(), vec![Undoable::Lost]));
    }
}
