//! Waits for timers that are due, also for those another program (`hark ask`, `hark timers`) has set.

use crate::app::clock::wall_unix_ms;
use crate::app::event_queue::EventQueue;
use crate::app::requests::automations_thread::with_now;
use hark_core::timer::{Timer, TimerChange};
use hark_core::{Event, Fault};
use hark_home::timers::{ClockJumpDetector, Timers, ZoneChangeDetector};
use hark_tools::tools::Services;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

/// How often the store is asked whether another program wrote to it, and the wall clock whether it
/// jumped: a timer is late by at most this much after a suspend.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// How long to wait before what was overlooked as due is looked at.
const RETRY_AFTER: Duration = Duration::from_millis(20);

/// Ends with `stop`, or when dropped.
pub(crate) struct TimersThread {
    wake: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl TimersThread {
    /// Starts to wait. Changes of timers go into the event queue, and automations that wait for one are told.
    pub(crate) fn start(
        timers: Arc<Timers>,
        services: Arc<Services>,
        event_queue: Arc<EventQueue>,
    ) -> std::io::Result<Self> {
        let (wake, woken) = channel();
        let (nudge, told) = (wake.clone(), event_queue.clone());
        timers.observe(Arc::new(move |change, timer| {
            if let Err(fault) = tell_automations(&services, change, timer) {
                push(&told, Event::Fault { fault });
            }
            push(&told, Event::Timer { change, timer: timer.clone() });
            // The thread may have ended; then nobody waits for the next one that is due.
            let _ = nudge.send(());
        }));
        let thread = std::thread::Builder::new()
            .name("hark-timers".into())
            .spawn(move || wait(&timers, &event_queue, &woken))?;
        Ok(Self { wake: Some(wake), thread: Some(thread) })
    }

    /// Ends the thread and waits for it.
    pub(crate) fn stop(&mut self, timers: &Timers) {
        timers.observe(Arc::new(|_, _| {}));
        self.wake = None;
        if let Some(thread) = self.thread.take()
            && thread.join().is_err()
        {
            tracing::error!("the timers thread had panicked");
        }
    }
}

/// Tells automations that wait for a timer what has become of it.
fn tell_automations(services: &Services, change: TimerChange, timer: &Timer) -> Result<(), Fault> {
    let is_new = match change {
        TimerChange::Finished => true,
        TimerChange::RingsOn => false,
        TimerChange::Cancelled => return services.automations.timer_gone(&timer.id),
        _ => return Ok(()),
    };
    with_now(services, |now| services.automations.rang(timer, is_new, now))
}

fn wait(timers: &Timers, event_queue: &EventQueue, woken: &Receiver<()>) {
    let mut faults = Reporter { event_queue, last: None };
    let mut due_watch = DueWatch::default();
    faults.take(due_watch.begin(timers, Clocks::now()));
    loop {
        faults.take(due_watch.look(timers, Clocks::now()));
        match woken.recv_timeout(due_watch.nap(timers, wall_unix_ms())) {
            Err(RecvTimeoutError::Disconnected) => return,
            // Told of a burst of changes: one look is enough for all of them.
            Ok(()) => woken.try_iter().for_each(drop),
            Err(RecvTimeoutError::Timeout) => {}
        }
    }
}

/// Both clocks at one moment, in milliseconds: that of the wall, and one that nobody sets and that goes on while the
/// machine sleeps.
#[derive(Debug, Clone, Copy)]
struct Clocks {
    wall: i64,
    steady: i64,
}

impl Clocks {
    fn now() -> Self {
        Self { wall: wall_unix_ms(), steady: steady_ms() }
    }
}

/// What is done at every look, and how long until the next.
#[derive(Default)]
struct DueWatch {
    clocks: ClockJumpDetector,
    zone: ZoneChangeDetector,
    is_stuck: bool,
}

impl DueWatch {
    /// Before anything new rings: where it stood when the program ended.
    fn begin(&mut self, timers: &Timers, now: Clocks) -> Result<(), Fault> {
        self.clocks.check(now.wall, now.steady);
        self.zone.check(timers.zone(), now.wall);
        timers.put_right(now.wall).and_then(|()| timers.ring_on(now.wall))
    }

    /// Looks at the clocks, at what other programs did, and lets ring what is due.
    fn look(&mut self, timers: &Timers, now: Clocks) -> Result<(), Fault> {
        let mut state = Ok(());
        if let Some(jump_ms) = self.clocks.check(now.wall, now.steady) {
            tracing::warn!(jump_ms, "the wall clock was set");
            state = timers.clock_was_set(jump_ms, now.wall);
        }
        if self.zone.check(timers.zone(), now.wall) {
            state = state.and(timers.put_right(now.wall));
        }
        // What another program cancelled a moment ago does not ring.
        state = state.and(timers.refresh());
        // Marks what is due as ringing, on the disk, and tells the observer.
        timers.ring_due(now.wall);
        state
    }

