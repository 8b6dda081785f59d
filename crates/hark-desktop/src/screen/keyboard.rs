//! Which keys type which characters on the keyboard as it is, and keys that are given a character for a moment.

use super::keys::Key;
use super::{ScreenError, X11};
use std::time::Duration;
use x11rb::connection::Connection;
use x11rb::protocol::xproto::{ConnectionExt, KeyButMask, Keycode};

/// Time programs get to read a keyboard that has changed.
const READ_ANEW: Duration = Duration::from_millis(150);

/// A key as it is pressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Stroke {
    pub(super) code: Keycode,
    pub(super) shift: bool,
}

/// The keyboard's symbols.
pub(super) struct Keyboard {
    first: Keycode,
    columns: usize,
    symbols: Vec<u32>,
    /// The columns of the layout that is chosen begin here.
    group: usize,
    is_locked: bool,
}

impl Keyboard {
    pub(super) fn of(display: &X11) -> Result<Self, ScreenError> {
        let setup = display.conn.setup();
        let (first, last) = (setup.min_keycode, setup.max_keycode);
        let mapping = display.conn.get_keyboard_mapping(first, last - first + 1)?.reply()?;
        let state = display.conn.query_pointer(display.root)?.reply()?.mask;
        // Bits 13 and 14 tell the group (XKB protocol, chapter 17).
        let group = usize::from(u16::from(state) >> 13 & 0b11);
        let columns = usize::from(mapping.keysyms_per_keycode.max(1));
        // The first two groups have two columns each; of others nothing is known here.
        let group = if group * 2 + 1 < columns { group * 2 } else { columns };
        let is_locked = u16::from(state) & u16::from(KeyButMask::LOCK) != 0;
        Ok(Self { first, columns, symbols: mapping.keysyms, group, is_locked })
    }

    /// How a symbol is typed; `None` where no key has it.
    pub(super) fn stroke(&self, key: &Key) -> Option<Stroke> {
        let symbol = key.symbol();
        let rows = self.symbols.chunks(self.columns).zip(self.first..=Keycode::MAX);
        let mut found = rows.flat_map(|(row, code)| {
            let at = |column: usize| row.get(self.group + column).copied();
            [(at(0), false), (at(1), true)].map(|(known, shift)| (known, Stroke { code, shift }))
        });
        let (_, stroke) = found.find(|(known, _)| *known == Some(symbol))?;
        let is_letter = char::from_u32(symbol).is_some_and(char::is_alphabetic);
        Some(Stroke { shift: stroke.shift != (self.is_locked && is_letter), ..stroke })
    }

    /// The same where no group counts: modifiers and keys that type nothing.
    pub(super) fn any(&self, key: &Key) -> Option<Stroke> {
        let has = |row: &&[u32]| row.contains(&key.symbol());
        let at = self.symbols.chunks(self.columns).position(|row| has(&row))?;
        let code = Keycode::try_from(usize::from(self.first) + at).ok()?;
        Some(Stroke { code, shift: false })
    }

    /// Keys without any symbol.
    fn free(&self) -> Vec<Keycode> {
        let rows = self.symbols.chunks(self.columns).zip(self.first..=Keycode::MAX);
        rows.filter(|(row, _)| row.iter().all(|symbol| *symbol == 0)).map(|(_, code)| code).collect()
    }
}

/// Keys that have been given characters for a moment; they are taken away again with this.
pub(super) struct Lent<'d> {
    display: &'d X11,
    columns: u8,
    keys: Vec<(u32, Keycode)>,
}

impl<'d> Lent<'d> {
    /// Gives every key in `wanted` that the keyboard does not have to one without a symbol.
    pub(super) fn of(display: &'d X11, keyboard: &Keyboard, wanted: &[Key]) -> Result<Self, ScreenError> {
        let mut missing: Vec<&Key> = Vec::new();
        for key in wanted.iter().filter(|key| keyboard.stroke(key).is_none()) {
            if !missing.iter().any(|known| known.symbol() == key.symbol()) {
                missing.push(key);
            }
        }
        let free = keyboard.free();
        if let Some(key) = missing.get(free.len()) {
            return Err(ScreenError::NoFreeKey(key.name().chars().next().unwrap_or_default()));
        }
        let columns = u8::try_from(keyboard.columns).unwrap_or(u8::MAX);
        let mut lent = Self { display, columns, keys: Vec::new() };
        for (key, code) in missing.iter().zip(free) {
            lent.give(code, key.symbol())?;
            lent.keys.push((key.symbol(), code));
        }
        if !lent.keys.is_empty() {
            display.finish()?;
            std::thread::sleep(READ_ANEW);
        }
        Ok(lent)
    }

    /// How a symbol is typed that was missing.
    pub(super) fn stroke(&self, key: &Key) -> Option<Stroke> {
        let found = self.keys.iter().find(|(symbol, _)| *symbol == key.symbol());
        found.map(|(_, code)| Stroke { code: *code, shift: false })
    }

    fn give(&self, code: Keycode, symbol: u32) -> Result<(), ScreenError> {
        // In every column, so that neither layout nor Shift matters.
        let row = vec![symbol; usize::from(self.columns)];
        self.display.conn.change_keyboard_mapping(1, code, self.columns, &row)?.check()?;
        Ok(())
    }
}

impl Drop for Lent<'_> {
    fn drop(&mut self) {
        if self.keys.is_empty() {
            return;
        }
        // Programs read a character off the keyboard after the key has come.
        std::thread::sleep(READ_ANEW);
        for (_, code) in &self.keys {
            if let Err(error) = self.give(*code, 0) {
                tracing::warn!(%error, code, "a key keeps a character that it was lent");
            }
        }
    }
}
