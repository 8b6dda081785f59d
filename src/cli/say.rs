//! `hark say`: speaks a text on the speaker or into a file, and lists the voices it can be spoken with.

use super::Faults;
use super::args::SayArgs;
use super::running::Running;
use crate::app::audio::voices;
use crate::app::builder::App;
use crate::cli::standalone::say;
use hark_config::Config;
use hark_core::Fault;
use serde_json::{Value, json};

/// Has the running Hark say it, which says it after what it is saying; where none runs, into a file and in another voice
/// this process speaks, and returns when the last sample has left. Or lists.
pub(super) fn run(config: Config, args: &SayArgs, sets: &[String], as_json: bool) -> Result<(), Faults> {
    let one = |fault: Fault| vec![fault];
    let text = args.text.join(" ");
    let by_itself = args.list_voices || args.out.is_some() || args.voice.is_some();
    let running = if by_itself { None } else { Running::find(&config, sets).map_err(one)? };
    if let Some(running) = running {
        let said: Value = running.post("/api/v1/say", &json!({"text": text})).map_err(one)?;
        if said["spoken"] != true {
            eprintln!(
                "hark: it is shown and not said: the running Hark has no voice, is muted, or it is quiet time"
            );
        }
        return Ok(());
    }
    let mut app = App::open(config)?;
    let done = if args.list_voices { list(&app, as_json) } else { speak(&mut app, &text, args) };
    done.map_err(one)
}

fn speak(app: &mut App, text: &str, args: &SayArgs) -> Result<(), Fault> {
    let language = match &args.voice {
        Some(name) => voices::choose(&mut app.config, &app.manifest, name)?,
        None => app.config.speaking.language.clone(),
    };
    match &args.out {
        Some(path) => say::to_file(app, text, &language, path),
        None => say::on_speaker(app, text, &language),
    }
}

fn list(app: &App, as_json: bool) -> Result<(), Fault> {
    for voice in voices::list(&app.config, &app.manifest)? {
        if as_json {
            println!("{}", json!(voice));
        } else {
            let get = voice.get.map(|get| format!(" (not here: {get})")).unwrap_or_default();
            println!("{:8} {:22} {}{get}", voice.engine, voice.name, voice.description);
        }
    }
    Ok(())
}
