//! The running Hark as commands reach it: found by the lock in the state folder, asked by the socket beside it. One that
//! is there and does not answer is an error: doing the same without it would be a second truth.

use crate::app::service::presence;
use futures_util::{SinkExt, StreamExt};
use hark_config::Config;
use hark_core::{Envelope, Fault, FaultKind, PublicEvent, Transcript};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use tokio::net::UnixStream;
use tokio::runtime::Runtime;
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::time::{timeout, timeout_at};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message;

/// How long it may take to open its socket after it was started, or to be gone after it was ended.
const OPENS_WITHIN: Duration = Duration::from_secs(10);
/// How long it may take to answer at all.
const ANSWERS_WITHIN: Duration = Duration::from_secs(5);
/// It sends a sign of life more often than that.
const SILENT_FOR: Duration = Duration::from_secs(60);
/// The longest a request may take, tools and a spoken answer included.
const LIMIT: Duration = Duration::from_secs(240);

/// See the module.
pub(crate) struct Running {
    process: u32,
    socket: PathBuf,
    runtime: Runtime,
}

impl Running {
    /// The daemon with the state folder of this configuration, or else that of the system's service where nobody said
    /// which; `None` when none runs. It goes by its own configuration, and `sets` are told to count for nothing.
    ///
    /// # Errors
    /// When one runs and cannot be reached.
    pub(crate) fn find(config: &Config, sets: &[String]) -> Result<Option<Self>, Fault> {
        let (found, another_users) = Self::locate(config)?;
        if let Some(another_users) = another_users {
            eprintln!("hark: {another_users}");
        }
        let unheeded: Vec<&str> =
            sets.iter().map(String::as_str).filter(|set| !set.starts_with("paths.")).collect();
        if found.is_some() && !unheeded.is_empty() {
            eprintln!("hark: the running Hark goes by its own configuration, not by {}", unheeded.join(", "));
        }
        Ok(found)
    }

    /// The same without a word to standard error: what keeps the system's service from being looked at is the second part.
    ///
    /// # Errors
    /// When one runs and cannot be reached.
    pub(crate) fn locate(config: &Config) -> Result<(Option<Self>, Option<Fault>), Fault> {
        let own = config.paths.state_dir()?;
        let found = Self::at(&own)?;
        let Some(service) = config.paths.service_state_dir().filter(|it| found.is_none() && *it != own)
        else {
            return Ok((found, None));
        };
        match presence::look(&service) {
            Ok(_) => Ok((Self::at(&service)?, None)),
            Err(another_users) => Ok((None, Some(another_users))),
        }
    }

    /// The number of its process.
    pub(crate) fn process(&self) -> u32 {
        self.process
    }

    fn at(folder: &Path) -> Result<Option<Self>, Fault> {
        let end = Instant::now() + OPENS_WITHIN;
        while let Some(process) = presence::look(folder)? {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            let runtime = runtime.map_err(|error| failed(format!("no runtime: {error}"), ""))?;
            let running = Self { process, socket: presence::socket(folder), runtime };
            let connected = async { timeout(ANSWERS_WITHIN, UnixStream::connect(&running.socket)).await };
            match running.runtime.block_on(connected) {
                Ok(Ok(_)) => return Ok(Some(running)),
                Ok(Err(error))
                    if !matches!(error.kind(), ErrorKind::NotFound | ErrorKind::ConnectionRefused) =>
                {
                    return Err(running.silent(&error.to_string()));
                }
                Ok(Err(_)) if Instant::now() < end => std::thread::sleep(Duration::from_millis(50)),
                Ok(Err(_)) => {
                    return Err(
                        running.silent("it has no socket: it is starting or ending, or could not make one")
                    );
                }
                Err(_) => return Err(running.silent("it takes no connection")),
            }
        }
        Ok(None)
    }

    /// What it tells at an address.
    ///
    /// # Errors
    /// When it does not answer.
    pub(crate) fn get<T: DeserializeOwned>(&self, path: &str) -> Result<T, Fault> {
        self.http(reqwest::Method::GET, path, None, None, ANSWERS_WITHIN)
    }

    /// The same where it has to look at many things first.
    ///
    /// # Errors
    /// When it does not answer.
    pub(crate) fn get_patiently<T: DeserializeOwned>(&self, path: &str) -> Result<T, Fault> {
        self.http(reqwest::Method::GET, path, None, None, LIMIT)
    }

