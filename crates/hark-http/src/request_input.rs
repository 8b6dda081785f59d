//! Reads and validates the input of a request: query parameters, JSON body, texts, session names.

use super::api_error::ApiError;
use super::limits::{MAX_BODY_BYTES, MAX_IMAGE_REQUESTS, MAX_TEXT_CHARACTERS};
use super::server_state::ServerState;
use super::wire::{AskRequest, Image};
use axum::body::BodyDataStream;
use axum::extract::{Query, Request};
use axum::http::header::{CONTENT_LENGTH, CONTENT_TYPE, RETRY_AFTER};
use axum::http::{HeaderMap, HeaderValue, StatusCode, Uri};
use futures_util::StreamExt;
use hark_core::text::one_line;
use serde::de::{DeserializeOwned, IgnoredAny};
use serde_json::Value;
use serde_json::error::Category;
use std::time::Duration;
use tokio::sync::OwnedSemaphorePermit;

/// Characters of a session's name.
const MAX_SESSION_CHARACTERS: usize = 64;
/// Characters of the name of a language model.
const MAX_MODEL_CHARACTERS: usize = 256;
/// Bytes that are read of a body after it was refused.
pub(super) const MAX_DISCARDED_BYTES: usize = 64 * 1024 * 1024;

/// The parameters of an address; one that is unknown or there twice is refused.
pub(super) fn query<const N: usize>(uri: &Uri, known: [&str; N]) -> Result<[Option<String>; N], ApiError> {
    let Query(pairs) = Query::<Vec<(String, String)>>::try_from_uri(uri)
        .map_err(|_| ApiError::bad_request("the parameters cannot be read", "write them as name=value&…"))?;
    let mut values = [const { None }; N];
    for (name, value) in pairs {
        let Some(at) = known.iter().position(|known| *known == name) else {
            let fix = format!("the parameters are: {}", known.join(", "));
            return Err(ApiError::bad_request(format!("there is no parameter `{}`", short(&name)), fix));
        };
        if values[at].replace(value).is_some() {
            return Err(ApiError::bad_request(format!("`{}` is there twice", known[at]), "give it once"));
        }
    }
    Ok(values)
}

/// A place among those who may send pictures at a time; given back when it is dropped.
pub(super) type ImagePermit = OwnedSemaphorePermit;

/// The JSON body of a request, at most [`MAX_BODY_BYTES`] long and there within the time of the limits.
pub(super) async fn json<T: DeserializeOwned>(request: Request, app: &ServerState) -> Result<T, ApiError> {
    read_json(request, app, MAX_BODY_BYTES).await.map(|(body, _)| body)
}

/// The same where a field of it may have `more` bytes; with the place a long one takes until it is answered.
pub(super) async fn long_json<T: DeserializeOwned>(
    request: Request,
    app: &ServerState,
    more: usize,
) -> Result<(T, Option<ImagePermit>), ApiError> {
    read_json(request, app, MAX_BODY_BYTES + more).await.map(|(body, (_, place))| (body, place))
}

/// The same with pictures: as much longer as they are, with the place it takes then.
pub(super) async fn ask_request(
    request: Request,
    app: &ServerState,
) -> Result<(AskRequest, Option<ImagePermit>), ApiError> {
    let most = MAX_BODY_BYTES + app.image_bytes;
    let (body, (length, place)) = read_json::<AskRequest>(request, app, most).await?;
    check_length_without_pictures(length, &body.images)?;
    Ok((body, place))
}

/// Besides its pictures a message is no longer than others.
pub(super) fn check_length_without_pictures(length: usize, images: &[Image]) -> Result<(), ApiError> {
    let pictures: usize = images.iter().map(|image| image.base64.len()).sum();
    if length.saturating_sub(pictures) > MAX_BODY_BYTES {
        let message = format!("besides its pictures it is longer than {MAX_BODY_BYTES} bytes");
        return Err(ApiError::too_large(message, "send less"));
    }
    Ok(())
}

