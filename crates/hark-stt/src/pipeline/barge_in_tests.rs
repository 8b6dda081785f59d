//! What the pipeline does with speech over Hark's own voice, with scripted parts.

use super::super::*;
use super::{BLOCK, Judge, Mutex, RecogniserLog, WAKE, hear, names, scripted, sound};
use crate::echo::ResidualEcho;
use hark_core::ports::Completeness;

fn watching() -> (AudioPipeline, Arc<Mutex<RecogniserLog>>) {
    let (mut pipeline, log) = scripted(SttMode::LockStep);
    hear(&mut pipeline, &sound(&[(20, 0.0)]));
    pipeline.command(PipelineCommand::Watch(true));
    (pipeline, log)
}

#[test]
fn an_interruption_is_heard_from_before_its_first_word_and_becomes_a_request() {
    let (mut pipeline, log) = watching();
    let heard = hear(&mut pipeline, &sound(&[(20, 0.1), (5, 0.9)]));
    assert_eq!(names(&heard), [("interruption", 45)]);
    assert!(matches!(heard[0].event, HearingEvent::Interruption { ago_ms: 160, goes_on: false }));
    assert!(!pipeline.meter().listening, "nobody has asked for it yet");
    let fed = log.lock().expect("log").samples.clone();
    assert_eq!(fed.len(), 5 * BLOCK + 300 * 16, "with its lead-in");
    assert_eq!(fed[0], 0.1);
    pipeline.command(PipelineCommand::Attend);
    assert!(pipeline.meter().listening);
    pipeline.command(PipelineCommand::Watch(false));
    let heard = hear(&mut pipeline, &sound(&[(10, 0.9), (10, 0.0)]));
    assert_eq!(names(&heard), [("partial", 47), ("silence", 65), ("transcript", 65)]);
    assert_eq!(hear(&mut pipeline, &sound(&[(25, 0.0), (20, 0.9)])), [], "the watch is over");
}

#[test]
fn what_is_dismissed_is_forgotten_and_watched_again_after_a_pause() {
    let (mut pipeline, log) = watching();
    hear(&mut pipeline, &sound(&[(5, 0.9)]));
    pipeline.command(PipelineCommand::Dismiss);
    assert_eq!(log.lock().expect("log").cancels, 1);
    assert_eq!(hear(&mut pipeline, &sound(&[(60, 0.9), (4, 0.0), (20, 0.9)])), []);
    let heard = hear(&mut pipeline, &sound(&[(8, 0.0), (5, 0.9)]));
    assert_eq!(names(&heard), [("interruption", 122)]);
    pipeline.command(PipelineCommand::Dismiss);
    pipeline.command(PipelineCommand::Dismiss);
    assert_eq!(names(&hear(&mut pipeline, &sound(&[(1, WAKE)]))), [("wake", 123)]);
}

#[test]
fn what_harks_own_voice_is_found_in_is_no_request() {
    let (mut pipeline, _log) = watching();
    pipeline.observe_playback(&[0.1; 160], ResidualEcho::Possible);
    assert_eq!(hear(&mut pipeline, &sound(&[(20, 0.9), (8, 0.0)])), [], "it may be its own voice");
    pipeline.observe_playback(&[0.1; 160], ResidualEcho::None);
    assert_eq!(names(&hear(&mut pipeline, &sound(&[(5, 0.9)]))), [("interruption", 53)]);
    pipeline.observe_playback(&[0.1; 160], ResidualEcho::Found);
    pipeline.observe_playback(&[0.1; 160], ResidualEcho::None);
    let heard = hear(&mut pipeline, &sound(&[(15, 0.9), (10, 0.0)]));
    let last = heard.iter().find_map(|heard| match &heard.event {
        HearingEvent::Transcript(transcript) => Some(transcript),
        _ => None,
    });
    assert!(last.is_some_and(|transcript| transcript.rejected.is_some()), "{heard:?}");
    assert!(!names(&heard).iter().any(|(name, _)| *name == "partial"), "its words say nothing: {heard:?}");
    let heard = hear(&mut pipeline, &sound(&[(10, 0.9)]));
    assert!(names(&heard).iter().any(|(name, _)| *name == "partial"), "and the next one is heard: {heard:?}");
}

