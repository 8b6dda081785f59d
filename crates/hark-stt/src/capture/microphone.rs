//! Input devices through cpal: which there are, and an open one that fills a capture ring.

use super::ring::{CaptureReader, CaptureWriter, Counters, capture_ring};
#[cfg(target_os = "linux")]
use super::sound_server;
use super::stream_errors::StreamErrors;
use cpal::traits::{DeviceTrait, HostTrait, StreamTrait};
use cpal::{Data, ErrorKind, SampleFormat, SupportedStreamConfig};
use hark_audio::resample::RATES_HZ;
#[cfg(target_os = "linux")]
use hark_audio::server::Work;
use hark_core::{Fault, FaultKind};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// A device that has brought sound and then brings nothing for this long is taken for lost: some sound
/// systems say nothing when their server hangs or the device is unplugged.
const STALL: Duration = Duration::from_millis(1500);

/// How long an opened device may take to its first sound: an idle PulseAudio sink takes two seconds.
const FIRST_SOUND: Duration = Duration::from_secs(4);

/// What can go wrong with input devices.
#[derive(Debug, thiserror::Error)]
enum MicrophoneError {
    #[error("there is no default microphone")]
    NoDefault,
    #[error("there is no microphone `{wanted}`; there is: {there}")]
    Unknown { wanted: String, there: String },
    #[error("microphone `{name}` offers no usable format: {why}")]
    NoFormat { name: String, why: String },
    #[error("microphone `{name}` cannot be opened: {source}")]
    Open { name: String, source: cpal::Error },
    #[error("the sound system cannot list its devices: {0}")]
    List(cpal::Error),
}

impl From<MicrophoneError> for Fault {
    fn from(error: MicrophoneError) -> Self {
        let busy = "close the program that holds it; Hark tries again by itself";
        let denied =
            "add Hark's user to the group `audio`, or allow microphone access in the system settings";
        let choose = "plug one in, or set audio.input_device to a name that `hark devices` prints";
        let (kind, fix) = match &error {
            MicrophoneError::Open { source, .. } => match source.kind() {
                ErrorKind::DeviceBusy => (FaultKind::Unavailable, busy),
                ErrorKind::PermissionDenied => (FaultKind::MissingPart, denied),
                _ => (FaultKind::MissingPart, choose),
            },
            _ => (FaultKind::MissingPart, choose),
        };
        // Devices come and go: the caller that opens one tries again.
        Fault::new(kind, "microphone", error.to_string(), fix).recoverable()
    }
}

/// An input device as `hark devices` shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InputDevice {
    /// The name to put into `audio.input_device`.
    pub name: String,
    /// What the sound system calls it for people.
    pub description: String,
    /// Ranges of sample rates it offers, lowest and highest, each once, in ascending order.
    pub rates_hz: Vec<(u32, u32)>,
    /// Channel counts it offers, in ascending order.
    pub channels: Vec<u16>,
    /// Whether `auto` means this one.
    pub default: bool,
}

/// The input devices there are; those that cannot be asked for their formats are left out.
///
/// # Errors
/// When the sound system cannot be asked. Having no device is no error.
pub fn input_devices() -> Result<Vec<InputDevice>, Fault> {
    let host = cpal::default_host();
    let default = host.default_input_device().map(|device| device_name(&device));
    let devices = host.input_devices().map_err(MicrophoneError::List)?;
    Ok(devices.filter_map(|device| describe(&device, default.as_deref())).collect())
}

fn describe(device: &cpal::Device, default: Option<&str>) -> Option<InputDevice> {
    let name = device_name(device);
    let (mut rates_hz, mut channels) = (Vec::new(), Vec::new());
    for config in device.supported_input_configs().ok()? {
        rates_hz.push((config.min_sample_rate(), config.max_sample_rate()));
        channels.push(config.channels());
    }
    if rates_hz.is_empty() {
        return None;
    }
    rates_hz.sort_unstable();
    rates_hz.dedup();
    channels.sort_unstable();
    channels.dedup();
    let default = default == Some(name.as_str());
    Some(InputDevice { description: device.to_string(), name, rates_hz, channels, default })
}

/// The system's own identifier: unlike the description it is unique and stays the same.
fn device_name(device: &cpal::Device) -> String {
    device.id().map_or_else(|_| device.to_string(), |id| id.id().to_owned())
}

/// How an open microphone is doing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MicrophoneState {
    /// It brings sound.
    Running,
    /// It is gone or broken; open it again after a while. The reason is for people.
    Lost(String),
}

/// Who reads the device. Held because dropping it closes it.
enum Stream {
    Callback {
        _stream: cpal::Stream,
    },
    #[cfg(target_os = "linux")]
    Clock {
        _reading: Work,
    },
}

/// An open microphone. Dropping it closes the device, which waits for the sound system: with a server
/// that hangs for as long as that hangs.
pub struct Microphone {
    name: String,
    config: SupportedStreamConfig,
    errors: Arc<StreamErrors>,
    flow: Flow,
    _stream: Stream,
}

