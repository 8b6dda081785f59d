//! Somebody who pauses within a request, at the running daemon.

use crate::scenarios::going_on::with_a_pause;
use crate::support::sound_card::SoundCard;
use crate::support::{Broker, Hark, flite, text};
use serde_json::Value;

#[test]
fn who_pauses_within_a_request_is_heard_once_and_whole() {
    if !SoundCard::available() {
        eprintln!("left out: pulseaudio is not installed");
        return;
    }
    let card = SoundCard::start();
    let broker = Broker::start();
    let hark = Hark::new();
    let all = broker.subscribe("hark/#");
    let daemon = hark.live_in(&card, &broker, &[]);
    all.wait("the daemon to listen", |line| line == "hark/hark/state idle");

    let recording = hark.path("request.wav");
    // The first reply shows that the microphone does not hear the loudspeaker: until then what may be an echo counts for nothing.
    flite("slt", "hey jarvis, turn on the living room light", &recording);
    card.play_into_room(&recording);
    all.wait("the light", |line| line.starts_with("hark/hark/turn") && line.contains("\"done\""));

    // Long enough for the first part to be acted on, soon enough for it to be taken back.
    with_a_pause(&hark, ["hey jarvis, set a timer for ten minutes", "called pasta"], 800, &recording);
    card.play_into_room(&recording);
    all.wait("the whole request", |line| {
        line.starts_with("hark/hark/event")
            && line.contains("\"transcript\"")
            && line.contains("called pasta")
    });
    let is_named = |line: &str| {
        line.starts_with("hark/hark/event") && line.contains("timer.start") && line.contains("pasta")
    };
    all.wait("the timer", |line| is_named(line) && line.contains("\"ok\":true"));
    let list = text(&hark.run(&["timers", "list", "--json"]).stdout);
    let list: Vec<Value> = serde_json::from_str(&list).unwrap();
    assert_eq!(list.len(), 1, "{list:#?}");
    assert_eq!(list[0]["name"], "pasta");
    assert!(daemon.terminate().success());
}
