//! What the service of systemd that a program runs in forbids it (org.freedesktop.systemd1(5)).

use crate::bus::{Desktop, DesktopError, connect, looked, told, uncached};
use zbus::Connection;
use zbus::zvariant::OwnedObjectPath;

const NAME: &str = "org.freedesktop.systemd1";
const MANAGER_PATH: &str = "/org/freedesktop/systemd1";
const MANAGER: &str = "org.freedesktop.systemd1.Manager";
const SERVICE: &str = "org.freedesktop.systemd1.Service";
/// The bit of namespaces of users (`CLONE_NEWUSER`) among those that are allowed.
const USER_NAMESPACES: u64 = 0x1000_0000;

impl Desktop {
    /// Settings of the service that a process runs in which keep bubblewrap and Chromium from starting, as unit files call them;
    /// empty where it is no service, or systemd does not answer. May block for a second or two.
    pub fn service_forbids(&self, pid: u32) -> Vec<&'static str> {
        if self.mac.is_some() {
            return Vec::new();
        }
        let of_system = looked(async move { forbidden(connect().await?, pid).await });
        let of_user = looked(async move {
            let bus = Connection::session().await;
            forbidden(bus.map_err(|error| DesktopError::NoSession(error.to_string()))?, pid).await
        });
        let mut all = [of_system.unwrap_or_default(), of_user.unwrap_or_default()].concat();
        all.sort_unstable();
        all.dedup();
        all
    }
}

async fn forbidden(bus: Connection, pid: u32) -> Result<Vec<&'static str>, DesktopError> {
    let manager = uncached(&bus, NAME, MANAGER_PATH, MANAGER).await?;
    let unit: OwnedObjectPath = manager.call("GetUnitByPID", &(pid,)).await.map_err(told)?;
    let service = uncached(&bus, NAME, unit, SERVICE).await?;
    let allowed: u64 = service.get_property("RestrictNamespaces").await.map_err(told)?;
    let denies_code: bool = service.get_property("MemoryDenyWriteExecute").await.map_err(told)?;
    let settings =
        [("RestrictNamespaces", allowed & USER_NAMESPACES == 0), ("MemoryDenyWriteExecute", denies_code)];
    Ok(settings.into_iter().filter(|(_, forbids)| *forbids).map(|(name, _)| name).collect())
}
