//! In-memory stores for tests, which can be told to fail; `hark-tools` has its tests use them too.

use hark_core::automation::Automation;
use hark_core::ids::TimerId;
use hark_core::ports::{AutomationStore, ListStore, StoredList, TimerStore};
use hark_core::timer::{Ring, Timer, TimerState};
use hark_core::{Fault, FaultKind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

/// Keeps automations.
#[derive(Default)]
pub(crate) struct InMemoryAutomations(Mutex<Vec<Automation>>);

impl AutomationStore for InMemoryAutomations {
    fn automations(&self) -> Result<Vec<Automation>, Fault> {
        Ok(self.0.lock().unwrap().clone())
    }

    fn add_automation(&self, automation: &Automation) -> Result<(), Fault> {
        let mut kept = self.0.lock().unwrap();
        kept.retain(|known| known.id != automation.id);
        kept.push(automation.clone());
        Ok(())
    }

    fn replace_automation(&self, before: &Automation, after: Option<&Automation>) -> Result<bool, Fault> {
        let mut kept = self.0.lock().unwrap();
        let Some(at) = kept.iter().position(|known| known == before) else { return Ok(false) };
        match after {
            Some(after) => kept[at] = after.clone(),
            None => drop(kept.remove(at)),
        }
        Ok(true)
    }
}

/// Keeps timers; refuses everything while told to.
#[derive(Default)]
pub(crate) struct InMemoryTimers {
    pub(crate) kept: Mutex<Vec<Timer>>,
    pub(crate) refuses: AtomicBool,
    rings: Mutex<Vec<Ring>>,
}

impl InMemoryTimers {
    fn check(&self) -> Result<(), Fault> {
        match self.refuses.load(Ordering::SeqCst) {
            true => Err(Fault::new(FaultKind::Unavailable, "store", "full", "make room")),
            false => Ok(()),
        }
    }
}

impl TimerStore for InMemoryTimers {
    fn changed_elsewhere(&self) -> Result<bool, Fault> {
        Ok(true)
    }

    fn load(&self) -> Result<Vec<Timer>, Fault> {
        self.check()?;
        Ok(self.kept.lock().unwrap().clone())
    }

    fn save(&self, timer: &Timer) -> Result<(), Fault> {
        self.check()?;
        let mut kept = self.kept.lock().unwrap();
        match kept.iter().position(|known| known.id == timer.id) {
            Some(at) => kept[at] = timer.clone(),
            None => kept.push(timer.clone()),
        }
        Ok(())
    }

    fn remove(&self, timer: &Timer) -> Result<(), Fault> {
        self.check()?;
        self.kept.lock().unwrap().retain(|known| known.id != timer.id);
        Ok(())
    }

    fn replace(&self, changes: &[(Timer, Option<Timer>)]) -> Result<Vec<bool>, Fault> {
        self.check()?;
        let done = changes.iter().map(|(before, after)| {
            let mut kept = self.kept.lock().unwrap();
            let same = |known: &Timer| {
                (&known.id, known.state, known.due_unix_ms, known.remaining_ms)
                    == (&before.id, before.state, before.due_unix_ms, before.remaining_ms)
            };
            let Some(at) = kept.iter().position(same) else { return false };
            match after {
                None => drop(kept.remove(at)),
                Some(after) => kept[at] = after.clone(),
            }
            if let Some(after) = after.as_ref().filter(|after| after.state == TimerState::Ringing) {
                let (timer, due_unix_ms) = (after.id.clone(), after.due_unix_ms);
                self.rings.lock().unwrap().push(Ring { timer, due_unix_ms, told: false });
            }
            true
        });
        Ok(done.collect())
    }

    fn told(&self, timer: &TimerId, due_unix_ms: i64) -> Result<(), Fault> {
        self.check()?;
        let mut rings = self.rings.lock().unwrap();
        let of_it = rings.iter_mut().filter(|ring| ring.timer == *timer && ring.due_unix_ms == due_unix_ms);
        of_it.for_each(|ring| ring.told = true);
        Ok(())
    }

    fn rings(&self) -> Result<Vec<Ring>, Fault> {
        self.check()?;
        let mut last: Vec<Ring> = Vec::new();
        for ring in self.rings.lock().unwrap().iter() {
            last.retain(|known| known.timer != ring.timer);
            last.push(ring.clone());
        }
        Ok(last)
    }
}

/// Keeps lists; refuses everything while told to.
#[derive(Default)]
pub(crate) struct InMemoryLists {
    pub(crate) lists: Mutex<Vec<StoredList>>,
    pub(crate) refuses: AtomicBool,
}

impl InMemoryLists {
    fn check(&self) -> Result<(), Fault> {
        match self.refuses.load(Ordering::SeqCst) {
            true => Err(Fault::new(FaultKind::Unavailable, "store", "full", "make room")),
            false => Ok(()),
        }
    }
}

impl ListStore for InMemoryLists {
    fn lists(&self) -> Result<Vec<StoredList>, Fault> {
        Ok(self.lists.lock().unwrap().clone())
    }

    fn save_list(&self, list: &StoredList) -> Result<(), Fault> {
        self.check()?;
        let mut lists = self.lists.lock().unwrap();
        match lists.iter().position(|known| known.name == list.name) {
            Some(at) => lists[at] = list.clone(),
            None => lists.push(list.clone()),
        }
        Ok(())
    }

    fn remove_list(&self, name: &str) -> Result<(), Fault> {
        self.check()?;
        self.lists.lock().unwrap().retain(|list| list.name != name);
        Ok(())
    }
}
