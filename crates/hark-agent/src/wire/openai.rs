//! The wire format of `/v1/chat/completions` as OpenAI documents it (API reference, "Create chat completion" and
//! "streaming") and llama.cpp, vLLM, OpenRouter and Together speak it: what is asked, and frames of the answer.

use super::names::Names;
use crate::answer::{Answer, CallPiece, Usage};
use crate::error::StreamError;
use hark_core::model::{Message, Prompt, Role, ToolSpec};
use serde_json::{Map, Value, json};

/// How a server is told of the form of an answer; servers differ, and which one is accepted is found by trying.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Form {
    /// `json_schema`, as OpenAI has it; of Ollama the schema itself, as it takes it since 0.5.
    #[default]
    Schema,
    /// `json_object` with a schema in it, as llama.cpp's Python server has it; of Ollama `json`, as it always took it.
    Object,
    /// Not at all; whoever asks checks the answer.
    Untold,
}

/// What a server was found to want.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Ways {
    pub(crate) form: Form,
    /// The bound is `max_completion_tokens`, as newer models of OpenAI have it.
    pub(crate) completion_tokens: bool,
    /// It is not asked for what an answer took, which it does not know.
    pub(crate) without_usage: bool,
}

/// The body of a request.
pub(crate) fn body(prompt: &Prompt, model: &str, max_tokens: u32, ways: Ways, names: &Names) -> Value {
    let mut body = Map::new();
    body.insert("model".into(), model.into());
    let messages: Vec<Value> = prompt.messages.iter().map(|message| wire_message(message, names)).collect();
    body.insert("messages".into(), messages.into());
    body.insert("stream".into(), true.into());
    if !ways.without_usage {
        body.insert("stream_options".into(), json!({ "include_usage": true }));
    }
    body.insert("temperature".into(), crate::number(prompt.temperature));
    let bound = if ways.completion_tokens { "max_completion_tokens" } else { "max_tokens" };
    body.insert(bound.into(), max_tokens.into());
    if !prompt.tools.is_empty() {
        let tools: Vec<Value> =
            prompt.tools.iter().map(|tool| function(tool, names.there(&tool.name))).collect();
        body.insert("tools".into(), tools.into());
    }
    let format = prompt.schema.as_ref().and_then(|schema| match ways.form {
        Form::Schema => {
            Some(json!({ "type": "json_schema", "json_schema": { "name": "answer", "schema": schema } }))
        }
        Form::Object => Some(json!({ "type": "json_object", "schema": schema })),
        Form::Untold => None,
    });
    if let Some(format) = format {
        body.insert("response_format".into(), format);
    }
    body.into()
}

/// A tool as both formats tell of it.
pub(crate) fn function(tool: &ToolSpec, name: &str) -> Value {
    json!({
        "type": "function",
        "function": { "name": name, "description": tool.description, "parameters": tool.schema },
    })
}

fn wire_message(message: &Message, names: &Names) -> Value {
    match message.role {
        Role::System => json!({ "role": "system", "content": message.content }),
        Role::User if message.pictures.is_empty() => json!({ "role": "user", "content": message.content }),
        Role::User => {
            let words =
                (!message.content.is_empty()).then(|| json!({ "type": "text", "text": message.content }));
            let pictures = message.pictures.iter().map(|picture| {
                let url = format!("data:{};base64,{}", picture.media_type, picture.base64);
                json!({ "type": "image_url", "image_url": { "url": url } })
            });
            json!({ "role": "user", "content": words.into_iter().chain(pictures).collect::<Vec<_>>() })
        }
        Role::Assistant if message.calls.is_empty() => {
            json!({ "role": "assistant", "content": message.content })
        }
        Role::Assistant => {
            let calls: Vec<Value> = message
                .calls
                .iter()
                .map(|call| {
                    // A text is what the model itself wrote and was no JSON.
                    let args = call.args.as_str().map_or_else(|| call.args.to_string(), str::to_owned);
                    let function = json!({ "name": names.there(&call.tool), "arguments": args });
                    json!({ "id": call.id, "type": "function", "function": function })
                })
                .collect();
            // Without words an empty text: some servers refuse `null`, others nothing at all.
            json!({ "role": "assistant", "content": message.content, "tool_calls": calls })
        }
        Role::Tool => {
            json!({ "role": "tool", "tool_call_id": message.answers, "content": message.content })
        }
    }
}

