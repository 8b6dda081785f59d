//! Dangerous acts that wait for a PIN or a yes: who may give it, and for how long.

use super::Machine;
use super::tests::{
    acted, at, calls, heard, machine, outcomes, replied, replies, run, timer, transcript, turn, typed,
    understood, unlocking, wake,
};
use hark_core::pin::{MASK, PinVerdict};
use hark_core::public_event::{Origin, Outcome, PublicEvent, SpeakingEnd};
use hark_core::timer::{Timer, TimerChange, TimerKind, TimerState};
use hark_core::{Effect, Event, Reply, SpeakerGuess, Transcript, TurnId};

#[test]
fn a_pin_is_what_is_waited_for_where_one_is_needed() {
    let asked = |machine: &mut Machine| unlocking(machine, "needs_pin");
    let given = |verdict| vec![(100, Event::PinPresented { verdict }), (100, typed(MASK))];
    let right = PinVerdict::Right { grant: 7 };
    let grants = |effects: &[Effect]| -> Vec<Option<u64>> {
        let grant = |effect: &Effect| match effect {
            Effect::Act { call } => Some(call.grant),
            _ => None,
        };
        effects.iter().filter_map(grant).collect()
    };

    let mut machine = machine();
    asked(&mut machine);
    assert!(machine.awaits_pin(at(50), &Origin::Cli));
    assert!(!machine.awaits_pin(at(50), &Origin::Mqtt) && !machine.awaits_pin(at(10_002), &Origin::Cli));
    // A yes alone runs the call without a grant: the gate asks again.
    let mut yes = machine.clone();
    assert_eq!(grants(&run(&mut yes, vec![(100, typed("yes"))])), [None]);
    let mut wrong = machine.clone();
    let effects = run(&mut wrong, given(PinVerdict::Wrong));
    assert_eq!(replies(&effects), [Reply::Fixed { key: "pin_wrong".into() }]);
    run(&mut wrong, vec![(101, replied(2, false))]);
    assert_eq!(grants(&run(&mut wrong, given(right))), [Some(7)], "and once more");
    let mut locked = machine.clone();
    let effects = run(&mut locked, given(PinVerdict::Locked));
    assert_eq!(replies(&effects), [Reply::Fixed { key: "pin_locked".into() }]);
    assert!(!locked.awaits_pin(at(101), &Origin::Cli));
    // A verdict counts for the very next event, of the one who was asked, in time.
    let mut stale = machine.clone();
    let verdict = || Event::PinPresented { verdict: right };
    assert!(
        grants(&run(&mut stale, vec![(100, verdict()), (101, Event::Tick), (102, typed(MASK))])).is_empty()
    );
    let mut late = machine.clone();
    assert!(grants(&run(&mut late, vec![(20_000, verdict()), (20_000, typed(MASK))])).is_empty());
    let stranger = Event::Typed { text: MASK.into(), origin: Origin::Mqtt, speak: false, dry_run: false };
    let mut other = machine.clone();
    assert!(grants(&run(&mut other, vec![(100, verdict()), (100, stranger)])).is_empty());
    assert_eq!(grants(&run(&mut machine, given(right))), [Some(7)]);
    assert!(grants(&run(&mut machine, given(right))).is_empty(), "it is good for one question");
}

#[test]
fn every_act_that_a_yes_lets_through_is_named_in_the_question() {
    let mut machine = machine();
    let effects = run(
        &mut machine,
        vec![
            (0, typed("unlock the front door and open the garage")),
            (1, understood(1, &["HassTurnOff", "HassTurnOn"])),
            (2, acted(1, 0, false, "needs_approval")),
            (3, acted(1, 1, false, "needs_approval")),
        ],
    );
    let asked = replies(&effects);
    let [Reply::AskApproval { receipt, .. }] = &asked[..] else { panic!("{asked:?}") };
    assert_eq!(receipt.detail["also"].as_array().map(Vec::len), Some(1), "{receipt:?}");
    let effects = run(&mut machine, vec![(4, replied(1, false)), (5000, typed("yes"))]);
    assert_eq!(calls(&effects).len(), 2);
}

