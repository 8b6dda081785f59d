//! Requests to the web that somebody asked for: http and https, to public addresses only unless the owner allows more,
//! bounded in time and size.
//!
//! A name is resolved once and the connection goes to exactly the addresses that were looked at, so that a name which
//! means something else a moment later leads nowhere. Each redirect is a new address and is looked at like the first.

mod browsing;
mod html;
mod public_address;
mod response;

use hark_config::tools::ToolsConfig;
use hark_core::fault::root_cause;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue, LOCATION};
use reqwest::{Method, Response, Url};
use std::future::Future;
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;
use url::Host;

pub use browsing::address;
pub use html::{Page, page};
pub use response::{Content, WebResponse};

/// Redirects that are followed.
const MAX_REDIRECTS: usize = 5;

/// Headers that belong to the connection, decide whom the server thinks it talks to, or how the body is packed.
const OWN_HEADERS: &[&str] = &[
    "host",
    "connection",
    "keep-alive",
    "proxy-authenticate",
    "proxy-authorization",
    "proxy-connection",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
    "content-length",
    "expect",
    "accept-encoding",
    "http2-settings",
    "forwarded",
    "via",
];

/// Headers another server may see as well; all others stay with the one they were meant for.
const HARMLESS_HEADERS: &[&str] = &["accept", "accept-language", "user-agent"];

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WebError {
    /// Not an address that is asked.
    #[error("{0} cannot be asked: {1}")]
    BadUrl(String, String),
    /// A header that may not be sent.
    #[error("the header “{0}” cannot be sent: {1}")]
    BadHeader(String, &'static str),
    /// Not a public address.
    #[error("{0} is in a private network or on this machine, and is not asked")]
    Private(String),
    /// Only hosts that the owner trusts may be reached.
    #[error("{0} is not among the hosts that may be asked without a yes")]
    NotTrusted(String),
    /// There is no such name.
    #[error("there is no {0} in the network")]
    NoSuchHost(String),
    /// Sent on and on.
    #[error("{0} redirects more than {MAX_REDIRECTS} times")]
    Redirects(String),
    /// The server does not answer, or not in HTTP.
    #[error("{0} cannot be reached: {1}")]
    Unreachable(String, String),
    /// It took too long.
    #[error("{0} did not answer within {1} ms")]
    Timeout(String, u128),
}

/// A future of a name's addresses.
pub type Resolving = Pin<Box<dyn Future<Output = std::io::Result<Vec<SocketAddr>>> + Send>>;

/// Finds the addresses of a name.
pub trait Resolve: Send + Sync {
    /// All of them, with this port.
    fn resolve(&self, host: &str, port: u16) -> Resolving;
}

/// The system's own way.
struct System;

impl Resolve for System {
    fn resolve(&self, host: &str, port: u16) -> Resolving {
        let host = host.to_owned();
        Box::pin(async move { Ok(tokio::net::lookup_host((host, port)).await?.collect()) })
    }
}

/// A request that was checked.
#[derive(Debug, Clone)]
pub struct Request {
    /// What is to be done there.
    pub method: Method,
    /// Where.
    pub url: Url,
    headers: HeaderMap,
    body: Option<Vec<u8>>,
}

impl Request {
    /// Checks a request.
    ///
    /// # Errors
    /// When the address is none that is asked, or a header may not be sent.
    pub fn new<'a>(
        method: Method,
        url: &str,
        query: impl Iterator<Item = (&'a str, &'a str)>,
        headers: impl Iterator<Item = (&'a str, &'a str)>,
        body: Option<(Vec<u8>, &'static str)>,
    ) -> Result<Self, WebError> {
        let mut url = checked(url)?;
        let mut query = query.peekable();
        if query.peek().is_some() {
            url.query_pairs_mut().extend_pairs(query);
        }
        let mut checked = HeaderMap::new();
        checked.insert("accept-encoding", HeaderValue::from_static("identity"));
        if let Some((_, kind)) = &body {
            checked.insert("content-type", HeaderValue::from_static(kind));
        }
        for (name, value) in headers {
            let bad = |why| WebError::BadHeader(name.escape_debug().to_string(), why);
            let key =
                HeaderName::from_bytes(name.as_bytes()).map_err(|_| bad("that is no name of a header"))?;
            if OWN_HEADERS.contains(&key.as_str()) || key.as_str().starts_with("proxy-") {
                return Err(bad("it belongs to the connection"));
            }
            let value =
                HeaderValue::from_str(value).map_err(|_| bad("its value has characters that end it"))?;
            checked.insert(key, value);
        }
        Ok(Self { method, url, headers: checked, body: body.map(|(bytes, _)| bytes) })
    }

    /// A plain GET.
    ///
    /// # Errors
    /// As [`Request::new`].
    pub fn get(url: &str) -> Result<Self, WebError> {
        Self::new(Method::GET, url, std::iter::empty(), std::iter::empty(), None)
    }

    /// Whether it only looks.
    pub fn only_reads(&self) -> bool {
        reads(&self.method)
    }
}

/// Whether a method only looks.
pub fn reads(method: &Method) -> bool {
    matches!(*method, Method::GET | Method::HEAD)
}

/// An address that may be asked as far as its words go; without a scheme it is https.
fn checked(text: &str) -> Result<Url, WebError> {
    let text = text.trim();
    let bad = |why: &str| WebError::BadUrl(text.to_owned(), why.to_owned());
    let whole = if text.contains("://") { text.to_owned() } else { format!("https://{text}") };
    let url = Url::parse(&whole).map_err(|error| bad(&error.to_string()))?;
    admissible(&url).map_err(bad)?;
    Ok(url)
}

fn admissible(url: &Url) -> Result<(), &'static str> {
    if !matches!(url.scheme(), "http" | "https") {
        return Err("only http and https are");
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err("a name or password does not belong into an address");
    }
    url.host().map(drop).ok_or("it names no host")
}

