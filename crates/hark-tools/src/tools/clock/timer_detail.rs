//! A timer as receipts show it.

use hark_core::timer::{Timer, TimerKind};
use serde_json::{Value, json};

/// As receipts show it.
pub(in crate::tools) fn shown(timer: &Timer) -> Value {
    let total = timer.duration_ms / 1000;
    // The name of a command is the request: "the turn off the lamp timer" is no name.
    let name = timer.name.as_ref().filter(|_| timer.kind != TimerKind::Command);
    json!({
        "id": timer.id, "name": name,
        "hours": total / 3600, "minutes": total / 60 % 60, "seconds": total % 60,
        "total_seconds": total,
    })
}
