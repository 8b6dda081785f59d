//! The messages of the WebSocket, in both directions, and the conversations of a socket.

use super::super::api_error::ApiError;
use super::super::limits::{MAX_BODY_BYTES, MAX_SESSIONS_PER_SOCKET};
use super::super::pictures::pictures;
use super::super::request_input;
use super::super::wire::{Image, Model};
use super::known_modes::AnswerMode;
use hark_core::api::{Meter, ModelChoice};
use hark_core::model::Picture;
use hark_core::public_event::Origin;
use hark_core::session::session_name;
use hark_core::{Envelope, PublicEvent};
use serde::Deserialize;
use serde_json::{Value, json};

/// A request.
#[derive(Debug, PartialEq, Eq, Deserialize)]
struct Chat {
    content: String,
    #[serde(default)]
    mode: Option<AnswerMode>,
    #[serde(default)]
    session_id: Option<String>,
    #[serde(default)]
    images: Vec<Image>,
    /// This answer is said aloud on the node or not, whatever `mode` says.
    #[serde(default)]
    speak: Option<bool>,
    /// Stop before acting.
    #[serde(default)]
    dry_run: bool,
    /// The language model that answers.
    #[serde(default)]
    model: Option<String>,
}

/// What a client sends.
#[derive(Debug, PartialEq, Eq, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Inbound {
    Chat(Chat),
    ListModels,
    Approve {
        #[serde(default)]
        turn: Option<String>,
        #[serde(default)]
        session_id: Option<String>,
    },
    Deny {
        #[serde(default)]
        turn: Option<String>,
        #[serde(default)]
        session_id: Option<String>,
    },
    Stop,
    Meter {
        on: bool,
    },
}

/// What a client asks for, with every bound checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ClientMessage {
    /// A request.
    Chat {
        /// Its words: one line without control characters.
        text: String,
        /// Pictures that go with it.
        pictures: Vec<Picture>,
        /// Its conversation.
        session_id: Option<String>,
        /// How answers are wanted from now on.
        mode: Option<AnswerMode>,
        /// Whether this answer is said aloud, whatever `mode` says.
        speak: Option<bool>,
        /// Stop before acting.
        dry_run: bool,
    },
    /// An answer to a question.
    Answer {
        /// The turn that asked.
        turn: Option<String>,
        /// The conversation that asked.
        session_id: Option<String>,
        /// Yes or no.
        yes: bool,
    },
    /// Stop what is going on.
    Stop,
    /// Which language models there are.
    ListModels,
    /// Switch `meter` messages, the level of the node's microphone, on or off for this client.
    Meter {
        /// On, from now on.
        on: bool,
    },
}

/// Reads a text message; pictures may have `image_bytes` of base64 together.
pub(crate) fn client_message(text: &str, image_bytes: usize) -> Result<ClientMessage, ApiError> {
    Ok(match if text.len() > MAX_BODY_BYTES { read_long(text)? } else { read(text)? } {
        Inbound::Chat(Chat { content, mode, session_id, images, speak, dry_run, model }) => {
            let text = request_input::text("content", &content)?;
            let text = request_input::for_model(text, model.as_deref())?;
            let pictures = pictures(images, image_bytes)?;
            ClientMessage::Chat { text, pictures, session_id, mode, speak, dry_run }
        }
        Inbound::Approve { turn, session_id } => ClientMessage::Answer { turn, session_id, yes: true },
        Inbound::Deny { turn, session_id } => ClientMessage::Answer { turn, session_id, yes: false },
        Inbound::Stop => ClientMessage::Stop,
        Inbound::ListModels => ClientMessage::ListModels,
        Inbound::Meter { on } => ClientMessage::Meter { on },
    })
}

/// Reads a text message as a WebSocket does, for programs without one.
///
/// # Errors
/// An object with `kind`, `message` and `fix`, to be sent to the client.
pub fn read_message(text: &str, image_bytes: usize) -> Result<ClientMessage, Value> {
    let told = |error: ApiError| error.to_json();
    let message = client_message(text, image_bytes).map_err(told)?;
    if let ClientMessage::Chat { session_id, .. } | ClientMessage::Answer { session_id, .. } = &message {
        SocketSessions::new().enter(session_id.as_deref()).map_err(told)?;
    }
    Ok(message)
}

/// Reads a message.
fn read(text: &str) -> Result<Inbound, ApiError> {
    let fix = "send one JSON object with a `type` of chat, list_models, approve, deny, stop or meter";
    request_input::parse(text.as_bytes()).map_err(|error| ApiError { fix: fix.to_owned(), ..error })
}

