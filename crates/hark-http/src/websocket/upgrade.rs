//! From a request to a WebSocket (RFC 6455, 4.2): the handshake, then [`connection`](super::connection).

use super::super::access::guard::{BEARER_PROTOCOL, Operator, Peer, protocols};
use super::super::api_error::ApiError;
use super::super::limits::MAX_BODY_BYTES;
use super::super::server_state::SharedState;
use super::connection;
use axum::extract::{Request, State};
use axum::http::header::{
    CONNECTION, HeaderName, SEC_WEBSOCKET_ACCEPT, SEC_WEBSOCKET_KEY, SEC_WEBSOCKET_PROTOCOL,
    SEC_WEBSOCKET_VERSION, UPGRADE,
};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use hyper_util::rt::TokioIo;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::handshake::derive_accept_key;
use tokio_tungstenite::tungstenite::protocol::{Role, WebSocketConfig};

/// What the document says of it.
pub(crate) const ABOUT: &str = "A WebSocket, JSON both ways. \
In: {\"type\":\"chat\",\"content\",\"mode\":\"chat|voice|focus\",\"session_id\",\"images\",\"speak\",\"dry_run\",\"model\"}, {\"type\":\"list_models\"}, \
{\"type\":\"approve\"|\"deny\",\"turn\",\"session_id\"}, {\"type\":\"stop\"}, {\"type\":\"meter\",\"on\"}; all but `type`, `content` and `on` may be left out. \
`approve` and `deny` answer the question of the conversation they name, else of the last chat of this socket, else of its \
own; with the operator's token they answer the question of the turn they name, or the only one there is, whoever was asked. \
Any other changes nothing and is answered by an `error`. The message `stop` takes every question back; a chat that says it \
leaves those of other named conversations. \
Out: {\"type\":\"content\"|\"plan\"|\"step_update\"|\"complete\"|\"error\"|\"models\"|\"event\",\"data\"}: `event` is every \
public event as contracts/events.json shows it (with `session_id` beside `data` where it is of a conversation of this \
socket), the others are those of the conversations of this socket, with `session_id`. \
While `meter` is on, {\"type\":\"meter\",\"data\":{\"is_open\",\"level_dbfs\",\"speech\",\"wake\",\"echo\"}} comes ten times a second: what the \
node's microphone hears, and the newest figure of the echo (`erle_db`, `delay_ms`, `drift_ppm`, `is_learning`, `age_s`), null before \
anything loud was played. \
`mode` says how answers are wanted, and stays so in its conversation until another one is named: `chat`, where nothing was \
said, as text; `voice` aloud on the node as well; `focus` for somebody at work: as text, short, the answer and nothing \
else, without hints, and nothing that was not asked for. `speak` says for one chat whether it is answered aloud, and with \
`dry_run` nothing is done. \
Binary frames are the sound of a microphone: 16 kHz, mono, s16le, 20 to 100 ms in a frame, at most 64 KiB, as fast as it \
is spoken. They are heard without a wake word, as a request in the conversation of the last chat of this socket, else of \
its own: with `speech_started`, `partial`, `speech_ended` and `transcript` as events of a turn, then `content` and `complete` as \
for a chat; a yes or no to what was asked there can be spoken as well. While sound goes on every utterance is a request of \
its own; the end of sound, or an empty frame at once, ends what is being said. Who switches the microphone on and says \
nothing gets `complete` with the outcome `nothing_said`, and `not_understood` when it was nothing for Hark. Switching off the \
node's own microphone does not switch off this one. At most dashboard.max_microphones are heard at a time. \
The token, where one is needed, and the operator's go into the header Authorization, or into the subprotocol hark.bearer.TOKEN.";

/// Subprotocol a client may name that has nothing else to say.
const PLAIN_PROTOCOL: &str = "hark";

/// What a client may send, with pictures of so many bytes, and keep waiting.
fn settings(image_bytes: usize) -> WebSocketConfig {
    let longest = Some(MAX_BODY_BYTES + image_bytes);
    WebSocketConfig::default()
        .max_message_size(longest)
        .max_frame_size(longest)
        .read_buffer_size(8 * 1024)
        .write_buffer_size(0)
        .max_write_buffer_size(4 * 1024 * 1024)
}

/// `GET /ws`.
pub(crate) async fn open(State(app): State<SharedState>, mut request: Request) -> Response {
    match prepare(&app, &mut request) {
        Ok(response) => response,
        Err(error) => error.into_response(),
    }
}

