//! "Undo that": what was done last is taken back.

use super::Act;

pub(super) const ACT: Act = Act { intent: "HarkUndo", phrases: |reflexes| reflexes.undo };
