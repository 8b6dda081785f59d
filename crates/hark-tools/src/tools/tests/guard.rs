//! The guard stands in the executor: whatever a tool's code returns, its line in the table decides.

use super::descriptor::{Field, Prepare, always};
use super::outcome::{Outcome, Prepared};
use super::*;
use crate::tools::receipt::receipt;
use hark_config::permissions::{ACTS, TOOL_PERMISSIONS};
use hark_home::permission_gate::Danger;

/// A tool that returns whatever `prepare` says.
fn tool(risk: Risk, prepare: Prepare) -> &'static Descriptor {
    const RESULT: &[Field] =
        &[Field::maybe("n", "integer", "a number"), Field::maybe("s", "string", "a text")];
    const NAME: &[parameter::Arg] = &[parameter::Arg::maybe("name", parameter::Kind::Text, "name")];
    // Descriptors are made once for the whole program; a test's own may stay.
    Box::leak(Box::new(Descriptor {
        name: "test.tool",
        description: "for a test",
        args: &[NAME],
        result: RESULT,
        risk,
        outside: descriptor::Outside::Never,
        permission: "shell",
        agent: "system",
        timeout_ms: None,
        ready: always,
        prepare,
    }))
}

async fn run_it(house: &House, tool: &'static Descriptor, approved: bool) -> Result<Outcome, Failure> {
    let args = Slots::from_iter([("name".to_owned(), json!("lamp"))]);
    let call = ToolCall {
        index: 0,
        turn: "t".into(),
        tool: tool.name.into(),
        args,
        approved,
        grant: None,
        tainted: false,
        unattended: false,
        requester: Default::default(),
    };
    execute(Arc::clone(house.tools.services()), tool, call).await
}

#[tokio::test]
async fn a_dangerous_tool_needs_a_yes_whatever_it_returns() {
    let prepares: [Prepare; 3] = [
        |_, _| Ok(Prepared::Answer(Outcome::new(true, json!({"n": 1})))),
        |_, _| Ok(Prepared::Work(Box::pin(async { Ok(Outcome::new(true, json!({"n": 1}))) }))),
        crate::tools::home::switch::turn_on,
    ];
    for (at, prepare) in prepares.into_iter().enumerate() {
        let house = house();
        let dangerous = tool(Risk::Dangerous, prepare);
        let failure = run_it(&house, dangerous, false).await.unwrap_err();
        assert_eq!(failure.code(), error_code::NEEDS_APPROVAL, "{at}");
        assert_eq!(
            (&failure.detail()["action"], &failure.detail()["name"]),
            (&json!("run"), &json!("test.tool lamp"))
        );
        assert_eq!(house.state("light.lamp"), "off");
        for (policy, expected) in
            [(DangerPolicy::Deny, error_code::FORBIDDEN), (DangerPolicy::Pin, error_code::NEEDS_PIN)]
        {
            let house = Built { policy, ..Built::default() }.house();
            let failure = run_it(&house, dangerous, true).await.unwrap_err();
            assert_eq!(failure.code(), expected, "{at}");
        }
    }
    let house = house();
    let done = run_it(&house, tool(Risk::Dangerous, prepares[1]), true).await.unwrap();
    assert_eq!(done.detail["n"], 1);
}

#[tokio::test]
async fn a_result_that_is_not_as_promised_is_a_failure_that_admits_the_change() {
    let prepares: [(Prepare, &str); 3] = [
        (|_, _| Ok(Prepared::Answer(Outcome::new(true, json!({"n": "one"})))), "n is no integer"),
        (|_, _| Ok(Prepared::Answer(Outcome::new(true, json!({"n": 1.5})))), "n is no integer"),
        (|_, _| Ok(Prepared::Answer(Outcome::new(true, json!({"other": 1})))), "other is not in its result"),
    ];
    let house = house();
    for (prepare, why) in prepares {
        let failure = run_it(&house, tool(Risk::Write, prepare), false).await.unwrap_err();
        assert!(failure.detail()["message"].as_str().unwrap().contains(why), "{:?}", failure.detail());
        let receipt = receipt(Err(failure));
        assert!(!receipt.ok && receipt.changed);
    }
    let fine =
        tool(Risk::Write, |_, _| Ok(Prepared::Answer(Outcome::new(true, json!({"n": 1.0, "s": "x"})))));
    assert!(run_it(&house, fine, false).await.is_ok());
}

#[tokio::test]
async fn a_reading_tool_cannot_change_anything_by_any_way() {
    let house = house();
    let prepares: [Prepare; 3] = [
        crate::tools::home::switch::turn_on,
        |_, _| {
            let danger = Danger::new("send", "x", "x");
            Ok(Prepared::Gated(danger, Box::pin(async { Ok(Outcome::new(true, json!({}))) })))
        },
        |_, _| Ok(Prepared::Answer(Outcome::new(true, json!({})))),
    ];
    for prepare in prepares {
        let failure = run_it(&house, tool(Risk::Read, prepare), true).await.unwrap_err();
        assert!(matches!(failure.code(), error_code::FORBIDDEN | error_code::FAILED));
    }
    assert_eq!(house.state("light.lamp"), "off");
}

#[test]
fn permissions_of_the_table_are_those_the_configuration_knows() {
    // Tools of other programs are in no table.
    let used: HashSet<&str> =
        table::TABLE.iter().map(|tool| tool.permission).chain(["mcp", "skill"]).collect();
    let known: HashSet<&str> = TOOL_PERMISSIONS.into_iter().collect();
    assert_eq!(used, known);
    for tool in table::TABLE.iter().filter(|tool| tool.risk == Risk::Dangerous) {
        assert!(ACTS.contains(&tool.permission), "{}", tool.name);
    }
    assert!(table::TABLE.iter().all(|tool| !tool.agent.is_empty()));
}
