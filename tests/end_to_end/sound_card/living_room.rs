//! `hark run` in a room: a virtual sound card, a real broker, a person.

use crate::support::sound_card::{RATE_HZ, SoundCard};
use crate::support::{Broker, Hark, flite};
use serde_json::Value;
use std::time::Duration;

#[test]
fn a_person_in_the_room_turns_the_light_on_and_is_answered() {
    let card = SoundCard::start();
    let broker = Broker::start();
    let hark = Hark::new();
    let all = broker.subscribe("hark/#");
    let daemon = hark.live_in(&card, &broker, &[]);
    all.wait("the daemon to be there", |line| line == "hark/hark/availability online");
    all.wait("the daemon to listen", |line| line == "hark/hark/state idle");

    let discovery: Value =
        serde_json::from_str(&broker.retained("homeassistant/device/hark_hark/config")).unwrap();
    assert!(discovery["dev"]["identifiers"].is_array() && discovery["o"]["name"].is_string());
    assert!(discovery["cmps"].as_object().unwrap().len() >= 7, "{discovery:#}");

    let recording = hark.path("request.wav");
    flite("slt", "hey jarvis, turn on the living room light", &recording);
    let speaker = card.record_speaker();
    card.play_into_room(&recording);
    let action =
        all.wait("the light", |line| line.starts_with("hark/hark/event") && line.contains("\"action\""));
    assert!(action.contains("home.turn_on") && action.contains("\"ok\":true"), "{action}");
    all.wait("the closing record", |line| line.starts_with("hark/hark/turn") && line.contains("\"done\""));
    let sound = speaker.stop();
    let loud = sound.iter().filter(|sample| sample.abs() > 0.02).count();
    assert!(loud as f32 / RATE_HZ as f32 > 0.3, "the reply is heard in the room");

    broker.publish("hark/hark/ask", "is the living room light on");
    all.wait("the answer", |line| line.starts_with("hark/hark/answer ") && line.contains("es"));
    broker.publish("hark/hark/mic_mute/set", "ON");
    all.wait("the muted state", |line| line == "hark/hark/state muted");

    assert!(daemon.terminate().success(), "a clean end on SIGTERM");
    all.wait("the goodbye", |line| line == "hark/hark/availability offline");
    std::thread::sleep(Duration::from_millis(50));
    assert_eq!(broker.retained("hark/hark/availability"), "offline");
}
