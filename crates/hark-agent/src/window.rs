//! How much a model can look back on, its answer included: asked of its server once, before the first prompt that could be too
//! long, and learnt from refusals. llama.cpp tells it in `/props`, Ollama in `/api/show`, others in `/v1/models`.

use super::context_window::{TooLong, Window, number};
use super::provider::Provider;
use super::wire::Wire;
use reqwest::RequestBuilder;
use serde_json::{Value, json};
use std::time::{Duration, Instant};
use tokio::time::timeout;

/// What Ollama gives a model that nobody set a window for (its FAQ, "How can I specify the context window size").
const OLLAMA_DEFAULT: usize = 4_096;
/// How long a server may take to tell.
const PATIENCE: Duration = Duration::from_secs(2);
/// How long a server that did not tell is left alone.
const ASK_AGAIN: Duration = Duration::from_secs(300);
/// Most of what it tells that is read, bytes.
const MAX_BYTES: usize = 8 * 1024 * 1024;
/// Names by which servers tell of a model's window in `/v1/models`: vLLM; OpenRouter, Together; Groq; Mistral; LM Studio.
const NAMES: [&str; 5] =
    ["max_model_len", "context_length", "context_window", "max_context_length", "loaded_context_length"];

impl Provider {
    /// The window of a model.
    pub(super) async fn window(&self, model: &str) -> Window {
        let known = self.known_window(model);
        if let Some(window) = known.filter(|it| it.tokens.is_some() || it.asked.elapsed() < ASK_AGAIN) {
            return window;
        }
        let found = match self.kind {
            Wire::Ollama => self.window_of_ollama(model).await,
            Wire::Openai => self.window_of_others(model).await,
        };
        let configured = Some(self.context_tokens as usize).filter(|tokens| *tokens > 0);
        let tokens = match (found, configured) {
            (Some(found), Some(configured)) => Some(found.min(configured)),
            (found, configured) => found.or(configured),
        };
        tracing::debug!(server = self.place(), model, ?tokens, "window of a model");
        let window = Window { tokens, scale: known.map_or(1.0, |known| known.scale), asked: Instant::now() };
        self.learn_window(model, window);
        window
    }

    /// A prompt whose tokens were estimated as `estimated` was refused: this is what the server says of it.
    pub(super) fn learn_refusal(&self, model: &str, told: TooLong, estimated: usize) -> Window {
        let known = self.known_window(model).map_or(1.0, |known| known.scale);
        // Where it does not say how long the prompt was, the estimate was too small by a quarter at least.
        let off = told.prompt.map_or(1.25, |prompt| prompt as f32 / estimated.max(1) as f32);
        let window =
            Window { tokens: Some(told.window), scale: known.max(off * 1.02), asked: Instant::now() };
        self.learn_window(model, window);
        window
    }

    async fn window_of_ollama(&self, model: &str) -> Option<usize> {
        let shown = self.client.post(self.address.join("api/show")).json(&json!({ "model": model }));
        let shown = self.told(shown).await?;
        let set = (self.context_tokens > 0).then_some(self.context_tokens as usize);
        of_ollama(&shown, set)
    }

    async fn window_of_others(&self, model: &str) -> Option<usize> {
        let list = self.told(self.client.get(self.address.join("models"))).await?;
        let (found, is_llama_cpp) = of_list(&list, model);
        if is_llama_cpp {
            let props = self.told(self.client.get(self.address.join_root("props"))).await;
            let part = |place: &str| props.as_ref().and_then(|props| props.pointer(place));
            // A chat template that knows no tools leaves them out without a word.
            if part("/chat_template_caps/supports_tools") == Some(&Value::Bool(false)) {
                self.learn_no_tools(model);
            }
            if let Some(template) = part("/chat_template").and_then(Value::as_str) {
                self.thinkers.learn_template(model, template);
            }
            // What one request may have of it, where several are answered at once.
            return part("/default_generation_settings/n_ctx").and_then(number).or(found);
        }
        found
    }

    /// What a server answers, as far as it is JSON and comes in time.
    async fn told(&self, request: RequestBuilder) -> Option<Value> {
        let asking = async {
            let response = self.with_key(request).send().await.ok()?;
            if response.status() != 200 {
                return None;
            }
            let body = hark_http_client::body(response, MAX_BYTES).await.ok()?;
            serde_json::from_slice::<Value>(&body).ok()
        };
        timeout(PATIENCE, asking).await.ok()?
    }
}

