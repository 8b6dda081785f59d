//! Questions about which name is meant, their answers, and requests that lean on the turn before.

use super::Machine;
use super::tests::{
    acted, asked as asked_to_understand, calls, outcomes, replies, run, settings, turn, typed,
};
use hark_core::intent::UnknownThing;
use hark_core::public_event::{Outcome, PublicEvent};
use hark_core::{Ambiguity, Effect, Event, Intent, Part, Reply, Route, Slots, Understanding};
use serde_json::{Value, json};

fn intent(name: &str, slots: Value) -> Intent {
    let Value::Object(slots) = slots else { panic!("slots are an object") };
    Intent {
        name: name.into(),
        slots,
        confidence: 1.0,
        route: Route::Template,
        why: "test".into(),
        response: None,
        single: false,
    }
}

fn understood(n: u32, intents: Vec<Intent>) -> Event {
    Event::Understood { turn: turn(n), understanding: Understanding { intents, ..Understanding::default() } }
}

fn doubtful(n: u32, intents: Vec<Intent>, doubts: &[(usize, &[&str])]) -> Event {
    let ambiguous = doubts
        .iter()
        .map(|(intent, names)| Ambiguity {
            intent: *intent,
            slot: "name".into(),
            candidates: names.iter().map(|name| (*name).to_owned()).collect(),
            areas: Vec::new(),
        })
        .collect();
    Event::Understood {
        turn: turn(n),
        understanding: Understanding { intents, ambiguous, ..Understanding::default() },
    }
}

/// What tools were called with which name.
fn acts(effects: &[Effect]) -> Vec<(String, Value)> {
    let act = |effect: &Effect| match effect {
        Effect::Act { call } => Some((call.tool.clone(), call.args.get("name").cloned().unwrap_or_default())),
        _ => None,
    };
    effects.iter().filter_map(act).collect()
}

fn light_or_fan(n: u32) -> Event {
    let on = intent("HassTurnOn", json!({ "name": "Kitchen light" }));
    doubtful(n, vec![on], &[(0, &["Kitchen light", "Kitchen fan"])])
}

fn asked() -> (Machine, Vec<Effect>) {
    let mut machine = Machine::new(settings());
    let effects = run(
        &mut machine,
        vec![
            (0, typed("turn on the kitchen")),
            (1, light_or_fan(1)),
            (
                2,
                Event::Replied { turn: turn(1), text: "Which?".into(), language: "en".into(), speaks: false },
            ),
        ],
    );
    (machine, effects)
}

#[test]
fn a_tie_is_asked_back() {
    let (_, effects) = asked();
    assert!(calls(&effects).is_empty());
    let candidates = ["Kitchen light", "Kitchen fan"].map(str::to_owned).to_vec();
    assert_eq!(replies(&effects), [Reply::AskWhich { candidates, parts: Vec::new() }]);
    assert_eq!(outcomes(&effects), [Outcome::AwaitingAnswer]);
}

#[test]
fn the_answer_completes_the_request() {
    for (answer, expected) in [
        ("the light", &["Kitchen light"][..]),
        ("the fan please", &["Kitchen fan"]),
        ("the second one", &["Kitchen fan"]),
        ("both", &["Kitchen light", "Kitchen fan"]),
        ("neither", &[]),
    ] {
        let (mut machine, _) = asked();
        let effects = run(&mut machine, vec![(1000, typed(answer))]);
        let names: Vec<Value> = acts(&effects).into_iter().map(|(_, name)| name).collect();
        assert_eq!(names, expected.iter().map(|name| json!(name)).collect::<Vec<_>>(), "{answer}");
        let understands = effects.iter().any(|effect| matches!(effect, Effect::Understand { .. }));
        assert!(!understands, "{answer}");
        if expected.is_empty() {
            assert_eq!(replies(&effects), [Reply::Fixed { key: "approval_denied".into() }]);
        }
    }
}

#[test]
fn a_place_tells_which_of_a_kind_is_meant() {
    let place = |n| understood(n, vec![intent("HarkChoose", json!({ "area": "Bathroom" }))]);
    let fans = &[(0, &["Ceiling fan", "Extractor fan"][..])];
    let answered = |on: Intent| {
        let mut machine = Machine::new(settings());
        run(&mut machine, vec![(0, typed("turn on the fan")), (1, doubtful(1, vec![on], fans))]);
        run(&mut machine, vec![(1000, typed("the one in the bathroom")), (1001, place(2))])
    };
    let args = |effects: &[Effect]| {
        effects.iter().find_map(|effect| match effect {
            Effect::Act { call } => Some(Value::Object(call.args.clone())),
            _ => None,
        })
    };
    let now = args(&answered(intent("HassTurnOn", json!({ "domain": "fan" })))).unwrap();
    assert_eq!((&now["domain"], &now["area"]), (&json!("fan"), &json!("Bathroom")));
    // What waits for something has it in what is done then.
    let later =
        json!({ "intents": [{ "name": "HassTurnOn", "slots": { "domain": "fan" }, "single": true }] });
    let later = args(&answered(intent("HarkAutomate", later))).unwrap();
    assert_eq!(
        (&later["intents"][0]["slots"]["area"], &later["intents"][0]["single"]),
        (&json!("Bathroom"), &json!(false))
    );
    // A name without a kind is not told apart by a place.
    assert_eq!(args(&answered(intent("HassTurnOn", json!({ "name": "Fan" })))), None);
}

