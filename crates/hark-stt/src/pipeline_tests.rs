//! The pipeline: timing with scripted parts, and real sentences with real models.

use super::*;
use crate::echo::ResidualEcho;
use crate::scripted::{RecogniserLog, ScriptedRecogniser, ScriptedVad};
use crate::testing::{self, Judge};
use crate::wake::{WakeEngine, WakeWord, WordEnd};
use hark_config::endpoint::EndpointMode;
use hark_core::ports::Completeness;
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

fn settings(stt_mode: SttMode) -> PipelineSettings {
    let mut config = Config::default();
    config.vad.min_speech_ms = 96;
    config.barge_in.min_speech_ms = 160;
    config.endpoint = config::endpoint::EndpointConfig {
        silence_ms: 320,
        max_utterance_ms: 4000,
        nothing_said_ms: 1000,
        mode: EndpointMode::Words,
        ..Default::default()
    };
    PipelineSettings::new(&config, stt_mode)
}

fn scripted(stt_mode: SttMode) -> (AudioPipeline, Arc<Mutex<RecogniserLog>>) {
    let (recogniser, log) = ScriptedRecogniser::new();
    (scripted_with(recogniser, settings(stt_mode)), log)
}

fn scripted_with(recogniser: ScriptedRecogniser, settings: PipelineSettings) -> AudioPipeline {
    let parts = PipelineParts {
        vad: Box::new(ScriptedVad),
        wake: Some(scripted_wake()),
        recogniser: Box::new(recogniser),
        grammar: None,
        speakers: None,
        smart_turn: None,
    };
    AudioPipeline::new(parts, settings).expect("a pipeline")
}

/// Blocks of the given values, each `(count, value)`.
fn sound(script: &[(usize, f32)]) -> Vec<f32> {
    script.iter().flat_map(|(count, value)| vec![*value; count * BLOCK]).collect()
}

fn hear(pipeline: &mut AudioPipeline, samples: &[f32]) -> Vec<PositionedEvent> {
    let mut out = Vec::new();
    for piece in samples.chunks(700) {
        pipeline.process(piece, &mut out);
    }
    without_pauses(out)
}

/// What was heard, without what is only for those who look into it.
fn without_pauses(mut heard: Vec<PositionedEvent>) -> Vec<PositionedEvent> {
    heard.retain(|heard| !matches!(heard.event, HearingEvent::PauseWeighed { .. } | HearingEvent::WentOn));
    heard
}

/// Names of what was heard, with the block it was heard at.
fn names(heard: &[PositionedEvent]) -> Vec<(&'static str, u64)> {
    let name = |heard: &PositionedEvent| {
        Some(match &heard.event {
            HearingEvent::Wake { .. } => "wake",
            HearingEvent::WakeRejected { .. } => "rejected",
            HearingEvent::SpeechStarted => "started",
            HearingEvent::SpeechEnded { endpoint: Endpoint::Silence, .. } => "silence",
            HearingEvent::SpeechEnded { endpoint: Endpoint::Max, .. } => "max",
            HearingEvent::SpeechEnded { endpoint: Endpoint::Complete, .. } => "complete",
            HearingEvent::SpeechEnded { .. } => "stopped",
            HearingEvent::Interruption { goes_on: true, .. } => "goes on",
            HearingEvent::Interruption { .. } => "interruption",
            HearingEvent::Partial(_) => "partial",
            HearingEvent::Sound(_) => "sound",
            HearingEvent::Transcript(_) => "transcript",
            HearingEvent::NothingSaid => "nothing",
            HearingEvent::Fault(_) => "fault",
            HearingEvent::PauseWeighed { .. } | HearingEvent::WentOn => return None,
        })
    };
    heard.iter().filter_map(|heard| Some((name(heard)?, heard.position_samples / BLOCK as u64))).collect()
}

/// Blocks between the draft, which the recogniser was fed up to, and the end of a request's silence.
fn after_draft(silence_ms: u32) -> u64 {
    u64::from(silence_ms.div_ceil(32)) - 2
}

