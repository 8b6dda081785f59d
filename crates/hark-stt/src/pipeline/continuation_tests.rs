//! What the pipeline does with speech that follows on a request, with scripted parts.

use super::super::*;
use super::{BLOCK, WAKE, hear, names, scripted, scripted_wake, scripted_with, settings, sound};
use crate::echo::ResidualEcho;
use crate::scripted::{ScriptedRecogniser, ScriptedVad};
use crate::stt::{Partial, Recognition};

/// A request of 10 blocks, after its wake word; over at block 41.
const REQUEST: [(usize, f32); 4] = [(20, 0.0), (1, WAKE), (10, 0.9), (10, 0.0)];

fn counted(heard: &[PositionedEvent]) -> Vec<usize> {
    let samples = |event: &HearingEvent| match event {
        HearingEvent::Transcript(transcript) => transcript.text.strip_suffix(" samples")?.parse().ok(),
        _ => None,
    };
    heard.iter().filter_map(|heard| samples(&heard.event)).collect()
}

#[test]
fn speech_soon_after_a_request_is_one_utterance_with_it() {
    let (mut pipeline, _log) = scripted(SttMode::LockStep);
    let mut all = hear(&mut pipeline, &sound(&REQUEST));
    assert!(pipeline.may_go_on() && !pipeline.meter().listening);
    let rest = hear(&mut pipeline, &sound(&[(5, 0.0), (10, 0.9), (10, 0.0)]));
    assert_eq!(names(&rest), [("goes on", 51), ("silence", 66), ("transcript", 66)]);
    assert!(matches!(rest[0].event, HearingEvent::Interruption { ago_ms: 160, goes_on: true }));
    all.extend(rest);
    let [first, both] = counted(&all)[..] else { panic!("{all:?}") };
    assert_eq!(both - first, 25 * BLOCK, "all that came between the two ends");
    assert!(!pipeline.may_go_on(), "it goes on once");
    assert_eq!(names(&hear(&mut pipeline, &sound(&[(1, WAKE)]))), [("wake", 67)]);
}

#[test]
fn where_both_parts_are_nothing_the_second_is_heard_alone() {
    let (mut recogniser, _log) = ScriptedRecogniser::new();
    recogniser.max_samples = 30 * BLOCK;
    let mut pipeline = scripted_with(recogniser, settings(SttMode::LockStep));
    hear(&mut pipeline, &sound(&REQUEST));
    let heard = hear(&mut pipeline, &sound(&[(5, 0.0), (8, 0.9), (11, 0.0)]));
    let expected = [("goes on", 51), ("silence", 64), ("interruption", 64), ("partial", 64)];
    assert_eq!(names(&heard)[..4], expected);
    let [alone] = counted(&heard)[..] else { panic!("{heard:?}") };
    assert!((18 * BLOCK..=28 * BLOCK).contains(&alone), "from 300 ms before its onset to its end: {alone}");
    let HearingEvent::Transcript(transcript) = &heard[4].event else { panic!("{heard:?}") };
    assert_eq!(transcript.rejected, None);
    assert_eq!(names(&hear(&mut pipeline, &sound(&[(1, WAKE)]))), [("wake", 66)]);
}

#[test]
fn later_speech_noises_and_the_wake_word_do_not_go_on_with_a_request() {
    let (mut pipeline, _log) = scripted(SttMode::LockStep);
    hear(&mut pipeline, &sound(&REQUEST));
    let heard = hear(&mut pipeline, &sound(&[(5, 0.0), (4, 0.9), (14, 0.0), (20, 0.9)]));
    assert_eq!(names(&heard), [], "a cough, and somebody after 700 ms");
    assert!(!pipeline.may_go_on());

    let (mut pipeline, _log) = scripted(SttMode::LockStep);
    hear(&mut pipeline, &sound(&REQUEST));
    let heard = hear(&mut pipeline, &sound(&[(1, WAKE), (10, 0.9), (10, 0.0)]));
    let essential: Vec<_> = names(&heard).into_iter().filter(|(name, _)| *name != "partial").collect();
    assert_eq!(essential, [("wake", 42), ("started", 47), ("silence", 62), ("transcript", 62)]);
}

#[test]
fn harks_own_voice_does_not_go_on_with_a_request() {
    let (mut pipeline, _log) = scripted(SttMode::LockStep);
    hear(&mut pipeline, &sound(&REQUEST));
    pipeline.command(PipelineCommand::Watch(true));
    pipeline.observe_playback(&[0.1; 160], ResidualEcho::Possible);
    assert_eq!(names(&hear(&mut pipeline, &sound(&[(15, 0.9)]))), []);
}

#[test]
fn it_can_be_switched_off() {
    let (mut pipeline, _log) = scripted(SttMode::LockStep);
    pipeline.settings.endpoint.goes_on_ms = 0;
    hear(&mut pipeline, &sound(&REQUEST));
    assert!(!pipeline.may_go_on());
}

