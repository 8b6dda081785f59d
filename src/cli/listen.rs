//! `hark listen`: a live meter of level, voice activity, wake word score and words so far.

use super::Faults;
use crate::config::Config;
use crate::daemon::listen::{Shown, listen};
use crate::daemon::workshop::Workshop;
use crate::hearing::HearingEvent;
use crate::hearing::ear::Meter;
use serde_json::json;
use std::io::{IsTerminal, Write};

/// Shows the meter until it is interrupted, or the reader of its output goes away.
pub(super) fn run(config: Config, as_json: bool) -> Result<(), Faults> {
    let workshop = Workshop::open(config)?;
    let rewrite = !as_json && std::io::stdout().is_terminal();
    let mut words = String::new();
    let shown = listen(&workshop, |shown| {
        let text = match shown {
            Shown::Meter(meter) if as_json => format!("{}\n", json_of(&meter, &words)),
            Shown::Meter(meter) => {
                let line = line(&meter, &words);
                if rewrite { format!("\r\x1b[K{line}") } else { format!("{line}\n") }
            }
            Shown::Heard(event) => {
                note(event, &mut words);
                return true;
            }
        };
        let mut out = std::io::stdout().lock();
        out.write_all(text.as_bytes()).and_then(|()| out.flush()).is_ok()
    });
    shown.map_err(|fault| vec![fault])
}

/// Keeps the words that are to be shown.
fn note(event: HearingEvent, words: &mut String) {
    match event {
        HearingEvent::SpeechStarted => words.clear(),
        HearingEvent::Partial { text, .. } => *words = format!("{text} …"),
        HearingEvent::Transcript(transcript) => {
            *words = match transcript.rejected {
                None => format!("“{}” ({:.2})", transcript.text, transcript.confidence),
                Some(why) => format!("“{}” rejected: {why}", transcript.text),
            };
        }
        HearingEvent::Fault(fault) => *words = fault.message,
        _ => {}
    }
}

fn line(meter: &Meter, words: &str) -> String {
    // −60 dBFS to 0 dBFS on thirty characters.
    let filled = ((meter.level_dbfs + 60.0) / 2.0).clamp(0.0, 30.0) as usize;
    let wake: Vec<String> = meter.wake.iter().map(|(word, score)| format!("{word} {score:.2}")).collect();
    format!(
        "{:>6.1} dBFS [{:30}] voice {:.2}  {}  {words}",
        meter.level_dbfs,
        "#".repeat(filled),
        meter.vad,
        wake.join("  ")
    )
}

fn json_of(meter: &Meter, words: &str) -> serde_json::Value {
    let wake: serde_json::Map<String, serde_json::Value> =
        meter.wake.iter().map(|(word, score)| (word.clone(), json!(score))).collect();
    json!({ "level_dbfs": meter.level_dbfs, "vad": meter.vad, "wake": wake, "words": words })
}
