//! Timers, alarms and reminders as they are stored and shown.

use super::ids::TimerId;
use serde::{Deserialize, Serialize};

/// What it is to the person who set it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TimerKind {
    /// So long from now.
    #[default]
    Timer,
    /// At a time of day.
    Alarm,
    /// At a time, with something to be said: its name.
    Reminder,
    /// So long from now or at a time, to do what its name says rather than to ring.
    Command,
}

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

/// One timer, alarm or reminder. Times are wall clock, so that a power cut does not lose it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Timer {
    /// Stable id.
    pub id: TimerId,
    /// What it is.
    #[serde(default)]
    pub kind: TimerKind,
    /// What the person calls it, such as `pizza`; `None` for an unnamed one. Of a reminder: what to
    /// say; of a command: the request.
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
    /// When it comes again once it was heard, in local time: a rule of RFC 5545 without its prefix, such as
    /// `FREQ=DAILY;BYHOUR=7;BYMINUTE=0`, or a line of cron, such as `0 9 * * *`; `None` when it rings once.
    #[serde(default)]
    pub recurrence: Option<String>,
    /// What the clock on the wall shows when it rings, such as `2027-03-28T07:00:00`, where a time of day was meant:
    /// it rings then although the house gets another time zone. `None` for a length of time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wall: Option<String>,
    /// The last of the times of what repeats that was left out, as the clock on the wall shows it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skipped: Option<String>,
}

impl Timer {
    /// Name of the ring that falls due as it stands now: stable over restarts, another one after a snooze or at the
    /// next time of what repeats.
    pub fn ring_id(&self) -> String {
        format!("{}@{}", self.id.0, self.due_unix_ms)
    }
}

/// That a timer rang: one for every timer and due time, however often the program was started in between.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ring {
    /// Which.
    pub timer: TimerId,
    /// When it was due, milliseconds since the Unix epoch.
    pub due_unix_ms: i64,
    /// The world was told that it began to ring.
    pub told: bool,
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
    /// It rings on: it began to before the program was started again, which was told then.
    RingsOn,
    /// The person heard it.
    Acknowledged,
    /// It rang for as long as it may, and nobody said anything.
    Unheard,
    /// Taken away before it was due.
    Cancelled,
}

impl TimerChange {
    /// Whether it tells of a ring.
    pub fn is_of_a_ring(self) -> bool {
        matches!(self, Self::Finished | Self::RingsOn | Self::Acknowledged | Self::Unheard)
    }
}
