//! The wire format of Ollama (its `docs/api.md`): `/api/chat`, and `/api/generate` for models that cannot chat.

use super::openai::{Form, count, function, trouble};
use crate::answer::{Answer, CallPiece, Usage};
use crate::error::StreamError;
use hark_core::model::{Message, Prompt, Role};
use serde_json::{Map, Value, json};

/// What goes with every request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Habits {
    /// As configured: a length of time, or `-1`, or `0`.
    pub(crate) keep_alive: String,
    /// 0: as the server has it.
    pub(crate) context_tokens: u32,
}

/// The body for `/api/chat`.
pub(crate) fn chat(prompt: &Prompt, model: &str, max_tokens: u32, habits: &Habits, form: Form) -> Value {
    let mut body = common(prompt, model, max_tokens, habits, form);
    let messages: Vec<Value> =
        prompt.messages.iter().map(|message| wire_message(message, &prompt.messages)).collect();
    body.insert("messages".into(), messages.into());
    if !prompt.tools.is_empty() {
        let tools: Vec<Value> = prompt.tools.iter().map(|tool| function(tool, &tool.name)).collect();
        body.insert("tools".into(), tools.into());
    }
    body.into()
}

/// The body for `/api/generate`: the instructions apart, the rest as one text. A model without a chat template goes
/// on with what it reads, so a conversation ends where its own words would begin.
pub(crate) fn generate(prompt: &Prompt, model: &str, max_tokens: u32, habits: &Habits, form: Form) -> Value {
    let mut body = common(prompt, model, max_tokens, habits, form);
    let (system, talk): (Vec<&Message>, Vec<&Message>) =
        prompt.messages.iter().partition(|message| message.role == Role::System);
    if !system.is_empty() {
        let words: Vec<&str> = system.iter().map(|message| message.content.as_str()).collect();
        body.insert("system".into(), words.join("\n\n").into());
    }
    let text = match talk.as_slice() {
        [only] => only.content.clone(),
        talk => {
            let lines =
                talk.iter().map(|message| format!("{}: {}\n", speaker(message.role), message.content));
            lines.chain([format!("{}:", speaker(Role::Assistant))]).collect()
        }
    };
    body.insert("prompt".into(), text.into());
    let pictures: Vec<&str> =
        talk.iter().flat_map(|message| &message.pictures).map(|picture| picture.base64.as_str()).collect();
    if !pictures.is_empty() {
        body.insert("images".into(), json!(pictures));
    }
    body.into()
}

fn speaker(role: Role) -> &'static str {
    match role {
        Role::System => "System",
        Role::User => "User",
        Role::Assistant => "Assistant",
        Role::Tool => "Result",
    }
}

fn common(prompt: &Prompt, model: &str, max_tokens: u32, habits: &Habits, form: Form) -> Map<String, Value> {
    let mut options = Map::new();
    options.insert("temperature".into(), crate::number(prompt.temperature));
    options.insert("num_predict".into(), max_tokens.into());
    if habits.context_tokens > 0 {
        options.insert("num_ctx".into(), habits.context_tokens.into());
    }
    let mut body = Map::new();
    body.insert("model".into(), model.into());
    body.insert("stream".into(), true.into());
    body.insert("options".into(), options.into());
    // A number without a unit must be one in JSON too.
    let keep_alive =
        habits.keep_alive.parse().map_or_else(|_| json!(habits.keep_alive), |all: i64| json!(all));
    body.insert("keep_alive".into(), keep_alive);
    let format = prompt.schema.as_ref().and_then(|schema| match form {
        Form::Schema => Some(schema.clone()),
        Form::Object => Some(json!("json")),
        Form::Untold => None,
    });
    if let Some(format) = format {
        body.insert("format".into(), format);
    }
    body
}

fn wire_message(message: &Message, all: &[Message]) -> Value {
    let mut wire = Map::new();
    let role = match message.role {
        Role::System => "system",
        Role::User => "user",
        Role::Assistant => "assistant",
        Role::Tool => "tool",
    };
    wire.insert("role".into(), role.into());
    wire.insert("content".into(), message.content.as_str().into());
    if !message.pictures.is_empty() {
        let pictures: Vec<&str> = message.pictures.iter().map(|picture| picture.base64.as_str()).collect();
        wire.insert("images".into(), json!(pictures));
    }
    if !message.calls.is_empty() {
        let calls: Vec<Value> = message
            .calls
            .iter()
            .map(|call| {
                // Anything but an object is refused there.
                let args = if call.args.is_object() { call.args.clone() } else { json!({}) };
                json!({ "function": { "name": call.tool, "arguments": args } })
            })
            .collect();
        wire.insert("tool_calls".into(), calls.into());
    }
    // Ollama knows calls by the name of their tool, not by an id.
    let answered = message.answers.as_ref().and_then(|id| {
        all.iter().flat_map(|message| &message.calls).find(|call| call.id == *id).map(|call| &call.tool)
    });
    if let Some(tool) = answered {
        wire.insert("tool_name".into(), tool.as_str().into());
    }
    wire.into()
}

