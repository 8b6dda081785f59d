//! Tracks the clock drift between loudspeaker and microphone from the measured echo delays, and detects jumps (a stream
//! that stopped or skipped). The delay is steered back to where the canceller has learned it.

use hark_core::SAMPLE_RATE_HZ;
use std::collections::VecDeque;

/// Lags that are kept for the drift: some 30 s of speech, however long the pauses between them.
const KEPT: usize = 240;

/// So many lags, over so long, say what the drift is.
const MIN_LAGS: usize = 8;
const MIN_SPAN_S: f64 = 1.5;

/// Two clocks are never further apart than this.
const MAX_DRIFT: f64 = 400e-6;

/// Further off than this, in samples, and of one mind within [`AGREEMENT_TOLERANCE`], two lags are a jump. Twice as far where the drift
/// may have done it.
const MAX_LAG_ERROR: f64 = 12.0;
const AGREEMENT_TOLERANCE: f64 = 4.0;

/// What two clocks may have drifted unnoticed while nothing was heard: an error of the drift, not a jump.
const UNNOTICED_DRIFT: f64 = 50e-6;

/// A lag that is off is brought back within this time, at this speed at most, for the canceller to follow.
const CORRECTION_S: f64 = 2.0;
const MAX_SLEW: f64 = 100e-6;

/// Least and most lag at which the canceller does its work, in samples.
const LAGS: (f64, f64) = (48.0, 5600.0);

/// For so long what was heard of the echo says more about where it is than the devices do.
const FRESH_S: f64 = 600.0;

/// The lags of the echo behind the place that is read, in samples of 16 kHz.
#[derive(Debug, Default)]
pub(super) struct DriftTracker {
    /// When, in seconds, and how far the loudspeaker's stream was then ahead of one with the nominal speed.
    heard: VecDeque<(f64, f64)>,
    /// The lag that the canceller has learned.
    learned: Option<f64>,
    /// One that may be a jump.
    doubtful: Option<f64>,
    /// How far drift and slew have moved the place so far.
    moved: f64,
    samples: u64,
    drift: f64,
    slew: f64,
}

impl DriftTracker {
    /// The next `samples` are read at the speed that [`DriftTracker::speed`] says.
    pub(super) fn pass(&mut self, samples: usize) {
        self.samples += samples as u64;
        self.moved += (self.drift + self.slew) * samples as f64;
    }

    /// How fast to read, against the nominal speed.
    pub(super) fn speed(&self) -> f64 {
        1.0 + self.drift + self.slew
    }

    /// Speed of the loudspeaker's clock against the microphone's, less 1.
    pub(super) fn drift(&self) -> f64 {
        self.drift
    }

    /// Whether the echo was heard lately.
    pub(super) fn is_fresh(&self) -> bool {
        self.heard.back().is_some_and(|(at_s, _)| self.now_s() - at_s < FRESH_S)
    }

    /// A stream was opened anew: of the last one only the lag is known that the canceller has learned.
    pub(super) fn begin_anew(&mut self) {
        *self = Self { learned: self.learned, ..Self::default() };
    }

    /// Whether the echo has been found.
    pub(super) fn has_learned(&self) -> bool {
        self.learned.is_some()
    }

    /// Takes a lag that was heard. Answers by how many samples the place has to be moved because of a jump;
    /// there is sound for `room` samples of it.
    pub(super) fn echo(&mut self, lag: f64, room: f64) -> Option<f64> {
        let close = MAX_LAG_ERROR + self.unsure();
        if self.learned.is_none_or(|learned| (lag - learned).abs() > close) {
            let agreed =
                self.doubtful.replace(lag).is_some_and(|before| (lag - before).abs() < AGREEMENT_TOLERANCE);
            return if agreed { self.jump(lag, room) } else { None };
        }
        self.doubtful = None;
        self.note(lag);
        None
    }

    /// How far the streams may have drifted apart by what is not known of their clocks: until the drift is known, since
    /// the echo was first heard, and later in silence.
    fn unsure(&self) -> f64 {
        let (error, since) = if self.drift == 0.0 {
            (MAX_DRIFT, self.heard.front())
        } else {
            (UNNOTICED_DRIFT, self.heard.back())
        };
        let passed_s = since.map_or(0.0, |(at_s, _)| self.now_s() - at_s);
        (error * passed_s * f64::from(SAMPLE_RATE_HZ)).min(MAX_LAG_ERROR)
    }

    /// The lag is another one for certain.
    fn jump(&mut self, lag: f64, room: f64) -> Option<f64> {
        self.doubtful = None;
        let known = self.learned.unwrap_or(lag).clamp(LAGS.0, LAGS.1);
        // Sound that is not there cannot be read; then the canceller has to learn the new lag.
        let wanted = if known - lag > room { lag.max(LAGS.0) } else { known };
        if self.learned != Some(wanted) {
            // What was heard before was of another way.
            self.learned = Some(wanted);
            self.heard.clear();
        }
        let off = wanted - lag;
        let silent_s = self.heard.back().map_or(0.0, |(at_s, _)| self.now_s() - at_s);
        if off.abs() <= UNNOTICED_DRIFT * silent_s * f64::from(SAMPLE_RATE_HZ) {
            self.moved += off;
        }
        self.note(wanted);
        (off != 0.0).then_some(off)
    }

