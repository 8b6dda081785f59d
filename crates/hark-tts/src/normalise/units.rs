//! Units behind a number.

use super::ends_here;
use crate::language::Language;
use hark_language::speech::Noun;

/// The longest unit at the start of `rest` that ends there.
pub(super) fn unit_at(rest: &str, language: Language) -> Option<(&'static str, Noun)> {
    let fits = |symbol: &str| {
        rest.strip_prefix(symbol).is_some_and(|after| {
            ends_here(after) && !(after.starts_with('/') && after[1..].starts_with(char::is_alphabetic))
        })
    };
    let units = language.speech.units.iter().filter(|(symbol, _)| fits(symbol));
    units.max_by_key(|(symbol, _)| symbol.len()).copied()
}
