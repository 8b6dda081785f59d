//! "Why did you do that": what the last request was taken for.

use super::{Act, one_of};

/// Phrases, lower-case and without punctuation.
const PHRASES: &[&str] = &["why", "why did you do that", "why did you do it", "why that"];

pub(super) const ACT: Act = Act { intent: "HarkWhy", matches };

fn matches(text: &str) -> bool {
    one_of(text, PHRASES)
}
