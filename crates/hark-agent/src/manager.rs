//! Decides which server is asked, how often, and whether the answer is known already.

use super::cache::Cache;
use super::embedded::Embedded;
use super::error::Error;
use super::listener::{Failure, Listener};
use super::provider::{Deadline, Provider};
use super::server::Server;
use super::spending::Spending;
use super::wire::Wire;
use futures_util::future::join_all;
use hark_config::Config;
use hark_config::llm::{Llm, LlmFallback};
use hark_core::model::{
    Completion, CompletionFuture, LanguageModel, ListingFuture, ModelError, PieceSink, Prompt,
};
use hark_llama::{Engine, Settings};
use hark_net::backoff::{Backoff, Policy};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::time::{Instant, sleep};

/// Longest wait for a busy server while there is another one. Without another, nobody waits longer for leave to ask
/// than for the first word.
const SWITCH: Duration = Duration::from_secs(2);

/// Waits before a busy server is asked again.
const RETRY_BACKOFF: Policy = Policy {
    first: Duration::from_millis(500),
    longest: Duration::from_secs(8),
    growth: 2.0,
    jitter: 0.5,
    shortest: Duration::ZERO,
};

/// All servers in order of preference.
pub(super) struct Manager(Arc<Inner>);

struct Inner {
    servers: Vec<Server>,
    cache: Mutex<Cache>,
    whole: Duration,
    /// How long a server that failed is passed over.
    rest: Duration,
    tries: u32,
}

impl Manager {
    /// All configured servers that may be asked; `None` when none is configured.
    pub(super) fn open(config: &Config, credentials_dir: Option<&Path>) -> Result<Option<Self>, Error> {
        let first = &config.llm;
        let all = first.all(&config.llm_fallback).into_iter().map(|(_, server)| server);
        let configured: Vec<LlmFallback> = all.filter(LlmFallback::is_configured).collect();
        let Some(preferred) = configured.first() else { return Ok(None) };
        let state_dir = config.paths.state_dir().ok();
        let spending = Arc::new(Spending::open(first, state_dir.as_deref()));
        let mut servers = Vec::new();
        // One thread for all models in this program, so that only one of them is loaded.
        let mut engine: Option<Arc<Engine>> = None;
        for server in &configured {
            let Some(wire) = Wire::of(server.provider) else {
                let engine = match &engine {
                    Some(engine) => engine.clone(),
                    None => engine.insert(Arc::new(start(first)?)).clone(),
                };
                servers.push(Server::Embedded(Box::new(Embedded::new(server, first, engine))));
                continue;
            };
            let provider = Provider::new(server, wire, first, spending.clone(), credentials_dir)?;
            if first.allow_cloud || !provider.is_outside {
                servers.push(Server::Remote(Box::new(provider)));
            } else {
                tracing::info!(server = provider.address.shown(), "not in the house: never asked");
            }
        }
        if servers.is_empty() {
            return Err(Error::OnlyCloud(super::error::shortened(&preferred.url)));
        }
        Ok(Some(Self(Arc::new(Inner {
            servers,
            cache: Mutex::new(Cache::new(first.cache_entries as usize)),
            whole: Duration::from_millis(first.timeout_ms.into()),
            rest: Duration::from_millis(first.health_ms.into()),
            tries: first.tries,
        }))))
    }

    /// How all servers answer, in words.
    pub(super) async fn report(&self) -> Result<String, ModelError> {
        let mut words = Vec::new();
        for server in &self.0.servers {
            words.push(server.report(self.0.rest).await?);
        }
        Ok(words.join("; "))
    }
}

impl LanguageModel for Manager {
    fn complete(&self, prompt: Prompt, sink: Option<PieceSink>) -> CompletionFuture {
        let inner = self.0.clone();
        Box::pin(async move { inner.complete(&prompt, Listener::new(sink)).await })
    }

    fn models(&self) -> ListingFuture {
        let inner = self.0.clone();
        Box::pin(async move {
            let looks = inner.servers.iter().map(|server| server.look(inner.rest));
            let (mut models, mut faults) = (Vec::new(), Vec::new());
            for found in join_all(looks).await {
                match found {
                    Ok(found) => models.extend(found),
                    Err(error) => faults.push(error),
                }
            }
            (models, faults)
        })
    }

