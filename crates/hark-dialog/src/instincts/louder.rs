//! "Louder" and "quieter": Hark's own voice.

use super::Act;

pub(super) const ACT: Act = Act { intent: "HassSetVolumeRelative", phrases: |reflexes| reflexes.volume };
