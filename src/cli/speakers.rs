//! `hark speakers`: people who are known by their voice. Reads and writes the same store as the daemon; whoever runs it is
//! the owner.

use super::args::Speakers as Command;
use crate::app::audio::speakers::SpeakerRegistry;
use crate::app::clock::wall_unix_ms;
use crate::app::storage::open_store;
use hark_config::Config;
use hark_core::speaker::{EnrolledSpeaker, Enrolment, Speakers};
use hark_core::{Fault, FaultKind};
use hark_models::manifest::Manifest;
use hark_stt::recording;
use serde_json::json;
use std::path::Path;
use std::sync::Arc;

/// Lists, enrols or forgets.
pub(super) fn run(config: &Config, command: &Command, as_json: bool) -> Result<(), Fault> {
    let manifest = Manifest::load(&config.paths.models_dir()?)?;
    let speakers = SpeakerRegistry::new(&config.speakers, Arc::new(open_store(config)?), Arc::new(manifest));
    match command {
        Command::List => show(&speakers.people()?, as_json),
        Command::Enrol { name, files } => {
            let mut person = None;
            for file in files {
                person = Some(enrol(&speakers, name, file)?);
            }
            show(&person.into_iter().collect::<Vec<_>>(), as_json);
        }
        Command::Forget { name } => {
            if !speakers.forget(name)? {
                let message = format!("the voice of {name} is not known");
                return Err(bad(message, "`hark speakers list` shows whose voices are known"));
            }
            println!("forgotten");
        }
    }
    Ok(())
}

fn enrol(speakers: &SpeakerRegistry, name: &str, file: &Path) -> Result<EnrolledSpeaker, Fault> {
    let shown = file.display();
    match speakers.enrol(name, &recording::whole(file)?, wall_unix_ms())? {
        Enrolment::Enrolled(person) => Ok(person),
        Enrolment::TooShort | Enrolment::NotHeard => {
            let message = format!("{shown}: less than 0.6 seconds of speech");
            Err(bad(message, "give a recording of a sentence or two"))
        }
        Enrolment::Known(guess) => {
            let message = format!("{shown}: this is the voice of {} ({:.2})", guess.name, guess.likelihood);
            Err(bad(message, "forget that voice first, if it is the wrong name"))
        }
        Enrolment::OtherVoice => {
            let message = format!("{shown}: this does not sound like {name}");
            Err(bad(message, "`hark speakers forget` the voice first, if it was enrolled wrongly"))
        }
    }
}

fn bad(message: String, fix: &str) -> Fault {
    Fault::new(FaultKind::BadInput, "speakers", message, fix)
}

fn show(people: &[EnrolledSpeaker], as_json: bool) {
    if as_json {
        println!("{}", json!(people));
        return;
    }
    if people.is_empty() {
        println!("nobody");
    }
    for person in people {
        let at = chrono::DateTime::from_timestamp_millis(person.told_unix_ms).unwrap_or_default();
        let at = at.with_timezone(&chrono::Local).format("%Y-%m-%d %H:%M");
        println!("{:20}  {} utterances, the last {at}", person.name, person.samples);
    }
}
