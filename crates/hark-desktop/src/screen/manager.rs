//! What the window manager is asked to do with windows (EWMH). Each answers only once it is seen to be so.

use super::windows::{Rect, Window};
use super::{ScreenError, X11, becomes};
use x11rb::connection::Connection;
use x11rb::protocol::randr;
use x11rb::protocol::xproto::{
    ClientMessageEvent, ConfigureWindowAux, ConnectionExt, EventMask, Window as XWindow,
};

/// What is asked comes from a person, not from the window's own program.
const BY_A_PERSON: u32 = 2;
/// `WM_CHANGE_STATE`: to be minimised.
const ICONIC: u32 = 3;
/// `_NET_WM_STATE`: takes away, adds.
const REMOVE: u32 = 0;
const ADD: u32 = 1;
/// Place and size are those of the frame's upper left corner.
const NORTH_WEST: u32 = 1;
/// Most that a window may miss what it was asked for: a terminal grows by whole letters, and panels keep their place.
const STEP: u32 = 64;

/// Half of a screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Half {
    /// The left one.
    Left,
    /// The right one.
    Right,
}

impl Half {
    /// This half of an area.
    pub(crate) fn of(self, area: Rect) -> Rect {
        let width = area.width / 2;
        let x = match self {
            Self::Left => area.x,
            Self::Right => area.x.saturating_add(i32::try_from(area.width - width).unwrap_or_default()),
        };
        Rect { x, width, ..area }
    }
}

impl X11 {
    /// Brings a window to the front, where it gets what is typed.
    ///
    /// # Errors
    /// When it does not come.
    pub fn focus(&self, window: &Window) -> Result<Window, ScreenError> {
        self.ask(window.id, self.atoms._NET_ACTIVE_WINDOW, [BY_A_PERSON, 0, 0, 0, 0])?;
        self.seen(window, "it did not come to the front", |now| now.is_focused && !now.is_minimised)
    }

    /// Minimises a window.
    ///
    /// # Errors
    /// When it stays.
    pub fn minimise(&self, window: &Window) -> Result<Window, ScreenError> {
        self.ask(window.id, self.atoms.WM_CHANGE_STATE, [ICONIC, 0, 0, 0, 0])?;
        self.seen(window, "it was not minimised", |now| now.is_minimised)
    }

    /// Lets a window fill the screen.
    ///
    /// # Errors
    /// When it does not.
    pub fn maximise(&self, window: &Window) -> Result<Window, ScreenError> {
        let window = self.focus(window)?;
        self.maximised(&window, ADD)?;
        self.seen(&window, "it did not fill the screen", |now| now.is_maximised)
    }

    /// Puts a window into one half of the screen it is on.
    ///
    /// # Errors
    /// When it does not go there.
    pub fn tile(&self, window: &Window, half: Half) -> Result<Window, ScreenError> {
        self.put(window, half.of(self.area_of(window)?))
    }

    /// The part of the screen a window is on that no panel covers.
    ///
    /// # Errors
    /// When the server does not answer.
    pub fn area_of(&self, window: &Window) -> Result<Rect, ScreenError> {
        let whole = self.whole();
        let desktop = self.numbers(self.root, self.atoms._NET_CURRENT_DESKTOP)?;
        let areas = self.numbers(self.root, self.atoms._NET_WORKAREA)?;
        let at = desktop.first().map_or(0, |desktop| *desktop as usize * 4);
        let free = match areas.get(at..at + 4).or(areas.get(..4)) {
            Some([x, y, width, height]) => {
                let signed = |number: u32| i32::try_from(number).unwrap_or_default();
                Rect { x: signed(*x), y: signed(*y), width: *width, height: *height }
            }
            _ => whole,
        };
        let (x, y) = window.place.middle();
        let point = Rect { x, y, width: 1, height: 1 };
        let monitors = self.monitors()?;
        let here = monitors.iter().find(|monitor| monitor.common(point).is_some()).or(monitors.first());
        Ok(here.and_then(|monitor| monitor.common(free)).unwrap_or(free))
    }

    /// The whole of the screen.
    pub(super) fn whole(&self) -> Rect {
        let screen = &self.conn.setup().roots[self.screen];
        let (width, height) = (screen.width_in_pixels.into(), screen.height_in_pixels.into());
        Rect { x: 0, y: 0, width, height }
    }

    /// Every monitor, the primary one first; none where the server has no RandR 1.5.
    fn monitors(&self) -> Result<Vec<Rect>, ScreenError> {
        use x11rb::connection::RequestConnection;
        use x11rb::protocol::randr::ConnectionExt as _;
        if self.conn.extension_information(randr::X11_EXTENSION_NAME)?.is_none() {
            return Ok(Vec::new());
        }
        let version = self.conn.randr_query_version(1, 5)?.reply()?;
        if (version.major_version, version.minor_version) < (1, 5) {
            return Ok(Vec::new());
        }
        let mut monitors = self.conn.randr_get_monitors(self.root, true)?.reply()?.monitors;
        monitors.sort_by_key(|monitor| !monitor.primary);
        let place = |monitor: &randr::MonitorInfo| Rect {
            x: monitor.x.into(),
            y: monitor.y.into(),
            width: monitor.width.into(),
            height: monitor.height.into(),
        };
        Ok(monitors.iter().map(place).collect())
    }

