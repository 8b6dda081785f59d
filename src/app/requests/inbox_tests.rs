//! Requests that are written down, taken up again, and run once.

use super::*;
use hark_config::Config;
use hark_core::Setting;
use hark_core::model::ToolSpec;
use hark_core::pin::{PinCode, PinVerdict};
use hark_core::public_event::Origin;
use hark_models::manifest::Manifest;
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// Counts what is run, and can be made to never come back, as when the program dies in the middle.
#[derive(Default)]
struct Counter {
    runs: AtomicU32,
    hangs: bool,
    calls: Mutex<Vec<ToolCall>>,
}

impl Tools for Counter {
    fn may_repeat(&self, tool: &str, _: &Slots) -> bool {
        tool == "volume.set"
    }

    fn run(&self, call: ToolCall) -> ReceiptFuture {
        let number = self.runs.fetch_add(1, Ordering::Relaxed);
        lock(&self.calls).push(call.clone());
        let hangs = self.hangs;
        Box::pin(async move {
            if hangs {
                std::future::pending::<()>().await;
            }
            let id = format!("{}-{number}", call.tool);
            Receipt {
                id: id.as_str().into(),
                ok: true,
                changed: true,
                detail: serde_json::json!({}),
                tainted: false,
            }
        })
    }

    fn has_pin(&self) -> bool {
        true
    }

    fn present_pin(&self, _: &PinCode) -> PinVerdict {
        PinVerdict::Wrong
    }

    fn risk(&self, tool: &str) -> Option<Risk> {
        Some(if tool == "home.get_state" { Risk::Read } else { Risk::Write })
    }

    fn reference(&self) -> Vec<ToolSpec> {
        Vec::new()
    }
}

struct Place {
    dir: TempDir,
    event_queue: Arc<EventQueue>,
}

/// A house with a PIN and a password field.
struct Locked;

impl Tools for Locked {
    fn run(&self, _: ToolCall) -> ReceiptFuture {
        Box::pin(std::future::pending())
    }

    fn risk(&self, _: &str) -> Option<Risk> {
        None
    }

    fn has_pin(&self) -> bool {
        true
    }

    fn secret_names(&self) -> Vec<String> {
        vec!["Wi-Fi password".into()]
    }
}

impl Place {
    fn new() -> Self {
        Self { dir: TempDir::new().unwrap(), event_queue: Arc::default() }
    }

    /// As after a start.
    fn start(&self) -> Arc<Inbox> {
        let store = Store::open(&self.dir.path().join("hark.db")).unwrap();
        let mut config = Config::default();
        let manifest = Manifest::load(&Path::new(env!("CARGO_MANIFEST_DIR")).join("models")).unwrap();
        let choices = Choices::of(&config, &manifest);
        let kept = Arc::new(SettingsStore::over(&mut config, &store, &choices).unwrap().0);
        Arc::new(Inbox::new(store, kept, choices, &self.event_queue, Arc::new(Locked), Arc::default()))
    }

    fn fault(&self) -> Option<String> {
        match self.event_queue.pop(Instant::now() + Duration::from_millis(1)) {
            Some(Event::Fault { fault }) => Some(fault.message),
            _ => None,
        }
    }
}

fn asked(text: &str) -> Event {
    Event::Typed { text: text.into(), origin: Origin::Mqtt, speak: false, dry_run: false }
}

fn arrival(event: Event) -> IncomingRequest {
    IncomingRequest { known: MessageKey { packet: 9, content: 3, id: Some(4) }, event }
}

fn call(turn: &TurnId, tool: &str) -> ToolCall {
    let args = Slots::new();
    ToolCall {
        index: 0,
        turn: turn.clone(),
        tool: tool.into(),
        args,
        approved: false,
        grant: None,
        tainted: false,
        unattended: false,
        requester: Default::default(),
    }
}

