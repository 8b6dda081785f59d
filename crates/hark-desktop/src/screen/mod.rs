//! The screen of an X11 desktop (XWayland too): its windows, keys and pointer, and what is to be seen on it.
//!
//! Every call opens a connection of its own and may wait for the X server; call it where waiting is allowed.

mod capture;
mod input;
mod keyboard;
mod keys;
mod manager;
mod windows;

pub use capture::{Capture, MAX_SIDE};
pub use input::{Button, Direction};
pub use keys::Key;
pub use manager::Half;
pub use windows::{Rect, Window};

use std::sync::Mutex;
use std::sync::mpsc;
use std::time::{Duration, Instant};
use x11rb::connection::{Connection, RequestConnection};
use x11rb::errors::{ConnectError, ConnectionError, ReplyError, ReplyOrIdError};
use x11rb::protocol::xproto::{AtomEnum, ConnectionExt, Window as XWindow};
use x11rb::protocol::xtest;
use x11rb::rust_connection::RustConnection;

/// Time it may take to find out what the screen offers.
const LOOK_TIMEOUT: Duration = Duration::from_secs(1);
/// How long what was found out counts.
const KNOWN_FOR: Duration = Duration::from_secs(5);

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
    /// The window manager or the program did not do it.
    #[error("{0}")]
    NotDone(String),
    /// The X server answered with an error, or with something else than it should.
    #[error("the X server answered: {0}")]
    Failed(String),
    /// It did not answer.
    #[error("the X server did not answer in time")]
    Timeout,
}

impl ScreenError {
    /// What to do about it, where the machine is to be set up for it.
    pub fn fix(&self) -> Option<&'static str> {
        match self {
            Self::NoDisplay(_) => {
                Some("run Hark in the desktop's session (systemd/user), or name its display in DISPLAY")
            }
            Self::Wayland => Some("install xwayland, or choose a session of X11 when you log in"),
            Self::Hidden => Some("choose a session of X11 when you log in"),
            Self::NoManager => Some("start a window manager on this display, such as openbox"),
            Self::NoTest => Some("start the X server with its extension XTEST"),
            _ => None,
        }
    }
}

macro_rules! failed {
    ($($error:ty),+) => {
        $(impl From<$error> for ScreenError {
            fn from(error: $error) -> Self {
                Self::Failed(error.to_string())
            }
        })+
    };
}
failed!(ConnectionError, ReplyError, ReplyOrIdError);

/// What the screen offers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Offers {
    manager: bool,
    input: bool,
}

/// The screen of this machine; what it offers is looked up again after some time.
#[derive(Debug, Default)]
pub struct Screen {
    known: Mutex<Option<(Instant, Result<Offers, ScreenError>)>>,
}

impl Screen {
    /// Whether there is a desktop of X11. May wait for a second.
    ///
    /// # Errors
    /// When there is none.
    pub fn is_there(&self) -> Result<(), ScreenError> {
        self.offers().map(|_| ())
    }

    /// Whether its windows can be moved.
    ///
    /// # Errors
    /// When there is no desktop, or no window manager.
    pub fn has_manager(&self) -> Result<(), ScreenError> {
        if self.offers()?.manager { Ok(()) } else { Err(ScreenError::NoManager) }
    }

    /// Whether keys can be pressed on it.
    ///
    /// # Errors
    /// When there is no desktop, or its server has no XTEST.
    pub fn has_input(&self) -> Result<(), ScreenError> {
        if self.offers()?.input { Ok(()) } else { Err(ScreenError::NoTest) }
    }

    /// Whether it can be seen what is on it.
    ///
    /// # Errors
    /// When there is no desktop, or it is a Wayland one.
    pub fn can_be_seen(&self) -> Result<(), ScreenError> {
        self.is_there()?;
        if is_wayland() { Err(ScreenError::Hidden) } else { Ok(()) }
    }

    fn offers(&self) -> Result<Offers, ScreenError> {
        let mut known = self.known.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let fresh = known.as_ref().filter(|(at, _)| at.elapsed() < KNOWN_FOR);
        let offers = fresh.map_or_else(look, |(_, offers)| offers.clone());
        if fresh.is_none() {
            *known = Some((Instant::now(), offers.clone()));
        }
        offers
    }
}

/// What the screen offers. On a thread of its own: a server that hangs must not hold up who asks.
fn look() -> Result<Offers, ScreenError> {
    let (sender, receiver) = mpsc::channel();
    let ask = move || {
        let offers = Display::open().and_then(|display| {
            let input = display.conn.extension_information(xtest::X11_EXTENSION_NAME)?.is_some();
            Ok(Offers { manager: display.has_manager()?, input })
        });
        // Who asked may have given up.
        let _ = sender.send(offers);
    };
    let thread = std::thread::Builder::new().name("hark-screen".into()).spawn(ask);
    thread.map_err(|error| ScreenError::Failed(error.to_string()))?;
    receiver.recv_timeout(LOOK_TIMEOUT).unwrap_or(Err(ScreenError::Timeout))
}