fn prepare(app: &SharedState, request: &mut Request) -> Result<Response, ApiError> {
    let headers = request.headers();
    let key = shake(headers)?;
    let protocol = chosen(headers);
    let missing = || ApiError::bad_request("this connection cannot become a WebSocket", "use HTTP/1.1");
    let peer = *request.extensions().get::<Peer>().ok_or_else(missing)?;
    let operator = request.extensions().get::<Operator>().copied().unwrap_or_default();
    if request.extensions().get::<hyper::upgrade::OnUpgrade>().is_none() {
        return Err(missing());
    }
    let busy = || {
        let fix = "close some, or raise dashboard.max_connections";
        ApiError::new(StatusCode::SERVICE_UNAVAILABLE, "busy", "too many WebSockets are open", fix)
    };
    // Those that others hold open are none of the owner's.
    let permit = match peer.is_owner {
        true => None,
        false => Some(app.sockets.clone().try_acquire_owned().map_err(|_| busy())?),
    };
    let upgrading = hyper::upgrade::on(request);
    let shared = app.clone();
    app.metrics.sockets.raise();
    // From now on, not from when the client has read the answer: it may rely on what it asks for next.
    let feed = app.api.events();
    tokio::spawn(async move {
        let _permit = permit;
        match upgrading.await {
            Ok(upgraded) => {
                let io = TokioIo::new(upgraded);
                let stream =
                    WebSocketStream::from_raw_socket(io, Role::Server, Some(settings(shared.image_bytes)))
                        .await;
                connection::serve(shared, stream, (peer, operator), feed).await;
            }
            Err(error) => tracing::debug!("a WebSocket was not opened: {error}"),
        }
    });
    let mut response =
        (StatusCode::SWITCHING_PROTOCOLS, [(CONNECTION, "Upgrade"), (UPGRADE, "websocket")]).into_response();
    let accept = HeaderValue::from_str(&derive_accept_key(key.as_bytes())).map_err(|_| missing())?;
    response.headers_mut().insert(SEC_WEBSOCKET_ACCEPT, accept);
    if let Some(protocol) = protocol {
        response.headers_mut().insert(SEC_WEBSOCKET_PROTOCOL, protocol);
    }
    Ok(response)
}

/// The key of a handshake that is put together well.
fn shake(headers: &HeaderMap) -> Result<String, ApiError> {
    let upgrade = |message: &str| {
        let fix = "open it as a WebSocket of version 13";
        let error = ApiError::new(StatusCode::UPGRADE_REQUIRED, "upgrade_required", message, fix);
        let error = error.with(UPGRADE, HeaderValue::from_static("websocket"));
        error.with(SEC_WEBSOCKET_VERSION, HeaderValue::from_static("13"))
    };
    if !has_word(headers, &CONNECTION, "upgrade") || !has_word(headers, &UPGRADE, "websocket") {
        return Err(upgrade("this address speaks WebSocket"));
    }
    let text = |name: &HeaderName| headers.get(name).and_then(|value| value.to_str().ok());
    if text(&SEC_WEBSOCKET_VERSION) != Some("13") {
        return Err(upgrade("another version of WebSocket"));
    }
    // Sixteen bytes in base64.
    let key = text(&SEC_WEBSOCKET_KEY).filter(|key| key.len() == 24 && key.ends_with("=="));
    let key = key.ok_or_else(|| {
        ApiError::bad_request("the header Sec-WebSocket-Key is missing or wrong", "send one by RFC 6455")
    })?;
    Ok(key.to_owned())
}

/// Whether a header, which may be there several times with several words each, has this one.
fn has_word(headers: &HeaderMap, name: &HeaderName, word: &str) -> bool {
    let values = headers.get_all(name).iter().filter_map(|value| value.to_str().ok());
    values.flat_map(|value| value.split(',')).any(|one| one.trim().eq_ignore_ascii_case(word))
}

/// A browser closes a socket of which no offered subprotocol was taken.
fn chosen(headers: &HeaderMap) -> Option<HeaderValue> {
    let mut offered = protocols(headers);
    let plain = protocols(headers).find(|protocol| *protocol == PLAIN_PROTOCOL);
    let chosen = plain.or_else(|| offered.find(|protocol| protocol.starts_with(BEARER_PROTOCOL)))?;
    HeaderValue::from_str(chosen).ok()
}
