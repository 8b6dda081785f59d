//! What was done last, and how it was before, so that "undo that" can take it back. In memory only: what
//! the program did before its last start stays done.

use hark_core::automation::Automation;
use hark_core::home::Entity;
use hark_core::ports::{Fact, ListItem, StoredList};
use hark_core::timer::Timer;
use hark_core::{EntityId, TurnId};
use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// How many changes are remembered.
const MAX_STEPS: usize = 64;

/// For how long a change can be undone: later it is unclear what "that" means.
const WITHIN_MS: i64 = 3600 * 1000;

/// One thing that was changed, with what it takes to change it back.
#[derive(Debug, Clone, PartialEq)]
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
        what: &'static str,
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
        what: &'static str,
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
}

/// What happened to a note. Paths are those of the folder of notes.
#[derive(Debug, Clone, PartialEq, Eq)]
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
    /// Turns in the order in which they last began to change something: one that takes long may end after a later one.
    begun: VecDeque<TurnId>,
}

impl Steps {
    /// What a turn changed, the last change first.
    fn of<'a>(&'a self, turn: &'a TurnId) -> impl Iterator<Item = &'a Step> {
        self.all.iter().rev().filter(move |step| step.turn == *turn)
    }

    fn begins(&mut self, turn: &TurnId) {
        self.begun.retain(|known| known != turn);
        if self.begun.len() == MAX_STEPS {
            self.begun.pop_front();
        }
        self.begun.push_back(turn.clone());
    }
}

/// The last changes.
#[derive(Debug, Default)]
pub struct UndoLog {
    steps: Mutex<Steps>,
}

impl UndoLog {
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
        for what in changes {
            if !steps.begun.contains(turn) {
                steps.begins(turn);
            }
            if steps.all.len() == MAX_STEPS {
                steps.all.pop_front();
            }
            steps.all.push_back(Step { turn: turn.clone(), at_unix_ms, what });
        }
    }

    /// What the last turn that changed anything changed, the last change first; `None` when that is too long
    /// ago or there is none.
    pub fn last(&self, now_unix_ms: i64) -> Option<(TurnId, Vec<Undoable>)> {
        let steps = self.lock();
        let (turn, last) = steps.begun.iter().rev().find_map(|turn| Some((turn, steps.of(turn).next()?)))?;
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
        self.lock().all.retain(|step| step.turn != *turn);
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
}
