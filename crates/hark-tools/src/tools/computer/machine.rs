//! `system.*`: the machine's battery, Wi-Fi, Bluetooth, screen lock and sleep, over D-Bus; on a Mac by its programs.

use crate::tools::args::Args;
use crate::tools::outcome::{Failure, Outcome, Prepared};
use crate::tools::services::Services;
use hark_core::tool::{
    error_code,
    reason::{self, Part},
};
use hark_desktop::{BatteryState, DesktopError, Service};
use hark_home::permission_gate::{Danger, RADIO, SUSPEND};
use serde_json::json;
use std::sync::Arc;

/// Whether there is a battery, and UPower to tell of it.
pub fn has_battery(services: &Services) -> Result<(), Failure> {
    Ok(services.desktop.has_battery()?)
}

/// Whether NetworkManager is there.
pub fn has_network(services: &Services) -> Result<(), Failure> {
    Ok(services.desktop.offers(Service::Network)?)
}

/// Whether BlueZ is there.
pub fn has_bluetooth(services: &Services) -> Result<(), Failure> {
    Ok(services.desktop.has_bluetooth()?)
}

/// Whether there is a screen to lock, and logind to do it.
pub fn may_lock(services: &Services) -> Result<(), Failure> {
    Ok(services.desktop.may_lock()?)
}

/// Whether logind may be asked to let the machine sleep.
pub fn may_sleep(services: &Services) -> Result<(), Failure> {
    Ok(services.desktop.may_sleep()?)
}

/// `system.battery`.
pub fn battery(services: &Arc<Services>, _args: &Args) -> Result<Prepared, Failure> {
    let desktop = Arc::clone(&services.desktop);
    Ok(Prepared::Work(Box::pin(async move {
        let battery = desktop.battery().await?;
        let state = match battery.state {
            BatteryState::Charging => "charging",
            BatteryState::Discharging => "discharging",
            BatteryState::Full => "full",
            BatteryState::Empty => "empty",
            BatteryState::Unknown => "unknown",
        };
        // Between 0 and 100, as it was checked.
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        let percent = battery.percent.round() as u8;
        let mut detail = json!({"percent": percent, "state": state});
        if let Some(seconds) = battery.seconds_left {
            detail["hours"] = json!(seconds / 3600);
            detail["minutes"] = json!(seconds / 60 % 60);
        }
        Ok(Outcome::answer(detail))
    })))
}

/// `system.wifi`.
pub fn wifi(services: &Arc<Services>, _args: &Args) -> Result<Prepared, Failure> {
    let desktop = Arc::clone(&services.desktop);
    Ok(Prepared::Work(Box::pin(async move {
        let wifi = desktop.wifi().await?;
        let mut detail = json!({"enabled": wifi.is_enabled, "connected": wifi.network.is_some()});
        if let Some((name, strength)) = wifi.network {
            detail["network"] = json!(name);
            if let Some(strength) = strength {
                detail["strength"] = json!(strength);
            }
        }
        Ok(Outcome::answer(detail))
    })))
}

/// `system.set_wifi`. Asked about: what is told to Hark over the network does not arrive any more.
pub fn set_wifi(services: &Arc<Services>, args: &Args) -> Result<Prepared, Failure> {
    let (desktop, is_on) = (Arc::clone(&services.desktop), args.flag("on") != Some(false));
    let work = Box::pin(async move { desktop.set_wifi(is_on).await });
    Ok(switched("system.set_wifi", "Wi-Fi", is_on, work))
}

/// `system.bluetooth`.
pub fn bluetooth(services: &Arc<Services>, _args: &Args) -> Result<Prepared, Failure> {
    let desktop = Arc::clone(&services.desktop);
    Ok(Prepared::Work(Box::pin(async move {
        let state = desktop.bluetooth().await?;
        let detail =
            json!({"enabled": state.is_enabled, "count": state.devices.len(), "devices": state.devices});
        Ok(Outcome::answer(detail))
    })))
}

/// `system.set_bluetooth`. Asked about: keyboards, headphones and things of the home may hang on it.
pub fn set_bluetooth(services: &Arc<Services>, args: &Args) -> Result<Prepared, Failure> {
    let (desktop, is_on) = (Arc::clone(&services.desktop), args.flag("on") != Some(false));
    let work = Box::pin(async move { desktop.set_bluetooth(is_on).await });
    Ok(switched("system.set_bluetooth", "Bluetooth", is_on, work))
}

/// Switching a radio, which answers how it was before.
fn switched(
    tool: &str,
    radio: &str,
    is_on: bool,
    work: impl Future<Output = Result<bool, DesktopError>> + Send + 'static,
) -> Prepared {
    let name = format!("{radio} of this computer {}", if is_on { "on" } else { "off" });
    let danger = Danger::new(RADIO, tool, name).told("radio", json!({"radio": radio, "on": is_on}));
    let work = Box::pin(async move {
        let was_on = work.await?;
        Ok(Outcome::new(was_on != is_on, json!({"on": is_on})))
    });
    Prepared::Gated(danger, work)
}