#[test]
fn another_request_takes_the_place_of_the_question() {
    let (mut machine, _) = asked();
    let off = intent("HassTurnOff", json!({ "name": "Lamp" }));
    let effects =
        run(&mut machine, vec![(1000, typed("turn off the lamp")), (1001, understood(2, vec![off]))]);
    assert_eq!(acts(&effects), [("home.turn_off".into(), json!("Lamp"))]);
    let effects = run(&mut machine, vec![(1002, acted(2, 0, true, "")), (1003, typed("the fan"))]);
    assert!(acts(&effects).is_empty(), "the question is gone");
}

#[test]
fn a_question_ends_with_its_time_and_with_stop() {
    let (mut machine, _) = asked();
    let late = settings().approval_window_ms + 3;
    let effects = run(&mut machine, vec![(late, Event::Tick), (late, typed("the fan"))]);
    assert!(acts(&effects).is_empty());
    let (mut machine, _) = asked();
    let effects = run(&mut machine, vec![(10, typed("stop")), (20, typed("the fan"))]);
    assert!(acts(&effects).is_empty());
}

#[test]
fn several_ties_are_asked_one_after_the_other() {
    let mut machine = Machine::new(settings());
    let intents = vec![
        intent("HassTurnOn", json!({ "name": "A light" })),
        intent("HassTurnOff", json!({ "name": "C fan" })),
    ];
    let event = doubtful(1, intents, &[(0, &["A light", "B light"]), (1, &["C fan", "D fan"])]);
    let effects = run(&mut machine, vec![(0, typed("this and that")), (1, event), (2, typed("both"))]);
    let asked = replies(&effects);
    assert_eq!(asked.len(), 2);
    assert_eq!(
        asked[1],
        Reply::AskWhich { candidates: vec!["C fan".into(), "D fan".into()], parts: Vec::new() }
    );
    let effects = run(&mut machine, vec![(3, typed("the d fan"))]);
    let on = "home.turn_on".to_owned();
    assert_eq!(
        acts(&effects),
        [(on.clone(), json!("A light")), (on, json!("B light")), ("home.turn_off".into(), json!("D fan"))]
    );
}

#[test]
fn what_leans_on_nothing_is_done_as_it_is_meant_alone() {
    let mut machine = Machine::new(settings());
    let understanding = Understanding {
        intents: vec![intent("HarkFollowAnswer", json!({ "minutes": 8 }))],
        alone: vec![intent("HassTurnOn", json!({ "name": "Lamp" }))],
        ..Understanding::default()
    };
    let effects = run(
        &mut machine,
        vec![(0, typed("eight minutes please")), (1, Event::Understood { turn: turn(1), understanding })],
    );
    assert_eq!(acts(&effects), [("home.turn_on".to_owned(), json!("Lamp"))]);
}

#[test]
fn what_was_not_understood_of_several_requests_is_told() {
    let mut machine = Machine::new(settings());
    let understanding = Understanding {
        intents: vec![intent("HassTurnOn", json!({ "name": "Lamp" }))],
        missed: vec!["make me a sandwich".into()],
        ..Understanding::default()
    };
    let effects = run(
        &mut machine,
        vec![
            (0, typed("turn on the lamp and make me a sandwich")),
            (1, Event::Understood { turn: turn(1), understanding }),
            (2, acted(1, 0, true, "")),
        ],
    );
    let said = replies(&effects);
    let [Reply::Parts { parts }] = said.as_slice() else { panic!("{said:?}") };
    assert_eq!(parts.len(), 2);
    assert_eq!(parts[1], Part::Missed { text: "make me a sandwich".into() });
}