    /// Asks a program to close a window of it; whether the program takes such requests. It may ask its person first.
    ///
    /// # Errors
    /// When the server does not answer.
    pub fn close(&self, window: &Window) -> Result<bool, ScreenError> {
        let delete = self.atoms.WM_DELETE_WINDOW;
        if !self.numbers(window.id, self.atoms.WM_PROTOCOLS)?.contains(&delete) {
            return Ok(false);
        }
        let message = ClientMessageEvent::new(
            32,
            window.id,
            self.atoms.WM_PROTOCOLS,
            [delete, x11rb::CURRENT_TIME, 0, 0, 0],
        );
        self.conn.send_event(false, window.id, EventMask::NO_EVENT, message)?.check()?;
        Ok(true)
    }

    /// Gives a window place and size, with its frame, whatever filled the screen before.
    ///
    /// # Errors
    /// When it does not take them.
    pub fn put(&self, window: &Window, wanted: Rect) -> Result<Window, ScreenError> {
        let window = if window.is_minimised { self.focus(window)? } else { window.clone() };
        if window.is_maximised {
            self.maximised(&window, REMOVE)?;
            self.seen(&window, "it still fills the screen", |now| !now.is_maximised)?;
        }
        let [left, right, top, bottom] = self.frame(window.id)?;
        let (width, height) = (
            wanted.width.saturating_sub(left + right).max(1),
            wanted.height.saturating_sub(top + bottom).max(1),
        );
        if self.numbers(self.root, self.atoms._NET_SUPPORTED)?.contains(&self.atoms._NET_MOVERESIZE_WINDOW) {
            let all_four = 0b1111 << 8;
            let flags = NORTH_WEST | all_four | BY_A_PERSON << 12;
            // Numbers below zero travel as their two's complement.
            let (x, y) = (wanted.x.cast_unsigned(), wanted.y.cast_unsigned());
            self.ask(window.id, self.atoms._NET_MOVERESIZE_WINDOW, [flags, x, y, width, height])?;
        } else {
            let place = ConfigureWindowAux::new().x(wanted.x).y(wanted.y).width(width).height(height);
            self.conn.configure_window(window.id, &place)?.check()?;
        }
        self.settled(&window, wanted)
    }

    /// The window once it stays where it was put; an error when that is elsewhere.
    fn settled(&self, window: &Window, wanted: Rect) -> Result<Window, ScreenError> {
        let is_there = |at: Rect| {
            at.x.abs_diff(wanted.x) <= STEP
                && at.y.abs_diff(wanted.y) <= STEP
                && at.width.abs_diff(wanted.width) <= STEP
                && at.height.abs_diff(wanted.height) <= STEP
        };
        // A window that is moved first and made larger a moment later rests on the way.
        let mut last = None;
        self.seen(window, "it did not go where it was put", |now| {
            last.replace(now.place) == Some(now.place) && is_there(now.place)
        })
    }

    fn maximised(&self, window: &Window, how: u32) -> Result<(), ScreenError> {
        let atoms = &self.atoms;
        let both = [atoms._NET_WM_STATE_MAXIMIZED_HORZ, atoms._NET_WM_STATE_MAXIMIZED_VERT];
        self.ask(window.id, atoms._NET_WM_STATE, [how, both[0], both[1], BY_A_PERSON, 0])?;
        if how == REMOVE {
            let full = atoms._NET_WM_STATE_FULLSCREEN;
            self.ask(window.id, atoms._NET_WM_STATE, [how, full, 0, BY_A_PERSON, 0])?;
        }
        Ok(())
    }

    /// Sends the window manager what it is asked.
    fn ask(&self, window: XWindow, what: u32, with: [u32; 5]) -> Result<(), ScreenError> {
        let message = ClientMessageEvent::new(32, window, what, with);
        let to = EventMask::SUBSTRUCTURE_REDIRECT | EventMask::SUBSTRUCTURE_NOTIFY;
        Ok(self.conn.send_event(false, self.root, to, message)?.check()?)
    }

    /// The window once it is so; an error when that does not come.
    fn seen(
        &self,
        window: &Window,
        not: &str,
        mut is_so: impl FnMut(&Window) -> bool,
    ) -> Result<Window, ScreenError> {
        let mut now = self.again(window)?;
        let came = becomes(|| {
            now = self.again(window)?;
            Ok(is_so(&now))
        })?;
        if came { Ok(now) } else { Err(ScreenError::NotDone(not.to_owned())) }
    }
}
