//! The task that keeps a connection: one session after the other, with growing pauses.

use super::error::Error;
use super::inbox::Inbox;
use super::picture::Picture;
use super::session::{Session, Step};
use super::token::Token;
use super::{SOURCE, Shared, link};
use hark_core::fault::Fault;
use hark_net::backoff::{Backoff, Policy};
use std::mem::Discriminant;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{Instant, sleep};

/// A connection that held this long was a good one.
const STABLE: Duration = Duration::from_secs(10);

/// How often it is looked whether the token has changed, after it was refused.
const TOKEN_LOOK: Duration = Duration::from_secs(5);

/// A token that was refused is tried again after this long: Home Assistant bans who keeps on trying, but its
/// user may have been disabled for a while only.
const TOKEN_AGAIN: Duration = Duration::from_secs(3600);

/// Connects again and again.
pub async fn run(shared: Arc<Shared>) {
    let mut backoff = Backoff::new(Policy::CONNECTION);
    // Kinds of errors that were reported in this outage: each is news once.
    let mut reported: Vec<Discriminant<Error>> = Vec::new();
    loop {
        let (error, token, lasted) = attempt(&shared).await;
        if lasted.is_some_and(|lasted| lasted >= STABLE) {
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
            Some(token) => another_token(&shared, &token).await,
            None => sleep(backoff.next_wait()).await,
        }
    }
}

/// One connection to its end: why it ended, the token it was made with, and how long the home was known.
async fn attempt(shared: &Shared) -> (Error, Option<Token>, Option<Duration>) {
    let token = match shared.token.read() {
        Ok(token) => token,
        Err(error) => return (error, None, None),
    };
    let inbox = Arc::new(Inbox::default());
    let (link, pump, version) =
        match link::connect(&shared.url, &token, shared.limits, Arc::clone(&inbox)).await {
            Ok(connected) => connected,
            Err(error) => return (error, Some(token), None),
        };
    let known = std::sync::OnceLock::new();
    let session = Session::new(link.clone(), &shared.url, shared.exposed_only, inbox, shared.sink.as_ref());
    let session = session.run(|step| match step {
        Step::Read(picture) => {
            known.get_or_init(Instant::now);
            shared.read(&link, &version, picture);
        }
        Step::Followed => drop(shared.tried.send_replace(true)),
    });
    // The link waits for the pump: whichever ends first ends both.
    let error = tokio::select! {
        error = pump.run() => error,
        error = session => error,
    };
    (error, Some(token), known.get().map(Instant::elapsed))
}

/// Waits until the token file holds another token, or for a long time.
async fn another_token(shared: &Shared, refused: &Token) {
    let end = Instant::now() + TOKEN_AGAIN;
    while Instant::now() < end {
        sleep(TOKEN_LOOK).await;
        if shared.token.read().is_ok_and(|token| token != *refused) {
            return;
        }
    }
}

impl Shared {
    /// The home was read.
    fn read(&self, link: &link::Link, version: &str, picture: &Picture) {
        let mut now = self.lock();
        if !now.status.connected {
            let entities = picture.home.entities.len();
            tracing::info!(version, entities, url = self.url, "connected to Home Assistant");
        }
        now.link = Some(link.clone());
        now.areas.clone_from(&picture.home.areas);
        now.exposure.clone_from(&picture.exposure);
        now.status.connected = true;
        now.status.problem = None;
        now.status.version = Some(version.to_owned());
        now.status.entities = picture.home.entities.len();
    }

    /// There is no connection.
    fn lost(&self, fault: Fault) {
        let was_there = {
            let mut now = self.lock();
            now.link = None;
            now.status.problem = Some(fault);
            std::mem::replace(&mut now.status.connected, false)
        };
        if was_there {
            self.sink.away(SOURCE);
        }
    }
}
