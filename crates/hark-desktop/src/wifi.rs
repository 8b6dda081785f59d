//! The wireless network, as NetworkManager tells it (<https://networkmanager.dev/docs/api/latest/spec.html>).

use crate::bus::{Desktop, DesktopError, Service, switch, told, uncached, with_bus};
use zbus::Proxy;
use zbus::zvariant::OwnedObjectPath;

const MANAGER: &str = "/org/freedesktop/NetworkManager";
const INTERFACE: &str = "org.freedesktop.NetworkManager";
const ACTIVE: &str = "org.freedesktop.NetworkManager.Connection.Active";
const ACCESS_POINT: &str = "org.freedesktop.NetworkManager.AccessPoint";
/// The kind of a wireless connection.
const WIRELESS: &str = "802-11-wireless";
/// Most connections that are looked at.
const MAX_CONNECTIONS: usize = 50;

/// The wireless network of the machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wifi {
    /// The radio is switched on.
    pub is_enabled: bool,
    /// The network it is connected to, and how strong it is in percent, where that is known.
    pub network: Option<(String, Option<u8>)>,
}

impl Desktop {
    /// The wireless network now.
    ///
    /// # Errors
    /// When there is no NetworkManager.
    pub async fn wifi(&self) -> Result<Wifi, DesktopError> {
        if let Some(mac) = &self.mac {
            return Ok(mac.wifi().await?);
        }
        self.offers(Service::Network)?;
        with_bus(|bus| async move {
            let name = Service::Network.name();
            let manager = Proxy::new(&bus, name, MANAGER, INTERFACE).await.map_err(told)?;
            let is_enabled: bool = manager.get_property("WirelessEnabled").await.map_err(told)?;
            let connections: Vec<OwnedObjectPath> =
                manager.get_property("ActiveConnections").await.map_err(told)?;
            for path in connections.into_iter().take(MAX_CONNECTIONS) {
                let connection = Proxy::new(&bus, name, path, ACTIVE).await.map_err(told)?;
                let kind: String = connection.get_property("Type").await.map_err(told)?;
                if kind != WIRELESS {
                    continue;
                }
                let point: OwnedObjectPath = connection.get_property("SpecificObject").await.map_err(told)?;
                if point.as_str() == "/" {
                    continue;
                }
                let point = Proxy::new(&bus, name, point, ACCESS_POINT).await.map_err(told)?;
                let ssid: Vec<u8> = point.get_property("Ssid").await.map_err(told)?;
                let strength: u8 = point.get_property("Strength").await.map_err(told)?;
                let name = String::from_utf8_lossy(&ssid).replace(char::is_control, " ");
                return Ok(Wifi { is_enabled, network: Some((name, Some(strength.min(100)))) });
            }
            Ok(Wifi { is_enabled, network: None })
        })
        .await
    }

    /// Switches the radio of the wireless network, and waits until it says that it is; how it was before.
    ///
    /// # Errors
    /// When there is no NetworkManager, it does not allow it, or the radio stays as it was: a switch of the machine may hold it
    /// (`rfkill`).
    pub async fn set_wifi(&self, is_on: bool) -> Result<bool, DesktopError> {
        if let Some(mac) = &self.mac {
            return Ok(mac.set_wifi(is_on).await?);
        }
        self.offers(Service::Network)?;
        with_bus(|bus| async move {
            let manager = uncached(&bus, Service::Network.name(), MANAGER, INTERFACE).await?;
            let was_on: bool = manager.get_property("WirelessEnabled").await.map_err(told)?;
            switch(&manager, "WirelessEnabled", is_on).await?;
            Ok(was_on)
        })
        .await
    }
}
