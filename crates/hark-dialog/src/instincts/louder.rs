//! "Louder" and "quieter": Hark's own voice.

use super::Act;

pub(super) const ACT: Act = Act {
    intent: "HassSetVolumeRelative",
    phrases: &[
        "louder",
        "quieter",
        "a bit louder",
        "a bit quieter",
        "turn it up",
        "turn it down",
        "volume up",
        "volume down",
    ],
};
