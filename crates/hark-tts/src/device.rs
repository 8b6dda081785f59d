//! The loudspeaker: a cpal output stream that plays a [`PlaybackSource`] in whatever rate, channel
//! count and sample format the device has.

use super::device_health::{ERRORS_FOR, Health};
use super::error::SpeakingError;
use super::playback::{PlaybackControl, PlaybackFeeder, PlaybackSource, playback};
use super::tap::{TapReader, tap};
#[cfg(target_os = "linux")]
use super::timed;
use cpal::traits::{DeviceTrait, HostTrait, StreamTrait};
use cpal::{
    BufferSize, Device, ErrorKind, FromSample, OutputCallbackInfo, SampleFormat, SizedSample, Stream,
    StreamConfig, SupportedBufferSize, SupportedStreamConfig,
};
#[cfg(target_os = "linux")]
use hark_audio::server::Work;
use hark_core::Fault;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The name that stands for the system's default device.
pub const AUTO: &str = "auto";

/// How much sound a card asks for at a time; ALSA holds two such periods, so a sample sounds 15–30 ms
/// after it was handed over.
const PERIOD_MS: u32 = 15;

/// A device that asks for nothing this long is dead, even if it reports no error.
const STALL: Duration = Duration::from_secs(2);

/// Pause after such an error: a dead stream would report hundreds of thousands a second.
const ERROR_PAUSE: Duration = Duration::from_millis(2);

/// Samples converted in one go for devices that do not take `f32`.
const PIECE: usize = 512;

/// An output device as `hark devices` lists it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutputDevice {
    /// What to write as `audio.output_device`.
    pub name: String,
    /// What the system says of it, for people.
    pub description: String,
    /// Lowest and highest rate it can play.
    pub rates_hz: (u32, u32),
    /// Channels it would be opened with.
    pub channels: u16,
    /// Whether `auto` means this one.
    pub is_default: bool,
}

/// All output devices that can be asked for their abilities now; empty without a sound card.
///
/// # Errors
/// When the sound system itself does not answer.
pub fn output_devices() -> Result<Vec<OutputDevice>, Fault> {
    let devices = all_devices(AUTO)?;
    let default = cpal::default_host().default_output_device().and_then(|device| device.id().ok());
    Ok(devices.iter().filter_map(|device| describe(device, default.as_ref())).collect())
}

/// The default device, which ALSA does not always list, and the listed ones.
fn all_devices(wanted: &str) -> Result<Vec<Device>, SpeakingError> {
    let host = cpal::default_host();
    let listed = host.devices().map_err(|error| device_error(wanted, "looked for", &error))?;
    let mut devices: Vec<Device> = host.default_output_device().into_iter().collect();
    let default = devices.first().and_then(|device| device.id().ok());
    devices.extend(listed.filter(|device| device.id().ok() != default));
    Ok(devices)
}

fn describe(device: &Device, default: Option<&cpal::DeviceId>) -> Option<OutputDevice> {
    let id = device.id().ok()?;
    let ranges: Vec<_> = device.supported_output_configs().ok()?.collect();
    let config = device.default_output_config().ok()?;
    let lowest = ranges.iter().map(|range| range.min_sample_rate()).min()?;
    let highest = ranges.iter().map(|range| range.max_sample_rate()).max()?;
    let is_default = default == Some(&id);
    Some(OutputDevice {
        name: id.id().to_owned(),
        description: device.to_string(),
        rates_hz: (lowest, highest),
        channels: config.channels(),
        is_default,
    })
}

/// How the speaker is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LoudspeakerState {
    /// It plays.
    Running,
    /// It will not play again; drop it and open one anew.
    Failed {
        /// What the system said.
        message: String,
    },
}

/// Who feeds the device. Held because dropping it closes it.
enum Output {
    Callback {
        _stream: Stream,
    },
    #[cfg(target_os = "linux")]
    Clock {
        _feeding: Work,
    },
}

