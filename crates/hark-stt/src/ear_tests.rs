//! The ear: timing with scripted parts, and real sentences with real models.

use super::*;
use crate::echo::ResidualEcho;
use crate::scripted::{RecogniserLog, ScriptedRecogniser, ScriptedVad};
use crate::testing::{self, Judge};
use crate::wake::{WakeEngine, WakeWord, WordEnd};
use std::sync::{Arc, Mutex};

/// The scripts: a sample's value is the block's speech probability; 2.0 is the wake word.
const WAKE: f32 = 2.0;
const BLOCK: usize = VAD_BLOCK_SAMPLES;

struct ScriptedWake([WakeWord; 1], [f32; 1]);

impl WakeEngine for ScriptedWake {
    fn words(&self) -> &[WakeWord] {
        &self.0
    }

    fn hop_samples(&self) -> usize {
        BLOCK
    }

    fn hop(&mut self, samples: &[f32]) -> Result<&[f32], Fault> {
        self.1[0] = if samples[0] == WAKE { 0.9 } else { 0.0 };
        Ok(&self.1)
    }

    fn reset(&mut self) {}
}

fn scripted_wake() -> WakeDetector {
    let word = WakeWord { name: "word".into(), end: WordEnd::Before { ms: 0 } };
    let settings = config::wake::Wake { refractory_ms: 0, ..config::wake::Wake::default() };
    WakeDetector::new(Box::new(ScriptedWake([word], [0.0])), &settings)
}

fn settings(stt_mode: SttMode) -> EarSettings {
    let mut config = Config::default();
    config.vad.min_speech_ms = 96;
    config.barge_in.min_speech_ms = 160;
    config.endpoint = config::endpoint::EndpointConfig {
        silence_ms: 320,
        max_utterance_ms: 4000,
        nothing_said_ms: 1000,
        ..Default::default()
    };
    EarSettings::new(&config, stt_mode)
}

fn scripted(stt_mode: SttMode) -> (Ear, Arc<Mutex<RecogniserLog>>) {
    let (recogniser, log) = ScriptedRecogniser::new();
    let parts = EarParts {
        vad: Box::new(ScriptedVad),
        wake: Some(scripted_wake()),
        recogniser: Box::new(recogniser),
        grammar: None,
    };
    (Ear::new(parts, settings(stt_mode)).expect("ear"), log)
}

/// Blocks of the given values, each `(count, value)`.
fn sound(script: &[(usize, f32)]) -> Vec<f32> {
    script.iter().flat_map(|(count, value)| vec![*value; count * BLOCK]).collect()
}

fn hear(ear: &mut Ear, samples: &[f32]) -> Vec<Heard> {
    let mut out = Vec::new();
    for piece in samples.chunks(700) {
        ear.process(piece, &mut out);
    }
    out
}

/// Names of what was heard, with the block it was heard at.
fn names(heard: &[Heard]) -> Vec<(&'static str, u64)> {
    let name = |heard: &Heard| match &heard.event {
        HearingEvent::Wake { .. } => "wake",
        HearingEvent::WakeRejected { .. } => "rejected",
        HearingEvent::SpeechStarted => "started",
        HearingEvent::SpeechEnded { endpoint: Endpoint::Silence, .. } => "silence",
        HearingEvent::SpeechEnded { endpoint: Endpoint::Max, .. } => "max",
        HearingEvent::SpeechEnded { endpoint: Endpoint::Complete, .. } => "complete",
        HearingEvent::SpeechEnded { .. } => "stopped",
        HearingEvent::Interruption { .. } => "interruption",
        HearingEvent::Partial(_) => "partial",
        HearingEvent::Sound(_) => "sound",
        HearingEvent::Transcript(_) => "transcript",
        HearingEvent::NothingSaid => "nothing",
        HearingEvent::Fault(_) => "fault",
    };
    heard.iter().map(|heard| (name(heard), heard.position_samples / BLOCK as u64)).collect()
}

/// Blocks between the draft, which the recogniser was fed up to, and the end of a request's silence.
fn after_draft(silence_ms: u32) -> u64 {
    u64::from(silence_ms.div_ceil(32)) - 2
}

