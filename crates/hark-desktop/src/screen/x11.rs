//! A connection to an X server, and what is asked of it by all that uses one.

use super::{Offers, ScreenError};
use crate::naming::one_line;
use std::time::{Duration, Instant};
use x11rb::connection::{Connection, RequestConnection};
use x11rb::errors::{ConnectError, ConnectionError, ReplyError, ReplyOrIdError};
use x11rb::protocol::xproto::{AtomEnum, ConnectionExt, Window as XWindow};
use x11rb::protocol::xtest;
use x11rb::rust_connection::RustConnection;

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

fn is_set(variable: &str) -> bool {
    std::env::var_os(variable).is_some_and(|value| !value.is_empty())
}

pub(super) fn is_wayland() -> bool {
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
pub struct X11 {
    pub(super) conn: RustConnection,
    pub(super) root: XWindow,
    pub(super) screen: usize,
    pub(super) atoms: Atoms,
}

impl X11 {
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

    /// What this desktop offers.
    ///
    /// # Errors
    /// When the server does not answer.
    pub(super) fn offers(&self) -> Result<Offers, ScreenError> {
        let has_input = self.conn.extension_information(xtest::X11_EXTENSION_NAME)?.is_some();
        Ok(Offers {
            manager: if self.has_manager()? { Ok(()) } else { Err(ScreenError::NoManager) },
            input: if has_input { Ok(()) } else { Err(ScreenError::NoTest) },
            sight: if is_wayland() { Err(ScreenError::Hidden) } else { Ok(()) },
        })
    }

    /// Whether a window manager runs: it names a window of its own, which names itself.
    pub(super) fn has_manager(&self) -> Result<bool, ScreenError> {
        let check = self.atoms._NET_SUPPORTING_WM_CHECK;
        let Some(window) = self.numbers(self.root, check)?.first().copied() else { return Ok(false) };
        // Of a window manager that has ended the window is gone.
        Ok(self.numbers(window, check).is_ok_and(|numbers| numbers.first() == Some(&window)))
    }

    /// A property of 32-bit numbers; none where it is not set.
    pub(super) fn numbers(&self, window: XWindow, property: u32) -> Result<Vec<u32>, ScreenError> {
        let reply = self.conn.get_property(false, window, property, AtomEnum::ANY, 0, 4096)?.reply()?;
        Ok(reply.value32().map(Iterator::collect).unwrap_or_default())
    }

    /// A property of text; empty where it is not set. Control characters become blanks.
    pub(super) fn text(&self, window: XWindow, property: u32) -> Result<String, ScreenError> {
        let reply = self.conn.get_property(false, window, property, AtomEnum::ANY, 0, 1024)?.reply()?;
        let text = if reply.type_ == u32::from(AtomEnum::STRING) {
            reply.value.iter().map(|byte| char::from(*byte)).collect()
        } else {
            String::from_utf8_lossy(&reply.value).into_owned()
        };
        Ok(one_line(&text))
    }

    /// Waits until the server has done all that it was sent.
    pub(super) fn finish(&self) -> Result<(), ScreenError> {
        self.conn.get_input_focus()?.reply()?;
        Ok(())
    }
}

/// Asks every 20 ms whether something is so, for a second at most.
pub(super) fn becomes(mut is_so: impl FnMut() -> Result<bool, ScreenError>) -> Result<bool, ScreenError> {
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
