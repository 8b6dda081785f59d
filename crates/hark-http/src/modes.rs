//! How answers are wanted in each conversation: as the last message that said so, also by another socket and before a
//! restart.

use super::app::App;
use super::messages::Mode;
use hark_core::Event;
use hark_core::public_event::Origin;
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Conversations whose mode is at hand; those of others are looked up.
const MOST: usize = 1024;

/// See the module.
#[derive(Debug, Default)]
pub(super) struct Modes(Mutex<HashMap<String, Mode>>);

impl Modes {
    /// The mode of a conversation that was spoken in lately.
    pub(super) fn known(&self, session: &str) -> Option<Mode> {
        self.lock().get(session).copied()
    }

    fn note(&self, session: &str, mode: Mode) {
        let mut known = self.lock();
        if known.len() >= MOST && !known.contains_key(session) {
            known.clear();
        }
        known.insert(session.to_owned(), mode);
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Mode>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The mode of a message in a conversation: what it says, which is kept, or what was said before. `is_new`: nobody can
/// have said anything in it before this socket. The turn machine is told where it matters to it.
pub(super) async fn settle(app: &App, session: &str, is_new: bool, said: Option<Mode>) -> Mode {
    let before = match app.modes.known(session) {
        Some(mode) => mode,
        None if is_new => Mode::default(),
        None => match app.api.mode(session).await {
            Ok(mode) => Mode::named(&mode),
            Err(fault) => {
                tracing::warn!("how answers were wanted in {session:?} is not known: {fault}");
                Mode::default()
            }
        },
    };
    let mode = said.unwrap_or(before);
    if mode != before
        && let Err(fault) = app.api.keep_mode(session, mode.name()).await
    {
        tracing::warn!("how answers are wanted in {session:?} is not known after a restart: {fault}");
    }
    app.modes.note(session, mode);
    if mode == Mode::Focus || before == Mode::Focus {
        let event = Event::Focus { origin: Origin::Api(session.to_owned()), on: mode == Mode::Focus };
        if let Err(full) = app.api.push(event) {
            tracing::warn!("{session:?} is answered as before: {full}");
        }
    }
    mode
}
