//! Language models: Ollama and servers that speak OpenAI's protocol, with fallbacks, limits, retries, time-outs and a small
//! cache; a request is cancelled when its caller is gone. `openai` and `ollama` know the two wire formats, `reader` the
//! framing of both; `provider` asks one server once, `embedded` a model in this program, `manager` decides which and how often. `window` finds out how much a model can
//! look back on, `fitting` keeps prompts within it, `text_tools` tells tools in words where a server knows none. Called on the runtime.
//!
//! ```
//! let config = hark_config::Config::default();
//! assert!(hark_agent::open(&config, None)?.is_none(), "no language model is configured");
//! # Ok::<(), hark_core::Fault>(())
//! ```

mod address;
mod answer;
mod budget;
mod cache;
mod choice;
mod context_window;
mod embedded;
mod error;
mod fitting;
mod health;
mod key;
mod listener;
mod listing;
mod manager;
mod provider;
mod refusal;
mod server;
mod spending;
mod text_tools;
mod thoughts;
mod window;
mod wire;
mod words;

pub use error::Error;

use choice::Models;
use hark_config::Config;
use hark_config::llm::ProviderKind;
use hark_core::model::LanguageModel;
use hark_core::{Fault, FaultKind};
use manager::Manager;
use serde_json::Value;
use std::path::Path;
use std::sync::Arc;

/// Prepares for asking; nobody is asked yet. `None` when no language model is configured. `credentials_dir` is
/// systemd's `$CREDENTIALS_DIRECTORY`. Models of `provider = "embedded"` must be named by the paths of their files.
///
/// # Errors
/// `BadConfiguration` when an address or a key cannot be used, or every server is in a cloud that may not be asked.
pub fn open(
    config: &Config,
    credentials_dir: Option<&Path>,
) -> Result<Option<Arc<dyn LanguageModel>>, Fault> {
    let manager = Manager::open(config, credentials_dir)?;
    Ok(manager.map(|manager| Arc::new(manager) as Arc<dyn LanguageModel>))
}

/// What a person can name to have one request answered by it: the configured servers and their models, in order of preference.
pub fn names(config: &Config) -> Vec<String> {
    let mut names = Vec::new();
    for (_, server) in config.llm.all(&config.llm_fallback) {
        if !server.is_configured() {
            continue;
        }
        // Models of this program are paths.
        let is_embedded = server.provider == ProviderKind::Embedded;
        let models = Models::new(&server);
        let models =
            models.all().into_iter().filter(|model| !is_embedded && !model.is_empty()).map(str::to_owned);
        for name in std::iter::once(server.name.clone()).chain(models) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
    }
    names
}

/// Says how the configured servers answer, for `hark doctor`.
///
/// # Errors
/// When the configuration is wrong, or a server does not answer, refuses, or lacks a model.
pub async fn probe(config: &Config, credentials_dir: Option<&Path>) -> Result<String, Fault> {
    let Some(manager) = Manager::open(config, credentials_dir)? else {
        return Ok("off (llm.url is empty)".into());
    };
    manager.report().await.map_err(|error| {
        let fix = "start the server, and check [llm]; `hark models list` shows the models it has";
        Fault::new(FaultKind::Unavailable, "llm", error.to_string(), fix).recoverable()
    })
}

/// An `f32` as JSON without the digits that nobody wrote.
fn number(value: f32) -> Value {
    value.to_string().parse::<f64>().map_or(Value::Null, Value::from)
}