async fn read_json<T: DeserializeOwned>(
    request: Request,
    app: &ServerState,
    most: usize,
) -> Result<(T, (usize, Option<ImagePermit>)), ApiError> {
    if !is_json(request.headers()) {
        let fix = "send `Content-Type: application/json`";
        return Err(ApiError::new(
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            "unsupported_media_type",
            "only JSON is taken",
            fix,
        ));
    }
    let told = told_length(request.headers());
    let is_long = most > MAX_BODY_BYTES && told.is_some_and(|length| length > MAX_BODY_BYTES as u64);
    let limit = if is_long { app.limits.long_body } else { app.limits.body };
    let read = tokio::time::timeout(limit, body(request, app, most, told)).await;
    let (bytes, place) = read.unwrap_or_else(|_| {
        let message = "the body did not come in time";
        Err(ApiError::new(StatusCode::REQUEST_TIMEOUT, "timeout", message, "send it at once"))
    })?;
    Ok((parse(&bytes)?, (bytes.len(), place)))
}

/// JSON that is put together well and is what is wanted; it is looked at in this order, and how deep it goes is
/// bounded. Of a long one nothing is kept that is no part of what is wanted.
pub(super) fn parse<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, ApiError> {
    let broken = |error: serde_json::Error| {
        ApiError::bad_request(format!("not JSON: {}", short(&error.to_string())), "send one JSON object")
    };
    if bytes.len() > MAX_BODY_BYTES {
        serde_json::from_slice::<IgnoredAny>(bytes).map(drop).map_err(broken)?;
    } else {
        // Also refuses what is nested too deeply, in any place.
        serde_json::from_slice::<Value>(bytes).map(drop).map_err(broken)?;
    }
    serde_json::from_slice(bytes).map_err(|error| match error.classify() {
        Category::Data => ApiError::unprocessable(short(&error.to_string()), "see /api/v1/openapi.json"),
        Category::Io | Category::Syntax | Category::Eof => broken(error),
    })
}

/// The place of a long message.
pub(super) fn acquire_image_permit(app: &ServerState) -> Result<ImagePermit, ApiError> {
    app.image_permits.clone().try_acquire_owned().map_err(|_| {
        let message = format!("{MAX_IMAGE_REQUESTS} requests with pictures are being worked at already");
        ApiError::busy(message, "send it again in a moment").with(RETRY_AFTER, HeaderValue::from_static("5"))
    })
}

fn is_json(headers: &HeaderMap) -> bool {
    let mut kinds = headers.get_all(CONTENT_TYPE).iter();
    let (Some(kind), None) = (kinds.next().and_then(|kind| kind.to_str().ok()), kinds.next()) else {
        return false;
    };
    kind.split(';').next().is_some_and(|kind| kind.trim().eq_ignore_ascii_case("application/json"))
}