/// Where what the recogniser was fed began, from what it counted and where the request ended.
fn fed_from(heard: &[Heard], silence_ms: u32) -> u64 {
    let ended = heard.iter().find(|heard| matches!(heard.event, HearingEvent::SpeechEnded { .. }));
    let counted = heard.iter().find_map(|heard| match &heard.event {
        HearingEvent::Transcript(transcript) => transcript.text.strip_suffix(" samples")?.parse::<u64>().ok(),
        _ => None,
    });
    let draft = ended.expect("ended").position_samples - after_draft(silence_ms) * BLOCK as u64;
    draft - counted.expect("a transcript that counts")
}

#[test]
fn a_request_in_one_breath_begins_right_after_the_wake_word() {
    let (mut ear, log) = scripted(SttMode::LockStep);
    let heard = hear(&mut ear, &sound(&[(20, 0.0), (1, WAKE), (10, 0.9), (10, 0.0)]));
    let expected = [("wake", 21), ("started", 26), ("silence", 41), ("transcript", 41)];
    assert_eq!(names(&heard), expected);
    let fed = log.lock().expect("log").samples.clone();
    assert_eq!(fed.len(), 12 * BLOCK, "up to the draft");
    assert!(fed.iter().all(|sample| *sample != WAKE), "nothing of the wake word is fed");
}

#[test]
fn sound_is_told_with_the_words_only_where_it_is_to_be_kept() {
    for mode in [SttMode::LockStep, SttMode::Live] {
        let (recogniser, log) = ScriptedRecogniser::new();
        let parts = EarParts {
            vad: Box::new(ScriptedVad),
            wake: Some(scripted_wake()),
            recogniser: Box::new(recogniser),
            grammar: None,
        };
        let kept = EarSettings { keeps_sound: true, ..settings(mode) };
        let mut ear = Ear::new(parts, kept).expect("ear");
        let request = [(20, 0.0), (1, WAKE), (20, 0.1), (10, 0.9), (10, 0.0)];
        let mut heard = hear(&mut ear, &sound(&request));
        ear.finish(&mut heard);
        let told: Vec<&HearingEvent> = heard.iter().map(|heard| &heard.event).collect();
        let [.., HearingEvent::Sound(kept), HearingEvent::Transcript(_)] = &told[..] else {
            panic!("sound, then words: {:?}", names(&heard))
        };
        let fed = log.lock().expect("log").samples.clone();
        let before = kept.len() - kept.iter().rev().take_while(|sample| **sample != 0.1).count();
        assert!(kept[..before].iter().all(|sample| *sample == 0.1), "from after the wake word on");
        assert!(before >= 600 * 16 && kept.len() >= fed.len(), "{} of {}", before, kept.len());
        assert!(kept.ends_with(&sound(&[(10, 0.9), (10, 0.0)])), "up to the endpoint");

        ear.command(EarCommand::Listen { window_ms: 5000, short_answer: false });
        let mut heard = hear(&mut ear, &sound(&[(10, 0.9)]));
        ear.command(EarCommand::Mute(true));
        heard.extend(hear(&mut ear, &sound(&[(10, 0.9), (20, 0.0)])));
        assert!(!names(&heard).iter().any(|(name, _)| *name == "sound"), "nothing while muted");
    }
}

#[test]
fn after_a_pause_the_request_gets_its_lead_in() {
    let (mut ear, log) = scripted(SttMode::LockStep);
    let heard = hear(&mut ear, &sound(&[(20, 0.0), (1, WAKE), (20, 0.1), (10, 0.9), (10, 0.0)]));
    let expected = [("wake", 21), ("started", 44), ("partial", 48), ("silence", 61), ("transcript", 61)];
    assert_eq!(names(&heard), expected);
    let fed = log.lock().expect("log").samples.clone();
    assert_eq!(fed.len(), 12 * BLOCK + 300 * 16, "300 ms before the first voiced block");
    assert_eq!(fed[0], 0.1);
}

/// Takes "N samples" with N over ten thousand for a whole request that cannot go on.
fn long(text: &str) -> Completeness {
    let count = text.strip_suffix(" samples").and_then(|count| count.parse::<u32>().ok());
    if count > Some(10_000) { Completeness::Complete } else { Completeness::Unfinished }
}

