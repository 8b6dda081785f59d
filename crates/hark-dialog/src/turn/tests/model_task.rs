//! Tasks of language models as the machine sees them, the modes, and conversations beside each other.

use super::tests::{
    acted, at, calls, intent, outcomes, replies, run, settings, turn, typed, understood, unlocking,
};
use super::{Machine, Settings};
use hark_core::public_event::{Origin, Outcome, PublicEvent};
use hark_core::thinking::TextSource;
use hark_core::{
    Category, Effect, Event, Intent, Mode, ModelHelp, News, Receipt, Reply, Resume, Slots, Task, Thought,
    ThoughtEnd, ToolCall, Understanding,
};
use serde_json::json;

fn thinking() -> Machine {
    Machine::new(Settings { thinks: true, ..settings() })
}

fn of(session: &str, text: &str) -> Event {
    Event::Typed { text: text.into(), origin: Origin::Api(session.into()), speak: false, dry_run: false }
}

fn tasks(effects: &[Effect]) -> Vec<Task> {
    let task = |effect: &Effect| match effect {
        Effect::Think { task } => Some((**task).clone()),
        _ => None,
    };
    effects.iter().filter_map(task).collect()
}

fn modes(effects: &[Effect]) -> Vec<(Mode, Mode)> {
    let mode = |effect: &Effect| match effect {
        Effect::Publish { event: PublicEvent::Mode { from, to, .. }, .. } => Some((*from, *to)),
        _ => None,
    };
    effects.iter().filter_map(mode).collect()
}

fn thought(n: u32, end: ThoughtEnd) -> Event {
    Event::Thought { turn: turn(n), thought: Thought { end, attempts: 2 } }
}

fn answered(n: u32, text: &str) -> Event {
    thought(n, ThoughtEnd::Answered { text: text.into(), language: "en".into(), failed: false })
}

fn piece(n: u32, text: &str) -> Event {
    Event::News { turn: turn(n), news: News::Piece { text: text.into(), ahead: String::new() } }
}

fn decided(n: u32, name: &str) -> Event {
    Event::News {
        turn: turn(n),
        news: News::Decided { intent: Intent { slots: Slots::new(), ..intent(name) } },
    }
}

fn replied(n: u32) -> Event {
    Event::Replied { turn: turn(n), text: "words".into(), language: "en".into(), speaks: false }
}

fn unlock(n: u32) -> Event {
    let call = ToolCall {
        index: 3,
        turn: turn(n),
        tool: "home.turn_off".into(),
        args: Slots::new(),
        approved: false,
        grant: None,
        tainted: false,
        unattended: false,
        requester: Default::default(),
    };
    let detail = json!({"error": "needs_approval", "action": "unlock", "name": "door"});
    let receipt = Receipt { id: "r".into(), ok: false, changed: false, detail, tainted: false };
    thought(n, ThoughtEnd::NeedsApproval { call, receipt })
}

#[test]
fn what_nobody_understands_is_thought_about_and_told_as_it_comes() {
    let mut machine = thinking();
    let begun = run(&mut machine, vec![(0, typed("why is the sky blue?")), (1, understood(1, &[]))]);
    let asked = tasks(&begun);
    assert_eq!(
        (asked.len(), asked[0].text.as_str(), asked[0].session.is_empty()),
        (1, "why is the sky blue?", true)
    );
    let told = run(&mut machine, vec![(2, piece(1, "Because ")), (3, piece(1, "of the air."))]);
    let said: String = told
        .iter()
        .filter_map(|effect| match effect {
            Effect::SayPiece { text, .. } => Some(text.as_str()),
            _ => None,
        })
        .collect();
    assert_eq!(said, "Because of the air.");
    let ended = run(&mut machine, vec![(4, answered(1, "Because of the air."))]);
    let ends = |effect: &Effect| matches!(effect, Effect::EndPieces { written, .. } if written == "Because of the air.");
    assert!(ended.iter().any(ends) && replies(&ended).is_empty(), "{ended:?}");
    let closed = run(&mut machine, vec![(5, replied(1))]);
    let attempts = closed.iter().find_map(|effect| match effect {
        Effect::Publish { event: PublicEvent::Turn { attempts, .. }, .. } => Some(*attempts),
        _ => None,
    });
    assert_eq!((outcomes(&closed), attempts), (vec![Outcome::Done], Some(2)));
}