/// An open output device. Dropping it closes the device, which waits for the sound system (with a server
/// that hangs for as long as that hangs); the feeder that came with it is dead then.
pub struct Loudspeaker {
    _output: Output,
    name: String,
    rate_hz: u32,
    channels: u16,
    control: PlaybackControl,
    tap: Option<TapReader>,
    health: Arc<Health>,
    /// The number of callbacks when it last changed, and when that was.
    last_call: Mutex<(u64, Instant)>,
}

impl Loudspeaker {
    /// Opens the device with this name (as [`output_devices`] gives it, or its description), or the
    /// default one for `auto`, and starts it playing silence. `ring_ms` is how much sound may wait
    /// in the ring. The feeder belongs to the voice thread.
    ///
    /// # Errors
    /// When there is no such device, or it cannot be opened now; the fault is marked recoverable
    /// because trying again later may help.
    pub fn open(name: &str, ring_ms: u32) -> Result<(Self, PlaybackFeeder), Fault> {
        let device = find(name)?;
        let shown = device.id().map_or_else(|_| name.to_owned(), |id| id.id().to_owned());
        let supported = device
            .default_output_config()
            .map_err(|error| device_error(&shown, "asked what it can do", &error))?;
        let health = Arc::new(Health::default());
        let (output, feeder, tapped) = connect(&device, &shown, &supported, ring_ms, &health)?;
        let speaker = Self {
            _output: output,
            name: shown,
            rate_hz: supported.sample_rate(),
            channels: supported.channels(),
            control: feeder.control(),
            tap: Some(tapped),
            health,
            last_call: Mutex::new((0, Instant::now())),
        };
        Ok((speaker, feeder))
    }

    /// Name of the device.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Rate the device plays at.
    pub fn rate_hz(&self) -> u32 {
        self.rate_hz
    }

    /// Channels of the device.
    pub fn channels(&self) -> u16 {
        self.channels
    }

    /// The copy of what this device plays, for the audio pipeline; there is one.
    pub fn take_tap(&mut self) -> Option<TapReader> {
        self.tap.take()
    }

    /// How often the device ran dry because the callback came too late; it goes on by itself.
    pub fn xruns(&self) -> u64 {
        self.health.xruns.load(Ordering::Relaxed)
    }

    /// Whether the device still plays; to be asked a few times a second. Drop a failed speaker soon:
    /// its thread may go on trying.
    pub fn state(&self) -> LoudspeakerState {
        if let Some(message) = self.health.failure() {
            return LoudspeakerState::Failed { message };
        }
        let calls = self.control.calls();
        let mut last = self.last_call.lock().unwrap_or_else(PoisonError::into_inner);
        if calls != last.0 {
            *last = (calls, Instant::now());
        }
        if last.1.elapsed() < STALL {
            return LoudspeakerState::Running;
        }
        LoudspeakerState::Failed { message: format!("it has asked for no sound for {} s", STALL.as_secs()) }
    }
}

fn find(name: &str) -> Result<Device, SpeakingError> {
    if name == AUTO {
        return cpal::default_host().default_output_device().ok_or(SpeakingError::NoDevice);
    }
    let mut known = Vec::new();
    for device in all_devices(name)? {
        let id = device.id().map_or_else(|_| String::new(), |id| id.id().to_owned());
        if id == name || device.to_string() == name {
            return Ok(device);
        }
        known.push(id);
    }
    let known = if known.is_empty() { "none".into() } else { known.join(", ") };
    Err(SpeakingError::NoSuchDevice { name: name.to_owned(), known })
}