/// The web as far as it may be reached; cheap to clone.
#[derive(Clone)]
pub struct Web {
    resolver: Arc<dyn Resolve>,
    allow_private: bool,
    allow_hosts: Arc<[String]>,
    trusted_hosts: Arc<[String]>,
    max_bytes: usize,
    timeout: Duration,
}

impl Web {
    /// As the configuration says.
    pub fn new(config: &ToolsConfig) -> Self {
        Self {
            resolver: Arc::new(System),
            allow_private: config.http_allow_private,
            allow_hosts: config.http_allow_hosts.iter().map(|host| host.trim().to_lowercase()).collect(),
            trusted_hosts: config.http_trusted_hosts.iter().map(|host| host.trim().to_lowercase()).collect(),
            max_bytes: config.http_max_bytes as usize,
            timeout: Duration::from_millis(u64::from(config.http_timeout_ms)),
        }
    }

    /// The same with another way to find names.
    #[cfg(test)]
    fn with_resolver(self, resolver: Arc<dyn Resolve>) -> Self {
        Self { resolver, ..self }
    }

    /// Asks, and follows redirects when the request only reads: what changes something goes where it was sent and
    /// nowhere else.
    ///
    /// # Errors
    /// When it may not be asked or does not answer as it should. A status such as 404 is an answer.
    pub async fn ask(&self, request: Request) -> Result<WebResponse, WebError> {
        self.ask_within(request, false).await
    }

    /// The same; with `trusted_only` no other host is asked than those the owner trusts, wherever a redirect leads.
    ///
    /// # Errors
    /// As [`Web::ask`].
    pub async fn ask_within(&self, request: Request, trusted_only: bool) -> Result<WebResponse, WebError> {
        let host = shown_host(&request.url);
        let asking = Box::pin(self.follow(request, trusted_only));
        let late = || WebError::Timeout(host, self.timeout.as_millis());
        tokio::time::timeout(self.timeout, asking).await.unwrap_or_else(|_| Err(late()))
    }

    /// Whether the owner trusts the host so far that a model may read there unasked.
    pub fn trusts(&self, url: &Url) -> bool {
        is_listed(url, &self.trusted_hosts)
    }

