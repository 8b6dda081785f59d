//! One WebSocket connection: logs in, numbers the requests, routes every answer to its request and every event to the
//! [`StateCache`], and detects a silent peer with pings.

use super::error::Error;
use super::message::{self, Incoming, Refusal};
use super::state_cache::{StateCache, Topic};
use super::token::Token;
use futures_util::{SinkExt, StreamExt};
use hark_core::text::one_line;
use serde_json::{Map, Value, json};
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpStream;
use tokio::sync::{mpsc, oneshot};
use tokio::time::{Instant, timeout};
use tokio_tungstenite::tungstenite::error::{Error as SocketError, ProtocolError};
use tokio_tungstenite::tungstenite::{Message, protocol::WebSocketConfig};
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async_with_config};

/// Largest message that is taken: the states of some ten thousand entities.
const MAX_MESSAGE_BYTES: usize = 32 << 20;

/// Requests that wait to be sent; when they are more, the next is refused.
const MAX_WAITING: usize = 128;

/// Requests that wait for their answer; when they are more, those are forgotten whose asker has gone.
const MAX_PENDING: usize = 512;

/// Messages that were none before the connection counts as broken.
const MAX_GARBAGE: u32 = 100;

type Socket = WebSocketStream<MaybeTlsStream<TcpStream>>;

/// Why a request has no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unanswered {
    /// The connection broke, or there is none.
    Gone,
    /// Nothing came in time.
    Late,
    /// It was refused.
    Refused(Refusal),
}

struct Request {
    message: Map<String, Value>,
    /// What the events of a subscription are about.
    topic: Option<Topic>,
    reply: Reply,
}

/// Where an answer goes, with the id of its request.
type Reply = oneshot::Sender<(u64, Result<Value, Refusal>)>;

/// The asking end of a connection; it stays usable, but useless, when the connection has broken.
#[derive(Clone)]
pub struct ApiHandle {
    requests: mpsc::Sender<Request>,
    limit: Duration,
}

impl ApiHandle {
    /// The same connection with another limit for answers.
    pub fn with_limit(&self, limit: Duration) -> Self {
        Self { requests: self.requests.clone(), limit }
    }

    /// Asks, and waits for the answer.
    ///
    /// # Errors
    /// `Unanswered`.
    pub async fn ask(&self, message: Value) -> Result<Value, Unanswered> {
        self.send(message, None).await.map(|(_, answer)| answer)
    }

    /// Subscribes; events are kept under `topic`. Answers the id of the subscription.
    ///
    /// # Errors
    /// `Unanswered`.
    pub async fn subscribe(&self, message: Value, topic: Topic) -> Result<u64, Unanswered> {
        self.send(message, Some(topic)).await.map(|(id, _)| id)
    }

    async fn send(&self, message: Value, topic: Option<Topic>) -> Result<(u64, Value), Unanswered> {
        let Value::Object(message) = message else { return Err(Unanswered::Gone) };
        let (reply, answer) = oneshot::channel();
        let request = Request { message, topic, reply };
        let exchange = async {
            self.requests.send(request).await.map_err(|_| Unanswered::Gone)?;
            let (id, answer) = answer.await.map_err(|_| Unanswered::Gone)?;
            answer.map(|answer| (id, answer)).map_err(Unanswered::Refused)
        };
        timeout(self.limit, exchange).await.unwrap_or(Err(Unanswered::Late))
    }
}

/// The end of a connection that owns the socket.
pub struct WebSocketTask {
    url: String,
    socket: Socket,
    requests: mpsc::Receiver<Request>,
    state_cache: Arc<StateCache>,
    /// Silence after which the other side is asked whether it is there.
    ping: Duration,
    last_id: u64,
    pending: HashMap<u64, Reply>,
    topics: HashMap<u64, Topic>,
    garbage: u32,
}

/// Limits of a connection.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// For connecting and logging in, and for each answer.
    pub connect: Duration,
    /// Silence after which the other side is asked whether it is there.
    pub ping: Duration,
}

