//! The system bus: which services are on it, and calls to them with a time-out.

use std::collections::BTreeSet;
use std::future::Future;
use std::sync::Mutex;
use std::time::{Duration, Instant};
use zbus::Connection;
use zbus::names::OwnedBusName;

/// Time a call may take.
const TIMEOUT: Duration = Duration::from_secs(5);
/// Time it may take to find out which services there are.
const LOOK_TIMEOUT: Duration = Duration::from_secs(1);
/// How long what was found out counts.
const KNOWN_FOR: Duration = Duration::from_secs(30);

/// A service of the machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Service {
    /// Batteries.
    Power,
    /// Networks.
    Network,
    /// Sessions and sleep.
    Login,
}

impl Service {
    /// Its name on the bus.
    pub fn name(self) -> &'static str {
        match self {
            Self::Power => "org.freedesktop.UPower",
            Self::Network => "org.freedesktop.NetworkManager",
            Self::Login => "org.freedesktop.login1",
        }
    }

    /// What people call it.
    pub fn title(self) -> &'static str {
        match self {
            Self::Power => "UPower",
            Self::Network => "NetworkManager",
            Self::Login => "logind",
        }
    }

    /// What is to be installed or started where it is not there.
    pub fn fix(self) -> &'static str {
        match self {
            Self::Power => "install upower, and start it: systemctl start upower",
            Self::Network => {
                "install NetworkManager (network-manager), and start it: systemctl start NetworkManager"
            }
            Self::Login => "run Hark on a machine with systemd-logind, outside of a container",
        }
    }
}

/// Why something of the machine cannot be told or done.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DesktopError {
    /// There is no bus.
    #[error("the system's D-Bus cannot be reached: {0}")]
    NoBus(String),
    /// There is no session of a desktop.
    #[error("no desktop's session can be reached: {0}")]
    NoSession(String),
    /// The service is not on it.
    #[error("{} is not there on this machine", .0.title())]
    NoService(Service),
    /// The machine has no such part.
    #[error("{0}")]
    Missing(&'static str),
    /// The service does not allow it.
    #[error("this machine does not allow it: {0}")]
    Denied(String),
    /// The service answered with an error, or with something else than it should.
    #[error("the service answered: {0}")]
    Failed(String),
    /// It did not answer.
    #[error("the service did not answer in time")]
    Timeout,
}

/// Names on the bus, or why they are not known.
type Names = Result<BTreeSet<String>, DesktopError>;

/// The machine's services; what is on the bus is looked up again after some time.
#[derive(Debug, Default)]
pub struct Desktop {
    known: Mutex<Option<(Instant, Names)>>,
}

impl Desktop {
    /// Whether a service is there, or can be started by the bus. May wait for a second.
    ///
    /// # Errors
    /// When it is not, or there is no bus.
    pub fn offers(&self, service: Service) -> Result<(), DesktopError> {
        let mut known = self.known.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let is_fresh = known.as_ref().is_some_and(|(at, _)| at.elapsed() < KNOWN_FOR);
        if !is_fresh {
            *known = Some((Instant::now(), names()));
        }
        match known.as_ref().map(|(_, names)| names) {
            Some(Ok(names)) if names.contains(service.name()) => Ok(()),
            Some(Err(error)) => Err(error.clone()),
            _ => Err(DesktopError::NoService(service)),
        }
    }
}

impl Desktop {
    /// Whether the bus of a desktop's session is named, or stands where it does by convention.
    ///
    /// # Errors
    /// When neither is so.
    pub fn has_session(&self) -> Result<(), DesktopError> {
        let is_named =
            std::env::var_os("DBUS_SESSION_BUS_ADDRESS").is_some_and(|address| !address.is_empty());
        let runtime = std::env::var_os("XDG_RUNTIME_DIR").map(std::path::PathBuf::from);
        let stands = runtime.is_some_and(|runtime| runtime.join("bus").exists());
        if is_named || stands { Ok(()) } else { Err(DesktopError::NoSession("there is none".into())) }
    }
}

/// Names on the bus, and those it can start. On a thread of its own: the caller may be within a runtime.
fn names() -> Names {
    let look = || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|error| DesktopError::NoBus(error.to_string()))?;
        let looked = runtime.block_on(async { tokio::time::timeout(LOOK_TIMEOUT, look_up()).await });
        looked.unwrap_or(Err(DesktopError::Timeout))
    };
    let thread = std::thread::Builder::new().name("hark-bus".into()).spawn(look);
    let thread = thread.map_err(|error| DesktopError::NoBus(error.to_string()))?;
    thread.join().unwrap_or_else(|_| Err(DesktopError::NoBus("the look-up ended unexpectedly".into())))
}

async fn look_up() -> Names {
    let bus = connect().await?;
    let mut names = BTreeSet::new();
    for method in ["ListNames", "ListActivatableNames"] {
        let answer = bus
            .call_method(
                Some("org.freedesktop.DBus"),
                "/org/freedesktop/DBus",
                Some("org.freedesktop.DBus"),
                method,
                &(),
            )
            .await
            .map_err(told)?;
        let found: Vec<OwnedBusName> = answer.body().deserialize().map_err(told)?;
        names.extend(found.into_iter().map(|name| name.to_string()));
    }
    Ok(names)
}

async fn connect() -> Result<Connection, DesktopError> {
    Connection::system().await.map_err(|error| DesktopError::NoBus(error.to_string()))
}

/// Does something with the bus, in bounded time.
pub(crate) async fn with_bus<T, F: Future<Output = Result<T, DesktopError>>>(
    work: impl FnOnce(Connection) -> F,
) -> Result<T, DesktopError> {
    let done = async { work(connect().await?).await };
    tokio::time::timeout(TIMEOUT, done).await.unwrap_or(Err(DesktopError::Timeout))
}

/// Does something with the bus of the desktop's session, in bounded time.
pub(crate) async fn with_session<T, F: Future<Output = Result<T, DesktopError>>>(
    work: impl FnOnce(Connection) -> F,
) -> Result<T, DesktopError> {
    let done = async {
        let bus = Connection::session().await;
        work(bus.map_err(|error| DesktopError::NoSession(error.to_string()))?).await
    };
    tokio::time::timeout(TIMEOUT, done).await.unwrap_or(Err(DesktopError::Timeout))
}

/// What an error of the bus means.
pub(crate) fn told(error: impl Into<zbus::Error>) -> DesktopError {
    match error.into() {
        zbus::Error::MethodError(name, text, _) => {
            let text = text.unwrap_or_else(|| name.to_string());
            let is_denied = ["AccessDenied", "NotAuthorized", "InteractiveAuthorizationRequired"]
                .iter()
                .any(|denied| name.ends_with(denied));
            if is_denied { DesktopError::Denied(text) } else { DesktopError::Failed(text) }
        }
        error => DesktopError::Failed(error.to_string()),
    }
}
