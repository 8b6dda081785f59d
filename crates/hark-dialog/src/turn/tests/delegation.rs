//! Tasks that were handed to other programs as the machine sees them: told where they were asked for, asked and answered.

use super::Machine;
use super::tests::{at, settings, turn};
use hark_core::delegation::{TaskNews, TaskState};
use hark_core::public_event::{Origin, PublicEvent};
use hark_core::{Effect, Event, Intent, Mode, Receipt, Route, Slots, Understanding};
use serde_json::json;

fn news(state: TaskState, conversation: &str) -> Event {
    let news = TaskNews {
        task: "t".into(),
        goal: "write a web server".into(),
        program: "Claude Code".into(),
        workspace: "scratch".into(),
        state,
        text: "Which port?".into(),
        conversation: conversation.into(),
        language: "en".into(),
    };
    Event::Delegation { news: Box::new(news) }
}

fn looked(n: u32, state: &str) -> Event {
    let detail = json!({"state": state, "said": "Which port?"});
    let receipt = Receipt { id: "r".into(), ok: true, changed: false, detail, tainted: true };
    Event::Acted { turn: turn(n), index: 0, receipt, duration_ms: 1.0 }
}

fn said(n: u32) -> Event {
    let text = "Claude Code asks: Which port?".into();
    Event::Replied { turn: turn(n), text, language: "en".into(), speaks: false }
}

fn of(session: &str, text: &str) -> Event {
    Event::Typed { text: text.into(), origin: Origin::Api(session.into()), speak: false, dry_run: false }
}

fn understood(n: u32, name: &str, route: Route) -> Event {
    let (slots, why) = (Slots::new(), String::new());
    let intent =
        Intent { name: name.into(), slots, confidence: 1.0, route, why, response: None, single: false };
    let understanding = Understanding { intents: vec![intent], ..Understanding::default() };
    Event::Understood { turn: turn(n), understanding }
}

fn modes(effects: &[Effect]) -> Vec<Mode> {
    let mode = |effect: &Effect| match effect {
        Effect::Publish { event: PublicEvent::Mode { to, .. }, .. } => Some(*to),
        _ => None,
    };
    effects.iter().filter_map(mode).collect()
}

/// The tools that are called, with their arguments.
fn called(effects: &[Effect]) -> Vec<(String, serde_json::Value)> {
    let call = |effect: &Effect| match effect {
        Effect::Act { call } => Some((call.tool.clone(), json!(call.args))),
        _ => None,
    };
    effects.iter().filter_map(call).collect()
}

/// What the machine does about some events at a second.
fn run<const N: usize>(machine: &mut Machine, second: u64, events: [Event; N]) -> Vec<Effect> {
    events.into_iter().flat_map(|event| machine.handle(at(second * 1000), event)).collect()
}

#[test]
fn what_a_task_asks_is_answered_by_the_next_words_of_who_was_asked() {
    let mut machine = Machine::new(settings());
    assert_eq!(modes(&run(&mut machine, 1, [news(TaskState::Running, "api desk")])), [Mode::Working]);
    let asked = run(&mut machine, 2, [news(TaskState::Asking, "api desk")]);
    assert_eq!(called(&asked), [("delegate.status".to_owned(), json!({}))]);
    let waits = run(&mut machine, 3, [looked(1, "asking"), said(1)]);
    assert_eq!(modes(&waits).last(), Some(&Mode::Waiting));
    // Somebody else's words are theirs.
    let other =
        run(&mut machine, 4, [of("kitchen", "eighty eighty"), understood(2, "HassSetVolume", Route::Intent)]);
    assert!(called(&other).iter().all(|(tool, _)| tool != "delegate.answer"), "{other:?}");
    // A request by a sentence stays one.
    let light = run(&mut machine, 5, [of("desk", "lights on"), understood(3, "HassTurnOn", Route::Template)]);
    assert_eq!(called(&light)[0].0, "home.turn_on");
    let answer =
        run(&mut machine, 6, [of("desk", "eighty eighty"), understood(4, "HassSetVolume", Route::Intent)]);
    assert_eq!(called(&answer), [("delegate.answer".to_owned(), json!({"answer": "eighty eighty"}))]);
    let goes_on = run(&mut machine, 7, [news(TaskState::Running, "api desk")]);
    assert!(called(&goes_on).is_empty());
    let over = run(&mut machine, 8, [of("desk", "yes"), understood(5, "HarkConfirm", Route::Template)]);
    assert!(called(&over).is_empty(), "nothing asks any more: {over:?}");
}

#[test]
fn a_task_of_the_room_is_told_in_the_room_and_its_question_opens_the_ear() {
    let mut machine = Machine::new(settings());
    let speaks =
        |effects: &[Effect]| effects.iter().any(|effect| matches!(effect, Effect::Reply { speak: true, .. }));
    run(&mut machine, 1, [news(TaskState::Asking, "voice")]);
    assert!(speaks(&run(&mut machine, 2, [looked(1, "asking")])));
    let reply = Event::Replied {
        turn: turn(1),
        text: "Claude Code asks: Which port?".into(),
        language: "en".into(),
        speaks: true,
    };
    run(&mut machine, 3, [reply, Event::SpeakingStarted { turn: turn(1) }]);
    let ended = Event::SpeakingEnded { turn: turn(1), reason: hark_core::public_event::SpeakingEnd::Done };
    let listens = run(&mut machine, 4, [ended]);
    assert!(listens.iter().any(|effect| matches!(effect, Effect::Listen { .. })), "{listens:?}");
    let done = run(&mut machine, 5, [Event::Stop, news(TaskState::Stopped, "voice")]);
    assert!(called(&done).is_empty(), "who stops it knows");
    let late = machine.handle(at(1_000_000_000), Event::Tick);
    assert!(!modes(&late).contains(&Mode::Waiting));
}