#[test]
fn without_a_model_a_question_gets_the_honest_answer() {
    let mut machine = Machine::new(settings());
    let effects = run(&mut machine, vec![(0, typed("why is the sky blue?")), (1, understood(1, &[]))]);
    assert_eq!(replies(&effects), [Reply::DontKnow { hint: None, model: ModelHelp::NotConnected }]);
    let mut machine = Machine::new(settings());
    let effects = run(&mut machine, vec![(0, typed("mumble")), (1, understood(1, &[]))]);
    assert_eq!(replies(&effects), [Reply::Fixed { key: "not_understood".into() }]);
}

#[test]
fn a_yes_to_a_task_goes_on_with_exactly_its_call() {
    let mut machine = thinking();
    let begun = vec![(0, of("a", "let the cat in")), (1, understood(1, &[])), (2, decided(1, "react"))];
    assert_eq!(modes(&run(&mut machine, begun)), [(Mode::Alert, Mode::Working)]);
    let asked = run(&mut machine, vec![(3, unlock(1)), (4, replied(1))]);
    assert!(matches!(replies(&asked)[..], [Reply::AskApproval { .. }]), "{asked:?}");
    assert_eq!(modes(&asked), [(Mode::Working, Mode::Alert), (Mode::Alert, Mode::Guarding)]);
    for stranger in [of("b", "yes"), typed("yes")] {
        let mut other = machine.clone();
        let effects = run(&mut other, vec![(5, stranger), (6, understood(2, &[]))]);
        let resumed = tasks(&effects).iter().any(|task| task.resume.is_some());
        assert!(calls(&effects).is_empty() && !resumed, "{effects:?}");
    }
    let effects = run(&mut machine, vec![(5, of("a", "yes"))]);
    let asked = tasks(&effects);
    let Some(Resume::Approved { task, call }) = &asked[0].resume else { panic!("{asked:?}") };
    assert_eq!(
        (task, &call.turn, call.approved, call.tool.as_str()),
        (&turn(1), &turn(2), true, "home.turn_off")
    );
    assert_eq!(modes(&effects), [(Mode::Guarding, Mode::Working)]);
    let effects = run(&mut machine, vec![(6, answered(2, "The cat is in.")), (7, replied(2))]);
    assert_eq!(modes(&effects), [(Mode::Working, Mode::Alert)]);
    assert!(calls(&run(&mut machine, vec![(8, of("a", "yes"))])).is_empty());
}

#[test]
fn conversations_do_not_answer_for_each_other() {
    let mut machine = Machine::new(settings());
    let fact = |n: u32| acted(n, 0, false, "needs_approval");
    for (n, name) in [(1, "a"), (2, "b")] {
        let asked = vec![
            (0, of(name, "unlock")),
            (1, understood(n, &["HassTurnOff"])),
            (2, fact(n)),
            (3, replied(n)),
        ];
        run(&mut machine, asked);
    }
    assert_eq!(calls(&run(&mut machine, vec![(4, of("b", "yes"))])), [("home.turn_off".to_owned(), true)]);
    assert_eq!(calls(&run(&mut machine, vec![(5, of("a", "no"))])), []);
    assert_eq!(calls(&run(&mut machine, vec![(6, of("a", "yes"))])), []);
}

