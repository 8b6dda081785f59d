//! Speaker and microphone by ear: a tone that is heard, and a recording that is played back.

use super::Setup;
use super::dialogue::{Answer, put};
pub(super) use crate::cli::common::sound_check::quietly;
use crate::cli::common::sound_check::{at_rate, loudness, peak_dbfs, play, play_tones, record};
use hark_core::setup::Loudness;
use hark_core::{Fault, FaultKind};
use hark_stt::capture::input_devices;
use hark_tts::device::output_devices;

/// Means the device the system prefers.
const AUTO: &str = "auto";
const NONE: &str = "none";
/// ALSA's device that is always there and is none.
const DISCARDS: &str = "null";
/// The meter has a place for every two decibels above this.
const FLOOR_DBFS: f32 = -60.0;

/// A device as it is chosen from.
struct Device {
    name: String,
    shown: String,
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
            play_tones(&device.name)?;
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
        let recorded = record(&device.name, |peak_dbfs| {
            let bar = ((peak_dbfs - FLOOR_DBFS) / 2.0).clamp(0.0, 30.0) as usize;
            put(&format!("\r  [{:30}]", "#".repeat(bar)));
        });
        put("\n");
        let recorded = recorded?;
        let peak_dbfs = peak_dbfs(&recorded);
        let level = format!("{peak_dbfs:.0}");
        let loudness = loudness(peak_dbfs);
        if loudness == Loudness::Quiet {
            setup.talk.say("microphone_quiet", &[("level", &level)]);
            continue;
        }
        setup.talk.say("microphone_level", &[("level", &level)]);
        if loudness == Loudness::Loud {
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
