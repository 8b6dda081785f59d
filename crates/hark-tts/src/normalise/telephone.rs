//! Telephone numbers, digit by digit: "555 0147" is "five five five, zero one four seven".

use super::{At, Said, digits, ends_here};

/// Digits of all groups together: fewer are two numbers side by side, and 15 is the longest number there is (ITU-T E.164).
const DIGITS: std::ops::RangeInclusive<usize> = 7..=15;

/// Digits of a group.
const GROUP: std::ops::RangeInclusive<usize> = 2..=6;

/// Groups of North American numbers, which begin with no zero.
const AREA_AND_NUMBER: [usize; 3] = [3, 3, 4];

pub(super) fn read(at: &At<'_>) -> Option<Said> {
    let rest = at.rest();
    let international = rest.starts_with('+');
    let mut end = usize::from(international);
    let mut groups = vec![digits(&rest[end..])];
    end += groups[0].len();
    while let Some(next) = rest[end..].strip_prefix([' ', '-']).map(digits).filter(|next| !next.is_empty()) {
        groups.push(next);
        end += 1 + next.len();
    }
    let sizes: Vec<usize> = groups.iter().map(|group| group.len()).collect();
    let has_sizes = groups.len() > 1 && sizes.iter().all(|size| GROUP.contains(size));
    let is_known =
        international || groups.iter().any(|group| group.starts_with('0')) || sizes == AREA_AND_NUMBER;
    if !has_sizes || !is_known || !DIGITS.contains(&sizes.iter().sum()) || !ends_here(&rest[end..]) {
        return None;
    }
    let said =
        groups.iter().map(|group| at.language.numbers.digit_words(group)).collect::<Vec<_>>().join(", ");
    let plus = at.language.speech.numbers.plus.text();
    Some(Said::new(end, if international { format!("{plus} {said}") } else { said }))
}