#[test]
fn stop_in_a_named_conversation_leaves_the_others_alone() {
    let mut machine = thinking();
    for (n, name) in [(1, "a"), (2, "b")] {
        run(&mut machine, vec![(0, of(name, "why?")), (1, understood(n, &[]))]);
    }
    let stopped = run(&mut machine, vec![(2, of("a", "stop"))]);
    let ended: Vec<_> = stopped
        .iter()
        .filter_map(|effect| match effect {
            Effect::StopThinking { turn } => Some(turn.clone()),
            _ => None,
        })
        .collect();
    assert_eq!(ended, [turn(1)]);
    assert_eq!(
        replies(&run(&mut machine, vec![(3, answered(2, "So."))])),
        [Reply::Text { text: "So.".into() }]
    );
    let mut machine = thinking();
    run(&mut machine, vec![(0, of("b", "why?")), (1, understood(1, &[]))]);
    let stopped = run(&mut machine, vec![(2, Event::Stop)]);
    assert!(stopped.iter().any(|effect| matches!(effect, Effect::StopThinking { .. })));
}

#[test]
fn a_question_of_a_task_waits_and_lapses() {
    let asks = || {
        let mut machine = thinking();
        let question = ThoughtEnd::Asks { question: "Which lamp?".into() };
        let begun = vec![
            (0, of("a", "make it cosy")),
            (1, understood(1, &[])),
            (2, thought(1, question)),
            (3, replied(1)),
        ];
        let effects = run(&mut machine, begun);
        assert_eq!(modes(&effects).last(), Some(&(Mode::Working, Mode::Waiting)));
        machine
    };
    let mut machine = asks();
    let effects = run(&mut machine, vec![(4, of("a", "the small one")), (5, understood(2, &[]))]);
    assert_eq!(tasks(&effects)[0].resume, Some(Resume::Answered { task: turn(1) }));
    let mut machine = asks();
    assert_eq!(
        modes(&run(&mut machine, vec![(200_000, Event::Tick)])).last(),
        Some(&(Mode::Working, Mode::Alert))
    );
    let effects = run(&mut machine, vec![(200_001, of("a", "the small one")), (200_002, understood(2, &[]))]);
    assert_eq!(tasks(&effects)[0].resume, None);
}

#[test]
fn it_rests_when_nothing_happens_and_anything_wakes_it() {
    let mut machine = Machine::new(settings());
    run(&mut machine, vec![(0, typed("stop")), (1, replied(1))]);
    let rests_at = machine.next_deadline_ms().unwrap();
    assert!(modes(&run(&mut machine, vec![(rests_at - 1, Event::Tick)])).is_empty());
    assert_eq!(modes(&run(&mut machine, vec![(rests_at, Event::Tick)])), [(Mode::Alert, Mode::Resting)]);
    assert_eq!(machine.next_deadline_ms(), None);
    assert!(modes(&run(&mut machine, vec![(rests_at + 9, Event::Tick)])).is_empty());
    assert_eq!(modes(&run(&mut machine, vec![(rests_at + 10, typed("x"))])), [(Mode::Resting, Mode::Alert)]);
}

#[test]
fn an_approval_of_the_house_guards_too() {
    let mut machine = Machine::new(settings());
    unlocking(&mut machine, "needs_approval");
    assert_eq!(machine.mode, Mode::Guarding);
    let effects = machine.handle(at(30_000), Event::Tick);
    assert_eq!(modes(&effects), [(Mode::Guarding, Mode::Alert)]);
}

#[test]
fn who_is_in_the_middle_of_a_talk_goes_on_without_the_wake_word() {
    let mut machine = thinking();
    let asked = vec![
        (0, super::tests::wake()),
        (1, Event::SpeechStarted),
        (2, super::tests::heard("tell me something", false)),
        (3, understood(1, &[])),
        (4, answered(1, "Do you like jazz?")),
        (
            5,
            Event::Replied {
                turn: turn(1),
                text: "Do you like jazz?".into(),
                language: "en".into(),
                speaks: true,
            },
        ),
        (6, Event::SpeakingStarted { turn: turn(1) }),
        (7, Event::SpeakingEnded { turn: turn(1), reason: hark_core::public_event::SpeakingEnd::Done }),
    ];
    run(&mut machine, asked);
    let said = || {
        let heard = super::tests::heard("well I prefer the blues", false);
        vec![(8, Event::SpeechStarted), (9, heard), (10, understood(2, &[]))]
    };
    let mut fresh = machine.clone();
    assert_eq!(tasks(&run(&mut machine, said())).len(), 1);
    // After an answer of the house it may be the television.
    fresh.talks.open(&Origin::Voice).chats = false;
    assert!(tasks(&run(&mut fresh, said())).is_empty());
}

