//! Tools in words, for servers and models that know none: the tools stand in the instructions, a call is one JSON object in
//! place of an answer, and results come as messages of the person's side. Who asked checks the calls as any others.

use super::answer::made_up_id;
use hark_core::model::{Message, ModelCall, Prompt, Role, ToolSpec};
use serde_json::{Value, json};

/// How a call is written.
const HOW: &str = "To call a tool, answer with exactly one JSON object and nothing else: \
    {\"tool\": \"NAME\", \"arguments\": {…}}. Several calls are a JSON list of such objects. Without a call, answer in plain \
    words.";

/// The prompt with its tools, calls and results as words.
pub(super) fn in_words(prompt: &Prompt) -> Prompt {
    let lines: Vec<String> = prompt.tools.iter().map(line).collect();
    let mut messages: Vec<Message> =
        prompt.messages.iter().map(|message| plain(message, &prompt.messages)).collect();
    if !lines.is_empty() {
        let told = format!("Tools:\n{}\n\n{HOW}", lines.join("\n"));
        match messages.first_mut().filter(|first| first.role == Role::System) {
            Some(system) => system.content = format!("{}\n\n{told}", system.content),
            None => messages.insert(0, Message::new(Role::System, told)),
        }
    }
    Prompt { messages, tools: Vec::new(), ..prompt.clone() }
}

fn line(tool: &ToolSpec) -> String {
    let arguments = tool.schema.get("properties").cloned().unwrap_or_else(|| json!({}));
    format!("- {}: {} Arguments: {arguments}", tool.name, tool.description)
}

fn plain(message: &Message, all: &[Message]) -> Message {
    if !message.calls.is_empty() {
        let calls: Vec<Value> =
            message.calls.iter().map(|call| json!({"tool": call.tool, "arguments": call.args})).collect();
        let said = match calls.as_slice() {
            [one] => one.to_string(),
            several => Value::from(several).to_string(),
        };
        return Message::new(Role::Assistant, said);
    }
    if message.role != Role::Tool {
        return message.clone();
    }
    let mut called = all.iter().flat_map(|message| &message.calls).rev();
    let tool = called.find(|call| message.answers.as_ref() == Some(&call.id));
    let tool = tool.map_or("the tool", |call| call.tool.as_str());
    Message::new(Role::User, format!("Result of {tool}: {}", message.content))
}

/// Whether the words so far may be a call: then they are not handed on before the end.
pub(super) fn may_be_call(words: &str) -> bool {
    let begin = words.trim_start();
    begin.is_empty() || begin.starts_with(['{', '[', '`'])
}

/// The calls an answer consists of; none where it is words.
pub(super) fn calls(text: &str) -> Vec<ModelCall> {
    let text = text.trim();
    let inner = text.strip_prefix("```").and_then(|rest| rest.strip_suffix("```"));
    let inner = inner.map_or(text, |inner| inner.trim_start_matches(|c: char| c.is_ascii_alphanumeric()));
    let Ok(value) = serde_json::from_str::<Value>(inner.trim()) else { return Vec::new() };
    let written = match value {
        Value::Array(list) => list,
        one => vec![one],
    };
    let read = |call: Value| {
        let tool = call.get("tool").or_else(|| call.get("name"))?.as_str()?.to_owned();
        let args = call.get("arguments").or_else(|| call.get("parameters")).cloned();
        Some(ModelCall { id: made_up_id(), tool, args: args.unwrap_or_else(|| json!({})) })
    };
    written.into_iter().map(read).collect::<Option<Vec<_>>>().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use hark_core::Risk;
    use hark_core::model::{Difficulty, Purpose};

    #[test]
    fn tools_calls_and_results_are_told_in_words() {
        let tool = ToolSpec {
            name: "home.turn_on".into(),
            description: "Turns devices on.".into(),
            schema: json!({"type": "object", "properties": {"name": {"type": "string"}}}),
            results: Vec::new(),
            risk: Risk::Write,
            triggers: Vec::new(),
            agent: "home".into(),
            outside: false,
        };
        let mut called = Message::new(Role::Assistant, "");
        called.calls.push(ModelCall {
            id: "c1".into(),
            tool: "home.turn_on".into(),
            args: json!({"name": "lamp"}),
        });
        let prompt = Prompt {
            messages: vec![
                Message::new(Role::System, "Be kind."),
                Message::new(Role::User, "lamp on"),
                called,
                Message::result("c1", "ok"),
            ],
            tools: vec![tool],
            difficulty: Difficulty::Complex,
            purpose: Purpose::Plan,
            model: None,
            schema: None,
            max_tokens: None,
            temperature: 0.0,
            deliveries: Default::default(),
        };
        let told = in_words(&prompt);
        assert!(told.tools.is_empty() && told.messages.iter().all(|message| message.calls.is_empty()));
        assert!(
            told.messages[0].content.starts_with("Be kind.\n\nTools:\n- home.turn_on: Turns devices on.")
        );
        let again = calls(&told.messages[2].content);
        assert_eq!((again[0].tool.as_str(), &again[0].args), ("home.turn_on", &json!({"name": "lamp"})));
        assert_eq!(told.messages[3], Message::new(Role::User, "Result of home.turn_on: ok"));
    }

    #[test]
    fn only_what_is_a_call_as_a_whole_is_one() {
        for (text, count) in [
            (r#"{"tool": "a", "arguments": {"x": 1}}"#, 1),
            ("```json\n{\"tool\": \"a\"}\n```", 1),
            (r#"[{"tool": "a"}, {"name": "b", "parameters": {}}]"#, 2),
            (r#"[{"tool": "a"}, "b"]"#, 0),
            (r#"I call {"tool": "a"}"#, 0),
            (r#"{"answer": 1}"#, 0),
            ("It is warm.", 0),
            ("", 0),
        ] {
            assert_eq!(calls(text).len(), count, "{text}");
        }
        assert!(may_be_call("  {\"to") && may_be_call("") && !may_be_call(" It is"));
    }
}
