//! What Ollama and OpenAI-compatible servers really send, made from the steps of a script.

use super::model_server::Step;
use serde_json::{Value, json};

/// In which form an answer is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    /// Server-sent events of `/v1/chat/completions`.
    Events,
    /// One JSON text of `/v1/chat/completions`.
    Completion,
    /// Lines of `/api/chat`.
    Chat,
    /// Lines of `/api/generate`.
    Generate,
}

impl Dialect {
    pub fn of(path: &str, body: &Value, ignores_stream: bool) -> Self {
        match path {
            "/api/chat" => Self::Chat,
            "/api/generate" => Self::Generate,
            _ if body["stream"] == true && !ignores_stream => Self::Events,
            _ => Self::Completion,
        }
    }

    pub fn content_type(self) -> &'static str {
        match self {
            Self::Events => "text/event-stream; charset=utf-8",
            Self::Completion => "application/json",
            Self::Chat | Self::Generate => "application/x-ndjson",
        }
    }
}

/// The body of a question for models; `None` for a path that no server has.
pub fn list(path: &str, models: &[String]) -> Option<String> {
    let size = 2_019_393_189_u64;
    let list = if path == "/api/tags" {
        let one = |name: &String| {
            let details = json!({ "format": "gguf", "family": "llama", "parameter_size": "3.2B" });
            json!({ "name": name, "model": name, "size": size, "digest": "a80c4f17acd5", "details": details })
        };
        json!({ "models": models.iter().map(one).collect::<Vec<_>>() })
    } else if path.ends_with("/models") {
        let one = |id: &String| json!({ "id": id, "object": "model", "created": 1, "owned_by": "us" });
        json!({ "object": "list", "data": models.iter().map(one).collect::<Vec<_>>() })
    } else {
        return None;
    };
    Some(list.to_string())
}

/// Words and calls become bytes; everything else stays as it is.
pub fn render(steps: &[Step], dialect: Dialect, number: usize, reason: Option<&str>) -> Vec<Step> {
    let wants_tools = steps.iter().any(|step| matches!(step, Step::Call(..)));
    let reason = reason.unwrap_or(if wants_tools { "tool_calls" } else { "stop" });
    match dialect {
        Dialect::Events => events(steps, number, reason),
        Dialect::Completion => completion(steps, number, reason),
        Dialect::Chat | Dialect::Generate => lines(steps, dialect, reason),
    }
}

/// Names of tools have no dots there.
fn plain(tool: &str) -> String {
    tool.replace('.', "-")
}

fn events(steps: &[Step], number: usize, reason: &str) -> Vec<Step> {
    let event = |delta: Value, finish: Option<&str>| {
        let choice = json!({ "index": 0, "delta": delta, "logprobs": null, "finish_reason": finish });
        let frame = json!({
            "id": format!("chatcmpl-{number}"),
            "object": "chat.completion.chunk",
            "created": 1_790_000_000,
            "model": "toy",
            "choices": [choice],
        });
        Step::Bytes(format!("data: {frame}\n\n").into_bytes())
    };
    let mut sent = vec![event(json!({ "role": "assistant", "content": "" }), None)];
    let mut index = 0;
    for step in steps {
        match step {
            Step::Words(words) => sent.push(event(json!({ "content": words }), None)),
            Step::Call(tool, args) => {
                let head = json!({
                    "index": index,
                    "id": format!("call_{number}_{index}"),
                    "type": "function",
                    "function": { "name": plain(tool), "arguments": "" },
                });
                sent.push(event(json!({ "tool_calls": [head] }), None));
                let text: Vec<char> = args.to_string().chars().collect();
                for fragment in text.chunks(5) {
                    let fragment: String = fragment.iter().collect();
                    let piece = json!({ "index": index, "function": { "arguments": fragment } });
                    sent.push(event(json!({ "tool_calls": [piece] }), None));
                }
                index += 1;
            }
            other => sent.push(other.clone()),
        }
    }
    sent.push(event(json!({}), Some(reason)));
    sent.push(Step::Bytes(b"data: [DONE]\n\n".to_vec()));
    sent
}

fn completion(steps: &[Step], number: usize, reason: &str) -> Vec<Step> {
    let (mut words, mut calls, mut sent) = (String::new(), Vec::new(), Vec::new());
    for step in steps {
        match step {
            Step::Words(more) => words.push_str(more),
            Step::Call(tool, args) => calls.push(json!({
                "id": format!("call_{number}_{}", calls.len()),
                "type": "function",
                "function": { "name": plain(tool), "arguments": args.to_string() },
            })),
            other => sent.push(other.clone()),
        }
    }
    let mut message = json!({ "role": "assistant", "content": words });
    if !calls.is_empty() {
        message["tool_calls"] = calls.into();
    }
    let body = json!({
        "id": format!("chatcmpl-{number}"),
        "object": "chat.completion",
        "created": 1_790_000_000,
        "model": "toy",
        "choices": [{ "index": 0, "message": message, "finish_reason": reason }],
        "usage": { "prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15 },
    });
    sent.push(Step::Bytes(format!("{body:#}").into_bytes()));
    sent
}

fn lines(steps: &[Step], dialect: Dialect, reason: &str) -> Vec<Step> {
    let line = |words: &str, calls: Value, done: bool| {
        let mut line = json!({ "model": "toy", "created_at": "2026-11-22T12:00:00.000000000Z" });
        if dialect == Dialect::Generate {
            line["response"] = words.into();
        } else {
            line["message"] = json!({ "role": "assistant", "content": words });
            if calls.is_array() {
                line["message"]["tool_calls"] = calls;
            }
        }
        line["done"] = done.into();
        if done {
            line["done_reason"] = if reason == "length" { "length" } else { "stop" }.into();
            line["total_duration"] = 4_883_583_458_u64.into();
            line["eval_count"] = 5.into();
        }
        Step::Bytes(format!("{line}\n").into_bytes())
    };
    let mut sent: Vec<Step> = steps
        .iter()
        .map(|step| match step {
            Step::Words(words) => line(words, Value::Null, false),
            Step::Call(tool, args) => {
                line("", json!([{ "function": { "name": tool, "arguments": args } }]), false)
            }
            other => other.clone(),
        })
        .collect();
    sent.push(line("", Value::Null, true));
    sent
}
