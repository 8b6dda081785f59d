//! A microphone of a sound server, read by the clock instead of by its own wake-up.
//!
//! A sound server's ALSA plugin (PulseAudio's, PipeWire's) sends sound in pieces of its own size. While
//! less than a period of a piece is left, PulseAudio's reports that there is something to read and then
//! that there is not enough, so whoever waits for whole periods, as cpal does, asks again at once and
//! keeps up to a third of a core busy. Reading whatever is there every few milliseconds costs the same
//! third of a percent whatever the server does. A card's own device wakes its reader well; cpal has it.

use super::microphone::Troubles;
use super::ring::CaptureWriter;
use alsa::pcm::{Access, HwParams, IO, IoFormat, PCM};
use alsa::{Direction, ValueOr};
use cpal::{FromSample, SampleFormat, SizedSample, SupportedStreamConfig};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// How often is read, and how much sound the server is asked to send at a time.
const READ_EVERY: Duration = Duration::from_millis(10);

/// How often while the ear is in no hurry.
const READ_UNHURRIED_EVERY: Duration = Duration::from_millis(50);

/// Sound that the server keeps when this thread comes late.
const BUFFER_US: u32 = 250_000;

// From errno(3), the same on every Linux.
const EAGAIN: i32 = 11;
const EPIPE: i32 = 32;
const ESTRPIPE: i32 = 86;

/// A microphone of a sound server, opened but not read yet.
pub(super) struct Opened {
    pcm: PCM,
    config: SupportedStreamConfig,
}

/// A microphone that is being read. Dropping it closes the device.
pub(super) struct Reading {
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

/// Opens the device when a sound server stands behind it; `None` when a card does, when it cannot do
/// what it promised, or when its samples are of a kind that no server has: then cpal may try.
pub(super) fn open(name: &str, config: SupportedStreamConfig) -> Option<Opened> {
    let prepared = || -> alsa::Result<Option<PCM>> {
        let name = std::ffi::CString::new(name).map_err(|_| alsa::Error::unsupported("name"))?;
        let pcm = PCM::open(&name, Direction::Capture, true)?;
        // What has no card is made by a plugin.
        if pcm.info()?.get_card() >= 0 {
            return Ok(None);
        }
        match config.sample_format() {
            SampleFormat::F32 => prepare::<f32>(&pcm, &config)?,
            SampleFormat::I16 => prepare::<i16>(&pcm, &config)?,
            SampleFormat::I32 => prepare::<i32>(&pcm, &config)?,
            _ => return Ok(None),
        }
        Ok(Some(pcm))
    };
    match prepared() {
        Ok(pcm) => Some(Opened { pcm: pcm?, config }),
        Err(error) => {
            tracing::debug!("{name} is not read by the clock: {error}");
            None
        }
    }
}

fn prepare<T: IoFormat>(pcm: &PCM, config: &SupportedStreamConfig) -> alsa::Result<()> {
    let wanted = HwParams::any(pcm)?;
    wanted.set_access(Access::RWInterleaved)?;
    wanted.set_format(T::FORMAT)?;
    wanted.set_channels(config.channels().into())?;
    wanted.set_rate(config.sample_rate(), ValueOr::Nearest)?;
    wanted.set_period_time_near(READ_EVERY.as_micros() as u32, ValueOr::Nearest)?;
    wanted.set_buffer_time_near(BUFFER_US, ValueOr::Nearest)?;
    pcm.hw_params(&wanted)?;
    pcm.prepare()
}

impl Opened {
    /// Begins to read into the ring.
    ///
    /// # Errors
    /// When the device does not start or there is no thread, in words for people.
    pub(super) fn start(self, writer: CaptureWriter, troubles: Arc<Troubles>) -> Result<Reading, String> {
        self.pcm.start().map_err(|error| error.to_string())?;
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = Arc::clone(&stop);
        let Self { pcm, config } = self;
        let run = move || {
            let read = match config.sample_format() {
                SampleFormat::I16 => read::<i16>(&pcm, &config, writer, &troubles, &stopped),
                SampleFormat::I32 => read::<i32>(&pcm, &config, writer, &troubles, &stopped),
                _ => read::<f32>(&pcm, &config, writer, &troubles, &stopped),
            };
            if let Err(error) = read {
                troubles.lose(&error);
            }
        };
        let thread = std::thread::Builder::new().name("hark-microphone".into()).spawn(run);
        Ok(Reading { stop, thread: Some(thread.map_err(|error| error.to_string())?) })
    }
}

impl Drop for Reading {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Release);
        if let Some(thread) = self.thread.take() {
            // A panic of the thread was already printed; there is nobody left to tell.
            let _ = thread.join();
        }
    }
}

