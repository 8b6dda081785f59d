//! What was told in the prompts of a model: data between fences, and nothing that decides what is done.

use super::*;

/// Fifty texts that somebody had Hark remember so that a model does something.
fn attempts() -> Vec<String> {
    let table = include_str!("../../../../../tests/data/memory/injections.yaml");
    let lines = table.lines().filter_map(|line| line.strip_prefix("  - "));
    lines.map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn cosy() -> Task {
    task("make it cosy", Category::HomeControl)
}

#[test]
fn a_model_that_obeys_what_was_told_changes_nothing_without_a_yes() {
    let all = attempts();
    assert_eq!(all.len(), 50);
    for attempt in all {
        let mut stage = Stage::with(vec![wants("test.set", json!({"name": "lamp"}))]);
        let told = attempt.clone();
        stage.mind.parts.context = Arc::new(Found(Gathered { facts: vec![told], ..Gathered::default() }));
        let end = stage.work(cosy()).end;
        let ThoughtEnd::NeedsApproval { call, .. } = end else { panic!("{attempt}: it must ask: {end:?}") };
        assert!(call.tainted && !call.approved, "{attempt}");
        for prompt in stage.model.asked.lock().unwrap().iter() {
            let shown: String = prompt.messages.iter().map(|message| message.content.as_str()).collect();
            assert!(shown.contains("⟦data memory⟧"), "{attempt}: it is shown as data");
            // The instructions name the marks once.
            let (opened, closed) = (shown.matches("⟦data ").count(), shown.matches("⟦end of data⟧").count());
            assert_eq!(opened, closed, "{attempt}: {shown}");
            assert!(!shown.contains("<|im_start|>"), "{attempt}: {shown}");
        }
    }
}

#[test]
fn without_anything_told_a_task_is_not_marked() {
    let stage = Stage::with(vec![wants("test.set", json!({"name": "lamp"})), says("Done.")]);
    assert!(matches!(stage.work(cosy()).end, ThoughtEnd::Reported { done: 1, .. }));
    assert!(stage.tools.0.lock().unwrap().iter().all(|call| !call.tainted));
}

#[test]
fn what_was_found_reaches_every_prompt_that_answers_as_data() {
    let found = || Gathered {
        facts: vec!["Anna is the owner's wife".into()],
        passages: vec!["Boiler manual, page 3: E5 is low pressure.".into()],
        things: vec!["Boiler in Cellar: on (switch)".into()],
        area: Some("Kitchen".into()),
        ..Gathered::default()
    };
    for (category, lines) in [
        (Category::Question, vec![says("It is low pressure.")]),
        (Category::Conversation, vec![says("It is low pressure.")]),
        (Category::HomeControl, vec![says("It cannot be done.")]),
    ] {
        let mut stage = Stage::with(lines);
        stage.mind.parts.context = Arc::new(Found(found()));
        stage.work(task("what does error E5 mean", category));
        let prompt = stage.prompts().remove(0);
        let shown: String = prompt.messages.iter().map(|message| message.content.as_str()).collect();
        for told in
            ["⟦data memory⟧", "Anna is", "⟦data documents⟧", "E5 is low pressure", "stands in: Kitchen"]
        {
            assert!(shown.contains(told), "{category:?}: {told}: {shown}");
        }
        assert_eq!(shown.matches("⟦data ").count(), shown.matches("⟦end of data⟧").count(), "{shown}");
    }
    // What is to be done is no question to documents, and no reason to ask about each call.
    let mut stage = Stage::with(vec![wants("test.set", json!({"name": "lamp"})), says("Done.")]);
    stage.mind.parts.context = Arc::new(Found(Gathered { facts: Vec::new(), ..found() }));
    stage.work(task("turn on the lamp", Category::HomeControl));
    assert!(stage.tools.0.lock().unwrap().iter().all(|call| !call.tainted));
}