#[test]
fn a_request_can_lean_on_the_turn_before() {
    let mut machine = Machine::new(settings());
    let on = intent("HassTurnOn", json!({ "name": "Lamp" }));
    let it = intent("HarkFollowIt", json!({ "action": "off" }));
    let effects = run(
        &mut machine,
        vec![
            (0, typed("turn on the lamp")),
            (1, understood(1, vec![on])),
            (2, acted(1, 0, true, "")),
            (3, typed("turn it off again")),
            (4, understood(2, vec![it.clone()])),
        ],
    );
    assert_eq!(acts(&effects)[1], ("home.turn_off".into(), json!("Lamp")));
    // With nothing before it, it is not understood.
    let mut machine = Machine::new(settings());
    let effects = run(&mut machine, vec![(0, typed("turn it off again")), (1, understood(1, vec![it]))]);
    assert!(acts(&effects).is_empty());
    assert_eq!(replies(&effects), [Reply::Fixed { key: "not_understood".into() }]);
}

#[test]
fn the_other_one_follows_on_a_choice() {
    let (mut machine, _) = asked();
    let other = intent("HarkFollowOther", Value::Object(Slots::new()));
    let effects = run(
        &mut machine,
        vec![
            (10, typed("the light")),
            (11, acted(2, 0, true, "")),
            (12, typed("the other one")),
            (13, understood(3, vec![other])),
        ],
    );
    assert_eq!(acts(&effects)[1], ("home.turn_on".into(), json!("Kitchen fan")));
}

#[test]
fn what_was_meant_is_told_where_nobody_said_which_thing() {
    let mut machine = Machine::new(settings());
    let meant = Some(Intent { route: Route::Intent, ..intent("HassTurnOn", json!({})) });
    let understanding = Understanding { why: "none".into(), meant, ..Understanding::default() };
    let event = Event::Understood { turn: turn(1), understanding };
    let effects = run(&mut machine, vec![(0, typed("make it bright up there")), (1, event)]);
    assert_eq!(replies(&effects), [Reply::Fixed { key: "which_thing".into() }]);
    let intents = effects.iter().filter_map(|effect| match effect {
        Effect::Publish { event: PublicEvent::Intent { intent, .. }, .. } => Some(intent.name.as_str()),
        _ => None,
    });
    assert_eq!(intents.collect::<Vec<_>>(), ["HassTurnOn"]);
    assert!(acts(&effects).is_empty());
}

#[test]
fn which_thing_is_meant_is_asked_and_the_answer_completes_the_request() {
    let lacks = |n| {
        let meant = Some(Intent { route: Route::Intent, ..intent("HassTurnOn", json!({})) });
        let understanding = Understanding { why: "none".into(), meant, ..Understanding::default() };
        Event::Understood { turn: turn(n), understanding }
    };
    let mut machine = Machine::new(settings());
    let on = intent("HassTurnOn", json!({ "name": "Desk lamp" }));
    let effects = run(
        &mut machine,
        vec![
            (0, typed("make it bright up there.")),
            (1, lacks(1)),
            (2, typed("the desk lamp")),
            (3, understood(2, vec![intent("HarkChoose", json!({ "name": "Desk lamp" }))])),
            (4, understood(2, vec![on.clone()])),
        ],
    );
    let texts = ["make it bright up there.", "the desk lamp", "make it bright up there the desk lamp"];
    assert_eq!(asked_to_understand(&effects), texts);
    assert_eq!(acts(&effects), [("home.turn_on".into(), json!("Desk lamp"))]);
    // It is asked once: who says again what means nothing is not asked for ever.
    let mut machine = Machine::new(settings());
    let asking =
        vec![(0, typed("brighter there")), (1, lacks(1)), (2, typed("hm")), (3, lacks(2)), (4, lacks(2))];
    run(&mut machine, asking);
    let effects = run(&mut machine, vec![(5, typed("well")), (6, lacks(3))]);
    assert_eq!(asked_to_understand(&effects), ["well"]);
    // A request of its own is no answer.
    let mut machine = Machine::new(settings());
    let effects = run(
        &mut machine,
        vec![
            (0, typed("brighter there")),
            (1, lacks(1)),
            (2, typed("lamp on")),
            (3, understood(2, vec![on])),
        ],
    );
    assert_eq!(asked_to_understand(&effects), ["brighter there", "lamp on"]);
    assert_eq!(acts(&effects).len(), 1);
}

#[test]
fn what_the_home_does_not_have_is_told_by_the_name_it_was_given() {
    let mut machine = Machine::new(settings());
    let unknown = Some(UnknownThing { name: "bed light".into(), sure: true });
    let understanding = Understanding { why: "none".into(), unknown, ..Understanding::default() };
    let event = Event::Understood { turn: turn(1), understanding };
    let effects = run(&mut machine, vec![(0, typed("turn on the bed light")), (1, event)]);
    let parts = vec![Part::Unknown { name: "bed light".into() }];
    assert_eq!(replies(&effects), [Reply::Parts { parts }]);
}