/// Takes one line of either stream.
pub(crate) fn read(frame: &Value, answer: &mut Answer) -> Result<(), StreamError> {
    let message = frame.get("message").filter(|message| message.is_object());
    if message.is_none()
        && let Some(what) = trouble(frame)
    {
        return Err(StreamError::Server(what));
    }
    if !frame.is_object() {
        return Err(StreamError::NotTheProtocol("a line that is no object".into()));
    }
    answer.name_model(frame.get("model").and_then(Value::as_str));
    let said = message.map_or(frame.get("response"), |message| message.get("content"));
    answer.say(said.and_then(Value::as_str).unwrap_or_default());
    let thinks = |part: &Value| part.get("thinking").and_then(Value::as_str).is_some_and(|it| !it.is_empty());
    answer.begun |= thinks(message.unwrap_or(frame));
    let calls = message.and_then(|message| message.get("tool_calls")).and_then(Value::as_array);
    for call in calls.into_iter().flatten() {
        let Some(function) = call.get("function") else { continue };
        answer.call(&CallPiece {
            index: None,
            id: call.get("id").and_then(Value::as_str),
            tool: function.get("name").and_then(Value::as_str),
            args: function.get("arguments"),
        })?;
    }
    if frame.get("done").and_then(Value::as_bool) == Some(true) {
        answer.finished = true;
        // What it had read before it does not tell.
        let (prompt, said) = (count(frame.get("prompt_eval_count")), count(frame.get("eval_count")));
        answer.usage = Usage { prompt, cached: None, answer: said };
        answer.cut_short |= frame.get("done_reason").and_then(Value::as_str) == Some("length");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use hark_core::model::{Difficulty, ModelCall, Picture, Purpose};

    fn habits(keep_alive: &str, context_tokens: u32) -> Habits {
        Habits { keep_alive: keep_alive.into(), context_tokens }
    }

    fn prompt(messages: Vec<Message>) -> Prompt {
        Prompt {
            messages,
            tools: Vec::new(),
            difficulty: Difficulty::Simple,
            purpose: Purpose::Answer,
            model: None,
            schema: Some(json!({"type": "object"})),
            max_tokens: None,
            temperature: 0.0,
            deliveries: Default::default(),
        }
    }

    fn talk() -> Vec<Message> {
        let mut user = Message::new(Role::User, "What is this?");
        user.pictures.push(Picture { media_type: "image/png".into(), base64: "AAAA".into() });
        let mut wanted = Message::new(Role::Assistant, "");
        for (id, tool) in [("c1", "home.state"), ("c2", "home.turn_on")] {
            let args = if id == "c1" { json!({"name": "lamp"}) } else { json!("{\"na") };
            wanted.calls.push(ModelCall { id: id.into(), tool: tool.into(), args });
        }
        vec![Message::new(Role::System, "Be kind."), user, wanted, Message::result("c2", "done")]
    }

    #[test]
    fn a_chat_is_told_in_full() {
        let body = chat(&prompt(talk()), "toy", 99, &habits("30m", 8192), Form::Schema);
        let expected = json!({
            "model": "toy",
            "stream": true,
            "options": {"temperature": 0.0, "num_predict": 99, "num_ctx": 8192},
            "keep_alive": "30m",
            "format": {"type": "object"},
            "messages": [
                {"role": "system", "content": "Be kind."},
                {"role": "user", "content": "What is this?", "images": ["AAAA"]},
                {"role": "assistant", "content": "", "tool_calls": [
                    {"function": {"name": "home.state", "arguments": {"name": "lamp"}}},
                    {"function": {"name": "home.turn_on", "arguments": {}}},
                ]},
                {"role": "tool", "content": "done", "tool_name": "home.turn_on"},
            ],
        });
        assert_eq!(body, expected);
    }

    #[test]
    fn the_form_is_told_as_the_server_takes_it() {
        let formed = prompt(talk());
        for (form, told) in [
            (Form::Schema, Some(json!({"type": "object"}))),
            (Form::Object, Some(json!("json"))),
            (Form::Untold, None),
        ] {
            let bodies = [
                chat(&formed, "toy", 9, &habits("0", 0), form),
                generate(&formed, "toy", 9, &habits("0", 0), form),
            ];
            assert!(bodies.iter().all(|body| body.get("format") == told.as_ref()), "{form:?}: {bodies:?}");
        }
        let free = Prompt { schema: None, ..formed };
        assert_eq!(chat(&free, "toy", 9, &habits("0", 0), Form::Object).get("format"), None);
    }

    #[test]
    fn a_bare_prompt_is_the_persons_words_or_the_talk_so_far() {
        let one = prompt(vec![Message::new(Role::System, "Be kind."), Message::new(Role::User, "hello")]);
        let body = generate(&one, "toy", 9, &habits("-1", 0), Form::Schema);
        assert_eq!((&body["prompt"], &body["system"]), (&json!("hello"), &json!("Be kind.")));
        assert_eq!((&body["keep_alive"], body["options"].get("num_ctx")), (&json!(-1), None));
        let body = generate(&prompt(talk()), "toy", 9, &habits("0", 0), Form::Schema);
        assert_eq!(body["prompt"], "User: What is this?\nAssistant: \nResult: done\nAssistant:");
        assert_eq!(body["images"], json!(["AAAA"]));
    }
}
