//! A language model: Ollama on this machine or another one of the network, or any server by its address.

use super::Setup;
use super::dialogue::Answer;
use crate::cli::common::waiting;
use hark_config::Config;
use hark_config::llm::ProviderKind;
use hark_config::paths::credentials_dir;
use hark_core::model::ModelListing;
use hark_core::{Fault, FaultKind};
use hark_discovery::{neighbours, open};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::time::Duration;

/// Where Ollama listens.
const PORT: u16 = 11434;
/// How long a machine of the network may take to answer a connection.
const PATIENCE: Duration = Duration::from_millis(600);

/// Looks for a language model, and tries it.
pub(super) fn model(setup: &mut Setup) -> Answer<String> {
    setup.talk.say("model_intro", &[]);
    let mut servers = asked(&[IpAddr::V4(Ipv4Addr::LOCALHOST)])?;
    let before = setup.config()?.llm;
    if servers.is_empty() {
        setup.talk.say("model_not_here", &[]);
        let others = neighbours();
        let count = others.len().to_string();
        if !others.is_empty() && setup.talk.confirm(&setup.text("model_search", &[("count", &count)]))? {
            servers = asked(&others)?;
        }
    }
    loop {
        let mut urls: Vec<String> = servers.iter().map(|server| format!("http://{server}")).collect();
        if !before.url.is_empty() && !urls.contains(&before.url) {
            urls.insert(0, before.url.clone());
        }
        let none = setup.text("model_none", &[]);
        let mut options = urls.clone();
        options.extend([setup.text("another_address", &[]), none.clone()]);
        let usual =
            urls.iter().position(|url| *url == before.url).unwrap_or(if urls.is_empty() { 1 } else { 0 });
        let chosen = setup.talk.choose(&setup.text("model_where", &[]), &options, usual)?;
        let url = match urls.get(chosen) {
            Some(url) => url.clone(),
            None if chosen == urls.len() => {
                let usual = format!("http://127.0.0.1:{PORT}");
                setup.talk.line(&setup.text("address", &[]), Some(&usual), |typed| Ok(typed.to_owned()))?
            }
            None => {
                setup.write([("llm.url", "".into())])?;
                // A model in this program has no address to clear.
                if before.provider == ProviderKind::Embedded {
                    setup.write([("llm.provider", "ollama".into())])?;
                }
                return Ok(none);
            }
        };
        let (provider, models) = match models_at(&setup.config()?, &url) {
            Ok(found) => found,
            Err(fault) => {
                setup.talk.trouble(&fault);
                continue;
            }
        };
        if models.is_empty() {
            setup.talk.say("model_empty", &[("url", &url)]);
            continue;
        }
        let options: Vec<String> = models.iter().map(shown).collect();
        let usual = models.iter().position(|model| model.name == before.model).unwrap_or(0);
        let name = &models[setup.talk.choose(&setup.text("model_which", &[]), &options, usual)?].name;
        let kind = match provider {
            ProviderKind::Ollama => "ollama",
            ProviderKind::Openai => "openai",
            ProviderKind::Embedded => "embedded",
        };
        setup.write([
            ("llm.provider", kind.into()),
            ("llm.url", url.as_str().into()),
            ("llm.model", name.as_str().into()),
        ])?;
        let config = setup.config()?;
        return Ok(waiting("llm", hark_agent::probe(&config, credentials_dir().as_deref()))?);
    }
}

/// Those of these machines that have Ollama's port open.
fn asked(hosts: &[IpAddr]) -> Result<Vec<SocketAddr>, Fault> {
    waiting("discovery", async { Ok(open(hosts, PORT, PATIENCE).await) })
}

/// The models of a server, in whichever of the two languages it answers.
fn models_at(config: &Config, url: &str) -> Result<(ProviderKind, Vec<ModelListing>), Fault> {
    let ask = |provider: ProviderKind| {
        let mut asked = config.clone();
        asked.llm.provider = provider;
        url.clone_into(&mut asked.llm.url);
        asked.llm_fallback.url.clear();
        let server = hark_agent::open(&asked, credentials_dir().as_deref())?;
        let none = || Fault::new(FaultKind::BadInput, "llm", "there is no address", "give one");
        let server = server.ok_or_else(none)?;
        let (models, mut errors) = waiting("llm", async { Ok(server.models().await) })?;
        match errors.pop() {
            Some(error) => {
                let fix = "start the server, and let it listen for this machine (`OLLAMA_HOST=0.0.0.0`)";
                Err(Fault::new(FaultKind::Unavailable, "llm", error.to_string(), fix))
            }
            None => Ok((provider, models)),
        }
    };
    ask(ProviderKind::Ollama).or_else(|fault| ask(ProviderKind::Openai).map_err(|_| fault))
}

fn shown(model: &ModelListing) -> String {
    match model.size_bytes {
        Some(size) => format!("{}  ({:.1} GB)", model.name, size as f64 / 1e9),
        None => model.name.clone(),
    }
}
