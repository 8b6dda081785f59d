//! The screen of this machine: its windows, keys and pointer, and what is to be seen on it. That of an X11 desktop (XWayland
//! too), or of a Mac ([`Display`]).
//!
//! Every call opens a connection of its own, or starts programs, and may wait for them; call it where waiting is allowed.

mod capture;
mod display;
mod input;
mod keyboard;
mod keys;
mod manager;
mod portal;
mod windows;
mod x11;

pub use capture::{Capture, MAX_SIDE};
pub use display::Display;
pub use input::{Button, Direction};
pub use keys::Key;
pub use manager::Half;
pub use windows::{Rect, Window};
pub use x11::X11;

use crate::macos::{Mac, MacError, Privacy};
use std::sync::Mutex;
use std::sync::mpsc;
use std::time::{Duration, Instant};
use x11::{becomes, is_wayland};

/// Time it may take to find out what the screen offers: of the X server, and of the portal.
const LOOK_TIMEOUT: Duration = Duration::from_secs(2);
/// The same on a Mac, where a script has to be started for it.
const MAC_LOOK_TIMEOUT: Duration = Duration::from_secs(5);
/// How long what was found out counts.
const KNOWN_FOR: Duration = Duration::from_secs(5);
/// The same on a Mac, where rights only change when Hark is started anew.
const MAC_KNOWN_FOR: Duration = Duration::from_secs(30);

/// Why something of the screen cannot be told or done.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ScreenError {
    /// No X11 desktop can be reached.
    #[error("no desktop of X11 can be reached: {0}")]
    NoDisplay(String),
    /// The desktop is Wayland, and has no XWayland.
    #[error("this desktop is Wayland without XWayland, which lets no program have a hand in others")]
    Wayland,
    /// The desktop is Wayland, where only the compositor knows what is to be seen.
    #[error("this desktop is Wayland, which does not show the screen to programs of X11")]
    Hidden,
    /// No window manager runs that can be asked (EWMH).
    #[error("no window manager runs on this desktop that can be asked")]
    NoManager,
    /// The X server has no XTEST.
    #[error("this X server lets no program press keys (it has no XTEST)")]
    NoTest,
    /// No window has such a name.
    #[error("no window is called {0}")]
    NotFound(String),
    /// Windows of several programs have such a name.
    #[error("several windows could be meant: {}", .0.join(", "))]
    Ambiguous(Vec<String>),
    /// No window is in front.
    #[error("no window is in front")]
    NoneFocused,
    /// There is no key of this name.
    #[error("there is no key called {0}")]
    NoKey(String),
    /// No key is free for a character that the keyboard does not have.
    #[error("the keyboard has no {0:?}, and no key is free for it")]
    NoFreeKey(char),
    /// A window was asked to close and is still there.
    #[error("{0} was asked to close and is still open")]
    StillOpen(String),
    /// The window manager or the program did not do it.
    #[error("{0}")]
    NotDone(String),
    /// The X server answered with an error, or with something else than it should.
    #[error("the X server answered: {0}")]
    Failed(String),
    /// It did not answer.
    #[error("the desktop did not answer in time")]
    Timeout,
    /// macOS did not do it.
    #[error(transparent)]
    Mac(MacError),
}

impl ScreenError {
    /// What to do about it, where the machine is to be set up for it.
    pub fn fix(&self) -> Option<&'static str> {
        match self {
            Self::NoDisplay(_) => {
                Some("run Hark in the desktop's session (systemd/user), or name its display in DISPLAY")
            }
            Self::Wayland => Some("install xwayland, or choose a session of X11 when you log in"),
            Self::Hidden => Some(
                "install xdg-desktop-portal with the part for your desktop, or choose a session of X11 when you log in",
            ),
            Self::NoManager => Some("start a window manager on this display, such as openbox"),
            Self::NoTest => Some("start the X server with its extension XTEST"),
            Self::Mac(error) => error.fix(),
            _ => None,
        }
    }
}

impl From<MacError> for ScreenError {
    fn from(error: MacError) -> Self {
        match error {
            MacError::Timeout(_) => Self::Timeout,
            error => Self::Mac(error),
        }
    }
}