    /// What it answers to an object.
    ///
    /// # Errors
    /// When it does not answer, or refuses.
    pub(crate) fn post<T: DeserializeOwned>(&self, path: &str, body: &Value) -> Result<T, Fault> {
        self.http(reqwest::Method::POST, path, None, Some(body), ANSWERS_WITHIN)
    }

    /// The same where a turn is waited for.
    ///
    /// # Errors
    /// When it does not answer, or refuses.
    pub(crate) fn post_patiently<T: DeserializeOwned>(&self, path: &str, body: &Value) -> Result<T, Fault> {
        self.http(reqwest::Method::POST, path, None, Some(body), LIMIT)
    }

    /// What it tells at an address with a parameter.
    ///
    /// # Errors
    /// When it does not answer, or refuses.
    pub(crate) fn get_with<T: DeserializeOwned>(&self, path: &str, query: (&str, &str)) -> Result<T, Fault> {
        self.http(reqwest::Method::GET, path, Some(query), None, ANSWERS_WITHIN)
    }

    /// What it answers when a thing is to go.
    ///
    /// # Errors
    /// When it does not answer, or refuses.
    pub(crate) fn delete<T: DeserializeOwned>(&self, path: &str, query: (&str, &str)) -> Result<T, Fault> {
        self.http(reqwest::Method::DELETE, path, Some(query), None, ANSWERS_WITHIN)
    }

    fn http<T: DeserializeOwned>(
        &self,
        method: reqwest::Method,
        path: &str,
        query: Option<(&str, &str)>,
        body: Option<&Value>,
        within: Duration,
    ) -> Result<T, Fault> {
        let is_request = body.is_some();
        let silent = |error: reqwest::Error| match error.is_timeout() {
            true if is_request => self.silent("it has not taken the request up, and may still do so"),
            true => self.silent("it says nothing"),
            false => self.silent(&error.without_url().to_string()),
        };
        let answer = self.runtime.block_on(async {
            let client = hark_http_client::builder()
                .unix_socket(self.socket.as_path())
                .no_proxy()
                .timeout(within)
                .build()?;
            let request = client.request(method, format!("http://localhost{path}"));
            let request = query.iter().fold(request, |request, query| request.query(&[query]));
            let request = body.iter().fold(request, |request, body| request.json(body));
            request.send().await?.json::<Value>().await
        });
        let answer = answer.map_err(silent)?;
        match refusal(&answer["error"]) {
            Some(refusal) => Err(refusal),
            None => serde_json::from_value(answer).map_err(|error| {
                failed(format!("it answers something else: {error}"), "is it another version?")
            }),
        }
    }

    /// Sends a message of its WebSocket that opens a turn, tells every event of that turn, and returns when it is over.
    /// The turn is the first with a transcript that is `mine`; the flag says whether it is of a conversation of this
    /// socket, which has none but that of the message.
    ///
    /// # Errors
    /// When it refuses, does not take the message up, or goes away.
    pub(crate) fn converse(
        &self,
        message: &Value,
        mine: impl Fn(&Transcript, bool) -> bool,
        hear: &mut dyn FnMut(&Envelope),
    ) -> Result<(), Fault> {
        self.runtime.block_on(async {
            let mut stream = timeout(ANSWERS_WITHIN, self.open())
                .await
                .unwrap_or_else(|_| Err(self.silent("it takes the connection and says nothing")))?;
            let sent = stream.send(Message::text(message.to_string())).await;
            sent.map_err(|error| self.silent(&error.to_string()))?;
            timeout(LIMIT, self.follow(&mut stream, mine, hear)).await.unwrap_or_else(|_| {
                let message = format!("the request is not answered after {} s", LIMIT.as_secs());
                Err(failed(message, "it goes on; `hark explain last` tells what came of it"))
            })
        })
    }

