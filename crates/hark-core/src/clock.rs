//! Time as the turn machine sees it: only what comes with an event, never a clock read.

use serde::{Deserialize, Serialize};

/// When something happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
pub struct Stamp {
    /// Monotonic microseconds since the program started.
    pub mono_us: u64,
    /// Position in the recording in milliseconds, when the source is a recording that is played
    /// faster than real time; then it, not `mono_us`, is the clock that deadlines run on.
    pub audio_ms: Option<u64>,
}

impl Stamp {
    /// A stamp on the live clock.
    pub fn live(mono_us: u64) -> Self {
        Self { mono_us, audio_ms: None }
    }

    /// The same clock, `ms` earlier.
    pub fn earlier_by_ms(&self, ms: u64) -> Self {
        match self.audio_ms {
            Some(audio_ms) => Self { audio_ms: Some(audio_ms.saturating_sub(ms)), ..*self },
            None => Self { mono_us: self.mono_us.saturating_sub(ms * 1000), ..*self },
        }
    }

    /// Milliseconds on the clock that deadlines run on.
    pub fn clock_ms(&self) -> u64 {
        self.audio_ms.unwrap_or(self.mono_us / 1000)
    }

    /// Monotonic milliseconds since the program started.
    pub fn t_ms(&self) -> f64 {
        self.mono_us as f64 / 1000.0
    }

    /// Milliseconds a person would have waited since `earlier`. With a recording played as fast as
    /// possible that is the audio that passed plus the time spent computing.
    pub fn waited_ms(&self, earlier: Stamp) -> f64 {
        let computed = self.mono_us.saturating_sub(earlier.mono_us) as f64 / 1000.0;
        match (self.audio_ms, earlier.audio_ms) {
            (Some(now), Some(then)) => computed + now.saturating_sub(then) as f64,
            _ => computed,
        }
    }
}