#[test]
fn an_interruption_that_nobody_takes_ends_by_itself() {
    let (mut pipeline, _log) = watching();
    let heard = hear(&mut pipeline, &sound(&[(20, 0.9), (10, 0.0)]));
    let mut what: Vec<_> = names(&heard).into_iter().map(|(name, _)| name).collect();
    what.dedup();
    assert_eq!(what, ["interruption", "partial", "silence", "transcript"]);
    // Of speech over Hark every look is told, and how much had been said by then; the last is the draft
    // made at the pause.
    let spoken_ms = heard.iter().filter_map(|heard| match &heard.event {
        HearingEvent::Partial(words) => Some(words.spoken_ms),
        _ => None,
    });
    assert_eq!(spoken_ms.collect::<Vec<_>>(), [224, 288, 352, 416, 480, 512, 576, 608, 672, 704, 704]);
    assert_eq!(
        names(&hear(&mut pipeline, &sound(&[(5, 0.9)]))),
        [("interruption", 55)],
        "and the next is heard"
    );
}

#[test]
fn what_is_said_over_hark_is_looked_at_hard_before_it_is_decided() {
    let (mut pipeline, log) = watching();
    hear(&mut pipeline, &sound(&[(40, 0.9)]));
    // With the lead-in of 300 ms; each with the next block.
    let spoken_ms = |samples: &usize| samples / 16 - 300;
    let looks: Vec<usize> = log.lock().expect("log").rescored_at.iter().map(spoken_ms).collect();
    assert_eq!(looks, [416, 512, 608, 704]);
    // A request that is waited for is not.
    pipeline.command(PipelineCommand::Dismiss);
    pipeline.command(PipelineCommand::Watch(false));
    pipeline.command(PipelineCommand::Listen { window_ms: 5000, short_answer: false });
    hear(&mut pipeline, &sound(&[(20, 0.0), (40, 0.9)]));
    assert_eq!(log.lock().expect("log").rescored_at.len(), 4);
}

#[test]
fn one_that_is_doubted_gives_way_to_the_next() {
    let (mut pipeline, log) = watching();
    let speech = sound(&[(20, 0.9), (7, 0.1), (5, 0.9)]);
    let heard = hear(&mut pipeline, &speech);
    assert_eq!(heard.iter().filter(|it| matches!(it.event, HearingEvent::Interruption { .. })).count(), 1);
    pipeline.command(PipelineCommand::Doubt);
    let heard = hear(&mut pipeline, &speech);
    let last = heard.last().expect("heard");
    assert!(matches!(last.event, HearingEvent::Interruption { ago_ms: 160, goes_on: false }), "{heard:?}");
    log.lock().expect("log").samples.clear();
    let heard = hear(&mut pipeline, &sound(&[(25, 0.0)]));
    assert_eq!(names(&heard).last().map(|(name, _)| *name), Some("transcript"));
}

#[test]
fn listening_makes_a_request_of_whoever_is_speaking() {
    let (mut pipeline, log) = watching();
    hear(&mut pipeline, &sound(&[(7, 0.9)]));
    pipeline.command(PipelineCommand::Listen { window_ms: 1000, short_answer: false });
    let heard = hear(&mut pipeline, &sound(&[(5, 0.9), (10, 0.0)]));
    let names: Vec<_> = names(&heard).into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["started", "silence", "transcript"]);
    assert_eq!(log.lock().expect("log").cancels, 0, "nothing is lost");
}

#[test]
fn a_wake_word_takes_the_place_of_an_interruption() {
    let (mut pipeline, log) = watching();
    let heard = hear(&mut pipeline, &sound(&[(7, 0.9), (1, WAKE), (10, 0.9), (10, 0.0)]));
    let names: Vec<_> = names(&heard).into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["interruption", "partial", "wake", "started", "silence", "transcript"]);
    assert_eq!(log.lock().expect("log").cancels, 1);
}