    fn trouble(&self) -> Option<ModelError> {
        let mut troubles = self.0.servers.iter().map(|server| server.health().trouble());
        let first = troubles.next()??;
        troubles.all(|trouble| trouble.is_some()).then_some(first)
    }

    fn doubt(&self) -> Option<ModelError> {
        self.0.servers.iter().find_map(|server| server.health().doubt())
    }
}

impl Inner {
    async fn complete(&self, prompt: &Prompt, mut listener: Listener) -> Result<Completion, ModelError> {
        let key = self.cache().key(prompt);
        if let Some(known) = key.as_ref().and_then(|key| self.cache().get(key)) {
            listener.hand(&known.text)?;
            return Ok(known);
        }
        let whole_ms = u64::try_from(self.whole.as_millis()).unwrap_or(u64::MAX);
        let deadline = Deadline { at: Instant::now() + self.whole, whole_ms };
        let mut first_error = None;
        let order = self.order(prompt.model.as_deref())?;
        for (place, server) in order.iter().enumerate() {
            let others = place + 1 < order.len();
            let patience = if others { SWITCH.min(server.first_token()) } else { server.first_token() };
            let asking = self.ask_with_retries(server, prompt, &mut listener, deadline, patience);
            let error = match Box::pin(asking).await {
                Ok(answer) => {
                    server.health().is_well();
                    if let Some(key) = key {
                        self.cache().put(key, &answer);
                    }
                    return Ok(answer);
                }
                Err(error) => error,
            };
            if error == ModelError::Stopped {
                return Err(error);
            }
            server.health().has_failed(&error, self.rest);
            tracing::warn!(%error, "language model failed");
            // What was heard cannot be taken back: nobody else begins anew.
            if listener.has_heard() {
                return Err(error);
            }
            first_error.get_or_insert(error);
            if Instant::now() >= deadline.at {
                break;
            }
        }
        Err(first_error.unwrap_or(ModelError::NotConfigured))
    }

    /// Asks one server, again while that may help and no wait is longer than `patience`.
    async fn ask_with_retries(
        &self,
        server: &Server,
        prompt: &Prompt,
        listener: &mut Listener,
        deadline: Deadline,
        patience: Duration,
    ) -> Result<Completion, ModelError> {
        let too_long = |wait: Duration| wait > patience || Instant::now() + wait >= deadline.at;
        let (mut failures, mut backoff) = (0, Backoff::new(RETRY_BACKOFF));
        loop {
            while let Err(wait) = server.take(prompt) {
                if too_long(wait) {
                    return Err(ModelError::RateLimited(server.place()));
                }
                sleep(wait).await;
            }
            let (error, wait) = match server.ask(prompt, listener, deadline).await {
                Ok(answer) => return Ok(answer),
                Err(Failure::Passing(error, wait)) => (error, wait),
                Err(failure) => return Err(server.error(failure)),
            };
            failures += 1;
            let wait = wait.unwrap_or_default().max(backoff.next_wait());
            if failures >= self.tries || listener.has_heard() || too_long(wait) {
                return Err(error);
            }
            tracing::debug!(%error, wait_ms = wait.as_millis(), "language model is asked again");
            sleep(wait).await;
        }
    }

    /// The servers to ask, in order of preference, without those that are down; all of them when all are down. A server that was
    /// named is not replaced by another.
    fn order(&self, named: Option<&str>) -> Result<Vec<&Server>, ModelError> {
        let is_meant = |server: &&Server| named.is_none_or(|name| server.is_named(name));
        let meant: Vec<&Server> = self.servers.iter().filter(is_meant).collect();
        if let (Some(named), true) = (named, meant.is_empty()) {
            let place = "[llm], as far as it may be asked,".to_owned();
            return Err(ModelError::NoSuchModel(place, named.to_owned()));
        }
        let up: Vec<&Server> = meant.iter().copied().filter(|server| !server.health().is_down()).collect();
        Ok(if up.is_empty() { meant } else { up })
    }

    fn cache(&self) -> MutexGuard<'_, Cache> {
        // Nothing that holds it can leave it half changed.
        self.cache.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Starts the thread of models in this program.
fn start(config: &Llm) -> Result<Engine, Error> {
    let settings = Settings {
        threads: config.threads,
        context_tokens: config.context_tokens,
        idle: config.stays_loaded(),
    };
    Engine::start(settings).map_err(Error::Embedded)
}
