//! Access control of every request: host name (DNS rebinding), origin (cross-site requests and WebSockets), token, rate.

use super::super::api_error::ApiError;
use super::super::page_files;
use super::rate::Rates;
use super::token::Tokens;
use axum::http::header::{AUTHORIZATION, HOST, ORIGIN, SEC_WEBSOCKET_PROTOCOL, WWW_AUTHENTICATE};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode};
use hark_config::dashboard::Dashboard;
use hark_config::paths;
use hark_core::Fault;
use std::net::{IpAddr, SocketAddr};
use std::time::Instant;

/// Subprotocol with the token behind it, for browsers: they cannot set headers of a WebSocket, and an address with a
/// secret in it ends up in logs.
pub(crate) const BEARER_PROTOCOL: &str = "hark.bearer.";

/// The two addresses of a connection, and whether the owner made it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Peer {
    pub(crate) client: SocketAddr,
    pub(crate) local: SocketAddr,
    /// By the socket that only the owner of the daemon may open.
    pub(crate) is_owner: bool,
}

/// What a request that is let in may do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Admitted {
    /// Page of another origin that may read the answer.
    pub(crate) page: Option<String>,
    /// It only asks what that page may do.
    pub(crate) is_preflight: bool,
    /// It is the operator's: it showed that token, or came by the owner's socket.
    pub(crate) operator: Operator,
}

/// Whether a connection is the operator's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Operator(pub(crate) bool);

/// The rules.
pub(crate) struct AccessGuard {
    tokens: Tokens,
    hosts: Vec<String>,
    origins: Vec<String>,
    rates: Rates,
}

impl AccessGuard {
    /// # Errors
    /// When the token cannot be read, or is none.
    pub(crate) fn new(config: &Dashboard) -> Result<Self, Fault> {
        let lower = |list: &[String]| list.iter().map(|one| one.trim().to_lowercase()).collect::<Vec<_>>();
        Ok(Self {
            tokens: Tokens::load(config, paths::credentials_dir().as_deref())?,
            hosts: lower(&config.allowed_hosts).iter().map(|host| host_name(host).to_owned()).collect(),
            origins: lower(&config.allowed_origins),
            rates: Rates::new(config.requests_per_minute),
        })
    }

    /// Whether every request must show a token.
    pub(crate) fn asks_for_a_token(&self) -> bool {
        !self.tokens.admits(None)
    }

    /// Counts one request or message of a client.
    pub(crate) fn count(&self, client: IpAddr) -> Result<(), ApiError> {
        self.rates.take(client, Instant::now()).map_err(ApiError::too_many)
    }