#[test]
fn who_speaks_anew_is_not_answered_the_old_question() {
    let mut machine = thinking();
    let asked = vec![
        (0, super::tests::wake()),
        (1, Event::SpeechStarted),
        (2, super::tests::heard("why is the sky blue", false)),
        (3, understood(1, &[])),
    ];
    assert_eq!(tasks(&run(&mut machine, asked)).len(), 1);
    let effects = run(&mut machine, vec![(4, super::tests::wake())]);
    assert!(effects.iter().any(|effect| matches!(effect, Effect::StopThinking { .. })), "{effects:?}");
    assert_eq!(outcomes(&effects), [Outcome::Cancelled]);
}

#[test]
fn a_request_for_other_words_is_about_the_last_reply_of_its_own_conversation() {
    let mut machine = thinking();
    for (n, name, reply) in [(1, "a", "The sky scatters blue light."), (2, "b", "Bread is baked.")] {
        let ended =
            Event::Replied { turn: turn(n), text: reply.into(), language: "en".into(), speaks: false };
        let asked =
            vec![(0, of(name, "why is it?")), (1, understood(n, &[])), (2, answered(n, reply)), (3, ended)];
        run(&mut machine, asked);
    }
    let asked = tasks(&run(&mut machine, vec![(4, of("a", "say that shorter"))]));
    let change = asked[0].change.clone().unwrap();
    assert_eq!(change.of, TextSource::LastReply { text: "The sky scatters blue light.".into() });
    assert_eq!((change.what.as_str(), asked[0].language.as_str()), ("shorter", "en"));
    // Nothing was said to this one yet, and without a model nothing can be changed.
    let effects = run(&mut machine, vec![(5, of("c", "sag das kürzer"))]);
    assert_eq!(replies(&effects), [Reply::Fixed { key: "nothing_to_change".into() }]);
    // After a restart the store tells what was said last; what is said since counts more.
    let mut machine = thinking();
    let origin = Origin::Api("a".into());
    assert!(machine.has_forgotten(&origin));
    let recalled = Event::Recalled { origin: origin.clone(), reply: Some("Bread is baked.".into()) };
    let asked = tasks(&run(&mut machine, vec![(0, recalled.clone()), (1, of("a", "say that shorter"))]));
    let change = asked[0].change.clone().unwrap();
    assert_eq!(change.of, TextSource::LastReply { text: "Bread is baked.".into() });
    let ended = Event::Replied { turn: turn(1), text: "Baked.".into(), language: "en".into(), speaks: false };
    run(&mut machine, vec![(2, answered(1, "Baked.")), (3, ended), (4, recalled)]);
    let asked = tasks(&run(&mut machine, vec![(5, of("a", "say that shorter"))]));
    let change = asked[0].change.clone().unwrap();
    assert_eq!(change.of, TextSource::LastReply { text: "Baked.".into() });
    assert!(!machine.has_forgotten(&origin));
    let mut machine = Machine::new(settings());
    let effects = run(&mut machine, vec![(0, typed("translate good morning into German"))]);
    assert_eq!(replies(&effects), [Reply::Fixed { key: "no_change".into() }]);
    assert!(tasks(&effects).is_empty());
}

#[test]
fn what_a_tool_does_not_know_is_asked_of_what_was_told() {
    let asks = |text: &str, intent: &str, error: &str| {
        let steps = vec![(0, typed(text)), (1, understood(1, &[intent])), (2, acted(1, 0, false, error))];
        let effects = run(&mut Machine::new(settings()), steps);
        effects
            .iter()
            .any(|it| matches!(it, Effect::Act { call } if call.tool == "memory.recall" && call.index == 1))
    };
    assert!(asks("when's mum's birthday", "HarkContact", "not_configured"));
    assert!(asks("when's mum's birthday", "HarkContact", "not_found"));
    assert!(!asks("when's mum's birthday", "HarkContact", "forbidden"), "what is switched off stays so");
    assert!(!asks("find mum", "HarkContact", "not_found"), "no question");
    assert!(!asks("when's mum's birthday", "HarkRecall", "not_found"), "it was asked already");
}

