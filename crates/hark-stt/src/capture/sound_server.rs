//! Microphone of a sound server (PulseAudio, PipeWire through ALSA), read on a timer by the thread `hark-microphone`.
//! A card's microphone is read in its callback instead (`microphone.rs`).

use super::ring::CaptureWriter;
use super::stream_errors::StreamErrors;
use alsa::Direction;
use alsa::pcm::{IO, IoFormat, PCM};
use cpal::{FromSample, SizedSample, SupportedStreamConfig};
use hark_audio::server::{self, Job, Opened, Work};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// How often is read, and how much sound the server is asked to send at a time.
const READ_EVERY: Duration = Duration::from_millis(10);

/// How often while the pipeline is in no hurry.
const READ_UNHURRIED_EVERY: Duration = Duration::from_millis(50);

/// Sound that the server keeps when this thread comes late.
const BUFFER: Duration = Duration::from_millis(250);

/// Opens the device when a sound server stands behind it; else cpal may try.
pub(super) fn open(name: &str, config: SupportedStreamConfig) -> Option<Opened> {
    server::open(name, Direction::Capture, config, (READ_EVERY, BUFFER))
}

/// Begins to read it into the ring.
///
/// # Errors
/// When the device does not start or there is no thread, in words for people.
pub(super) fn start(
    opened: Opened,
    writer: CaptureWriter,
    errors: Arc<StreamErrors>,
) -> Result<Work, String> {
    opened.pcm.start().map_err(|error| error.to_string())?;
    let reading = Reading { writer, errors: Arc::clone(&errors) };
    opened.start("hark-microphone", reading, move |error| errors.lose(&error))
}

/// From the device into the ring.
struct Reading {
    writer: CaptureWriter,
    errors: Arc<StreamErrors>,
}

impl Job for Reading {
    fn work<T>(mut self, pcm: &PCM, config: &SupportedStreamConfig, stop: &AtomicBool) -> alsa::Result<()>
    where
        T: IoFormat + SizedSample + FromSample<f32>,
        f32: FromSample<T>,
    {
        let (rate_hz, channels) = (config.sample_rate(), usize::from(config.channels()));
        let io = pcm.io_checked::<T>()?;
        let most = (u128::from(rate_hz) * BUFFER.as_millis() / 1000) as usize;
        let mut samples = vec![T::EQUILIBRIUM; most * channels];
        while !stop.load(Ordering::Acquire) {
            if let Err(error) = take(pcm, &io, &mut samples, rate_hz, channels, &mut self.writer)
                && server::recover(pcm, error)?
            {
                self.errors.note_xrun();
                pcm.start()?;
            }
            std::thread::sleep(if self.writer.unhurried() { READ_UNHURRIED_EVERY } else { READ_EVERY });
        }
        Ok(())
    }
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

#[cfg(test)]
mod tests {
    use super::super::ring::capture_ring;
    use super::*;
    use cpal::{SampleFormat, SupportedBufferSize};

    /// ALSA's own device of silence has no card and no server, and is there without any sound system.
    fn silence(format: SampleFormat) -> Option<Opened> {
        open("null", SupportedStreamConfig::new(1, 16_000, SupportedBufferSize::Unknown, format))
    }

    #[test]
    fn what_the_device_has_is_read_until_it_is_dropped() {
        for format in [SampleFormat::F32, SampleFormat::I16, SampleFormat::I32] {
            let Some(opened) = silence(format) else { continue };
            let (writer, mut reader) = capture_ring(16_000, 1, 1000).expect("ring");
            let errors = Arc::new(StreamErrors::default());
            let reading = start(opened, writer, Arc::clone(&errors)).expect("start");
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
            assert_eq!(errors.lost(), None);
        }
    }
}
