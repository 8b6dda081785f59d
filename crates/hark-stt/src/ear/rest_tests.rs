//! How long the ear may be left alone, and that nothing is missed meanwhile.

use super::super::*;
use super::{BLOCK, hear, real, scripted, sound};
use crate::testing;

/// 10 ms.
const LOOK: usize = 160;

/// Calls the ear as seldom as it allows, and every 10 ms when it allows less; tells how often.
fn hear_patiently(ear: &mut Ear, mut samples: &[f32]) -> (Vec<Heard>, usize) {
    let (mut out, mut calls) = (Vec::new(), 0);
    while !samples.is_empty() {
        let (now, later) = samples.split_at(ear.patience_samples().max(LOOK).min(samples.len()));
        ear.process(now, &mut out);
        (samples, calls) = (later, calls + 1);
    }
    (out, calls)
}

#[test]
fn whoever_is_as_patient_as_the_ear_allows_hears_the_same() {
    let speech = testing::flite("slt", "hey jarvis what time is it");
    let samples = [testing::silence(6000), speech.clone(), testing::silence(2500), speech].concat();
    let samples = [samples, testing::silence(6000)].concat();
    let (mut ear, _log) = real();
    let expected = hear(&mut ear, &samples);
    assert!(expected.len() >= 8, "{expected:?}");
    let (mut ear, _log) = real();
    let (heard, calls) = hear_patiently(&mut ear, &samples);
    assert_eq!(heard, expected);
    let looks = samples.len() / LOOK;
    assert!(calls * 3 < looks, "{calls} calls instead of {looks}");
}

#[test]
fn patience_is_for_an_ear_that_expects_nothing() {
    let (mut ear, _log) = scripted(SttMode::LockStep);
    assert_eq!(ear.patience_samples(), BLOCK, "a hop of the scripted engine");
    hear(&mut ear, &sound(&[(100, 0.0)])[..100 * BLOCK - 12]);
    assert_eq!(ear.patience_samples(), 5 * BLOCK + 12, "nobody speaks");
    hear(&mut ear, &[0.9; 12 + BLOCK]);
    assert_eq!(ear.patience_samples(), BLOCK, "somebody does");
    ear.command(EarCommand::Watch(true));
    assert_eq!(ear.patience_samples(), 0);
    ear.command(EarCommand::Watch(false));
    ear.command(EarCommand::Listen { window_ms: 1000, short_answer: false });
    assert_eq!(ear.patience_samples(), 0);
    ear.command(EarCommand::Mute(true));
    assert_eq!(ear.patience_samples(), 6 * BLOCK, "nobody is heard");
}
