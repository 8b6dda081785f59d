//! `[llm]` and `[llm_fallback]`: language models that Hark may ask, in order of preference.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::time::Duration;

/// The language a server speaks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ProviderKind {
    /// Ollama's own API, `/api/chat`.
    #[default]
    Ollama,
    /// What OpenAI, OpenRouter, Together, llama.cpp and vLLM have in common, `/v1/chat/completions`.
    Openai,
    /// None: llama.cpp in this program, where it was built with the feature `llama`.
    Embedded,
}

/// Whether a server stands in the house.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Locality {
    /// As its address tells: loopback, private and link-local addresses, names without a dot or of the local network.
    #[default]
    Auto,
    /// It does.
    Yes,
    /// It does not.
    No,
}

/// Language models, and the one that is asked first. Without a `url`, or `provider = "embedded"`, there is none, and Hark is complete without.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Llm {
    /// Language the server speaks: Ollama's, or the one of OpenAI that llama.cpp, vLLM, OpenRouter and others speak too. `embedded`: there is no server, llama.cpp in this program runs the model (feature `llama`).
    pub provider: ProviderKind,
    /// Address, such as `http://127.0.0.1:11434` or `https://openrouter.ai/api/v1`; `/v1` is added where the path has no version. Empty: none.
    pub url: String,
    /// Model for what is hard: plans, tools in a row. With `embedded` a name of `hark models list` or the path of a GGUF file.
    pub model: String,
    /// Model for small talk, short answers and checks; empty: `model`.
    pub fast_model: String,
    /// Model for pictures; empty: `model`.
    pub vision_model: String,
    /// Model that decides what is wanted, and for other small checks; empty: `fast_model`.
    pub route_model: String,
    /// Model that answers questions and small talk; empty: `fast_model`.
    pub answer_model: String,
    /// Model for plans and for tools in a row; empty: `model`.
    pub plan_model: String,
    /// Model that takes arguments out of a request; empty: `fast_model`.
    pub extract_model: String,
    /// Short name in lists, and in the systemd credential of its key: `llm-NAME-key`.
    pub name: String,
    /// File that holds the key of the service; empty: systemd credential `llm-NAME-key`, else none.
    #[schemars(extend("x-holds" = "file"))]
    pub key_file: String,
    /// Whether the server stands in the house; `auto` tells by the address.
    pub local: Locality,
    /// What a million tokens of prompts cost there, in cents of your currency; 0: unknown, or nothing.
    #[schemars(range(min = 0, max = 1000000))]
    pub prompt_price_cents: u32,
    /// What a million tokens of answers cost there, in cents.
    #[schemars(range(min = 0, max = 1000000))]
    pub answer_price_cents: u32,
    /// Servers that do not stand in the house may be asked: what was said, and what the home is like, goes there.
    pub allow_cloud: bool,
    /// Most tokens that go to servers outside the house and come from there in a day; then they are not asked any more. 0: no limit.
    #[schemars(range(min = 0, max = 1000000000))]
    pub max_tokens_per_day: u32,
    /// Most that those servers may cost in a day, in cents, where their prices are known. 0: no limit.
    #[schemars(range(min = 0, max = 1000000))]
    pub max_cost_per_day_cents: u32,
    /// How long until the first word of an answer; a cold model must be loaded in this time.
    #[schemars(range(min = 100, max = 300000))]
    pub first_token_timeout_ms: u32,
    /// How long a whole answer may take, with all tries and all servers.
    #[schemars(range(min = 200, max = 900000))]
    pub timeout_ms: u32,
    /// Most tokens of an answer, where a request does not say.
    #[schemars(range(min = 1, max = 100000))]
    pub max_tokens: u32,
    /// Tokens a model may look back on at most: longer prompts are shortened. 0: as its server says, in this program 8192 or what it was trained for. Ollama loads a model for so many.
    #[schemars(range(min = 0, max = 1000000))]
    pub context_tokens: u32,
    /// How long Ollama, or this program, keeps the model loaded after an answer, such as `30m`, `90s` or `24h`; `-1` for ever, `0` not at all.
    pub keep_alive: String,
    /// Threads of a model in this program (`embedded`); 0: one a physical core.
    #[schemars(range(min = 0, max = 256))]
    pub threads: u32,
    /// Answers kept for prompts that are asked again word by word; 0: none.
    #[schemars(range(min = 0, max = 10000))]
    pub cache_entries: u32,
    /// How often servers are looked at, and how long one that failed is passed over.
    #[schemars(range(min = 100, max = 3600000))]
    pub health_ms: u32,
    /// Most that is read of an answer, with everything around its words.
    #[schemars(range(min = 1024, max = 268435456))]
    pub max_answer_bytes: u32,
    /// How often a server is asked that is busy (429) or fails (5xx).
    #[schemars(range(min = 1, max = 10))]
    pub tries: u32,
    /// More servers, each in a table of its own, written by hand in this file: asked after this one and `llm_fallback`, in the order of their names.
    pub servers: BTreeMap<String, LlmFallback>,
}

