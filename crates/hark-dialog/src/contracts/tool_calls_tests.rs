//! Calls of tools in place of words: through each attempt to the fallback, and right at each.

use super::tests::{Line, Scripted, contracts, tools, vars, whole};
use super::{Contract, Options, Outcome};
use futures_util::FutureExt;
use hark_core::PublicEvent;
use hark_core::model::{Message, ModelCall, Role};
use serde_json::{Value, json};

fn wants(tool: &str, args: Value) -> Line {
    Line::Calls(vec![ModelCall { id: "c".into(), tool: tool.into(), args }])
}

/// Steps that break the contract, of different kinds, with a word of what is told of each.
fn bad() -> Vec<(Line, &'static str)> {
    let many = (0..17).map(|_| ModelCall { id: "c".into(), tool: "datetime".into(), args: json!({}) });
    let half = [("datetime", json!({})), ("home.turn_on", json!({"name": 3}))];
    let half = half.map(|(tool, args)| ModelCall { id: "c".into(), tool: tool.into(), args });
    vec![
        (whole(""), "shorter"),
        (whole("?! …"), "match"),
        (whole(r#"{"name": "home.turn_on", "arguments": {}}"#), "not"),
        (whole(r#"[{"name": "home.turn_on"}]"#), "not"),
        (whole("<tool_call>home.turn_on</tool_call>"), "not"),
        (whole("[TOOL_CALLS] x"), "not"),
        (whole("x".repeat(2001)), "longer"),
        (wants("home.turn_on", json!({"nome": "lamp"})), "call 1: the arguments of home.turn_on"),
        (wants("home.turn_on", json!("{\"name\": ")), "call 1: the arguments of home.turn_on"),
        (wants("home.turn_on", json!({"name": null})), "call 1: the arguments of home.turn_on"),
        (wants("home.open_everything", json!({})), "call 1 names a tool that is not offered"),
        (wants("", json!({})), "call 1 names a tool that is not offered"),
        (Line::Calls(half.to_vec()), "call 2: the arguments of home.turn_on"),
        (Line::Calls(many.collect()), "17 calls"),
    ]
}

fn step(contract: Contract, model: &Scripted, after: &[Message]) -> (Outcome, Vec<PublicEvent>) {
    let contracts = contracts();
    let mut events = Vec::new();
    let mut report = |event| events.push(event);
    let options = Options { offer: tools(), after, ..Options::new(&mut report) };
    let outcome = contracts.call(model, contract, &vars(), options).now_or_never().unwrap();
    (outcome, events)
}

/// Attempt, valid, fallback.
fn told(events: &[PublicEvent]) -> Vec<(u32, bool, bool)> {
    let of = |event: &PublicEvent| match event {
        PublicEvent::Contract { attempt, valid, fallback, .. } => (*attempt, *valid, *fallback),
        other => panic!("{other:?}"),
    };
    events.iter().map(of).collect()
}

#[test]
fn wrong_calls_go_through_each_attempt_to_the_fallback() {
    for (line, word) in bad() {
        let model = Scripted::new((0..3).map(|_| line.clone()));
        let (outcome, events) = step(Contract::ReactStep, &model, &[]);
        assert!(outcome.fallback && outcome.calls.is_empty() && outcome.model_error.is_none(), "{word}");
        assert_eq!((outcome.attempts, outcome.text()), (3, "I could not do the rest."), "{word}");
        assert_eq!(told(&events), [(1, false, false), (2, false, false), (3, false, true)], "{word}");
        assert!(outcome.errors.iter().any(|error| error.contains(word)), "{word}: {:?}", outcome.errors);
        assert!(!outcome.errors.concat().contains("open_everything"), "words of a model are not repeated");
    }
}

#[test]
fn right_calls_at_each_attempt_are_taken() {
    for failures in 0..3_u32 {
        for (wrong, word) in bad() {
            let right = wants("home.turn_on", json!({"name": "lamp", "brightness": null}));
            let lines = (0..failures).map(|_| wrong.clone()).chain([right]);
            let model = Scripted::new(lines);
            let (outcome, events) = step(Contract::ReactStep, &model, &[]);
            assert_eq!(
                (outcome.attempts, outcome.fallback, outcome.calls.len()),
                (failures + 1, false, 1),
                "{word}"
            );
            assert_eq!(told(&events).last(), Some(&(failures + 1, true, false)), "{word}");
        }
    }
}

#[test]
fn what_was_done_goes_with_each_attempt_and_failed_attempts_do_not() {
    let call = ModelCall { id: "c1".into(), tool: "datetime".into(), args: json!({}) };
    let after =
        [Message { calls: vec![call], ..Message::new(Role::Assistant, "") }, Message::result("c1", "noon")];
    let model = Scripted::new([wants("home.turn_on", json!({})), whole(""), whole("It is noon.")]);
    let (outcome, _) = step(Contract::ReactStep, &model, &after);
    assert_eq!((outcome.text(), outcome.attempts), ("It is noon.", 3));
    let asked = model.asked();
    for prompt in &asked {
        assert_eq!(prompt.messages[2..], after);
        assert!(prompt.messages[1].content.contains("\n\nturn the lamp on"));
        assert_eq!(prompt.messages[0], asked[0].messages[0], "instructions stay the same");
        assert_eq!(prompt.tools.len(), 2);
    }
    let told = |at: usize| asked[at].messages[1].content.as_str();
    assert!(told(0).ends_with("turn the lamp on"));
    assert!(told(1).contains("\"brightness\"") && told(1).contains("satisfy its schema"), "{}", told(1));
    assert!(!told(2).contains("\"brightness\"") && told(2).contains("exactly one of two"), "{}", told(2));
}

#[test]
fn calls_in_place_of_an_answer_are_checked_likewise() {
    for contract in [Contract::StrictAnswer, Contract::ConversationalAnswer] {
        for (line, word) in bad().into_iter().filter(|(line, _)| matches!(line, Line::Calls(_))) {
            let model = Scripted::new([line.clone(), line.clone()]);
            let (outcome, events) = step(contract, &model, &[]);
            assert_eq!((outcome.fallback, outcome.attempts), (true, 2), "{word}");
            assert_eq!(told(&events), [(1, false, false), (2, false, true)], "{word}");
            let right = wants("datetime", json!({}));
            let (outcome, _) = step(contract, &Scripted::new([line, right]), &[]);
            assert_eq!((outcome.fallback, outcome.calls.len()), (false, 1), "{word}");
        }
    }
}
