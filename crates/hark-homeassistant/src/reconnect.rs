//! The task that keeps the node connected to Home Assistant: connects, and after every loss reconnects with growing pauses
//! (back-off). After a refused token it waits until the token file changes.

use super::error::Error;
use super::home_snapshot::HomeSnapshot;
use super::home_sync::{HomeSync, SyncProgress};
use super::state_cache::StateCache;
use super::token::Token;
use super::{ClientState, SOURCE, websocket};
use hark_core::fault::Fault;
use hark_net::backoff::{Backoff, Policy};
use std::mem::Discriminant;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{Instant, sleep};

/// A connection that held this long resets the back-off.
const MIN_STABLE: Duration = Duration::from_secs(10);

/// How often it is looked whether the token has changed, after it was refused.
const TOKEN_POLL: Duration = Duration::from_secs(5);

/// A token that was refused is tried again after this long: Home Assistant bans who keeps on trying, but its
/// user may have been disabled for a while only.
const TOKEN_RETRY: Duration = Duration::from_secs(3600);

/// Connects again and again.
pub async fn run(shared: Arc<ClientState>) {
    let mut backoff = Backoff::new(Policy::CONNECTION);
    // Kinds of errors that were reported in this outage: each is news once.
    let mut reported: Vec<Discriminant<Error>> = Vec::new();
    loop {
        let (error, token, lasted) = attempt(&shared).await;
        if lasted.is_some_and(|lasted| lasted >= MIN_STABLE) {
            backoff.reset();
        }
        if lasted.is_some() {
            reported.clear();
        }
        let kind = std::mem::discriminant(&error);
        let is_refused = matches!(error, Error::WrongToken { .. });
        let fault = Fault::from(error).recoverable();
        tracing::debug!(%fault, "no connection to Home Assistant");
        shared.lost(fault.clone());
        if !reported.contains(&kind) {
            reported.push(kind);
            (shared.faults)(fault);
        }
        shared.tried.send_replace(true);
        match token.filter(|_| is_refused) {
            Some(token) => wait_for_new_token(&shared, &token).await,
            None => sleep(backoff.next_wait()).await,
        }
    }
}

/// One connection to its end: why it ended, the token it was made with, and how long the home was known.
async fn attempt(shared: &ClientState) -> (Error, Option<Token>, Option<Duration>) {
    let token = match shared.token.read() {
        Ok(token) => token,
        Err(error) => return (error, None, None),
    };
    let state_cache = Arc::new(StateCache::default());
    let (api, socket_task, version) =
        match websocket::connect(&shared.url, &token, shared.limits, Arc::clone(&state_cache)).await {
            Ok(connected) => connected,
            Err(error) => return (error, Some(token), None),
        };
    let known = std::sync::OnceLock::new();
    let sync =
        HomeSync::new(api.clone(), &shared.url, shared.exposed_only, state_cache, shared.sink.as_ref());
    let sync = sync.run(|step| match step {
        SyncProgress::Read(snapshot) => {
            known.get_or_init(Instant::now);
            shared.read(&api, &version, snapshot);
        }
        SyncProgress::Followed => drop(shared.tried.send_replace(true)),
    });
    // Requests wait for the socket task: the first of the two to end ends both.
    let error = tokio::select! {
        error = socket_task.run() => error,
        error = sync => error,
    };
    (error, Some(token), known.get().map(Instant::elapsed))
}

/// Waits until the token file holds another token, or for a long time.
async fn wait_for_new_token(shared: &ClientState, refused: &Token) {
    let end = Instant::now() + TOKEN_RETRY;
    while Instant::now() < end {
        sleep(TOKEN_POLL).await;
        if shared.token.read().is_ok_and(|token| token != *refused) {
            return;
        }
    }
}

impl ClientState {
    /// The home was read.
    fn read(&self, api: &websocket::ApiHandle, version: &str, snapshot: &HomeSnapshot) {
        let mut now = self.lock();
        if !now.status.connected {
            let entities = snapshot.home.entities.len();
            tracing::info!(version, entities, url = self.url, "connected to Home Assistant");
        }
        now.api = Some(api.clone());
        now.areas.clone_from(&snapshot.home.areas);
        now.exposure.clone_from(&snapshot.exposure);
        now.status.connected = true;
        now.status.problem = None;
        now.status.version = Some(version.to_owned());
        now.status.entities = snapshot.home.entities.len();
    }

    /// There is no connection.
    fn lost(&self, fault: Fault) {
        let was_there = {
            let mut now = self.lock();
            now.api = None;
            now.status.problem = Some(fault);
            std::mem::replace(&mut now.status.connected, false)
        };
        if was_there {
            self.sink.away(SOURCE);
        }
    }
}
