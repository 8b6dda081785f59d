//! Language models over real sockets: a scripted server speaks both wire formats, well and badly, and what Hark makes
//! of it is looked at from both ends. Times decide nothing here; what happened does.
mod faults;
mod limits;
mod measured;
mod obedient;
mod real;
mod servers;
mod windows;
mod wire;

use crate::support::model_server::ModelServer;
use hark_agent as llm;
use hark_config::Config;
use hark_config::llm::ProviderKind;
use hark_core::Risk;
use hark_core::model::{
    Completion, Deliveries, Difficulty, LanguageModel, Message, ModelError, PieceSink, Prompt, Purpose, Role,
    ToolSpec,
};
use serde_json::json;
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex};

/// Both languages a server may speak.
const BOTH: [ProviderKind; 2] = [ProviderKind::Ollama, ProviderKind::Openai];

/// A configuration that uses this server alone, with time enough for a busy machine.
fn config(server: &ModelServer, kind: ProviderKind) -> Config {
    let mut config = Config::default();
    config.llm.provider = kind;
    config.llm.url = server.url();
    config.llm.model = "toy".into();
    config.llm.first_token_timeout_ms = 60_000;
    config.llm.timeout_ms = 120_000;
    config
}

/// The same with a second server.
fn with_second(mut config: Config, server: &ModelServer, kind: ProviderKind) -> Config {
    config.llm_fallback.provider = kind;
    config.llm_fallback.url = server.url();
    config.llm_fallback.model = "toy".into();
    config
}

fn open(config: &Config) -> Arc<dyn LanguageModel> {
    llm::open(config, None).unwrap().expect("a configured language model")
}

fn prompt(words: &str) -> Prompt {
    Prompt {
        messages: vec![Message::new(Role::System, "Be brief."), Message::new(Role::User, words)],
        tools: Vec::new(),
        difficulty: Difficulty::Complex,
        purpose: Purpose::Plan,
        model: None,
        schema: None,
        max_tokens: None,
        temperature: 0.7,
        deliveries: Deliveries::default(),
    }
}

fn tool(name: &str) -> ToolSpec {
    ToolSpec {
        name: name.into(),
        description: "Switches something on.".into(),
        schema: json!({"type": "object", "properties": {"name": {"type": "string"}}}),
        results: Vec::new(),
        risk: Risk::Write,
        triggers: Vec::new(),
        agent: "home".into(),
        outside: false,
    }
}

async fn ask(model: &Arc<dyn LanguageModel>, words: &str) -> Result<Completion, ModelError> {
    model.complete(prompt(words), None).await
}

/// Collects what is handed over.
#[derive(Clone, Default)]
struct Heard(Arc<Mutex<Vec<String>>>);

impl Heard {
    fn sink(&self) -> PieceSink {
        self.then(|_| ControlFlow::Continue(()))
    }

    /// Collects, and decides by what was heard so far.
    fn then(&self, mut decide: impl FnMut(&str) -> ControlFlow<()> + Send + 'static) -> PieceSink {
        let pieces = self.0.clone();
        Box::new(move |words| {
            let mut pieces = pieces.lock().unwrap();
            pieces.push(words.to_owned());
            decide(&pieces.concat())
        })
    }

    fn words(&self) -> String {
        self.0.lock().unwrap().concat()
    }
}
