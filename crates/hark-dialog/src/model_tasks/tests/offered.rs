//! Which tools are offered, and the beginning of prompts that servers keep.

use super::*;

/// Tells these likenesses, whatever is asked.
struct Alike(Vec<(&'static str, f32)>);

impl ToolRelevance for Alike {
    fn likeness(&self, _: &str, _: &[ToolSpec]) -> LikenessFuture {
        let all = self.0.iter().map(|(name, likeness)| ((*name).to_owned(), *likeness)).collect();
        Box::pin(async { all })
    }
}

fn names(prompt: &Prompt) -> Vec<&str> {
    prompt.tools.iter().map(|tool| tool.name.as_str()).collect()
}

/// A mind that offers two tools, with these likenesses.
fn stage_of_two() -> Stage {
    let settings = RouteConfig { max_tools: 2, ..RouteConfig::default() };
    let mut stage = Stage::new(settings, Router::Deterministic, vec![says("Cosy."), says("Cosy.")]);
    let alike = vec![("test.late", 0.6), ("test.look", 0.5), ("test.set", 0.35)];
    stage.mind.parts.relevance = Arc::new(Alike(alike));
    stage
}

#[test]
fn the_fewest_that_suit_a_request_are_offered_in_the_order_of_the_table() {
    let stage = stage_of_two();
    stage.work(task("make it cosy", Category::HomeControl));
    stage.work(task("make the lamp cosy", Category::HomeControl));
    let prompts = stage.prompts();
    assert_eq!(names(&prompts[0]), ["test.look", "test.late", "ask_user", "tell_person"]);
    assert_eq!(
        names(&prompts[1]),
        ["test.set", "test.late", "ask_user", "tell_person"],
        "a word that tells of a tool counts"
    );

    let stage = stage_of_two();
    stage.work(task("make it cosy", Category::OutOfScope));
    assert_eq!(names(&stage.prompts()[0]), ["test.look"], "a question is offered what looks and is like it");
}

#[test]
fn an_argument_that_several_tools_have_is_explained_once() {
    let stage = Stage::with(vec![says("Done.")]);
    stage.work(task("make it cosy", Category::HomeControl));
    let prompt = stage.prompts().remove(0);
    let named = |tool: &ToolSpec| tool.schema["properties"]["name"].clone();
    assert!(prompt.tools.len() > 3 && prompt.tools.iter().all(|tool| tool.schema.get("title").is_none()));
    assert_eq!(named(&prompt.tools[0]), json!({"type": "string", "description": "which one"}));
    assert_eq!(named(&prompt.tools[1]), json!({"type": "string"}));
    assert_eq!(prompt.tools[1].schema["required"], json!(["name"]));
}

/// The first prompt of a request at this minute, with this told of the house and of memory.
fn prompt_at(minute: u32, text: &str, language: &str, fact: &str, state: &str, kind: Category) -> Prompt {
    let mut stage = Stage::with(vec![says("Done."), says("Done.")]);
    let time = chrono::NaiveDate::from_ymd_opt(2026, 11, 22).unwrap().and_hms_opt(12, minute, 0).unwrap();
    let thing = format!("Lamp in Kitchen: {state} (light)");
    let found = Gathered {
        facts: vec![fact.to_owned()],
        things: vec![thing.clone()],
        person: Some(fact.to_owned()),
        ..Gathered::default()
    };
    stage.mind.parts.now = Arc::new(move || time);
    stage.mind.parts.context = Arc::new(Found(found));
    stage.mind.parts.house = Arc::new(move || House {
        names: "Kitchen: Lamp (light)".into(),
        states: vec![thing.clone()],
        outside: false,
    });
    stage.work(Task { language: language.into(), ..task(text, kind) });
    stage.prompts().remove(0)
}

#[test]
fn two_requests_begin_with_the_same_bytes() {
    for kind in [Category::HomeControl, Category::HomeQuery, Category::Conversation] {
        let first = prompt_at(4, "make the lamp cosy", "en", "Anna likes tea", "off", kind);
        let second = prompt_at(57, "die lamp gemütlich machen", "de", "Max has a dog", "on", kind);
        let bytes = |prompt: &Prompt| serde_json::to_vec(&(&prompt.messages[0], &prompt.tools)).unwrap();
        assert_eq!(bytes(&first), bytes(&second), "{kind:?}: instructions and tools");
        for (prompt, told) in [(&first, ["12:04", "Anna", "off"]), (&second, ["12:57", "Max", "on"])] {
            let with = &prompt.messages.last().unwrap().content;
            assert!(
                told.iter().all(|word| with.contains(word)),
                "what changes comes with the request: {with}"
            );
        }
    }
}

#[test]
fn each_step_of_a_task_begins_with_the_one_before_and_tells_what_changed() {
    let lines = vec![wants("test.set", json!({"name": "lamp"})), says("Done, the lamp is on.")];
    let mut stage = Stage::with(lines);
    let tools = stage.tools.clone();
    stage.mind.parts.house = Arc::new(move || {
        let state = if tools.0.lock().unwrap().is_empty() { "off" } else { "on" };
        let states = vec![format!("Lamp in Kitchen: {state} (light)"), "Fan in Hall: off (fan)".into()];
        House { names: "Kitchen: Lamp (light)".into(), states, outside: false }
    });
    stage.work(task("make it cosy", Category::HomeControl));
    let prompts = stage.prompts();
    assert_eq!(prompts[1].messages[..2], prompts[0].messages[..]);
    assert_eq!(prompts[1].tools, prompts[0].tools);
    let result = &prompts[1].messages.last().unwrap().content;
    assert!(result.contains("Lamp in Kitchen: on") && !result.contains("Fan"), "{result}");
}

#[test]
fn a_plan_follows_the_skills_of_the_household() {
    let step = |id: &str, tool: &str| {
        json!({"summary": "Evening.", "steps": [{"id": id, "description": "Lamp on.", "tool": tool, "args": {"name": "lamp"},
            "can_parallel": false, "depends_on": []}]})
        .to_string()
    };
    let lines = vec![says(&step("1", "test.fail")), says(&step("1", "test.set"))];
    let mut stage = Stage::with(lines);
    stage.mind.parts.skills = Arc::new(|_| SkillsTold {
        summaries: "evening: how the evening is lit".into(),
        text: "Only the small lamp is lit.".into(),
        ..SkillsTold::default()
    });
    stage.work(task("get the house ready for the evening", Category::TaskComplex));
    let prompts = stage.prompts();
    assert_eq!(prompts.len(), 2, "planned anew after a step that failed");
    for prompt in prompts {
        let (system, request) = (&prompt.messages[0].content, &prompt.messages.last().unwrap().content);
        assert!(system.contains("evening: how the evening is lit"), "{system}");
        assert!(
            request.contains("How this household wants it done:\nOnly the small lamp is lit."),
            "{request}"
        );
    }
}
