//! Reads what a request brings, with bounds.

use super::limits::{BODY_BYTES, TEXT_CHARACTERS};
use super::refusal::Refusal;
use super::wire::Image;
use crate::domain::model::Picture;
use axum::extract::{Query, Request};
use axum::http::header::{CONTENT_LENGTH, CONTENT_TYPE};
use axum::http::{HeaderMap, StatusCode, Uri};
use futures_util::StreamExt;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::time::Duration;

/// Characters of a session's name.
const SESSION_CHARACTERS: usize = 64;

/// The parameters of an address; one that is unknown or there twice is refused.
pub(super) fn query<const N: usize>(uri: &Uri, known: [&str; N]) -> Result<[Option<String>; N], Refusal> {
    let Query(pairs) = Query::<Vec<(String, String)>>::try_from_uri(uri)
        .map_err(|_| Refusal::bad_request("the parameters cannot be read", "write them as name=value&…"))?;
    let mut values = [const { None }; N];
    for (name, value) in pairs {
        let Some(at) = known.iter().position(|known| *known == name) else {
            let fix = format!("the parameters are: {}", known.join(", "));
            return Err(Refusal::bad_request(format!("there is no parameter `{}`", short(&name)), fix));
        };
        if values[at].replace(value).is_some() {
            return Err(Refusal::bad_request(format!("`{}` is there twice", known[at]), "give it once"));
        }
    }
    Ok(values)
}

/// The JSON body of a request, at most [`BODY_BYTES`] long and there within `limit`.
pub(super) async fn json<T: DeserializeOwned>(request: Request, limit: Duration) -> Result<T, Refusal> {
    if !is_json(request.headers()) {
        let fix = "send `Content-Type: application/json`";
        return Err(Refusal::new(
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            "unsupported_media_type",
            "only JSON is taken",
            fix,
        ));
    }
    let bytes = tokio::time::timeout(limit, body(request)).await.unwrap_or_else(|_| {
        let message = "the body did not come in time";
        Err(Refusal::new(StatusCode::REQUEST_TIMEOUT, "timeout", message, "send it at once"))
    })?;
    parse(&bytes)
}

/// JSON that is put together well and is what is wanted; it is looked at in this order, and how deep it goes is
/// bounded.
pub(super) fn parse<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Refusal> {
    let value: Value = serde_json::from_slice(bytes).map_err(|error| {
        Refusal::bad_request(format!("not JSON: {}", short(&error.to_string())), "send one JSON object")
    })?;
    serde_json::from_value(value)
        .map_err(|error| Refusal::unprocessable(short(&error.to_string()), "see /api/v1/openapi.json"))
}

fn is_json(headers: &HeaderMap) -> bool {
    let mut kinds = headers.get_all(CONTENT_TYPE).iter();
    let (Some(kind), None) = (kinds.next().and_then(|kind| kind.to_str().ok()), kinds.next()) else {
        return false;
    };
    kind.split(';').next().is_some_and(|kind| kind.trim().eq_ignore_ascii_case("application/json"))
}

async fn body(request: Request) -> Result<Vec<u8>, Refusal> {
    let too_large = || {
        let message = format!("the body is longer than {BODY_BYTES} bytes");
        Refusal::new(StatusCode::PAYLOAD_TOO_LARGE, "too_large", message, "send less")
    };
    let told = request.headers().get(CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse().ok());
    if told.is_some_and(|length: u64| length > BODY_BYTES as u64) {
        return Err(too_large());
    }
    let mut stream = request.into_body().into_data_stream();
    let mut bytes = Vec::new();
    while let Some(chunk) = stream.next().await {
        let chunk = chunk.map_err(|_| Refusal::bad_request("the body broke off", "send it whole"))?;
        if bytes.len() + chunk.len() > BODY_BYTES {
            return Err(too_large());
        }
        bytes.extend_from_slice(&chunk);
    }
    Ok(bytes)
}