    /// How long to sleep until the next look. The sleep does not count while the machine is suspended, so it is short.
    fn nap(&mut self, timers: &Timers, now_unix_ms: i64) -> Duration {
        let left_ms = timers.next_due_unix_ms().map_or(i64::MAX, |due| due.saturating_sub(now_unix_ms));
        let nap = match u64::try_from(left_ms) {
            Ok(left_ms) => Duration::from_millis(left_ms).min(LOOK_EVERY),
            // It became due in the meantime; or it could not be kept, and then the disk needs time.
            Err(_) if self.is_stuck => LOOK_EVERY,
            Err(_) => RETRY_AFTER,
        };
        self.is_stuck = left_ms < 0;
        nap
    }
}

/// Milliseconds of a clock that nobody sets and that goes on while the machine sleeps.
fn steady_ms() -> i64 {
    use rustix::time::{ClockId, clock_gettime};
    let now = clock_gettime(ClockId::Boottime);
    now.tv_sec.saturating_mul(1000).saturating_add(now.tv_nsec / 1_000_000)
}

/// Tells a fault once for as long as it lasts.
struct Reporter<'a> {
    event_queue: &'a EventQueue,
    last: Option<Fault>,
}

impl Reporter<'_> {
    fn take(&mut self, result: Result<(), Fault>) {
        let fault = result.err();
        if let Some(fault) = fault.as_ref().filter(|fault| self.last.as_ref() != Some(*fault)) {
            push(self.event_queue, Event::Fault { fault: fault.clone() });
        }
        self.last = fault;
    }
}

fn push(event_queue: &EventQueue, event: Event) {
    if let Err(full) = event_queue.push(event) {
        tracing::error!("a timer event was lost: {full}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chrono::Offset;
    use hark_core::timer::TimerKind;
    use hark_home::timers::NewTimer;
    use hark_home::zone::Zone;
    use hark_store::store::Store;
    use std::sync::Mutex;

    const HOUR_MS: i64 = 3_600_000;
    const T0: i64 = 1_795_000_000_000;

    /// A machine whose clocks the test moves; the steady one counts sleep, as the real one does.
    struct Machine {
        timers: Timers,
        due_watch: DueWatch,
        now: Clocks,
        rang: Arc<Mutex<Vec<String>>>,
        _folder: tempfile::TempDir,
    }

    impl Machine {
        fn start() -> Self {
            let folder = tempfile::tempdir().unwrap();
            let store = Arc::new(Store::open(&folder.path().join("hark.db")).unwrap());
            let timers = Timers::load(store, T0).unwrap().in_zone(Zone::Fixed(chrono::Utc.fix()));
            let rang: Arc<Mutex<Vec<String>>> = Arc::default();
            let log = rang.clone();
            timers.observe(Arc::new(move |change, timer| {
                if change == TimerChange::Finished {
                    log.lock().unwrap().push(timer.name.clone().unwrap_or_default());
                }
            }));
            let now = Clocks { wall: T0, steady: 7_000 };
            let mut due_watch = DueWatch::default();
            due_watch.begin(&timers, now).unwrap();
            Self { timers, due_watch, now, rang, _folder: folder }
        }

        fn set(&self, name: &str, after_ms: i64) {
            let duration_ms = u64::try_from(after_ms).unwrap();
            let new = NewTimer { name: Some(name.into()), duration_ms, ..NewTimer::default() };
            self.timers.start(new, self.now.wall).unwrap();
        }

        /// Runs for so long, awake: looks when the thread would.
        fn runs(&mut self, ms: i64) {
            let end = self.now.steady + ms;
            while self.now.steady < end {
                self.due_watch.look(&self.timers, self.now).unwrap();
                let nap = self.due_watch.nap(&self.timers, self.now.wall);
                let nap = i64::try_from(nap.as_millis()).unwrap().clamp(1, end - self.now.steady);
                (self.now.wall, self.now.steady) = (self.now.wall + nap, self.now.steady + nap);
            }
        }

        fn sleeps(&mut self, ms: i64) {
            (self.now.wall, self.now.steady) = (self.now.wall + ms, self.now.steady + ms);
        }

        fn rang(&self) -> Vec<String> {
            self.rang.lock().unwrap().clone()
        }
    }

    #[test]
    fn what_was_due_in_a_suspend_rings_right_after_it_and_once() {
        let mut machine = Machine::start();
        machine.set("tea", HOUR_MS);
        machine.set("bread", 4 * HOUR_MS);
        machine.runs(10_000);
        machine.sleeps(3 * HOUR_MS);
        assert!(machine.rang().is_empty());
        machine.runs(1);
        assert_eq!(machine.rang(), ["tea"], "the first look after it");
        machine.runs(HOUR_MS - 11_000);
        assert_eq!(machine.rang(), ["tea"], "sleep is no clock that was set: the bread has its four hours");
        machine.runs(2_000);
        assert_eq!(machine.rang(), ["tea", "bread"]);
        machine.runs(60_000);
        assert_eq!(machine.rang().len(), 2);
    }

    #[test]
    fn a_clock_that_is_set_in_the_sleep_moves_no_length() {
        let mut machine = Machine::start();
        machine.set("bread", 4 * HOUR_MS);
        let alarm = NewTimer {
            kind: TimerKind::Alarm,
            name: Some("alarm".into()),
            // A full minute, as times of day are.
            due_unix_ms: Some(T0 + 6 * HOUR_MS - T0 % 60_000),
            by_the_wall: true,
            ..NewTimer::default()
        };
        machine.timers.start(alarm, T0).unwrap();
        machine.runs(1_000);
        machine.sleeps(HOUR_MS);
        // The clock was wrong by three hours, and the network puts it right on waking.
        machine.now.wall += 3 * HOUR_MS;
        machine.runs(2 * HOUR_MS);
        assert_eq!(machine.rang(), ["alarm"], "the wall shows its time after two hours");
        machine.runs(HOUR_MS);
        assert_eq!(machine.rang(), ["alarm", "bread"], "four hours after it was set");
    }
}
