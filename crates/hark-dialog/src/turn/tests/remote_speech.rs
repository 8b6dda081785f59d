//! Somebody at another microphone, and somebody at work.

use super::Machine;
use super::tests::{
    acted, at, machine, outcomes, replied, replies, run, settings, transcript, turn, understood,
};
use hark_core::public_event::{HarkState, Origin, Outcome, PublicEvent};
use hark_core::{
    Effect, Endpoint, Event, Fault, FaultKind, MicrophoneId, ModelHelp, RemoteSpeech, Reply, Thought,
    ThoughtEnd, Understanding,
};

fn desk() -> Origin {
    Origin::Api("desk".into())
}

/// What is heard at a microphone, in a conversation of its number.
fn tells(microphone: u64, heard: RemoteSpeech) -> Event {
    Event::RemoteSpeech {
        microphone: MicrophoneId(microphone),
        origin: Origin::Api(format!("desk {microphone}")),
        heard,
    }
}

fn listening(microphone: u64) -> Event {
    tells(microphone, RemoteSpeech::Listening { speak: false })
}

fn words(microphone: u64, text: &str, rejected: bool) -> Event {
    tells(microphone, RemoteSpeech::Transcript { transcript: transcript(text, rejected) })
}

/// From being listened to until the words.
fn says(microphone: u64, ms: u64, text: &str) -> Vec<(u64, Event)> {
    vec![
        (ms, listening(microphone)),
        (ms + 400, tells(microphone, RemoteSpeech::SpeechStarted)),
        (ms + 800, tells(microphone, RemoteSpeech::Partial { text: "turn".into(), stable: 4 })),
        (
            ms + 1800,
            tells(microphone, RemoteSpeech::SpeechEnded { endpoint: Endpoint::Silence, silence_ms: 300 }),
        ),
        (ms + 1850, words(microphone, text, false)),
    ]
}

/// Names of the events that were told, each with its conversation.
fn told(effects: &[Effect]) -> Vec<(String, Option<Origin>)> {
    let told = effects.iter().filter_map(|effect| match effect {
        Effect::Publish { turn: Some(_), origin, event } => {
            let event = serde_json::to_value(event).unwrap();
            Some((event["event"].as_str().unwrap().to_owned(), origin.clone()))
        }
        _ => None,
    });
    told.collect()
}

#[test]
fn what_is_heard_afar_is_a_turn_of_its_conversation_and_leaves_the_room_alone() {
    let mut machine = machine();
    let mut events = says(7, 1000, "turn on the lamp");
    events.push((2860, understood(1, &["HassTurnOn"])));
    events.push((2870, acted(1, 0, true, "")));
    events.push((2880, replied(1, false)));
    let effects = run(&mut machine, events);
    let origin = Origin::Api("desk 7".into());
    let names: Vec<String> = told(&effects)
        .into_iter()
        .map(|(name, of)| {
            assert_eq!(of.as_ref(), Some(&origin), "{name}");
            name
        })
        .collect();
    let expected =
        ["speech_started", "partial", "speech_ended", "transcript", "intent", "action", "reply", "turn"];
    assert_eq!(names, expected);
    let room = |effect: &&Effect| {
        matches!(
            effect,
            Effect::Listen { .. }
                | Effect::StopListening
                | Effect::Watch { .. }
                | Effect::PlayEarcon { .. }
                | Effect::StopSpeaking
                | Effect::Duck { .. }
        )
    };
    assert_eq!(effects.iter().find(room), None);
    let spoken = effects.iter().any(|effect| matches!(effect, Effect::Reply { speak: true, .. }));
    assert!(!spoken);
    let timings = effects.iter().find_map(|effect| match effect {
        Effect::Publish { event: PublicEvent::Turn { timings_ms, .. }, .. } => Some(*timings_ms),
        _ => None,
    });
    assert_eq!(timings.unwrap().speech_end_to_transcript, Some(350.0));
    assert!(machine.is_idle());
}