    /// Takes note of a lag that is as it should be, and reckons the speed.
    fn note(&mut self, lag: f64) {
        self.heard.push_back((self.now_s(), self.moved - lag));
        if self.heard.len() > KEPT {
            self.heard.pop_front();
        }
        if let Some(drift) = self.slope() {
            if self.drift == 0.0 {
                // What was lost until it was known is not made up for.
                self.learned = Some(lag);
            }
            self.drift = drift.clamp(-MAX_DRIFT, MAX_DRIFT);
        }
        let off = self.learned.unwrap_or(lag) - lag;
        self.slew = (off / (CORRECTION_S * f64::from(SAMPLE_RATE_HZ))).clamp(-MAX_SLEW, MAX_SLEW);
    }

    /// The median of the slopes between each lag and the one that came half of them later: a few wrong ones
    /// do not matter.
    fn slope(&self) -> Option<f64> {
        let (first, last) = (self.heard.front()?, self.heard.back()?);
        if self.heard.len() < MIN_LAGS || last.0 - first.0 < MIN_SPAN_S {
            return None;
        }
        let later = self.heard.iter().skip(self.heard.len() / 2);
        let mut slopes: Vec<f64> = (self.heard.iter().zip(later))
            .map(|(one, other)| (other.1 - one.1) / ((other.0 - one.0) * f64::from(SAMPLE_RATE_HZ)))
            .collect();
        let middle = slopes.len() / 2;
        Some(*slopes.select_nth_unstable_by(middle, f64::total_cmp).1)
    }

    fn now_s(&self) -> f64 {
        self.samples as f64 / f64::from(SAMPLE_RATE_HZ)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::noise;

    /// The echo's way: where the loudspeaker's stream is read, and where it is heard.
    struct SimulatedStreams {
        path: DriftTracker,
        read: f64,
        heard: f64,
        drift: f64,
    }

    impl SimulatedStreams {
        fn new(drift: f64) -> Self {
            Self { path: DriftTracker::default(), read: 640.0, heard: 0.0, drift }
        }

        fn pass(&mut self, samples: usize) {
            self.read += samples as f64 * self.path.speed();
            self.heard += samples as f64 * (1.0 + self.drift);
            self.path.pass(samples);
        }

        fn lag(&self) -> f64 {
            self.read - self.heard
        }

        /// An eighth of a second later somebody looks, and is wrong by so much. Answers whether the place was moved.
        fn look(&mut self, wrong: f64) -> bool {
            self.pass(2048);
            let moved = self.path.echo(self.lag() + wrong, 1600.0);
            self.read += moved.unwrap_or(0.0);
            moved.is_some()
        }

        fn drift_ppm(&self) -> f64 {
            self.path.drift() * 1e6
        }
    }

    #[test]
    fn the_drift_is_known_within_seconds_and_the_lag_stays_where_it_was_learned() {
        for drift_ppm in [0.0, 100.0, -100.0, 200.0, -200.0] {
            let mut way = SimulatedStreams::new(drift_ppm * 1e-6);
            for (look, wrong) in noise(400, 0.3).into_iter().enumerate() {
                // Now and then it takes something else for the echo.
                let wrong = if look % 9 == 8 { 300.0 } else { f64::from(wrong) };
                assert!(!way.look(wrong), "moved at look {look}");
                if look % 60 == 50 {
                    // A pause: nobody speaks for half a minute.
                    way.pass(480_000);
                }
                if look > 24 {
                    let (off, lag) = (way.drift_ppm() - drift_ppm, way.lag());
                    assert!(off.abs() < 20.0, "look {look}: {off} ppm off");
                    assert!((600.0..680.0).contains(&lag), "look {look}: {lag}");
                }
            }
            let off = way.drift_ppm() - drift_ppm;
            assert!(off.abs() < 1.0, "{off} ppm off");
        }
    }

    #[test]
    fn sound_that_is_lost_is_noticed_and_changes_nothing_else() {
        let mut way = SimulatedStreams { read: 3040.0, ..SimulatedStreams::new(50e-6) };
        for (look, wrong) in noise(200, 0.2).into_iter().enumerate() {
            if look == 100 {
                way.heard += 240.0;
            }
            if look == 150 {
                // More than there is sound for: this one is learned.
                way.heard += 2400.0;
            }
            let moved = way.look(f64::from(wrong));
            assert_eq!(moved, look == 101, "look {look}");
            if look > 101 {
                let lag = if look < 150 { 3040.0 } else { 640.0 };
                assert!((way.lag() - lag).abs() < 6.0, "look {look}: {}", way.lag());
                assert!((way.drift_ppm() - 50.0).abs() < 25.0, "look {look}: {}", way.drift_ppm());
            }
        }
    }

    #[test]
    fn the_place_goes_nowhere_where_no_sound_is_and_no_echo_comes_before_its_reference() {
        // Ahead of the place there is as much as is asked for.
        let mut path = DriftTracker::default();
        assert_eq!((path.echo(-300.0, 1600.0), path.echo(-300.0, 1600.0)), (None, Some(348.0)));
        // Later it should go ahead by more than there is.
        assert_eq!((path.echo(-900.0, 500.0), path.echo(-900.0, 500.0)), (None, Some(948.0)));
        let mut path = DriftTracker::default();
        assert_eq!((path.echo(900.0, 100.0), path.echo(900.0, 100.0)), (None, None));
        assert_eq!((path.echo(700.0, 100.0), path.echo(700.0, 100.0)), (None, None), "it learns that one");
        assert_eq!((path.echo(900.0, 100.0), path.echo(900.0, 100.0)), (None, Some(-200.0)));
        assert!(path.is_fresh());
        path.pass(600 * 16_000);
        assert!(!path.is_fresh());
    }
}
