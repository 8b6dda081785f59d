//! The Chrome DevTools Protocol over a pipe (`--remote-debugging-pipe`): JSON messages, each with a NUL behind it. No port is
//! open to anybody.

use crate::error::BrowserError;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::process::{ChildStdin, ChildStdout};
use tokio::sync::{mpsc, oneshot};

/// Longest message that is read; a longer one ends the connection.
const MAX_MESSAGE_BYTES: u64 = 64 * 1024 * 1024;
/// Messages that wait to be written; a call waits for its place, an answer to an event is left out.
const MAX_WAITING: usize = 64;
const END: u8 = 0;

type Answer = oneshot::Sender<Result<Value, String>>;
type Waiting = Arc<Mutex<HashMap<u64, Answer>>>;

/// What is to be sent when an event has come: method, parameters, session.
pub(crate) type Command = (&'static str, Value, Option<String>);

/// Handles events: method, parameters, session. It may not wait.
pub(crate) type Events = Arc<dyn Fn(&str, &Value, Option<&str>) -> Vec<Command> + Send + Sync>;

/// A connection; cheap to clone.
#[derive(Clone)]
pub(crate) struct Pipe {
    out: mpsc::Sender<Vec<u8>>,
    waiting: Waiting,
    next: Arc<AtomicU64>,
}

impl Pipe {
    /// A connection, with the work that reads and writes; that ends when the browser closes its side, and every call with it.
    pub(crate) fn new(
        sender: ChildStdin,
        receiver: ChildStdout,
        events: Events,
    ) -> (Self, impl Future<Output = ()>) {
        let (out, messages) = mpsc::channel(MAX_WAITING);
        let pipe = Self { out, waiting: Waiting::default(), next: Arc::new(AtomicU64::new(1)) };
        let reading = pipe.clone();
        let work = async move {
            tokio::select! {
                () = write(sender, messages) => {}
                () = reading.read(receiver, &events) => {}
            }
            reading.waiting.lock().unwrap_or_else(PoisonError::into_inner).clear();
        };
        (pipe, work)
    }

    /// Whether the browser still listens.
    pub(crate) fn is_open(&self) -> bool {
        !self.out.is_closed()
    }

    /// Calls a method, in a session or of the browser; its result.
    ///
    /// # Errors
    /// When the browser answers with an error, not in time, or has ended.
    pub(crate) async fn call(
        &self,
        method: &str,
        params: Value,
        session: Option<&str>,
        limit: Duration,
    ) -> Result<Value, BrowserError> {
        let (message, id) = self.message(method, params, session);
        let (answer, answered) = oneshot::channel();
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner).insert(id, answer);
        let call = async {
            self.out.send(message).await.map_err(|_| BrowserError::Ended)?;
            answered.await.map_err(|_| BrowserError::Ended)?.map_err(BrowserError::Failed)
        };
        let result = tokio::time::timeout(limit, call).await.unwrap_or(Err(BrowserError::Timeout));
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner).remove(&id);
        result
    }

    fn message(&self, method: &str, params: Value, session: Option<&str>) -> (Vec<u8>, u64) {
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        let mut message = json!({"id": id, "method": method, "params": params});
        if let Some(session) = session {
            message["sessionId"] = json!(session);
        }
        let mut bytes = message.to_string().into_bytes();
        bytes.push(END);
        (bytes, id)
    }

    async fn read(&self, receiver: ChildStdout, events: &Events) {
        let mut reader = BufReader::new(receiver);
        let mut bytes = Vec::new();
        loop {
            bytes.clear();
            let read = (&mut reader).take(MAX_MESSAGE_BYTES).read_until(END, &mut bytes).await;
            if !matches!(read, Ok(1..)) || bytes.pop() != Some(END) {
                return;
            }
            let Ok(mut message) = serde_json::from_slice::<Value>(&bytes) else { return };
            if let Some(id) = message["id"].as_u64() {
                let answer = self.waiting.lock().unwrap_or_else(PoisonError::into_inner).remove(&id);
                let result = match message["error"]["message"].as_str() {
                    Some(error) => Err(error.chars().take(300).collect()),
                    None => Ok(message["result"].take()),
                };
                // Nobody waits for it any more.
                let _ = answer.map(|answer| answer.send(result));
                continue;
            }
            let session = message["sessionId"].as_str();
            for (method, params, session) in
                events(message["method"].as_str().unwrap_or_default(), &message["params"], session)
            {
                let (message, _) = self.message(method, params, session.as_deref());
                if self.out.try_send(message).is_err() {
                    tracing::warn!(method, "the browser was not told: too much waits to be");
                }
            }
        }
    }
}

async fn write(mut sender: ChildStdin, mut messages: mpsc::Receiver<Vec<u8>>) {
    while let Some(message) = messages.recv().await {
        if sender.write_all(&message).await.is_err() {
            return;
        }
    }
}