    /// Lets a request in or not. The owner shows no token, comes from no page, and does not flood itself.
    pub(crate) fn admit(&self, peer: Peer, request: &Parts) -> Result<Admitted, ApiError> {
        if peer.is_owner {
            return Ok(Admitted { page: None, is_preflight: false, operator: Operator(true) });
        }
        self.count(peer.client.ip())?;
        let host = self.host(peer, request)?;
        let page = self.page(&host, &request.headers)?;
        let is_preflight = page.is_some()
            && request.method == Method::OPTIONS
            && request.headers.contains_key("access-control-request-method");
        // A browser asks what a page may do before it shows any token.
        let shown = presented_token(&request.headers);
        let is_open = is_preflight || page_files::is_asked_for(&request.method, request.uri.path());
        if !is_open && !self.tokens.admits(shown) {
            let fix = "send `Authorization: Bearer TOKEN` with what dashboard.token_file holds";
            let error =
                ApiError::new(StatusCode::UNAUTHORIZED, "unauthorized", "the token is missing or wrong", fix);
            return Err(error.with(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer realm=\"hark\"")));
        }
        Ok(Admitted { page, is_preflight, operator: Operator(self.tokens.is_operator(shown)) })
    }

    /// The name by which it was reached, if that is one of ours.
    fn host(&self, peer: Peer, request: &Parts) -> Result<String, ApiError> {
        let host = only(&request.headers, &HOST)
            .ok_or_else(|| ApiError::bad_request("one header Host is needed", "use HTTP/1.1"))?;
        // An address in the request line counts more than the header (RFC 9112, 3.2.2).
        let named = [Some(host), request.uri.authority().map(|authority| authority.as_str())];
        for name in named.into_iter().flatten() {
            if !self.is_ours(peer, &name.to_lowercase()) {
                return Err(ApiError::forbidden(
                    "Hark is not known by the name in the header Host",
                    "use 127.0.0.1 or localhost, or put the name in dashboard.allowed_hosts",
                ));
            }
        }
        Ok(host.to_lowercase())
    }

    fn is_ours(&self, peer: Peer, host: &str) -> bool {
        let name = host_name(host);
        if name == "localhost" || self.hosts.iter().any(|known| known == name) {
            return true;
        }
        // An IP address in Host is the one that was reached: a foreign page cannot have it as its name.
        let bare = name.trim_start_matches('[').trim_end_matches(']');
        bare.parse::<IpAddr>().is_ok_and(|address| {
            address.is_loopback() || address.to_canonical() == peer.local.ip().to_canonical()
        })
    }

    /// The page of another origin that asks; `None` when it is our own, or no page at all.
    fn page(&self, host: &str, headers: &HeaderMap) -> Result<Option<String>, ApiError> {
        if !headers.contains_key(ORIGIN) {
            return Ok(None);
        }
        let origin = only(headers, &ORIGIN).unwrap_or_default();
        let small = origin.to_lowercase();
        let is_own = small
            .split_once("://")
            .is_some_and(|(scheme, authority)| matches!(scheme, "http" | "https") && authority == host);
        if is_own {
            Ok(None)
        } else if self.origins.contains(&small) {
            Ok(Some(origin.to_owned()))
        } else {
            Err(ApiError::forbidden(
                "this page may not use Hark",
                "put its origin in dashboard.allowed_origins, if it is yours",
            ))
        }
    }
}

/// `host` of `host:port`, without a dot at the end; an IPv6 address keeps its brackets.
fn host_name(host: &str) -> &str {
    let end = match host.find(']') {
        Some(bracket) => bracket + 1,
        None => host.find(':').unwrap_or(host.len()),
    };
    host[..end].trim_end_matches('.')
}

/// A header that is there once.
fn only<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    let mut all = headers.get_all(name).iter();
    match (all.next(), all.next()) {
        (Some(value), None) => value.to_str().ok(),
        _ => None,
    }
}

/// The token a request shows: in `Authorization`, or in the list of subprotocols of a WebSocket.
fn presented_token(headers: &HeaderMap) -> Option<&str> {
    let bearer = only(headers, &AUTHORIZATION).and_then(|value| {
        let (scheme, token) = value.split_once(' ')?;
        scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
    });
    bearer.or_else(|| protocols(headers).find_map(|protocol| protocol.strip_prefix(BEARER_PROTOCOL)))
}