#[test]
fn a_button_answers_the_question_it_names_and_no_other() {
    let press = |turn: Option<&str>, yes| button(Origin::Cli, turn, yes, false);
    let nothing = [Reply::Fixed { key: "nothing_waits".into() }];
    let mut asked = machine();
    unlocking(&mut asked, "needs_approval");
    // A button of a question that is over, pressed where another one waits.
    let mut stale = asked.clone();
    let effects = run(&mut stale, vec![(100, press(Some("an-older-one"), true))]);
    assert!(calls(&effects).is_empty(), "{effects:?}");
    assert_eq!(replies(&effects), nothing);
    let effects = run(&mut stale, vec![(101, replied(2, false)), (200, press(None, true))]);
    assert_eq!(calls(&effects), [("home.turn_off".to_owned(), true)], "the question still waits");
    for turn in [None, Some("nobody-1")] {
        for yes in [true, false] {
            let effects = run(&mut machine(), vec![(100, press(turn, yes))]);
            assert_eq!(replies(&effects), nothing, "it is no request either");
        }
    }
}

fn button(origin: Origin, turn: Option<&str>, yes: bool, operator: bool) -> Event {
    Event::Answer { origin, turn: turn.map(TurnId::from), yes, operator, said_as: None }
}

/// Every channel a question can come by and be answered by; where conversations have names, two of them.
fn channels() -> [Origin; 7] {
    let named = |kind: fn(String) -> Origin| [kind("desk".into()), kind("sofa".into())];
    let ([desk, sofa], [hall, attic]) = (named(Origin::Api), named(Origin::MqttSession));
    [Origin::Voice, Origin::Cli, Origin::Mqtt, hall, attic, desk, sofa]
}

/// These words by a channel.
fn says(origin: &Origin, words: &str) -> Vec<Event> {
    match origin {
        Origin::Voice => vec![wake(), Event::SpeechStarted, heard(words, false)],
        _ => {
            let (text, origin) = (words.to_owned(), origin.clone());
            vec![Event::Typed { text, origin, speak: false, dry_run: false }]
        }
    }
}

fn step(machine: &mut Machine, at_ms: u64, events: Vec<Event>) -> Vec<Effect> {
    run(machine, events.into_iter().map(|event| (at_ms, event)).collect())
}

#[test]
fn a_yes_counts_where_it_was_asked_for_and_nowhere_else() {
    let done = [("home.turn_off".to_owned(), true)];
    let told = |effects: &[Effect], key: &str| {
        let told = effects.iter().any(|effect| match effect {
            Effect::Publish { event: PublicEvent::Error(fault), .. } => fault.part == "approval",
            _ => false,
        });
        assert_eq!(replies(effects), [Reply::Fixed { key: key.into() }], "{effects:?}");
        assert!(told, "{effects:?}");
    };
    for asked in channels() {
        let mut waiting = machine();
        step(&mut waiting, 0, says(&asked, "unlock the front door"));
        let spoken = asked == Origin::Voice;
        let asks =
            vec![understood(1, &["HassTurnOff"]), acted(1, 0, false, "needs_approval"), replied(1, spoken)];
        assert!(matches!(replies(&step(&mut waiting, 1, asks))[..], [Reply::AskApproval { .. }]));
        if spoken {
            step(&mut waiting, 2, vec![Event::SpeakingEnded { turn: turn(1), reason: SpeakingEnd::Done }]);
        }
        for answers in channels() {
            let is_own = answers == asked;
            for words in ["yes", "ok", "go ahead"] {
                let mut asked = waiting.clone();
                let effects = step(&mut asked, 100, says(&answers, words));
                if is_own {
                    assert_eq!(calls(&effects), done);
                } else {
                    assert!(calls(&effects).is_empty(), "{answers:?}: {effects:?}");
                    told(&effects, "not_yours");
                }
            }
            for named in [None, Some("t-1")] {
                for yes in [true, false] {
                    let mut other = waiting.clone();
                    let effects = step(&mut other, 100, vec![button(answers.clone(), named, yes, false)]);
                    if is_own {
                        assert_eq!(calls(&effects).len(), usize::from(yes));
                    } else {
                        assert!(calls(&effects).is_empty(), "{answers:?}: {effects:?}");
                        told(&effects, "not_yours");
                        // The question stays open for the one who was asked.
                        let effects = step(&mut other, 200, says(&asked, "yes"));
                        assert_eq!(calls(&effects), done, "{asked:?} after {answers:?}");
                    }
                    let mut operator = waiting.clone();
                    let effects = step(&mut operator, 100, vec![button(answers.clone(), named, yes, true)]);
                    assert_eq!(calls(&effects).len(), usize::from(yes), "{answers:?} for {asked:?}");
                }
            }
        }
        // "Stop" of anybody is always good enough.
        let mut stopped = waiting.clone();
        step(&mut stopped, 100, vec![Event::Stop]);
        assert!(calls(&step(&mut stopped, 200, says(&asked, "yes"))).is_empty());
    }
}