impl Default for Llm {
    fn default() -> Self {
        let first = LlmFallback::default();
        Self {
            provider: first.provider,
            url: first.url,
            model: first.model,
            fast_model: first.fast_model,
            vision_model: first.vision_model,
            route_model: first.route_model,
            answer_model: first.answer_model,
            plan_model: first.plan_model,
            extract_model: first.extract_model,
            name: "main".into(),
            key_file: first.key_file,
            local: first.local,
            prompt_price_cents: first.prompt_price_cents,
            answer_price_cents: first.answer_price_cents,
            allow_cloud: false,
            max_tokens_per_day: 0,
            max_cost_per_day_cents: 0,
            first_token_timeout_ms: 30_000,
            timeout_ms: 120_000,
            max_tokens: 512,
            context_tokens: 0,
            keep_alive: "30m".into(),
            threads: 0,
            cache_entries: 64,
            health_ms: 60_000,
            max_answer_bytes: 4 * 1024 * 1024,
            tries: 3,
            servers: BTreeMap::new(),
        }
    }
}

/// The language model that is asked when the first cannot be reached, is at its limit or refuses.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct LlmFallback {
    /// Language the server speaks, as in `llm.provider`.
    pub provider: ProviderKind,
    /// Address, as in `llm.url`; empty: there is no second one.
    pub url: String,
    /// Model for what is hard.
    pub model: String,
    /// Model for small talk, short answers and checks; empty: `model`.
    pub fast_model: String,
    /// Model for pictures; empty: `model`.
    pub vision_model: String,
    /// Model that decides what is wanted, and for other small checks; empty: `fast_model`.
    pub route_model: String,
    /// Model that answers questions and small talk; empty: `fast_model`.
    pub answer_model: String,
    /// Model for plans and for tools in a row; empty: `model`.
    pub plan_model: String,
    /// Model that takes arguments out of a request; empty: `fast_model`.
    pub extract_model: String,
    /// Short name, as in `llm.name`.
    pub name: String,
    /// File that holds the key of the service; empty: systemd credential `llm-NAME-key`, else none.
    #[schemars(extend("x-holds" = "file"))]
    pub key_file: String,
    /// Whether the server stands in the house, as in `llm.local`.
    pub local: Locality,
    /// What a million tokens of prompts cost there, in cents of your currency; 0: unknown, or nothing.
    #[schemars(range(min = 0, max = 1000000))]
    pub prompt_price_cents: u32,
    /// What a million tokens of answers cost there, in cents.
    #[schemars(range(min = 0, max = 1000000))]
    pub answer_price_cents: u32,
}

impl Default for LlmFallback {
    fn default() -> Self {
        Self {
            provider: ProviderKind::default(),
            url: String::new(),
            model: String::new(),
            fast_model: String::new(),
            vision_model: String::new(),
            route_model: String::new(),
            answer_model: String::new(),
            plan_model: String::new(),
            extract_model: String::new(),
            name: "fallback".into(),
            key_file: String::new(),
            local: Locality::default(),
            prompt_price_cents: 0,
            answer_price_cents: 0,
        }
    }
}

