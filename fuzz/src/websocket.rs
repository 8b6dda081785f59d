//! Messages of WebSocket clients. One that is accepted is within every bound, is of the type it names, and reads the same
//! when it is written anew; one that is refused is told in a bounded message with a fix.

use hark_http::{ClientMessage, read_message};
use serde_json::{Value, json};

/// Longest input in bytes: longer than any message that may be accepted.
const MAX_BYTES: usize = 192 * 1024;
/// Bytes of pictures that are allowed here.
const IMAGE_BYTES: usize = 32 * 1024;
/// Bytes of a message besides its pictures.
const BODY_BYTES: usize = hark_http::limits::MAX_BODY_BYTES;
/// Characters of what is told of a mistake.
const MAX_TOLD: usize = 300;
const KINDS: [&str; 4] = ["image/png", "image/jpeg", "image/webp", "image/gif"];

/// Checks one message.
pub fn check(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    if text.len() > MAX_BYTES {
        return;
    }
    match read_message(text, IMAGE_BYTES) {
        Ok(message) => {
            within_bounds(&message, text);
            let written = write(&message);
            let object: Value = serde_json::from_str(text).expect("an accepted message is JSON");
            assert_eq!(object["type"], written["type"]);
            assert_eq!(read_message(&written.to_string(), IMAGE_BYTES), Ok(message));
        }
        Err(told) => {
            for key in ["kind", "message", "fix"] {
                let words = told[key].as_str().unwrap_or_default();
                assert!(!words.is_empty() && words.chars().count() <= MAX_TOLD, "{told}");
                assert!(!words.contains(char::is_control), "{told}");
            }
        }
    }
}

fn within_bounds(message: &ClientMessage, raw: &str) {
    let session = match message {
        ClientMessage::Chat { text, pictures, session_id, .. } => {
            assert!((1..=hark_http::limits::MAX_TEXT_CHARACTERS).contains(&text.chars().count()));
            assert!(text.trim() == text && !text.contains(char::is_control), "{text:?}");
            let bytes: usize = pictures.iter().map(|picture| picture.base64.len()).sum();
            assert!(
                pictures.len() <= 4 && bytes <= IMAGE_BYTES,
                "{} pictures, {bytes} bytes",
                pictures.len()
            );
            assert!(pictures.iter().all(|picture| KINDS.contains(&picture.media_type.as_str())));
            assert!(raw.len() - bytes <= BODY_BYTES, "{} bytes, {bytes} of pictures", raw.len());
            session_id
        }
        ClientMessage::Answer { session_id, .. } => session_id,
        ClientMessage::Stop | ClientMessage::ListModels | ClientMessage::Meter { .. } => &None,
    };
    if let Some(name) = session {
        assert!((1..=64).contains(&name.chars().count()) && !name.contains(char::is_control), "{name:?}");
    }
}

/// The message as a client would write it.
fn write(message: &ClientMessage) -> Value {
    match message {
        ClientMessage::Chat { text, pictures, session_id, mode, speak, dry_run } => {
            let images: Vec<Value> = pictures
                .iter()
                .map(|picture| json!({"media_type": picture.media_type, "base64": picture.base64}))
                .collect();
            json!({
                "type": "chat", "content": text, "images": images, "session_id": session_id,
                "mode": mode.map(|mode| mode.name()), "speak": speak, "dry_run": dry_run,
            })
        }
        ClientMessage::Answer { turn, session_id, yes } => {
            let kind = if *yes { "approve" } else { "deny" };
            json!({"type": kind, "turn": turn, "session_id": session_id})
        }
        ClientMessage::Stop => json!({"type": "stop"}),
        ClientMessage::ListModels => json!({"type": "list_models"}),
        ClientMessage::Meter { on } => json!({"type": "meter", "on": on}),
    }
}
