//! `POST /api/v1/ask`: sends a typed request to the turn machine and waits until its turn has closed.

use super::access::guard::Operator;
use super::api_error::ApiError;
use super::server_state::ServerState;
use super::turn_summary;
use super::wire::{AskRequest, Event as WireEvent, Turn};
use super::{pictures, request_input};
use axum::http::StatusCode;
use hark_core::api::EventNews;
use hark_core::model::Picture;
use hark_core::public_event::Origin;
use hark_core::session::session_name;
use hark_core::{Envelope, Event, PublicEvent, TurnId};
use serde_json::Value;
use std::sync::Arc;

/// Asks, and waits until the turn has closed. A yes or no of the operator's counts as a button does on the WebSocket: then
/// the turn is one of the conversation that was asked.
pub(super) async fn ask(
    app: &ServerState,
    request: AskRequest,
    operator: Operator,
) -> Result<Turn, ApiError> {
    let text = request_input::text("text", &request.text)?;
    let pictures = pictures::pictures(request.images, app.image_bytes)?;
    let session = match &request.session_id {
        Some(name) => request_input::session(name)?,
        None => format!("{}{}", session_name::API, uuid::Uuid::now_v7()),
    };
    if app.api.is_stop(&text) {
        // It is for the request that is waited for, and does not wait for its end.
        app.api.push(Event::Stop)?;
    }
    let said = match app.api.yes_or_no(&text).filter(|_| operator.0 && !request.dry_run) {
        Some(yes) => Said::Answer { yes, operator: true },
        None => {
            let text = request_input::for_model(text, request.model.as_deref())?;
            Said::Words { text, dry_run: request.dry_run, pictures }
        }
    };
    turn(app, &session, said).await
}

/// What is said in a conversation.
pub(super) enum Said {
    /// A request.
    Words { text: String, dry_run: bool, pictures: Vec<Picture> },
    /// A yes or no to what was asked there; of the operator's also to the only question that another one was asked.
    Answer { yes: bool, operator: bool },
}

/// Says it, and waits until its turn has closed.
pub(super) async fn turn(app: &ServerState, session: &str, said: Said) -> Result<Turn, ApiError> {
    let late = || {
        let message = "the turn has not closed in time";
        ApiError::new(StatusCode::GATEWAY_TIMEOUT, "timeout", message, "look for it in /api/v1/turns")
    };
    let answered = async {
        let _mine = app.conversations.turn_of(session).await;
        let mut feed = app.api.events();
        let origin = Origin::Api(session.to_owned());
        let mut said_as = None;
        app.api.push(match said {
            Said::Answer { yes, operator } => {
                said_as = Some(TurnId(format!("api-{}", uuid::Uuid::now_v7().simple())));
                let said_as = said_as.clone();
                Event::Answer { origin: origin.clone(), turn: None, yes, operator, said_as }
            }
            Said::Words { text, dry_run, pictures } => {
                if !pictures.is_empty() {
                    app.api.push(Event::Pictures { origin: origin.clone(), pictures })?;
                }
                Event::Typed { text, origin: origin.clone(), speak: false, dry_run }
            }
        })?;
        let mut envelopes: Vec<Arc<Envelope>> = Vec::new();
        loop {
            match feed.next().await {
                EventNews::Event(envelope) => {
                    let is_mine = match &said_as {
                        Some(turn) => envelope.turn.as_ref() == Some(turn),
                        None => envelope.origin.as_ref() == Some(&origin),
                    };
                    let is_first = envelopes.is_empty() && is_mine;
                    let goes_on = envelopes.first().is_some_and(|first| first.turn == envelope.turn);
                    if envelope.turn.is_some() && (is_first || goes_on) {
                        let closes = matches!(envelope.event, PublicEvent::Turn { .. });
                        envelopes.push(envelope);
                        if closes {
                            return Ok(closed_turn(session, &envelopes));
                        }
                    }
                }
                EventNews::Missed(count) => {
                    let message = format!("{count} events went by too quickly to be read");
                    let fix = "look for the turn in /api/v1/turns";
                    return Err(ApiError::new(StatusCode::SERVICE_UNAVAILABLE, "busy", message, fix));
                }
                EventNews::Ended => {
                    let (message, fix) = ("Hark is ending", "ask again when it is back");
                    return Err(ApiError::new(StatusCode::SERVICE_UNAVAILABLE, "ending", message, fix));
                }
            }
        }
    };
    tokio::time::timeout(app.limits.ask, answered).await.unwrap_or_else(|_| Err(late()))
}

fn closed_turn(session: &str, envelopes: &[Arc<Envelope>]) -> Turn {
    let events: Vec<Value> =
        envelopes.iter().map(|envelope| serde_json::to_value(&**envelope).unwrap_or_default()).collect();
    let (turn, at) = envelopes.first().map_or_else(Default::default, |first| {
        (first.turn.as_ref().map(|turn| turn.0.clone()).unwrap_or_default(), first.at.clone())
    });
    let summary = turn_summary::of(&turn, &at, session, &events);
    Turn { summary, events: events.into_iter().map(WireEvent).collect() }
}