impl LlmFallback {
    /// Whether there is a model: an address, or one in this program.
    pub fn is_configured(&self) -> bool {
        self.provider == ProviderKind::Embedded || !self.url.trim().is_empty()
    }

    /// Every key that names a model, with what it holds.
    pub fn models_mut(&mut self) -> [&mut String; 7] {
        [
            &mut self.model,
            &mut self.fast_model,
            &mut self.vision_model,
            &mut self.route_model,
            &mut self.answer_model,
            &mut self.plan_model,
            &mut self.extract_model,
        ]
    }
}

impl Llm {
    /// How long a model in this program stays loaded after an answer; `None`: for ever.
    pub fn stays_loaded(&self) -> Option<Duration> {
        keep_alive(&self.keep_alive).unwrap_or_default()
    }

    /// The first server in the form of the second.
    pub fn first(&self) -> LlmFallback {
        LlmFallback {
            provider: self.provider,
            url: self.url.clone(),
            model: self.model.clone(),
            fast_model: self.fast_model.clone(),
            vision_model: self.vision_model.clone(),
            route_model: self.route_model.clone(),
            answer_model: self.answer_model.clone(),
            plan_model: self.plan_model.clone(),
            extract_model: self.extract_model.clone(),
            name: self.name.clone(),
            key_file: self.key_file.clone(),
            local: self.local,
            prompt_price_cents: self.prompt_price_cents,
            answer_price_cents: self.answer_price_cents,
        }
    }

    /// Takes the models of the first server over.
    pub fn take_models(&mut self, first: &LlmFallback) {
        self.model.clone_from(&first.model);
        self.fast_model.clone_from(&first.fast_model);
        self.vision_model.clone_from(&first.vision_model);
        self.route_model.clone_from(&first.route_model);
        self.answer_model.clone_from(&first.answer_model);
        self.plan_model.clone_from(&first.plan_model);
        self.extract_model.clone_from(&first.extract_model);
    }

    /// Every server with its section, in the order in which they are asked; those without an address too.
    pub fn all(&self, second: &LlmFallback) -> Vec<(String, LlmFallback)> {
        let named = |(name, server): (&String, &LlmFallback)| {
            (format!("llm.servers.{name}"), LlmFallback { name: name.clone(), ..server.clone() })
        };
        let more = self.servers.iter().map(named);
        [("llm".to_owned(), self.first()), ("llm_fallback".to_owned(), second.clone())]
            .into_iter()
            .chain(more)
            .collect()
    }
}

/// How long a model stays loaded, written as Ollama understands it: `-1` for ever (`Some(None)`), `0`, or numbers with units as in
/// Go; `None` when it is none of these.
pub(super) fn keep_alive(text: &str) -> Option<Option<Duration>> {
    match text {
        "-1" => return Some(None),
        "0" => return Some(Some(Duration::ZERO)),
        "" => return None,
        _ => {}
    }
    let (mut rest, mut millis) = (text, 0);
    while !rest.is_empty() {
        let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let units = [("ms", 1), ("s", 1_000), ("m", 60_000), ("h", 3_600_000)];
        let unit = units.iter().find_map(|(unit, one)| Some((rest[digits..].strip_prefix(unit)?, one)));
        let (after, one) = unit.filter(|_| (1..=6).contains(&digits))?;
        millis += rest[..digits].parse::<u64>().ok()? * one;
        rest = after;
    }
    Some(Some(Duration::from_millis(millis)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_of_time_are_told_from_other_words() {
        for (good, seconds) in [("0", 0), ("30m", 1_800), ("90s", 90), ("1h30m", 5_400), ("24h", 86_400)] {
            assert_eq!(keep_alive(good), Some(Some(Duration::from_secs(seconds))), "{good}");
        }
        assert_eq!(keep_alive("250ms"), Some(Some(Duration::from_millis(250))));
        assert_eq!(keep_alive("-1"), Some(None));
        for bad in ["", "30", "m", "30 m", "-5m", "1d", "30m!", "for ever", "9999999s"] {
            assert_eq!(keep_alive(bad), None, "{bad}");
        }
    }
}
