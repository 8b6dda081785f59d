//! The listening port and its connections: bounded in number, in time, and in what a request may hold. When all places are
//! taken, the connection whose client has been waited for longest (for headers, a body, the next request) is closed.

use super::access::guard::{Admitted, Peer};
use super::api_error::{ApiError, with_error_body};
use super::limits::{MAX_HEADER_BYTES, MAX_HEADERS};
use super::operations;
use super::server_state::{self, SharedState};
use axum::Router;
use axum::body::Body;
use axum::http::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_MAX_AGE, CACHE_CONTROL, CONTENT_SECURITY_POLICY, HeaderName, REFERRER_POLICY, VARY,
    X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};
use axum::http::{HeaderValue, Request, StatusCode};
use axum::response::{IntoResponse, Response};
use hark_net::seats::{Seat, Seats};
use hyper::body::{Body as _, Bytes, Frame, Incoming, SizeHint};
use hyper::server::conn::http1;
use hyper::service::{Service, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use std::convert::Infallible;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;

/// What goes with every answer of the API: nothing of it is kept, framed, or taken for something else.
const COMMON_HEADERS: [(HeaderName, &str); 6] = [
    (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (CACHE_CONTROL, "no-store"),
    (CONTENT_SECURITY_POLICY, "default-src 'none'; frame-ancestors 'none'"),
    (REFERRER_POLICY, "no-referrer"),
    (X_FRAME_OPTIONS, "DENY"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
];

/// How long a connection may take to end when it is asked to.
const FAREWELL: Duration = Duration::from_secs(2);

/// Takes connections until it is told to end; then lets those there are finish for a moment.
pub(super) async fn serve(
    app: SharedState,
    mcp: Option<Router>,
    listener: TcpListener,
    max_connections: usize,
) {
    let router = mcp.into_iter().fold(operations::router(app.clone()), Router::merge);
    let seats = Seats::new(max_connections);
    let mut closing = app.closing.clone();
    let mut connections = JoinSet::new();
    loop {
        let taken = tokio::select! {
            () = server_state::closed(&mut closing) => break,
            Some(_) = connections.join_next(), if !connections.is_empty() => continue,
            taken = listener.accept() => taken,
        };
        let (stream, client) = match taken {
            Ok(taken) => taken,
            Err(error) => {
                // Too many open files, or the client was gone already: the next one may fare better.
                tracing::warn!("a connection could not be taken: {error}");
                tokio::time::sleep(Duration::from_millis(100)).await;
                continue;
            }
        };
        let (Ok(local), Some(seat)) = (stream.local_addr(), seats.take()) else {
            app.metrics.turned_away.raise();
            turn_away(&stream);
            continue;
        };
        let (app, router) = (app.clone(), router.clone());
        let _ = stream.set_nodelay(true);
        let peer = Peer { client, local, is_owner: false };
        seat.serve(&mut connections, |seat| connection(app, router, stream, peer, seat));
    }
    drop(listener);
    let_finish(connections).await;
}

/// Lets connections end by themselves for a moment.
pub(super) async fn let_finish(mut connections: JoinSet<()>) {
    let all = async { while connections.join_next().await.is_some() {} };
    if tokio::time::timeout(FAREWELL, all).await.is_err() {
        connections.abort_all();
    }
}

/// Says that there are too many, without waiting for anything.
fn turn_away(stream: &TcpStream) {
    // A client that does not take it goes without.
    let _ = stream.try_write(too_many().as_bytes());
}

/// An answer for a connection that gets no server.
fn too_many() -> String {
    let told = ApiError::new(
        StatusCode::SERVICE_UNAVAILABLE,
        "busy",
        "too many connections",
        "come back in a moment, or raise dashboard.max_connections",
    );
    let body = serde_json::json!({ "error": told.to_json() }).to_string();
    format!(
        "HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\
         Retry-After: 1\r\nConnection: close\r\n\r\n{body}",
        body.len()
    )
}

/// Serves one connection to its end.
pub(super) async fn connection(
    app: SharedState,
    router: Router,
    stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    peer: Peer,
    seat: Arc<Seat>,
) {
    let (mut closing, life, longest) = (app.closing.clone(), app.limits.connection, app.limits.ask);
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new())
        .header_read_timeout(app.limits.headers)
        .max_headers(MAX_HEADERS)
        .max_buf_size(MAX_HEADER_BYTES);
    let service = service_fn(move |request: Request<Incoming>| {
        let (app, router, seat) = (app.clone(), router.clone(), seat.clone());
        async move {
            let request = request.map(|body| TimedBody { waiting: seat.waits(), body, seat: seat.clone() });
            let response = answer(&app, router, peer, request).await;
            // For the client to take the answer, and to ask for something else.
            seat.waits();
            Ok::<_, Infallible>(response)
        }
    });
    let mut serving = pin!(http.serve_connection(TokioIo::new(stream), service).with_upgrades());
    let patience = tokio::select! {
        ended = serving.as_mut() => return note(ended),
        () = server_state::closed(&mut closing) => FAREWELL,
        () = tokio::time::sleep(life) => longest + FAREWELL,
    };
    // What is being answered is answered to its end; a client that does not read it is let go of.
    serving.as_mut().graceful_shutdown();
    if let Ok(ended) = tokio::time::timeout(patience, serving).await {
        note(ended);
    }
}

fn note(ended: Result<(), hyper::Error>) {
    if let Err(error) = ended {
        tracing::debug!("a connection broke off: {error}");
    }
}

/// The body of a request; the client is waited for until all of it has come, or it is dropped.
struct TimedBody {
    body: Incoming,
    seat: Arc<Seat>,
    waiting: u64,
}

impl TimedBody {
    fn is_over(&self) {
        self.seat.works(self.waiting);
    }
}

impl hyper::body::Body for TimedBody {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        let polled = Pin::new(&mut self.body).poll_frame(context);
        if matches!(polled, Poll::Ready(None | Some(Err(_)))) || self.body.is_end_stream() {
            self.is_over();
        }
        polled
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

impl Drop for TimedBody {
    fn drop(&mut self) {
        self.is_over();
    }
}

/// Lets a request in or not, has it answered, and puts on what every answer has.
async fn answer(app: &SharedState, router: Router, peer: Peer, request: Request<TimedBody>) -> Response {
    let (parts, body) = request.into_parts();
    if body.is_end_stream() {
        body.is_over();
    }
    let mut page = None;
    let response = match app.guard.admit(peer, &parts) {
        Err(error) => error.into_response(),
        Ok(Admitted { page: asking, is_preflight, operator }) => {
            page = asking;
            if is_preflight {
                preflight()
            } else {
                let mut request = Request::from_parts(parts, Body::new(body));
                request.extensions_mut().insert(peer);
                request.extensions_mut().insert(operator);
                routed(router, request).await
            }
        }
    };
    let mut response = with_error_body(response);
    for (name, value) in COMMON_HEADERS {
        // The page has some of its own.
        response.headers_mut().entry(name).or_insert(HeaderValue::from_static(value));
    }
    if let Some(Ok(page)) = page.map(|page| HeaderValue::from_str(&page)) {
        response.headers_mut().insert(ACCESS_CONTROL_ALLOW_ORIGIN, page);
        response.headers_mut().insert(VARY, HeaderValue::from_static("Origin"));
    }
    app.metrics.answered(response.status().as_u16());
    response
}

async fn routed(router: Router, request: Request<Body>) -> Response {
    match TowerToHyperService::new(router).call(request).await {
        Ok(response) => response,
        Err(never) => match never {},
    }
}

/// What a page of an allowed origin may do.
fn preflight() -> Response {
    let may = [
        (ACCESS_CONTROL_ALLOW_METHODS, "GET, POST, PATCH, DELETE"),
        (ACCESS_CONTROL_ALLOW_HEADERS, "authorization, content-type"),
        (ACCESS_CONTROL_MAX_AGE, "600"),
    ];
    (StatusCode::NO_CONTENT, may).into_response()
}
