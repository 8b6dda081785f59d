//! One open WebSocket: client messages are carried out, events are sent. A client that reads slowly gets fewer events, and
//! is disconnected in the end; it never delays Hark.

use super::super::access::guard::{Operator, Peer};
use super::super::api_error::ApiError;
use super::super::limits::MAX_BODY_BYTES;
use super::super::request_input::{self, ImagePermit, MAX_DISCARDED_BYTES};
use super::super::server_state::{self, ServerState, SharedState};
use super::answer_modes;
use super::known_modes::AnswerMode;
use super::messages::{self, ClientMessage, SocketSessions};
use super::microphone::{self, Microphone};
use futures_util::{SinkExt, StreamExt};
use hark_core::api::{EventFeed, EventNews, Speaker};
use hark_core::public_event::{Origin, PublicEvent};
use hark_core::{Envelope, Event, TurnId};
use hark_net::token_bucket::TokenBucket;
use hyper::upgrade::Upgraded;
use hyper_util::rt::TokioIo;
use std::time::{Duration, Instant};
use tokio::io::AsyncReadExt;
use tokio::time::{Interval, MissedTickBehavior, interval, timeout};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::protocol::CloseFrame;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;
use tokio_tungstenite::tungstenite::{Bytes, Error, Message, Utf8Bytes};

type Stream = WebSocketStream<TokioIo<Upgraded>>;

/// Interval between two `meter` messages to a client that wants them.
const METER_EVERY: Duration = Duration::from_millis(100);

/// The client is gone, or is let go of.
struct Gone;

/// Goes on until one of both ends it.
pub(crate) async fn serve(
    app: SharedState,
    stream: Stream,
    (peer, operator): (Peer, Operator),
    mut feed: Box<dyn EventFeed>,
) {
    let now = Instant::now();
    let per_second = f64::from(app.limits.events_per_second);
    let mut socket = Socket {
        stream,
        peer,
        operator,
        sessions: SocketSessions::new(),
        events: TokenBucket::full(per_second * 2.0, per_second, now),
        left_out: 0,
        alive: now,
        microphone: Microphone::new(now),
        image_permits: Vec::new(),
        is_metered: false,
        app: &app,
    };
    let mut closing = app.closing.clone();
    let mut beat = every(app.limits.ping);
    let mut meter = every(METER_EVERY);
    loop {
        let step = tokio::select! {
            () = server_state::closed(&mut closing) => {
                socket.close(CloseCode::Away, "Hark is ending").await;
                return;
            }
            message = socket.stream.next() => socket.take(message).await,
            news = feed.next() => socket.tell(news).await,
            _ = beat.tick() => socket.beat().await,
            _ = meter.tick(), if socket.is_metered => socket.send(messages::meter(&app.api.meter())).await,
            () = microphone::until(socket.microphone.ends_at(&app)) => {
                socket.microphone.end();
                Ok(())
            }
        };
        if step.is_err() {
            return;
        }
    }
}

fn every(time: Duration) -> Interval {
    let mut beat = interval(time);
    beat.set_missed_tick_behavior(MissedTickBehavior::Delay);
    beat
}

struct Socket<'a> {
    stream: Stream,
    peer: Peer,
    operator: Operator,
    sessions: SocketSessions,
    /// Public events it may be sent at once.
    events: TokenBucket,
    /// Events it was not sent and has not been told of.
    left_out: u64,
    /// When the client was heard of last.
    alive: Instant,
    microphone: Microphone,
    /// Chats with pictures that are not answered yet: conversation, when it was sent, its place.
    image_permits: Vec<(String, Instant, ImagePermit)>,
    /// The client wants `meter` messages.
    is_metered: bool,
    app: &'a ServerState,
}

