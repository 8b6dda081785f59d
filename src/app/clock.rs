//! The clock behind every stamp: monotonic, and the recording's own when one is played.

use hark_core::{Effort, Stamp};
use hark_home::zone::Zone;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

const LIVE: u64 = u64::MAX;

/// Shared by everything that stamps events.
#[derive(Debug)]
pub struct Clock {
    start: Instant,
    audio_ms: AtomicU64,
}

impl Clock {
    /// A clock for a microphone or for typed requests: real time.
    pub fn live() -> Self {
        Self { start: Instant::now(), audio_ms: AtomicU64::new(LIVE) }
    }

    /// A clock that stands at the beginning of a recording and is moved by `set_audio_ms`.
    pub fn recording(start: Instant) -> Self {
        Self { start, audio_ms: AtomicU64::new(0) }
    }

    /// Moves the recording's clock; it never goes back.
    pub fn set_audio_ms(&self, audio_ms: u64) {
        self.audio_ms.fetch_max(audio_ms, Ordering::Relaxed);
    }

    /// Now.
    pub fn now(&self) -> Stamp {
        let mono_us = u64::try_from(self.start.elapsed().as_micros()).unwrap_or(u64::MAX);
        let audio_ms = self.audio_ms.load(Ordering::Relaxed);
        Stamp { mono_us, audio_ms: (audio_ms != LIVE).then_some(audio_ms) }
    }

    /// The instant at which `clock_ms` is reached on a live clock.
    pub fn instant_at(&self, clock_ms: u64) -> Instant {
        self.start + Duration::from_millis(clock_ms)
    }
}

/// What understanding one request may take of the processor. Steps bound it first; this is for a slow machine.
const MAX_WORK: Duration = Duration::from_millis(170);

/// The same of finding a request among texts that were perhaps heard: another is begun while less was taken.
const MAX_WORK_OF_HEARD: Duration = Duration::from_millis(150);

/// How long this thread has worked.
fn worked() -> Duration {
    let worked = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::try_from(worked).unwrap_or_default()
}

/// What understanding one request may cost from now on, on this thread.
pub fn effort() -> Effort {
    Effort::within(MAX_WORK, worked)
}

/// What reading each of several texts may cost that were perhaps heard; none when they have cost too much together.
pub fn effort_of_heard() -> impl Fn() -> Option<Effort> {
    let began = worked();
    move || (worked().saturating_sub(began) < MAX_WORK_OF_HEARD).then(effort)
}

/// Wall clock in RFC 3339 with milliseconds.
pub fn wall_rfc3339() -> String {
    chrono::Local::now().to_rfc3339_opts(chrono::SecondsFormat::Millis, false)
}

/// Wall clock in milliseconds since the Unix epoch.
pub fn wall_unix_ms() -> i64 {
    chrono::Utc::now().timestamp_millis()
}

/// Wall clock of the place, without its zone, in whole milliseconds.
pub fn wall_local() -> chrono::NaiveDateTime {
    Zone::Local.wall(wall_unix_ms())
}
