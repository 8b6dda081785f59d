//! Tells systemd that Hark is ready, and that it still hears: the watchdog is fed only when blocks of
//! audio were really processed, so that a daemon gone deaf is restarted.

use sd_notify::NotifyState;
use std::time::Duration;

/// What to do about the watchdog now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decision {
    /// Audio moved on: tell systemd.
    Feed,
    /// Too early to tell.
    Wait,
    /// Nothing was processed for longer than a feeding is due; systemd will restart the service when
    /// it goes on.
    Starving {
        /// How long the count has stood still, in milliseconds.
        for_ms: u64,
    },
}

/// Decides from the count of processed blocks. Pure: the caller brings clock and count.
#[derive(Debug, Clone)]
pub struct Watchdog {
    /// A feeding is due this often: half of what systemd waits, as sd_watchdog_enabled(3) advises.
    interval_ms: u64,
    fed_ms: u64,
    moved_ms: u64,
    blocks: u64,
}

impl Watchdog {
    /// A watchdog that systemd expects to hear from within `timeout`; `now_ms` and `blocks` are where
    /// clock and count begin.
    pub fn new(timeout: Duration, now_ms: u64, blocks: u64) -> Self {
        let half = u64::try_from(timeout.as_millis() / 2).unwrap_or(u64::MAX);
        Self { interval_ms: half.max(1), fed_ms: now_ms, moved_ms: now_ms, blocks }
    }

    /// How often [`Watchdog::decide`] should be asked.
    pub fn interval(&self) -> Duration {
        // Twice within a feeding, so that one late look does not make it miss its time.
        Duration::from_millis((self.interval_ms / 2).max(1))
    }

    /// What to do at `now_ms` (monotonic) with `blocks` processed since the start. The count must go on
    /// while the microphone is muted, since muted blocks are still taken in; a daemon that runs without
    /// a microphone brings a count of its own main loop instead. A count that went back (a part was
    /// restarted) is a count that moved.
    pub fn decide(&mut self, now_ms: u64, blocks: u64) -> Decision {
        let moved = blocks != self.blocks;
        if moved {
            self.blocks = blocks;
            self.moved_ms = now_ms;
        }
        let still_ms = now_ms.saturating_sub(self.moved_ms);
        if still_ms > self.interval_ms {
            return Decision::Starving { for_ms: still_ms };
        }
        let due = now_ms.saturating_sub(self.fed_ms) >= self.interval_ms;
        // What moved since the last feeding feeds it, whenever that was looked at.
        if due && self.moved_ms > self.fed_ms {
            self.fed_ms = now_ms;
            return Decision::Feed;
        }
        Decision::Wait
    }
}

/// Whether systemd started this program as a service that says when it is ready.
pub fn under_systemd() -> bool {
    std::env::var_os("NOTIFY_SOCKET").is_some()
}

/// The line to systemd. Without `$NOTIFY_SOCKET` it leads nowhere and every call does nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct Notifier;

impl Notifier {
    /// How long systemd waits for the watchdog; `None` when it does not watch this process.
    pub fn watchdog_timeout() -> Option<Duration> {
        sd_notify::watchdog_enabled()
    }

    /// Start-up is over; `status` is shown by `systemctl status`.
    pub fn ready(self, status: &str) {
        send(&[NotifyState::Ready, NotifyState::Status(status)]);
    }

    /// The configuration is being read anew; [`Notifier::ready`] tells that this is over.
    pub fn reloading(self) {
        match NotifyState::monotonic_usec_now() {
            Ok(now) => send(&[NotifyState::Reloading, now]),
            Err(error) => tracing::warn!(%error, "systemd is not told of the reload: there is no clock"),
        }
    }

    /// What Hark does, for `systemctl status`.
    pub fn status(self, status: &str) {
        send(&[NotifyState::Status(status)]);
    }

    /// Feeds the watchdog.
    pub fn feed(self) {
        send(&[NotifyState::Watchdog]);
    }