fn is_set(variable: &str) -> bool {
    std::env::var_os(variable).is_some_and(|value| !value.is_empty())
}

fn is_wayland() -> bool {
    is_set("WAYLAND_DISPLAY")
}

x11rb::atom_manager! {
    /// Names that are asked for, of ICCCM and EWMH.
    pub(crate) Atoms: AtomsCookie {
        UTF8_STRING,
        WM_CHANGE_STATE,
        WM_DELETE_WINDOW,
        WM_PROTOCOLS,
        WM_STATE,
        _NET_ACTIVE_WINDOW,
        _NET_CLIENT_LIST,
        _NET_CLIENT_LIST_STACKING,
        _NET_CURRENT_DESKTOP,
        _NET_FRAME_EXTENTS,
        _NET_MOVERESIZE_WINDOW,
        _NET_SUPPORTED,
        _NET_SUPPORTING_WM_CHECK,
        _NET_WM_NAME,
        _NET_WM_PID,
        _NET_WM_STATE,
        _NET_WM_STATE_FULLSCREEN,
        _NET_WM_STATE_HIDDEN,
        _NET_WM_STATE_MAXIMIZED_HORZ,
        _NET_WM_STATE_MAXIMIZED_VERT,
        _NET_WM_STATE_SKIP_TASKBAR,
        _NET_WM_WINDOW_TYPE,
        _NET_WM_WINDOW_TYPE_DESKTOP,
        _NET_WM_WINDOW_TYPE_DOCK,
        _NET_WORKAREA,
    }
}

/// A connection to the X server.
pub struct Display {
    conn: RustConnection,
    root: XWindow,
    screen: usize,
    atoms: Atoms,
}

impl Display {
    /// Connects to the desktop that `DISPLAY` names.
    ///
    /// # Errors
    /// When there is none, or it refuses.
    pub fn open() -> Result<Self, ScreenError> {
        if !is_set("DISPLAY") {
            let none = || ScreenError::NoDisplay("DISPLAY is not set".into());
            return Err(if is_wayland() { ScreenError::Wayland } else { none() });
        }
        let refused = |error: ConnectError| ScreenError::NoDisplay(error.to_string());
        let (conn, screen) = RustConnection::connect(None).map_err(refused)?;
        let root = conn.setup().roots[screen].root;
        let atoms = Atoms::new(&conn)?.reply()?;
        Ok(Self { conn, root, screen, atoms })
    }

    /// Whether a window manager runs: it names a window of its own, which names itself.
    fn has_manager(&self) -> Result<bool, ScreenError> {
        let check = self.atoms._NET_SUPPORTING_WM_CHECK;
        let Some(window) = self.numbers(self.root, check)?.first().copied() else { return Ok(false) };
        // Of a window manager that has ended the window is gone.
        Ok(self.numbers(window, check).is_ok_and(|numbers| numbers.first() == Some(&window)))
    }

    /// A property of 32-bit numbers; none where it is not set.
    fn numbers(&self, window: XWindow, property: u32) -> Result<Vec<u32>, ScreenError> {
        let reply = self.conn.get_property(false, window, property, AtomEnum::ANY, 0, 4096)?.reply()?;
        Ok(reply.value32().map(Iterator::collect).unwrap_or_default())
    }

    /// A property of text; empty where it is not set. Control characters become blanks.
    fn text(&self, window: XWindow, property: u32) -> Result<String, ScreenError> {
        let reply = self.conn.get_property(false, window, property, AtomEnum::ANY, 0, 1024)?.reply()?;
        let text = if reply.type_ == u32::from(AtomEnum::STRING) {
            reply.value.iter().map(|byte| char::from(*byte)).collect()
        } else {
            String::from_utf8_lossy(&reply.value).into_owned()
        };
        Ok(text.replace(char::is_control, " ").trim().to_owned())
    }

    /// Waits until the server has done all that it was sent.
    fn finish(&self) -> Result<(), ScreenError> {
        self.conn.get_input_focus()?.reply()?;
        Ok(())
    }
}

/// Asks every 20 ms whether something is so, for a second at most.
fn becomes(mut is_so: impl FnMut() -> Result<bool, ScreenError>) -> Result<bool, ScreenError> {
    let began = Instant::now();
    loop {
        if is_so()? {
            return Ok(true);
        }
        if began.elapsed() > Duration::from_secs(1) {
            return Ok(false);
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}