/// Starts to feed the device with silence, in the way that suits it.
fn connect(
    device: &Device,
    name: &str,
    supported: &SupportedStreamConfig,
    ring_ms: u32,
    health: &Arc<Health>,
) -> Result<(Output, PlaybackFeeder, TapReader), SpeakingError> {
    let (rate_hz, channels) = (supported.sample_rate(), supported.channels());
    let ends = || {
        let (feeder, mut source) = playback(rate_hz, channels, ring_ms);
        let (copy, tapped) = tap(rate_hz, channels);
        source.set_tap(copy);
        (feeder, source, tapped)
    };
    #[cfg(target_os = "linux")]
    if let Some(opened) = timed::open(name, *supported) {
        let (feeder, source, tapped) = ends();
        let feeding = timed::start(opened, source, Arc::clone(health));
        let feeding = feeding.map_err(|why| device_error(name, "started", &why))?;
        return Ok((Output::Clock { _feeding: feeding }, feeder, tapped));
    }
    // A device may refuse the short period it promised; then its own choice is taken.
    let mut failure = None;
    for buffer_size in [short_period(supported), BufferSize::Default] {
        let config = StreamConfig { buffer_size, ..supported.config() };
        let (feeder, source, tapped) = ends();
        let built = build(device, name, config, supported.sample_format(), source, health);
        match built.and_then(|stream| start(stream, name)) {
            Ok(stream) => return Ok((Output::Callback { _stream: stream }, feeder, tapped)),
            Err(error) => failure = Some(error),
        }
    }
    Err(failure.unwrap_or(SpeakingError::NoDevice))
}

/// The short period where the device says that it can have it.
fn short_period(supported: &SupportedStreamConfig) -> BufferSize {
    let frames = supported.sample_rate() * PERIOD_MS / 1000;
    match supported.buffer_size() {
        SupportedBufferSize::Range { min, max } if min <= max => BufferSize::Fixed(frames.clamp(*min, *max)),
        _ => BufferSize::Default,
    }
}

fn start(stream: Stream, name: &str) -> Result<Stream, SpeakingError> {
    stream.play().map_err(|error| device_error(name, "started", &error))?;
    Ok(stream)
}

fn build(
    device: &Device,
    name: &str,
    config: StreamConfig,
    format: SampleFormat,
    source: PlaybackSource,
    health: &Arc<Health>,
) -> Result<Stream, SpeakingError> {
    use SampleFormat as F;
    let built = match format {
        F::F32 => build_f32(device, config, source, health),
        F::I8 => build_as::<i8>(device, config, source, health),
        F::I16 => build_as::<i16>(device, config, source, health),
        F::I24 => build_as::<cpal::I24>(device, config, source, health),
        F::I32 => build_as::<i32>(device, config, source, health),
        F::I64 => build_as::<i64>(device, config, source, health),
        F::U8 => build_as::<u8>(device, config, source, health),
        F::U16 => build_as::<u16>(device, config, source, health),
        F::U24 => build_as::<cpal::U24>(device, config, source, health),
        F::U32 => build_as::<u32>(device, config, source, health),
        F::U64 => build_as::<u64>(device, config, source, health),
        F::F64 => build_as::<f64>(device, config, source, health),
        other => {
            return Err(SpeakingError::DeviceFormat { name: name.to_owned(), format: other.to_string() });
        }
    };
    built.map_err(|error| device_error(name, "opened", &error))
}

fn build_f32(
    device: &Device,
    config: StreamConfig,
    mut source: PlaybackSource,
    health: &Arc<Health>,
) -> Result<Stream, cpal::Error> {
    let error = on_error(Arc::clone(health), source.control());
    let fill = move |out: &mut [f32], info: &OutputCallbackInfo| source.fill_at(out, sounds_at(info));
    device.build_output_stream(config, fill, error, None)
}

