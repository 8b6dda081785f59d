//! What the machine itself offers over the system's D-Bus: its battery (UPower), its Wi-Fi (NetworkManager), locking its
//! screen and letting it sleep (logind). `hark-tools` calls it. The error for a missing service says how to
//! install or start it.
//!
//! ```
//! use hark_desktop::Service;
//!
//! assert_eq!(Service::Power.name(), "org.freedesktop.UPower");
//! ```

mod bus;
mod power;
mod session;
mod wifi;

pub use bus::{Desktop, DesktopError, Service};
pub use power::{Battery, BatteryState};
pub use wifi::Wifi;
