//! A speaker pauses within a request, past its endpoint, and then continues.

use crate::support::{Hark, flite, named, only, text};
use serde_json::Value;
use std::path::Path;

/// Both parts as one recording with so much silence before each, and two seconds behind.
pub(crate) fn with_a_pause(hark: &Hark, parts: [&str; 2], pause_ms: u32, file: &Path) {
    let one = hark.path("part.wav");
    let mut writer: Option<hound::WavWriter<_>> = None;
    for part in parts {
        flite("slt", part, &one);
        let mut reader = hound::WavReader::open(&one).unwrap();
        let spec = reader.spec();
        let samples: Vec<i16> = reader.samples().map(Result::unwrap).collect();
        let loud = |sample: &i16| sample.unsigned_abs() > 150;
        let (from, to) = (samples.iter().position(loud).unwrap(), samples.iter().rposition(loud).unwrap());
        let silence = vec![0_i16; (spec.sample_rate * pause_ms / 1000) as usize];
        let writer = writer.get_or_insert_with(|| hound::WavWriter::create(file, spec).unwrap());
        for sample in silence.iter().chain(&samples[from..=to]) {
            writer.write_sample(*sample).unwrap();
        }
    }
    let mut writer = writer.unwrap();
    (0..2 * writer.spec().sample_rate).for_each(|_| writer.write_sample(0_i16).unwrap());
    writer.finalize().unwrap();
}

fn hear(hark: &Hark, parts: [&str; 2], pause_ms: u32, settings: &[&str]) -> Vec<Value> {
    let file = hark.path("said.wav");
    with_a_pause(hark, parts, pause_ms, &file);
    let settings = settings.iter().flat_map(|setting| ["--set", setting]);
    let arguments: Vec<&str> =
        ["hear", "--no-wake", file.to_str().unwrap()].into_iter().chain(settings).collect();
    hark.events(&arguments)
}

/// The pause is longer than this request is waited for.
const BRISK: [&str; 1] = ["endpoint.mode=words"];

#[test]
fn what_the_first_part_did_is_taken_back_and_the_whole_is_done() {
    let hark = Hark::new();
    let events = hear(&hark, ["set a timer for ten minutes", "called pasta"], 500, &BRISK);
    let heard: Vec<&Value> = named(&events, "transcript").iter().map(|said| &said["text"]).collect();
    assert_eq!(heard, ["set a timer for ten minutes", "set a timer for ten minutes called pasta"]);
    let tools: Vec<&Value> = named(&events, "action").iter().map(|action| &action["tool"]).collect();
    assert_eq!(tools, ["timer.start", "undo.last", "timer.start"], "{events:#?}");
    let list = text(&hark.run(&["timers", "list", "--json"]).stdout);
    let list: Vec<Value> = serde_json::from_str(&list).unwrap();
    assert_eq!(list.len(), 1, "{list:#?}");
    assert_eq!(list[0]["name"], "pasta");
}

#[test]
fn who_speaks_to_somebody_else_afterwards_takes_nothing_back() {
    let hark = Hark::new();
    let events = hear(&hark, ["turn on the kitchen ceiling", "did you see the game yesterday"], 500, &BRISK);
    let action = only(&events, "action");
    assert_eq!(action["tool"], "home.turn_on", "{events:#?}");
    assert_eq!(only(&events, "reply")["text"], "Turned on the kitchen ceiling.");
    let of_first = |turn: &&Value| turn["turn"] == action["turn"];
    let ended = named(&events, "turn").into_iter().find(of_first).unwrap();
    assert_eq!(ended["outcome"], "done");
}

#[test]
fn a_request_with_a_pause_inside_is_done_once_and_whole() {
    let hark = Hark::new();
    for (parts, pause_ms) in [
        (["set the bedroom light to", "forty percent"], 700),
        (["set a timer for ten minutes", "called pasta"], 180),
    ] {
        let events = hear(&hark, parts, pause_ms, &[]);
        assert_eq!(only(&events, "transcript")["text"], parts.join(" "), "{events:#?}");
        assert_eq!(only(&events, "action")["receipt"]["ok"], true);
    }
}