/// What the screen offers, and why not.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Offers {
    manager: Result<(), ScreenError>,
    input: Result<(), ScreenError>,
    sight: Result<(), ScreenError>,
}

/// The screen of this machine; what it offers is looked up again after some time.
#[derive(Debug, Default)]
pub struct Screen {
    known: Mutex<Option<(Instant, Result<Offers, ScreenError>)>>,
}

impl Screen {
    /// Whether there is a desktop. May wait for a second, on a Mac for some.
    ///
    /// # Errors
    /// When there is none.
    pub fn is_there(&self) -> Result<(), ScreenError> {
        self.offers().map(|_| ())
    }

    /// Whether its windows can be moved.
    ///
    /// # Errors
    /// When there is no desktop, no window manager, or macOS does not allow it.
    pub fn has_manager(&self) -> Result<(), ScreenError> {
        self.offers()?.manager
    }

    /// Whether keys can be pressed on it.
    ///
    /// # Errors
    /// When there is no desktop, its server has no XTEST, or macOS does not allow it.
    pub fn has_input(&self) -> Result<(), ScreenError> {
        self.offers()?.input
    }

    /// Whether it can be seen what is on it.
    ///
    /// # Errors
    /// When there is no desktop, it is a Wayland one without a portal for that, or macOS does not allow it.
    pub fn can_be_seen(&self) -> Result<(), ScreenError> {
        self.offers()?.sight
    }

    fn offers(&self) -> Result<Offers, ScreenError> {
        let mut known = self.known.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let known_for = if Mac::here().is_some() { MAC_KNOWN_FOR } else { KNOWN_FOR };
        let fresh = known.as_ref().filter(|(at, _)| at.elapsed() < known_for);
        let offers = fresh.map_or_else(look, |(_, offers)| offers.clone());
        if fresh.is_none() {
            *known = Some((Instant::now(), offers.clone()));
        }
        offers
    }
}

/// A picture of the whole screen of this machine: under Wayland as its portal shows it, which may ask who sits there first.
///
/// # Errors
/// Where there is no screen, or it is not shown.
pub fn picture() -> Result<Capture, ScreenError> {
    if Mac::here().is_none() && is_wayland() {
        return portal::screenshot();
    }
    Display::open()?.capture(None)
}

/// What the screen offers. On a thread of its own: a server that hangs must not hold up who asks.
fn look() -> Result<Offers, ScreenError> {
    let (sender, receiver) = mpsc::channel();
    let ask = move || {
        let offers = Display::open().and_then(|display| match display {
            Display::X11(x11) => x11.offers(),
            Display::Mac(mac) => of_mac(&mac),
        });
        let offers = match offers {
            Ok(offers) if offers.sight == Err(ScreenError::Hidden) && portal::is_there() => {
                Ok(Offers { sight: Ok(()), ..offers })
            }
            Err(ScreenError::Wayland) if portal::is_there() => Ok(Offers {
                manager: Err(ScreenError::Wayland),
                input: Err(ScreenError::Wayland),
                sight: Ok(()),
            }),
            offers => offers,
        };
        // Who asked may have given up.
        let _ = sender.send(offers);
    };
    let thread = std::thread::Builder::new().name("hark-screen".into()).spawn(ask);
    thread.map_err(|error| ScreenError::Failed(error.to_string()))?;
    let limit = if Mac::here().is_some() { MAC_LOOK_TIMEOUT } else { LOOK_TIMEOUT };
    receiver.recv_timeout(limit).unwrap_or(Err(ScreenError::Timeout))
}

/// What macOS lets Hark do with the screen.
fn of_mac(mac: &Mac) -> Result<Offers, ScreenError> {
    mac.has_session()?;
    let rights = mac.rights()?;
    let granted = |is_granted: bool, privacy: Privacy| {
        if is_granted { Ok(()) } else { Err(ScreenError::Mac(MacError::NotGranted(privacy))) }
    };
    Ok(Offers {
        manager: granted(rights.accessibility, Privacy::Accessibility),
        input: granted(rights.accessibility, Privacy::Accessibility),
        sight: granted(rights.screen, Privacy::ScreenRecording),
    })
}