#[test]
fn a_request_does_not_begin_with_harks_own_sound() {
    // The reply's last block is 0.3; listening opens when it is over.
    let (mut pipeline, log) = watching();
    hear(&mut pipeline, &sound(&[(10, 0.3)]));
    pipeline.command(PipelineCommand::Watch(false));
    pipeline.command(PipelineCommand::Listen { window_ms: 5000, short_answer: false });
    hear(&mut pipeline, &sound(&[(2, 0.3), (3, 0.0), (3, 0.9)]));
    let fed = std::mem::take(&mut log.lock().expect("log").samples);
    assert_eq!(fed.len(), 6 * BLOCK, "nothing of the reply and its end in the room");
    // The wake sound lasts 160 ms; whoever speaks into it is heard from the first block on.
    let (mut pipeline, log) = scripted(SttMode::LockStep);
    hear(&mut pipeline, &sound(&[(1, WAKE), (16, 0.0)]));
    pipeline.command(PipelineCommand::OwnSound { ms: 160 });
    hear(&mut pipeline, &sound(&[(2, 0.3), (3, 0.9)]));
    let fed = log.lock().expect("log").samples.clone();
    assert_eq!(fed.len(), 3 * BLOCK);
}

#[test]
fn a_short_answer_is_heard_when_one_is_awaited() {
    for (short_answer, expected) in [(true, Some("started")), (false, None)] {
        let (mut pipeline, _log) = scripted(SttMode::LockStep);
        hear(&mut pipeline, &sound(&[(10, 0.0)]));
        pipeline.command(PipelineCommand::Listen { window_ms: 5000, short_answer });
        let heard = hear(&mut pipeline, &sound(&[(5, 0.0), (2, 0.9), (8, 0.0)]));
        assert_eq!(names(&heard).first().map(|(name, _)| *name), expected, "{short_answer}");
    }
}

#[test]
fn muting_forgets_an_interruption() {
    let (mut pipeline, _log) = watching();
    hear(&mut pipeline, &sound(&[(7, 0.9)]));
    pipeline.command(PipelineCommand::Mute(true));
    assert_eq!(hear(&mut pipeline, &sound(&[(30, 0.9)])), []);
    pipeline.command(PipelineCommand::Mute(false));
    let heard = hear(&mut pipeline, &sound(&[(10, 0.0), (5, 0.9)]));
    assert_eq!(names(&heard)[0].0, "interruption", "Hark still speaks");
}

#[test]
fn said_over_hark_only_sentences_of_the_home_count() {
    for (known, expected) in [(Completeness::Unknown, true), (Completeness::Complete, false)] {
        let (mut pipeline, _) = watching();
        pipeline.grammar = Some(Arc::new(Judge(if known == Completeness::Unknown {
            |_| Completeness::Unknown
        } else {
            |_| Completeness::Complete
        })));
        let heard = hear(&mut pipeline, &sound(&[(20, 0.1), (15, 0.9), (40, 0.0)]));
        let transcripts: Vec<&Transcript> = heard
            .iter()
            .filter_map(|heard| match &heard.event {
                HearingEvent::Transcript(transcript) => Some(transcript),
                _ => None,
            })
            .collect();
        assert_eq!(transcripts.len(), 1, "{heard:?}");
        assert_eq!(transcripts[0].rejected.is_some(), expected, "{known:?}: {transcripts:?}");
    }
}

#[test]
fn somebody_who_was_asked_to_go_on_may_say_anything() {
    let (mut pipeline, _) = watching();
    pipeline.grammar = Some(Arc::new(Judge(|_| Completeness::Unknown)));
    hear(&mut pipeline, &sound(&[(20, 0.1), (5, 0.9)]));
    pipeline.command(PipelineCommand::Attend);
    let heard = hear(&mut pipeline, &sound(&[(10, 0.9), (40, 0.0)]));
    let rejected = heard.iter().any(|heard| match &heard.event {
        HearingEvent::Transcript(transcript) => transcript.rejected.is_some(),
        _ => false,
    });
    assert!(!rejected, "{heard:?}");
}
