//! What brings things into the home besides its file: Home Assistant.

use super::live::report;
use super::mailbox::Mailbox;
use super::workshop::{Faults, load_home};
use crate::acting::home::HomeRegistry;
use crate::config::Config;
use crate::domain::Fault;
use crate::domain::home::Home;
use crate::domain::ports::HomeView;
use crate::integrations::homeassistant::HomeAssistant;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::runtime::Runtime;

/// Starts the connection to Home Assistant, if one is configured, and waits until its rooms and names are
/// known or the first attempt failed. Faults go into the mailbox.
///
/// # Errors
/// When its configuration is wrong.
pub(super) fn homeassistant(
    config: &Config,
    home: &Arc<HomeRegistry>,
    mailbox: &Arc<Mailbox>,
    runtime: &Runtime,
) -> Result<Option<HomeAssistant>, Fault> {
    let mailbox = mailbox.clone();
    let faults = Arc::new(move |fault| report(&mailbox, fault));
    let started = HomeAssistant::start(&config.homeassistant, home.clone(), faults, runtime.handle())?;
    if let Some(homeassistant) = &started {
        first_look(homeassistant, config, runtime);
    }
    Ok(started)
}

fn first_look(homeassistant: &HomeAssistant, config: &Config, runtime: &Runtime) {
    // Connecting, then reading the registries, each with its own limit.
    let limit = Duration::from_millis(config.homeassistant.connect_timeout_ms.into()) * 2;
    runtime.block_on(async {
        if tokio::time::timeout(limit, homeassistant.tried()).await.is_err() {
            tracing::warn!("Home Assistant takes long; its rooms and names come later");
        }
    });
}

/// The home as it is at this moment, from all sources, and what does not work.
///
/// # Errors
/// When the home's file or the configuration of a source is wrong.
pub fn look(config: &Config) -> Result<(Home, Faults), Faults> {
    let home = Arc::new(HomeRegistry::new(load_home(config)?));
    let faults = Arc::new(Mutex::new(Vec::new()));
    if !config.homeassistant.url.is_empty() {
        let no_runtime = |error: std::io::Error| {
            vec![Fault::new(crate::domain::FaultKind::Failed, "home", error.to_string(), "")]
        };
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .map_err(no_runtime)?;
        let found = faults.clone();
        let sink = Arc::new(move |fault| found.lock().unwrap_or_else(PoisonError::into_inner).push(fault));
        let started = HomeAssistant::start(&config.homeassistant, home.clone(), sink, runtime.handle());
        if let Some(homeassistant) = started.map_err(|fault| vec![fault])? {
            first_look(&homeassistant, config, &runtime);
        }
    }
    let found = std::mem::take(&mut *faults.lock().unwrap_or_else(PoisonError::into_inner));
    Ok((Home::clone(&home.home()), found))
}
