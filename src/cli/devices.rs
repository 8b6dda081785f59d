//! `hark devices`: microphones and speakers with their rates and channels, and one of them tried by ear.

use super::Faults;
use super::common::sound_check;
use hark_core::Fault;
use hark_core::setup::{Loudness, SoundTestResult};
use hark_stt::capture::input_devices;
use hark_tts::device::output_devices;
use serde_json::{Value, json};

/// Lists them.
pub(super) fn run(as_json: bool) -> Result<(), Faults> {
    let inputs = input_devices().map_err(|fault| vec![fault])?;
    let outputs = output_devices().map_err(|fault| vec![fault])?;
    let inputs: Vec<Value> = inputs
        .iter()
        .map(|d| {
            let lowest = d.rates_hz.first().map_or(0, |rates| rates.0);
            let highest = d.rates_hz.last().map_or(0, |rates| rates.1);
            let channels = d.channels.last().copied().unwrap_or(0);
            row(&d.name, &d.description, (lowest, highest), channels, d.default)
        })
        .collect();
    let outputs: Vec<Value> =
        outputs.iter().map(|d| row(&d.name, &d.description, d.rates_hz, d.channels, d.is_default)).collect();
    if as_json {
        println!("{}", json!({ "microphones": inputs, "speakers": outputs }));
    } else {
        print("microphones", &inputs);
        print("speakers", &outputs);
    }
    Ok(())
}

/// Plays two tones. As JSON what does not work is a result.
pub(super) fn play(device: &str, as_json: bool) -> Result<(), Fault> {
    let played = sound_check::play_tones(device);
    if !as_json {
        return played;
    }
    tell(&result(None, played));
    Ok(())
}

/// Records, and plays it back on `speaker`, `none` for nowhere. As JSON what does not work is a result.
pub(super) fn record(device: &str, speaker: &str, as_json: bool) -> Result<(), Fault> {
    let recorded = match sound_check::record(device, |_| {}) {
        Err(fault) if as_json => {
            tell(&result(None, Err(fault)));
            return Ok(());
        }
        recorded => recorded?,
    };
    let peak_dbfs = sound_check::peak_dbfs(&recorded);
    if !as_json {
        let told = match sound_check::loudness(peak_dbfs) {
            Loudness::Quiet => ": too quiet for speech near a microphone",
            Loudness::Good => "",
            Loudness::Loud => ": too loud, it is cut off",
        };
        println!("peak {peak_dbfs:.0} dBFS{told}");
    }
    let played = match speaker {
        "none" => None,
        speaker => Some(sound_check::play(speaker, |rate_hz| sound_check::at_rate(&recorded, rate_hz))),
    };
    if as_json {
        let is_played = played.is_some();
        let told = result(Some(peak_dbfs), played.unwrap_or(Ok(())));
        tell(&SoundTestResult { played: told.played && is_played, ..told });
        return Ok(());
    }
    played.unwrap_or(Ok(()))
}

fn result(peak_dbfs: Option<f32>, played: Result<(), Fault>) -> SoundTestResult {
    let loudness = peak_dbfs.map(sound_check::loudness);
    let (message, fix) = match &played {
        Ok(()) => Default::default(),
        Err(fault) => (fault.message.clone(), fault.fix.clone()),
    };
    SoundTestResult { peak_dbfs, loudness, played: played.is_ok(), message, fix }
}

fn tell(result: &SoundTestResult) {
    println!("{}", json!(result));
}

fn row(name: &str, description: &str, rates_hz: (u32, u32), channels: u16, is_default: bool) -> Value {
    json!({
        "name": name, "description": description, "lowest_rate_hz": rates_hz.0, "highest_rate_hz": rates_hz.1,
        "channels": channels, "default": is_default,
    })
}

fn print(what: &str, rows: &[Value]) {
    println!("{what}{}", if rows.is_empty() { ": none" } else { "" });
    for row in rows {
        let mark = if row["default"] == true { "*" } else { " " };
        let text = |key: &str| row[key].as_str().unwrap_or_default().to_owned();
        println!(
            "{mark} {}  {} to {} Hz, {} channels  ({})",
            text("name"),
            row["lowest_rate_hz"],
            row["highest_rate_hz"],
            row["channels"],
            text("description"),
        );
    }
}
