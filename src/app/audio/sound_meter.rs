//! What the microphone hears and how the echo fares, for whoever shows it: the pipeline's thread writes, others read.

use hark_core::api::{EchoFigure, Meter};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Older readings are of a microphone that brings nothing.
const FRESH: Duration = Duration::from_secs(1);

/// See the module.
#[derive(Default)]
pub(crate) struct SoundMeter(Mutex<Reading>);

#[derive(Clone, Copy, Default)]
struct Reading {
    meter: Meter,
    at: Option<Instant>,
    echo: Option<(EchoFigure, Instant)>,
}

impl SoundMeter {
    /// Notes what is heard.
    pub(crate) fn note(&self, heard: &hark_stt::pipeline::Meter) {
        let wake = heard.wake.iter().fold(0.0_f32, |best, (_, score)| best.max(*score));
        let mut reading = self.lock();
        reading.meter = Meter {
            is_open: !heard.muted,
            level_dbfs: heard.level_dbfs,
            speech: heard.vad,
            wake,
            echo: None,
        };
        reading.at = Some(Instant::now());
    }

    /// Notes how the echo fared.
    pub(crate) fn note_echo(&self, figure: EchoFigure) {
        self.lock().echo = Some((figure, Instant::now()));
    }

    pub(crate) fn read(&self) -> Meter {
        let Reading { meter, at, echo } = *self.lock();
        let is_open = meter.is_open && at.is_some_and(|at| at.elapsed() < FRESH);
        let meter = if is_open { meter } else { Meter::default() };
        let echo = echo.map(|(figure, at)| EchoFigure { age_s: at.elapsed().as_secs_f64(), ..figure });
        Meter { is_open, echo, ..meter }
    }

    fn lock(&self) -> MutexGuard<'_, Reading> {
        // Plain numbers: whole after every statement.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn heard(muted: bool) -> hark_stt::pipeline::Meter {
        hark_stt::pipeline::Meter {
            level_dbfs: -30.0,
            gain_db: 0.0,
            vad: 0.5,
            wake: vec![("a".into(), 0.1), ("b".into(), 0.3)],
            listening: false,
            muted,
        }
    }

    #[test]
    fn what_is_muted_or_old_is_not_told() {
        let meter = SoundMeter::default();
        assert_eq!(meter.read(), Meter::default());
        meter.note(&heard(false));
        let read = meter.read();
        assert_eq!((read.is_open, read.level_dbfs, read.wake), (true, -30.0, 0.3));
        meter.note(&heard(true));
        assert_eq!(meter.read(), Meter::default());
        meter.note(&heard(false));
        meter.lock().at = Instant::now().checked_sub(FRESH * 2);
        assert!(!meter.read().is_open);
    }

    #[test]
    fn the_echo_stays_and_grows_older() {
        let meter = SoundMeter::default();
        let figure =
            EchoFigure { erle_db: 31.0, delay_ms: 40, drift_ppm: 3.0, is_learning: false, age_s: 0.0 };
        meter.note_echo(figure);
        meter.note(&heard(true));
        let echo = meter.read().echo.unwrap();
        assert_eq!((echo.erle_db, echo.delay_ms), (31.0, 40));
        std::thread::sleep(Duration::from_millis(5));
        assert!(meter.read().echo.unwrap().age_s > echo.age_s);
    }
}
