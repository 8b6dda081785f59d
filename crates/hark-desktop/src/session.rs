//! Locking the screen and letting the machine sleep, by logind (org.freedesktop.login1(5)).

use crate::bus::{Desktop, DesktopError, Service, told, with_bus};
use zbus::Proxy;
use zbus::zvariant::OwnedObjectPath;

const MANAGER: &str = "/org/freedesktop/login1";
const INTERFACE: &str = "org.freedesktop.login1.Manager";

/// A session: its id, user id, user name, seat and path.
type Session = (String, u32, String, String, OwnedObjectPath);

impl Desktop {
    /// Locks the screens of everybody who is logged in at this machine; answers how many sessions were told to.
    ///
    /// # Errors
    /// When no session has a screen, or logind does not allow it.
    pub async fn lock(&self) -> Result<usize, DesktopError> {
        self.offers(Service::Login)?;
        with_bus(|bus| async move {
            let manager = Proxy::new(&bus, Service::Login.name(), MANAGER, INTERFACE).await.map_err(told)?;
            let sessions: Vec<Session> = manager.call("ListSessions", &()).await.map_err(told)?;
            let at_a_screen = sessions.iter().filter(|(_, _, _, seat, _)| !seat.is_empty()).count();
            if at_a_screen == 0 {
                return Err(DesktopError::Missing("nobody is logged in at the screen of this machine"));
            }
            let () = manager.call("LockSessions", &()).await.map_err(told)?;
            Ok(at_a_screen)
        })
        .await
    }

    /// Lets the machine sleep (suspend to memory).
    ///
    /// # Errors
    /// When it cannot, or logind does not allow it.
    pub async fn suspend(&self) -> Result<(), DesktopError> {
        self.offers(Service::Login)?;
        with_bus(|bus| async move {
            let manager = Proxy::new(&bus, Service::Login.name(), MANAGER, INTERFACE).await.map_err(told)?;
            let can: String = manager.call("CanSuspend", &()).await.map_err(told)?;
            match can.as_str() {
                "yes" => {}
                "na" => return Err(DesktopError::Missing("this machine cannot sleep")),
                _ => return Err(DesktopError::Denied("sleep needs somebody's password".into())),
            }
            // Nobody is there who could answer a question for a password.
            manager.call("Suspend", &(false,)).await.map_err(told)
        })
        .await
    }
}