fn told_length(headers: &HeaderMap) -> Option<u64> {
    headers.get(CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}

async fn body(
    request: Request,
    app: &ServerState,
    most: usize,
    told: Option<u64>,
) -> Result<(Vec<u8>, Option<ImagePermit>), ApiError> {
    let fits = |length: u64, place: &mut Option<ImagePermit>| {
        if length > most as u64 {
            let fix = match most {
                MAX_BODY_BYTES => "send less",
                _ => "send less; pictures fewer or smaller, or raise dashboard.max_image_kib",
            };
            return Err(ApiError::too_large(format!("the body is longer than {most} bytes"), fix));
        }
        if length > MAX_BODY_BYTES as u64 && place.is_none() {
            *place = Some(acquire_image_permit(app)?);
        }
        Ok(())
    };
    let mut stream = request.into_body().into_data_stream();
    let mut bytes = Vec::new();
    let mut place = None;
    if let Err(error) = fits(told.unwrap_or_default(), &mut place) {
        discard(stream, app.limits.body);
        return Err(error);
    }
    while let Some(chunk) = stream.next().await {
        let chunk = chunk.map_err(|_| ApiError::bad_request("the body broke off", "send it whole"))?;
        if let Err(error) = fits((bytes.len() + chunk.len()) as u64, &mut place) {
            discard(stream, app.limits.body);
            return Err(error);
        }
        bytes.extend_from_slice(&chunk);
    }
    Ok((bytes, place))
}

/// Reads on for a while without keeping anything: a client that is still sending when the connection is closed never
/// sees why it was refused.
fn discard(mut stream: BodyDataStream, limit: Duration) {
    tokio::spawn(async move {
        let mut left = MAX_DISCARDED_BYTES;
        let rest = async {
            while let Some(Ok(chunk)) = stream.next().await {
                left = left.saturating_sub(chunk.len());
                if left == 0 {
                    return;
                }
            }
        };
        // A client that goes on after that finds the connection closed.
        let _ = tokio::time::timeout(limit, rest).await;
    });
}

/// A text for Hark: breaks become spaces, and it may have no other control characters.
pub(super) fn text(name: &str, text: &str) -> Result<String, ApiError> {
    let fix = || format!("send 1 to {MAX_TEXT_CHARACTERS} characters of text");
    // Counted as it came, as the document says.
    let is_long = text.chars().count() > MAX_TEXT_CHARACTERS;
    let text: String = text.chars().map(|c| if matches!(c, '\n' | '\r' | '\t') { ' ' } else { c }).collect();
    let text = text.trim();
    if text.is_empty() {
        Err(ApiError::unprocessable(format!("`{name}` is empty"), fix()))
    } else if is_long {
        Err(ApiError::unprocessable(format!("`{name}` is too long"), fix()))
    } else if text.contains(char::is_control) {
        Err(ApiError::unprocessable(format!("`{name}` has control characters in it"), fix()))
    } else {
        Ok(text.to_owned())
    }
}

/// A request for the language model that it names, as it is typed.
pub(super) fn for_model(text: String, model: Option<&str>) -> Result<String, ApiError> {
    let Some(model) = model else { return Ok(text) };
    let is_name = |c: char| !c.is_whitespace() && !c.is_control();
    if !(1..=MAX_MODEL_CHARACTERS).contains(&model.chars().count()) || !model.chars().all(is_name) {
        let fix = format!("use 1 to {MAX_MODEL_CHARACTERS} characters without blanks");
        return Err(ApiError::unprocessable("`model` is not the name of a language model", fix));
    }
    Ok(format!("/model {model} {text}"))
}

/// The name of a conversation.
pub(super) fn session(name: &str) -> Result<String, ApiError> {
    let length = name.chars().count();
    if !(1..=MAX_SESSION_CHARACTERS).contains(&length) || name.contains(char::is_control) {
        let fix = format!("use 1 to {MAX_SESSION_CHARACTERS} characters");
        return Err(ApiError::unprocessable("`session_id` is not the name of a conversation", fix));
    }
    Ok(name.to_owned())
}

/// Part of the input, for an error message.
fn short(text: &str) -> String {
    one_line(text, 120)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_known_and_there_once() {
        let read = |text: &str| {
            let uri: Uri = format!("/turns?{text}").parse().unwrap();
            query(&uri, ["limit", "before"]).map_err(|error| error.status.as_u16())
        };
        assert_eq!(read(""), Ok([None, None]));
        assert_eq!(read("before=a%20b&limit=3"), Ok([Some("3".into()), Some("a b".into())]));
        assert_eq!(read("limit=3&limit=4"), Err(400));
        assert_eq!(read("token=secret"), Err(400));
    }

    #[test]
    fn texts_are_of_one_line_and_bounded() {
        assert_eq!(text("text", " what\ttime\nis it ").unwrap(), "what time is it");
        for wrong in [
            "",
            " \n ",
            "bell\u{7}",
            &"a".repeat(MAX_TEXT_CHARACTERS + 1),
            &format!("a{}", " ".repeat(MAX_TEXT_CHARACTERS)),
        ] {
            assert_eq!(text("text", wrong).unwrap_err().status.as_u16(), 422);
        }
        assert!(session("kitchen table").is_ok());
        assert!(session("").is_err() && session("a\nb").is_err() && session(&"é".repeat(65)).is_err());
    }
}
