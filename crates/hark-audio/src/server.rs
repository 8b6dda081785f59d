//! Devices of a sound server, worked by the clock instead of by their own wake-up.
//!
//! The ALSA plugins of PulseAudio and PipeWire have no interrupts: they wake their user for every message
//! of the server, which comes in pieces of its own size. Whoever waits for whole periods, as cpal does, is
//! woken several times for each, and while less than a period of a captured piece is left, again at once,
//! which keeps up to a third of a core busy. Moving whatever there is every few milliseconds costs the same
//! few thousandths of a core whatever the server does. A card's own device wakes its user well; cpal has it.

use alsa::pcm::{Access, HwParams, IoFormat, PCM};
use alsa::{Direction, ValueOr};
use cpal::{FromSample, SampleFormat, SizedSample, SupportedStreamConfig};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

// From errno(3), the same on every Linux.
const EAGAIN: i32 = 11;
const EPIPE: i32 = 32;
const ESTRPIPE: i32 = 86;

/// A device of a sound server, prepared but not worked yet.
pub struct Opened {
    /// The device.
    pub pcm: PCM,
    config: SupportedStreamConfig,
}

/// What is done with a device, whatever its kind of samples.
pub trait Job: Send + 'static {
    /// Works until it shall stop.
    ///
    /// # Errors
    /// When the device is lost.
    fn work<T>(self, pcm: &PCM, config: &SupportedStreamConfig, stop: &AtomicBool) -> alsa::Result<()>
    where
        T: IoFormat + SizedSample + FromSample<f32>,
        f32: FromSample<T>;
}

/// Opens and prepares the device when a sound server stands behind it, with samples of the same kind as
/// `config` has; the server is asked for pieces of `period` and to hold `buffer`. `None` when a card stands
/// behind it, when it cannot do what it promised, or when its samples are of a kind that no server has:
/// then cpal may try.
pub fn open(
    name: &str,
    direction: Direction,
    config: SupportedStreamConfig,
    (period, buffer): (Duration, Duration),
) -> Option<Opened> {
    let prepared = || -> alsa::Result<Option<PCM>> {
        let name = std::ffi::CString::new(name).map_err(|_| alsa::Error::unsupported("name"))?;
        let pcm = PCM::open(&name, direction, true)?;
        // What has no card is made by a plugin.
        if pcm.info()?.get_card() >= 0 {
            return Ok(None);
        }
        match config.sample_format() {
            SampleFormat::F32 => prepare::<f32>(&pcm, &config, period, buffer)?,
            SampleFormat::I16 => prepare::<i16>(&pcm, &config, period, buffer)?,
            SampleFormat::I32 => prepare::<i32>(&pcm, &config, period, buffer)?,
            _ => return Ok(None),
        }
        Ok(Some(pcm))
    };
    let pcm = prepared().unwrap_or_else(|error| {
        tracing::debug!("{name} is not worked by the clock: {error}");
        None
    })?;
    Some(Opened { pcm, config })
}

impl Opened {
    /// Starts a thread that does the job, and calls `lost` when that ends with the device.
    ///
    /// # Errors
    /// When the system gives no thread, in words for people.
    pub fn start(
        self,
        thread: &str,
        job: impl Job,
        lost: impl FnOnce(alsa::Error) + Send + 'static,
    ) -> Result<Work, String> {
        let Self { pcm, config } = self;
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = Arc::clone(&stop);
        let work = move || {
            let worked = match config.sample_format() {
                SampleFormat::I16 => job.work::<i16>(&pcm, &config, &stopped),
                SampleFormat::I32 => job.work::<i32>(&pcm, &config, &stopped),
                _ => job.work::<f32>(&pcm, &config, &stopped),
            };
            if let Err(error) = worked {
                lost(error);
            }
        };
        let thread = std::thread::Builder::new().name(thread.into()).spawn(work);
        Ok(Work { stop, thread: Some(thread.map_err(|error| error.to_string())?) })
    }
}

fn prepare<T: IoFormat>(
    pcm: &PCM,
    config: &SupportedStreamConfig,
    period: Duration,
    buffer: Duration,
) -> alsa::Result<()> {
    let wanted = HwParams::any(pcm)?;
    wanted.set_access(Access::RWInterleaved)?;
    wanted.set_format(T::FORMAT)?;
    wanted.set_channels(config.channels().into())?;
    wanted.set_rate(config.sample_rate(), ValueOr::Nearest)?;
    wanted.set_period_time_near(period.as_micros() as u32, ValueOr::Nearest)?;
    wanted.set_buffer_time_near(buffer.as_micros() as u32, ValueOr::Nearest)?;
    pcm.hw_params(&wanted)?;
    pcm.prepare()
}

/// Makes the device usable again after sound was lost, and tells whether it was; any other error is the
/// end of the device.
///
/// # Errors
/// The error given when the device is lost, or the one of preparing it.
pub fn recover(pcm: &PCM, error: alsa::Error) -> alsa::Result<bool> {
    match error.errno() {
        EAGAIN => Ok(false),
        EPIPE | ESTRPIPE => pcm.prepare().map(|()| true),
        _ => Err(error),
    }
}

/// A thread that works a device. Dropping it ends the thread, and so closes the device.
pub struct Work {
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Drop for Work {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Release);
        if let Some(thread) = self.thread.take() {
            // A panic of the thread was already printed; there is nobody left to tell.
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cpal::SupportedBufferSize;

    const TIMES: (Duration, Duration) = (Duration::from_millis(10), Duration::from_millis(50));

    fn config(format: SampleFormat) -> SupportedStreamConfig {
        SupportedStreamConfig::new(1, 16_000, SupportedBufferSize::Unknown, format)
    }

    #[test]
    fn what_is_not_there_or_of_another_kind_is_left_to_cpal() {
        for direction in [Direction::Capture, Direction::Playback] {
            assert!(open("null", direction, config(SampleFormat::U8), TIMES).is_none());
            assert!(open("no such device", direction, config(SampleFormat::F32), TIMES).is_none());
            assert!(open("nul\0", direction, config(SampleFormat::F32), TIMES).is_none());
        }
    }

    #[test]
    fn lost_sound_is_gone_on_from_and_a_lost_device_is_not() {
        let Some(Opened { pcm, .. }) = open("null", Direction::Playback, config(SampleFormat::F32), TIMES)
        else {
            return;
        };
        let error = |errno| alsa::Error::new("snd_pcm_writei", errno);
        assert!(!recover(&pcm, error(EAGAIN)).expect("nothing happened"));
        assert!(recover(&pcm, error(EPIPE)).expect("prepared again"));
        let gone = 19;
        assert_eq!(recover(&pcm, error(gone)).expect_err("no such device").errno(), gone);
    }
}
