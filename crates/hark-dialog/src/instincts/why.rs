//! "Why did you do that": what the last request was taken for.

use super::Act;

pub(super) const ACT: Act = Act { intent: "HarkWhy", phrases: |reflexes| reflexes.why };
