//! Replies spoken while they are written, and prepared before they are asked for.

use super::*;
use crate::scene::{RATE_HZ, Scene, at_least_once, ended, gaps, scene, started, stretches};
use crate::voice_loop::{CLAUSE_PAUSE_MS, SENTENCE_PAUSE_MS};
use crate::voice_thread::{SpeakingEvent, SpeechStream};
use crate::voices::espeak::Espeak;
use hark_core::Fault;
use hark_core::ports::{PcmSink, Voice};
use hark_core::public_event::SpeakingEnd::{Done, Stop};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

/// A voice that makes a phrase as a neural one does: all at once, after a while. A phrase is 100 ms of
/// sound a letter, as loud as its first letter is far in the alphabet.
struct Whole {
    takes: Duration,
    /// Phrases, each from its beginning on.
    made: Arc<Mutex<Vec<String>>>,
}

impl Voice for Whole {
    fn rate_hz(&self) -> u32 {
        RATE_HZ
    }

    fn synthesise(&mut self, text: &str, _: &str, sink: PcmSink<'_>) -> Result<(), Fault> {
        self.made.lock().unwrap().push(text.to_owned());
        std::thread::sleep(self.takes);
        let letters = text.chars().filter(char::is_ascii_alphabetic).count();
        let _: ControlFlow<()> = sink(&vec![level(text); letters * RATE_HZ as usize / 10]);
        Ok(())
    }
}

fn level(text: &str) -> f32 {
    let first = text.bytes().find(u8::is_ascii_alphabetic).map_or(b'a', |byte| byte.to_ascii_lowercase());
    f32::from(first - b'a' + 1) / 40.0
}

/// Waits until a phrase is being made.
fn begun(made: &Mutex<Vec<String>>) {
    while made.lock().unwrap().is_empty() {
        std::thread::sleep(Duration::from_millis(1));
    }
}

fn whole(takes_ms: u64) -> (Scene, Arc<Mutex<Vec<String>>>) {
    let made = Arc::new(Mutex::new(Vec::new()));
    let voice = Whole { takes: Duration::from_millis(takes_ms), made: Arc::clone(&made) };
    (scene(Box::new(voice)), made)
}

/// The levels heard, in order, without silence and the ramps between.
fn levels(heard: &[f32]) -> Vec<f32> {
    let mut levels: Vec<f32> = Vec::new();
    for pair in heard.windows(40) {
        let steady = pair.iter().all(|sample| (sample - pair[0]).abs() < 1e-4) && pair[0] > 0.01;
        if steady && levels.last().is_none_or(|last| (last - pair[0]).abs() > 1e-3) {
            levels.push(pair[0]);
        }
    }
    levels
}

#[test]
fn a_reply_sounds_the_same_however_it_is_written() {
    let text = "Alpha one is on. Bravo is off, Dr. Charlie! Delta";
    let (mut scene, _) = whole(0);
    scene.say("whole", text);
    let expected = scene.play(7000);
    assert_eq!(scene.told(), [started("whole"), ended("whole", Done)]);
    let stream = scene.voice.say_stream("streamed".into(), "en").unwrap();
    for piece in text.split_inclusive(|c: char| !c.is_alphabetic()) {
        assert!(stream.push(piece, ""));
        scene.voice.settle();
    }
    stream.finish();
    assert_eq!(scene.play(7000), expected);
    assert_eq!(scene.told(), [started("streamed"), ended("streamed", Done)]);
}

#[test]
fn sound_begins_with_the_first_phrase_and_waits_for_the_rest() {
    let (mut scene, _) = whole(0);
    let stream = scene.voice.say_stream("a".into(), "en").unwrap();
    scene.say("b", "Hotel.");
    assert_eq!((scene.play(50).iter().sum::<f32>(), scene.told()), (0.0, vec![]));
    stream.push("Alpha. B", "");
    assert_eq!(levels(&scene.play(100)), [level("a")], "the first phrase does not wait for the second");
    assert_eq!(scene.told(), [started("a")]);
    scene.play(1000);
    assert_eq!(scene.told(), [], "it is not over while it is written");
    stream.push("ravo.", "");
    stream.finish();
    assert_eq!(levels(&scene.play(3000)), [level("b"), level("h")]);
    assert_eq!(scene.told(), [ended("a", Done), started("b"), ended("b", Done)]);
}