/// Where what the recogniser was fed began, from what it counted and where the request ended.
fn fed_from(heard: &[PositionedEvent], silence_ms: u32) -> u64 {
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
    let (mut pipeline, log) = scripted(SttMode::LockStep);
    let heard = hear(&mut pipeline, &sound(&[(20, 0.0), (1, WAKE), (10, 0.9), (10, 0.0)]));
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
        let kept = PipelineSettings { keeps_sound: true, ..settings(mode) };
        let mut pipeline = scripted_with(recogniser, kept);
        let request = [(20, 0.0), (1, WAKE), (20, 0.1), (10, 0.9), (10, 0.0)];
        let mut heard = hear(&mut pipeline, &sound(&request));
        pipeline.finish(&mut heard);
        let told: Vec<&HearingEvent> = heard.iter().map(|heard| &heard.event).collect();
        let [.., HearingEvent::Sound(kept), HearingEvent::Transcript(_)] = &told[..] else {
            panic!("sound, then words: {:?}", names(&heard))
        };
        let fed = log.lock().expect("log").samples.clone();
        let before = kept.len() - kept.iter().rev().take_while(|sample| **sample != 0.1).count();
        assert!(kept[..before].iter().all(|sample| *sample == 0.1), "from after the wake word on");
        assert!(before >= 600 * 16 && kept.len() >= fed.len(), "{} of {}", before, kept.len());
        assert!(kept.ends_with(&sound(&[(10, 0.9), (10, 0.0)])), "up to the endpoint");

        pipeline.command(PipelineCommand::Listen { window_ms: 5000, short_answer: false });
        let mut heard = hear(&mut pipeline, &sound(&[(10, 0.9)]));
        pipeline.command(PipelineCommand::Mute(true));
        heard.extend(hear(&mut pipeline, &sound(&[(10, 0.9), (20, 0.0)])));
        assert!(!names(&heard).iter().any(|(name, _)| *name == "sound"), "nothing while muted");
    }
}

