//! `hark devices`: microphones and speakers with their rates and channels.

use super::Faults;
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