#[test]
fn a_whole_request_ends_sooner_and_an_unfinished_one_is_waited_for() {
    for mode in [SttMode::LockStep, SttMode::Live] {
        let (mut ear, log) = scripted(mode);
        ear.grammar = Some(Arc::new(Judge(long)));
        let script = [(20, 0.0), (1, WAKE), (10, 0.9), (15, 0.0), (20, 0.9), (10, 0.0)];
        let mut heard = Vec::new();
        for block in sound(&script).chunks(BLOCK) {
            ear.process(block, &mut heard);
            // The recogniser's thread has the time it has with real sound.
            let asked = matches!(&ear.state, State::Hearing { draft: Draft::Asked(_), .. });
            let until = std::time::Instant::now() + Duration::from_secs(10);
            while asked && matches!(&ear.state, State::Hearing { draft: Draft::Asked(_), .. }) {
                assert!(std::time::Instant::now() < until, "no draft");
                ear.process(&[], &mut heard);
            }
        }
        let names: Vec<_> = names(&heard).into_iter().filter(|(name, _)| *name != "partial").collect();
        // 480 ms of pause within, 120 ms at the end.
        assert_eq!(names, [("wake", 21), ("started", 26), ("complete", 69), ("transcript", 69)], "{mode:?}");
        let once = 12 * BLOCK;
        let again = 47 * BLOCK;
        assert_eq!(log.lock().expect("log").samples.len(), once + again, "all of it after the wrong draft");
    }
}

#[test]
fn without_a_wake_word_nothing_is_heard() {
    let (mut ear, log) = scripted(SttMode::LockStep);
    assert_eq!(hear(&mut ear, &sound(&[(50, 0.9), (50, 0.0)])), []);
    assert!(log.lock().expect("log").samples.is_empty());
}

#[test]
fn silence_after_the_wake_word_ends_in_nothing_said() {
    let (mut ear, _log) = scripted(SttMode::LockStep);
    let heard = hear(&mut ear, &sound(&[(1, WAKE), (60, 0.0), (20, 0.9)]));
    // 1000 ms after the wake at block 1, rounded up to whole blocks.
    assert_eq!(names(&heard), [("wake", 1), ("nothing", 33)]);
}

#[test]
fn a_second_wake_word_starts_over() {
    let (mut ear, log) = scripted(SttMode::LockStep);
    let heard = hear(&mut ear, &sound(&[(1, WAKE), (6, 0.9), (1, WAKE), (5, 0.9), (10, 0.0)]));
    let expected =
        [("wake", 1), ("started", 6), ("wake", 8), ("started", 13), ("silence", 23), ("transcript", 23)];
    assert_eq!(names(&heard), expected);
    assert!(matches!(&heard[5].event, HearingEvent::Transcript(t) if t.text == "3584 samples"));
    assert_eq!(log.lock().expect("log").cancels, 1);
}

#[test]
fn the_hard_limit_ends_an_endless_request() {
    let (mut ear, _log) = scripted(SttMode::LockStep);
    let heard = hear(&mut ear, &sound(&[(1, WAKE), (130, 0.9)]));
    let ended: Vec<_> = names(&heard).into_iter().filter(|(name, _)| *name != "partial").collect();
    assert_eq!(ended, [("wake", 1), ("started", 6), ("max", 126), ("transcript", 126)]);
}

#[test]
fn listening_without_a_wake_word_gives_up_after_its_window() {
    let (mut ear, _log) = scripted(SttMode::LockStep);
    hear(&mut ear, &sound(&[(10, 0.0)]));
    ear.command(EarCommand::Listen { window_ms: 320, short_answer: false });
    assert!(ear.meter().listening);
    assert_eq!(names(&hear(&mut ear, &sound(&[(20, 0.0)]))), [("nothing", 20)]);
    ear.command(EarCommand::Listen { window_ms: 320, short_answer: false });
    let heard = hear(&mut ear, &sound(&[(5, 0.0), (5, 0.9), (10, 0.0)]));
    assert_eq!(names(&heard), [("started", 38), ("partial", 42), ("silence", 50), ("transcript", 50)]);
}

#[test]
fn sleep_forgets_the_request() {
    let (mut ear, _log) = scripted(SttMode::LockStep);
    hear(&mut ear, &sound(&[(1, WAKE), (6, 0.9)]));
    ear.command(EarCommand::Sleep);
    assert_eq!(hear(&mut ear, &sound(&[(6, 0.9), (40, 0.0)])), []);
    assert!(!ear.meter().listening);
}