/// Takes one frame: a piece of a stream, or the whole answer of a server that does not stream.
pub(crate) fn read(frame: &Value, answer: &mut Answer) -> Result<(), StreamError> {
    if let Some(what) = trouble(frame) {
        return Err(StreamError::Server(what));
    }
    if !frame.is_object() {
        return Err(StreamError::NotTheProtocol("a frame that is no object".into()));
    }
    answer.name_model(frame.get("model").and_then(Value::as_str));
    if let Some(usage) = frame.get("usage").filter(|usage| usage.is_object()) {
        answer.usage = Usage {
            prompt: count(usage.get("prompt_tokens")),
            cached: count(usage.pointer("/prompt_tokens_details/cached_tokens")),
            answer: count(usage.get("completion_tokens")),
        };
    }
    let Some(choice) = frame.pointer("/choices/0") else { return Ok(()) };
    if let Some(message) = choice.get("delta").or_else(|| choice.get("message")) {
        read_message(message, answer)?;
    }
    if let Some(reason) = choice.get("finish_reason").and_then(Value::as_str) {
        answer.finished = true;
        answer.cut_short |= matches!(reason, "length" | "content_filter");
    }
    Ok(())
}

/// A number of tokens.
pub(crate) fn count(value: Option<&Value>) -> Option<u32> {
    value.and_then(Value::as_u64).and_then(|count| u32::try_from(count).ok())
}

fn read_message(message: &Value, answer: &mut Answer) -> Result<(), StreamError> {
    match message.get("content") {
        Some(Value::String(words)) => answer.say(words),
        Some(Value::Array(parts)) => {
            parts.iter().filter_map(|part| part.get("text")?.as_str()).for_each(|words| answer.say(words));
        }
        _ => {}
    }
    // Thoughts are not the answer, but show that one is on its way.
    let thinks = |name: &str| message.get(name).and_then(Value::as_str).is_some_and(|text| !text.is_empty());
    answer.begun |= thinks("reasoning_content") || thinks("reasoning");
    let calls = message.get("tool_calls").and_then(Value::as_array);
    for call in calls.into_iter().flatten() {
        let function = call.get("function");
        let part = |name: &str| function.and_then(|function| function.get(name));
        answer.call(&CallPiece {
            index: call.get("index").and_then(Value::as_u64),
            id: call.get("id").and_then(Value::as_str),
            tool: part("name").and_then(Value::as_str),
            args: part("arguments"),
        })?;
    }
    Ok(())
}

