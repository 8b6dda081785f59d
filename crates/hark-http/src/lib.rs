//! The HTTP and WebSocket API for the dashboard and for programs: what a running Hark can be asked
//! ([`hark_core::api`]), safe by default. Runs on the tokio runtime.
//!
//! `operations` is the table of all operations, from which `contracts/openapi.json` is made (`openapi_document`);
//! `handlers` has one function for each, `wire` their objects. `server` accepts connections, `access` checks host,
//! origin, token and rate. `websocket` is the WebSocket; `owner_socket` is the local socket for commands of the owner.
//!
//! ```
//! assert!(hark_http::openapi().contains("/api/v1/health"));
//! ```

mod access;
mod api_error;
mod ask;
mod configuration;
mod conversations;
mod documents;
mod handlers;
mod household;
mod inspection;
pub mod limits;
mod metrics;
mod openapi_document;
mod operations;
mod owner;
pub mod owner_socket;
mod page_files;
mod pictures;
mod request_input;
mod server;
mod server_state;
mod sessions;
mod setup;
mod teaching;
mod tool_host;
mod turn_summary;
mod web_page;
mod websocket;
mod wire;

pub use websocket::known_modes::AnswerMode;
pub use websocket::messages::{ClientMessage, read_message};

use access::guard::AccessGuard;
use axum::Router;
use hark_config::dashboard::Dashboard as Settings;
use hark_core::api::Api;
use hark_core::tool_host::ToolHost;
use hark_core::{Fault, FaultKind};
use limits::Limits;
use owner_socket::OwnerSocket;
use server_state::{ServerState, SharedState};
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::runtime::Handle;
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinHandle;

/// Where faults go. Called on the interface's task: it must not block.
pub type FaultSink = Arc<dyn Fn(Fault) + Send + Sync>;

/// Makes what answers at `/mcp` of Hark's tools for other programs; called once, at the start.
pub type MakeMcp = Box<dyn FnOnce(Arc<dyn ToolHost>) -> Router + Send>;

/// How long ending may take.
const SHUTDOWN_LIMIT: Duration = Duration::from_secs(4);

/// The OpenAPI document, as `contracts/openapi.json` keeps it.
pub fn openapi() -> &'static str {
    openapi_document::text()
}

/// The interface while it runs. Dropping it without [`Dashboard::shutdown`] breaks connections off.
pub struct Dashboard {
    closing: watch::Sender<bool>,
    address: watch::Receiver<Option<SocketAddr>>,
    task: Mutex<Option<JoinHandle<()>>>,
}

impl Dashboard {
    /// Starts it; `None` when it is switched off. A port that is taken is reported as a recoverable fault and tried
    /// again.
    ///
    /// # Errors
    /// When the address is none, the token cannot be read, or others could reach it and there is no token.
    pub fn start(
        settings: &Settings,
        limits: Limits,
        api: Arc<dyn Api>,
        faults: FaultSink,
        runtime: &Handle,
    ) -> Result<Option<Self>, Fault> {
        if !settings.enabled {
            return Ok(None);
        }
        Self::open(settings, (None, None), limits, api, faults, runtime).map(Some)
    }

