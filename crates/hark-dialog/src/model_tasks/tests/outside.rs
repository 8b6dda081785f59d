//! A model that has read text from outside the house may be talked into anything: what it wants then takes a yes, also
//! later, after that yes, in a plan, and where nobody can be asked.

use super::*;

fn look(name: &str) -> Result<Completion, ModelError> {
    wants("test.look", json!({"name": name}))
}

fn set() -> Result<Completion, ModelError> {
    wants("test.set", json!({"name": "lamp"}))
}

fn cosy() -> Task {
    task("make it cosy", Category::HomeControl)
}

#[test]
fn what_is_wanted_after_a_page_was_read_takes_a_yes_each_time() {
    let stage = Stage::with(vec![look("thermometer"), set(), says("Done.")]);
    assert!(matches!(stage.work(cosy()).end, ThoughtEnd::Reported { done: 1, .. }), "nothing from outside");

    let stage = Stage::with(vec![look("page"), set(), look("hall"), set(), says("Done.")]);
    let ThoughtEnd::NeedsApproval { call, .. } = stage.work(cosy()).end else { panic!("it must ask") };
    assert!(call.tainted && !call.approved);
    let go_on = |task: &str, call: ToolCall| {
        let call = ToolCall { approved: true, turn: "t-2".into(), ..call };
        let resume = Some(Resume::Approved { task: task.into(), call });
        stage.work(Task { resume, turn: "t-2".into(), ..self::task("", Category::Conversation) }).end
    };
    // The yes was for that call; the next one may come of the page as well.
    let ThoughtEnd::NeedsApproval { call, .. } = go_on("t-1", call) else { panic!("it must ask again") };
    assert!(matches!(go_on("t-2", call), ThoughtEnd::Reported { done: 2, .. }));
    let ran = stage.tools.0.lock().unwrap().clone();
    let tainted: Vec<bool> = ran.iter().map(|call| call.tainted).collect();
    assert_eq!(tainted, [false, true, true, true, true, true]);
}

#[test]
fn names_of_the_house_that_others_gave_count_as_text_from_outside() {
    let mut stage = Stage::with(vec![set(), says("Done.")]);
    stage.mind.parts.house =
        Arc::new(|| House { names: "Call me".into(), outside: true, ..House::default() });
    assert!(matches!(stage.work(cosy()).end, ThoughtEnd::NeedsApproval { .. }));
}

#[test]
fn where_nobody_can_be_asked_it_is_refused_with_the_reason() {
    for origin in [Origin::Mqtt, Origin::Internal] {
        let stage = Stage::with(vec![look("page"), set(), says("Done! I've turned on the lamp.")]);
        let (words, done, _, troubles) = reported(stage.work(Task { origin: origin.clone(), ..cosy() }));
        assert_eq!((words, done), (None, 0), "{origin:?}");
        assert!(troubles[0].contains("nobody is here to be asked"), "{troubles:?}");
        let told = stage.prompts()[2].messages.last().unwrap().content.clone();
        assert!(told.starts_with("not done"), "{told}");
    }
    for origin in [Origin::Voice, Origin::Api("s".into()), Origin::MqttSession("s".into())] {
        let stage = Stage::with(vec![look("page"), set()]);
        let thought = stage.work(Task { origin: origin.clone(), ..cosy() });
        assert!(matches!(thought.end, ThoughtEnd::NeedsApproval { .. }), "{origin:?}");
    }
}

#[test]
fn a_plan_stays_what_it_was_when_it_was_made() {
    for tainted in [false, true] {
        let stage = Stage::with(vec![]);
        let made = plan_of_one_step(tainted);
        stage.plans.checkpoint("s", "make it cosy", &made, false).unwrap();
        let resume = Some(Resume::Restarted { plan: made.id.clone() });
        let end = stage.work(Task { resume, ..cosy() }).end;
        assert_eq!(matches!(end, ThoughtEnd::NeedsApproval { .. }), tainted, "{end:?}");
    }
    // What its own steps find cannot change the steps that were planned.
    let steps = json!([
        {"id": "a", "description": "a", "tool": "test.look", "args": {"name": "page"}, "can_parallel": false, "depends_on": []},
        {"id": "b", "description": "b", "tool": "test.set", "args": {"name": "b"}, "can_parallel": false, "depends_on": ["a"]},
    ]);
    let stage = Stage::with(vec![planned(steps), says("Read.")]);
    let end = stage.work(task("get the house ready", Category::TaskComplex)).end;
    assert!(matches!(end, ThoughtEnd::Reported { done: 2, .. }), "{end:?}");
    assert!(!stage.plans.0.lock().unwrap()[0].plan.tainted);
}

fn plan_of_one_step(tainted: bool) -> Plan {
    let step = json!({"id": "a", "description": "a", "tool": "test.set", "args": {"name": "lamp"}});
    let steps = vec![serde_json::from_value(step).unwrap()];
    Plan { id: "p".into(), summary: "Make it cosy".into(), steps, tainted }
}

#[test]
fn words_of_a_tool_are_whole_words() {
    let tool =
        ToolSpec { triggers: vec!["on".into(), "light up".into()], ..Bench::default().reference().remove(0) };
    for (text, told) in [
        ("pythons conquering london", false),
        ("Turn it ON!", true),
        ("light up the hall", true),
        ("the light is up", false),
        ("", false),
    ] {
        assert_eq!(tool.is_told_by(text), told, "{text}");
    }
}