/// A text for Hark: breaks become spaces, and it may have no other control characters.
pub(super) fn text(name: &str, text: &str) -> Result<String, Refusal> {
    let fix = || format!("send 1 to {TEXT_CHARACTERS} characters of text");
    let text: String = text.chars().map(|c| if matches!(c, '\n' | '\r' | '\t') { ' ' } else { c }).collect();
    let text = text.trim();
    if text.is_empty() {
        Err(Refusal::unprocessable(format!("`{name}` is empty"), fix()))
    } else if text.chars().count() > TEXT_CHARACTERS {
        Err(Refusal::unprocessable(format!("`{name}` is too long"), fix()))
    } else if text.contains(char::is_control) {
        Err(Refusal::unprocessable(format!("`{name}` has control characters in it"), fix()))
    } else {
        Ok(text.to_owned())
    }
}

/// The pictures of a request.
pub(super) fn pictures(images: Vec<Image>) -> Result<Vec<Picture>, Refusal> {
    const KINDS: [&str; 4] = ["image/png", "image/jpeg", "image/webp", "image/gif"];
    const MOST: usize = 4;
    let fix = || format!("send at most {MOST} of {} in base64", KINDS.join(", "));
    let plain = |text: &str| {
        let body = text.trim_end_matches('=');
        let in_alphabet = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/');
        text.len() >= 4 && text.len() - body.len() <= 2 && body.bytes().all(in_alphabet)
    };
    if images.len() > MOST {
        return Err(Refusal::unprocessable("too many `images`", fix()));
    }
    if !images.iter().all(|image| KINDS.contains(&image.media_type.as_str()) && plain(&image.base64)) {
        return Err(Refusal::unprocessable("one of `images` is no picture", fix()));
    }
    let picture = |image: Image| Picture { media_type: image.media_type, base64: image.base64 };
    Ok(images.into_iter().map(picture).collect())
}

/// The name of a conversation.
pub(super) fn session(name: &str) -> Result<String, Refusal> {
    let length = name.chars().count();
    if !(1..=SESSION_CHARACTERS).contains(&length) || name.contains(char::is_control) {
        let fix = format!("use 1 to {SESSION_CHARACTERS} characters");
        return Err(Refusal::unprocessable("`session_id` is not the name of a conversation", fix));
    }
    Ok(name.to_owned())
}

/// What somebody sent, for a message.
fn short(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).take(120).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_known_and_there_once() {
        let read = |text: &str| {
            let uri: Uri = format!("/turns?{text}").parse().unwrap();
            query(&uri, ["limit", "before"]).map_err(|refusal| refusal.status.as_u16())
        };
        assert_eq!(read(""), Ok([None, None]));
        assert_eq!(read("before=a%20b&limit=3"), Ok([Some("3".into()), Some("a b".into())]));
        assert_eq!(read("limit=3&limit=4"), Err(400));
        assert_eq!(read("token=secret"), Err(400));
    }

    #[test]
    fn pictures_are_few_and_of_known_kinds() {
        let image = |kind: &str, base64: &str| Image { media_type: kind.into(), base64: base64.into() };
        assert_eq!(pictures(vec![image("image/png", "iVBORw0KGgo=")]).unwrap().len(), 1);
        for wrong in
            [image("text/html", "iVBORw=="), image("image/png", "no base64!"), image("image/png", "")]
        {
            assert_eq!(pictures(vec![wrong]).unwrap_err().status.as_u16(), 422);
        }
        assert_eq!(pictures(vec![image("image/png", "iVBORw=="); 5]).unwrap_err().status.as_u16(), 422);
    }

    #[test]
    fn texts_are_of_one_line_and_bounded() {
        assert_eq!(text("text", " what\ttime\nis it ").unwrap(), "what time is it");
        for wrong in ["", " \n ", "bell\u{7}", &"a".repeat(TEXT_CHARACTERS + 1)] {
            assert_eq!(text("text", wrong).unwrap_err().status.as_u16(), 422);
        }
        assert!(session("kitchen table").is_ok());
        assert!(session("").is_err() && session("a\nb").is_err() && session(&"é".repeat(65)).is_err());
    }
}