    async fn follow(&self, mut request: Request, trusted_only: bool) -> Result<WebResponse, WebError> {
        let asked = shown_host(&request.url);
        for _ in 0..=MAX_REDIRECTS {
            if trusted_only && !self.trusts(&request.url) {
                return Err(WebError::NotTrusted(shown_host(&request.url)));
            }
            let response = self.once(&request).await?;
            let Some(next) = redirect(&response, &request)? else {
                return response::read(response, self.max_bytes).await;
            };
            if next.origin() != request.url.origin() {
                let harmless = |name: &HeaderName| HARMLESS_HEADERS.contains(&name.as_str());
                let kept = request.headers.iter().filter(|(name, _)| harmless(name));
                request.headers = kept.map(|(name, value)| (name.clone(), value.clone())).collect();
                request.headers.insert("accept-encoding", HeaderValue::from_static("identity"));
            }
            request.url = next;
        }
        Err(WebError::Redirects(asked))
    }

    /// One request to one server, to the addresses that were looked at.
    async fn once(&self, request: &Request) -> Result<Response, WebError> {
        let addresses = self.addresses(&request.url).await?;
        let host = shown_host(&request.url);
        let unreachable = |error: reqwest::Error| WebError::Unreachable(host.clone(), root_cause(&error));
        // A proxy would resolve the name itself.
        let mut client = hark_http_client::builder().no_proxy().referer(false);
        if let Some(Host::Domain(name)) = request.url.host() {
            client = client.resolve_to_addrs(name, &addresses);
        }
        let client = client.build().map_err(unreachable)?;
        let mut sending =
            client.request(request.method.clone(), request.url.clone()).headers(request.headers.clone());
        if let Some(body) = &request.body {
            sending = sending.body(body.clone());
        }
        sending.send().await.map_err(unreachable)
    }

    /// The addresses of the host, when all of them may be asked.
    async fn addresses(&self, url: &Url) -> Result<Vec<SocketAddr>, WebError> {
        let shown = shown_host(url);
        let port = url.port_or_known_default().unwrap_or(0);
        let found = match url.host() {
            Some(Host::Ipv4(address)) => vec![SocketAddr::new(IpAddr::V4(address), port)],
            Some(Host::Ipv6(address)) => vec![SocketAddr::new(IpAddr::V6(address), port)],
            Some(Host::Domain(name)) => {
                self.resolver.resolve(name, port).await.map_err(|_| WebError::NoSuchHost(shown.clone()))?
            }
            None => Vec::new(),
        };
        if found.is_empty() {
            return Err(WebError::NoSuchHost(shown));
        }
        // One private address among public ones is a trick, or a name for inside and outside: neither is asked.
        let public = found.iter().all(|address| public_address::is_public(address.ip()));
        if public || self.allow_private || is_listed(url, &self.allow_hosts) {
            return Ok(found);
        }
        Err(WebError::Private(shown))
    }
}

/// Whether a host is on a list, with its port or without.
fn is_listed(url: &Url, hosts: &[String]) -> bool {
    let host = url.host_str().unwrap_or_default().to_lowercase();
    let with_port = format!("{host}:{}", url.port_or_known_default().unwrap_or(0));
    hosts.iter().any(|listed| *listed == host || *listed == with_port)
}

/// Where a response sends on to, when it is followed.
fn redirect(response: &Response, request: &Request) -> Result<Option<Url>, WebError> {
    let sends_on = matches!(response.status().as_u16(), 301 | 302 | 303 | 307 | 308);
    let Some(location) = response.headers().get(LOCATION).filter(|_| sends_on && request.only_reads()) else {
        return Ok(None);
    };
    let host = shown_host(&request.url);
    let bad = |why: &str| WebError::BadUrl(format!("what {host} redirects to"), why.to_owned());
    let location = location.to_str().map_err(|_| bad("it is no address"))?;
    let next = request.url.join(location).map_err(|error| bad(&error.to_string()))?;
    admissible(&next).map_err(bad)?;
    Ok(Some(next))
}

/// Host and, where it is not the usual one, port.
fn shown_host(url: &Url) -> String {
    let host = url.host_str().unwrap_or_default();
    url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"))
}

#[cfg(test)]
mod tests;