#[test]
fn after_a_pause_the_request_gets_its_lead_in() {
    let (mut pipeline, log) = scripted(SttMode::LockStep);
    let heard = hear(&mut pipeline, &sound(&[(20, 0.0), (1, WAKE), (20, 0.1), (10, 0.9), (10, 0.0)]));
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
        let (mut pipeline, log) = scripted(mode);
        pipeline.grammar = Some(Arc::new(Judge(long)));
        let script = [(20, 0.0), (1, WAKE), (10, 0.9), (15, 0.0), (20, 0.9), (10, 0.0)];
        let mut heard = Vec::new();
        for block in sound(&script).chunks(BLOCK) {
            pipeline.process(block, &mut heard);
            // The recogniser's thread has the time it has with real sound.
            let asked = matches!(&pipeline.state, PipelineState::InUtterance { draft: Draft::Asked(_), .. });
            let until = std::time::Instant::now() + Duration::from_secs(10);
            while asked
                && matches!(&pipeline.state, PipelineState::InUtterance { draft: Draft::Asked(_), .. })
            {
                assert!(std::time::Instant::now() < until, "no draft");
                pipeline.process(&[], &mut heard);
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
    let (mut pipeline, log) = scripted(SttMode::LockStep);
    assert_eq!(hear(&mut pipeline, &sound(&[(50, 0.9), (50, 0.0)])), []);
    assert!(log.lock().expect("log").samples.is_empty());
}

#[test]
fn silence_after_the_wake_word_ends_in_nothing_said() {
    let (mut pipeline, _log) = scripted(SttMode::LockStep);
    let heard = hear(&mut pipeline, &sound(&[(1, WAKE), (60, 0.0), (20, 0.9)]));
    // 1000 ms after the wake at block 1, rounded up to whole blocks.
    assert_eq!(names(&heard), [("wake", 1), ("nothing", 33)]);
}

#[test]
fn a_second_wake_word_starts_over() {
    let (mut pipeline, log) = scripted(SttMode::LockStep);
    let heard = hear(&mut pipeline, &sound(&[(1, WAKE), (6, 0.9), (1, WAKE), (5, 0.9), (10, 0.0)]));
    let expected =
        [("wake", 1), ("started", 6), ("wake", 8), ("started", 13), ("silence", 23), ("transcript", 23)];
    assert_eq!(names(&heard), expected);
    assert!(matches!(&heard[5].event, HearingEvent::Transcript(t) if t.text == "3584 samples"));
    assert_eq!(log.lock().expect("log").cancels, 1);
}

#[test]
fn the_hard_limit_ends_an_endless_request() {
    let (mut pipeline, _log) = scripted(SttMode::LockStep);
    let heard = hear(&mut pipeline, &sound(&[(1, WAKE), (130, 0.9)]));
    let ended: Vec<_> = names(&heard).into_iter().filter(|(name, _)| *name != "partial").collect();
    assert_eq!(ended, [("wake", 1), ("started", 6), ("max", 126), ("transcript", 126)]);
}

#[test]
fn listening_without_a_wake_word_gives_up_after_its_window() {
    let (mut pipeline, _log) = scripted(SttMode::LockStep);
    hear(&mut pipeline, &sound(&[(10, 0.0)]));
    pipeline.command(PipelineCommand::Listen { window_ms: 320, short_answer: false });
    assert!(pipeline.meter().listening);
    assert_eq!(names(&hear(&mut pipeline, &sound(&[(20, 0.0)]))), [("nothing", 20)]);
    pipeline.command(PipelineCommand::Listen { window_ms: 320, short_answer: false });
    let heard = hear(&mut pipeline, &sound(&[(5, 0.0), (5, 0.9), (10, 0.0)]));
    assert_eq!(names(&heard), [("started", 38), ("partial", 42), ("silence", 50), ("transcript", 50)]);
}

#[test]
fn sleep_forgets_the_request() {
    let (mut pipeline, _log) = scripted(SttMode::LockStep);
    hear(&mut pipeline, &sound(&[(1, WAKE), (6, 0.9)]));
    pipeline.command(PipelineCommand::Sleep);
    assert_eq!(hear(&mut pipeline, &sound(&[(6, 0.9), (40, 0.0)])), []);
    assert!(!pipeline.meter().listening);
}

#[test]
fn a_muted_pipeline_hears_nothing_but_time_goes_on() {
    let (mut pipeline, log) = scripted(SttMode::LockStep);
    hear(&mut pipeline, &sound(&[(1, WAKE), (6, 0.9)]));
    let fed = log.lock().expect("log").samples.len();
    pipeline.command(PipelineCommand::Mute(true));
    assert_eq!(hear(&mut pipeline, &sound(&[(1, WAKE), (20, 0.9)])), []);
    pipeline.command(PipelineCommand::Listen { window_ms: 5000, short_answer: false });
    assert_eq!(names(&hear(&mut pipeline, &sound(&[(1, 0.9)])))[0].0, "nothing");
    assert_eq!(log.lock().expect("log").samples.len(), fed);
    assert_eq!(pipeline.meter().level_dbfs, -100.0);
    pipeline.command(PipelineCommand::Mute(false));
    let before = pipeline.position_samples();
    assert_eq!(before, 29 * BLOCK as u64);
    let heard = hear(&mut pipeline, &sound(&[(1, WAKE), (5, 0.9), (10, 0.0)]));
    assert_eq!(names(&heard)[0], ("wake", 30));
    let fed_after = log.lock().expect("log").samples.split_off(fed);
    assert!(fed_after.iter().all(|sample| *sample != WAKE));
}

#[test]
fn a_recording_that_ends_in_a_request_closes_it() {
    let (mut pipeline, log) = scripted(SttMode::LockStep);
    let mut out = hear(&mut pipeline, &sound(&[(1, WAKE), (6, 0.9)]));
    pipeline.process(&[0.9; 100], &mut out);
    pipeline.finish(&mut out);
    assert_eq!(names(&out), [("wake", 1), ("started", 6), ("max", 7), ("transcript", 7)]);
    assert_eq!(log.lock().expect("log").samples.len(), 6 * BLOCK + 100);
    assert_eq!(pipeline.position_samples(), 7 * BLOCK as u64 + 100);
}

#[test]
fn a_recording_that_ends_while_waiting_says_so() {
    let (mut pipeline, _log) = scripted(SttMode::LockStep);
    let mut out = hear(&mut pipeline, &sound(&[(1, WAKE), (3, 0.0)]));
    pipeline.finish(&mut out);
    assert_eq!(names(&out), [("wake", 1), ("nothing", 4)]);
}

#[test]
fn a_failing_recogniser_still_closes_the_request() {
    let (mut recogniser, _log) = ScriptedRecogniser::new();
    recogniser.fail_first_feed = true;
    let mut pipeline = scripted_with(recogniser, settings(SttMode::LockStep));
    let heard = hear(&mut pipeline, &sound(&[(1, WAKE), (6, 0.9), (12, 0.0)]));
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
    let heard = without_pauses(heard);
    let without_partials = |heard: &[PositionedEvent]| -> Vec<HearingEvent> {
        let events = heard.iter().map(|heard| heard.event.clone());
        events.filter(|event| !matches!(event, HearingEvent::Partial(_))).collect()
    };
    assert_eq!(without_partials(&heard), without_partials(&expected));
}

/// A pipeline with the real models and the recogniser that counts.
fn real() -> (AudioPipeline, Arc<Mutex<RecogniserLog>>) {
    let (recogniser, log) = ScriptedRecogniser::new();
    let settings = config::wake::Wake::default();
    let parts = PipelineParts {
        vad: Box::new(testing::silero()),
        wake: Some(WakeDetector::new(Box::new(testing::openwakeword(&["hey_jarvis"])), &settings)),
        recogniser: Box::new(recogniser),
        grammar: None,
        speakers: None,
        smart_turn: None,
    };
    // How long is waited is no matter of how it is said here.
    let endpoint = config::endpoint::EndpointConfig { mode: EndpointMode::Words, ..Default::default() };
    let settings = PipelineSettings::new(&Config { endpoint, ..Config::default() }, SttMode::LockStep);
    (AudioPipeline::new(parts, settings).expect("a pipeline"), log)
}

fn essentials(heard: &[PositionedEvent]) -> Vec<&'static str> {
    names(heard).into_iter().map(|(name, _)| name).filter(|name| *name != "partial").collect()
}

#[test]
fn a_wake_word_that_hark_says_itself_is_none_and_somebody_elses_over_it_is_one() {
    let said = [testing::silence(1000), testing::flite("slt", "you only need to say hey jarvis")].concat();
    let quieter = |samples: &[f32]| samples.iter().map(|sample| sample * 0.1).collect::<Vec<f32>>();
    let hear_over = |own: &[f32], heard: &[f32]| {
        let (mut pipeline, _log) = real();
        let mut out = Vec::new();
        let silence = testing::silence(3000);
        let own = [own, &silence].concat();
        let heard = [heard, &silence].concat();
        for (own, heard) in own.chunks(160).zip(heard.chunks(160)) {
            pipeline.observe_playback(own, ResidualEcho::None);
            pipeline.process(heard, &mut out);
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
        let (mut pipeline, _log) = real();
        let heard = hear(&mut pipeline, &samples);
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
        let (mut pipeline, _log) = real();
        let heard = hear(&mut pipeline, &samples);
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
    let (mut pipeline, _log) = real();
    let mut speech = testing::flite("rms", "hey jarvis");
    let voiced = speech.iter().rposition(|sample| sample.abs() > 0.01).expect("sound");
    speech.truncate(voiced);
    let mut out = hear(&mut pipeline, &speech);
    pipeline.finish(&mut out);
    assert_eq!(essentials(&out), ["wake", "nothing"]);
}

#[test]
fn a_second_recording_is_heard_as_the_first() {
    let samples = [testing::flite("slt", "hey jarvis what time is it"), testing::silence(1500)].concat();
    let (mut pipeline, _log) = real();
    let mut runs = Vec::new();
    for _ in 0..2 {
        let begun = pipeline.position_samples();
        let mut out = hear(&mut pipeline, &samples);
        pipeline.finish(&mut out);
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
            let (mut pipeline, _log) = real();
            let mut out = hear(&mut pipeline, &testing::wav(&path));
            pipeline.finish(&mut out);
            assert_eq!(out, [], "{}", path.display());
        }
    }
}

#[test]
fn the_meter_shows_level_voice_and_wake_score() {
    let (mut pipeline, _log) = real();
    hear(&mut pipeline, &testing::silence(500));
    let quiet = pipeline.meter();
    assert_eq!((quiet.level_dbfs, quiet.listening), (-100.0, false));
    assert!(quiet.vad < 0.3, "{quiet:?}");
    let speech = testing::flite("slt", "hey jarvis turn on the light");
    hear(&mut pipeline, &speech[..16_000]);
    let loud = pipeline.meter();
    assert!(loud.level_dbfs > -40.0 && loud.vad > 0.5, "{loud:?}");
    assert_eq!(loud.wake[0].0, "hey_jarvis");
    assert_eq!(pipeline.blocks(), (8_000 + 16_000) / BLOCK as u64);
}
#[test]
fn requests_of_people_are_each_heard_as_one() {
    let Some(folder) = testing::shared("commands") else { return };
    let (mut pipeline, _log) = real();
    for entry in std::fs::read_dir(folder).expect("folder") {
        let path = entry.expect("entry").path();
        let mut recording = crate::recording::Recording::open(&path).expect("recording");
        let mut samples = Vec::new();
        while recording.read(&mut samples).expect("read") {}
        pipeline.command(PipelineCommand::Listen { window_ms: 5000, short_answer: false });
        let mut out = hear(&mut pipeline, &samples);
        pipeline.finish(&mut out);
        let heard = essentials(&out);
        let one = matches!(heard[..], ["started", "silence" | "max", "transcript"]);
        assert!(one, "{}: {heard:?}", path.display());
    }
}

#[path = "pipeline/barge_in_tests.rs"]
mod barge_in_tests;

#[path = "pipeline/continuation_tests.rs"]
mod continuation_tests;

#[path = "pipeline/poll_interval_tests.rs"]
mod poll_interval_tests;

#[test]
fn settings_change_while_the_pipeline_hears() {
    let (mut pipeline, _) = scripted(SttMode::LockStep);
    let woken = |pipeline: &mut AudioPipeline| {
        let heard = hear(pipeline, &sound(&[(1, WAKE), (40, 0.0)]));
        heard.iter().any(|heard| matches!(heard.event, HearingEvent::Wake { .. }))
    };
    assert!(woken(&mut pipeline));
    let deafer = config::wake::Wake { threshold: 0.95, refractory_ms: 0, ..config::wake::Wake::default() };
    pipeline.adjust(PipelineChange::WakeLimits(Box::new(deafer)));
    assert!(!woken(&mut pipeline), "0.9 is not enough any more");
    pipeline.adjust(PipelineChange::WakeWords(scripted_wake()));
    assert!(woken(&mut pipeline), "the new detector has limits of its own");
}

#[test]
fn a_request_ends_by_the_silence_that_holds_when_it_begins() {
    let (mut pipeline, _) = scripted(SttMode::LockStep);
    let silence_of = |pipeline: &mut AudioPipeline| {
        pipeline.command(PipelineCommand::Listen { window_ms: 5000, short_answer: false });
        let heard = hear(pipeline, &sound(&[(10, 0.9), (80, 0.0)]));
        heard.into_iter().find_map(|heard| match heard.event {
            HearingEvent::SpeechEnded { silence_ms, .. } => Some(silence_ms),
            _ => None,
        })
    };
    assert_eq!(silence_of(&mut pipeline), Some(320));
    let mut endpoint = settings(SttMode::LockStep).endpoint;
    endpoint.silence_ms = 1280;
    pipeline.adjust(PipelineChange::Endpoint(endpoint));
    assert_eq!(silence_of(&mut pipeline), Some(1280));
}
