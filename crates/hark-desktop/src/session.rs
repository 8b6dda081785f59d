//! Locking the screen and letting the machine sleep, by logind (org.freedesktop.login1(5)).

use crate::bus::{Desktop, DesktopError, Service, told, uncached, with_bus};
use crate::granted::Grant;
use std::time::{Duration, Instant};
use zbus::zvariant::OwnedObjectPath;
use zbus::{Connection, Proxy};

const MANAGER: &str = "/org/freedesktop/login1";
const INTERFACE: &str = "org.freedesktop.login1.Manager";

/// Interface of one session.
const SESSION: &str = "org.freedesktop.login1.Session";
/// Sessions of people; a screen that waits for somebody to log in has one of another class.
const OF_PEOPLE: &str = "user";
/// How long a locker may take to say that it has locked, and how often that is looked at.
const LOCKED_WITHIN: Duration = Duration::from_secs(3);
const LOOK_EVERY: Duration = Duration::from_millis(100);

/// A session as the manager lists it: its id, user id, user name, seat and path.
type Listed = (String, u32, String, String, OwnedObjectPath);

/// What locking came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Locked {
    /// Sessions that say they are locked.
    pub count: usize,
    /// All of them were so before.
    pub were_locked: bool,
}

/// A session of somebody at a screen of this machine.
struct Session {
    proxy: Proxy<'static>,
    /// It is the one to be seen.
    is_active: bool,
}

impl Session {
    async fn is_locked(&self) -> Result<bool, DesktopError> {
        self.proxy.get_property("LockedHint").await.map_err(told)
    }
}

impl Desktop {
    /// Locks the screens of everybody who is logged in at this machine, and waits until the sessions to be seen say that they
    /// are locked: logind only passes the request on, and a desktop without a locker does nothing about it.
    ///
    /// # Errors
    /// When no session has a screen, logind does not allow it, or none of them says in time that it is locked.
    pub async fn lock(&self) -> Result<Locked, DesktopError> {
        if let Some(mac) = &self.mac {
            return Ok(mac.lock().await?);
        }
        self.offers(Service::Login)?;
        with_bus(|bus| async move {
            let manager = manager(&bus).await?;
            let mut sessions = at_a_screen(&bus, &manager).await?;
            if sessions.iter().any(|session| session.is_active) {
                sessions.retain(|session| session.is_active);
            }
            let were_locked = all_locked(&sessions).await?;
            let () = manager.call("LockSessions", &()).await.map_err(told)?;
            let until = Instant::now() + LOCKED_WITHIN;
            while !all_locked(&sessions).await? {
                if Instant::now() >= until {
                    return Err(DesktopError::NotLocked);
                }
                tokio::time::sleep(LOOK_EVERY).await;
            }
            Ok(Locked { count: sessions.len(), were_locked })
        })
        .await
    }

    /// Lets the machine sleep (suspend to memory).
    ///
    /// # Errors
    /// When it cannot, or logind does not allow it.
    pub async fn suspend(&self) -> Result<(), DesktopError> {
        if let Some(mac) = &self.mac {
            return Ok(mac.suspend().await?);
        }
        self.offers(Service::Login)?;
        with_bus(|bus| async move {
            let manager = manager(&bus).await?;
            let may: String = manager.call("CanSuspend", &()).await.map_err(told)?;
            may_sleep(Grant::of(&may))?;
            // Nobody is there who could answer a question for a password.
            manager.call("Suspend", &(false,)).await.map_err(told)
        })
        .await
    }
}

pub(crate) async fn manager(bus: &Connection) -> Result<Proxy<'static>, DesktopError> {
    Proxy::new(bus, Service::Login.name(), MANAGER, INTERFACE).await.map_err(told)
}

/// The sessions of people at a screen of this machine.
///
/// # Errors
/// When there is none.
async fn at_a_screen(bus: &Connection, manager: &Proxy<'_>) -> Result<Vec<Session>, DesktopError> {
    let listed: Vec<Listed> = manager.call("ListSessions", &()).await.map_err(told)?;
    let mut sessions = Vec::new();
    for (.., path) in listed.into_iter().filter(|(_, _, _, seat, _)| !seat.is_empty()) {
        let proxy = uncached(bus, Service::Login.name(), path, SESSION).await?;
        let class: String = proxy.get_property("Class").await.map_err(told)?;
        if class == OF_PEOPLE {
            let is_active: bool = proxy.get_property("Active").await.map_err(told)?;
            sessions.push(Session { proxy, is_active });
        }
    }
    if sessions.is_empty() { Err(DesktopError::NobodyThere) } else { Ok(sessions) }
}

/// Whether somebody is logged in at a screen of this machine.
///
/// # Errors
/// When nobody is.
pub(crate) async fn is_somebody_there(bus: &Connection, manager: &Proxy<'_>) -> Result<(), DesktopError> {
    at_a_screen(bus, manager).await.map(drop)
}

async fn all_locked(sessions: &[Session]) -> Result<bool, DesktopError> {
    for session in sessions {
        if !session.is_locked().await? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Whether what logind says lets the machine sleep. Nobody is there who could answer a question for a password.
pub(crate) fn may_sleep(grant: Grant) -> Result<(), DesktopError> {
    match grant {
        Grant::Yes | Grant::Unknown => Ok(()),
        Grant::Unable => Err(DesktopError::CannotSleep),
        Grant::Password => Err(DesktopError::Denied("sleep needs somebody's password".into())),
        Grant::No => Err(DesktopError::Denied("it is not to be put to sleep".into())),
    }
}
