//! "Hey jarvis, turn on the living room light": one spoken sentence, end to end.

use crate::support::{Hark, flite, named, only};

#[test]
fn a_spoken_sentence_turns_the_light_on_and_is_answered_aloud() {
    let hark = Hark::new();
    let recording = hark.path("request.wav");
    flite("slt", "hey jarvis, turn on the living room light", &recording);
    let reply = hark.path("reply.wav");
    let events = hark.events(&["hear", recording.to_str().unwrap(), "--reply", reply.to_str().unwrap()]);

    assert!(only(&events, "wake")["score"].as_f64().unwrap() > 0.5);
    assert_eq!(only(&events, "transcript")["text"], "turn on the living room light");
    let intent = only(&events, "intent");
    assert_eq!(intent["name"], "HassTurnOn");
    assert_eq!(intent["route"], "template");
    let action = only(&events, "action");
    assert_eq!(action["tool"], "home.turn_on");
    assert_eq!(action["receipt"]["ok"], true);
    assert_eq!(action["receipt"]["detail"]["entities"][0]["to"], "on");
    let said = only(&events, "reply")["text"].as_str().unwrap().to_lowercase();
    assert!(said.contains("living room"), "{said}");
    assert_eq!(only(&events, "turn")["outcome"], "done");
    let states: Vec<&str> = named(&events, "state").iter().map(|e| e["state"].as_str().unwrap()).collect();
    assert_eq!(states, ["listening", "processing", "responding", "idle"]);
    assert!(events.iter().all(|event| event["audio_ms"].is_number() && event["at"].is_string()));

    let reader = hound::WavReader::open(&reply).unwrap();
    let seconds = f64::from(reader.duration()) / f64::from(reader.spec().sample_rate);
    let loudest = reader.into_samples::<i16>().map(|s| s.unwrap().unsigned_abs()).max().unwrap();
    assert!((0.8..6.0).contains(&seconds), "{seconds} s of reply");
    assert!(loudest > 2000, "the reply is audible, peak {loudest}");
}

#[test]
fn the_story_of_the_last_turn_is_told() {
    let hark = Hark::new();
    hark.events(&["ask", "turn on the kitchen ceiling"]);
    let story = hark.run(&["explain", "last"]);
    let story = crate::support::text(&story.stdout);
    for part in ["HassTurnOn", "home.turn_on", "receipt", "template", "transcript → intent"] {
        assert!(story.contains(part), "{part} in {story}");
    }
}
