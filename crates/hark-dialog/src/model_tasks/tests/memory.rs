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
        stage.mind.parts.memory = Arc::new(move |_| vec![told.clone()]);
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
