//! Speaker and microphone by ear: a tone that is heard, and a recording that is played back.

use super::Setup;
use super::dialogue::{Answer, put};
use hark_audio::resample::Resampler;
use hark_core::audio::Earcon;
use hark_core::{Fault, FaultKind, SAMPLE_RATE_HZ};
use hark_stt::capture::{Microphone, MicrophoneState, input_devices};
use hark_tts::device::{Speaker, SpeakerState, output_devices};
use hark_tts::earcons;
use hark_tts::playback::ItemReport;
use rustix::stdio::dup2_stderr;
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::time::{Duration, Instant};

/// Means the device the system prefers.
const AUTO: &str = "auto";
const NONE: &str = "none";
/// ALSA's device that is always there and is none.
const DISCARDS: &str = "null";
/// How often a device is looked after.
const LOOK_EVERY: Duration = Duration::from_millis(20);
/// Sound in the ring of a device.
const RING_MS: u32 = 500;
/// What a device may need beyond the length of the sound.
const DEVICE_PATIENCE: Duration = Duration::from_secs(5);
/// How long it is recorded.
const RECORDING: Duration = Duration::from_secs(4);
/// A peak below this is no speech near a microphone: it is muted, or not the one that is meant.
const QUIET_DBFS: f32 = -50.0;
/// Peaks from here on are cut off.
const LOUD_DBFS: f32 = -0.5;
/// The meter has a place for every two decibels above this.
const FLOOR_DBFS: f32 = -60.0;

/// A device as it is chosen from.
struct Device {
    name: String,
    shown: String,
}

/// Nothing that is written to standard error is seen while this lives: sound systems that are not there say so at length.
struct Quiet(Option<OwnedFd>);

impl Quiet {
    fn begin() -> Self {
        let begin = || -> io::Result<OwnedFd> {
            let before = io::stderr().as_fd().try_clone_to_owned()?;
            dup2_stderr(File::options().write(true).open("/dev/null")?)?;
            Ok(before)
        };
        Self(begin().ok())
    }
}

/// Does something that libraries talk about on standard error, without their words.
pub(super) fn quietly<T>(work: impl FnOnce() -> T) -> T {
    let _quiet = Quiet::begin();
    work()
}

impl Drop for Quiet {
    fn drop(&mut self) {
        if let Some(before) = self.0.take() {
            // It was open before.
            let _ = dup2_stderr(before);
        }
    }
}

/// Asks for a speaker until a tone is heard on one.
pub(super) fn speaker(setup: &mut Setup) -> Answer<String> {
    setup.talk.say("speaker_intro", &[]);
    let devices = quietly(output_devices)?
        .into_iter()
        .map(|device| (device.name, device.description, device.is_default));
    let devices = list(setup, devices, "speaker_missing")?;
    let wanted = setup.config()?.audio.output_device;
    loop {
        let Some(device) = choose(setup, "speaker_which", &devices, &wanted)? else {
            setup.write([("audio.output_device", NONE.into())])?;
            return Ok(setup.text("speaker_none", &[]));
        };
        loop {
            play(&device.name, |rate_hz| {
                [Earcon::Wake, Earcon::Done].iter().flat_map(|tone| earcons::render(*tone, rate_hz)).collect()
            })?;
            let heard =
                [setup.text("heard_it", &[]), setup.text("not_heard", &[]), setup.text("play_again", &[])];
            match setup.talk.choose(&setup.text("speaker_heard", &[]), &heard, 0)? {
                0 => {
                    setup.write([("audio.output_device", device.name.clone().into())])?;
                    return Ok(device.shown.clone());
                }
                1 => break setup.talk.say("speaker_advice", &[]),
                _ => {}
            }
        }
    }
}

/// Asks for a microphone until what it recorded is right.
pub(super) fn microphone(setup: &mut Setup) -> Answer<String> {
    setup.talk.say("microphone_intro", &[]);
    let devices =
        quietly(input_devices)?.into_iter().map(|device| (device.name, device.description, device.default));
    let devices = list(setup, devices, "microphone_missing")?;
    let audio = setup.config()?.audio;
    loop {
        let Some(device) = choose(setup, "microphone_which", &devices, &audio.input_device)? else {
            setup.write([("audio.input_device", NONE.into())])?;
            return Ok(setup.text("microphone_none", &[]));
        };
        setup.talk.wait(&setup.text("microphone_ready", &[]))?;
        let recorded = record(&device.name)?;
        let peak_dbfs = peak_dbfs(&recorded);
        let level = format!("{peak_dbfs:.0}");
        if peak_dbfs < QUIET_DBFS {
            setup.talk.say("microphone_quiet", &[("level", &level)]);
            continue;
        }
        setup.talk.say("microphone_level", &[("level", &level)]);
        if peak_dbfs > LOUD_DBFS {
            setup.talk.say("microphone_loud", &[]);
        }
        let question = match audio.output_device.as_str() {
            NONE => "microphone_take",
            speaker => {
                setup.talk.say("microphone_played", &[]);
                match play(speaker, |rate_hz| at_rate(&recorded, rate_hz)) {
                    Ok(()) => "microphone_yours",
                    Err(fault) => {
                        setup.talk.trouble(&fault);
                        "microphone_take"
                    }
                }
            }
        };
        if setup.talk.confirm(&setup.text(question, &[]))? {
            setup.write([("audio.input_device", device.name.clone().into())])?;
            return Ok(format!("{} ({level} dBFS)", device.shown));
        }
    }
}

/// Whether this machine has a microphone at all.
pub(super) fn has_microphone() -> bool {
    quietly(input_devices).is_ok_and(|devices| devices.iter().any(|device| device.name != DISCARDS))
}