/// What a server says is wrong, in any of the forms that are in use: `{"error": {"message": …}}`, `{"error": "…"}`,
/// `{"message": …}` and FastAPI's `{"detail": …}` without choices. In full: it is shortened where it is shown.
pub(crate) fn trouble(frame: &Value) -> Option<String> {
    let error = match frame.get("error") {
        Some(Value::Null) | None => frame
            .get("detail")
            .or_else(|| frame.get("message").filter(|message| message.is_string()))
            .filter(|_| frame.get("choices").is_none())?,
        Some(error) => error,
    };
    Some(match error.get("message").unwrap_or(error) {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use hark_core::Risk;
    use hark_core::model::{Difficulty, ModelCall, Picture, Purpose};

    fn prompt(messages: Vec<Message>) -> Prompt {
        Prompt {
            messages,
            tools: Vec::new(),
            difficulty: Difficulty::Simple,
            purpose: Purpose::Answer,
            model: None,
            schema: None,
            max_tokens: None,
            temperature: 0.7,
            deliveries: Default::default(),
        }
    }

    fn asked(prompt: &Prompt, ways: Ways) -> Value {
        body(prompt, "toy", 99, ways, &Names::of(prompt))
    }

    #[test]
    fn a_conversation_with_tools_and_pictures_is_told_in_full() {
        let mut user = Message::new(Role::User, "What is this?");
        user.pictures.push(Picture { media_type: "image/png".into(), base64: "AAAA".into() });
        let mut wanted = Message::new(Role::Assistant, "");
        let args = json!({"name": "lamp"});
        wanted.calls.push(ModelCall { id: "c1".into(), tool: "home.turn_on".into(), args });
        let mut prompt = prompt(vec![
            Message::new(Role::System, "Be kind."),
            user,
            wanted,
            Message::result("c1", "done"),
            Message::new(Role::Assistant, "It is on."),
        ]);
        prompt.tools.push(ToolSpec {
            name: "home.turn_on".into(),
            description: "Switches on".into(),
            schema: json!({"type": "object"}),
            results: Vec::new(),
            risk: Risk::Write,
            triggers: Vec::new(),
            agent: "home".into(),
            outside: false,
        });
        let function = json!({"name": "home-turn_on", "arguments": "{\"name\":\"lamp\"}"});
        let expected = json!({
            "model": "toy",
            "messages": [
                {"role": "system", "content": "Be kind."},
                {"role": "user", "content": [
                    {"type": "text", "text": "What is this?"},
                    {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}},
                ]},
                {"role": "assistant", "content": "", "tool_calls": [
                    {"id": "c1", "type": "function", "function": function},
                ]},
                {"role": "tool", "tool_call_id": "c1", "content": "done"},
                {"role": "assistant", "content": "It is on."},
            ],
            "stream": true,
            "stream_options": {"include_usage": true},
            "temperature": 0.7,
            "max_tokens": 99,
            "tools": [{"type": "function", "function": {
                "name": "home-turn_on", "description": "Switches on", "parameters": {"type": "object"},
            }}],
        });
        assert_eq!(asked(&prompt, Ways::default()), expected);
    }

    #[test]
    fn the_form_of_the_answer_is_told_as_the_server_wants_it() {
        let mut prompt = prompt(vec![Message::new(Role::User, "hi")]);
        prompt.schema = Some(json!({"type": "object"}));
        let format = |form| asked(&prompt, Ways { form, ..Ways::default() }).get("response_format").cloned();
        let schema = json!({"name": "answer", "schema": {"type": "object"}});
        assert_eq!(format(Form::Schema), Some(json!({"type": "json_schema", "json_schema": schema})));
        assert_eq!(format(Form::Object), Some(json!({"type": "json_object", "schema": {"type": "object"}})));
        assert_eq!(format(Form::Untold), None);
        let newer = asked(&prompt, Ways { completion_tokens: true, ..Ways::default() });
        assert_eq!((newer.get("max_tokens"), &newer["max_completion_tokens"]), (None, &json!(99)));
    }

    #[test]
    fn what_an_answer_took_is_read() {
        let mut answer = Answer::default();
        // As llama.cpp sends it, behind the last words.
        let frame = json!({"choices": [], "usage": {"completion_tokens": 8, "prompt_tokens": 32, "total_tokens": 40,
            "prompt_tokens_details": {"cached_tokens": 30}}});
        read(&frame, &mut answer).unwrap();
        assert_eq!(answer.usage, Usage { prompt: Some(32), cached: Some(30), answer: Some(8) });
        read(&json!({"choices": [], "usage": null}), &mut answer).unwrap();
        assert_eq!(answer.usage.prompt, Some(32));
        let prompt = prompt(vec![Message::new(Role::User, "hi")]);
        let ways = Ways { without_usage: true, ..Ways::default() };
        assert_eq!(asked(&prompt, ways).get("stream_options"), None);
    }

    #[test]
    fn errors_are_found_in_every_form_that_is_in_use() {
        let cases = [
            (json!({"error": {"message": "no such model", "type": "x"}}), Some("no such model")),
            (json!({"error": "out of memory"}), Some("out of memory")),
            (json!({"detail": [{"loc": ["body"]}]}), Some("[{\"loc\":[\"body\"]}]")),
            (json!({"message": "unauthorised"}), Some("unauthorised")),
            (json!({"error": null, "choices": []}), None),
            (json!({"choices": [], "message": "x"}), None),
            (json!([]), None),
        ];
        for (frame, expected) in cases {
            assert_eq!(trouble(&frame).as_deref(), expected, "{frame}");
        }
    }
}
