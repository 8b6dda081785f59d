//! The battery, as UPower tells it (<https://upower.freedesktop.org/docs/Device.html>).

use crate::bus::{Desktop, DesktopError, Service, told, with_bus};
use zbus::{Connection, Proxy};

/// UPower's sum of all batteries of the machine.
const DISPLAY_DEVICE: &str = "/org/freedesktop/UPower/devices/DisplayDevice";
const DEVICE: &str = "org.freedesktop.UPower.Device";
/// Kinds of devices that feed the machine: a battery, an uninterruptible power supply.
const BATTERIES: [u32; 2] = [2, 3];

/// What a battery does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BatteryState {
    /// It is being charged.
    Charging,
    /// The machine runs on it.
    Discharging,
    /// It is full.
    Full,
    /// It is empty.
    Empty,
    /// Neither.
    Unknown,
}

/// The battery of the machine.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Battery {
    /// How full it is.
    pub percent: f64,
    /// What it does.
    pub state: BatteryState,
    /// Seconds until it is empty or full; `None` when that is not known.
    pub seconds_left: Option<u64>,
}

impl Desktop {
    /// The battery now.
    ///
    /// # Errors
    /// When there is none, or no UPower.
    pub async fn battery(&self) -> Result<Battery, DesktopError> {
        if let Some(mac) = &self.mac {
            return Ok(mac.battery().await?);
        }
        self.offers(Service::Power)?;
        with_bus(|bus| async move {
            let device = device(&bus).await?;
            is_battery(&device).await?;
            let percent: f64 = device.get_property("Percentage").await.map_err(told)?;
            let state = match device.get_property::<u32>("State").await.map_err(told)? {
                1 | 5 => BatteryState::Charging,
                2 | 6 => BatteryState::Discharging,
                3 => BatteryState::Empty,
                4 => BatteryState::Full,
                _ => BatteryState::Unknown,
            };
            let property = match state {
                BatteryState::Charging => Some("TimeToFull"),
                BatteryState::Discharging => Some("TimeToEmpty"),
                _ => None,
            };
            let seconds = match property {
                Some(property) => device.get_property::<i64>(property).await.map_err(told)?,
                None => 0,
            };
            if !(0.0..=100.0).contains(&percent) {
                return Err(DesktopError::Failed(format!("{percent} percent")));
            }
            let seconds_left = u64::try_from(seconds).ok().filter(|seconds| *seconds > 0);
            Ok(Battery { percent, state, seconds_left })
        })
        .await
    }
}

async fn device(bus: &Connection) -> Result<Proxy<'static>, DesktopError> {
    Proxy::new(bus, Service::Power.name(), DISPLAY_DEVICE, DEVICE).await.map_err(told)
}

async fn is_battery(device: &Proxy<'_>) -> Result<(), DesktopError> {
    let is_present: bool = device.get_property("IsPresent").await.map_err(told)?;
    let kind: u32 = device.get_property("Type").await.map_err(told)?;
    if is_present && BATTERIES.contains(&kind) { Ok(()) } else { Err(DesktopError::NoBattery) }
}

/// Whether the machine has a battery.
///
/// # Errors
/// When it has none.
pub(crate) async fn is_there(bus: &Connection) -> Result<(), DesktopError> {
    is_battery(&device(bus).await?).await
}