/// The only kind of message that has pictures, and may be longer than others for them.
#[derive(Debug, Deserialize)]
struct IsChat {
    #[serde(rename = "type")]
    _kind: ChatOnly,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
enum ChatOnly {
    Chat,
}

/// Reads a message longer than others, without keeping what is no part of it.
fn read_long(text: &str) -> Result<Inbound, ApiError> {
    let fix = "only a chat with `images` may be that long";
    let told = |error: ApiError| ApiError { fix: fix.to_owned(), ..error };
    request_input::parse::<IsChat>(text.as_bytes()).map_err(told)?;
    let chat: Chat = request_input::parse(text.as_bytes()).map_err(told)?;
    request_input::check_length_without_pictures(text.len(), &chat.images)?;
    Ok(Inbound::Chat(chat))
}

/// The conversations of a socket: what happens in them is told to it.
#[derive(Debug)]
pub(crate) struct SocketSessions {
    own: String,
    /// The one spoken in last is the last.
    named: Vec<String>,
    /// The one of the last chat.
    chatted: Option<String>,
}

impl SocketSessions {
    /// With one of its own, unknown to others.
    pub(crate) fn new() -> Self {
        Self {
            own: format!("{}{}", session_name::WEBSOCKET, uuid::Uuid::now_v7()),
            named: Vec::new(),
            chatted: None,
        }
    }

    /// The conversation of a chat: what is spoken from now on belongs to it, too.
    pub(crate) fn chat(&mut self, name: Option<&str>) -> Result<String, ApiError> {
        let session = self.enter(name)?;
        self.chatted = Some(session.clone());
        Ok(session)
    }

    /// The conversation that belongs to what names none, such as what is spoken: that of the last chat, else that of
    /// the socket.
    pub(crate) fn last(&mut self) -> String {
        match self.chatted.clone() {
            // So that it is told of the answer, however many others were named meanwhile.
            Some(session) if session != self.own => self.enter(Some(&session)).unwrap_or(session),
            _ => self.own.clone(),
        }
    }

    /// Whether it is the one that only this socket has.
    pub(crate) fn is_own(&self, session: &str) -> bool {
        session == self.own
    }

    /// The conversation a message belongs to: the one it names, else that of the socket.
    pub(crate) fn enter(&mut self, name: Option<&str>) -> Result<String, ApiError> {
        let Some(name) = name else { return Ok(self.own.clone()) };
        let name = request_input::session(name)?;
        self.named.retain(|known| *known != name);
        if self.named.len() == MAX_SESSIONS_PER_SOCKET {
            self.named.remove(0);
        }
        self.named.push(name.clone());
        Ok(name)
    }

    /// The conversation of an event, when it is one of these.
    fn of<'a>(&self, envelope: &'a Envelope) -> Option<&'a str> {
        match &envelope.origin {
            Some(Origin::Api(name)) if *name == self.own || self.named.contains(name) => Some(name),
            _ => None,
        }
    }
}

/// One message out.
pub(crate) fn message(kind: &str, data: Value) -> String {
    json!({ "type": kind, "data": data }).to_string()
}

/// What the node's microphone hears at the moment.
pub(crate) fn meter(heard: &Meter) -> String {
    // More digits are noise.
    let told = |value: f64| (value * 100.0).round() / 100.0;
    let echo = heard.echo.map(|echo| {
        json!({
            "erle_db": told(echo.erle_db.into()), "delay_ms": echo.delay_ms, "drift_ppm": told(echo.drift_ppm.into()),
            "is_learning": echo.is_learning, "age_s": told(echo.age_s),
        })
    });
    let data = json!({
        "is_open": heard.is_open, "level_dbfs": told(heard.level_dbfs.into()), "speech": told(heard.speech.into()),
        "wake": told(heard.wake.into()), "echo": echo,
    });
    message("meter", data)
}

/// What a socket is told of an event besides the event itself, because it is of one of its conversations.
pub(crate) fn answer(sessions: &SocketSessions, envelope: &Envelope) -> Option<String> {
    let session = sessions.of(envelope)?;
    let kind = match &envelope.event {
        PublicEvent::Reply { .. } => "content",
        PublicEvent::Plan(_) => "plan",
        PublicEvent::StepUpdate { .. } => "step_update",
        PublicEvent::Error(_) => "error",
        PublicEvent::Turn { .. } => "complete",
        _ => return None,
    };
    let mut data = public(envelope);
    data["session_id"] = session.into();
    // As clients of the protocol of the dashboard know them, beside the fields of the event.
    match &envelope.event {
        PublicEvent::Plan(plan) => data["total_steps"] = plan.steps.len().into(),
        PublicEvent::StepUpdate { step, .. } => data["step_id"] = step.as_str().into(),
        _ => {}
    }
    Some(message(kind, data))
}

