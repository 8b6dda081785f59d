//! A language model: servers of Ollama on this machine or the network, and what any server has.

use hark_config::Config;
use hark_config::llm::ProviderKind;
use hark_config::paths::credentials_dir;
use hark_core::model::ModelListing;
use hark_core::{Fault, FaultKind};
use hark_discovery::{neighbours, open};
use std::net::{IpAddr, Ipv4Addr};
use std::time::Duration;

/// Where Ollama listens.
pub(crate) const PORT: u16 = 11434;
/// How long a machine of the network may take to answer a connection.
const PATIENCE: Duration = Duration::from_millis(600);

/// Addresses of those of these machines that have Ollama's port open.
pub(crate) async fn asked(hosts: &[IpAddr]) -> Vec<String> {
    open(hosts, PORT, PATIENCE).await.iter().map(|server| format!("http://{server}")).collect()
}

/// This machine, and the others that may be on its network.
pub(crate) fn machines() -> (IpAddr, Vec<IpAddr>) {
    (IpAddr::V4(Ipv4Addr::LOCALHOST), neighbours())
}

/// The models of a server, in whichever of the two languages it answers.
///
/// # Errors
/// When none answers there.
pub(crate) async fn models_at(
    config: &Config,
    url: &str,
) -> Result<(ProviderKind, Vec<ModelListing>), Fault> {
    match ask(config, url, ProviderKind::Ollama).await {
        Ok(models) => Ok((ProviderKind::Ollama, models)),
        Err(fault) => match ask(config, url, ProviderKind::Openai).await {
            Ok(models) => Ok((ProviderKind::Openai, models)),
            Err(_) => Err(fault),
        },
    }
}

async fn ask(config: &Config, url: &str, provider: ProviderKind) -> Result<Vec<ModelListing>, Fault> {
    let mut asked = config.clone();
    asked.llm.provider = provider;
    url.clone_into(&mut asked.llm.url);
    asked.llm_fallback.url.clear();
    // A key is never sent to another server than the one it was given for.
    if !config.llm.url.is_empty() && url != config.llm.url {
        asked.llm.key_file.clear();
    }
    let server = hark_agent::open(&asked, credentials_dir().as_deref())?;
    let none = || Fault::new(FaultKind::BadInput, "llm", "there is no address", "give one");
    let (models, mut errors) = server.ok_or_else(none)?.models().await;
    match errors.pop() {
        Some(error) => {
            let fix = "start the server, and let it listen for this machine (`OLLAMA_HOST=0.0.0.0`)";
            Err(Fault::new(FaultKind::Unavailable, "llm", error.to_string(), fix))
        }
        None => Ok(models),
    }
}

/// What `llm.provider` holds for a server.
pub(crate) const fn provider_name(provider: ProviderKind) -> &'static str {
    match provider {
        ProviderKind::Ollama => "ollama",
        ProviderKind::Openai => "openai",
        ProviderKind::Embedded => "embedded",
    }
}

/// The keys that are to be written where a model is used.
pub(crate) fn keys(provider: &str, url: &str, model: &str) -> [(&'static str, String); 3] {
    [("llm.provider", provider.to_owned()), ("llm.url", url.to_owned()), ("llm.model", model.to_owned())]
}
