//! Fractions: "3/4", "½", "2½", "1/2 tsp".

use super::numbers::whole_words;
use super::units::unit_at;
use super::{At, Said, blank, digits, ends_here};

/// Whether a character is a fraction, as "½" is.
pub(super) fn is_sign(character: char) -> bool {
    character.is_numeric() && !character.is_ascii_digit()
}

/// One with words of its own, with its unit, or any other.
pub(super) fn read(at: &At<'_>) -> Option<Said> {
    let numbers = at.language.numbers;
    let rest = at.rest();
    let mut named = at.language.speech.numbers.fractions.iter();
    if let Some((written, words)) = named.find(|(written, _)| {
        rest.strip_prefix(written).is_some_and(|after| ends_here(after) && !after.starts_with('/'))
    }) {
        // "1 1/2" is one and one half.
        let is_mixed = at.before().trim_end().ends_with(|c: char| c.is_ascii_digit());
        let and = if is_mixed { format!("{} ", numbers.and.text()) } else { String::new() };
        let after = &rest[written.len()..];
        let gap = blank(after);
        let (unit, bytes) = unit_at(&after[gap..], at.language).map_or((String::new(), 0), |(sign, noun)| {
            (format!(" {}", if is_mixed { noun.many } else { noun.one }), gap + sign.len())
        });
        return Some(Said::new(written.len() + bytes, format!("{and}{}{unit}", words.text())));
    }
    let above = digits(rest);
    let below = digits(rest[above.len()..].strip_prefix('/')?);
    let end = above.len() + 1 + below.len();
    if above.is_empty() || below.is_empty() || !ends_here(&rest[end..]) || rest[end..].starts_with('/') {
        return None;
    }
    let words = format!(
        "{} {} {}",
        whole_words(above, at.language),
        numbers.over.text(),
        whole_words(below, at.language)
    );
    Some(Said::new(end, words))
}