/// An event as every socket gets it; beside it the conversation, where it is one of this socket's.
pub(crate) fn event(sessions: &SocketSessions, envelope: &Envelope) -> String {
    match sessions.of(envelope) {
        None => message("event", public(envelope)),
        Some(session) => {
            json!({ "type": "event", "data": public(envelope), "session_id": session }).to_string()
        }
    }
}

fn public(envelope: &Envelope) -> Value {
    // Only maps with keys that are not text, or a failing `Serialize`, can fail; events have neither.
    serde_json::to_value(envelope).unwrap_or_default()
}

/// Why a message was not acted on.
pub(crate) fn refused(error: &ApiError) -> String {
    message("error", error.to_json())
}

/// So many events were not sent.
pub(crate) fn left_out(count: u64) -> String {
    let data = json!({
        "kind": "events_left_out",
        "message": format!("{count} events were left out: they came faster than they could be sent"),
        "fix": "read faster, or look at /api/v1/turns",
        "count": count,
    });
    message("error", data)
}

pub(crate) fn models(models: Vec<ModelChoice>) -> String {
    let models: Vec<Model> = models.into_iter().map(Model::from).collect();
    message("models", json!({ "models": models }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use hark_core::Stamp;

    #[test]
    fn messages_are_read_and_what_is_none_is_told() {
        let chat = |mode, session_id: Option<&str>| {
            let (content, session_id) = ("hello".into(), session_id.map(str::to_owned));
            let (images, speak, model) = Default::default();
            Inbound::Chat(Chat { content, mode, session_id, images, speak, dry_run: false, model })
        };
        assert_eq!(read(r#"{"type":"chat","content":"hello"}"#).unwrap(), chat(None, None));
        assert_eq!(
            read(r#"{"type":"chat","content":"hello","mode":"focus","session_id":"s"}"#).unwrap(),
            chat(Some(AnswerMode::Focus), Some("s"))
        );
        assert_eq!(read(r#"{"type":"list_models"}"#).unwrap(), Inbound::ListModels);
        assert_eq!(read(r#"{"type":"stop","now":true}"#).unwrap(), Inbound::Stop);
        assert_eq!(
            read(r#"{"type":"deny","turn":"t-1"}"#).unwrap(),
            Inbound::Deny { turn: Some("t-1".into()), session_id: None }
        );
        for (wrong, kind) in [
            ("", "bad_request"),
            ("{", "bad_request"),
            (r#"{"type":"chat"}"#, "bad_input"),
            (r#"{"type":"chat","content":7}"#, "bad_input"),
            (r#"{"type":"chat","content":"x","mode":"loud"}"#, "bad_input"),
            (r#"{"type":"dance"}"#, "bad_input"),
            ("[]", "bad_input"),
        ] {
            assert_eq!(read(wrong).unwrap_err().kind, kind, "{wrong}");
        }
        let deep = format!("{}1{}", "[".repeat(30_000), "]".repeat(30_000));
        assert_eq!(read(&deep).unwrap_err().kind, "bad_request");
    }

    #[test]
    fn a_socket_is_told_of_its_own_conversations_only() {
        let mut sessions = SocketSessions::new();
        let own = sessions.enter(None).unwrap();
        sessions.enter(Some("kitchen")).unwrap();
        let reply = |session: &str| {
            let event = PublicEvent::Reply { text: "Yes.".into(), language: "en".into(), ends: false };
            let mut envelope = Envelope::new(event, Some("t-1".into()), Stamp::default(), "now".into());
            envelope.origin = Some(Origin::Api(session.into()));
            envelope
        };
        for session in [own.as_str(), "kitchen"] {
            let told: Value = serde_json::from_str(&answer(&sessions, &reply(session)).unwrap()).unwrap();
            assert_eq!(told["type"], "content");
            assert_eq!(told["data"]["session_id"], session);
            assert_eq!(told["data"]["ends"], false);
        }
        assert_eq!(answer(&sessions, &reply("hall")), None);
        let mut spoken = reply("kitchen");
        spoken.origin = Some(Origin::Voice);
        assert_eq!(answer(&sessions, &spoken), None);
        for name in 0..MAX_SESSIONS_PER_SOCKET {
            sessions.enter(Some(&name.to_string())).unwrap();
        }
        assert_eq!(answer(&sessions, &reply("kitchen")), None, "the oldest gave way");
        assert!(answer(&sessions, &reply(&own)).is_some());
    }
}
