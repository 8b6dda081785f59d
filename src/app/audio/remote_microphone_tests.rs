//! Pipelines with scripted engines: the value of a block's first sample is the probability that it is speech, and the
//! transcript is the number of samples.

use super::*;
use hark_config::Config;
use hark_core::public_event::Timings;
use hark_core::{Stamp, VAD_BLOCK_SAMPLES};
use hark_stt::pipeline::{PipelineParts, PipelineSettings};
use hark_stt::stt::worker::SttMode;
use scripted::{ScriptedRecogniser, ScriptedVad};

#[allow(dead_code, reason = "these tests need a part of it")]
#[path = "../../../crates/hark-stt/src/scripted.rs"]
mod scripted;

const PATIENCE: Duration = Duration::from_secs(60);
/// Longer than any test.
const NEVER: Duration = Duration::from_secs(3600);

fn scripted() -> Result<AudioPipeline, Fault> {
    let mut config = Config::default();
    config.endpoint.silence_ms = 320;
    let (vad, recogniser) = (Box::new(ScriptedVad), Box::new(ScriptedRecogniser::new().0));
    let parts =
        PipelineParts { vad, wake: None, recogniser, grammar: None, speakers: None, smart_turn: None };
    AudioPipeline::new(parts, PipelineSettings::new(&config, SttMode::Live))
}

struct Desk {
    pipelines: RemoteMicrophones,
    event_queue: Arc<EventQueue>,
    events: broadcast::Sender<Arc<Envelope>>,
    opened: Arc<AtomicUsize>,
    tidied: Arc<AtomicUsize>,
}

impl Desk {
    /// The first `failures` times the engines cannot be opened.
    fn new(failures: usize) -> Self {
        Self::with(failures, NEVER)
    }

    fn with(failures: usize, off_after: Duration) -> Self {
        let (opened, tidied) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let (made, gone) = (opened.clone(), tidied.clone());
        let make = move || {
            if made.fetch_add(1, Ordering::SeqCst) < failures {
                return Err(Fault::new(FaultKind::MissingPart, "stt", "no model", "pull it"));
            }
            scripted()
        };
        let tidy = move || {
            gone.fetch_add(1, Ordering::SeqCst);
        };
        let event_queue = Arc::new(EventQueue::default());
        let events = broadcast::Sender::new(64);
        let patience = MicrophoneTimeouts { window_ms: 1000, off_after };
        let pipelines = RemoteMicrophones::new(
            Arc::new(make),
            Arc::new(tidy),
            patience,
            event_queue.clone(),
            events.clone(),
        );
        Self { pipelines, event_queue, events, opened, tidied }
    }

    fn open(&self) -> Box<dyn RemoteMicrophone> {
        self.pipelines.open(Box::new(())).unwrap()
    }

    /// What the next event tells, of whom.
    fn next(&self) -> (MicrophoneId, Origin, RemoteSpeech) {
        match self.event_queue.pop(Instant::now() + PATIENCE) {
            Some(Event::RemoteSpeech { microphone, origin, heard }) => (microphone, origin, heard),
            other => panic!("{other:?}"),
        }
    }

    /// Names of what is told until this one.
    fn until(&self, last: &str) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        while names.last().is_none_or(|name| name != last) {
            names.push(name(&self.next().2).to_owned());
        }
        // How often words so far are told is a matter of the machine's speed.
        names.retain(|name| name != "partial");
        names
    }
}

fn name(heard: &RemoteSpeech) -> &'static str {
    match heard {
        RemoteSpeech::Listening { .. } => "listening",
        RemoteSpeech::SpeechStarted => "started",
        RemoteSpeech::Partial { .. } => "partial",
        RemoteSpeech::SpeechEnded { .. } => "ended",
        RemoteSpeech::Transcript { .. } => "transcript",
        RemoteSpeech::NothingSaid => "nothing",
        RemoteSpeech::Failed { .. } => "failed",
        RemoteSpeech::Gone => "gone",
    }
}

fn speaker(session: &str) -> Speaker {
    Speaker { session: session.into(), aloud: false }
}

/// So many blocks that are speech or not.
fn blocks(count: usize, is_speech: bool) -> Vec<i16> {
    vec![if is_speech { 30_000 } else { 0 }; count * VAD_BLOCK_SAMPLES]
}

#[test]
fn an_utterance_is_told_from_the_first_sound_to_the_words() {
    let desk = Desk::new(0);
    let mut pipeline = desk.open();
    assert_eq!(desk.opened.load(Ordering::SeqCst), 0, "nothing is opened before there is sound");
    for sound in [blocks(10, false), blocks(20, true), blocks(15, false)] {
        pipeline.hear(&speaker("desk"), sound).unwrap();
    }
    let (id, origin, first) = desk.next();
    assert_eq!((origin, first), (Origin::Api("desk".into()), RemoteSpeech::Listening { speak: false }));
    assert_eq!(desk.until("transcript"), ["started", "ended", "transcript"]);
    // The microphone is still on: the next one is heard, too, and only then told of.
    pipeline.hear(&Speaker { session: "sofa".into(), aloud: true }, blocks(10, false)).unwrap();
    pipeline.hear(&Speaker { session: "sofa".into(), aloud: true }, blocks(40, true)).unwrap();
    let (again, origin, next) = desk.next();
    assert_eq!(
        (again, origin, next),
        (id, Origin::Api("sofa".into()), RemoteSpeech::Listening { speak: true })
    );
    // The button is let go of in the middle.
    pipeline.pause();
    assert_eq!(desk.until("transcript"), ["started", "ended", "transcript"]);
    assert_eq!(desk.opened.load(Ordering::SeqCst), 1);
}