/// Notices when no more sound comes.
struct Flow {
    counters: Arc<Counters>,
    seen_frames: u64,
    seen_at: Instant,
}

impl Flow {
    /// For how long nothing has come, when that is too long.
    fn stalled(&mut self, now: Instant) -> Option<Duration> {
        let frames = self.counters.captured.load(Ordering::Relaxed);
        if frames != self.seen_frames {
            (self.seen_frames, self.seen_at) = (frames, now);
        }
        let patience = if self.seen_frames == 0 { FIRST_SOUND } else { STALL };
        let still = now.saturating_duration_since(self.seen_at);
        (still >= patience).then_some(still)
    }
}

impl Microphone {
    /// Opens a device by the name `hark devices` prints (or by its description), `auto` for the
    /// system's default, in the format it prefers, and starts it. `ring_ms` is how much sound may wait
    /// for the reader.
    ///
    /// # Errors
    /// When there is no such device, or it cannot be opened. All are worth trying again later.
    pub fn open(name: &str, ring_ms: u32) -> Result<(Self, CaptureReader), Fault> {
        let device = find(name)?;
        let name = device_name(&device);
        let config = choose_config(&device, &name)?;
        let no_format = |why: String| MicrophoneError::NoFormat { name: name.clone(), why };
        let (writer, reader) = capture_ring(config.sample_rate(), config.channels(), ring_ms)
            .map_err(|error| no_format(error.to_string()))?;
        let errors = Arc::new(StreamErrors::default());
        let counters = reader.counters();
        let stream = start(&device, &name, config, writer, &errors)?;
        let flow = Flow { counters, seen_frames: 0, seen_at: Instant::now() };
        Ok((Self { name, config, errors, flow, _stream: stream }, reader))
    }

    /// The device's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The rate it runs at.
    pub fn rate_hz(&self) -> u32 {
        self.config.sample_rate()
    }

    /// The channels it has.
    pub fn channels(&self) -> u16 {
        self.config.channels()
    }

    /// Whether it still brings sound. Ask a few times a second: a device that brings nothing for 1.5
    /// seconds (4 after it was opened) between two questions counts as lost.
    pub fn state(&mut self) -> MicrophoneState {
        let silent = self.flow.stalled(Instant::now());
        match (self.errors.lost(), silent) {
            (Some(reason), _) => MicrophoneState::Lost(reason),
            (None, Some(silent)) => {
                MicrophoneState::Lost(format!("no sound came for {:.1} s", silent.as_secs_f32()))
            }
            (None, None) => MicrophoneState::Running,
        }
    }

    /// How often the device overran its own buffer.
    pub fn xruns(&self) -> u64 {
        self.errors.xruns.load(Ordering::Relaxed)
    }
}

/// Starts to fill the ring, in the way that suits the device.
fn start(
    device: &cpal::Device,
    name: &str,
    config: SupportedStreamConfig,
    writer: CaptureWriter,
    errors: &Arc<StreamErrors>,
) -> Result<Stream, MicrophoneError> {
    #[cfg(target_os = "linux")]
    if let Some(opened) = sound_server::open(name, config) {
        let reading = sound_server::start(opened, writer, Arc::clone(errors)).map_err(|why| {
            let source = cpal::Error::with_message(ErrorKind::BackendError, why);
            MicrophoneError::Open { name: name.to_owned(), source }
        })?;
        return Ok(Stream::Clock { _reading: reading });
    }
    let failed = |source| MicrophoneError::Open { name: name.to_owned(), source };
    let (noting, format) = (Arc::clone(errors), config.sample_format());
    let note = move |error| noting.note(&error);
    let stream = device
        .build_input_stream_raw(config.config(), format, data_callback(writer), note, None)
        .map_err(failed)?;
    stream.play().map_err(failed)?;
    Ok(Stream::Callback { _stream: stream })
}

fn find(wanted: &str) -> Result<cpal::Device, MicrophoneError> {
    let host = cpal::default_host();
    if wanted == "auto" {
        return host.default_input_device().ok_or(MicrophoneError::NoDefault);
    }
    let devices: Vec<_> = host.input_devices().map_err(MicrophoneError::List)?.collect();
    let by_name = devices.iter().position(|device| device_name(device) == wanted);
    let found = by_name.or_else(|| devices.iter().position(|device| device.to_string() == wanted));
    match found {
        Some(index) => Ok(devices[index].clone()),
        None => {
            let mut there: Vec<_> = devices.iter().map(device_name).collect();
            there.dedup();
            let there = if there.is_empty() { "none".into() } else { there.join(", ") };
            Err(MicrophoneError::Unknown { wanted: wanted.to_owned(), there })
        }
    }
}