/// Connects and logs in. Answers both ends and the version of Home Assistant.
///
/// # Errors
/// Why not.
pub async fn connect(
    url: &str,
    token: &Token,
    limits: Limits,
    state_cache: Arc<StateCache>,
) -> Result<(ApiHandle, WebSocketTask, String), Error> {
    // The process has one crypto provider; the first user installs it.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let opened = timeout(limits.connect, async {
        let mut socket = open(url).await?;
        let version = log_in(url, &mut socket, token).await?;
        Ok((socket, version))
    });
    let silent = Error::Silent { url: url.to_owned(), what: "connecting and logging in" };
    let (socket, version) = opened.await.unwrap_or(Err(silent))?;
    let (sender, requests) = mpsc::channel(MAX_WAITING);
    let socket_task = WebSocketTask {
        url: url.to_owned(),
        socket,
        requests,
        state_cache,
        ping: limits.ping,
        last_id: 0,
        pending: HashMap::new(),
        topics: HashMap::new(),
        garbage: 0,
    };
    Ok((ApiHandle { requests: sender, limit: limits.connect }, socket_task, version))
}

async fn open(url: &str) -> Result<Socket, Error> {
    let config = WebSocketConfig::default()
        .read_buffer_size(16 << 10)
        .write_buffer_size(0)
        .max_write_buffer_size(4 << 20)
        .max_message_size(Some(MAX_MESSAGE_BYTES))
        .max_frame_size(Some(MAX_MESSAGE_BYTES));
    match connect_async_with_config(url, Some(config), true).await {
        Ok((socket, _)) => Ok(socket),
        Err(error) => Err(explain(url, &error)),
    }
}

/// Says in our words what the socket reports.
fn explain(url: &str, error: &SocketError) -> Error {
    let url = url.to_owned();
    match error {
        SocketError::Http(response) => {
            Error::NotHomeAssistant { url, why: format!("it answers with status {}", response.status()) }
        }
        SocketError::Protocol(ProtocolError::ResetWithoutClosingHandshake) => {
            Error::Unreachable { url, why: "the connection was cut".into() }
        }
        SocketError::Protocol(error) => Error::NotHomeAssistant { url, why: error.to_string() },
        SocketError::Url(error) => Error::BadUrl { url, why: error.to_string() },
        SocketError::ConnectionClosed | SocketError::AlreadyClosed => {
            Error::Unreachable { url, why: "it closed the connection".into() }
        }
        SocketError::Io(error) if error.get_ref().is_some_and(|inner| inner.is::<rustls::Error>()) => {
            Error::Tls { url, why: error.to_string() }
        }
        SocketError::Io(error) => Error::Unreachable { url, why: error.to_string() },
        other => Error::Unreachable { url, why: other.to_string() },
    }
}

/// The exchange every connection begins with.
async fn log_in(url: &str, socket: &mut Socket, token: &Token) -> Result<String, Error> {
    let not_it = |why: String| Error::NotHomeAssistant { url: url.to_owned(), why };
    let mut asked = false;
    loop {
        let text = match socket.next().await {
            Some(Ok(Message::Text(text))) => text,
            Some(Ok(Message::Close(_))) | None => {
                return Err(Error::Unreachable {
                    url: url.to_owned(),
                    why: "it closed the connection".into(),
                });
            }
            Some(Ok(_)) => continue,
            Some(Err(error)) => return Err(explain(url, &error)),
        };
        for message in message::read(&text).map_err(not_it)? {
            match message {
                Incoming::AuthRequired if !asked => {
                    asked = true;
                    let answer = json!({"type": "auth", "access_token": token.secret()}).to_string();
                    socket.send(Message::text(answer)).await.map_err(|error| explain(url, &error))?;
                }
                Incoming::AuthOk { version } if asked => return Ok(version),
                Incoming::AuthInvalid { message } => {
                    return Err(Error::WrongToken { url: url.to_owned(), why: message });
                }
                _ => return Err(not_it("it does not begin with asking for a token".into())),
            }
        }
    }
}

