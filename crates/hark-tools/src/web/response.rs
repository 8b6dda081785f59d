//! Reading what a server answers: so many bytes of it, and only as text when it is some.

use super::{WebError, shown_host};
use encoding_rs::{Encoding, UTF_8, WINDOWS_1252};
use hark_core::fault::root_cause;
use reqwest::Response;
use reqwest::header::{CONTENT_ENCODING, CONTENT_TYPE, HeaderMap, SET_COOKIE};

/// Most headers that are told.
const MAX_HEADERS: usize = 40;
/// Longest header that is told, characters.
const MAX_HEADER_CHARS: usize = 500;

/// What came.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Content {
    /// Text.
    Text(String),
    /// Something else; what it is, is not told.
    Binary,
}

/// An answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebResponse {
    /// Status, such as 200.
    pub status: u16,
    /// Where it came from in the end.
    pub url: String,
    /// Type without parameters in small letters, such as `text/html`; empty when it was not told.
    pub content_type: String,
    /// Headers as they came, names in small letters; cookies are left out.
    pub headers: Vec<(String, String)>,
    /// What came.
    pub content: Content,
    /// Bytes that were read.
    pub bytes: usize,
    /// There was more.
    pub truncated: bool,
}

/// Reads at most so many bytes; the rest is left where it is.
pub(super) async fn read(response: Response, max_bytes: usize) -> Result<WebResponse, WebError> {
    let status = response.status().as_u16();
    let headers = response.headers().clone();
    let url = response.url().clone();
    let broken = |error: reqwest::Error| WebError::Unreachable(shown_host(&url), root_cause(&error));
    let (body, truncated) = hark_http_client::beginning(response, max_bytes).await.map_err(broken)?;
    let (content_type, charset) = kind(&headers);
    let packed = headers.get(CONTENT_ENCODING).is_some_and(|packing| packing != "identity");
    let content = text(&body, &content_type, charset, truncated).filter(|_| !packed);
    Ok(WebResponse {
        status,
        url: url.to_string(),
        content_type,
        headers: told(&headers),
        content: content.map_or(Content::Binary, Content::Text),
        bytes: body.len(),
        truncated,
    })
}

/// The type without parameters, and the encoding it names.
fn kind(headers: &HeaderMap) -> (String, Option<&'static Encoding>) {
    let written =
        headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default().to_lowercase();
    let (kind, parameters) = written.split_once(';').unwrap_or((&written, ""));
    let charset = parameters.split(';').find_map(|parameter| parameter.trim().strip_prefix("charset="));
    let charset = charset.and_then(|label| Encoding::for_label(label.trim_matches('"').as_bytes()));
    (kind.trim().chars().take(100).collect(), charset)
}

fn told(headers: &HeaderMap) -> Vec<(String, String)> {
    let plain = headers.iter().filter(|(name, _)| *name != SET_COOKIE);
    let text = |value: &reqwest::header::HeaderValue| {
        String::from_utf8_lossy(value.as_bytes()).chars().take(MAX_HEADER_CHARS).collect()
    };
    plain.map(|(name, value)| (name.as_str().to_owned(), text(value))).take(MAX_HEADERS).collect()
}

/// The text, when the type says so (or nothing) and it is some.
fn text(body: &[u8], kind: &str, charset: Option<&'static Encoding>, cut: bool) -> Option<String> {
    if !is_text(kind) {
        return None;
    }
    let plain = || match std::str::from_utf8(body) {
        Ok(_) => UTF_8,
        Err(error) if cut && error.error_len().is_none() => UTF_8,
        Err(_) => WINDOWS_1252,
    };
    // What does not say that it is text has to be some without a doubt.
    let encoding = charset.unwrap_or_else(plain);
    if kind.is_empty() && encoding != UTF_8 {
        return None;
    }
    let (text, _, _) = encoding.decode(body);
    let text = if cut { text.trim_end_matches('\u{fffd}') } else { &text };
    (!text.contains('\0')).then(|| text.to_owned())
}

fn is_text(kind: &str) -> bool {
    const TEXTS: &[&str] = &[
        "",
        "application/json",
        "application/xml",
        "application/javascript",
        "application/x-javascript",
        "application/x-www-form-urlencoded",
        "application/yaml",
        "application/x-yaml",
        "application/toml",
        "application/x-ndjson",
        "application/graphql",
        "application/sql",
        "image/svg+xml",
    ];
    kind.starts_with("text/") || TEXTS.contains(&kind) || kind.ends_with("+json") || kind.ends_with("+xml")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_told_from_the_rest() {
        let read = |body: &[u8], kind: &str| text(body, kind, None, false);
        assert_eq!(read("schön".as_bytes(), "text/plain").as_deref(), Some("schön"));
        assert_eq!(read(b"sch\xf6n", "text/html").as_deref(), Some("schön"), "as browsers read it");
        assert_eq!(read(b"sch\xf6n", ""), None);
        assert_eq!(read(b"{}", "application/problem+json").as_deref(), Some("{}"));
        assert_eq!(read(b"hello", "image/png"), None);
        assert_eq!(read(b"hello", "application/octet-stream"), None);
        assert_eq!(read(b"PK\0\0", "text/plain"), None, "whatever it calls itself");
        let utf16: Vec<u8> = "né".encode_utf16().flat_map(u16::to_le_bytes).collect();
        assert_eq!(
            text(&utf16, "text/plain", Encoding::for_label(b"utf-16le"), false).as_deref(),
            Some("né")
        );
        assert_eq!(text(&"aé".as_bytes()[..2], "text/plain", None, true).as_deref(), Some("a"));
    }
}