#[test]
fn the_operator_says_which_question_is_meant_where_several_wait() {
    let mut machine = machine();
    for (n, session) in [(1, "desk"), (2, "sofa")] {
        let mut events = says(&Origin::Api(session.into()), "unlock the front door");
        events.extend([
            understood(n, &["HassTurnOff"]),
            acted(n, 0, false, "needs_approval"),
            replied(n, false),
        ]);
        step(&mut machine, 0, events);
    }
    let own = || Origin::Api("ws-1".into());
    let mut which = machine.clone();
    let effects = step(&mut which, 100, vec![button(own(), None, true, true)]);
    assert_eq!(replies(&effects), [Reply::Fixed { key: "several_wait".into() }]);
    assert!(calls(&effects).is_empty());
    let effects = step(&mut which, 200, vec![button(own(), Some("t-2"), true, true)]);
    assert_eq!(calls(&effects).len(), 1);
    // In words: as the turn that the sender waits for, a request like any other where nothing waits.
    let said = |operator| Event::Answer {
        origin: own(),
        turn: None,
        yes: true,
        operator,
        said_as: Some("said-1".into()),
    };
    let effects = step(&mut machine, 100, vec![Event::Stop, said(true)]);
    let opened = |effect: &Effect| match effect {
        Effect::Publish { turn, event: PublicEvent::Transcript(_), .. } => turn.clone(),
        _ => None,
    };
    assert_eq!(effects.iter().find_map(opened), Some("said-1".into()), "{effects:?}");
    assert!(effects.iter().any(|effect| matches!(effect, Effect::Understand { .. })), "{effects:?}");
}

#[test]
fn a_yes_to_something_else_is_nobody_elses() {
    // A language model has asked something in the conversation of who says yes.
    let mut machine = machine();
    unlocking(&mut machine, "needs_approval");
    let chat = Origin::Api("chat".into());
    machine.talks.open(&chat).chats = true;
    let effects = step(&mut machine, 100, says(&chat, "yes"));
    assert!(effects.iter().any(|effect| matches!(effect, Effect::Understand { .. })), "{effects:?}");
    // Nobody waits anywhere: words are words.
    let effects = step(&mut super::tests::machine(), 0, says(&chat, "yes"));
    assert!(effects.iter().any(|effect| matches!(effect, Effect::Understand { .. })), "{effects:?}");
}

#[test]
fn what_hark_does_by_itself_the_room_is_asked_about() {
    let mut machine = machine();
    let command = Timer {
        kind: TimerKind::Command,
        name: Some("unlock the front door".into()),
        state: TimerState::Running,
        ..timer("c")
    };
    run(
        &mut machine,
        vec![
            (0, Event::Timer { change: TimerChange::Finished, timer: command }),
            (1, understood(1, &["HassTurnOff"])),
            (2, acted(1, 0, false, "needs_approval")),
            (3, replied(1, true)),
            (4, Event::SpeakingEnded { turn: turn(1), reason: SpeakingEnd::Done }),
        ],
    );
    let stranger = Event::Typed { text: "yes".into(), origin: Origin::Mqtt, speak: false, dry_run: false };
    let mut other = machine.clone();
    assert!(calls(&run(&mut other, vec![(5, stranger)])).is_empty());
    let effects = run(&mut machine, vec![(5, Event::SpeechStarted), (6, heard("yes", false))]);
    assert_eq!(calls(&effects), [("home.turn_off".to_owned(), true)]);
}

#[test]
fn a_yes_that_comes_before_the_tick_is_late_all_the_same() {
    let mut machine = machine();
    unlocking(&mut machine, "needs_approval");
    assert!(calls(&run(&mut machine, vec![(10_004, typed("yes"))])).is_empty());
}

fn not_done(effects: &[Effect]) -> usize {
    replies(effects).iter().filter(|reply| matches!(reply, Reply::NotDone { .. })).count()
}

#[test]
fn who_does_not_answer_is_told_once_that_nothing_was_done() {
    let mut machine = machine();
    unlocking(&mut machine, "needs_approval");
    assert_eq!(machine.next_deadline_ms(), Some(10_002));
    let effects = run(&mut machine, vec![(10_001, Event::Tick)]);
    assert_eq!(not_done(&effects), 0);
    let effects = run(&mut machine, vec![(10_002, Event::Tick)]);
    let spoken = effects.iter().any(|effect| matches!(effect, Effect::Reply { speak: true, .. }));
    assert!(not_done(&effects) == 1 && !spoken, "{effects:?}");
    let effects = run(&mut machine, vec![(10_004, replied(2, false))]);
    assert_eq!(outcomes(&effects), [Outcome::Lapsed]);
    let of_who_asked = effects.iter().all(|effect| match effect {
        Effect::Publish { turn: Some(_), origin, .. } => *origin == Some(Origin::Cli),
        _ => true,
    });
    assert!(of_who_asked, "{effects:?}");
    // Nothing is left that could be told again.
    let later = (11_000..200_000).step_by(5_000).map(|at| (at, Event::Tick)).collect();
    assert!(replies(&run(&mut machine, later)).is_empty());
    assert_eq!(machine.next_deadline_ms(), machine.rests_at_ms());
    assert!(calls(&run(&mut machine, vec![(200_000, typed("yes"))])).is_empty());
}

