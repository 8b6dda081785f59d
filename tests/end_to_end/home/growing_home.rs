//! A home that gets more things while Hark runs: their names are understood, typed and spoken, without a
//! restart. The parts are the real ones; a device that announces itself is played by the test.

use crate::support::{flite, root};
use hark::app::builder::App;
use hark::cli::benchmarks::templates;
use hark::cli::standalone::{ask, hear};
use hark_config::Config;
use hark_core::home::{Entity, Home};
use hark_core::ports::{HomeSink, HomeView};
use hark_core::{Envelope, PublicEvent};
use hark_home::HomeRegistry;
use hark_stt::stt::worker::SttMode;
use std::path::Path;
use std::sync::{Arc, Mutex};

fn app(folder: &Path) -> App {
    let mut config = Config::default();
    config.paths.models_dir = root().join("models").display().to_string();
    config.paths.state_dir = folder.display().to_string();
    App::open(config).unwrap_or_else(|faults| panic!("{faults:?}"))
}

/// A lamp that was not there before, driven as the demo home's lamps are.
fn add_lamp(home: &HomeRegistry) {
    let now = home.home();
    let like = now.entities.iter().find(|entity| entity.id.0 == "light.bedroom").unwrap();
    let lamp =
        Entity { id: "light.aquarium".into(), name: "Aquarium".into(), aliases: Vec::new(), ..like.clone() };
    home.replace("test", Home { entities: vec![lamp], ..Home::default() });
}

/// Names that are turned on, in order; nothing for what was not understood.
fn named(events: &[PublicEvent]) -> Vec<Option<String>> {
    let name = |event: &PublicEvent| match event {
        PublicEvent::Intent { intent, .. } => {
            Some(intent.slots.get("name").and_then(|name| name.as_str()).map(str::to_owned))
        }
        _ => None,
    };
    events.iter().filter_map(name).collect()
}

#[test]
fn a_new_lamp_is_understood_when_it_is_typed_and_when_it_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let app = app(folder.path());
    let said = folder.path().join("said.wav");
    flite("slt", "turn on the aquarium", &said);
    let events = Arc::new(Mutex::new(Vec::new()));
    let note = |when_closed: Option<Arc<HomeRegistry>>| {
        let events = events.clone();
        move |envelope: &Envelope| {
            events.lock().unwrap().push(envelope.event.clone());
            if let (PublicEvent::Turn { .. }, Some(home)) = (&envelope.event, &when_closed) {
                add_lamp(home);
            }
        }
    };
    let options = hear::Options { no_wake: true, ..hear::Options::default() };
    // The same words twice; the lamp comes after the first time.
    let heard = hear::hear(&app, &[said.clone(), said], &options, note(Some(app.home.clone())));
    heard.unwrap_or_else(|faults| panic!("{faults:?}"));
    let words: Vec<Option<String>> = std::mem::take(&mut *events.lock().unwrap())
        .into_iter()
        .filter_map(|event| match event {
            PublicEvent::Transcript(words) => Some(words.rejected.is_none().then_some(words.text)),
            _ => None,
        })
        .collect();
    assert_eq!(words.len(), 2, "{words:?}");
    assert_ne!(words[0].as_deref(), Some("turn on the aquarium"), "it is not known yet");
    assert_eq!(words[1].as_deref(), Some("turn on the aquarium"));
    let typed = ["turn on the aquarium".to_owned()].into_iter();
    ask::ask(&app, typed, &ask::Options { dry_run: true, ..ask::Options::default() }, note(None)).unwrap();
    assert_eq!(named(&events.lock().unwrap()), [Some("Aquarium".to_owned())]);
}

/// How long it takes is told by `hark eval fleet`.
#[test]
fn names_of_five_hundred_things_are_learned() {
    let folder = tempfile::tempdir().unwrap();
    let app = app(folder.path());
    let _ear = app.pipeline(SttMode::Live).unwrap();
    app.home.replace("test", templates::home());
    app.follow_names();
    let typed = ["turn on the library reading light".to_owned()].into_iter();
    let events = Arc::new(Mutex::new(Vec::new()));
    let notes = events.clone();
    let note = move |envelope: &Envelope| notes.lock().unwrap().push(envelope.event.clone());
    ask::ask(&app, typed, &ask::Options { dry_run: true, ..ask::Options::default() }, note).unwrap();
    assert_eq!(named(&events.lock().unwrap()), [Some("library reading light".to_owned())]);
}