#[test]
fn a_recording_may_end_meanwhile() {
    let (mut pipeline, _log) = scripted(SttMode::LockStep);
    let mut heard = hear(&mut pipeline, &sound(&REQUEST));
    let before = heard.len();
    pipeline.finish(&mut heard);
    assert_eq!(heard.len(), before);
    assert!(!pipeline.may_go_on());
}

/// A recogniser whose words of a request take until `may_draft` allows them.
struct SlowRecogniser {
    inner: ScriptedRecogniser,
    may_draft: std::sync::mpsc::Receiver<()>,
}

impl Recogniser for SlowRecogniser {
    fn start(&mut self) -> Result<(), Fault> {
        self.inner.start()
    }

    fn feed(&mut self, samples: &[f32]) -> Result<(), Fault> {
        self.inner.feed(samples)
    }

    fn partial(&mut self) -> Option<Partial> {
        None
    }

    fn draft(&mut self) -> Option<Result<Recognition, Fault>> {
        let _ = self.may_draft.recv_timeout(Duration::from_secs(10));
        self.inner.draft()
    }

    fn finish(&mut self) -> Result<Recognition, Fault> {
        self.inner.finish()
    }

    fn cancel(&mut self) {
        self.inner.cancel();
    }
}

fn slow() -> (AudioPipeline, std::sync::mpsc::Sender<()>) {
    let (mut inner, _log) = ScriptedRecogniser::new();
    inner.drafts = true;
    let (allow, may_draft) = std::sync::mpsc::channel();
    let parts = PipelineParts {
        vad: Box::new(ScriptedVad),
        wake: Some(scripted_wake()),
        recogniser: Box::new(SlowRecogniser { inner, may_draft }),
        grammar: None,
        speakers: None,
        smart_turn: None,
    };
    let pipeline = AudioPipeline::new(parts, settings(SttMode::Live));
    // The settings of the tests are valid.
    let pipeline = pipeline.expect("valid");
    (pipeline, allow)
}

/// Hears silence until the words are there.
fn await_transcript(pipeline: &mut AudioPipeline, heard: &mut Vec<PositionedEvent>) {
    let until = std::time::Instant::now() + Duration::from_secs(10);
    while !names(heard).iter().any(|(name, _)| *name == "transcript") && std::time::Instant::now() < until {
        pipeline.process(&[], heard);
        std::thread::sleep(Duration::from_millis(2));
    }
}

#[test]
fn who_goes_on_before_the_words_are_known_has_said_one_request() {
    let (mut pipeline, allow) = slow();
    let mut heard = hear(&mut pipeline, &sound(&REQUEST));
    assert_eq!(
        names(&heard),
        [("wake", 21), ("started", 26), ("silence", 41)],
        "the words are not known yet"
    );
    heard.extend(hear(&mut pipeline, &sound(&[(5, 0.0), (10, 0.9), (2, 0.0)])));
    // Both drafts: that of the first end is of no use any more.
    for _ in 0..2 {
        allow.send(()).unwrap();
    }
    await_nothing(&mut pipeline, &mut heard);
    heard.extend(hear(&mut pipeline, &sound(&[(8, 0.0)])));
    await_transcript(&mut pipeline, &mut heard);
    let essential: Vec<_> =
        names(&heard).into_iter().map(|(name, _)| name).filter(|name| *name != "partial").collect();
    assert_eq!(essential, ["wake", "started", "silence", "silence", "transcript"]);
    assert_eq!(counted(&heard).len(), 1);
    assert!(counted(&heard)[0] >= 30 * BLOCK, "both parts: {heard:?}");
}

/// Lets the recogniser's thread work.
fn await_nothing(pipeline: &mut AudioPipeline, heard: &mut Vec<PositionedEvent>) {
    for _ in 0..50 {
        pipeline.process(&[], heard);
        std::thread::sleep(Duration::from_millis(2));
    }
}

#[test]
fn words_that_come_late_are_those_of_the_request() {
    let (mut pipeline, allow) = slow();
    let mut heard = hear(&mut pipeline, &sound(&REQUEST));
    allow.send(()).unwrap();
    await_transcript(&mut pipeline, &mut heard);
    assert_eq!(names(&heard).last().map(|(name, _)| *name), Some("transcript"));
    assert!(pipeline.may_go_on(), "and its speaker may still go on");

    // Nobody goes on: the words are waited for all the same.
    let (mut pipeline, allow) = slow();
    let mut heard = hear(&mut pipeline, &sound(&REQUEST));
    heard.extend(hear(&mut pipeline, &sound(&[(40, 0.0)])));
    allow.send(()).unwrap();
    await_transcript(&mut pipeline, &mut heard);
    assert_eq!(names(&heard).last().map(|(name, _)| *name), Some("transcript"));
}