fn build_as<T: SizedSample + FromSample<f32>>(
    device: &Device,
    config: StreamConfig,
    mut source: PlaybackSource,
    health: &Arc<Health>,
) -> Result<Stream, cpal::Error> {
    let channels = usize::from(config.channels.max(1));
    // Whole frames at a time.
    let step = (PIECE / channels).max(1) * channels;
    let mut piece = vec![0.0_f32; step];
    let error = on_error(Arc::clone(health), source.control());
    let piece_lasts = Duration::from_secs(1) * (step / channels) as u32 / config.sample_rate.max(1);
    let fill = move |out: &mut [T], info: &OutputCallbackInfo| {
        let mut sounds_at = sounds_at(info);
        for out in out.chunks_mut(step) {
            let piece = &mut piece[..out.len()];
            source.fill_at(piece, sounds_at);
            sounds_at += piece_lasts;
            for (to, from) in out.iter_mut().zip(piece) {
                *to = T::from_sample(*from);
            }
        }
    };
    device.build_output_stream(config, fill, error, None)
}

/// When the first frame of this callback will sound. The device's own clock has another origin for
/// every stream, so only its distance from the callback to the sound is used. Asking the time is no
/// system call where callbacks run: it is read from a page that the kernel shares.
fn sounds_at(info: &OutputCallbackInfo) -> Instant {
    let stamp = info.timestamp();
    Instant::now() + stamp.playback.saturating_duration_since(stamp.callback)
}

/// Sorts what the stream reports into what heals by itself and what needs a new stream. What the
/// system gives no name to is waited out: the stream is lost when it goes on and on while the device
/// asks for no more sound. Runs on the stream's thread, between callbacks.
fn on_error(health: Arc<Health>, control: PlaybackControl) -> impl FnMut(cpal::Error) + Send + 'static {
    let mut trouble: Option<(u64, Instant)> = None;
    move |error| match error.kind() {
        ErrorKind::Xrun => {
            health.note_xrun();
        }
        ErrorKind::DeviceChanged | ErrorKind::RealtimeDenied => {}
        ErrorKind::DeviceNotAvailable | ErrorKind::HostUnavailable | ErrorKind::StreamInvalidated => {
            health.fail(&error);
        }
        _ => {
            let call = control.calls();
            match trouble {
                Some((at, since)) if at == call => {
                    if since.elapsed() >= ERRORS_FOR {
                        health.fail(&error);
                    }
                }
                _ => trouble = Some((call, Instant::now())),
            }
            std::thread::sleep(ERROR_PAUSE);
        }
    }
}

fn device_error(name: &str, step: &'static str, error: &impl std::fmt::Display) -> SpeakingError {
    SpeakingError::Device { name: name.to_owned(), step, message: error.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hark_core::FaultKind;

    #[test]
    fn an_unknown_device_is_named_with_those_there_are() {
        let fault = Loudspeaker::open("No such loudspeaker", 500).err().unwrap();
        assert!(matches!(fault.kind, FaultKind::MissingPart | FaultKind::Unavailable), "{fault}");
        assert!(fault.message.contains("No such loudspeaker") && fault.recoverable, "{fault}");
    }

    #[test]
    fn errors_that_heal_do_not_fail_the_stream() {
        let health = Arc::new(Health::default());
        let (feeder, mut source) = playback(48_000, 1, 100);
        let mut report = on_error(Arc::clone(&health), feeder.control());
        report(ErrorKind::Xrun.into());
        report(ErrorKind::RealtimeDenied.into());
        for _ in 0..20 {
            report(ErrorKind::BackendError.into());
            source.fill(&mut [0.0; 8]);
        }
        assert!(health.failure().is_none());
        assert_eq!(health.xruns.load(Ordering::Relaxed), 1);
        let begun = Instant::now();
        while health.failure().is_none() {
            report(ErrorKind::BackendError.into());
            assert!(begun.elapsed() < ERRORS_FOR * 4, "errors and no callbacks are a lost device");
        }
        assert!(begun.elapsed() >= ERRORS_FOR);
    }

    #[test]
    fn a_lost_device_fails_the_stream() {
        let health = Arc::new(Health::default());
        let mut report = on_error(Arc::clone(&health), playback(48_000, 1, 100).0.control());
        report(ErrorKind::DeviceNotAvailable.into());
        report(ErrorKind::Xrun.into());
        assert!(health.failure().as_deref().is_some_and(|m| m.contains("not available")));
    }
}
