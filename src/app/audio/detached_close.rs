//! Waits for the sound system where nobody is held up: closing a device of a server that hangs takes as
//! long as the server hangs, and so does waiting for a thread that is opening one.

use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

/// Drops `device` on a thread of its own and waits at most `limit` for that. Without a thread to be had
/// it is dropped here.
pub(crate) fn close<T: Send + 'static>(device: T, limit: Duration) {
    let (ended, end) = channel::<()>();
    let closing = move || {
        drop(device);
        drop(ended);
    };
    // A failure drops the closure and the device with it, here.
    if std::thread::Builder::new().name("hark-closing".into()).spawn(closing).is_ok()
        && end.recv_timeout(limit) == Err(RecvTimeoutError::Timeout)
        && !limit.is_zero()
    {
        tracing::warn!("the sound system does not let go of a device; it is left behind");
    }
}

/// Tells a thread's owner that the thread has ended; lives as long as the thread.
pub(crate) struct Alive(#[allow(dead_code, reason = "its end is the message")] Sender<()>);

/// The owner's side.
pub(crate) struct Ending(Receiver<()>);

/// Both sides.
pub(crate) fn ending() -> (Alive, Ending) {
    let (sender, receiver) = channel();
    (Alive(sender), Ending(receiver))
}

impl Ending {
    /// Joins the thread, unless it has not ended within `limit`; then it is left behind.
    pub(crate) fn join_within(&self, thread: JoinHandle<()>, limit: Duration) {
        if self.0.recv_timeout(limit) == Err(RecvTimeoutError::Timeout) {
            tracing::warn!("the thread {} hangs and is left behind", thread.thread().name().unwrap_or("?"));
            return;
        }
        // A panic of the thread was already printed; there is nobody left to tell.
        let _ = thread.join();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Instant;

    struct Slow(Sender<()>);

    impl Drop for Slow {
        fn drop(&mut self) {
            std::thread::sleep(Duration::from_millis(300));
            let _ = self.0.send(());
        }
    }

    #[test]
    fn closing_holds_nobody_up_longer_than_wanted() {
        let (told, closed) = channel();
        let begun = Instant::now();
        close(Slow(told.clone()), Duration::ZERO);
        assert!(begun.elapsed() < Duration::from_millis(200));
        assert!(closed.recv_timeout(Duration::from_secs(10)).is_ok(), "it is closed all the same");
        close(Slow(told), Duration::from_secs(10));
        assert!(closed.try_recv().is_ok(), "waited for");
    }

    #[test]
    fn a_thread_that_hangs_is_left_behind() {
        let (alive, ending_of) = ending();
        let (free, held) = channel::<()>();
        let hanging = std::thread::spawn(move || {
            let _alive = alive;
            let _ = held.recv();
        });
        let begun = Instant::now();
        ending_of.join_within(hanging, Duration::from_millis(50));
        assert!(begun.elapsed() < Duration::from_secs(5));
        drop(free);
    }
}
