//! Keys by their names.

use super::ScreenError;

/// Names of keys, and their symbols on an X server (keysymdef.h). The first name of a symbol is the one that is told.
const NAMES: &[(&str, u32)] = &[
    ("escape", 0xff1b),
    ("enter", 0xff0d),
    ("return", 0xff0d),
    ("tab", 0xff09),
    ("backspace", 0xff08),
    ("delete", 0xffff),
    ("insert", 0xff63),
    ("space", 0x20),
    ("up", 0xff52),
    ("down", 0xff54),
    ("left", 0xff51),
    ("right", 0xff53),
    ("page_up", 0xff55),
    ("page_down", 0xff56),
    ("home", 0xff50),
    ("end", 0xff57),
    ("print", 0xff61),
    ("menu", 0xff67),
    ("control", 0xffe3),
    ("ctrl", 0xffe3),
    ("shift", 0xffe1),
    ("alt", 0xffe9),
    ("option", 0xffe9),
    ("super", 0xffeb),
    ("command", 0xffeb),
    ("windows", 0xffeb),
    ("meta", 0xffeb),
];
/// F1; the others follow.
const F1: u32 = 0xffbe;
/// Keys that only move what is shown or selected, or end what was begun.
const HARMLESS: &[&str] = &["escape", "up", "down", "left", "right", "page_up", "page_down", "home", "end"];
const MODIFIERS: &[&str] = &["control", "shift", "alt", "super"];

/// A key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Key {
    name: String,
    symbol: u32,
}

impl Key {
    /// The key of this name: `escape`, `page_down`, `f5`, or a single character.
    ///
    /// # Errors
    /// When there is none.
    pub fn named(name: &str) -> Result<Self, ScreenError> {
        let mut chars = name.chars();
        if let (Some(only), None) = (chars.next(), chars.next())
            && !only.is_control()
        {
            return Ok(Self::of_char(only));
        }
        let plain = name.trim().to_lowercase().replace([' ', '-'], "_");
        let function = plain.strip_prefix('f').and_then(|number| number.parse::<u32>().ok());
        if let Some(number) = function.filter(|number| (1..=24).contains(number)) {
            return Ok(Self { name: plain, symbol: F1 + number - 1 });
        }
        let found = NAMES.iter().find(|(known, _)| *known == plain);
        let (_, symbol) = found.ok_or_else(|| ScreenError::NoKey(name.to_owned()))?;
        // Of two names the first one is told.
        let name = NAMES.iter().find(|(_, of)| of == symbol).map_or(plain.as_str(), |(first, _)| first);
        Ok(Self { name: name.to_owned(), symbol: *symbol })
    }

    /// The key that types a character.
    pub(super) fn of_char(char: char) -> Self {
        Self { name: char.to_string(), symbol: symbol_of(char) }
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its symbol on an X server.
    pub(super) fn symbol(&self) -> u32 {
        self.symbol
    }

    /// Whether it can only move what is shown or selected, or end what was begun.
    pub fn is_harmless(&self) -> bool {
        HARMLESS.contains(&self.name.as_str())
    }

    /// Whether it is held while others are pressed.
    pub fn is_modifier(&self) -> bool {
        MODIFIERS.contains(&self.name.as_str())
    }
}

/// The symbol of a character: Latin-1 has its own numbers, all else those of Unicode (X11 protocol, appendix A).
fn symbol_of(char: char) -> u32 {
    match char {
        '\n' | '\r' => 0xff0d,
        '\t' => 0xff09,
        ' '..='~' | '\u{a0}'..='\u{ff}' => char.into(),
        char => 0x0100_0000 | u32::from(char),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_have_names_and_characters_symbols() {
        let symbol = |name: &str| Key::named(name).map(|key| key.symbol());
        assert_eq!(symbol("Page Down"), Ok(0xff56));
        assert_eq!(symbol("f12"), Ok(0xffc9));
        assert_eq!(symbol("a"), Ok(0x61));
        assert_eq!(symbol("ä"), Ok(0xe4));
        assert_eq!(symbol("€"), Ok(0x0100_20ac));
        assert_eq!(Key::named("ctrl").unwrap().name(), "control");
        assert!(matches!(Key::named("f99"), Err(ScreenError::NoKey(_))));
        assert!(matches!(Key::named(""), Err(ScreenError::NoKey(_))));
        assert!(matches!(Key::named("\n"), Err(ScreenError::NoKey(_))));
        let is_harmless = |name: &str| Key::named(name).unwrap().is_harmless();
        assert!(is_harmless("escape") && is_harmless("page_up"));
        for name in ["enter", "delete", "backspace", "space", "tab", "a", "f4"] {
            assert!(!is_harmless(name), "{name}");
        }
    }
}
