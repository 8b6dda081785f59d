//! A language model: Ollama on this machine or another one of the network, or any server by its address.

use super::Setup;
use super::dialogue::Answer;
use crate::app::setup::language_model::{PORT, asked, keys, machines, models_at, provider_name};
use crate::cli::common::waiting;
use hark_config::llm::ProviderKind;
use hark_config::paths::credentials_dir;
use hark_core::Fault;
use hark_core::model::ModelListing;
use std::net::IpAddr;

/// Looks for a language model, and tries it.
pub(super) fn model(setup: &mut Setup) -> Answer<String> {
    setup.talk.say("model_intro", &[]);
    let (here, others) = machines();
    let mut servers = look(&[here])?;
    let before = setup.config()?.llm;
    if servers.is_empty() {
        setup.talk.say("model_not_here", &[]);
        let count = others.len().to_string();
        if !others.is_empty() && setup.talk.confirm(&setup.text("model_search", &[("count", &count)]))? {
            servers = look(&others)?;
        }
    }
    loop {
        let mut urls = servers.clone();
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
        let config = setup.config()?;
        let (provider, models) = match waiting("llm", models_at(&config, &url)) {
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
        let written = keys(provider_name(provider), &url, name);
        setup.write(written.map(|(key, value)| (key, value.into())))?;
        let config = setup.config()?;
        return Ok(waiting("llm", hark_agent::probe(&config, credentials_dir().as_deref()))?);
    }
}

/// Addresses of those of these machines that have Ollama's port open.
fn look(hosts: &[IpAddr]) -> Result<Vec<String>, Fault> {
    waiting("discovery", async { Ok(asked(hosts).await) })
}

fn shown(model: &ModelListing) -> String {
    match model.size_bytes {
        Some(size) => format!("{}  ({:.1} GB)", model.name, size as f64 / 1e9),
        None => model.name.clone(),
    }
}
