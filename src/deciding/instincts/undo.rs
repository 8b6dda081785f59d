//! "Undo that": what was done last is taken back.

use super::{Act, one_of};

/// Phrases, lower-case and without punctuation.
const PHRASES: &[&str] = &["undo", "undo that", "undo it", "take that back", "take it back"];

pub(super) const ACT: Act = Act { intent: "HarkUndo", matches };

fn matches(text: &str) -> bool {
    one_of(text, PHRASES)
}
