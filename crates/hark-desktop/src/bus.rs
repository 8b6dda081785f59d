//! The system bus: which services are on it, and calls to them with a time-out.

use crate::granted::Grants;
use crate::macos::{Mac, MacError};
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

    /// What does the same on a Mac.
    fn program_on_a_mac(self) -> &'static str {
        match self {
            Self::Power | Self::Login => "pmset",
            Self::Network => "networksetup",
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
    /// There is no battery.
    #[error("this machine has no battery")]
    NoBattery,
    /// No program plays anything.
    #[error("nothing plays on this computer")]
    NothingPlays,
    /// The machine cannot sleep.
    #[error("this machine cannot sleep")]
    CannotSleep,
    /// No session has a screen.
    #[error("nobody is logged in at the screen of this machine")]
    NobodyThere,
    /// The sessions were told to lock, and none says that it did.
    #[error("the screen was told to lock, and the session does not say that it is locked (LockedHint)")]
    NotLocked,
    /// The service does not allow it.
    #[error("this machine does not allow it: {0}")]
    Denied(String),
    /// The service answered with an error, or with something else than it should.
    #[error("the service answered: {0}")]
    Failed(String),
    /// It did not answer.
    #[error("the service did not answer in time")]
    Timeout,
    /// macOS did not do it.
    #[error(transparent)]
    Mac(MacError),
}

impl From<MacError> for DesktopError {
    fn from(error: MacError) -> Self {
        match error {
            MacError::Timeout(_) => Self::Timeout,
            MacError::NoBattery => Self::NoBattery,
            MacError::NothingPlays => Self::NothingPlays,
            error => Self::Mac(error),
        }
    }
}

/// Names on the bus, or why they are not known.
type Names = Result<BTreeSet<String>, DesktopError>;

/// The machine's services; what is on the bus is looked up again after some time.
#[derive(Debug)]
pub struct Desktop {
    /// The Mac it is, where it is one: that has no D-Bus.
    pub(crate) mac: Option<Mac>,
    known: Known<Names>,
    pub(crate) granted: Known<Grants>,
}

impl Default for Desktop {
    fn default() -> Self {
        Self { mac: Mac::here(), known: Known::default(), granted: Known::default() }
    }
}

/// What was found out, and when.
type Found<T> = Option<(Instant, T)>;

/// Something that is looked up again after some time.
#[derive(Debug)]
pub(crate) struct Known<T>(Mutex<Found<T>>);

impl<T> Default for Known<T> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<T: Clone> Known<T> {
    /// What is known, from `look` where that is too old.
    pub(crate) fn get(&self, look: impl FnOnce() -> T) -> T {
        let mut known = self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        match known.as_ref().filter(|(at, _)| at.elapsed() < KNOWN_FOR) {
            Some((_, known)) => known.clone(),
            None => {
                let found = look();
                *known = Some((Instant::now(), found.clone()));
                found
            }
        }
    }
}

impl Desktop {
    /// What does a service's work here, as people call it.
    pub fn served_by(&self, service: Service) -> &'static str {
        if self.mac.is_some() { service.program_on_a_mac() } else { service.title() }
    }

    /// Whether a service is there, or can be started by the bus. May wait for a second.
    ///
    /// # Errors
    /// When it is not, or there is no bus.
    pub fn offers(&self, service: Service) -> Result<(), DesktopError> {
        if let Some(mac) = &self.mac {
            return Ok(mac.has(service.program_on_a_mac())?);
        }
        match self.known.get(|| looked(look_up())) {
            Ok(names) if names.contains(service.name()) => Ok(()),
            Ok(_) => Err(DesktopError::NoService(service)),
            Err(error) => Err(error),
        }
    }
}

impl Desktop {
    /// Whether the bus of a desktop's session is named, or stands where it does by convention.
    ///
    /// # Errors
    /// When neither is so.
    pub fn has_session(&self) -> Result<(), DesktopError> {
        if let Some(mac) = &self.mac {
            return Ok(mac.has_session()?);
        }
        let is_named =
            std::env::var_os("DBUS_SESSION_BUS_ADDRESS").is_some_and(|address| !address.is_empty());
        let runtime = std::env::var_os("XDG_RUNTIME_DIR").map(std::path::PathBuf::from);
        let stands = runtime.is_some_and(|runtime| runtime.join("bus").exists());
        if is_named || stands { Ok(()) } else { Err(DesktopError::NoSession("there is none".into())) }
    }
}

/// What a look on the bus finds, in bounded time. On a thread of its own: the caller may be within a runtime.
pub(crate) fn looked<T: Send + 'static>(
    look: impl Future<Output = Result<T, DesktopError>> + Send + 'static,
) -> Result<T, DesktopError> {
    let look = || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|error| DesktopError::NoBus(error.to_string()))?;
        let looked = runtime.block_on(async { tokio::time::timeout(LOOK_TIMEOUT, look).await });
        looked.unwrap_or(Err(DesktopError::Timeout))
    };
    let thread = std::thread::Builder::new().name("hark-bus".into()).spawn(look);
    let thread = thread.map_err(|error| DesktopError::NoBus(error.to_string()))?;
    thread.join().unwrap_or_else(|_| Err(DesktopError::NoBus("the look-up ended unexpectedly".into())))
}

/// Names on the bus, and those it can start.
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

pub(crate) async fn connect() -> Result<Connection, DesktopError> {
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