/// Reads until it shall stop or the device is lost.
fn read<T>(
    pcm: &PCM,
    config: &SupportedStreamConfig,
    mut writer: CaptureWriter,
    troubles: &Troubles,
    stop: &AtomicBool,
) -> alsa::Result<()>
where
    T: IoFormat + SizedSample,
    f32: FromSample<T>,
{
    let (rate_hz, channels) = (config.sample_rate(), usize::from(config.channels()));
    let io = pcm.io_checked::<T>()?;
    let most = (u64::from(rate_hz) * u64::from(BUFFER_US) / 1_000_000) as usize;
    let mut samples = vec![T::EQUILIBRIUM; most * channels];
    while !stop.load(Ordering::Acquire) {
        if let Err(error) = take(pcm, &io, &mut samples, rate_hz, channels, &mut writer) {
            recover(pcm, error, troubles)?;
        }
        std::thread::sleep(if writer.unhurried() { READ_UNHURRIED_EVERY } else { READ_EVERY });
    }
    Ok(())
}

/// Takes what is there now.
fn take<T>(
    pcm: &PCM,
    io: &IO<'_, T>,
    samples: &mut [T],
    rate_hz: u32,
    channels: usize,
    writer: &mut CaptureWriter,
) -> alsa::Result<()>
where
    T: IoFormat + SizedSample,
    f32: FromSample<T>,
{
    let (there, delay) = pcm.avail_delay()?;
    if there <= 0 {
        return Ok(());
    }
    // How long ago the first frame that is still to be read was captured.
    let age = Duration::from_secs(1) * u32::try_from(delay).unwrap_or(0) / rate_hz;
    let now = Instant::now();
    let frames = io.readi(samples)?;
    writer.stamp(now.checked_sub(age).unwrap_or(now));
    writer.push(&samples[..frames * channels]);
    Ok(())
}

/// Goes on after an overrun; any other error is the end of the device.
fn recover(pcm: &PCM, error: alsa::Error, troubles: &Troubles) -> alsa::Result<()> {
    match error.errno() {
        EAGAIN => Ok(()),
        EPIPE | ESTRPIPE => {
            troubles.note_xrun();
            pcm.prepare()?;
            pcm.start()
        }
        _ => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::super::ring::capture_ring;
    use super::*;
    use cpal::SupportedBufferSize;

    /// ALSA's own device of silence has no card and no server, and is there without any sound system.
    fn silence(format: SampleFormat) -> Option<Opened> {
        open("null", SupportedStreamConfig::new(1, 16_000, SupportedBufferSize::Unknown, format))
    }

    #[test]
    fn what_the_device_has_is_read_until_it_is_dropped() {
        for format in [SampleFormat::F32, SampleFormat::I16, SampleFormat::I32] {
            let Some(opened) = silence(format) else { continue };
            let (writer, mut reader) = capture_ring(16_000, 1, 1000).expect("ring");
            let troubles = Arc::new(Troubles::default());
            let reading = opened.start(writer, Arc::clone(&troubles)).expect("start");
            let begun = Instant::now();
            while reader.captured_frames() < 3200 && begun.elapsed() < Duration::from_secs(5) {
                std::thread::sleep(Duration::from_millis(5));
            }
            drop(reading);
            let captured = reader.captured_frames();
            assert!(captured >= 3200, "{format:?}: {captured} frames");
            let mut out = Vec::new();
            reader.read(&mut out);
            assert!(out.iter().all(|sample| *sample == 0.0));
            assert!(reader.captured_until().is_some(), "with its moments");
            std::thread::sleep(2 * READ_EVERY);
            assert_eq!(reader.captured_frames(), captured, "it is closed");
            assert_eq!(troubles.lost(), None);
        }
    }

    #[test]
    fn what_is_not_there_or_of_another_kind_is_left_to_cpal() {
        assert!(silence(SampleFormat::U8).is_none());
        let config = SupportedStreamConfig::new(1, 16_000, SupportedBufferSize::Unknown, SampleFormat::F32);
        assert!(open("no such device", config).is_none());
        assert!(open("nul\0", config).is_none());
    }
}
