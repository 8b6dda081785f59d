//! Errors of the API: a status, and `{"error":{"kind","message","fix"}}`.

use super::wire::MistakeBody;
use axum::http::header::{ALLOW, CONTENT_TYPE, HeaderMap, RETRY_AFTER};
use axum::http::{HeaderName, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use hark_core::{Fault, FaultKind};
use serde_json::{Value, json};

/// Why a request was not served.
#[derive(Debug, Clone)]
pub(super) struct ApiError {
    pub(super) status: StatusCode,
    pub(super) kind: &'static str,
    pub(super) message: String,
    pub(super) fix: String,
    pub(super) headers: Vec<(HeaderName, HeaderValue)>,
    /// What is wrong in a configuration, where that is why.
    pub(super) mistakes: Vec<MistakeBody>,
}

impl ApiError {
    pub(super) fn new(
        status: StatusCode,
        kind: &'static str,
        message: impl Into<String>,
        fix: impl Into<String>,
    ) -> Self {
        let (message, fix) = (message.into(), fix.into());
        Self { status, kind, message, fix, headers: Vec::new(), mistakes: Vec::new() }
    }

    /// The request is not put together as it must be.
    pub(super) fn bad_request(message: impl Into<String>, fix: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "bad_request", message, fix)
    }

    /// It is put together well, and a value in it cannot be.
    pub(super) fn unprocessable(message: impl Into<String>, fix: impl Into<String>) -> Self {
        Self::new(StatusCode::UNPROCESSABLE_ENTITY, "bad_input", message, fix)
    }

    pub(super) fn forbidden(message: impl Into<String>, fix: impl Into<String>) -> Self {
        Self::new(StatusCode::FORBIDDEN, "forbidden", message, fix)
    }

    pub(super) fn not_found(message: impl Into<String>, fix: impl Into<String>) -> Self {
        Self::new(StatusCode::NOT_FOUND, "not_found", message, fix)
    }

    /// More bytes than are taken.
    pub(super) fn too_large(message: impl Into<String>, fix: impl Into<String>) -> Self {
        Self::new(StatusCode::PAYLOAD_TOO_LARGE, "too_large", message, fix)
    }

    /// As many as can be are there already.
    pub(super) fn busy(message: impl Into<String>, fix: impl Into<String>) -> Self {
        Self::new(StatusCode::SERVICE_UNAVAILABLE, "busy", message, fix)
    }

    /// Come back after so many seconds.
    pub(super) fn too_many(after_s: u64) -> Self {
        let fix = "wait, or raise dashboard.requests_per_minute";
        let error = Self::new(StatusCode::TOO_MANY_REQUESTS, "too_many_requests", "too many requests", fix);
        error.with(RETRY_AFTER, HeaderValue::from(after_s))
    }

    pub(super) fn with(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.headers.push((name, value));
        self
    }

    /// The object that tells of it, also on a WebSocket.
    pub(super) fn to_json(&self) -> Value {
        let mut error = json!({ "kind": self.kind, "message": self.message, "fix": self.fix });
        if !self.mistakes.is_empty() {
            error["mistakes"] = json!(self.mistakes);
        }
        error
    }
}

impl From<Fault> for ApiError {
    fn from(fault: Fault) -> Self {
        let (status, kind) = match fault.kind {
            FaultKind::BadInput => (StatusCode::UNPROCESSABLE_ENTITY, "bad_input"),
            FaultKind::MissingPart => (StatusCode::SERVICE_UNAVAILABLE, "missing_part"),
            FaultKind::Unavailable => (StatusCode::SERVICE_UNAVAILABLE, "unavailable"),
            FaultKind::BadConfiguration => (StatusCode::INTERNAL_SERVER_ERROR, "bad_configuration"),
            FaultKind::Failed => (StatusCode::INTERNAL_SERVER_ERROR, "failed"),
        };
        Self::new(status, kind, format!("{}: {}", fault.part, fault.message), fault.fix)
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let body = json!({ "error": self.to_json() }).to_string();
        let mut response = (self.status, [(CONTENT_TYPE, "application/json")], body).into_response();
        for (name, value) in self.headers {
            response.headers_mut().insert(name, value);
        }
        response
    }
}

/// What the router says by itself, with an empty or plain body, in our words.
pub(super) fn with_error_body(response: Response) -> Response {
    let is_json = |headers: &HeaderMap| {
        headers.get(CONTENT_TYPE).is_some_and(|kind| kind.as_bytes().starts_with(b"application/json"))
    };
    let status = response.status();
    if !(status.is_client_error() || status.is_server_error()) || is_json(response.headers()) {
        return response;
    }
    let error = match status {
        StatusCode::NOT_FOUND => ApiError::not_found(
            "there is nothing at this address",
            "see /api/v1/openapi.json for what there is",
        ),
        StatusCode::METHOD_NOT_ALLOWED => ApiError::new(
            status,
            "method_not_allowed",
            "this address does not take this method",
            "use one that the header Allow names",
        ),
        StatusCode::BAD_REQUEST => ApiError::bad_request("the address cannot be read", "write it in UTF-8"),
        other => {
            let message = other.canonical_reason().unwrap_or("it did not work");
            ApiError::new(other, "failed", message, "")
        }
    };
    let allow = response.headers().get(ALLOW).cloned();
    let mut ours = error.into_response();
    if let Some(allow) = allow {
        ours.headers_mut().insert(ALLOW, allow);
    }
    ours
}
