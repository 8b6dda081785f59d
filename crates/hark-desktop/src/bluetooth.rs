//! Bluetooth, as BlueZ tells it (org.bluez.Adapter(5), org.bluez.Device(5)).

use crate::bus::{Desktop, DesktopError, Service, plain, switch, told, uncached, with_bus};
use std::collections::HashMap;
use zbus::Connection;
use zbus::names::OwnedInterfaceName;
use zbus::zvariant::{OwnedObjectPath, OwnedValue};

const ADAPTER: &str = "org.bluez.Adapter1";
const DEVICE: &str = "org.bluez.Device1";
/// Most names of devices in an answer.
const MAX_DEVICES: usize = 50;

/// Every object of BlueZ with the properties of its interfaces.
type Objects = HashMap<OwnedObjectPath, HashMap<OwnedInterfaceName, HashMap<String, OwnedValue>>>;

/// Bluetooth of the machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bluetooth {
    /// A radio is switched on.
    pub is_enabled: bool,
    /// Names of the devices that are connected, in their order.
    pub devices: Vec<String>,
}

impl Desktop {
    /// Whether there is a BlueZ to ask.
    ///
    /// # Errors
    /// When there is none, as on a Mac.
    pub fn has_bluetooth(&self) -> Result<(), DesktopError> {
        match self.mac {
            Some(_) => Err(DesktopError::Missing("Bluetooth is told and switched on Linux only")),
            None => self.offers(Service::Bluetooth),
        }
    }

    /// Bluetooth now.
    ///
    /// # Errors
    /// When there is no BlueZ, or the machine has no radio.
    pub async fn bluetooth(&self) -> Result<Bluetooth, DesktopError> {
        self.has_bluetooth()?;
        with_bus(|bus| async move { Ok(state(&objects(&bus).await?)?.0) }).await
    }

    /// Switches every radio of Bluetooth, and waits until they say that they are; how it was before.
    ///
    /// # Errors
    /// When there is no BlueZ or no radio, or one stays as it was: a switch of the machine may hold it (`rfkill`).
    pub async fn set_bluetooth(&self, is_on: bool) -> Result<bool, DesktopError> {
        self.has_bluetooth()?;
        with_bus(|bus| async move {
            let objects = objects(&bus).await?;
            let (before, adapters) = state(&objects)?;
            for adapter in adapters.into_iter().cloned() {
                let adapter = uncached(&bus, Service::Bluetooth.name(), adapter, ADAPTER).await?;
                switch(&adapter, "Powered", is_on).await?;
            }
            Ok(before.is_enabled)
        })
        .await
    }
}

async fn objects(bus: &Connection) -> Result<Objects, DesktopError> {
    let service = Some(Service::Bluetooth.name());
    let manager = Some("org.freedesktop.DBus.ObjectManager");
    let answer = bus.call_method(service, "/", manager, "GetManagedObjects", &()).await.map_err(told)?;
    answer.body().deserialize().map_err(told)
}

/// How it is, and the radios.
fn state(objects: &Objects) -> Result<(Bluetooth, Vec<&OwnedObjectPath>), DesktopError> {
    let of = |interface: &'static str| {
        objects.iter().filter_map(move |(path, interfaces)| {
            let found = interfaces.iter().find(|(name, _)| name.as_str() == interface);
            found.map(|(_, properties)| (path, properties))
        })
    };
    let is = |properties: &HashMap<String, OwnedValue>, name: &str| {
        properties.get(name).and_then(|value| bool::try_from(value).ok()) == Some(true)
    };
    let adapters: Vec<&OwnedObjectPath> = of(ADAPTER).map(|(path, _)| path).collect();
    if adapters.is_empty() {
        return Err(DesktopError::Missing("this machine has no Bluetooth"));
    }
    let connected = of(DEVICE).filter(|(_, properties)| is(properties, "Connected"));
    let name = |properties: &HashMap<String, OwnedValue>| {
        let text = |key: &str| <&str>::try_from(properties.get(key)?).ok().map(plain);
        text("Alias").or_else(|| text("Address"))
    };
    let mut devices: Vec<String> =
        connected.filter_map(|(_, properties)| name(properties)).take(MAX_DEVICES).collect();
    devices.sort();
    let is_enabled = of(ADAPTER).any(|(_, properties)| is(properties, "Powered"));
    Ok((Bluetooth { is_enabled, devices }, adapters))
}