#[test]
fn a_muted_ear_hears_nothing_but_time_goes_on() {
    let (mut ear, log) = scripted(SttMode::LockStep);
    hear(&mut ear, &sound(&[(1, WAKE), (6, 0.9)]));
    let fed = log.lock().expect("log").samples.len();
    ear.command(EarCommand::Mute(true));
    assert_eq!(hear(&mut ear, &sound(&[(1, WAKE), (20, 0.9)])), []);
    ear.command(EarCommand::Listen { window_ms: 5000, short_answer: false });
    assert_eq!(names(&hear(&mut ear, &sound(&[(1, 0.9)])))[0].0, "nothing");
    assert_eq!(log.lock().expect("log").samples.len(), fed);
    assert_eq!(ear.meter().level_dbfs, -100.0);
    ear.command(EarCommand::Mute(false));
    let before = ear.position_samples();
    assert_eq!(before, 29 * BLOCK as u64);
    let heard = hear(&mut ear, &sound(&[(1, WAKE), (5, 0.9), (10, 0.0)]));
    assert_eq!(names(&heard)[0], ("wake", 30));
    let fed_after = log.lock().expect("log").samples.split_off(fed);
    assert!(fed_after.iter().all(|sample| *sample != WAKE));
}

#[test]
fn a_recording_that_ends_in_a_request_closes_it() {
    let (mut ear, log) = scripted(SttMode::LockStep);
    let mut out = hear(&mut ear, &sound(&[(1, WAKE), (6, 0.9)]));
    ear.process(&[0.9; 100], &mut out);
    ear.finish(&mut out);
    assert_eq!(names(&out), [("wake", 1), ("started", 6), ("max", 7), ("transcript", 7)]);
    assert_eq!(log.lock().expect("log").samples.len(), 6 * BLOCK + 100);
    assert_eq!(ear.position_samples(), 7 * BLOCK as u64 + 100);
}

#[test]
fn a_recording_that_ends_while_waiting_says_so() {
    let (mut ear, _log) = scripted(SttMode::LockStep);
    let mut out = hear(&mut ear, &sound(&[(1, WAKE), (3, 0.0)]));
    ear.finish(&mut out);
    assert_eq!(names(&out), [("wake", 1), ("nothing", 4)]);
}

#[test]
fn a_failing_recogniser_still_closes_the_request() {
    let (mut recogniser, _log) = ScriptedRecogniser::new();
    recogniser.fail_first_feed = true;
    let parts = EarParts {
        vad: Box::new(ScriptedVad),
        wake: Some(scripted_wake()),
        recogniser: Box::new(recogniser),
        grammar: None,
    };
    let mut ear = Ear::new(parts, settings(SttMode::LockStep)).expect("ear");
    let heard = hear(&mut ear, &sound(&[(1, WAKE), (6, 0.9), (12, 0.0)]));
    assert_eq!(
        names(&heard).iter().map(|(name, _)| *name).collect::<Vec<_>>(),
        ["wake", "started", "fault", "stopped", "transcript"]
    );
    let Some(HearingEvent::Transcript(transcript)) = heard.last().map(|heard| &heard.event) else {
        panic!("a transcript closes the request")
    };
    assert_eq!(transcript.rejected.as_deref(), Some("scripted failure"));
}

#[test]
fn live_hears_the_same_as_lock_step() {
    let script = sound(&[(20, 0.0), (1, WAKE), (40, 0.9), (40, 0.0)]);
    let (mut lock_step, _log) = scripted(SttMode::LockStep);
    let expected = hear(&mut lock_step, &script);
    let (mut live, _log) = scripted(SttMode::Live);
    let mut heard = hear(&mut live, &script);
    let until = std::time::Instant::now() + Duration::from_secs(10);
    while !names(&heard).iter().any(|(name, _)| *name == "transcript") && std::time::Instant::now() < until {
        live.process(&[], &mut heard);
    }
    let without_partials = |heard: &[Heard]| -> Vec<HearingEvent> {
        let events = heard.iter().map(|heard| heard.event.clone());
        events.filter(|event| !matches!(event, HearingEvent::Partial(_))).collect()
    };
    assert_eq!(without_partials(&heard), without_partials(&expected));
}

/// An ear with the real models and the recogniser that counts.
fn real() -> (Ear, Arc<Mutex<RecogniserLog>>) {
    let (recogniser, log) = ScriptedRecogniser::new();
    let settings = config::wake::Wake::default();
    let parts = EarParts {
        vad: Box::new(testing::silero()),
        wake: Some(WakeDetector::new(Box::new(testing::openwakeword(&["hey_jarvis"])), &settings)),
        recogniser: Box::new(recogniser),
        grammar: None,
    };
    (Ear::new(parts, EarSettings::new(&Config::default(), SttMode::LockStep)).expect("ear"), log)
}