    /// The same with the socket for commands of the owner, which is there also where the port is switched off, and with
    /// what answers at `/mcp`.
    ///
    /// # Errors
    /// As [`Dashboard::start`].
    pub fn open(
        settings: &Settings,
        (local, mcp): (Option<OwnerSocket>, Option<MakeMcp>),
        limits: Limits,
        api: Arc<dyn Api>,
        faults: FaultSink,
        runtime: &Handle,
    ) -> Result<Self, Fault> {
        let wanted = if settings.enabled { Some(port_of(settings)?) } else { None };
        let guard = AccessGuard::new(settings)?;
        if let Some(wanted) = wanted.filter(|wanted| !wanted.ip().is_loopback() && !guard.asks_for_a_token())
        {
            let message = format!("others could reach {wanted}, and there is no token");
            let fix = "name a file with a token in dashboard.token_file, or listen on 127.0.0.1";
            return Err(Fault::new(FaultKind::BadConfiguration, "dashboard", message, fix));
        }
        let max_connections = settings.max_connections as usize;
        // A quarter of the places stays for requests.
        let max_sockets = (max_connections * 3 / 4).max(1);
        let (closing, told) = watch::channel(false);
        let (bound, address) = watch::channel(None);
        let app: SharedState = Arc::new(ServerState {
            api,
            guard,
            openapi,
            limits,
            metrics: metrics::HttpMetrics::default(),
            conversations: conversations::Conversations::default(),
            modes: websocket::known_modes::KnownModes::default(),
            sockets: Arc::new(Semaphore::new(max_sockets)),
            max_sockets,
            microphones: Arc::new(Semaphore::new(settings.max_microphones as usize)),
            image_permits: Arc::new(Semaphore::new(limits::MAX_IMAGE_REQUESTS)),
            image_bytes: settings.image_bytes(),
            closing: told,
        });
        let mcp = mcp.map(|make| make(Arc::new(tool_host::Host(app.clone()))));
        // The first attempt is made here, so that the address is known when Hark says that it is ready.
        let first = wanted.map(|wanted| (runtime.block_on(TcpListener::bind(wanted)), wanted));
        if let Some((Ok(listener), _)) = &first {
            bound.send_replace(listener.local_addr().ok());
        }
        let of_owner = app.clone();
        let by_port = async move {
            let Some((first, wanted)) = first else { return };
            let Some(listener) = listen(first, wanted, &faults, &app).await else { return };
            let address = listener.local_addr().ok();
            if let Some(address) = address {
                tracing::info!("the dashboard's interface is at http://{address}/api/v1");
            }
            bound.send_replace(address);
            server::serve(app, mcp, listener, max_connections).await;
        };
        let by_socket = async move {
            if let Some(local) = local {
                owner_socket::serve(of_owner, local).await;
            }
        };
        let task = runtime.spawn(async move {
            tokio::join!(by_port, by_socket);
        });
        Ok(Self { closing, address, task: Mutex::new(Some(task)) })
    }

    /// Where it listens; `None` while the port is taken.
    pub fn address(&self) -> Option<SocketAddr> {
        *self.address.borrow()
    }

    /// Waits until it listens.
    pub async fn listening(&self) -> Option<SocketAddr> {
        let mut address = self.address.clone();
        address.wait_for(Option::is_some).await.ok().and_then(|address| *address)
    }

    /// Peer it: sockets get their farewell, answers under way a moment.
    pub async fn shutdown(&self) {
        self.closing.send_replace(true);
        let task = self.task.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Some(mut task) = task else { return };
        if tokio::time::timeout(SHUTDOWN_LIMIT, &mut task).await.is_err() {
            task.abort();
        }
    }
}

impl Drop for Dashboard {
    fn drop(&mut self) {
        self.closing.send_replace(true);
    }
}

fn port_of(settings: &Settings) -> Result<SocketAddr, Fault> {
    settings.address().ok_or_else(|| {
        let message = format!("{} is no address with a port", settings.listen);
        Fault::new(FaultKind::BadConfiguration, "dashboard", message, "correct dashboard.listen")
    })
}

/// The listening port, as soon as it is free; `None` when it ends before.
async fn listen(
    mut tried: std::io::Result<TcpListener>,
    wanted: SocketAddr,
    faults: &FaultSink,
    app: &ServerState,
) -> Option<TcpListener> {
    let mut closing = app.closing.clone();
    let mut is_told = false;
    loop {
        match tried {
            Ok(listener) => return Some(listener),
            Err(error) if !is_told => {
                is_told = true;
                let message = format!("cannot listen on {wanted}: {error}");
                let fix =
                    "end the program that has the port, or set dashboard.listen; Hark tries again by itself";
                let fault = Fault::new(FaultKind::Unavailable, "dashboard", message, fix);
                faults(fault.recoverable());
            }
            Err(_) => {}
        }
        tokio::select! {
            () = server_state::closed(&mut closing) => return None,
            () = tokio::time::sleep(app.limits.port) => {}
        }
        tried = TcpListener::bind(wanted).await;
    }
}