/// The device's own default when it is usable, else its first usable one.
fn choose_config(device: &cpal::Device, name: &str) -> Result<SupportedStreamConfig, MicrophoneError> {
    let usable = |config: &SupportedStreamConfig| {
        !config.sample_format().is_dsd() && RATES_HZ.contains(&config.sample_rate())
    };
    let default = device.default_input_config();
    if let Ok(config) = &default
        && usable(config)
    {
        return Ok(*config);
    }
    let standard = |range: cpal::SupportedStreamConfigRange| {
        range.try_with_standard_sample_rate().unwrap_or_else(|| range.with_max_sample_rate())
    };
    let others = device.supported_input_configs().map(|list| list.map(standard).find(usable));
    match others {
        Ok(Some(config)) => Ok(config),
        Ok(None) => {
            let why = default.err().map_or("only unknown sample formats".into(), |error| error.to_string());
            Err(MicrophoneError::NoFormat { name: name.to_owned(), why })
        }
        Err(error) => Err(MicrophoneError::NoFormat { name: name.to_owned(), why: error.to_string() }),
    }
}

/// The data callback: mixes down into the ring and nothing else.
fn data_callback(mut writer: CaptureWriter) -> impl FnMut(&Data, &cpal::InputCallbackInfo) + Send + 'static {
    macro_rules! push {
        ($data:expr, $($format:ident => $sample:ty),*) => {
            match $data.sample_format() {
                $(SampleFormat::$format => {
                    if let Some(samples) = $data.as_slice::<$sample>() {
                        writer.push(samples);
                    }
                })*
                // Formats that `choose_config` does not choose.
                _ => {}
            }
        };
    }
    move |data: &Data, info: &cpal::InputCallbackInfo| {
        // The device's own clock has another origin for every stream: only distances count.
        let stamp = info.timestamp();
        let age = stamp.callback.saturating_duration_since(stamp.capture);
        writer.stamp(Instant::now().checked_sub(age).unwrap_or_else(Instant::now));
        push!(data,
            I8 => i8, I16 => i16, I24 => cpal::I24, I32 => i32, I64 => i64,
            U8 => u8, U16 => u16, U24 => cpal::U24, U32 => u32, U64 => u64, F32 => f32, F64 => f64);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_device_is_named_with_what_to_do() {
        let fault = Microphone::open("no such microphone", 1000).err().expect("there is none");
        assert_eq!(fault.kind, FaultKind::MissingPart);
        assert!(fault.message.contains("no such microphone"), "{fault}");
        assert!(fault.fix.contains("hark devices") && fault.recoverable, "{fault}");
    }

    #[test]
    fn devices_can_be_listed_even_where_there_are_none() {
        for device in input_devices().expect("a list") {
            assert!(!device.name.is_empty() && !device.rates_hz.is_empty() && !device.channels.is_empty());
        }
    }

    #[test]
    fn overruns_are_counted_and_a_lost_device_is_remembered() {
        let errors = StreamErrors::default();
        errors.note(&cpal::Error::new(ErrorKind::Xrun));
        errors.note(&cpal::Error::new(ErrorKind::RealtimeDenied));
        assert_eq!(errors.xruns.load(Ordering::Relaxed), 1);
        assert_eq!(errors.lost(), None);
        errors.note(&cpal::Error::with_message(ErrorKind::DeviceNotAvailable, "unplugged"));
        errors.note(&cpal::Error::with_message(ErrorKind::BackendError, "and then this"));
        assert_eq!(errors.lost().as_deref(), Some("unplugged"));
    }

    #[test]
    fn a_device_that_brings_nothing_is_noticed() {
        let (mut writer, reader) = capture_ring(16_000, 1, 1000).expect("ring");
        let begun = Instant::now();
        let mut flow = Flow { counters: reader.counters(), seen_frames: 0, seen_at: begun };
        let after = |ms| begun + Duration::from_millis(ms);
        assert_eq!(flow.stalled(after(3900)), None, "an idle sound server takes its time");
        assert_eq!(flow.stalled(after(4000)), Some(Duration::from_secs(4)));
        writer.push(&[0.0; 160]);
        assert_eq!(flow.stalled(after(6000)), None);
        assert_eq!(flow.stalled(after(7400)), None);
        assert_eq!(flow.stalled(after(7600)), Some(Duration::from_millis(1600)));
        writer.push(&[0.0; 160]);
        assert_eq!(flow.stalled(after(7700)), None);
    }

    #[test]
    fn the_callback_understands_every_format_it_may_get() {
        let (writer, mut reader) = capture_ring(16_000, 1, 1000).expect("ring");
        let mut callback = data_callback(writer);
        let now = cpal::StreamInstant::new(0, 0);
        let info = cpal::InputCallbackInfo::new(cpal::InputStreamTimestamp { callback: now, capture: now });
        macro_rules! feed {
            ($format:ident, $samples:expr) => {
                let mut samples = $samples;
                // SAFETY: pointer and length are those of a live array of that sample type.
                let data = unsafe {
                    Data::from_parts(samples.as_mut_ptr().cast(), samples.len(), SampleFormat::$format)
                };
                callback(&data, &info);
            };
        }
        feed!(F32, [0.5_f32]);
        feed!(I16, [16_384_i16]);
        feed!(U16, [49_152_u16]);
        feed!(I32, [1_i32 << 30]);
        feed!(U8, [192_u8]);
        feed!(F64, [0.5_f64]);
        let mut out = Vec::new();
        reader.read(&mut out);
        assert_eq!(out, [0.5; 6]);
    }
}
