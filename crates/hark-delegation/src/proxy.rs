//! The way out of the sandbox: an HTTP proxy (RFC 9110, `CONNECT` and requests in absolute form) on a socket in a private
//! folder. Programs in the sandbox resolve no name and connect to nothing themselves, so that each address they ask for was
//! looked at here, and the connection goes to exactly what was looked at.

use crate::error::DelegationError;
use hark_net::reach::{NotReached, Reach};
use http_body_util::{BodyExt, Full, combinators::BoxBody};
use hyper::body::{Bytes, Incoming};
use hyper::header::{self, HeaderMap, HeaderName, HeaderValue};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode, Uri, Version};
use hyper_util::rt::TokioIo;
use std::convert::Infallible;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tempfile::TempDir;
use tokio::net::{TcpStream, UnixListener, UnixStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio::task::JoinSet;

/// Connections at a time; more wait.
const MAX_CONNECTIONS: usize = 256;
/// Time the connection to a server may take.
const TIMEOUT: Duration = Duration::from_secs(15);
/// Headers that belong to one connection (RFC 9110, 7.6.1), or that the proxy has answered.
const OF_CONNECTION: [&str; 10] = [
    "connection",
    "expect",
    "keep-alive",
    "proxy-authenticate",
    "proxy-authorization",
    "proxy-connection",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
];

type Body = BoxBody<Bytes, hyper::Error>;

/// The proxy of one run: it ends, with all its connections, when this is dropped.
pub(crate) struct Proxy {
    socket: PathBuf,
    _serving: JoinSet<()>,
    _folder: TempDir,
}

impl Proxy {
    /// Opens it in a folder that nobody else may look into. Must be called on the tokio runtime.
    ///
    /// # Errors
    /// When the folder or the socket cannot be made.
    pub(crate) fn open(reach: Arc<dyn Reach>) -> Result<Self, DelegationError> {
        let failed = |error: std::io::Error| {
            DelegationError::Failed(format!("the way out of the sandbox cannot be opened: {error}"))
        };
        let private = std::fs::Permissions::from_mode(0o700);
        // Not in the state folder, whose path may be longer than that of a socket (108 bytes).
        let folder =
            tempfile::Builder::new().prefix("hark-").permissions(private).tempdir().map_err(failed)?;
        let socket = folder.path().join("proxy");
        let listener = UnixListener::bind(&socket).map_err(failed)?;
        let mut serving = JoinSet::new();
        serving.spawn(serve(listener, reach));
        Ok(Self { socket, _serving: serving, _folder: folder })
    }

    /// Where it listens.
    pub(crate) fn socket(&self) -> &Path {
        &self.socket
    }
}

/// What a connection of a program has of the proxy.
#[derive(Clone)]
struct Link {
    reach: Arc<dyn Reach>,
    /// Its sender is gone when the proxy ends.
    end: watch::Receiver<()>,
    _place: Arc<OwnedSemaphorePermit>,
}

impl Link {
    /// Works on the runtime until it is done or the proxy ends.
    fn spawn(mut self, work: impl Future<Output = ()> + Send + 'static) {
        tokio::spawn(async move {
            tokio::select! {
                () = work => {}
                _ = self.end.changed() => {}
            }
        });
    }
}

async fn serve(listener: UnixListener, reach: Arc<dyn Reach>) {
    let places = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    let (_open, end) = watch::channel(());
    loop {
        let Ok(place) = Arc::clone(&places).acquire_owned().await else { return };
        match listener.accept().await {
            Ok((program, _)) => {
                let link = Link { reach: Arc::clone(&reach), end: end.clone(), _place: Arc::new(place) };
                link.clone().spawn(talk(program, link));
            }
            Err(error) => {
                tracing::warn!("the sandbox's proxy takes no connection: {error}");
                tokio::time::sleep(Duration::from_millis(100)).await;
            }
        }
    }
}

/// One connection of a program, to its end or to where it becomes a tunnel.
async fn talk(program: UnixStream, link: Link) {
    let service = service_fn(|request| {
        let link = link.clone();
        async move { Ok::<_, Infallible>(answer(request, link).await) }
    });
    // A connection that breaks is the program's to tell of.
    let _ = http1::Builder::new().serve_connection(TokioIo::new(program), service).with_upgrades().await;
}

async fn answer(request: Request<Incoming>, link: Link) -> Response<Body> {
    let Some((host, port)) = target(request.method(), request.uri()) else {
        let why = "This is a proxy: it takes CONNECT host:port, and http:// addresses in full.";
        return words(StatusCode::BAD_REQUEST, why.to_owned());
    };
    let server = match connect(&host, port, &*link.reach).await {
        Ok(server) => server,
        Err(refusal) => return refusal,
    };
    if request.method() == Method::CONNECT {
        link.spawn(tunnel(request, server));
        return Response::new(Full::default().map_err(|never| match never {}).boxed());
    }
    match pass_on(request, server, link).await {
        Ok(response) => response.map(BodyExt::boxed),
        Err(error) => words(StatusCode::BAD_GATEWAY, format!("{host}:{port} did not answer: {error}")),
    }
}

/// The host and the port that are asked for, the host without brackets.
fn target(method: &Method, uri: &Uri) -> Option<(String, u16)> {
    let authority = uri.authority()?;
    let usual = match uri.scheme_str() {
        None if method == Method::CONNECT => 443,
        Some("http") if method != Method::CONNECT => 80,
        _ => return None,
    };
    let host = authority.host().trim_start_matches('[').trim_end_matches(']');
    let port = match authority.port() {
        Some(port) => port.as_u16(),
        None if authority.as_str().ends_with(authority.host()) => usual,
        // What stands behind the host is no port.
        None => return None,
    };
    (!host.is_empty()).then(|| (host.to_owned(), port))
}

/// A connection to one of the addresses that were looked at, or what is said instead.
async fn connect(host: &str, port: u16, reach: &dyn Reach) -> Result<TcpStream, Response<Body>> {
    let shown = if host.contains(':') { format!("[{host}]:{port}") } else { format!("{host}:{port}") };
    match reach.addresses(host, port).await {
        Ok(addresses) => match tokio::time::timeout(TIMEOUT, TcpStream::connect(&addresses[..])).await {
            Ok(Ok(server)) => Ok(server),
            Ok(Err(error)) => {
                Err(words(StatusCode::BAD_GATEWAY, format!("{shown} cannot be reached: {error}")))
            }
            Err(_) => Err(words(StatusCode::GATEWAY_TIMEOUT, format!("{shown} does not answer"))),
        },
        Err(NotReached::Unknown) => {
            Err(words(StatusCode::BAD_GATEWAY, format!("there is no {host} in the network")))
        }
        Err(NotReached::Forbidden) => {
            tracing::info!(host, port, "a delegated task wanted to reach what it may not");
            let why = format!(
                "{shown} is in a private network or on this machine, and is not reached from the sandbox. The owner can \
                 allow it: delegation.allowed_hosts = [\"{shown}\"]"
            );
            Err(words(StatusCode::FORBIDDEN, why))
        }
    }
}

/// Passes bytes both ways until either side ends.
async fn tunnel(request: Request<Incoming>, mut server: TcpStream) {
    if let Ok(program) = hyper::upgrade::on(request).await {
        // A tunnel that breaks is the program's to tell of.
        let _ = tokio::io::copy_bidirectional(&mut TokioIo::new(program), &mut server).await;
    }
}

/// Asks the server in the program's place.
async fn pass_on(
    mut request: Request<Incoming>,
    server: TcpStream,
    link: Link,
) -> hyper::Result<Response<Incoming>> {
    let (mut sender, connection) = hyper::client::conn::http1::handshake(TokioIo::new(server)).await?;
    link.spawn(async move {
        // What breaks is seen where the answer is read.
        let _ = connection.await;
    });
    let asked = std::mem::take(request.uri_mut());
    let host = asked.authority().map(|authority| {
        let whole = authority.as_str();
        whole.rsplit_once('@').map_or(whole, |(_, host)| host).to_owned()
    });
    *request.uri_mut() = asked.path_and_query().cloned().map_or_else(Uri::default, Uri::from);
    *request.version_mut() = Version::HTTP_11;
    remove_connection_headers(request.headers_mut());
    // The address counts, not what the program calls the host beside it (RFC 9112, 3.2.2).
    if let Some(host) = host.and_then(|host| HeaderValue::from_str(&host).ok()) {
        request.headers_mut().insert(header::HOST, host);
    }
    let mut response = sender.send_request(request).await?;
    remove_connection_headers(response.headers_mut());
    Ok(response)
}

fn remove_connection_headers(headers: &mut HeaderMap) {
    let named: Vec<HeaderName> = headers
        .get_all(header::CONNECTION)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .filter_map(|name| name.trim().parse().ok())
        .collect();
    for name in named {
        headers.remove(name);
    }
    for name in OF_CONNECTION {
        headers.remove(name);
    }
}

fn words(status: StatusCode, words: String) -> Response<Body> {
    let body = Full::from(words + "\n").map_err(|never| match never {}).boxed();
    let mut response = Response::new(body);
    *response.status_mut() = status;
    let kind = HeaderValue::from_static("text/plain; charset=utf-8");
    response.headers_mut().insert(header::CONTENT_TYPE, kind);
    response
}

#[cfg(test)]
#[path = "proxy_tests.rs"]
mod tests;