impl Socket<'_> {
    /// A message of the client.
    async fn take(&mut self, message: Option<Result<Message, Error>>) -> Result<(), Gone> {
        let message = match message {
            Some(Ok(message)) => message,
            Some(Err(Error::Capacity(_))) => {
                self.close(CloseCode::Size, "a message is too long").await;
                self.discard().await;
                return Err(Gone);
            }
            Some(Err(Error::Utf8(_))) => {
                self.close(CloseCode::Invalid, "not UTF-8").await;
                return Err(Gone);
            }
            Some(Err(Error::Protocol(_))) => {
                self.close(CloseCode::Protocol, "not by RFC 6455").await;
                return Err(Gone);
            }
            Some(Err(_)) | None => return Err(Gone),
        };
        self.alive = Instant::now();
        let answer = match message {
            Message::Text(text) => self.act(&text).await,
            Message::Binary(frame) => self.hear(&frame).map_or(Ok(None), Err),
            // An answer to a ping, or the farewell, is sent by the library with the next flush.
            Message::Ping(_) | Message::Close(_) => return self.flush().await,
            Message::Pong(_) | Message::Frame(_) => return Ok(()),
        };
        match answer {
            Ok(None) => Ok(()),
            Ok(Some(text)) => self.send(text).await,
            Err(error) => self.send(messages::refused(&error)).await,
        }
    }

    /// Does what a message wants; what it is answered at once, if anything.
    async fn act(&mut self, text: &Utf8Bytes) -> Result<Option<String>, ApiError> {
        if !self.peer.is_owner {
            self.app.guard.count(self.peer.client.ip())?;
        }
        let place = if text.len() > MAX_BODY_BYTES {
            Some(request_input::acquire_image_permit(self.app)?)
        } else {
            None
        };
        let event = match messages::client_message(text, self.app.image_bytes)? {
            ClientMessage::Chat { text, pictures, session_id, mode, speak, dry_run } => {
                let session = self.sessions.chat(session_id.as_deref())?;
                let mode =
                    answer_modes::settle(self.app, &session, self.sessions.is_own(&session), mode).await;
                let origin = Origin::Api(session.clone());
                if !pictures.is_empty() {
                    self.app.api.push(Event::Pictures { origin: origin.clone(), pictures })?;
                }
                self.image_permits.extend(place.map(|place| (session, Instant::now(), place)));
                Event::Typed { text, origin, speak: speak.unwrap_or(mode == AnswerMode::Voice), dry_run }
            }
            ClientMessage::Answer { turn, session_id, yes } => self.answer(turn, session_id, yes)?,
            ClientMessage::Stop => Event::Stop,
            ClientMessage::Meter { on } => {
                self.is_metered = on;
                return Ok(None);
            }
            ClientMessage::ListModels => {
                return Ok(Some(messages::models(self.app.api.models().await?)));
            }
        };
        self.app.api.push(event)?;
        Ok(None)
    }

    /// Hands a frame of the microphone on; what is to be told of it.
    fn hear(&mut self, frame: &[u8]) -> Option<ApiError> {
        let session = self.sessions.last();
        let aloud = self.app.modes.known(&session) == Some(AnswerMode::Voice);
        self.microphone.take(self.app, &Speaker { session, aloud }, frame)
    }

    fn answer(
        &mut self,
        turn: Option<String>,
        session_id: Option<String>,
        yes: bool,
    ) -> Result<Event, ApiError> {
        let session = match session_id {
            Some(name) => self.sessions.enter(Some(&name))?,
            None => self.sessions.last(),
        };
        let (origin, turn, operator) = (Origin::Api(session), turn.map(TurnId), self.operator.0);
        Ok(Event::Answer { origin, turn, yes, operator, said_as: None })
    }

    /// Something happened.
    async fn tell(&mut self, news: EventNews) -> Result<(), Gone> {
        match news {
            EventNews::Event(envelope) => self.tell_event(&envelope).await,
            EventNews::Missed(count) => {
                self.leave_out(count);
                self.own_up().await
            }
            EventNews::Ended => {
                self.close(CloseCode::Away, "Hark is ending").await;
                Err(Gone)
            }
        }
    }

    async fn tell_event(&mut self, envelope: &Envelope) -> Result<(), Gone> {
        let may = self.peer.is_owner || self.events.take(1.0, Instant::now()).is_ok();
        if may {
            self.own_up().await?;
            self.send(messages::event(&self.sessions, envelope)).await?;
        } else {
            self.leave_out(1);
        }
        match messages::answer(&self.sessions, envelope) {
            Some(answer) => {
                self.give_places_back(envelope);
                self.send(answer).await
            }
            None => Ok(()),
        }
    }

    /// The pictures of a conversation are gone when its turn is over.
    fn give_places_back(&mut self, envelope: &Envelope) {
        if let (Some(Origin::Api(session)), PublicEvent::Turn { .. }) = (&envelope.origin, &envelope.event) {
            self.image_permits.retain(|(of, ..)| of != session);
        }
    }

    fn leave_out(&mut self, count: u64) {
        self.left_out += count;
        self.app.metrics.left_out.add(count);
    }

    /// Tells how many events were left out, if any were.
    async fn own_up(&mut self) -> Result<(), Gone> {
        match std::mem::take(&mut self.left_out) {
            0 => Ok(()),
            count => self.send(messages::left_out(count)).await,
        }
    }

    /// Looks whether the client is still there.
    async fn beat(&mut self) -> Result<(), Gone> {
        if self.alive.elapsed() > self.app.limits.idle {
            self.close(CloseCode::Away, "no sign of life").await;
            return Err(Gone);
        }
        let longest = self.app.limits.ask;
        self.image_permits.retain(|(_, sent, _)| sent.elapsed() < longest);
        self.own_up().await?;
        self.put(Message::Ping(Bytes::new())).await
    }

    async fn send(&mut self, text: String) -> Result<(), Gone> {
        self.put(Message::text(text)).await
    }

    /// A client that does not take a message in time is let go of.
    async fn put(&mut self, message: Message) -> Result<(), Gone> {
        match timeout(self.app.limits.write, self.stream.send(message)).await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(_)) | Err(_) => Err(Gone),
        }
    }

    async fn flush(&mut self) -> Result<(), Gone> {
        match timeout(self.app.limits.write, self.stream.flush()).await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(_)) | Err(_) => Err(Gone),
        }
    }

    /// Reads on for a while without keeping anything: a client that is still sending when the connection is closed never
    /// sees why.
    async fn discard(&mut self) {
        let mut rest = self.stream.get_mut().take(MAX_DISCARDED_BYTES as u64);
        let mut nowhere = tokio::io::sink();
        // A client that goes on after that finds the connection closed.
        let _ = timeout(self.app.limits.write, tokio::io::copy(&mut rest, &mut nowhere)).await;
    }

    async fn close(&mut self, code: CloseCode, reason: &'static str) {
        let frame = CloseFrame { code, reason: Utf8Bytes::from_static(reason) };
        // A client that does not take the close frame goes without.
        let _ = timeout(self.app.limits.write, self.stream.close(Some(frame))).await;
    }
}
