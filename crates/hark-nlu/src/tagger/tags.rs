//! Tags of words: where a slot begins, goes on, and what is no part of one (BIO).

use hark_core::SlotSpan;

/// A tag.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Tag {
    /// No part of any slot.
    Outside,
    /// A slot begins.
    Begin(String),
    /// It goes on.
    Inside(String),
}

impl Tag {
    /// The tag of a name such as `B-area`; what is none is outside.
    pub(super) fn named(name: &str) -> Self {
        match name.split_once('-') {
            Some(("B", slot)) => Self::Begin(slot.to_owned()),
            Some(("I", slot)) => Self::Inside(slot.to_owned()),
            _ => Self::Outside,
        }
    }

    fn slot(&self) -> Option<&str> {
        match self {
            Self::Outside => None,
            Self::Begin(slot) | Self::Inside(slot) => Some(slot),
        }
    }
}

/// The spans of words with the likeliest tags, whose probabilities stand word after word; `None` where one of the tags is
/// less likely than `least`.
pub(super) fn spans(tags: &[Tag], probabilities: &[f32], least: f32) -> Option<Vec<SlotSpan>> {
    let mut spans: Vec<SlotSpan> = Vec::new();
    for (at, word) in probabilities.chunks_exact(tags.len().max(1)).enumerate() {
        // A slot that begins or goes on is the same slot.
        let share = |slot: Option<&str>| -> f32 {
            tags.iter().zip(word).filter(|(tag, _)| tag.slot() == slot).map(|(_, share)| share).sum()
        };
        let (best, _) = tags.iter().zip(word).max_by(|one, other| one.1.total_cmp(other.1))?;
        if share(best.slot()) < least {
            return None;
        }
        let Some(slot) = best.slot() else { continue };
        match spans.last_mut() {
            Some(last) if matches!(best, Tag::Inside(_)) && last.slot == slot && last.end == at => {
                last.end = at + 1
            }
            _ => spans.push(SlotSpan { slot: slot.to_owned(), start: at, end: at + 1 }),
        }
    }
    Some(spans)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_one_slot_are_one_span_and_doubt_is_none() {
        let tags: Vec<Tag> = ["O", "B-area", "I-area", "B-name", "I-name"].map(Tag::named).into();
        let word = |best: usize| (0..5).map(move |tag| if tag == best { 0.8 } else { 0.05 });
        let said: Vec<f32> = [0, 1, 2, 3, 1, 4].into_iter().flat_map(word).collect();
        let found = spans(&tags, &said, 0.5).unwrap();
        let found: Vec<_> = found.iter().map(|span| (span.slot.as_str(), span.start, span.end)).collect();
        assert_eq!(found, [("area", 1, 3), ("name", 3, 4), ("area", 4, 5), ("name", 5, 6)]);
        assert_eq!(spans(&tags, &[0.2; 5], 0.5), None);
        assert_eq!(spans(&tags, &[0.0, 0.3, 0.4, 0.3, 0.0], 0.5).unwrap().len(), 1);
        assert_eq!(spans(&tags, &[], 0.5), Some(Vec::new()));
    }
}
