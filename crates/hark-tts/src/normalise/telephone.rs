//! Telephone numbers, digit by digit: "555 0147" is "five five five, zero one four seven".

use super::units::unit_at;
use super::{At, Said, blank, digits, ends_here};

/// Digits of all groups together: fewer are two numbers side by side, and 15 is the longest number there is (ITU-T E.164).
const DIGITS: std::ops::RangeInclusive<usize> = 7..=15;

/// Digits of a group of a number without a country.
const GROUP: std::ops::RangeInclusive<usize> = 2..=8;

/// Digits of a number that is written as one and begins with a zero.
const IN_ONE: std::ops::RangeInclusive<usize> = 9..=12;

/// Groups of North American numbers, which begin with no zero.
const NORTH_AMERICAN: [&[usize]; 3] = [&[3, 3, 4], &[1, 3, 3, 4], &[3, 4]];

/// A longer group is said in parts of three.
const LONGEST_PART: usize = 4;

pub(super) fn read(at: &At<'_>) -> Option<Said> {
    let rest = at.rest();
    let is_international = rest.starts_with('+');
    let (groups, bytes) = groups(rest, usize::from(is_international));
    let sizes: Vec<usize> = groups.iter().map(|group| group.len()).collect();
    let total: usize = sizes.iter().sum();
    let has_zero = groups.iter().any(|group| group.starts_with('0'));
    // "900-1000 W" is a range.
    let after = &rest[bytes..];
    let is_north_american = NORTH_AMERICAN.contains(&&sizes[..])
        && (sizes.len() > 2
            || rest[sizes[0]..].starts_with('-') && unit_at(&after[blank(after)..], at.language).is_none());
    let is_known = is_international
        || is_north_american
        || has_zero && sizes.len() > 1 && sizes.iter().all(|size| GROUP.contains(size))
        || has_zero && sizes.len() == 1 && IN_ONE.contains(&total);
    if !is_known || !DIGITS.contains(&total) || !ends_here(after) {
        return None;
    }
    let parts = groups.into_iter().flat_map(parts).map(|part| at.language.numbers.digit_words(part));
    let said = parts.collect::<Vec<_>>().join(", ");
    let plus = at.language.speech.numbers.plus.text();
    Some(Said::new(bytes, if is_international { format!("{plus} {said}") } else { said }))
}

/// The groups of digits from `start` on, some in brackets, and how much of `rest` they are.
fn groups(rest: &str, start: usize) -> (Vec<&str>, usize) {
    let (mut groups, mut end) = (Vec::new(), start);
    loop {
        let is_apart = !groups.is_empty() && rest[end..].starts_with([' ', '-', '/']);
        let open = end + usize::from(is_apart);
        let is_bracketed = rest[open..].starts_with('(');
        let begin = open + usize::from(is_bracketed);
        let group = digits(&rest[begin..]);
        let close = begin + group.len();
        if group.is_empty() || is_bracketed && !rest[close..].starts_with(')') {
            return (groups, end);
        }
        groups.push(group);
        end = close + usize::from(is_bracketed);
    }
}

fn parts(group: &str) -> Vec<&str> {
    let (mut parts, mut left) = (Vec::new(), group);
    while left.len() > LONGEST_PART {
        let (part, rest) = left.split_at(3);
        parts.push(part);
        left = rest;
    }
    parts.push(left);
    parts
}