fn essentials(heard: &[Heard]) -> Vec<&'static str> {
    names(heard).into_iter().map(|(name, _)| name).filter(|name| *name != "partial").collect()
}

#[test]
fn a_wake_word_that_hark_says_itself_is_none_and_somebody_elses_over_it_is_one() {
    let said = [testing::silence(1000), testing::flite("slt", "you only need to say hey jarvis")].concat();
    let quieter = |samples: &[f32]| samples.iter().map(|sample| sample * 0.1).collect::<Vec<f32>>();
    let hear_over = |own: &[f32], heard: &[f32]| {
        let (mut ear, _log) = real();
        let mut out = Vec::new();
        let silence = testing::silence(3000);
        let own = [own, &silence].concat();
        let heard = [heard, &silence].concat();
        for (own, heard) in own.chunks(160).zip(heard.chunks(160)) {
            ear.own_voice(own, ResidualEcho::None);
            ear.process(heard, &mut out);
        }
        essentials(&out)
    };
    let echo = quieter(&said);
    assert!(hear_over(&testing::silence(3000), &echo).contains(&"wake"), "the words are good enough");
    assert_eq!(hear_over(&said, &echo), ["rejected"]);
    let other = [testing::silence(1000), testing::flite("slt", "tomorrow is cloudy with some rain")].concat();
    let person = [testing::silence(1500), testing::flite("rms", "hey jarvis")].concat();
    let both: Vec<f32> = person.iter().zip(quieter(&other)).map(|(person, echo)| person + echo).collect();
    assert!(hear_over(&other, &both).contains(&"wake"));
}

#[test]
fn a_sentence_in_one_breath_keeps_its_first_word_and_loses_the_wake_word() {
    for voice in ["slt", "rms", "kal16"] {
        let (speech, word_end_ms) = testing::flite_with_phone_end(voice, "hey jarvis turn on the light", 9);
        let samples = [testing::silence(1500), speech.clone(), testing::silence(1500)].concat();
        let (mut ear, _log) = real();
        let heard = hear(&mut ear, &samples);
        assert_eq!(essentials(&heard), ["wake", "started", "silence", "transcript"], "{voice}");
        let from_ms = fed_from(&heard, Config::default().endpoint.silence_ms) as i64 / 16 - 1500;
        let off = from_ms - word_end_ms;
        assert!((-90..=40).contains(&off), "{voice}: begins {off} ms after the wake word");
    }
}

#[test]
fn a_pause_after_the_wake_word_is_fine() {
    for (voice, pause_ms) in [("slt", 1500), ("rms", 300), ("kal16", 600)] {
        let wake = testing::flite(voice, "hey jarvis");
        let request = testing::flite(voice, "what time is it");
        let begins = 1000 * 16 + wake.len() + pause_ms * 16;
        let ends = begins + request.len();
        let samples =
            [testing::silence(1000), wake, testing::silence(pause_ms), request, testing::silence(1500)]
                .concat();
        let (mut ear, _log) = real();
        let heard = hear(&mut ear, &samples);
        assert_eq!(essentials(&heard), ["wake", "started", "silence", "transcript"], "{voice}");
        let from = fed_from(&heard, Config::default().endpoint.silence_ms);
        // The whole request, after at most the lead-in of the pause (flite itself begins with one).
        assert!(from <= begins as u64 + 16 * 150, "{voice}: from {from}, begins {begins}");
        assert!(from + 16 * 400 >= begins as u64, "{voice}: from {from}, begins {begins}");
        let ended = heard.iter().find(|heard| matches!(heard.event, HearingEvent::SpeechEnded { .. }));
        assert!(ended.expect("ended").position_samples >= ends as u64, "{voice}");
    }
}

#[test]
fn a_wake_word_at_the_very_end_of_a_recording_is_detected() {
    let (mut ear, _log) = real();
    let mut speech = testing::flite("rms", "hey jarvis");
    let voiced = speech.iter().rposition(|sample| sample.abs() > 0.01).expect("sound");
    speech.truncate(voiced);
    let mut out = hear(&mut ear, &speech);
    ear.finish(&mut out);
    assert_eq!(essentials(&out), ["wake", "nothing"]);
}

