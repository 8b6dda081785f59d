//! How answers are wanted in each conversation (chat, voice, focus): as the last message said, also over another socket and
//! before a restart.

use super::super::server_state::ServerState;
use super::known_modes::AnswerMode;
use hark_core::Event;
use hark_core::public_event::Origin;

/// The mode in which a message is answered: the one it names, else the one its conversation had. A changed mode is
/// stored. `is_new`: the conversation began on this connection, so no stored mode is looked up. Focus, on or just ended,
/// is pushed to the turn machine as an event.
pub(crate) async fn settle(
    app: &ServerState,
    session: &str,
    is_new: bool,
    said: Option<AnswerMode>,
) -> AnswerMode {
    let before = match app.modes.known(session) {
        Some(mode) => mode,
        None if is_new => AnswerMode::default(),
        None => match app.api.mode(session).await {
            Ok(mode) => AnswerMode::named(&mode),
            Err(fault) => {
                tracing::warn!("how answers were wanted in {session:?} is not known: {fault}");
                AnswerMode::default()
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
    if mode == AnswerMode::Focus || before == AnswerMode::Focus {
        let event = Event::Focus { origin: Origin::Api(session.to_owned()), on: mode == AnswerMode::Focus };
        if let Err(full) = app.api.push(event) {
            tracing::warn!("{session:?} is answered as before: {full}");
        }
    }
    mode
}
