//! "Louder" and "quieter": Hark's own voice.

use super::{Act, one_of};

/// Phrases, lower-case and without punctuation.
const PHRASES: &[&str] = &[
    "louder",
    "quieter",
    "a bit louder",
    "a bit quieter",
    "turn it up",
    "turn it down",
    "volume up",
    "volume down",
];

pub(super) const ACT: Act = Act { intent: "HassSetVolumeRelative", matches };

fn matches(text: &str) -> bool {
    one_of(text, PHRASES)
}
