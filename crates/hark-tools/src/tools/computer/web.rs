//! `http.request` and `fetch.get`: what the web answers.

use crate::tools::args::Args;
use crate::tools::outcome::{Failure, Outcome, Prepared};
use crate::tools::services::Services;
use crate::web::{Content, Request, WebError, WebResponse, page};
use hark_core::tool::{
    error_code,
    reason::{self, Service},
};
use hark_home::permission_gate::Danger;
use reqwest::Method;
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// Most text of a page that is told, characters.
const MAX_TEXT_CHARS: usize = 50_000;

/// `http.request`. What may change something there is asked about first.
pub fn request(services: &Arc<Services>, args: &Args) -> Result<Prepared, Failure> {
    let method = match args.text("method").unwrap_or("GET") {
        "HEAD" => Method::HEAD,
        "POST" => Method::POST,
        "PUT" => Method::PUT,
        "PATCH" => Method::PATCH,
        "DELETE" => Method::DELETE,
        _ => Method::GET,
    };
    let body = args.value("body").map(|body| match body.as_str() {
        Some(text) => (text.as_bytes().to_vec(), "text/plain; charset=utf-8"),
        None => (body.to_string().into_bytes(), "application/json"),
    });
    let url = args.text("url").unwrap_or_default();
    let request = Request::new(method, url, args.pairs("query"), args.pairs("headers"), body)?;
    keep_secrets(services, args, &request)?;
    if request.only_reads() {
        if args.value("body").is_some() {
            let message = format!("a {} request has no body", request.method);
            return Err(Failure::new(error_code::BAD_ARGUMENT, message).with("argument", json!("body")));
        }
        return Ok(reading(services, args, request, |answer| Ok(answered(answer, false))));
    }
    let web = services.web.clone();
    let name = format!("{} request to {}", request.method, request.url);
    let parts = json!({"method": request.method.to_string(), "url": request.url.to_string()});
    let danger = Danger::new("send", "http.request", name).told("request", parts);
    Ok(Prepared::Gated(danger, Box::pin(async move { Ok(answered(web.ask(request).await?, true)) })))
}

fn answered(answer: WebResponse, changed: bool) -> Outcome {
    let headers: Map<String, Value> =
        answer.headers.into_iter().map(|(name, value)| (name, json!(value))).collect();
    let mut detail = json!({
        "status": answer.status, "url": answer.url, "content_type": answer.content_type, "bytes": answer.bytes,
        "truncated": answer.truncated, "headers": headers,
    });
    match answer.content {
        Content::Text(text) => detail["body"] = json!(text),
        Content::Binary => detail["binary"] = json!(true),
    }
    Outcome::new(changed, detail)
}

/// `fetch.get`.
pub fn fetch(services: &Arc<Services>, args: &Args) -> Result<Prepared, Failure> {
    let request = Request::get(args.text("url").unwrap_or_default())?;
    keep_secrets(services, args, &request)?;
    Ok(reading(services, args, request, read))
}

/// A request that only reads. A tainted call without a yes may only reach hosts the owner trusts.
fn reading(
    services: &Services,
    args: &Args,
    request: Request,
    tell: fn(WebResponse) -> Result<Outcome, Failure>,
) -> Prepared {
    let (web, trusted_only) = (services.web.clone(), args.is_unasked());
    let (address, trusted) =
        (format!("{} request to {}", request.method, request.url), web.trusts(&request.url));
    let work = Box::pin(async move { tell(web.ask_within(request, trusted_only).await?) });
    Prepared::Fetch { address, trusted, work }
}

/// No secret of the house leaves it, not even after a yes.
fn keep_secrets(services: &Services, args: &Args, request: &Request) -> Result<(), Failure> {
    refuse_secrets(services, &format!("{} {}", request.url, args.told()))
}

/// Refuses a text that holds a secret of the house and would leave it.
pub(in crate::tools) fn refuse_secrets(services: &Services, text: &str) -> Result<(), Failure> {
    let fields = services.home.registry().secrets().values();
    if !services.secrets.is_in(text, &fields, |digits| services.pin.is_pin(digits)) {
        return Ok(());
    }
    let message = "the request holds a token, a PIN, a password or a code of this house, and is not sent";
    let failure = Failure::new(error_code::FORBIDDEN, message).because(reason::HOLDS_SECRET);
    Err(failure.fix("leave it out; no yes lets it through"))
}

/// The words of what was fetched.
fn read(answer: WebResponse) -> Result<Outcome, Failure> {
    let Content::Text(source) = answer.content else {
        let kind = if answer.content_type.is_empty() { "of no known type" } else { &answer.content_type };
        let message = format!("{} is {kind}, not text; {} bytes were read", answer.url, answer.bytes);
        return Err(Failure::new(error_code::UNSUPPORTED, message).with("bytes", json!(answer.bytes)));
    };
    let is_page = matches!(answer.content_type.as_str(), "text/html" | "application/xhtml+xml");
    let page = is_page.then(|| page(&source));
    let whole = page.as_ref().map_or(&source, |page| &page.text);
    let text: String = whole.chars().take(MAX_TEXT_CHARS).collect();
    let mut detail = json!({
        "status": answer.status, "url": answer.url, "content_type": answer.content_type, "text": text,
        "truncated": answer.truncated || text.len() < whole.len(),
    });
    if let Some(page) = page.as_ref().filter(|page| !page.title.is_empty()) {
        detail["title"] = json!(page.title);
    }
    Ok(Outcome::answer(detail))
}

impl From<WebError> for Failure {
    fn from(error: WebError) -> Self {
        let message = error.to_string();
        let failure = |code| Self::new(code, message.clone());
        match error {
            WebError::BadUrl(..) => failure(error_code::BAD_ARGUMENT).with("argument", json!("url")),
            WebError::BadHeader(..) => failure(error_code::BAD_ARGUMENT).with("argument", json!("headers")),
            WebError::Private(host) => failure(error_code::FORBIDDEN)
                .because(reason::PRIVATE_ADDRESS)
                .with("host", json!(host))
                .fix(format!("if it may be asked: tools.http_allow_hosts = [\"{host}\"]")),
            WebError::NotTrusted(host) => failure(error_code::FORBIDDEN)
                .because(reason::NOT_TRUSTED)
                .with("host", json!(host))
                .fix(format!("if it may be read unasked: tools.http_trusted_hosts = [\"{host}\"]")),
            WebError::NoSuchHost(_) => failure(error_code::NOT_FOUND),
            WebError::Redirects(_) => failure(error_code::FAILED),
            WebError::Unreachable(..) => {
                failure(error_code::OFFLINE).of_service(reason::SERVICE_DOWN, Service::Page)
            }
            WebError::Timeout(..) => {
                failure(error_code::TIMEOUT).of_service(reason::SERVICE_SLOW, Service::Page)
            }
        }
    }
}
