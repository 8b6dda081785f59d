//! How long the pipeline may be left alone, and that nothing is missed meanwhile.

use super::super::*;
use super::{BLOCK, hear, real, scripted, sound};
use crate::testing;

/// 10 ms.
const LOOK: usize = 160;

/// Calls the pipeline as seldom as it allows, and every 10 ms when it allows less; tells how often.
fn hear_patiently(pipeline: &mut AudioPipeline, mut samples: &[f32]) -> (Vec<PositionedEvent>, usize) {
    let (mut out, mut calls) = (Vec::new(), 0);
    while !samples.is_empty() {
        let (now, later) = samples.split_at(pipeline.poll_interval_samples().max(LOOK).min(samples.len()));
        pipeline.process(now, &mut out);
        (samples, calls) = (later, calls + 1);
    }
    (super::without_pauses(out), calls)
}

#[test]
fn whoever_is_as_patient_as_the_pipeline_allows_hears_the_same() {
    let speech = testing::flite("slt", "hey jarvis what time is it");
    let samples = [testing::silence(6000), speech.clone(), testing::silence(2500), speech].concat();
    let samples = [samples, testing::silence(6000)].concat();
    let (mut pipeline, _log) = real();
    let expected = hear(&mut pipeline, &samples);
    assert!(expected.len() >= 8, "{expected:?}");
    let (mut pipeline, _log) = real();
    let (heard, calls) = hear_patiently(&mut pipeline, &samples);
    assert_eq!(heard, expected);
    let looks = samples.len() / LOOK;
    assert!(calls * 3 < looks, "{calls} calls instead of {looks}");
}

#[test]
fn patience_is_for_an_pipeline_that_expects_nothing() {
    let (mut pipeline, _log) = scripted(SttMode::LockStep);
    assert_eq!(pipeline.poll_interval_samples(), BLOCK, "a hop of the scripted engine");
    hear(&mut pipeline, &sound(&[(100, 0.0)])[..100 * BLOCK - 12]);
    assert_eq!(pipeline.poll_interval_samples(), 5 * BLOCK + 12, "nobody speaks");
    hear(&mut pipeline, &[0.9; 12 + BLOCK]);
    assert_eq!(pipeline.poll_interval_samples(), BLOCK, "somebody does");
    pipeline.command(PipelineCommand::Watch(true));
    assert_eq!(pipeline.poll_interval_samples(), 0);
    pipeline.command(PipelineCommand::Watch(false));
    pipeline.command(PipelineCommand::Listen { window_ms: 1000, short_answer: false });
    assert_eq!(pipeline.poll_interval_samples(), 0);
    pipeline.command(PipelineCommand::Mute(true));
    assert_eq!(pipeline.poll_interval_samples(), 6 * BLOCK, "nobody is heard");
}