#[test]
fn several_are_heard_at_once_and_beside_the_room() {
    let mut machine = machine();
    run(&mut machine, vec![(0, super::tests::wake()), (1, listening(1)), (2, listening(2))]);
    run(&mut machine, vec![(3, Event::SpeechStarted), (4, tells(1, RemoteSpeech::SpeechStarted))]);
    let effects = run(
        &mut machine,
        vec![
            (5, words(2, "two", false)),
            (6, super::tests::heard("room", false)),
            (7, words(1, "one", false)),
            (8, words(1, "nobody listens to this", false)),
        ],
    );
    let understand: Vec<(&str, &str)> = effects
        .iter()
        .filter_map(|effect| match effect {
            Effect::Understand { turn, text, .. } => Some((turn.0.as_str(), text.as_str())),
            _ => None,
        })
        .collect();
    assert_eq!(understand, [("t-3", "two"), ("t-1", "room"), ("t-2", "one")]);
}

#[test]
fn silence_garbage_failures_and_a_closed_microphone_end_the_turn_without_an_act() {
    let fault = Fault::new(FaultKind::MissingPart, "stt", "no model", "pull it");
    for (heard, outcome, reply) in [
        (tells(1, RemoteSpeech::NothingSaid), Outcome::NothingSaid, None),
        (tells(1, RemoteSpeech::Gone), Outcome::Cancelled, None),
        (tells(1, RemoteSpeech::Failed { fault }), Outcome::Failed, None),
        (words(1, "mumble", true), Outcome::NotUnderstood, Some("not_understood")),
        (words(1, " ", false), Outcome::NotUnderstood, Some("not_understood")),
    ] {
        let mut machine = machine();
        let mut effects = run(&mut machine, vec![(0, listening(1)), (1, heard.clone())]);
        match (replies(&effects).as_slice(), reply) {
            ([], None) => {}
            ([Reply::Fixed { key }], Some(expected)) => assert_eq!(key, expected),
            other => panic!("{heard:?}: {other:?}"),
        }
        if reply.is_some() {
            effects = run(&mut machine, vec![(2, replied(1, false))]);
        }
        assert_eq!(outcomes(&effects), [outcome], "{heard:?}");
        assert!(machine.is_idle());
        assert!(
            !effects.iter().any(|effect| matches!(effect, Effect::Act { .. } | Effect::Understand { .. }))
        );
    }
}

#[test]
fn an_ear_that_says_nothing_more_and_a_stop_leave_no_turn_open() {
    let mut machine = machine();
    let listened = run(&mut machine, vec![(0, listening(1))]);
    let state = PublicEvent::State { state: HarkState::Listening };
    assert!(listened.iter().any(|effect| matches!(effect, Effect::Publish { event, .. } if *event == state)));
    assert_eq!(outcomes(&run(&mut machine, vec![(70_000, Event::Tick)])), [Outcome::Cancelled]);
    assert_eq!(
        outcomes(&run(&mut machine, vec![(70_001, listening(1)), (70_002, listening(1))])),
        [Outcome::Cancelled]
    );
    assert_eq!(outcomes(&run(&mut machine, vec![(70_003, Event::Stop)])), [Outcome::Cancelled]);
    let late = run(&mut machine, vec![(70_004, words(1, "turn on the lamp", false))]);
    assert!(told(&late).is_empty() && machine.is_idle(), "{late:?}");
}

#[test]
fn hark_does_not_answer_its_own_voice_in_a_browser() {
    let mut machine = machine();
    let mut events = vec![(0, Event::Say { text: "Turned on the kitchen light.".into() })];
    let text = "Turned on the kitchen light.".to_owned();
    events.push((1, Event::Replied { turn: turn(1), text, language: "en".into(), speaks: true }));
    events.push((10, Event::SpeakingStarted { turn: turn(1) }));
    run(&mut machine, events);
    for (number, heard) in
        [words(1, "turned on the kitchen light", false), words(1, "mumble", true)].into_iter().enumerate()
    {
        let ms = 100 + 500 * number as u64;
        let own =
            vec![(ms, listening(1)), (ms + 1, tells(1, RemoteSpeech::SpeechStarted)), (ms + 300, heard)];
        let effects = run(&mut machine, own);
        assert_eq!(outcomes(&effects), [Outcome::NotUnderstood]);
        assert!(replies(&effects).is_empty(), "no words that could bring the next: {effects:?}");
    }
}