    /// Follows everything that happens, and sends what comes from `sending`, until it goes away; answers why. `opened` is
    /// called once, when it is followed.
    pub(crate) fn watch<T>(
        &self,
        sending: &mut UnboundedReceiver<Value>,
        opened: impl FnOnce() -> Result<T, Fault>,
        hear: &mut dyn FnMut(Value),
    ) -> Fault {
        let stream = self.runtime.block_on(async { timeout(ANSWERS_WITHIN, self.open()).await });
        let stream = stream.unwrap_or_else(|_| Err(self.silent("it takes the connection and says nothing")));
        let mut stream = match stream.and_then(|stream| opened().map(|_| stream)) {
            Ok(stream) => stream,
            Err(fault) => return fault,
        };
        self.runtime.block_on(async {
            loop {
                tokio::select! {
                    received = timeout(SILENT_FOR, stream.next()) => match received {
                        Ok(Some(Ok(Message::Text(text)))) => {
                            if let Ok(message) = serde_json::from_str(&text) {
                                hear(message);
                            }
                        }
                        Ok(Some(Ok(Message::Close(_)) | Err(_)) | None) => return self.silent("it hung up"),
                        Ok(Some(Ok(_))) => {}
                        Err(_) => return self.silent("it says nothing any more"),
                    },
                    Some(message) = sending.recv() => {
                        if let Err(error) = stream.send(Message::text(message.to_string())).await {
                            return self.silent(&error.to_string());
                        }
                    }
                }
            }
        })
    }

    async fn open(&self) -> Result<WebSocketStream<UnixStream>, Fault> {
        let silent = |error: &dyn std::fmt::Display| self.silent(&error.to_string());
        let stream = UnixStream::connect(&self.socket).await.map_err(|error| silent(&error))?;
        let opened = tokio_tungstenite::client_async("ws://localhost/ws", stream).await;
        Ok(opened.map_err(|error| silent(&error))?.0)
    }

    async fn follow(
        &self,
        stream: &mut WebSocketStream<UnixStream>,
        mine: impl Fn(&Transcript, bool) -> bool,
        hear: &mut dyn FnMut(&Envelope),
    ) -> Result<(), Fault> {
        let taken_up = tokio::time::Instant::now() + ANSWERS_WITHIN;
        let mut turn = None;
        loop {
            let silent_at = tokio::time::Instant::now() + SILENT_FOR;
            let patience = if turn.is_none() { taken_up } else { silent_at };
            let text = match timeout_at(patience, stream.next()).await {
                Ok(Some(Ok(Message::Text(text)))) => text,
                Ok(Some(Ok(Message::Close(_)) | Err(_)) | None) => return Err(self.silent("it hung up")),
                Ok(Some(Ok(_))) => continue,
                Err(_) if turn.is_none() => {
                    return Err(self.silent("it has not taken the request up, and may still do so"));
                }
                Err(_) => return Err(self.silent("it says nothing any more")),
            };
            let Ok(mut message) = serde_json::from_str::<Value>(&text) else { continue };
            let refused = refusal(&message["data"]).filter(|_| message["type"] == "error" && turn.is_none());
            if let Some(refused) = refused {
                return Err(refused);
            }
            let is_told = message["session_id"].is_string();
            let is_event = message["type"] == "event";
            let Ok(envelope) = serde_json::from_value::<Envelope>(message["data"].take()) else { continue };
            if !is_event || envelope.turn.is_none() {
                continue;
            }
            if let (None, PublicEvent::Transcript(transcript)) = (&turn, &envelope.event)
                && mine(transcript, is_told)
            {
                turn.clone_from(&envelope.turn);
            }
            if envelope.turn == turn {
                hear(&envelope);
                if matches!(envelope.event, PublicEvent::Turn { .. }) {
                    return Ok(());
                }
            }
        }
    }

    fn silent(&self, why: &str) -> Fault {
        let fix = "look at it (`systemctl status hark`), or end it and start it again";
        failed(format!("process {} is a running Hark and does not answer: {why}", self.process), fix)
    }
}

/// The error of an answer, as it is told on HTTP and the WebSocket.
fn refusal(error: &Value) -> Option<Fault> {
    let text = |key: &str| error[key].as_str().map(str::to_owned);
    let kind = match error["kind"].as_str()? {
        "bad_input" | "bad_request" => FaultKind::BadInput,
        "events_left_out" => return None,
        _ => FaultKind::Unavailable,
    };
    Some(Fault::new(kind, "daemon", text("message")?, text("fix").unwrap_or_default()))
}

fn failed(message: String, fix: &str) -> Fault {
    Fault::new(FaultKind::Unavailable, "daemon", message, fix)
}

/// Where a command is of no use without one.
pub(crate) fn none_runs() -> Fault {
    failed("no Hark runs with this state folder".to_owned(), "start one: `hark run`")
}

/// A chat in a conversation.
pub(crate) fn chat(text: &str, session: &str, speak: bool, dry_run: bool) -> Value {
    json!({"type": "chat", "content": text, "session_id": session, "speak": speak, "dry_run": dry_run})
}