    /// Shutting down.
    pub fn stopping(self) {
        send(&[NotifyState::Stopping]);
    }
}

fn send(state: &[NotifyState<'_>]) {
    if let Err(error) = sd_notify::notify(state) {
        tracing::warn!(%error, "systemd could not be told; it may restart the service");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Asks every 250 ms; `blocks` says how many there are at a time.
    fn feedings(timeout_ms: u64, until_ms: u64, blocks: impl Fn(u64) -> u64) -> Vec<u64> {
        let mut watchdog = Watchdog::new(Duration::from_millis(timeout_ms), 0, 0);
        (1..=until_ms / 250)
            .map(|step| step * 250)
            .filter(|now| watchdog.decide(*now, blocks(*now)) == Decision::Feed)
            .collect()
    }

    #[test]
    fn moving_audio_feeds_twice_within_the_timeout() {
        assert_eq!(feedings(2000, 5000, |now| now / 32), [1000, 2000, 3000, 4000, 5000]);
    }

    #[test]
    fn standing_audio_never_feeds() {
        assert!(feedings(2000, 10_000, |_| 0).is_empty());
        // It stops after three seconds: what moved before still counts once, then no more.
        assert_eq!(feedings(2000, 10_000, |now| now.min(3000) / 32), [1000, 2000, 3000]);
    }

    #[test]
    fn starving_is_told_with_its_length_and_ends_when_audio_comes_back() {
        let mut watchdog = Watchdog::new(Duration::from_secs(2), 0, 0);
        assert_eq!(watchdog.decide(900, 0), Decision::Wait);
        assert_eq!(watchdog.decide(2500, 0), Decision::Starving { for_ms: 2500 });
        assert_eq!(watchdog.decide(2600, 1), Decision::Feed);
        assert_eq!(watchdog.decide(2700, 2), Decision::Wait);
    }

    #[test]
    fn a_count_that_starts_anew_has_moved() {
        let mut watchdog = Watchdog::new(Duration::from_secs(2), 0, 500);
        assert_eq!(watchdog.decide(1000, 3), Decision::Feed);
    }

    #[test]
    fn a_clock_that_goes_back_does_no_harm() {
        let mut watchdog = Watchdog::new(Duration::from_millis(1), u64::MAX, u64::MAX);
        assert_eq!(watchdog.decide(0, 0), Decision::Wait);
    }

    /// The process behind [`systemd_hears_ready_feeding_and_stopping`]; does nothing by itself.
    #[test]
    #[ignore = "run by another test with a socket of its own"]
    fn speaks_to_systemd() {
        let notifier = Notifier;
        notifier.ready("listening");
        notifier.feed();
        notifier.stopping();
        assert_eq!(Notifier::watchdog_timeout(), Some(Duration::from_secs(10)));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn systemd_hears_ready_feeding_and_stopping() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("notify");
        let socket = std::os::unix::net::UnixDatagram::bind(&path).unwrap();
        socket.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
        let child = std::process::Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "watchdog::tests::speaks_to_systemd", "--ignored"])
            .env("NOTIFY_SOCKET", &path)
            .env("WATCHDOG_USEC", "10000000")
            .env_remove("WATCHDOG_PID")
            .output()
            .unwrap();
        assert!(child.status.success(), "{}", String::from_utf8_lossy(&child.stdout));
        let mut heard = Vec::new();
        let mut buffer = [0_u8; 256];
        for _ in 0..3 {
            let length = socket.recv(&mut buffer).unwrap();
            heard.push(String::from_utf8_lossy(&buffer[..length]).trim().to_owned());
        }
        assert_eq!(heard, ["READY=1\nSTATUS=listening", "WATCHDOG=1", "STOPPING=1"]);
    }

    #[test]
    fn without_systemd_nothing_happens() {
        Notifier.ready("listening");
        Notifier.feed();
    }
}
