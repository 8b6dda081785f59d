//! Home Assistant through its WebSocket API (<https://developers.home-assistant.io/docs/api/websocket>): its areas and
//! devices become part of the home, and commands are carried out by its services.
//!
//! One task on the tokio runtime keeps the connection (`reconnect`). `websocket` carries requests and events, `message`
//! parses them, `home_reader` reads the registries, `home_snapshot` makes a home of the answers, `state_cache` buffers
//! state changes, and `home_sync` passes both on to the home. `backend` turns commands into service calls (`service`,
//! `todo`, `service_call`), after asking whether the entity is still exposed (`exposure`).
//!
//! ```no_run
//! # fn start(sink: std::sync::Arc<dyn hark_core::ports::HomeSink>) -> Result<(), Box<dyn std::error::Error>> {
//! use hark_homeassistant::HomeAssistant;
//!
//! let runtime = tokio::runtime::Runtime::new()?;
//! let config = hark_config::homeassistant::HomeAssistant { url: "http://homeassistant.local:8123".into(), ..Default::default() };
//! let connection = HomeAssistant::start(&config, sink, std::sync::Arc::new(|fault| eprintln!("{fault}")), runtime.handle())?;
//! # drop(connection);
//! # Ok(())
//! # }
//! ```

mod address;
mod backend;
mod entity_entry;
mod error;
mod exposure;
mod home_reader;
mod home_snapshot;
mod home_sync;
mod message;
mod probe;
mod reconnect;
mod service;
mod service_call;
mod state_cache;
mod todo;
mod token;
mod websocket;

pub use probe::{probe, time_zone};

use exposure::Exposure;
use hark_config::homeassistant::HomeAssistant as Config;
use hark_config::paths;
use hark_core::device::{DeviceBackend, DeviceCodes};
use hark_core::fault::Fault;
use hark_core::home::Area;
use hark_core::ports::HomeSink;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use token::TokenFile;
use tokio::runtime::Handle;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use websocket::{ApiHandle, Limits};

/// Value of `Entity::source` for what comes from Home Assistant.
pub const SOURCE: &str = "homeassistant";

/// Where faults go. Called on the connection's task: it must not block.
pub type FaultSink = Arc<dyn Fn(Fault) + Send + Sync>;

/// How the connection stands.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Status {
    /// There is a connection, and the home was read.
    pub connected: bool,
    /// Version of Home Assistant, when it was there.
    pub version: Option<String>,
    /// Entities that Hark knows.
    pub entities: usize,
    /// Why there is no connection.
    pub problem: Option<Fault>,
}

/// A Home Assistant that Hark works with. Dropping it ends the connection.
pub struct HomeAssistant {
    shared: Arc<ClientState>,
    task: JoinHandle<()>,
}

/// State shared by the connection task and [`HomeAssistant`].
pub(crate) struct ClientState {
    url: String,
    token: TokenFile,
    limits: Limits,
    command_limit: Duration,
    exposed_only: bool,
    sink: Arc<dyn HomeSink>,
    faults: FaultSink,
    now: Mutex<ConnectionState>,
    /// The first attempt has come to an end, good or bad.
    tried: watch::Sender<bool>,
}

#[derive(Default)]
struct ConnectionState {
    api: Option<ApiHandle>,
    areas: Vec<Area>,
    exposure: Exposure,
    status: Status,
}

impl HomeAssistant {
    /// Starts the connection; does not wait for it. `None` when no address is configured. A Home Assistant
    /// that is not there is reported once an outage as a recoverable fault, and tried until it is there.
    ///
    /// # Errors
    /// When the address is none, or the token cannot be read.
    pub fn start(
        config: &Config,
        sink: Arc<dyn HomeSink>,
        faults: FaultSink,
        runtime: &Handle,
    ) -> Result<Option<Self>, Fault> {
        if config.url.trim().is_empty() {
            return Ok(None);
        }
        let token = TokenFile::find(config, paths::credentials_dir().as_deref())?;
        token.read()?;
        let shared = Arc::new(ClientState {
            url: address::websocket_url(&config.url)?,
            token,
            limits: limits(config),
            command_limit: Duration::from_millis(config.command_timeout_ms.into()),
            exposed_only: config.exposed_only,
            sink,
            faults,
            now: Mutex::default(),
            tried: watch::channel(false).0,
        });
        shared.sink.away(SOURCE);
        let task = runtime.spawn(reconnect::run(Arc::clone(&shared)));
        Ok(Some(Self { shared, task }))
    }

    /// The backend that carries out commands.
    pub fn backend(&self, codes: DeviceCodes) -> Arc<dyn DeviceBackend> {
        Arc::new(backend::Backend { shared: Arc::clone(&self.shared), codes })
    }

    /// Waits until the home was read, or the first attempt to do so failed.
    pub async fn tried(&self) {
        let mut tried = self.shared.tried.subscribe();
        // An error means that the task has gone; there is nothing to wait for then.
        let _ = tried.wait_for(|tried| *tried).await;
    }

    /// How the connection stands.
    pub fn status(&self) -> Status {
        self.view().status()
    }

    /// A handle that only reads the status; it does not keep the connection.
    pub fn view(&self) -> StatusView {
        StatusView(Arc::clone(&self.shared))
    }
}

/// Sees how the connection stands.
#[derive(Clone)]
pub struct StatusView(Arc<ClientState>);

impl StatusView {
    /// How it stands now.
    pub fn status(&self) -> Status {
        self.0.lock().status.clone()
    }
}

impl Drop for HomeAssistant {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl ClientState {
    /// The connection, when there is one and the home was read.
    fn api(&self) -> Option<ApiHandle> {
        self.lock().api.clone()
    }

    /// The areas as Home Assistant has them.
    fn areas(&self) -> Vec<Area> {
        self.lock().areas.clone()
    }

    /// What was exposed when the home was read.
    fn exposure(&self) -> Exposure {
        self.lock().exposure.clone()
    }

    fn lock(&self) -> MutexGuard<'_, ConnectionState> {
        self.now.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn limits(config: &Config) -> Limits {
    Limits {
        connect: Duration::from_millis(config.connect_timeout_ms.into()),
        ping: Duration::from_millis(config.ping_ms.into()),
    }
}