#[test]
fn a_writer_who_has_to_think_has_his_words_spoken_first() {
    let (mut scene, _) = whole(0);
    let stream = scene.voice.say_stream("a".into(), "en").unwrap();
    stream.push("Alpha.", "");
    assert!(levels(&scene.play(300)).is_empty(), "it may be an abbreviation");
    stream.flush();
    assert_eq!(levels(&scene.play(1000)), [level("a")]);
    stream.push(" Bravo.", "");
    stream.finish();
    assert_eq!(levels(&scene.play(1500)), [level("b")]);
    assert_eq!(scene.told(), [started("a"), ended("a", Done)]);
}

#[test]
fn stopping_tells_the_writer() {
    let (mut scene, _) = whole(0);
    let stream = scene.voice.say_stream("a".into(), "en").unwrap();
    let queued = scene.voice.say_stream("b".into(), "en").unwrap();
    assert!(stream.push("Alpha. Bravo. C", "") && queued.push("D", ""));
    scene.play(100);
    scene.voice.stop();
    scene.voice.settle();
    assert!(
        !stream.push("harlie. ", "") && stream.is_closed() && !queued.push("elta", "") && queued.is_closed()
    );
    assert_eq!(scene.told(), [started("a"), ended("a", Stop), ended("b", Stop)]);
    drop((stream, queued));
    scene.say("c", "Echo.");
    assert_eq!(levels(&scene.play(600)).last(), Some(&level("e")));
    assert_eq!(scene.told(), [started("c"), ended("c", Done)]);
}

#[test]
fn a_reply_without_text_ends_and_one_that_is_too_long_is_refused() {
    let (mut scene, _) = whole(0);
    scene.voice.say_stream("a".into(), "en").unwrap().finish();
    scene.play(10);
    assert_eq!(scene.told(), [ended("a", Done)]);
    scene.voice.attach(None);
    let stream = scene.voice.say_stream("b".into(), "en").unwrap();
    scene.voice.settle();
    assert!(stream.is_closed(), "nobody can hear it");
    let waiting = SpeechStream { text: Arc::default(), mailbox: Arc::clone(&scene.voice.mailbox) };
    assert!(waiting.push(&"x".repeat(MAX_WAITING_BYTES), "") && !waiting.push("x", ""));
}

#[test]
fn the_next_phrase_is_made_while_one_plays() {
    at_least_once(|| {
        let (mut scene, _) = whole(700);
        scene.say("a", "Alphaalpha alpha. Bravobravo bravo and bravo, charlie. Deltadelta.");
        let (heard, told) = scene.play_in_real_time();
        let waited = heard.iter().position(|sample| *sample > 0.01).unwrap() / (RATE_HZ as usize / 1000);
        println!("700 ms a phrase: first sound after {waited} ms, gaps {:?} ms", gaps(&heard));
        assert_eq!(told, [started("a"), ended("a", Done)]);
        assert_eq!(levels(&heard), [level("a"), level("b"), level("d")]);
        // The phrases are 1.6 s and more, longer than it takes to make the next one.
        even(&heard, 20)
    });
}

/// Whether there are two gaps, and they are the pauses between sentences.
fn even(heard: &[f32], tolerance_ms: usize) -> Result<(), String> {
    let pauses: Vec<usize> = gaps(heard).into_iter().filter(|gap| *gap > 200).collect();
    let even = pauses.iter().all(|gap| gap.abs_diff(SENTENCE_PAUSE_MS as usize) <= tolerance_ms);
    if even && pauses.len() == 2 { Ok(()) } else { Err(format!("{:?}", stretches(heard))) }
}

#[test]
fn espeak_begins_at_once_and_leaves_no_holes() {
    let data = concat!(env!("CARGO_MANIFEST_DIR"), "/../../models/cache/espeak-ng-data");
    let espeak = Espeak::open(std::path::Path::new(data), 170, 50).unwrap();
    espeak.warm_up("en").unwrap();
    at_least_once(|| {
        let mut scene = scene(Box::new(espeak.clone()));
        scene.say("a", "The kitchen light is on. It is 21.5 °C. All doors are locked.");
        let (heard, _) = scene.play_in_real_time();
        let waited = heard.iter().position(|sample| *sample != 0.0).unwrap() / (RATE_HZ as usize / 1000);
        println!("espeak: first sound after {waited} ms (blocks of 10 ms), gaps {:?} ms", gaps(&heard));
        // The soft beginnings and ends of its words count as silence here.
        even(&heard, 60)
    });
}

