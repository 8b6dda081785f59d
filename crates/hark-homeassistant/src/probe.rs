//! Checks Home Assistant from outside the daemon, for `hark doctor`.

use super::state_cache::StateCache;
use super::token::TokenFile;
use super::websocket::{ApiHandle, WebSocketTask};
use super::{address, home_reader, limits, websocket};
use hark_config::homeassistant::HomeAssistant as Config;
use hark_config::paths;
use hark_core::fault::{Fault, FaultKind};
use serde_json::json;
use std::sync::Arc;

/// Says how the configured Home Assistant answers: logs in, reads the home, and leaves.
///
/// # Errors
/// When the configuration is wrong, it does not answer or refuses, or there is nothing in it for Hark.
pub async fn probe(config: &Config) -> Result<String, Fault> {
    if config.url.trim().is_empty() {
        return Ok("off (homeassistant.url is empty)".into());
    }
    let url = address::websocket_url(&config.url)?;
    let (api, socket_task, version) = log_in(config, &url).await?;
    let snapshot = tokio::select! {
        error = socket_task.run() => Err(error),
        snapshot = home_reader::read(&api, &url, config.exposed_only) => snapshot,
    }?;
    let (areas, entities) = (snapshot.home.areas.len(), snapshot.home.entities.len());
    if entities == 0 && config.exposed_only {
        let fix = "expose entities to Assist there (Settings, Voice assistants), or set homeassistant.exposed_only = false";
        let message = format!("Home Assistant {version} at {url} exposes nothing to Assist");
        return Err(Fault::new(FaultKind::Unavailable, "homeassistant", message, fix));
    }
    // Without it everything that has no unique id is left out.
    let unseen = match config.exposed_only && !snapshot.exposure.is_told() {
        true => {
            "; it tells the owner of this token only in part what is exposed: make an administrator's token"
        }
        false => "",
    };
    Ok(format!("Home Assistant {version} at {url} lets Hark in: {areas} areas, {entities} entities{unseen}"))
}

/// The time zone the configured Home Assistant is set to, as the tz database names it; `None` where none is configured
/// or it does not tell.
///
/// # Errors
/// When the configuration is wrong, or it does not let Hark in.
pub async fn time_zone(config: &Config) -> Result<Option<String>, Fault> {
    if config.url.trim().is_empty() {
        return Ok(None);
    }
    let (api, socket_task, _) = log_in(config, &address::websocket_url(&config.url)?).await?;
    let answer = tokio::select! {
        error = socket_task.run() => return Err(error.into()),
        answer = api.ask(json!({"type": "get_config"})) => answer,
    };
    Ok(answer.ok().and_then(|settings| Some(settings["time_zone"].as_str()?.to_owned())))
}

/// A connection of its own, which the caller runs, and the version that answers.
async fn log_in(config: &Config, url: &str) -> Result<(ApiHandle, WebSocketTask, String), Fault> {
    let token = TokenFile::find(config, paths::credentials_dir().as_deref())?.read()?;
    Ok(websocket::connect(url, &token, limits(config), Arc::new(StateCache::default())).await?)
}
