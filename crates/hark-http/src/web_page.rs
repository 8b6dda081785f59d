//! The page: the files of `page/dist`. They are the same for everybody and hold nothing of the house, so that no
//! token is asked for them: the page itself asks for it, and shows it to the API.

use super::page_files::{FILES, File};
use super::server_state::SharedState;
use axum::Router;
use axum::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG, HeaderName, IF_NONE_MATCH, X_FRAME_OPTIONS,
};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use sha2::{Digest, Sha256};
use std::sync::LazyLock;

/// What the page may do: load from here, connect to here, show pictures it was given; be framed by its own host (Home
/// Assistant's Ingress).
const HEADERS: [(HeaderName, &str); 3] = [
    (
        CONTENT_SECURITY_POLICY,
        "default-src 'self'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data: blob:; \
         object-src 'none'; base-uri 'none'; frame-ancestors 'self'",
    ),
    (X_FRAME_OPTIONS, "SAMEORIGIN"),
    // Names stay the same over versions: a browser asks whether it has the newest.
    (CACHE_CONTROL, "no-cache"),
];

/// One for each file, in their order.
static TAGS: LazyLock<Vec<String>> = LazyLock::new(|| {
    let tag = |file: &File| format!("\"{:x}\"", Sha256::digest(file.bytes));
    FILES.iter().map(tag).collect()
});

/// The routes of the files.
pub(super) fn routes() -> Router<SharedState> {
    FILES.iter().zip(&*TAGS).fold(Router::new(), |router, (file, tag)| {
        router.route(file.path, get(move |headers: HeaderMap| async move { answer(file, tag, &headers) }))
    })
}

fn answer(file: &File, tag: &'static str, headers: &HeaderMap) -> Response {
    let is_known = headers
        .get(IF_NONE_MATCH)
        .and_then(|known| known.to_str().ok())
        .is_some_and(|known| known.split(',').any(|one| one.trim().trim_start_matches("W/") == tag));
    let about = [(ETAG, tag), (CONTENT_TYPE, file.content_type)];
    match is_known {
        true => (StatusCode::NOT_MODIFIED, HEADERS, about).into_response(),
        false => (HEADERS, about, file.bytes).into_response(),
    }
}