#[test]
fn sound_that_stops_coming_ends_what_is_being_said() {
    let desk = Desk::with(0, Duration::from_millis(50));
    let mut pipeline = desk.open();
    pipeline.hear(&speaker("desk"), blocks(40, true)).unwrap();
    assert_eq!(desk.until("transcript"), ["listening", "started", "ended", "transcript"]);
}

#[test]
fn what_waits_for_a_pipeline_that_takes_nothing_has_a_limit() {
    let (orders, queue) = channel();
    let mut handle = Handle { orders, shared: Arc::new(Shared::default()), is_paused: true };
    let mut accepted = 0;
    loop {
        (0..10).for_each(|_| handle.pause());
        match handle.hear(&speaker("desk"), vec![0]) {
            Ok(()) => accepted += 1,
            Err(_) => break,
        }
    }
    assert_eq!(accepted, MAX_WAITING / LEAST_COUNTED);
    assert_eq!(queue.try_iter().count(), 2 * accepted, "one pause after each sound");
}

#[test]
fn who_says_nothing_is_told_so_once() {
    let desk = Desk::new(0);
    let mut pipeline = desk.open();
    pipeline.hear(&speaker("desk"), blocks(100, false)).unwrap();
    assert_eq!(desk.until("nothing"), ["listening", "nothing"]);
    pipeline.hear(&speaker("desk"), blocks(100, false)).unwrap();
    pipeline.pause();
    pipeline.hear(&speaker("desk"), blocks(40, true)).unwrap();
    pipeline.pause();
    assert_eq!(desk.until("transcript"), ["listening", "started", "ended", "transcript"]);
}

#[test]
fn engines_that_cannot_be_opened_are_told_of_and_tried_again_with_the_next_press() {
    let desk = Desk::new(1);
    let mut pipeline = desk.open();
    for _ in 0..5 {
        pipeline.hear(&speaker("desk"), blocks(4, true)).unwrap();
    }
    assert_eq!(desk.until("failed"), ["listening", "failed"]);
    pipeline.pause();
    pipeline.hear(&speaker("desk"), blocks(40, true)).unwrap();
    pipeline.pause();
    assert_eq!(desk.until("transcript"), ["listening", "started", "ended", "transcript"]);
    assert_eq!(desk.opened.load(Ordering::SeqCst), 2, "once a press");
}

#[test]
fn a_pipeline_that_is_dropped_ends_with_what_was_being_said_and_gives_its_place_back() {
    let desk = Desk::new(0);
    let place = Arc::new(());
    let mut pipeline = desk.pipelines.open(Box::new(place.clone())).unwrap();
    pipeline.hear(&speaker("desk"), blocks(30, true)).unwrap();
    assert_eq!(desk.until("started"), ["listening", "started"]);
    drop(pipeline);
    assert_eq!(desk.until("gone"), ["gone"]);
    desk.pipelines.end();
    assert_eq!((Arc::strong_count(&place), desk.tidied.load(Ordering::SeqCst)), (1, 1));
}

#[test]
fn more_than_can_wait_is_refused() {
    let desk = Desk::new(0);
    let mut pipeline = desk.open();
    let fault = pipeline.hear(&speaker("desk"), vec![0; MAX_WAITING + 1]).unwrap_err();
    assert_eq!(fault.kind, FaultKind::Unavailable);
    pipeline.hear(&speaker("desk"), blocks(40, true)).unwrap();
}

#[test]
fn a_short_word_is_enough_where_a_yes_is_awaited() {
    let desk = Desk::new(0);
    let ends = |session: &str, outcome| {
        let event = PublicEvent::Turn { timings_ms: Timings::default(), route: None, attempts: 0, outcome };
        let mut envelope = Envelope::new(event, Some("t".into()), Stamp::default(), "now".into());
        envelope.origin = Some(Origin::Api(session.into()));
        desk.events.send(Arc::new(envelope)).unwrap();
    };
    // 96 ms: less than speech usually has to last.
    let answer = || [blocks(5, false), blocks(3, true), blocks(40, false)].concat();
    let mut pipeline = desk.open();
    ends("desk", Outcome::AwaitingApproval);
    ends("sofa", Outcome::Done);
    pipeline.hear(&speaker("sofa"), answer()).unwrap();
    assert_eq!(desk.until("nothing"), ["listening", "nothing"], "not asked there");
    pipeline.pause();
    pipeline.hear(&speaker("desk"), answer()).unwrap();
    assert_eq!(desk.until("transcript"), ["listening", "started", "ended", "transcript"]);
    ends("desk", Outcome::Done);
    pipeline.pause();
    pipeline.hear(&speaker("desk"), answer()).unwrap();
    assert_eq!(desk.until("nothing"), ["listening", "nothing"], "it was answered");
}
