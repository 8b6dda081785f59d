//! `speaker.*`: people who are known by their voice.

use super::args::Args;
use super::outcome::{Failure, Outcome, Prepared, blocking};
use super::services::Services;
use hark_core::public_event::Origin;
use hark_core::speaker::Enrolment;
use hark_core::tool::{error_code, reason};
use serde_json::json;
use std::sync::Arc;

/// Utterances from which on a voice is known well (`hark eval speakers`).
const ENOUGH: usize = 3;

/// `speaker.enrol`: the voice that asks for it.
pub fn enrol(services: &Arc<Services>, args: &Args) -> Result<Prepared, Failure> {
    let name = args.owned("name").map(|name| capitalised(&name)).unwrap_or_default();
    // Whoever types has no voice, and an automation speaks for nobody.
    if args.is_unattended() || args.requester().conversation != voice_conversation() {
        return Err(refused(reason::VOICE_NOT_HEARD, "only the voice that asks for it can be remembered"));
    }
    let (speakers, now) = (services.speakers.clone(), services.now_unix_ms());
    Ok(blocking(move || match speakers.enrol_last(&name, now)? {
        Enrolment::Enrolled(person) => {
            let detail =
                json!({"name": person.name, "samples": person.samples, "enough": person.samples >= ENOUGH});
            Ok(Outcome::new(true, detail))
        }
        Enrolment::NotHeard => {
            Err(refused(reason::VOICE_NOT_HEARD, "the request was not heard by this microphone"))
        }
        Enrolment::TooShort => Err(refused(reason::VOICE_SHORT, "too little was said to know a voice by")),
        Enrolment::Known(guess) => {
            let message = format!("this is the voice of {}", guess.name);
            Err(refused(reason::VOICE_KNOWN, message).with("name", json!(guess.name)))
        }
        Enrolment::OtherVoice => {
            let message = format!("this does not sound like {name}");
            Err(refused(reason::VOICE_OTHER, message).with("name", json!(name)))
        }
    }))
}

/// `speaker.forget`: the voice of a name, else the one that asks. A voice that rights are taken from is forgotten at the
/// command line only.
pub fn forget(services: &Arc<Services>, args: &Args) -> Result<Prepared, Failure> {
    let requester = args.requester();
    let Some(name) = args.owned("name").or_else(|| requester.person.clone()) else {
        return Err(refused(
            reason::VOICE_UNKNOWN,
            "it is not known whose voice this is; say whose to forget",
        ));
    };
    if services.gate.limits(&name) && requester.is_stranger() {
        let message = format!("permissions.people names {name}: only the owner forgets this voice");
        return Err(refused(reason::VOICE_LIMITED, message).with("name", json!(name)));
    }
    let speakers = services.speakers.clone();
    Ok(blocking(move || {
        let name = capitalised(&name);
        if speakers.forget(&name)? {
            return Ok(Outcome::new(true, json!({"name": name})));
        }
        let message = format!("the voice of {name} is not known");
        Err(refused(reason::VOICE_NOBODY, message).with("name", json!(name)))
    }))
}

/// `speaker.who`: whose voice asks, and whose are known.
pub fn who(services: &Arc<Services>, args: &Args) -> Result<Prepared, Failure> {
    let (speakers, person) = (services.speakers.clone(), args.requester().person.clone());
    Ok(blocking(move || {
        let people: Vec<String> = speakers.people()?.into_iter().map(|person| person.name).collect();
        let mut answer = Outcome::answer(json!({"people": people, "count": people.len()}));
        answer.detail.extend(person.map(|name| ("name".to_owned(), json!(name))));
        Ok(answer)
    }))
}

/// Name of the conversation at the node's microphone.
fn voice_conversation() -> String {
    hark_core::memory::Requester::of(&Origin::Voice).conversation
}

/// A name as it is written: recognisers give small letters.
fn capitalised(name: &str) -> String {
    let word = |word: &str| {
        let mut letters = word.chars();
        letters
            .next()
            .map(|first| first.to_uppercase().chain(letters).collect::<String>())
            .unwrap_or_default()
    };
    name.split_whitespace().map(word).collect::<Vec<_>>().join(" ")
}

fn refused(why: &str, message: impl Into<String>) -> Failure {
    Failure::new(error_code::FORBIDDEN, message).because(why)
}