#[test]
fn a_yes_said_afar_answers_what_was_asked_there() {
    let mut machine = machine();
    let asked = |microphone: u64, turn: u32, ms: u64| {
        let mut events = says(microphone, ms, "unlock the front door");
        events.push((ms + 1860, understood(turn, &["HassTurnOff"])));
        events.push((ms + 1870, acted(turn, 0, false, "needs_approval")));
        events.push((ms + 1880, replied(turn, false)));
        events
    };
    assert_eq!(outcomes(&run(&mut machine, asked(1, 1, 0))), [Outcome::AwaitingApproval]);
    let approved = |effects: &[Effect]| {
        effects.iter().any(|effect| matches!(effect, Effect::Act { call } if call.approved))
    };
    assert!(!approved(&run(&mut machine, says(2, 2000, "yes"))), "somebody else");
    assert!(approved(&run(&mut machine, says(1, 5000, "yes"))));
}

fn focus(on: bool) -> Event {
    Event::Focus { origin: desk(), on }
}

fn typed(text: &str) -> Event {
    Event::Typed { text: text.into(), origin: desk(), speak: false, dry_run: false }
}

/// Nothing fits, and a tool may have been meant.
fn hinted(n: u32) -> Event {
    let understanding = Understanding { hint: Some("web.search".into()), ..Understanding::default() };
    Event::Understood { turn: turn(n), understanding }
}

#[test]
fn whoever_is_at_work_gets_no_hints() {
    let asks = |on: bool| {
        let mut machine = machine();
        let events = vec![(0, focus(true)), (1, focus(on)), (2, typed("what is new?")), (3, hinted(1))];
        replies(&run(&mut machine, events))
    };
    let hint = Some("web.search".to_owned());
    assert_eq!(asks(false), [Reply::DontKnow { hint, model: ModelHelp::NotConnected }]);
    assert_eq!(asks(true), [Reply::DontKnow { hint: None, model: ModelHelp::Connected }]);
    let thinks = |on: bool| {
        let mut machine = Machine::new(super::Settings { thinks: true, ..settings() });
        let end = ThoughtEnd::Hinted {
            text: "It is warm.".into(),
            language: "en".into(),
            failed: false,
            hint: Some("web.search".into()),
        };
        let thought = Event::Thought { turn: turn(1), thought: Thought { end, attempts: 1 } };
        let events = vec![(0, focus(on)), (1, typed("is it warm")), (2, hinted(1)), (3, thought)];
        replies(&run(&mut machine, events))
    };
    let text = || "It is warm.".to_owned();
    assert_eq!(thinks(false), [Reply::Hinted { text: text(), tool: "web.search".into() }]);
    assert_eq!(thinks(true), [Reply::Text { text: text() }]);
}

#[test]
fn whoever_is_at_work_is_not_told_what_they_did_not_ask() {
    for on in [false, true] {
        let mut machine = machine();
        let events = vec![
            (0, focus(on)),
            (1, typed("unlock the front door")),
            (2, understood(1, &["HassTurnOff"])),
            (3, acted(1, 0, false, "needs_approval")),
            (4, replied(1, false)),
        ];
        run(&mut machine, events);
        let effects = machine.handle(at(20_000), Event::Tick);
        let lapsed = replies(&effects);
        assert_eq!(matches!(lapsed.as_slice(), [Reply::NotDone { .. }]), !on, "{lapsed:?}");
        assert_eq!(outcomes(&effects).contains(&Outcome::Lapsed), on, "the record tells it in any case");
        assert!(
            machine.talks.of(&desk()).is_some_and(|talk| talk.approval.is_none() && talk.lapsed.is_none())
        );
    }
}
