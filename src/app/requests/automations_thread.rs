//! Watches the home and the clock for automations, also for those another program (`hark ask`) has set, and sends each
//! that acts to the turn machine, under a turn of its own by which it is known when it has been carried out.

use crate::app::clock::wall_unix_ms;
use crate::app::event_queue::EventQueue;
use hark_core::automation::Automation;
use hark_core::home::Home;
use hark_core::ports::HomeView;
use hark_core::{AutomationId, Event, Fault, TurnId};
use hark_home::automations::{Automations, Now};
use hark_tools::tools::Services;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

/// How often the store is read: an automation of another program, or one that a suspend of the machine held up, is late
/// by at most this much.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// The beginning of the id of a turn that carries one out.
const PREFIX: &str = "automation-";

/// Between the id of the automation and the moment it acts at.
const AT: char = '@';

/// Of the homes that wait to be looked at, so many of the newest are.
const MAX_WAITING: usize = 64;

/// Why the thread looks before its time. The home keeps a sender for as long as it is there.
enum Woken {
    /// Something changed: the home as it was then, so that what lasts less long than a look is seen as well.
    Changed(Arc<Home>),
    /// It is to end.
    Stop,
}

/// Ends with `stop`.
pub(crate) struct AutomationsThread {
    wake: Option<Sender<Woken>>,
    thread: Option<JoinHandle<()>>,
}

impl AutomationsThread {
    /// Starts to watch. What acts goes into the event queue.
    pub(crate) fn start(services: Arc<Services>, event_queue: Arc<EventQueue>) -> std::io::Result<Self> {
        let (wake, woken) = channel();
        let told = event_queue.clone();
        services.automations.observe(Arc::new(move |automation| push(&told, acts(automation))));
        let registry = services.home.registry();
        // What changes from here on is compared with this.
        let first = registry.home();
        let (nudge, known) = (wake.clone(), Arc::downgrade(registry));
        registry.observe(Arc::new(move |_| {
            if let Some(registry) = known.upgrade() {
                // The thread may have ended; then nobody watches any more.
                let _ = nudge.send(Woken::Changed(registry.home()));
            }
        }));
        let thread = std::thread::Builder::new()
            .name("hark-automations".into())
            .spawn(move || watch(&services, &event_queue, &woken, first))?;
        Ok(Self { wake: Some(wake), thread: Some(thread) })
    }

    /// Ends the thread and waits for it.
    pub(crate) fn stop(&mut self, automations: &Automations) {
        automations.observe(Arc::new(|_| {}));
        if let Some(wake) = self.wake.take() {
            // The thread may have ended by itself.
            drop(wake.send(Woken::Stop));
        }
        if let Some(thread) = self.thread.take()
            && thread.join().is_err()
        {
            tracing::error!("the automations thread had panicked");
        }
    }
}

/// The automation that a turn carries out; `None` for any other turn.
pub(crate) fn automation_of(turn: &TurnId) -> Option<AutomationId> {
    let (id, _) = turn.0.strip_prefix(PREFIX)?.rsplit_once(AT)?;
    Some(AutomationId(id.to_owned()))
}

fn acts(automation: Automation) -> Event {
    let since = automation.acting_since_unix_ms.unwrap_or_default();
    let turn = TurnId(format!("{PREFIX}{}{AT}{since}", automation.id));
    Event::Promised { turn, event: Box::new(Event::Automation { automation: Box::new(automation) }) }
}

fn watch(services: &Services, event_queue: &EventQueue, woken: &Receiver<Woken>, first: Arc<Home>) {
    let mut last = None;
    let mut tell = |result: Result<(), Fault>| {
        let fault = result.err();
        if let Some(fault) = fault.as_ref().filter(|fault| last.as_ref() != Some(*fault)) {
            push(event_queue, Event::Fault { fault: fault.clone() });
        }
        last = fault;
    };
    tell(services.automations.resume(wall_unix_ms()));
    let (mut homes, mut is_over) = (vec![first], false);
    loop {
        for home in homes.drain(..) {
            tell(with_home(services, &home, |now| services.automations.check_triggers(now)));
        }
        if is_over {
            return;
        }
        match woken.recv_timeout(nap(&services.automations)) {
            Ok(first) => is_over = take([first].into_iter().chain(woken.try_iter()), &mut homes),
            Err(RecvTimeoutError::Timeout) => homes.push(services.home.registry().home()),
            Err(RecvTimeoutError::Disconnected) => return,
        }
    }
}

/// Puts the homes of all changes that wait into `homes`; whether the thread is to end behind them.
fn take(woken: impl Iterator<Item = Woken>, homes: &mut Vec<Arc<Home>>) -> bool {
    let mut is_over = false;
    for woken in woken {
        match woken {
            // Changes that were reported together are told one by one, and are one home.
            Woken::Changed(home) if homes.last().is_some_and(|last| Arc::ptr_eq(last, &home)) => {}
            Woken::Changed(home) => homes.push(home),
            Woken::Stop => is_over = true,
        }
    }
    homes.drain(..homes.len().saturating_sub(MAX_WAITING));
    is_over
}

/// Calls with the home and the clock as they are now.
pub(crate) fn with_now<T>(services: &Services, call: impl FnOnce(Now<'_>) -> T) -> T {
    with_home(services, &services.home.registry().home(), call)
}

/// The same with a home as it was.
fn with_home<T>(services: &Services, home: &Home, call: impl FnOnce(Now<'_>) -> T) -> T {
    let area = services.default_area();
    call(Now { home, area: area.as_deref(), unix_ms: wall_unix_ms() })
}

/// How long until the next look.
fn nap(automations: &Automations) -> Duration {
    let due = automations.next_due_unix_ms().ok().flatten();
    let left_ms = due.map(|due| due.saturating_sub(wall_unix_ms()).max(20));
    let left = left_ms.and_then(|left| u64::try_from(left).ok()).map(Duration::from_millis);
    left.map_or(LOOK_EVERY, |left| left.min(LOOK_EVERY))
}

fn push(event_queue: &EventQueue, event: Event) {
    if let Err(full) = event_queue.push(event) {
        tracing::error!("an automation waits for the next start: {full}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_home_is_looked_at_also_before_the_end_and_of_too_many_the_newest() {
        let homes: Vec<_> = (0..MAX_WAITING + 2).map(|_| Arc::new(Home::default())).collect();
        let changed = |at: usize| Woken::Changed(homes[at].clone());
        let mut taken = vec![homes[0].clone()];
        assert!(take([changed(0), changed(1), Woken::Stop].into_iter(), &mut taken));
        assert_eq!(taken.len(), 2, "reported together is looked at once");
        assert!(!take((2..homes.len()).map(changed), &mut taken));
        assert!(taken.len() == MAX_WAITING && Arc::ptr_eq(taken.last().unwrap(), homes.last().unwrap()));
    }

    #[test]
    fn a_turn_tells_which_automation_it_carries_out() {
        assert_eq!(automation_of(&"automation-0193-ab@17".into()), Some("0193-ab".into()));
        assert_eq!(automation_of(&"asked-17".into()), None);
        assert_eq!(automation_of(&"turn-3".into()), None);
    }
}
