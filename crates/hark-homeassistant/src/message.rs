//! What Home Assistant sends, told apart: <https://developers.home-assistant.io/docs/api/websocket>.

use hark_core::text::one_line;
use serde_json::{Map, Value};

/// Longest text of Home Assistant that is passed on to people.
const MAX_WORDS: usize = 200;

/// One message.
#[derive(Debug, Clone, PartialEq)]
pub enum Incoming {
    /// It wants the token.
    AuthRequired,
    /// The token is good.
    AuthOk {
        /// Version of Home Assistant.
        version: String,
    },
    /// The token is not good.
    AuthInvalid {
        /// Why.
        message: String,
    },
    /// The answer to the request of this id.
    Answer {
        /// Id of the request.
        id: u64,
        /// What it answered.
        answer: Result<Value, Refusal>,
    },
    /// Something happened that the request of this id subscribed to.
    Event {
        /// Id of the subscription.
        id: u64,
        /// What happened.
        event: Value,
    },
    /// The answer to a ping.
    Pong,
    /// Anything else.
    Other,
}

/// Why Home Assistant does not do what it was asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// Such as `not_found`, `unauthorized`, `home_assistant_error`.
    pub code: String,
    /// In words, bounded.
    pub message: String,
    /// Which of its sentences this is, such as `service_not_supported`.
    pub key: String,
}

/// The messages of one text frame: one, or a list of them.
///
/// # Errors
/// What is wrong with a text that is no message.
pub fn read(text: &str) -> Result<Vec<Incoming>, String> {
    match serde_json::from_str(text).map_err(|error| error.to_string())? {
        Value::Array(messages) => messages.into_iter().map(one).collect(),
        message => Ok(vec![one(message)?]),
    }
}

fn one(message: Value) -> Result<Incoming, String> {
    let Value::Object(mut message) = message else { return Err("not an object".into()) };
    let kind = message.get("type").and_then(Value::as_str).ok_or("no type")?.to_owned();
    let id = message.get("id").and_then(Value::as_u64);
    let need_id = || id.ok_or_else(|| format!("{kind} without an id"));
    Ok(match kind.as_str() {
        "auth_required" => Incoming::AuthRequired,
        "auth_ok" => Incoming::AuthOk { version: words(&message, "ha_version") },
        "auth_invalid" => Incoming::AuthInvalid { message: words(&message, "message") },
        "result" => {
            let id = need_id()?;
            let success = message.get("success").and_then(Value::as_bool).unwrap_or(false);
            let answer = if success {
                Ok(message.remove("result").unwrap_or_default())
            } else {
                Err(refusal(message.get("error")))
            };
            Incoming::Answer { id, answer }
        }
        "event" => Incoming::Event { id: need_id()?, event: message.remove("event").unwrap_or_default() },
        "pong" => Incoming::Pong,
        _ => Incoming::Other,
    })
}

fn refusal(error: Option<&Value>) -> Refusal {
    let empty = Map::new();
    let error = error.and_then(Value::as_object).unwrap_or(&empty);
    Refusal {
        code: words(error, "code"),
        message: words(error, "message"),
        key: words(error, "translation_key"),
    }
}

/// A text for display: one line of bounded length; a code may be a number.
fn words(object: &Map<String, Value>, key: &str) -> String {
    match object.get(key) {
        Some(Value::String(text)) => one_line(text, MAX_WORDS),
        Some(Value::Number(number)) => number.to_string(),
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn only(text: &str) -> Incoming {
        read(text).unwrap().remove(0)
    }

    #[test]
    fn messages_are_told_apart() {
        assert_eq!(only(r#"{"type":"auth_required","ha_version":"2026.10.1"}"#), Incoming::AuthRequired);
        let version = "2026.10.1".to_owned();
        assert_eq!(only(r#"{"type":"auth_ok","ha_version":"2026.10.1"}"#), Incoming::AuthOk { version });
        let answer = only(r#"{"id":4,"type":"result","success":true,"result":[1]}"#);
        assert_eq!(answer, Incoming::Answer { id: 4, answer: Ok(json!([1])) });
        let answer = only(
            r#"{"id":4,"type":"result","success":false,"error":{"code":"not_found","message":"Service\nx not found.","translation_key":"k"}}"#,
        );
        let refusal =
            Refusal { code: "not_found".into(), message: "Service x not found.".into(), key: "k".into() };
        assert_eq!(answer, Incoming::Answer { id: 4, answer: Err(refusal) });
        let both = read(r#"[{"id":1,"type":"pong"},{"id":2,"type":"event","event":{"a":{}}}]"#).unwrap();
        assert_eq!(both, [Incoming::Pong, Incoming::Event { id: 2, event: json!({"a":{}}) }]);
        assert_eq!(only(r#"{"type":"something new"}"#), Incoming::Other);
    }

    #[test]
    fn what_is_no_message_is_an_error_and_a_refusal_without_words_is_one_all_the_same() {
        let deep = format!("{}1{}", "[".repeat(500), "]".repeat(500));
        for text in [
            "",
            "{",
            "7",
            "[7]",
            "{}",
            r#"{"type":7}"#,
            r#"{"type":"event"}"#,
            r#"{"type":"result","id":-1}"#,
            &deep,
        ] {
            assert!(read(text).is_err(), "{text:.40}");
        }
        let Incoming::Answer { answer: Err(refusal), .. } = only(r#"{"type":"result","id":1,"error":7}"#)
        else {
            panic!("no refusal")
        };
        assert_eq!(refusal.message, "");
        let long = format!(r#"{{"type":"auth_invalid","message":"{}"}}"#, "x".repeat(5000));
        let Incoming::AuthInvalid { message } = only(&long) else { panic!("no refusal") };
        assert_eq!(message.len(), MAX_WORDS);
    }

    proptest! {
        #[test]
        fn no_text_makes_it_panic(text in "\\PC{0,80}", kind in "result|event|pong|auth_ok") {
            let _ = read(&text);
            let _ = read(&format!(r#"{{"type":"{kind}","id":1,"event":{text},"error":{text}}}"#));
        }
    }
}
