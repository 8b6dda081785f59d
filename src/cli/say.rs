//! `hark say`: speaks a text on the speaker or into a file, and lists the voices it can be spoken with.

use super::Faults;
use super::args::SayArgs;
use crate::config::Config;
use crate::daemon::workshop::Workshop;
use crate::daemon::{say, voices};
use crate::domain::Fault;
use serde_json::json;

/// Speaks, and returns when the last sample has left; or lists.
pub(super) fn run(config: Config, args: &SayArgs, as_json: bool) -> Result<(), Faults> {
    let mut workshop = Workshop::open(config)?;
    let done = match &args.text {
        Some(text) if !args.list_voices => speak(&mut workshop, text, args),
        _ => list(&workshop, as_json),
    };
    done.map_err(|fault| vec![fault])
}

fn speak(workshop: &mut Workshop, text: &str, args: &SayArgs) -> Result<(), Fault> {
    let language = match &args.voice {
        Some(name) => voices::choose(workshop, name)?,
        None => workshop.config.speaking.language.clone(),
    };
    match &args.out {
        Some(path) => say::to_file(workshop, text, &language, path),
        None => say::on_speaker(workshop, text, &language),
    }
}

fn list(workshop: &Workshop, as_json: bool) -> Result<(), Fault> {
    for voice in voices::list(workshop)? {
        if as_json {
            println!("{}", json!(voice));
        } else {
            let get = voice.get.map(|get| format!(" (not here: {get})")).unwrap_or_default();
            println!("{:8} {:22} {}{get}", voice.engine, voice.name, voice.description);
        }
    }
    Ok(())
}
