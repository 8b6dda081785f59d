//! Timers as they are stored and shown.

use super::ids::TimerId;
use serde::{Deserialize, Serialize};

/// Where a timer stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TimerState {
    /// Running towards `due_unix_ms`.
    Running,
    /// Stopped with `remaining_ms` left.
    Paused,
    /// Due, and not acknowledged yet.
    Ringing,
}

/// One timer. Times are wall clock, so that a power cut does not lose it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Timer {
    /// Stable id.
    pub id: TimerId,
    /// What the person calls it, such as `pizza`; `None` for an unnamed one.
    pub name: Option<String>,
    /// Area it was set in, when known.
    pub area: Option<String>,
    /// Length first asked for, in milliseconds.
    pub duration_ms: u64,
    /// When it was set, milliseconds since the Unix epoch.
    pub created_unix_ms: i64,
    /// When it rings; meaningful while running or ringing.
    pub due_unix_ms: i64,
    /// What is left; meaningful while paused.
    pub remaining_ms: u64,
    /// Where it stands.
    pub state: TimerState,
}

/// What happened to a timer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TimerChange {
    /// Set.
    Started,
    /// Length, pause or name changed.
    Updated,
    /// It is due and rings.
    Finished,
    /// The person heard it.
    Acknowledged,
    /// Taken away before it was due.
    Cancelled,
}