/// `system.lock`.
pub fn lock(services: &Arc<Services>, _args: &Args) -> Result<Prepared, Failure> {
    let desktop = Arc::clone(&services.desktop);
    Ok(Prepared::Work(Box::pin(async move {
        let locked = desktop.lock().await?;
        Ok(Outcome::new(!locked.were_locked, json!({"count": locked.count})))
    })))
}

/// `system.sleep`. Asked about: Hark sleeps with the machine.
pub fn sleep(services: &Arc<Services>, _args: &Args) -> Result<Prepared, Failure> {
    let desktop = Arc::clone(&services.desktop);
    let danger = Danger::new(SUSPEND, "system.sleep", "computer").told("computer", json!({}));
    let work = Box::pin(async move {
        desktop.suspend().await?;
        Ok(Outcome::new(true, json!({})))
    });
    Ok(Prepared::Gated(danger, work))
}

/// `location.get`.
pub fn location(services: &Arc<Services>, _args: &Args) -> Result<Prepared, Failure> {
    use hark_core::ports::HomeView;
    if let Some(location) = &services.home.registry().home().location {
        let (latitude, longitude) = (location.latitude, location.longitude);
        let detail = json!({"latitude": latitude, "longitude": longitude, "source": "home"});
        return Ok(Prepared::Answer(Outcome::answer(detail)));
    }
    let desktop = Arc::clone(&services.desktop);
    Ok(Prepared::Work(Box::pin(async move {
        let position = desktop.position().await.map_err(|error| {
            let why =
                format!("it is not written down where this home is, and this machine does not tell: {error}");
            let mut fix = "write [location] with latitude and longitude into the home's file".to_owned();
            match error {
                DesktopError::NoService(service) => fix += &format!(", or {}", service.fix()),
                DesktopError::Denied(_) => {
                    fix += ", or allow it in /etc/geoclue/geoclue.conf: [hark] allowed=true"
                }
                _ => {}
            }
            Failure::not_set_up(Part::Location, why).fix(fix)
        })?;
        Ok(Outcome::answer(json!({
            "latitude": position.latitude, "longitude": position.longitude, "source": "machine",
            "accuracy_metres": position.accuracy_metres,
        })))
    })))
}

impl From<DesktopError> for Failure {
    fn from(error: DesktopError) -> Self {
        let message = error.to_string();
        let failure = |code| Self::new(code, message.clone());
        match error {
            DesktopError::NoBus(_) => failure(error_code::NOT_CONFIGURED).because(reason::NO_SYSTEM_BUS).fix(
                "run Hark where the system's D-Bus is (/run/dbus/system_bus_socket), and not in a container",
            ),
            DesktopError::NoSession(_) => failure(error_code::NOT_CONFIGURED).because(reason::NO_SESSION).fix(
                "run Hark in the desktop's session (systemd/user), or name its bus in DBUS_SESSION_BUS_ADDRESS",
            ),
            DesktopError::NoService(service) => failure(error_code::NOT_CONFIGURED)
                .because(reason::NO_SERVICE)
                .with("program", json!(service.title()))
                .fix(service.fix()),
            DesktopError::Missing(_) => failure(error_code::UNSUPPORTED),
            DesktopError::NothingPlays => failure(error_code::UNSUPPORTED).because(reason::NOTHING_PLAYS),
            DesktopError::NoBattery => failure(error_code::UNSUPPORTED).because(reason::NO_BATTERY),
            DesktopError::CannotSleep => failure(error_code::UNSUPPORTED).because(reason::CANNOT_SLEEP),
            DesktopError::NobodyThere => failure(error_code::UNSUPPORTED)
                .because(reason::NOBODY_AT_SCREEN)
                .fix("log in at the screen of this machine"),
            DesktopError::NotLocked => failure(error_code::FAILED).because(reason::NOT_LOCKED).fix(
                "use a screen locker that tells logind when it has locked (SetLockedHint), as those of GNOME and KDE do",
            ),
            // Not `forbidden`: no permission of Hark's owner says so, and the machine can be told otherwise.
            DesktopError::Denied(_) => failure(error_code::NOT_CONFIGURED).because(reason::MACHINE_DENIES).fix(
                "allow it to the user Hark runs as, by a rule of polkit (org.freedesktop.login1, org.freedesktop.NetworkManager)",
            ),
            DesktopError::Failed(_) => failure(error_code::FAILED).because(reason::MACHINE_FAILED),
            DesktopError::Timeout => failure(error_code::TIMEOUT),
            DesktopError::Mac(error) => error.into(),
        }
    }
}