/// What a list of models says of one, and whether it is llama.cpp's.
fn of_list(list: &Value, model: &str) -> (Option<usize>, bool) {
    let models = list.get("data").or(Some(list)).and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let named = models.iter().find(|entry| entry.get("id").and_then(Value::as_str) == Some(model));
    // A server of one model answers to any name.
    let Some(entry) = named.or(models.first().filter(|_| models.len() == 1)) else { return (None, false) };
    let is_llama_cpp = entry.get("owned_by").and_then(Value::as_str) == Some("llamacpp");
    let found = NAMES.iter().filter_map(|name| entry.get(name)).chain(entry.pointer("/meta/n_ctx"));
    (found.filter_map(number).min(), is_llama_cpp)
}

/// What Ollama shows of a model: no more than the model can, and what it is set to where nobody else sets it.
fn of_ollama(shown: &Value, set: Option<usize>) -> Option<usize> {
    let info = shown.get("model_info").and_then(Value::as_object);
    let most = info.into_iter().flatten().find(|(name, _)| name.ends_with(".context_length"));
    let most = most.and_then(|(_, value)| number(value));
    let parameters = shown.get("parameters").and_then(Value::as_str).unwrap_or_default();
    let of_model =
        parameters.lines().find_map(|line| line.trim().strip_prefix("num_ctx")?.trim().parse().ok());
    let used = set.or(of_model).unwrap_or(OLLAMA_DEFAULT);
    Some(most.map_or(used, |most| most.min(used)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_servers_tell_windows_each_by_its_own_name() {
        // As llama.cpp answered, and vLLM, OpenRouter and Groq document it.
        let llama_cpp = json!({"data": [{"id": "/m.gguf", "owned_by": "llamacpp", "meta": {"n_ctx": 8192}}]});
        assert_eq!(of_list(&llama_cpp, "toy"), (Some(8192), true));
        let vllm = json!({"data": [{"id": "a", "max_model_len": 4096}, {"id": "b", "max_model_len": 32768}]});
        assert_eq!(of_list(&vllm, "b"), (Some(32768), false));
        assert_eq!(of_list(&vllm, "c"), (None, false));
        assert_eq!(of_list(&json!([{"id": "x/y", "context_length": 131072}]), "x/y").0, Some(131_072));
        assert_eq!(of_list(&json!({"data": [{"id": "g", "context_window": "8k"}]}), "g").0, None);
    }

    #[test]
    fn ollama_tells_what_a_model_can_and_what_it_is_set_to() {
        let info = json!({"general.architecture": "llama", "llama.context_length": 131072});
        let shown = |parameters: &str| json!({"model_info": info, "parameters": parameters});
        assert_eq!(of_ollama(&shown(""), None), Some(OLLAMA_DEFAULT));
        assert_eq!(of_ollama(&shown("stop \"x\"\nnum_ctx                        16384"), None), Some(16384));
        assert_eq!(of_ollama(&shown("num_ctx 16384"), Some(8192)), Some(8192));
        let small = json!({"model_info": {"gpt2.context_length": 1024}});
        assert_eq!(of_ollama(&small, Some(8192)), Some(1024));
    }

    #[test]
    fn refusals_tell_how_long_a_prompt_may_be() {
        let llama_cpp = r#"{"error":{"code":400,"message":"request (18031 tokens) exceeds the available context size (8192 tokens), try increasing it","type":"exceed_context_size_error","n_prompt_tokens":18031,"n_ctx":8192}}"#;
        assert_eq!(TooLong::read(llama_cpp), Some(TooLong { window: 8192, prompt: Some(18031) }));
        let vllm = r#"{"message":"This model's maximum context length is 2048 tokens. However, you requested 2500 tokens"}"#;
        assert_eq!(TooLong::read(vllm), Some(TooLong { window: 2048, prompt: Some(2500) }));
        for other in ["", "{}", r#"{"error":{"message":"no such model"}}"#] {
            assert_eq!(TooLong::read(other), None, "{other}");
        }
    }
}