fn turn_of(event: &Option<Event>) -> TurnId {
    match event {
        Some(Event::Promised { turn, .. }) => turn.clone(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_request_is_there_at_the_next_start_as_the_same_turn_until_it_is_done() {
    let place = Place::new();
    let inbox = place.start();
    let handed = inbox.keep(vec![arrival(asked("one")), arrival(asked("two"))]);
    inbox.done(&turn_of(&handed[0]));
    inbox.note();
    drop(inbox);
    let inbox = place.start();
    let left = inbox.left_over().unwrap();
    assert_eq!(
        left.into_iter().map(|(number, event)| promised(number, event)).collect::<Vec<_>>(),
        handed[1..].iter().flatten().cloned().collect::<Vec<_>>()
    );
    assert_eq!(inbox.known()[0], MessageKey { packet: 9, content: 3, id: Some(4) });
    inbox.done(&turn_of(&handed[1]));
    inbox.note();
    drop(inbox);
    assert_eq!(place.start().left_over().unwrap(), []);
}

#[test]
fn a_setting_is_on_the_disk_before_it_is_acknowledged_and_handed_on_by_nobody_else() {
    let place = Place::new();
    let inbox = place.start();
    assert_eq!(inbox.keep(vec![arrival(Event::Set { setting: Setting::VolumePercent(12) })]), [None]);
    let beyond = Event::Set { setting: Setting::MicGainDb(120) };
    inbox.keep(vec![arrival(beyond)]);
    drop(inbox);
    let inbox = place.start();
    let now = inbox.kept.now();
    assert!(now.contains(&Setting::VolumePercent(12)) && !now.contains(&Setting::MicGainDb(120)), "{now:?}");
}

#[tokio::test]
async fn what_kills_the_program_is_given_up_and_told_and_what_waits_behind_it_is_not() {
    let place = Place::new();
    place.start().keep(vec![arrival(asked("poison")), arrival(asked("waits"))]);
    for _ in 0..MAX_TRIES {
        let inbox = place.start();
        let left = inbox.left_over().unwrap();
        assert_eq!(left.len(), 2);
        let taking = tokio::spawn(inbox.take_up(left));
        let event_queue = place.event_queue.clone();
        let wait = move || event_queue.pop(Instant::now() + Duration::from_secs(60));
        let handed = tokio::task::spawn_blocking(wait).await.unwrap();
        assert!(matches!(handed, Some(Event::Promised { turn, .. }) if turn.0 == "asked-1"));
        taking.abort();
    }
    let inbox = place.start();
    let left = inbox.left_over().unwrap();
    assert_eq!(left, [(2, asked("waits"))]);
    inbox.done(&"asked-2".into());
    inbox.note();
    drop(inbox);
    assert!(place.fault().unwrap().contains("the program ended each time"));
    assert_eq!(place.start().left_over().unwrap(), []);
    assert_eq!(place.fault(), None, "told once");
}

#[tokio::test]
async fn what_arrives_after_a_start_comes_behind_what_was_left_over() {
    let place = Place::new();
    place.start().keep(vec![arrival(asked("one")), arrival(asked("two"))]);
    let inbox = place.start();
    let left = inbox.left_over().unwrap();
    assert_eq!(inbox.keep(vec![arrival(asked("three"))]), [None], "it waits");
    let taking = tokio::spawn(inbox.clone().take_up(left));
    for number in 1..=3 {
        let event_queue = place.event_queue.clone();
        let wait = move || event_queue.pop(Instant::now() + Duration::from_secs(60));
        let handed = tokio::task::spawn_blocking(wait).await.unwrap();
        let turn = turn_of(&handed);
        assert_eq!(turn.0, format!("asked-{number}"));
        inbox.done(&turn);
    }
    taking.await.unwrap();
    assert!(inbox.keep(vec![arrival(asked("four"))])[0].is_some(), "nothing has to wait any more");
}

#[test]
fn a_pin_is_not_written_down_and_an_old_request_not_carried_out() {
    let place = Place::new();
    place.start().keep(vec![arrival(asked("my pin is 4 2 1 7"))]);
    place.start().keep(vec![arrival(asked("put hunter2 into the Wi-Fi password"))]);
    assert_eq!(place.start().left_over().unwrap(), []);
    assert!(place.fault().unwrap().contains("PIN"));
    let files = ["hark.db", "hark.db-wal"].map(|name| std::fs::read(place.dir.path().join(name)));
    for bytes in files.into_iter().flatten() {
        assert!(!bytes.windows(7).any(|window| window == b"4 2 1 7" || window == b"hunter2"));
    }
    let old = OpenRequest { number: 1, event: Some(asked("x")), at_unix_ms: 0, tries: 1 };
    assert!(still_wanted(&old, STALE_MS).is_ok());
    assert!(still_wanted(&old, STALE_MS + 1).unwrap_err().contains("quarter of an hour"));
}

#[tokio::test]
async fn a_call_that_may_have_been_carried_out_is_not_run_again_and_one_that_ended_keeps_its_receipt() {
    let place = Place::new();
    let inbox = place.start();
    let turn = turn_of(&inbox.keep(vec![arrival(asked("toggle the lamp"))])[0]);
    let with = |tools: Counter| {
        let tools = Arc::new(tools);
        (tools.clone(), OnceOnly { tools, inbox: inbox.clone() })
    };
    let (counter, tools) = with(Counter::default());
    let first = tools.run(call(&turn, "home.toggle")).await;
    assert_eq!(tools.run(call(&turn, "home.toggle")).await, first, "its receipt is known");
    assert_eq!(counter.runs.load(Ordering::Relaxed), 1);
    // The program dies while this one runs.
    let other = turn_of(&inbox.keep(vec![arrival(asked("toggle the fan"))])[0]);
    let (hanging, dying) = with(Counter { hangs: true, ..Counter::default() });
    let begun = tokio::spawn(dying.run(call(&other, "home.toggle")));
    while hanging.runs.load(Ordering::Relaxed) == 0 {
        tokio::task::yield_now().await;
    }
    begun.abort();
    let receipt = tools.run(call(&other, "home.toggle")).await;
    assert!(!receipt.ok && receipt.detail["message"].as_str().unwrap().contains("not known"), "{receipt:?}");
    assert_eq!(counter.runs.load(Ordering::Relaxed), 1, "never twice");
    // What may be run again is, and calls of other turns are none of its business.
    for (turn, tool) in [
        (&other, "home.get_state"),
        (&other, "timer.start"),
        (&other, "volume.set"),
        (&"t-1".into(), "home.toggle"),
    ] {
        for _ in 0..2 {
            assert!(tools.run(call(turn, tool)).await.ok, "{tool}");
        }
    }
    assert_eq!(counter.runs.load(Ordering::Relaxed), 9);
    assert!(tools.may_repeat("volume.set", &Slots::new()), "plans ask the same");
    let approved = ToolCall { approved: true, index: 1, ..call(&other, "list.add") };
    assert!(tools.run(approved.clone()).await.ok);
    let receipt = tools.run(approved).await;
    assert_eq!(receipt.id.0, "list.add-9", "what needed a yes is run once, whatever it is");
}

#[tokio::test]
async fn what_was_understood_before_the_program_died_is_what_is_done_and_reckoned_from_then() {
    let place = Place::new();
    let inbox = place.start();
    let turn = turn_of(&inbox.keep(vec![arrival(asked("wake me in ten seconds"))])[0]);
    let came = inbox.asked_at(&turn).unwrap();
    let at = |when: &str| {
        let args = Slots::from_iter([("when".to_owned(), when.into())]);
        ToolCall { args, ..call(&turn, "alarm.set") }
    };
    let run = async |inbox: &Arc<Inbox>, call: ToolCall| {
        let counter = Arc::new(Counter::default());
        let tools = OnceOnly { tools: counter.clone(), inbox: inbox.clone() };
        assert!(tools.run(call).await.ok);
        lock(&counter.calls).clone()
    };
    let first = at("2026-11-24T07:00:10.500");
    assert_eq!(run(&inbox, first.clone()).await, std::slice::from_ref(&first));
    drop(inbox);
    std::thread::sleep(Duration::from_millis(5));
    let inbox = place.start();
    assert_eq!(inbox.left_over().unwrap().len(), 1);
    assert_eq!(inbox.asked_at(&turn), Some(came));
    // A model reckons anew, and gives another moment.
    assert_eq!(run(&inbox, at("2026-11-24T07:00:14.700")).await, [first], "the same as then");
    let other = at("2026-11-24T08:00:00");
    assert_eq!(run(&inbox, other.clone()).await, [other], "what is asked next at this place is another call");
    inbox.done(&turn);
    assert_eq!(inbox.asked_at(&turn), None);
}

#[test]
fn the_tools_that_may_be_run_again_are_there() {
    for name in KNOWN_AGAIN {
        assert!(hark_tools::tools::table::find(name).is_some(), "{name}");
    }
}
