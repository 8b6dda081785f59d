//! The desktop that is there: one place that says which of the two ways a call goes.

use super::{Button, Capture, Direction, Half, Key, Rect, ScreenError, Window, X11};
use crate::macos::Mac;
use std::time::{Duration, Instant};

/// How long a program may take to close a window, and how often that is looked at.
const CLOSED_WITHIN: Duration = Duration::from_secs(3);
const LOOK_EVERY: Duration = Duration::from_millis(100);

/// A desktop.
pub enum Display {
    /// A connection to an X server.
    X11(Box<X11>),
    /// A Mac, by its programs.
    Mac(Mac),
}

impl Display {
    /// The desktop of this machine: on a Mac its own, elsewhere the one that `DISPLAY` names.
    ///
    /// # Errors
    /// When there is none, or it refuses.
    pub fn open() -> Result<Self, ScreenError> {
        match Mac::here() {
            Some(mac) => Ok(Self::Mac(mac)),
            None => Ok(Self::X11(Box::new(X11::open()?))),
        }
    }

    /// Every window, the uppermost first; on a Mac those of the program in front first.
    ///
    /// # Errors
    /// When there is no window manager, or the desktop does not answer or not allow it.
    pub fn windows(&self) -> Result<Vec<Window>, ScreenError> {
        match self {
            Self::X11(x11) => x11.windows(),
            Self::Mac(mac) => mac.windows(),
        }
    }

    /// The window that gets what is typed.
    ///
    /// # Errors
    /// When none does.
    pub fn focused(&self) -> Result<Window, ScreenError> {
        let windows = self.windows()?;
        windows.into_iter().find(|window| window.is_focused).ok_or(ScreenError::NoneFocused)
    }

    /// A window as it is now.
    ///
    /// # Errors
    /// When it is gone.
    pub fn again(&self, window: &Window) -> Result<Window, ScreenError> {
        match self {
            Self::X11(x11) => x11.again(window),
            Self::Mac(mac) => mac.again(window),
        }
    }

    /// Brings a window to the front, where it gets what is typed.
    ///
    /// # Errors
    /// When it does not come.
    pub fn focus(&self, window: &Window) -> Result<Window, ScreenError> {
        match self {
            Self::X11(x11) => x11.focus(window),
            Self::Mac(mac) => mac.focus(window),
        }
    }

    /// Closes a window as a person does, whose program may ask first, such as whether to save.
    ///
    /// # Errors
    /// When it takes no such request, or is still there after some seconds.
    pub fn close(&self, window: &Window) -> Result<(), ScreenError> {
        // On a Mac a window has no number that stays.
        let of_it = |one: &&Window| match self {
            Self::X11(_) => one.id == window.id,
            Self::Mac(_) => one.pid == window.pid,
        };
        let count = || Ok::<_, ScreenError>(self.windows()?.iter().filter(of_it).count());
        let before = count()?;
        match self {
            Self::X11(x11) if !x11.close(window)? => {
                return Err(ScreenError::NotDone("this window cannot be asked to close".into()));
            }
            Self::X11(_) => {}
            Self::Mac(mac) => mac.close(window)?,
        }
        let until = Instant::now() + CLOSED_WITHIN;
        while count()? >= before {
            if Instant::now() >= until {
                return Err(ScreenError::StillOpen(window.title.clone()));
            }
            std::thread::sleep(LOOK_EVERY);
        }
        Ok(())
    }

    /// Minimises a window.
    ///
    /// # Errors
    /// When it stays.
    pub fn minimise(&self, window: &Window) -> Result<Window, ScreenError> {
        match self {
            Self::X11(x11) => x11.minimise(window),
            Self::Mac(mac) => mac.minimise(window),
        }
    }

    /// Lets a window fill the screen.
    ///
    /// # Errors
    /// When it does not.
    pub fn maximise(&self, window: &Window) -> Result<Window, ScreenError> {
        match self {
            Self::X11(x11) => x11.maximise(window),
            Self::Mac(mac) => mac.maximise(window),
        }
    }

    /// Puts a window into one half of the screen it is on.
    ///
    /// # Errors
    /// When it does not go there.
    pub fn tile(&self, window: &Window, half: Half) -> Result<Window, ScreenError> {
        match self {
            Self::X11(x11) => x11.tile(window, half),
            Self::Mac(mac) => mac.tile(window, half),
        }
    }

    /// Moves a window so that its upper left corner is at a place.
    ///
    /// # Errors
    /// When it does not go there.
    pub fn move_to(&self, window: &Window, x: i32, y: i32) -> Result<Window, ScreenError> {
        self.put(window, Rect { x, y, ..window.place })
    }

    /// Gives a window a size, with its frame.
    ///
    /// # Errors
    /// When it does not take it.
    pub fn resize(&self, window: &Window, width: u32, height: u32) -> Result<Window, ScreenError> {
        self.put(window, Rect { width, height, ..window.place })
    }

    fn put(&self, window: &Window, wanted: Rect) -> Result<Window, ScreenError> {
        match self {
            Self::X11(x11) => x11.put(window, wanted),
            Self::Mac(mac) => mac.put(window, wanted),
        }
    }

    /// The part of the screen a window is on that no panel covers.
    ///
    /// # Errors
    /// When the desktop does not answer.
    pub fn area_of(&self, window: &Window) -> Result<Rect, ScreenError> {
        match self {
            Self::X11(x11) => x11.area_of(window),
            Self::Mac(mac) => mac.area_of(window),
        }
    }

    /// Types a text into the window in front.
    ///
    /// # Errors
    /// When no keys can be pressed, or the keyboard lacks characters of it.
    pub fn type_text(&self, text: &str) -> Result<(), ScreenError> {
        match self {
            Self::X11(x11) => x11.type_text(text),
            Self::Mac(mac) => mac.type_text(text),
        }
    }

    /// Presses keys together and lets go of them: the last one while all before it are held.
    ///
    /// # Errors
    /// When the keyboard has one of them not, or no keys can be pressed.
    pub fn press(&self, keys: &[Key]) -> Result<(), ScreenError> {
        match self {
            Self::X11(x11) => x11.press(keys),
            Self::Mac(mac) => mac.press(keys),
        }
    }

    /// Presses a button of the mouse and lets go of it, `times` times, at a place or where the pointer is.
    ///
    /// # Errors
    /// When the place is not on the screen, or no buttons can be pressed.
    pub fn click(&self, button: Button, times: u8, at: Option<(i32, i32)>) -> Result<(), ScreenError> {
        match self {
            Self::X11(x11) => x11.click(button, times, at),
            Self::Mac(mac) => mac.click(button, times, at),
        }
    }

    /// Turns the wheel by so many notches over what the pointer is on, or over a place.
    ///
    /// # Errors
    /// When the place is not on the screen, or the wheel cannot be turned.
    pub fn scroll(
        &self,
        direction: Direction,
        notches: u8,
        at: Option<(i32, i32)>,
    ) -> Result<(), ScreenError> {
        match self {
            Self::X11(x11) => x11.scroll(direction, notches, at),
            Self::Mac(mac) => mac.scroll(direction, notches, at),
        }
    }

    /// Takes a picture of the screen (on a Mac of the main one), or of the part of it at `place`; what lies outside is left out.
    ///
    /// # Errors
    /// Where nothing is at `place`, or the desktop does not show it.
    pub fn capture(&self, place: Option<Rect>) -> Result<Capture, ScreenError> {
        match self {
            Self::X11(x11) => x11.capture(place),
            Self::Mac(mac) => mac.capture(place),
        }
    }
}
