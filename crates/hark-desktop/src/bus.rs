//! The system bus: which services are on it, and calls to them with a time-out.

use crate::granted::Grants;
use crate::macos::{Mac, MacError};
use crate::naming::one_line;
use std::collections::BTreeSet;
use std::future::Future;
use std::sync::Mutex;
use std::time::{Duration, Instant};
use zbus::names::OwnedBusName;
use zbus::proxy::{Builder, CacheProperties};
use zbus::zvariant::ObjectPath;
use zbus::{Connection, Proxy};

/// Time a call may take.
const TIMEOUT: Duration = Duration::from_secs(5);
/// Time it may take to find out which services there are.
const LOOK_TIMEOUT: Duration = Duration::from_secs(1);
/// How long a radio may take to be switched, and how often that is looked at.
const SWITCHED_WITHIN: Duration = Duration::from_secs(3);
const LOOK_EVERY: Duration = Duration::from_millis(100);
/// Most characters of another program's text in a message.
const MAX_CHARS: usize = 200;
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
    /// Bluetooth.
    Bluetooth,
    /// Where the machine is.
    Location,
}

impl Service {
    /// Its name on the bus.
    pub fn name(self) -> &'static str {
        match self {
            Self::Power => "org.freedesktop.UPower",
            Self::Network => "org.freedesktop.NetworkManager",
            Self::Login => "org.freedesktop.login1",
            Self::Bluetooth => "org.bluez",
            Self::Location => "org.freedesktop.GeoClue2",
        }
    }

    /// What does the same on a Mac; `None` where Hark has nothing for it.
    fn program_on_a_mac(self) -> Option<&'static str> {
        match self {
            Self::Power | Self::Login => Some("pmset"),
            Self::Network => Some("networksetup"),
            Self::Bluetooth | Self::Location => None,
        }
    }

    /// What people call it.
    pub fn title(self) -> &'static str {
        match self {
            Self::Power => "UPower",
            Self::Network => "NetworkManager",
            Self::Login => "logind",
            Self::Bluetooth => "BlueZ",
            Self::Location => "GeoClue",
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
            Self::Bluetooth => "install bluez, and start it: systemctl start bluetooth",
            Self::Location => "install geoclue-2.0",
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
        let program = self.mac.as_ref().and_then(|_| service.program_on_a_mac());
        program.unwrap_or_else(|| service.title())
    }

    /// Whether a service is there, or can be started by the bus. May wait for a second.
    ///
    /// # Errors
    /// When it is not, or there is no bus.
    pub fn offers(&self, service: Service) -> Result<(), DesktopError> {
        if let Some(mac) = &self.mac {
            let program = service.program_on_a_mac().ok_or(DesktopError::NoService(service))?;
            return Ok(mac.has(program)?);
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
    looked_for(LOOK_TIMEOUT, look)
}

/// The same in a time of its own.
pub(crate) fn looked_for<T: Send + 'static>(
    limit: Duration,
    look: impl Future<Output = Result<T, DesktopError>> + Send + 'static,
) -> Result<T, DesktopError> {
    let look = move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|error| DesktopError::NoBus(error.to_string()))?;
        let looked = runtime.block_on(async { tokio::time::timeout(limit, look).await });
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
    with_bus_for(TIMEOUT, work).await
}

/// The same in a time of its own.
pub(crate) async fn with_bus_for<T, F: Future<Output = Result<T, DesktopError>>>(
    limit: Duration,
    work: impl FnOnce(Connection) -> F,
) -> Result<T, DesktopError> {
    let done = async { work(connect().await?).await };
    tokio::time::timeout(limit, done).await.unwrap_or(Err(DesktopError::Timeout))
}

/// A view of an object whose properties are asked for each time: another process may have changed them a moment ago.
pub(crate) async fn uncached(
    bus: &Connection,
    service: &str,
    path: impl TryInto<ObjectPath<'static>, Error: Into<zbus::Error>>,
    interface: &'static str,
) -> Result<Proxy<'static>, DesktopError> {
    let builder = Builder::<Proxy<'static>>::new(bus).cache_properties(CacheProperties::No);
    let builder = builder.destination(service.to_owned()).and_then(|builder| builder.path(path));
    let builder = builder.and_then(|builder| builder.interface(interface)).map_err(told)?;
    builder.build().await.map_err(told)
}

/// Sets a property that switches something, and waits until it says that it is so.
pub(crate) async fn switch(proxy: &Proxy<'_>, property: &str, is_on: bool) -> Result<(), DesktopError> {
    proxy.set_property(property, is_on).await.map_err(told)?;
    let until = Instant::now() + SWITCHED_WITHIN;
    while proxy.get_property::<bool>(property).await.map_err(told)? != is_on {
        if Instant::now() >= until {
            let state = if is_on { "off" } else { "on" };
            return Err(DesktopError::Failed(format!("it stays {state}; see rfkill list")));
        }
        tokio::time::sleep(LOOK_EVERY).await;
    }
    Ok(())
}

/// Words of another program in one line.
pub(crate) fn plain(text: &str) -> String {
    one_line(&text.chars().take(MAX_CHARS).collect::<String>())
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
            let is_denied =
                ["AccessDenied", "NotAuthorized", "PermissionDenied", "InteractiveAuthorizationRequired"]
                    .iter()
                    .any(|denied| name.ends_with(denied));
            if is_denied { DesktopError::Denied(text) } else { DesktopError::Failed(text) }
        }
        error => DesktopError::Failed(error.to_string()),
    }
}
