//! A loudspeaker of a sound server, fed by the clock.

use super::device_health::{ERRORS_FOR, Health};
use super::playback::PlaybackSource;
use alsa::Direction;
use alsa::pcm::{IO, IoFormat, PCM, State};
use cpal::{FromSample, SizedSample, SupportedStreamConfig};
use hark_audio::server::{self, Job, Opened, Work};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// How much sound the server takes at a time; with 10 ms silence cost half a percent of a core more.
const PERIOD: Duration = Duration::from_millis(15);

/// How often is written unless it may rest.
const WRITE_EVERY: Duration = Duration::from_millis(5);

/// Periods that are there after writing silence: what is said waits for them.
const AHEAD_PERIODS: i64 = 2;

/// The same of sound, which must not run out should this thread come late: the server would go on without it,
/// and what is heard would no longer be where the echo is looked for.
const AHEAD_SOUNDING_PERIODS: i64 = 4;

/// The same while there is nothing to play and nobody speaks, in rests of two periods, which costs half. Sound
/// ends the rest, and nobody waits for that sound.
const AHEAD_RESTING_PERIODS: i64 = 5;

/// Periods that the server's buffer holds: more than it is ever asked to.
const BUFFER_PERIODS: u32 = 6;

/// Opens the device when a sound server stands behind it; else cpal may try.
pub(super) fn open(name: &str, config: SupportedStreamConfig) -> Option<Opened> {
    server::open(name, Direction::Playback, config, (PERIOD, PERIOD * BUFFER_PERIODS))
}

/// Begins to feed it from the ring; it starts with the first period.
///
/// # Errors
/// When there is no thread, in words for people.
pub(super) fn start(opened: Opened, source: PlaybackSource, health: Arc<Health>) -> Result<Work, String> {
    let feeding = Feeding { source, health: Arc::clone(&health) };
    opened.start("hark-loudspeaker", feeding, move |error| health.fail(&error))
}

/// From the ring to the device.
struct Feeding {
    source: PlaybackSource,
    health: Arc<Health>,
}

impl Job for Feeding {
    fn work<T>(self, pcm: &PCM, config: &SupportedStreamConfig, stop: &AtomicBool) -> alsa::Result<()>
    where
        T: IoFormat + SizedSample + FromSample<f32>,
    {
        let io = pcm.io_checked::<T>()?;
        let (buffer, period) = pcm.get_params()?;
        let samples = period as usize * usize::from(config.channels());
        let mut hand = Hand {
            source: self.source,
            buffer_frames: buffer as i64,
            period_frames: period as i64,
            rate_hz: config.sample_rate(),
            played: vec![0.0; samples],
            converted: vec![T::EQUILIBRIUM; samples],
        };
        hand.source.wake_when_there_is_sound(std::thread::current());
        let mut well = Instant::now();
        while !stop.load(Ordering::Acquire) {
            match hand.give(pcm, &io).map(|()| false).or_else(|error| server::recover(pcm, error)) {
                Ok(gap) => {
                    if gap {
                        self.health.note_xrun();
                    }
                    well = Instant::now();
                }
                Err(error) if well.elapsed() >= ERRORS_FOR => return Err(error),
                Err(_) => {}
            }
            // Sound that comes meanwhile ends it.
            std::thread::park_timeout(if hand.source.may_rest() { 2 * PERIOD } else { WRITE_EVERY });
        }
        Ok(())
    }
}

/// A period of sound on its way, in the device's own kind of samples.
struct Hand<T> {
    source: PlaybackSource,
    buffer_frames: i64,
    period_frames: i64,
    rate_hz: u32,
    /// One period as it is played, and as the device takes it.
    played: Vec<f32>,
    converted: Vec<T>,
}

impl<T: IoFormat + SizedSample + FromSample<f32>> Hand<T> {
    /// Writes the periods that are missing.
    fn give(&mut self, pcm: &PCM, io: &IO<'_, T>) -> alsa::Result<()> {
        // A stream that has not begun has no delay, and PulseAudio's calls asking for it an error.
        let begun = pcm.state() != State::Prepared;
        let (room, mut delay) = if begun { pcm.avail_delay()? } else { (self.buffer_frames, 0) };
        let now = Instant::now();
        let mut there = self.buffer_frames - room;
        loop {
            let periods = match (self.source.is_silent(), self.source.may_rest()) {
                (false, _) => AHEAD_SOUNDING_PERIODS,
                (true, true) => AHEAD_RESTING_PERIODS,
                (true, false) => AHEAD_PERIODS,
            };
            // To the nearest period: servers do not always take whole ones.
            if there + self.period_frames / 2 > periods * self.period_frames {
                break;
            }
            let ahead = Duration::from_secs(1) * u32::try_from(delay).unwrap_or(0) / self.rate_hz;
            self.source.fill_at(&mut self.played, now + ahead);
            for (to, from) in self.converted.iter_mut().zip(&self.played) {
                *to = T::from_sample(*from);
            }
            io.writei(&self.converted)?;
            there += self.period_frames;
            delay += self.period_frames;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::playback::{ItemReport, playback};
    use super::*;
    use cpal::{SampleFormat, SupportedBufferSize};

    #[test]
    fn the_device_is_fed_until_it_is_dropped() {
        for format in [SampleFormat::F32, SampleFormat::I16, SampleFormat::I32] {
            // ALSA's own device of silence has no card and no server, and is there without any sound system.
            let config = SupportedStreamConfig::new(2, 16_000, SupportedBufferSize::Unknown, format);
            let Some(opened) = open("null", config) else { continue };
            let (mut feeder, source) = playback(16_000, 2, 500);
            feeder.begin(7);
            assert_eq!(feeder.push(&[0.5; 1600]), 1600);
            feeder.end();
            let health = Arc::new(Health::default());
            let feeding = start(opened, source, Arc::clone(&health)).expect("start");
            let (begun, mut reports) = (Instant::now(), Vec::new());
            while reports.len() < 2 && begun.elapsed() < Duration::from_secs(5) {
                std::thread::sleep(Duration::from_millis(5));
                feeder.poll(|id, report| reports.push((id, report)));
            }
            assert_eq!(reports, [(7, ItemReport::Begun), (7, ItemReport::Drained)], "{format:?}");
            drop(feeding);
            let calls = feeder.control().calls();
            std::thread::sleep(2 * PERIOD);
            assert_eq!(feeder.control().calls(), calls, "it is closed");
            assert_eq!(health.failure(), None);
        }
    }
}
