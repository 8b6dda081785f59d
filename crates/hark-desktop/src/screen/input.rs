//! Keys and the pointer of the desktop, as if a person pressed and moved them (XTEST).

use super::keyboard::{Keyboard, Lent, Stroke};
use super::keys::Key;
use super::{ScreenError, X11};
use std::time::Duration;
use x11rb::connection::RequestConnection;
use x11rb::protocol::xproto::{
    BUTTON_PRESS_EVENT, BUTTON_RELEASE_EVENT, KEY_PRESS_EVENT, KEY_RELEASE_EVENT, MOTION_NOTIFY_EVENT,
};
use x11rb::protocol::xtest::{self, ConnectionExt as _};

/// Between two keys: some programs lose those that come faster.
const BETWEEN: Duration = Duration::from_millis(4);
/// Between the clicks of a double click.
const TWICE: Duration = Duration::from_millis(40);

/// A button of the mouse.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Button {
    /// Chooses.
    Left,
    /// Opens links aside, and pastes.
    Middle,
    /// Opens a menu.
    Right,
}

/// Where to scroll.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// To what is above.
    Up,
    /// To what is below.
    Down,
    /// To what is on the left.
    Left,
    /// To what is on the right.
    Right,
}

impl X11 {
    /// Types a text into the window in front. Characters that the keyboard does not have are lent to keys that have none.
    ///
    /// # Errors
    /// When the server has no XTEST, or more characters are missing than keys are free.
    pub fn type_text(&self, text: &str) -> Result<(), ScreenError> {
        self.has_test()?;
        let keyboard = Keyboard::of(self)?;
        let keys: Vec<Key> = text.chars().map(Key::of_char).collect();
        let lent = Lent::of(self, &keyboard, &keys)?;
        for (key, char) in keys.iter().zip(text.chars()) {
            let stroke = keyboard.stroke(key).or_else(|| lent.stroke(key));
            self.stroke(stroke.ok_or(ScreenError::NoFreeKey(char))?, &keyboard)?;
            std::thread::sleep(BETWEEN);
        }
        self.finish()
    }

    /// Presses keys together and lets go of them: the last one while all before it are held.
    ///
    /// # Errors
    /// When the keyboard has one of them not, or the server has no XTEST.
    pub fn press(&self, keys: &[Key]) -> Result<(), ScreenError> {
        self.has_test()?;
        let Some((last, held)) = keys.split_last() else { return Ok(()) };
        let keyboard = Keyboard::of(self)?;
        // Of a key that types nothing no layout counts.
        let known = |key: &Key| keyboard.stroke(key).or_else(|| keyboard.any(key));
        let lent =
            Lent::of(self, &keyboard, if known(last).is_none() { std::slice::from_ref(last) } else { &[] })?;
        let missing = |key: &Key| ScreenError::NoKey(key.name().to_owned());
        let stroke = known(last).or_else(|| lent.stroke(last)).ok_or_else(|| missing(last))?;
        let strokes = held.iter().map(|key| known(key).ok_or_else(|| missing(key)));
        let strokes = strokes.collect::<Result<Vec<Stroke>, ScreenError>>()?;
        let pressed = strokes.iter().try_for_each(|held| self.fake(KEY_PRESS_EVENT, held.code));
        let done = pressed.and_then(|()| self.stroke(stroke, &keyboard));
        // No key stays down, whatever happened.
        for held in strokes.iter().rev() {
            self.fake(KEY_RELEASE_EVENT, held.code)?;
        }
        done?;
        self.finish()
    }

    /// Presses a button of the mouse and lets go of it, `times` times, at a place or where the pointer is.
    ///
    /// # Errors
    /// When the place is not on the screen, or the server has no XTEST.
    pub fn click(&self, button: Button, times: u8, at: Option<(i32, i32)>) -> Result<(), ScreenError> {
        self.has_test()?;
        if let Some((x, y)) = at {
            self.point(x, y)?;
        }
        let number = match button {
            Button::Left => 1,
            Button::Middle => 2,
            Button::Right => 3,
        };
        for nth in 0..times {
            if nth > 0 {
                std::thread::sleep(TWICE);
            }
            self.button(number)?;
        }
        self.finish()
    }

    /// Turns the wheel by so many notches over what the pointer is on, or over a place.
    ///
    /// # Errors
    /// When the place is not on the screen, or the server has no XTEST.
    pub fn scroll(
        &self,
        direction: Direction,
        notches: u8,
        at: Option<(i32, i32)>,
    ) -> Result<(), ScreenError> {
        self.has_test()?;
        if let Some((x, y)) = at {
            self.point(x, y)?;
        }
        let number = match direction {
            Direction::Up => 4,
            Direction::Down => 5,
            Direction::Left => 6,
            Direction::Right => 7,
        };
        for _ in 0..notches {
            self.button(number)?;
            std::thread::sleep(BETWEEN);
        }
        self.finish()
    }

    fn point(&self, x: i32, y: i32) -> Result<(), ScreenError> {
        let place = super::Rect { x, y, width: 1, height: 1 };
        let outside = || ScreenError::NotDone(format!("{x}, {y} is not on the screen"));
        place.common(self.whole()).ok_or_else(outside)?;
        // Within the screen, whose sides are `u16`; a screen wider than `i16` has no place for a pointer there.
        let (x, y) = (i16::try_from(x).map_err(|_| outside())?, i16::try_from(y).map_err(|_| outside())?);
        self.conn
            .xtest_fake_input(MOTION_NOTIFY_EVENT, 0, x11rb::CURRENT_TIME, self.root, x, y, 0)?
            .check()?;
        Ok(())
    }

    fn button(&self, number: u8) -> Result<(), ScreenError> {
        self.fake(BUTTON_PRESS_EVENT, number)?;
        self.fake(BUTTON_RELEASE_EVENT, number)
    }

    fn stroke(&self, stroke: Stroke, keyboard: &Keyboard) -> Result<(), ScreenError> {
        let shift = Key::named("shift").ok().and_then(|shift| keyboard.any(&shift));
        let shift = shift.filter(|_| stroke.shift);
        if let Some(shift) = shift {
            self.fake(KEY_PRESS_EVENT, shift.code)?;
        }
        let pressed = self.fake(KEY_PRESS_EVENT, stroke.code);
        let released = self.fake(KEY_RELEASE_EVENT, stroke.code);
        if let Some(shift) = shift {
            self.fake(KEY_RELEASE_EVENT, shift.code)?;
        }
        pressed.and(released)
    }

    fn fake(&self, kind: u8, detail: u8) -> Result<(), ScreenError> {
        self.conn.xtest_fake_input(kind, detail, x11rb::CURRENT_TIME, x11rb::NONE, 0, 0, 0)?.check()?;
        Ok(())
    }

    fn has_test(&self) -> Result<(), ScreenError> {
        let test = self.conn.extension_information(xtest::X11_EXTENSION_NAME)?;
        if test.is_some() { Ok(()) } else { Err(ScreenError::NoTest) }
    }
}
