//! What the machine itself offers over the system's D-Bus: its battery (UPower), its Wi-Fi (NetworkManager), Bluetooth
//! (BlueZ), where it is (GeoClue), locking its screen and letting it sleep (logind); and over the session's: what plays (MPRIS), notifications. Over X11: its windows, keys and
//! pointer, and what is to be seen on the screen (`screen`); and its programs (`apps`). `hark-tools` calls it. The error for a missing service says how to
//! install or start it. On a Mac the same is served by the programs of macOS ([`macos`]).
//!
//! ```
//! use hark_desktop::Service;
//!
//! assert_eq!(Service::Power.name(), "org.freedesktop.UPower");
//! ```

pub mod apps;
mod bluetooth;
mod bus;
mod granted;
mod grants;
pub mod macos;
mod naming;
mod notifications;
mod players;
mod position;
mod power;
pub mod screen;
mod session;
mod unit;
mod wifi;

pub use bluetooth::Bluetooth;
pub use bus::{Desktop, DesktopError, Service};
pub use granted::{Grant, Grants};
pub use players::{Player, PlayerCommand};
pub use position::Position;
pub use power::{Battery, BatteryState};
pub use session::Locked;
pub use wifi::Wifi;
