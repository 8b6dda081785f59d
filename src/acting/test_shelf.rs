//! A timer store for tests: in memory, and able to refuse.

use crate::domain::ports::TimerStore;
use crate::domain::timer::Timer;
use crate::domain::{Fault, FaultKind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

/// Keeps timers; refuses everything while told to.
#[derive(Default)]
pub(crate) struct Shelf {
    pub(crate) kept: Mutex<Vec<Timer>>,
    pub(crate) refuses: AtomicBool,
}

impl Shelf {
    fn check(&self) -> Result<(), Fault> {
        match self.refuses.load(Ordering::SeqCst) {
            true => Err(Fault::new(FaultKind::Unavailable, "store", "full", "make room")),
            false => Ok(()),
        }
    }
}

impl TimerStore for Shelf {
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
}
