//! "Undo that": what was done last is taken back.

use super::Act;

pub(super) const ACT: Act =
    Act { intent: "HarkUndo", phrases: &["undo", "undo that", "undo it", "take that back", "take it back"] };