/// The devices with the system's choice first.
fn list(
    setup: &Setup,
    devices: impl Iterator<Item = (String, String, bool)>,
    missing: &str,
) -> Result<Vec<Device>, Fault> {
    let devices: Vec<_> = devices.filter(|(name, ..)| name != DISCARDS).collect();
    if devices.is_empty() {
        let fix = setup.text("device_missing_fix", &[]);
        return Err(Fault::new(FaultKind::MissingPart, "audio", setup.text(missing, &[]), fix));
    }
    let usual = devices.iter().find(|(_, _, usual)| *usual);
    let usual = usual.map(|(_, shown, _)| setup.text("device_usual", &[("device", shown)]));
    let usual = usual.into_iter().map(|shown| Device { name: AUTO.to_owned(), shown });
    let shown = |name: &str, description: String| match description == name {
        true => description,
        false => format!("{description}  ({name})"),
    };
    let named = devices
        .iter()
        .map(|(name, description, _)| Device { name: name.clone(), shown: shown(name, description.clone()) });
    Ok(usual.chain(named).collect())
}

/// The device that is chosen; `None` for none at all. Enter alone takes the configured one.
fn choose<'devices>(
    setup: &Setup,
    question: &str,
    devices: &'devices [Device],
    configured: &str,
) -> Answer<Option<&'devices Device>> {
    let mut options: Vec<String> = devices.iter().map(|device| device.shown.clone()).collect();
    options.push(setup.text("device_none", &[]));
    let usual = match configured {
        NONE => devices.len(),
        name => devices.iter().position(|device| device.name == name).unwrap_or(0),
    };
    Ok(devices.get(setup.talk.choose(&setup.text(question, &[]), &options, usual)?))
}

/// Plays a sound, given at the device's rate, to its end.
///
/// # Errors
/// When the device is not there, or does not play.
fn play(device: &str, sound: impl FnOnce(u32) -> Vec<f32>) -> Result<(), Fault> {
    let (speaker, mut feeder) = quietly(|| Speaker::open(device, RING_MS))?;
    let samples = sound(feeder.rate_hz());
    let length = Duration::from_secs_f32(samples.len() as f32 / feeder.rate_hz() as f32);
    let end = Instant::now() + length + DEVICE_PATIENCE;
    feeder.begin(1);
    let mut rest = samples.as_slice();
    loop {
        rest = &rest[feeder.push(rest)..];
        if rest.is_empty() {
            feeder.end();
        }
        let mut drained = false;
        feeder.poll(|_, report| drained |= matches!(report, ItemReport::Drained));
        let lost = match speaker.state() {
            SpeakerState::Running => (Instant::now() > end).then(|| "it takes no sound".to_owned()),
            SpeakerState::Failed { message } => Some(message),
        };
        match (drained, lost) {
            (true, _) => return Ok(()),
            (false, None) => std::thread::sleep(LOOK_EVERY),
            (false, Some(why)) => {
                let fix = "choose another one, or look whether another program holds it (`hark devices`)";
                let message = format!("{} does not play: {why}", speaker.name());
                return Err(Fault::new(FaultKind::Unavailable, "speaker", message, fix));
            }
        }
    }
}

/// Records with a meter on the terminal; mono at 16 kHz.
///
/// # Errors
/// When the device is not there, or brings nothing.
fn record(device: &str) -> Result<Vec<f32>, Fault> {
    let (mut microphone, mut reader) = quietly(|| Microphone::open(device, RING_MS))?;
    let wanted = (RECORDING.as_secs_f32() * SAMPLE_RATE_HZ as f32) as usize;
    let mut recorded = Vec::with_capacity(wanted);
    while recorded.len() < wanted {
        std::thread::sleep(LOOK_EVERY * 5);
        let from = recorded.len();
        reader.read(&mut recorded);
        if let MicrophoneState::Lost(why) = microphone.state() {
            put("\n");
            let fix = "choose another one, or look whether another program holds it (`hark devices`)";
            let message = format!("{} brings no sound: {why}", microphone.name());
            return Err(Fault::new(FaultKind::Unavailable, "microphone", message, fix));
        }
        let bar = ((peak_dbfs(&recorded[from..]) - FLOOR_DBFS) / 2.0).clamp(0.0, 30.0) as usize;
        put(&format!("\r  [{:30}]", "#".repeat(bar)));
    }
    put("\n");
    Ok(recorded)
}

/// The loudest sample, dB of full scale, −100 for silence.
fn peak_dbfs(samples: &[f32]) -> f32 {
    let peak = samples.iter().fold(0.0_f32, |peak, sample| peak.max(sample.abs()));
    (20.0 * peak.log10()).max(-100.0)
}

/// A recording at the rate of a speaker; as it is where it cannot be converted, which sounds too high or too low.
fn at_rate(recorded: &[f32], rate_hz: u32) -> Vec<f32> {
    let Ok(mut resampler) = Resampler::new(SAMPLE_RATE_HZ, rate_hz) else { return recorded.to_vec() };
    let mut converted = Vec::new();
    resampler.process(recorded, &mut converted);
    resampler.finish(&mut converted);
    converted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn peaks_are_decibels_of_full_scale() {
        assert_eq!(peak_dbfs(&[]), -100.0);
        assert_eq!(peak_dbfs(&[0.0, -1.0, 0.5]), 0.0);
        assert!((peak_dbfs(&[0.1]) + 20.0).abs() < 0.01);
    }

    #[test]
    fn a_recording_is_as_long_at_another_rate() {
        let converted = at_rate(&vec![0.1; 16_000], 48_000);
        assert!((47_000..=49_000).contains(&converted.len()), "{}", converted.len());
    }
}