#[test]
fn the_room_is_told_when_nobody_speaks_and_not_asked_again() {
    let mut machine = machine();
    let asked = vec![
        (0, Event::Wake { word: "hey jarvis".into(), score: 0.9 }),
        (1, Event::SpeechStarted),
        (2, heard("unlock the front door", false)),
        (3, understood(1, &["HassTurnOff"])),
        (4, acted(1, 0, false, "needs_approval")),
        (5, replied(1, true)),
        (6, Event::SpeakingStarted { turn: turn(1) }),
    ];
    run(&mut machine, asked);
    // The question takes longer than the time to answer it: it does not lapse while it is asked.
    assert_eq!(not_done(&run(&mut machine, vec![(12_000, Event::Tick)])), 0);
    let ended = Event::SpeakingEnded { turn: turn(1), reason: SpeakingEnd::Done };
    run(&mut machine, vec![(12_500, ended), (20_000, Event::NothingSaid)]);
    let effects = run(&mut machine, vec![(22_500, Event::Tick)]);
    assert_eq!(not_done(&effects), 1);
    assert!(effects.iter().any(|effect| matches!(effect, Effect::Reply { speak: true, .. })), "{effects:?}");
    let told: Vec<TurnId> = effects
        .iter()
        .filter_map(|effect| match effect {
            Effect::Reply { turn, .. } => Some(turn.clone()),
            _ => None,
        })
        .collect();
    let ended = Event::SpeakingEnded { turn: told[0].clone(), reason: SpeakingEnd::Done };
    let text = "Nobody answered.".to_owned();
    let worded = Event::Replied { turn: told[0].clone(), text, language: "en".into(), speaks: true };
    let effects = run(&mut machine, vec![(22_501, worded), (24_000, ended), (60_000, Event::Tick)]);
    assert!(!effects.iter().any(|effect| matches!(effect, Effect::Listen { .. })), "{effects:?}");
    assert_eq!((not_done(&effects), outcomes(&effects).as_slice()), (0, [Outcome::Lapsed].as_slice()));
}

#[test]
fn a_late_yes_hears_what_became_of_it_and_stop_hears_nothing() {
    let mut machine = machine();
    unlocking(&mut machine, "needs_approval");
    let mut stopped = machine.clone();
    let effects = run(&mut machine, vec![(30_000, typed("yes"))]);
    assert_eq!((not_done(&effects), calls(&effects).len()), (1, 0));
    run(&mut machine, vec![(30_001, replied(2, false))]);
    assert_eq!(not_done(&run(&mut machine, vec![(40_000, Event::Tick)])), 0);
    let effects = run(&mut stopped, vec![(5_000, Event::Stop), (30_000, Event::Tick)]);
    assert_eq!(not_done(&effects), 0, "who stops it knows");
}

#[test]
fn the_voice_that_asks_and_the_voice_that_says_yes_go_with_the_call() {
    let said = |words: &str, name: &str| {
        let speaker = Some(SpeakerGuess { name: name.into(), likelihood: 0.97 });
        Event::Transcript { transcript: Transcript { speaker, ..transcript(words, false) } }
    };
    let mut machine = machine();
    let asked = vec![
        (0, wake()),
        (1, Event::SpeechStarted),
        (2, said("unlock the front door", "Anna")),
        (3, understood(1, &["HassTurnOff"])),
        (4, acted(1, 0, false, "needs_approval")),
        (5, replied(1, true)),
        (6, Event::SpeakingStarted { turn: turn(1) }),
        (900, Event::SpeakingEnded { turn: turn(1), reason: SpeakingEnd::Done }),
        (1_500, Event::SpeechStarted),
        (2_000, said("yes", "Max")),
    ];
    let effects = run(&mut machine, asked);
    let person = |effect: &Effect| match effect {
        Effect::Act { call } => Some((call.approved, call.requester.person.clone())),
        _ => None,
    };
    let persons: Vec<_> = effects.iter().filter_map(person).collect();
    assert_eq!(persons, [(false, Some("Anna".to_owned())), (true, Some("Max".to_owned()))]);
}
