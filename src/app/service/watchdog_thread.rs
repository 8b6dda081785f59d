//! Feeds systemd's watchdog from the count of processed blocks, when systemd watches.

use hark_telemetry::watchdog::{Decision, Notifier, Watchdog};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Instant;

/// Ends when dropped.
pub(crate) struct WatchdogThread {
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl WatchdogThread {
    /// Starts to feed. Without a watching systemd there is nothing to do and no thread.
    pub(crate) fn start(blocks: Arc<AtomicU64>) -> std::io::Result<Self> {
        let Some(timeout) = Notifier::watchdog_timeout() else {
            return Ok(Self { stop: None, thread: None });
        };
        let (stop, stopped) = channel();
        let watchdog = Watchdog::new(timeout, 0, blocks.load(Ordering::Relaxed));
        let thread = std::thread::Builder::new()
            .name("hark-watchdog".into())
            .spawn(move || feed(watchdog, &blocks, &stopped))?;
        Ok(Self { stop: Some(stop), thread: Some(thread) })
    }
}

impl Drop for WatchdogThread {
    fn drop(&mut self) {
        self.stop = None;
        if let Some(thread) = self.thread.take() {
            // A panic of the thread was already printed; there is nobody left to tell.
            let _ = thread.join();
        }
    }
}

fn feed(mut watchdog: Watchdog, blocks: &AtomicU64, stopped: &Receiver<()>) {
    let start = Instant::now();
    let mut starving = false;
    loop {
        match stopped.recv_timeout(watchdog.interval()) {
            Err(RecvTimeoutError::Timeout) => {}
            Ok(()) | Err(RecvTimeoutError::Disconnected) => return,
        }
        let now_ms = u64::try_from(start.elapsed().as_millis()).unwrap_or(u64::MAX);
        match watchdog.decide(now_ms, blocks.load(Ordering::Relaxed)) {
            Decision::Feed => Notifier.feed(),
            Decision::Wait => {}
            Decision::Starving { for_ms } if !starving => {
                starving = true;
                tracing::error!(for_ms, "no sound is processed any more; systemd will restart Hark");
                continue;
            }
            Decision::Starving { .. } => continue,
        }
        starving = false;
    }
}
