//! The windows of the desktop: which there are, and which one a name means.

use super::{ScreenError, X11};
use crate::naming::one_line;
use x11rb::protocol::xproto::{AtomEnum, ConnectionExt, Window as XWindow};

/// `WM_STATE` of a window that is minimised (ICCCM 4.1.3.1).
const ICONIC: u32 = 3;

/// A place on the screen, pixels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Rect {
    /// From the left edge.
    pub x: i32,
    /// From the upper edge.
    pub y: i32,
    /// Width.
    pub width: u32,
    /// Height.
    pub height: u32,
}

impl Rect {
    /// What both have.
    pub fn common(self, other: Self) -> Option<Self> {
        let right = |rect: Self| i64::from(rect.x) + i64::from(rect.width);
        let below = |rect: Self| i64::from(rect.y) + i64::from(rect.height);
        let (x, y) = (self.x.max(other.x), self.y.max(other.y));
        let width = u32::try_from(right(self).min(right(other)) - i64::from(x)).ok()?;
        let height = u32::try_from(below(self).min(below(other)) - i64::from(y)).ok()?;
        (width > 0 && height > 0).then_some(Self { x, y, width, height })
    }

    /// Its middle.
    pub fn middle(self) -> (i32, i32) {
        let half = |side: u32| i32::try_from(side / 2).unwrap_or(i32::MAX);
        (self.x.saturating_add(half(self.width)), self.y.saturating_add(half(self.height)))
    }
}

/// A window that a person sees as one. Its words are its program's: text from outside.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Window {
    /// Its number on the X server; on a Mac one of its process and place.
    pub id: u32,
    /// What stands in its title bar.
    pub title: String,
    /// Its program, as the program calls itself (the class of `WM_CLASS`; on a Mac the name of the process).
    pub class: String,
    /// The name its program was started by (the instance of `WM_CLASS`; on a Mac the identifier of the bundle).
    pub instance: String,
    /// The process, where it tells.
    pub pid: Option<u32>,
    /// Where it is, with its frame.
    pub place: Rect,
    /// It gets what is typed.
    pub is_focused: bool,
    /// It is minimised.
    pub is_minimised: bool,
    /// It fills the screen.
    pub is_maximised: bool,
}

impl X11 {
    /// Every window, the uppermost first.
    ///
    /// # Errors
    /// When there is no window manager, or the server does not answer.
    pub fn windows(&self) -> Result<Vec<Window>, ScreenError> {
        if !self.has_manager()? {
            return Err(ScreenError::NoManager);
        }
        let mut ids = self.numbers(self.root, self.atoms._NET_CLIENT_LIST_STACKING)?;
        if ids.is_empty() {
            ids = self.numbers(self.root, self.atoms._NET_CLIENT_LIST)?;
        }
        let active = self.active()?;
        // A window may go while they are looked at.
        let shown = ids.iter().rev().filter_map(|id| self.window(*id, active).ok().flatten());
        Ok(shown.collect())
    }

    /// The number of the window in front; 0: none.
    pub(super) fn active(&self) -> Result<XWindow, ScreenError> {
        Ok(self.numbers(self.root, self.atoms._NET_ACTIVE_WINDOW)?.first().copied().unwrap_or_default())
    }

    /// A window as it is now.
    ///
    /// # Errors
    /// When it is gone.
    pub fn again(&self, window: &Window) -> Result<Window, ScreenError> {
        let gone = || ScreenError::NotFound(window.title.clone());
        self.window(window.id, self.active()?).ok().flatten().ok_or_else(gone)
    }

    /// `None` for panels, desktops and what wants to be in no list.
    fn window(&self, id: XWindow, active: XWindow) -> Result<Option<Window>, ScreenError> {
        let atoms = &self.atoms;
        let (kind, state) =
            (self.numbers(id, atoms._NET_WM_WINDOW_TYPE)?, self.numbers(id, atoms._NET_WM_STATE)?);
        let is = |atom: u32| state.contains(&atom);
        let aside = [atoms._NET_WM_WINDOW_TYPE_DESKTOP, atoms._NET_WM_WINDOW_TYPE_DOCK];
        if kind.iter().any(|kind| aside.contains(kind)) || is(atoms._NET_WM_STATE_SKIP_TASKBAR) {
            return Ok(None);
        }
        let mut title = self.text(id, atoms._NET_WM_NAME)?;
        if title.is_empty() {
            title = self.text(id, AtomEnum::WM_NAME.into())?;
        }
        let (instance, class) = self.class(id)?;
        let minimised = self.numbers(id, atoms.WM_STATE)?.first() == Some(&ICONIC);
        Ok(Some(Window {
            id,
            title,
            class,
            instance,
            pid: self.numbers(id, atoms._NET_WM_PID)?.first().copied(),
            place: self.place(id)?,
            is_focused: id == active,
            is_minimised: minimised || is(atoms._NET_WM_STATE_HIDDEN),
            is_maximised: is(atoms._NET_WM_STATE_MAXIMIZED_HORZ) && is(atoms._NET_WM_STATE_MAXIMIZED_VERT),
        }))
    }

    /// Instance and class.
    fn class(&self, id: XWindow) -> Result<(String, String), ScreenError> {
        let reply = self.conn.get_property(false, id, AtomEnum::WM_CLASS, AtomEnum::ANY, 0, 256)?.reply()?;
        let mut parts =
            reply.value.split(|byte| *byte == 0).map(|part| one_line(&String::from_utf8_lossy(part)));
        Ok((parts.next().unwrap_or_default(), parts.next().unwrap_or_default()))
    }

    /// Where a window is, with its frame.
    pub(super) fn place(&self, id: XWindow) -> Result<Rect, ScreenError> {
        let size = self.conn.get_geometry(id)?.reply()?;
        let at = self.conn.translate_coordinates(id, self.root, 0, 0)?.reply()?;
        let [left, right, top, bottom] = self.frame(id)?;
        let signed = |width: u32| i32::try_from(width).unwrap_or_default();
        Ok(Rect {
            x: i32::from(at.dst_x) - signed(left),
            y: i32::from(at.dst_y) - signed(top),
            width: u32::from(size.width) + left + right,
            height: u32::from(size.height) + top + bottom,
        })
    }

    /// Widths of the frame: left, right, top, bottom.
    pub(super) fn frame(&self, id: XWindow) -> Result<[u32; 4], ScreenError> {
        let widths = self.numbers(id, self.atoms._NET_FRAME_EXTENTS)?;
        // More than that is no frame.
        let frame = <[u32; 4]>::try_from(widths).ok();
        Ok(frame.filter(|frame| frame.iter().all(|width| *width < 1000)).unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_have_a_middle_and_what_they_share() {
        let screen = Rect { x: 0, y: 0, width: 800, height: 600 };
        let half_out = Rect { x: -100, y: 500, width: 200, height: 200 };
        assert_eq!(half_out.common(screen), Some(Rect { x: 0, y: 500, width: 100, height: 100 }));
        assert_eq!(half_out.middle(), (0, 600));
        assert_eq!(Rect { x: 900, ..half_out }.common(screen), None);
    }
}