impl WebSocketTask {
    /// Carries messages in both directions until the connection has broken; says why it did.
    pub async fn run(mut self) -> Error {
        let mut last_received = Instant::now();
        let mut pinged = false;
        loop {
            let silence = if pinged { self.ping * 2 } else { self.ping };
            tokio::select! {
                incoming = self.socket.next() => {
                    (last_received, pinged) = (Instant::now(), false);
                    if let Err(error) = self.take(incoming) {
                        return error;
                    }
                }
                Some(request) = self.requests.recv() => {
                    if let Err(error) = self.ask(request).await {
                        return error;
                    }
                }
                () = tokio::time::sleep_until(last_received + silence) => {
                    if pinged {
                        return Error::Silent { url: self.url, what: "a ping" };
                    }
                    pinged = true;
                    if let Err(error) = self.write(Map::from_iter([("type".into(), json!("ping"))])).await {
                        return error;
                    }
                }
            }
        }
    }

    async fn ask(&mut self, request: Request) -> Result<(), Error> {
        if self.pending.len() >= MAX_PENDING {
            self.pending.retain(|_, reply| !reply.is_closed());
        }
        // An asker who has given up meanwhile wants nothing done any more.
        if request.reply.is_closed() || self.pending.len() >= MAX_PENDING {
            return Ok(());
        }
        let cancelled = request.message.get("subscription").and_then(Value::as_u64);
        let id = self.write(request.message).await?;
        if let Some(topic) = request.topic {
            self.topics.insert(id, topic);
        }
        if let Some(cancelled) = cancelled {
            self.topics.remove(&cancelled);
        }
        self.pending.insert(id, request.reply);
        Ok(())
    }

    /// Sends a message under the next id, at most for as long as a silence may last.
    async fn write(&mut self, mut message: Map<String, Value>) -> Result<u64, Error> {
        self.last_id += 1;
        message.insert("id".into(), json!(self.last_id));
        let text = Value::Object(message).to_string();
        match timeout(self.ping, self.socket.send(Message::text(text))).await {
            Ok(Ok(())) => Ok(self.last_id),
            Ok(Err(error)) => Err(explain(&self.url, &error)),
            Err(_) => Err(Error::Silent { url: self.url.clone(), what: "taking a message" }),
        }
    }

    fn take(&mut self, incoming: Option<Result<Message, SocketError>>) -> Result<(), Error> {
        let text = match incoming {
            Some(Ok(Message::Text(text))) => text,
            Some(Ok(Message::Close(_))) | None => {
                let why = "it closed the connection".to_owned();
                return Err(Error::Unreachable { url: self.url.clone(), why });
            }
            // Pings are answered by the library; Home Assistant sends no binary messages to us.
            Some(Ok(_)) => return Ok(()),
            Some(Err(error)) => return Err(explain(&self.url, &error)),
        };
        let messages = match message::read(&text) {
            Ok(messages) => messages,
            Err(error) => return self.garbage(&error),
        };
        for message in messages {
            match message {
                Incoming::Answer { id, answer } => {
                    if answer.is_err() {
                        self.topics.remove(&id);
                    }
                    if let Some(reply) = self.pending.remove(&id) {
                        // The request may have timed out.
                        let _ = reply.send((id, answer));
                    }
                }
                Incoming::Event { id, event } => {
                    if let Some(topic) = self.topics.get(&id) {
                        self.state_cache.put(topic, event);
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn garbage(&mut self, error: &str) -> Result<(), Error> {
        self.garbage += 1;
        tracing::debug!(%error, "Home Assistant sent something that is no message");
        if self.garbage < MAX_GARBAGE {
            return Ok(());
        }
        let why = format!("{MAX_GARBAGE} messages were none; the last: {}", one_line(error, 100));
        Err(Error::NotHomeAssistant { url: self.url.clone(), why })
    }
}
