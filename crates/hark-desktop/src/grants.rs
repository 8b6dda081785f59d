//! What the machine grants the user Hark runs as: sleep and the like by logind, networks by NetworkManager (both ask polkit),
//! and whether there is a battery and somebody at a screen. Looked up without asking anybody for a password.

use crate::bus::{Desktop, DesktopError, Service, connect, looked, told};
use crate::granted::{Grant, Grants};
use crate::macos::{Mac, MacError};
use crate::{power, session};
use std::collections::BTreeMap;
use std::future::Future;
use std::time::Duration;
use zbus::{Connection, Proxy};

/// Time one service has to tell; within that of the whole look.
const SERVICE_TIMEOUT: Duration = Duration::from_millis(800);
const NETWORK_PATH: &str = "/org/freedesktop/NetworkManager";
const NETWORK: &str = "org.freedesktop.NetworkManager";

impl Desktop {
    /// What the machine grants now. May wait for a second; what is known counts for half a minute.
    pub fn grants(&self) -> Grants {
        if let Some(mac) = &self.mac {
            return self.granted.get(|| of_mac(mac));
        }
        let [login, power] = [Service::Login, Service::Power].map(|service| self.offers(service).is_ok());
        self.granted.get(|| {
            looked(async move {
                // Each for itself: one service that hangs hides nothing of the other.
                let of_login = in_time(login, of_login());
                let battery = in_time(power, battery());
                let (of_login, battery) = tokio::join!(of_login, battery);
                Ok(Grants { battery, ..of_login.unwrap_or_default() })
            })
            .unwrap_or_default()
        })
    }

    /// What NetworkManager lets Hark do, by its names without what they share; empty where it does not tell. May wait for a second.
    pub fn network_grants(&self) -> BTreeMap<String, Grant> {
        match self.offers(Service::Network) {
            // A Mac asks nobody about networks beforehand.
            Ok(()) if self.mac.is_some() => BTreeMap::new(),
            Ok(()) => looked(of_network()).unwrap_or_default(),
            Err(_) => BTreeMap::new(),
        }
    }

    /// Whether there is a battery to tell of.
    ///
    /// # Errors
    /// When there is none, or no UPower.
    pub fn has_battery(&self) -> Result<(), DesktopError> {
        self.offers(Service::Power)?;
        if self.grants().battery == Some(false) { Err(DesktopError::NoBattery) } else { Ok(()) }
    }

    /// Whether the machine may be let sleep.
    ///
    /// # Errors
    /// When it cannot, it is not allowed, or there is no logind.
    pub fn may_sleep(&self) -> Result<(), DesktopError> {
        self.offers(Service::Login)?;
        self.grants().suspend.map_or(Ok(()), session::may_sleep)
    }

    /// Whether there is a screen that somebody is logged in at, to be locked.
    ///
    /// # Errors
    /// When there is none, or no logind.
    pub fn may_lock(&self) -> Result<(), DesktopError> {
        self.offers(Service::Login)?;
        if self.grants().somebody == Some(false) { Err(DesktopError::NobodyThere) } else { Ok(()) }
    }
}

/// What a service that is there tells in time.
async fn in_time<T>(is_there: bool, look: impl Future<Output = Result<T, DesktopError>>) -> Option<T> {
    if !is_there {
        return None;
    }
    tokio::time::timeout(SERVICE_TIMEOUT, look).await.ok()?.ok()
}

/// A Mac lets every program of the person at the screen have it sleep.
fn of_mac(mac: &Mac) -> Grants {
    let battery = match mac.has_battery() {
        Ok(()) => Some(true),
        Err(MacError::NoBattery) => Some(false),
        Err(_) => None,
    };
    let somebody = match mac.has_session() {
        Ok(()) => Some(true),
        Err(MacError::NoSession) => Some(false),
        Err(_) => None,
    };
    Grants { battery, somebody, ..Grants::default() }
}

async fn of_login() -> Result<Grants, DesktopError> {
    let bus = connect().await?;
    let manager = session::manager(&bus).await?;
    let somebody = match session::is_somebody_there(&bus, &manager).await {
        Ok(()) => Some(true),
        Err(DesktopError::NobodyThere) => Some(false),
        Err(_) => None,
    };
    let may = async |method: &str| {
        let word: Result<String, _> = manager.call(method, &()).await;
        word.ok().map(|word| Grant::of(&word))
    };
    Ok(Grants {
        suspend: may("CanSuspend").await,
        power_off: may("CanPowerOff").await,
        reboot: may("CanReboot").await,
        somebody,
        ..Grants::default()
    })
}

async fn battery() -> Result<bool, DesktopError> {
    let bus: Connection = connect().await?;
    match power::is_there(&bus).await {
        Ok(()) => Ok(true),
        Err(DesktopError::NoBattery) => Ok(false),
        Err(error) => Err(error),
    }
}

async fn of_network() -> Result<BTreeMap<String, Grant>, DesktopError> {
    let bus = connect().await?;
    let manager = Proxy::new(&bus, Service::Network.name(), NETWORK_PATH, NETWORK).await.map_err(told)?;
    let granted: BTreeMap<String, String> = manager.call("GetPermissions", &()).await.map_err(told)?;
    let short = |name: &str| name.strip_prefix("org.freedesktop.NetworkManager.").unwrap_or(name).to_owned();
    Ok(granted.iter().map(|(name, word)| (short(name), Grant::of(word))).collect())
}