#[test]
fn a_second_recording_is_heard_as_the_first() {
    let samples = [testing::flite("slt", "hey jarvis what time is it"), testing::silence(1500)].concat();
    let (mut ear, _log) = real();
    let mut runs = Vec::new();
    for _ in 0..2 {
        let begun = ear.position_samples();
        let mut out = hear(&mut ear, &samples);
        ear.finish(&mut out);
        runs.push(
            out.into_iter().map(|heard| (heard.event, heard.position_samples - begun)).collect::<Vec<_>>(),
        );
    }
    assert!(runs[0].len() >= 4);
    assert_eq!(runs[0], runs[1]);
}

#[test]
fn running_speech_and_music_do_nothing() {
    for folder in ["speech", "vad"] {
        let Some(folder) = testing::shared(folder) else { continue };
        for entry in std::fs::read_dir(folder).expect("folder") {
            let path = entry.expect("entry").path();
            let (mut ear, _log) = real();
            let mut out = hear(&mut ear, &testing::wav(&path));
            ear.finish(&mut out);
            assert_eq!(out, [], "{}", path.display());
        }
    }
}

#[test]
fn the_meter_shows_level_voice_and_wake_score() {
    let (mut ear, _log) = real();
    hear(&mut ear, &testing::silence(500));
    let quiet = ear.meter();
    assert_eq!((quiet.level_dbfs, quiet.listening), (-100.0, false));
    assert!(quiet.vad < 0.3, "{quiet:?}");
    let speech = testing::flite("slt", "hey jarvis turn on the light");
    hear(&mut ear, &speech[..16_000]);
    let loud = ear.meter();
    assert!(loud.level_dbfs > -40.0 && loud.vad > 0.5, "{loud:?}");
    assert_eq!(loud.wake[0].0, "hey_jarvis");
    assert_eq!(ear.blocks(), (8_000 + 16_000) / BLOCK as u64);
}
#[test]
fn requests_of_people_are_each_heard_as_one() {
    let Some(folder) = testing::shared("commands") else { return };
    let (mut ear, _log) = real();
    for entry in std::fs::read_dir(folder).expect("folder") {
        let path = entry.expect("entry").path();
        let mut recording = crate::recording::Recording::open(&path).expect("recording");
        let mut samples = Vec::new();
        while recording.read(&mut samples).expect("read") {}
        ear.command(EarCommand::Listen { window_ms: 5000, short_answer: false });
        let mut out = hear(&mut ear, &samples);
        ear.finish(&mut out);
        let heard = essentials(&out);
        let one = matches!(heard[..], ["started", "silence" | "max", "transcript"]);
        assert!(one, "{}: {heard:?}", path.display());
    }
}

#[path = "overhear_tests.rs"]
mod overhear_tests;

#[path = "ear/rest_tests.rs"]
mod rest_tests;

#[test]
fn settings_change_while_the_ear_hears() {
    let (mut ear, _) = scripted(SttMode::LockStep);
    let woken = |ear: &mut Ear| {
        let heard = hear(ear, &sound(&[(1, WAKE), (40, 0.0)]));
        heard.iter().any(|heard| matches!(heard.event, HearingEvent::Wake { .. }))
    };
    assert!(woken(&mut ear));
    let deafer = config::wake::Wake { threshold: 0.95, refractory_ms: 0, ..config::wake::Wake::default() };
    ear.adjust(EarChange::WakeLimits(Box::new(deafer)));
    assert!(!woken(&mut ear), "0.9 is not enough any more");
    ear.adjust(EarChange::WakeWords(scripted_wake()));
    assert!(woken(&mut ear), "the new detector has limits of its own");
}

#[test]
fn a_request_ends_by_the_silence_that_holds_when_it_begins() {
    let (mut ear, _) = scripted(SttMode::LockStep);
    let silence_of = |ear: &mut Ear| {
        ear.command(EarCommand::Listen { window_ms: 5000, short_answer: false });
        let heard = hear(ear, &sound(&[(10, 0.9), (80, 0.0)]));
        heard.into_iter().find_map(|heard| match heard.event {
            HearingEvent::SpeechEnded { silence_ms, .. } => Some(silence_ms),
            _ => None,
        })
    };
    assert_eq!(silence_of(&mut ear), Some(320));
    let mut endpoint = settings(SttMode::LockStep).endpoint;
    endpoint.silence_ms = 1280;
    ear.adjust(EarChange::Endpoint(endpoint));
    assert_eq!(silence_of(&mut ear), Some(1280));
}
