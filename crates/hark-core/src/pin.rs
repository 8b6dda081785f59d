//! A PIN on its way from a person to the executor, and what the executor says to it. The digits are in no
//! event and no record: whoever reads words puts [`MASK`] in their place.

use serde::{Deserialize, Serialize};

/// Stands wherever a PIN was said or typed.
pub const MASK: &str = "[PIN]";

/// Fewest digits of a PIN.
pub const PIN_MIN_DIGITS: usize = 4;
/// Most digits of a PIN.
pub const PIN_MAX_DIGITS: usize = 12;

/// Digits somebody said or typed. Neither shown nor serialised.
#[derive(Clone, PartialEq, Eq)]
pub struct PinCode(String);

impl PinCode {
    /// From ASCII digits; `None` when they are too few, too many, or none.
    pub fn new(digits: &str) -> Option<Self> {
        let fits = (PIN_MIN_DIGITS..=PIN_MAX_DIGITS).contains(&digits.len());
        (fits && digits.bytes().all(|byte| byte.is_ascii_digit())).then(|| Self(digits.to_owned()))
    }

    /// The digits, for the one comparison.
    pub fn digits(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Debug for PinCode {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Pin(…)")
    }
}

/// What the executor says to a PIN.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "verdict", rename_all = "snake_case")]
pub enum PinVerdict {
    /// It is the one. `grant` lets the calls of one turn through, for some seconds.
    Right {
        /// Number of the grant; worth nothing outside this program.
        grant: u64,
    },
    /// It is not.
    Wrong,
    /// Too many were wrong: none is looked at for a while.
    Locked,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pin_is_four_to_twelve_digits_and_is_not_shown() {
        for wrong in ["", "123", "1234567890123", "12a4", "١٢٣٤", "-123"] {
            assert_eq!(PinCode::new(wrong), None, "{wrong}");
        }
        let pin = PinCode::new("4217").unwrap();
        assert_eq!((pin.digits(), format!("{pin:?}").as_str()), ("4217", "Pin(…)"));
    }
}