#[test]
fn clauses_have_a_shorter_pause() {
    let (mut scene, _) = whole(0);
    scene.say("a", "The front door is not locked, and nobody has been home all day. Bye.");
    assert_eq!(gaps(&scene.play(15_000)), [CLAUSE_PAUSE_MS as usize, SENTENCE_PAUSE_MS as usize]);
}

#[test]
fn late_sound_of_a_stopped_phrase_is_never_heard() {
    let (mut scene, made) = whole(200);
    scene.say("a", "Alpha is here. Alpha again.");
    begun(&made);
    scene.voice.stop();
    scene.say("b", "Zulu.");
    let (mut heard, told) = scene.play_in_real_time();
    heard.extend(scene.play(1000));
    assert_eq!(levels(&heard), [level("z")]);
    assert_eq!(told, [ended("a", Stop)]);
    assert_eq!(scene.told(), [started("b"), ended("b", Done)]);
    assert_eq!(
        *made.lock().unwrap(),
        ["Alpha is here.", "Zulu."],
        "what was under way, and nothing more of it"
    );
}

#[test]
fn a_prepared_reply_makes_no_sound_until_it_is_said_and_then_begins_at_once() {
    let (mut scene, made) = whole(150);
    scene.voice.prepare("Alpha. Bravo.", "en");
    assert_eq!((scene.play(100).iter().sum::<f32>(), scene.told()), (0.0, vec![]));
    assert_eq!(*made.lock().unwrap(), ["Alpha.", "Bravo."]);
    scene.say("a", "Alpha. Bravo. Charlie.");
    assert_eq!(levels(&scene.play(3000)), [level("a"), level("b"), level("c")]);
    assert_eq!(made.lock().unwrap().len(), 3, "nothing is made twice");
    scene.say("b", "Alpha.");
    scene.play(1000);
    assert_eq!(made.lock().unwrap().len(), 4, "what was prepared serves once");
}

#[test]
fn what_is_being_prepared_is_taken_over() {
    let (mut scene, made) = whole(200);
    scene.voice.prepare("Alpha.", "en");
    begun(&made);
    scene.say("a", "Alpha.");
    assert_eq!(levels(&scene.play(600)), [level("a")]);
    assert_eq!(*made.lock().unwrap(), ["Alpha."]);
    assert_eq!(scene.told(), [started("a"), ended("a", Done)]);
}

#[test]
fn another_reply_than_the_prepared_one_is_not_held_up_and_throws_it_away() {
    let (mut scene, made) = whole(20);
    scene.voice.prepare("Alpha.", "en");
    scene.voice.settle();
    scene.say("b", "Bravo.");
    assert_eq!(levels(&scene.play(1000)), [level("b")]);
    scene.say("a", "Alpha.");
    assert_eq!(levels(&scene.play(1000)), [level("a")]);
    assert_eq!(*made.lock().unwrap(), ["Alpha.", "Bravo.", "Alpha."]);
    // In another language it is another reply; a stop forgets it too.
    scene.voice.prepare("Alpha.", "de");
    scene.voice.settle();
    scene.say("c", "Alpha.");
    scene.play(600);
    scene.voice.prepare("Delta.", "en");
    scene.voice.settle();
    scene.voice.stop();
    scene.say("d", "Delta.");
    scene.play(600);
    assert_eq!(made.lock().unwrap()[3..], ["Alpha.", "Alpha.", "Delta.", "Delta."]);
}

#[test]
fn a_voice_that_breaks_down_loses_the_reply_and_not_the_thread() {
    struct Broken;
    impl Voice for Broken {
        fn rate_hz(&self) -> u32 {
            RATE_HZ
        }
        fn synthesise(&mut self, text: &str, _: &str, sink: PcmSink<'_>) -> Result<(), Fault> {
            assert!(!text.contains("Break"), "the voice breaks, as the test wants");
            let _: ControlFlow<()> = sink(&[0.5; 480]);
            Ok(())
        }
    }
    let mut scene = scene(Box::new(Broken));
    scene.say("a", "Alpha. Break.");
    scene.say("b", "Bravo.");
    scene.play(600);
    let told = scene.told();
    assert!(matches!(&told[0], SpeakingEvent::Fault(_)), "{told:?}");
    assert_eq!(told[1..], [started("a"), ended("a", Stop), started("b"), ended("b", Done)]);
}