/// Subprotocols the client offers, in its order.
pub(crate) fn protocols(headers: &HeaderMap) -> impl Iterator<Item = &str> {
    let lists = headers.get_all(SEC_WEBSOCKET_PROTOCOL).iter().filter_map(|value| value.to_str().ok());
    lists.flat_map(|list| list.split(',')).map(str::trim)
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::Request;

    fn guard(change: impl FnOnce(&mut Dashboard)) -> AccessGuard {
        let mut config = Dashboard::default();
        change(&mut config);
        AccessGuard::new(&config).unwrap()
    }

    fn ask(guard: &AccessGuard, here: &str, headers: &[(&str, &str)]) -> Result<Admitted, u16> {
        let mut request = Request::builder().uri("/api/v1/health");
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let (parts, ()) = request.body(()).unwrap().into_parts();
        let peer = Peer {
            client: "192.168.1.9:5000".parse().unwrap(),
            local: here.parse().unwrap(),
            is_owner: false,
        };
        guard.admit(peer, &parts).map_err(|error| error.status.as_u16())
    }

    #[test]
    fn only_our_names_are_ours() {
        let guard = guard(|config| config.allowed_hosts = vec!["Hark.local".into()]);
        let of = |host| ask(&guard, "192.168.1.5:8765", &[("host", host)]).map(|_| ());
        for good in
            ["127.0.0.1:8765", "localhost", "LOCALHOST.:1", "[::1]:8765", "192.168.1.5:8765", "hark.LOCAL:80"]
        {
            assert_eq!(of(good), Ok(()), "{good}");
        }
        for bad in [
            "evil.example",
            "evil.example:8765",
            "localhost.evil.example",
            "192.168.1.6",
            "",
            "127.0.0.1.evil.example",
            "[::1",
            "2130706433",
            "hark.local.evil.example",
            "xhark.local",
        ] {
            assert_eq!(of(bad), Err(403), "{bad}");
        }
        assert_eq!(ask(&guard, "127.0.0.1:1", &[]), Err(400));
        assert_eq!(ask(&guard, "127.0.0.1:1", &[("host", "localhost"), ("host", "localhost")]), Err(400));
    }

    #[test]
    fn the_owner_needs_no_name_and_no_token() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("token");
        std::fs::write(&file, "0123456789abcdef").unwrap();
        let guard = guard(|config| config.token_file = file.display().to_string());
        let (parts, ()) = Request::builder().uri("/own/home").body(()).unwrap().into_parts();
        let here = "127.0.0.1:8765".parse().unwrap();
        let admitted = |is_owner| guard.admit(Peer { client: here, local: here, is_owner }, &parts).is_ok();
        assert!(admitted(true) && !admitted(false));
    }

    #[test]
    fn only_our_own_pages_and_those_allowed_may_ask() {
        let guard = guard(|config| config.allowed_origins = vec!["https://home.example".into()]);
        let from = |origin| {
            let headers = [("host", "localhost:8765"), ("origin", origin)];
            ask(&guard, "127.0.0.1:8765", &headers).map(|admitted| admitted.page)
        };
        assert_eq!(from("http://localhost:8765"), Ok(None));
        assert_eq!(from("https://home.example"), Ok(Some("https://home.example".into())));
        for bad in [
            "null",
            "",
            "http://evil.example",
            "http://localhost:3000",
            "http://localhost",
            "file://localhost:8765",
            "https://home.example.evil.example",
            "http://home.example",
            "http://localhost:8765, http://evil.example",
        ] {
            assert_eq!(from(bad), Err(403), "{bad}");
        }
    }

    #[test]
    fn the_token_is_taken_from_its_two_places_and_nowhere_else() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("token");
        std::fs::write(&file, "0123456789abcdef\n").unwrap();
        let guard = guard(|config| config.token_file = file.display().to_string());
        let with =
            |name, value| ask(&guard, "127.0.0.1:8765", &[("host", "localhost"), (name, value)]).map(|_| ());
        assert_eq!(with("authorization", "Bearer 0123456789abcdef"), Ok(()));
        assert_eq!(with("authorization", "bearer 0123456789abcdef"), Ok(()));
        assert_eq!(with("sec-websocket-protocol", "hark, hark.bearer.0123456789abcdef"), Ok(()));
        for (name, value) in [
            ("authorization", "Basic 0123456789abcdef"),
            ("authorization", "Bearer 0123456789abcdee"),
            ("authorization", "0123456789abcdef"),
            ("sec-websocket-protocol", "0123456789abcdef"),
            ("cookie", "token=0123456789abcdef"),
        ] {
            assert_eq!(with(name, value), Err(401), "{name}: {value}");
        }
    }
}
