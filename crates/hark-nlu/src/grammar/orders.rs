//! Marked words in another order than that in which they were said.

use crate::text::Token;
use hark_core::SlotSpan;

/// The orders of two or three, but the first; more are not tried.
pub(super) fn other_orders(count: usize) -> &'static [&'static [usize]] {
    match count {
        2 => &[&[1, 0]],
        3 => &[&[0, 2, 1], &[1, 0, 2], &[1, 2, 0], &[2, 0, 1], &[2, 1, 0]],
        _ => &[],
    }
}

/// The words with those marked in another order, and their marks: at each place stands what `order` says.
pub(super) fn reordered(tokens: &[Token], marks: &[SlotSpan], order: &[usize]) -> (String, Vec<SlotSpan>) {
    let mut words: Vec<&str> = Vec::new();
    let (mut moved, mut at) = (Vec::new(), 0);
    for (place, from) in marks.iter().zip(order) {
        words.extend(tokens[at..place.start].iter().map(|token| token.word.as_str()));
        let (start, mark) = (words.len(), &marks[*from]);
        words.extend(tokens[mark.start..mark.end].iter().map(|token| token.word.as_str()));
        moved.push(SlotSpan { slot: mark.slot.clone(), start, end: words.len() });
        at = place.end;
    }
    words.extend(tokens[at..].iter().map(|token| token.word.as_str()));
    (words.join(" "), moved)
}