#[test]
fn a_word_that_no_dictionary_has_is_a_question_to_the_model() {
    let asked = |mut machine: Machine, error: &str| {
        run(
            &mut machine,
            vec![
                (0, typed("what does quux mean")),
                (1, understood(1, &["HarkDefine"])),
                (2, acted(1, 0, false, error)),
            ],
        )
    };
    let thinks = |effects: &[Effect]| {
        effects
            .iter()
            .any(|effect| matches!(effect, Effect::Think { task } if task.text == "what does quux mean"))
    };
    for error in ["not_found", "not_configured", "unsupported"] {
        assert!(thinks(&asked(thinking(), error)), "{error}");
        assert!(!thinks(&asked(Machine::new(settings()), error)), "without a model the failure is told");
    }
    assert!(!thinks(&asked(thinking(), "forbidden")), "what is switched off stays so");
}

#[test]
fn a_request_of_which_part_is_not_understood_is_handed_on_as_a_whole() {
    let half = |mut machine: Machine| {
        let understanding = Understanding {
            intents: vec![intent("HassTurnOn")],
            missed: vec!["order a pizza".into()],
            ..Understanding::default()
        };
        let text = "turn on the front door light and order a pizza";
        run(&mut machine, vec![(0, typed(text)), (1, Event::Understood { turn: turn(1), understanding })])
    };
    let effects = half(thinking());
    assert!(calls(&effects).is_empty(), "nothing of it is done by halves");
    let whole = |effect: &Effect| {
        let Effect::Think { task } = effect else { return false };
        let acts = task.kind.as_ref().is_some_and(|kind| kind.category == Category::HomeControl);
        acts && task.text.ends_with("order a pizza")
    };
    assert!(effects.iter().any(whole));
    let effects = half(Machine::new(settings()));
    assert_eq!(
        calls(&effects).len(),
        1,
        "without a model the part that is understood is done, and the rest told"
    );
}

#[test]
fn a_request_names_the_model_that_answers_it() {
    let asked = |text: &str| {
        let models = vec!["main".to_owned(), "big:70b".to_owned()];
        let mut machine = Machine::new(Settings { thinks: true, models, ..settings() });
        run(&mut machine, vec![(0, of("s", text)), (5, understood(1, &[]))])
    };
    let [task] = &tasks(&asked("/model big:70b  why is the sky blue"))[..] else { panic!("no task") };
    assert_eq!((task.model.as_deref(), task.text.as_str()), (Some("big:70b"), "why is the sky blue"));
    assert_eq!(tasks(&asked("why is the sky blue"))[0].model, None);
    for text in ["/model other why is the sky blue", "/model big:70b", "/model"] {
        let effects = asked(text);
        assert!(tasks(&effects).is_empty(), "{text}");
        let said = "main, big:70b".to_owned();
        assert_eq!(replies(&effects), [Reply::Slip { key: "slip_model".into(), said }], "{text}");
    }
}

#[test]
fn a_dry_run_hands_nothing_to_a_model() {
    let asked = |text: &str, dry_run: bool| {
        let event = Event::Typed { text: text.into(), origin: Origin::Cli, speak: false, dry_run };
        run(&mut thinking(), vec![(0, event)])
    };
    let effects = asked("/plan run p1 2", true);
    assert!(tasks(&effects).is_empty());
    assert_eq!(outcomes(&effects), [Outcome::DryRun]);
    assert_eq!(tasks(&asked("/plan run p1 2", false)).len(), 1);
    // A slip is no answer.
    let effects = asked("/plan run p1 second", false);
    assert!(tasks(&effects).is_empty());
    assert_eq!(replies(&effects), [Reply::Slip { key: "slip_plan".into(), said: String::new() }]);
}
