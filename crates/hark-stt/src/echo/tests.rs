//! The stage without a room: samples, clocks and devices that misbehave.

use super::alignment::Alignment;
use super::canceller::{BLOCK, Canceller};
use super::far_end::FarEnd;
use super::{EchoStage, Mode, Played};
use crate::testing::{flite, noise};
use hark_config::echo::Echo;
use std::time::{Duration, Instant};

#[test]
fn what_the_canceller_lets_pass_is_one_block_late() {
    let (mut canceller, heard) = (Canceller::new(), noise(32_000, 0.1));
    let mut out = [Vec::new(), Vec::new()];
    for block in heard.as_chunks::<BLOCK>().0 {
        let (mut cleaned, mut words) = ([0.0; BLOCK], [0.0; BLOCK]);
        canceller.process(&[0.0; BLOCK], block, &mut cleaned, &mut words);
        out[0].extend(cleaned);
        out[1].extend(words);
    }
    for out in out {
        let gain = |lag: usize| {
            let pairs = heard[8_000..30_000].iter().zip(&out[8_000 + lag..]);
            pairs.map(|(a, b)| a * b).sum::<f32>() / heard[8_000..30_000].iter().map(|a| a * a).sum::<f32>()
        };
        assert!(gain(BLOCK) > 0.8, "a block late: {}", gain(BLOCK));
        let elsewhere = (0..300).filter(|lag| *lag != BLOCK).map(|lag| gain(lag).abs()).fold(0.0, f32::max);
        // The high-pass filter before the canceller smears a little.
        assert!(elsewhere < 0.2, "and nowhere else: {elsewhere}");
    }
}

#[test]
fn the_words_of_somebody_as_loud_as_the_loudspeaker_are_kept() {
    let (mut stage, begun) = (EchoStage::new(&Echo::default()), Instant::now());
    stage.speaker_opened(16_000);
    // The loudspeaker is heard 50 ms after it was handed its sound; a person hisses in the last second.
    let (played, hiss) = (noise(96_000, 0.2), noise(192_000, 0.2).split_off(96_000));
    let (mut words, mut known) = (Vec::new(), Vec::new());
    for (step, block) in played.chunks(160).enumerate() {
        stage.played(&piece(step as u64, begun, block));
        let at = |index: usize| (step * 160 + index).checked_sub(800).map_or(0.0, |at| played[at]);
        let person = |index: usize| if step >= 500 { hiss[step * 160 + index] } else { 0.0 };
        let mut samples: Vec<f32> = (0..160).map(|index| at(index) + person(index)).collect();
        stage.process(&mut samples, Some(begun + Duration::from_millis(10 * (step as u64 + 1))));
        assert_eq!(samples.len(), stage.words().len());
        assert!(step < 300 || !stage.report().leaking, "step {step}: a person is no echo");
        words.extend_from_slice(stage.words());
        known.extend_from_slice(stage.played_meanwhile());
    }
    let power = |samples: &[f32]| samples.iter().map(|s| s * s).sum::<f32>() / samples.len() as f32;
    let (echo, person) = (power(&words[64_000..79_000]), power(&words[80_800..84_000]));
    let said = power(&hiss[80_800..84_000]);
    assert!(echo < said / 100.0, "20 dB of the echo are gone: {echo} of {said}");
    assert!((0.5..2.0).contains(&(person / said)), "and the person is there: {person} of {said}");
    assert_eq!(known.len(), words.len());
    let part = power(&known[64_000..]) / power(&played[64_000..]);
    // Less what is filtered off beside 8 kHz.
    assert!((0.8..1.1).contains(&part), "what is played meanwhile is known: {part}");
}

/// Ten milliseconds of the loudspeaker.
fn piece(step: u64, begun: Instant, samples: &[f32]) -> Played<'_> {
    let sounds_at = begun + Duration::from_millis(10 * step + 20);
    Played { first: step * 160, frames: 160, sounds_at, samples }
}

#[test]
fn while_nothing_is_played_samples_pass_untouched_and_one_block_late() {
    let (mut stage, begun, heard) = (EchoStage::new(&Echo::default()), Instant::now(), noise(32_000, 0.5));
    stage.speaker_opened(16_000);
    let mut out = Vec::new();
    // Pieces of odd lengths, as resamplers give them.
    let mut given = 0;
    for step in 0_u64.. {
        let length = [161, 159, 0, 320, 157][step as usize % 5].min(heard.len() - given);
        let mut samples = heard[given..given + length].to_vec();
        given += length;
        stage.played(&piece(step, begun, &[]));
        stage.process(&mut samples, Some(begun + Duration::from_micros(given as u64 * 125 / 2)));
        assert!(given - out.len() - samples.len() < BLOCK, "less than a block waits");
        out.append(&mut samples);
        if given == heard.len() {
            break;
        }
    }
    assert_eq!(out[..BLOCK], [0.0; BLOCK]);
    assert_eq!(out[BLOCK..], heard[..out.len() - BLOCK]);
    assert!(!stage.is_playing() && !stage.report().playing);
}

#[test]
fn a_recording_and_a_stage_that_is_off_are_left_alone() {
    let heard = noise(1000, 0.5);
    let off = Echo { enabled: false, ..Echo::default() };
    for (config, until) in [(Echo::default(), None), (off, Some(Instant::now()))] {
        let (mut stage, mut samples) = (EchoStage::new(&config), heard.clone());
        stage.process(&mut samples, until);
        assert_eq!(samples, heard);
    }
    // A microphone that is followed by a recording: every sample once, in order.
    let (mut stage, begun, mut out) = (EchoStage::new(&Echo::default()), Instant::now(), Vec::new());
    for (index, piece) in heard.chunks(100).enumerate() {
        let mut samples = piece.to_vec();
        stage.process(&mut samples, (index < 5).then_some(begun));
        out.append(&mut samples);
    }
    assert_eq!(out[BLOCK..], heard);
}

#[test]
fn the_canceller_wakes_with_the_loudspeaker_and_rests_after_it() {
    let (mut stage, begun) = (EchoStage::new(&Echo::default()), Instant::now());
    let (heard, played) = (noise(16_000 * 8, 0.01), noise(16_000, 0.1));
    stage.speaker_opened(16_000);
    let mut modes = Vec::new();
    for (step, block) in heard.chunks(160).enumerate() {
        let samples = match step {
            100..200 => &played[(step - 100) * 160..(step - 99) * 160],
            _ => &[],
        };
        stage.played(&piece(step as u64, begun, samples));
        let mut samples = block.to_vec();
        stage.process(&mut samples, Some(begun + Duration::from_millis(10 * (step as u64 + 1))));
        modes.push((stage.mode != Mode::Resting, stage.is_playing()));
    }
    let first =
        |wanted: (bool, bool), from: usize| from + modes[from..].iter().position(|m| *m == wanted).unwrap();
    let awake = first((true, true), 0);
    assert!((100..105).contains(&awake), "sound of step 100 sounds 20 ms later: {awake}");
    let faded = first((true, false), awake);
    assert!((228..240).contains(&faded), "the echo has died away 300 ms after the sound: {faded}");
    let resting = first((false, false), faded);
    assert!((498..510).contains(&resting), "rests three seconds after it: {resting}");
}

#[test]
fn without_an_echo_the_alignment_follows_the_moments() {
    // A loudspeaker at 48 kHz that is 150 ppm fast, moments up to 5 ms off, two minutes of nothing to hear.
    let (begun, speed) = (Instant::now(), 1.0 + 150e-6);
    let (mut far, mut alignment) = (FarEnd::new(48_000), Alignment::new());
    let mut off = noise(30_000, 0.005).into_iter();
    let mut moment = |s: f64| begun + Duration::from_secs_f64(1.0 + s + f64::from(off.next().unwrap()));
    let mut worst_ms = 0.0_f64;
    let mut first = 0;
    for step in 0..12_000_u64 {
        let now_s = (step + 1) as f64 * 0.01;
        let sounds_s = |frame: u64| frame as f64 / (48_000.0 * speed) + 0.02;
        while sounds_s(first) <= now_s + 0.01 {
            far.push(first, 480, &[0.1; 480]);
            alignment.sounds(first, moment(sounds_s(first)));
            first += 480;
        }
        alignment.captured(moment(now_s), 160, true, &far);
        let Some((place, _)) = alignment.next(160, &far) else { continue };
        let true_place = (now_s - 0.01 - 0.02) * 48_000.0 * speed + f64::from(alignment.lead_ms()) * 48.0;
        if step > 6_000 {
            worst_ms = worst_ms.max((place - true_place).abs() / 48.0);
        }
    }
    println!("worst {worst_ms:.2} ms, lead {} ms", alignment.lead_ms());
    assert!(worst_ms < 2.5, "off by {worst_ms} ms");
    assert_eq!(alignment.jumps(), 0);
    // Nobody is disturbed when it grows shorter.
    assert!((0..=14).contains(&alignment.lead_ms()), "{} ms", alignment.lead_ms());
}

#[test]
fn whatever_the_clocks_say_samples_are_counted_right_and_memory_stays() {
    let (mut stage, begun) = (EchoStage::new(&Echo::default()), Instant::now() + Duration::from_secs(1000));
    let chance = noise(4000, 1.0);
    let sound = noise(480, 0.3);
    let (mut given, mut taken, mut first) = (0, 0, 0_u64);
    for (step, chance) in chance.iter().enumerate() {
        let at = |ms: f32| {
            begun + Duration::from_millis((10 * step) as u64) + Duration::from_secs_f32(ms.max(0.0) / 1000.0)
        };
        match step % 97 {
            0 => stage.speaker_opened([16_000, 44_100, 48_000, 8_000][step / 97 % 4]),
            1 => first += 1 << (step % 40),
            2 => first = first.saturating_sub(1000),
            _ => {}
        }
        if step % 97 == 0 {
            first = 0;
        }
        // Moments that jump by seconds in either direction, callbacks that stay away.
        let off = if step % 31 < 3 { chance * 5000.0 } else { *chance };
        if step % 53 < 40 {
            stage.played(&Played { first, frames: 480, sounds_at: at(20.0 + off), samples: &sound });
            first += 480;
        }
        let mut samples = vec![*chance; if step % 11 == 0 { 700 } else { 160 }];
        given += samples.len();
        stage.process(&mut samples, Some(if step % 41 == 0 { begun } else { at(off) }));
        assert!(samples.iter().all(|sample| sample.is_finite() && sample.abs() <= 1.0));
        taken += samples.len();
        assert!(given - taken < BLOCK && stage.pending.capacity() < 16_000);
    }
    assert!(stage.report().realigned < 100, "it does not chase every moment");
}

#[test]
fn noise_suppression_and_gain_control_do_their_work() {
    let level = |samples: &[f32]| samples.iter().map(|s| s * s).sum::<f32>() / samples.len() as f32;
    let change_db = |heard: &[f32], config: Echo| {
        let (mut stage, mut samples) = (EchoStage::new(&config), heard.to_vec());
        stage.process(&mut samples, Some(Instant::now()));
        assert!(heard.len() - samples.len() < 160 + BLOCK);
        let from = heard.len() / 2;
        10.0 * (level(&samples[from..]) / level(&heard[from..])).log10()
    };
    let hiss = noise(16_000 * 6, 0.01);
    let suppressed = change_db(&hiss, Echo { noise_suppression: true, ..Echo::default() });
    assert!((-25.0..-6.0).contains(&suppressed), "{suppressed} dB");
    let sentence =
        flite("slt", "Turn off the light in the kitchen, please, and set a timer for ten minutes.");
    let faint: Vec<f32> = sentence.iter().chain(&sentence).map(|sample| sample * 0.02).collect();
    let gained = change_db(&faint, Echo { gain_control: true, ..Echo::default() });
    assert!(gained > 6.0, "{gained} dB");
    for sound in [&hiss, &faint] {
        let untouched = change_db(sound, Echo::default());
        assert!(untouched.abs() < 0.1, "{untouched} dB");
    }
}

/// Over each second, what is left of an echo for its words, in dB below it, and whether the stage noticed that. `off_ms`
/// says how wrong the moments of the loudspeaker are at a second, `lost_ms` how much of its sound was lost by then, untold;
/// and in which steps of 10 ms its callback does not come, so that its sound is handed over with the next.
fn left_of_an_echo(
    off_ms: impl Fn(f64) -> f64,
    lost_ms: impl Fn(f64) -> f64,
    away: impl Fn(usize) -> bool,
) -> (Vec<(f32, bool)>, EchoStage) {
    let (mut stage, begun) = (EchoStage::new(&Echo::default()), Instant::now() + Duration::from_secs(1));
    stage.speaker_opened(16_000);
    let played = noise(16_000 * 14, 0.2);
    let power = |samples: &[f32]| samples.iter().map(|s| s * s).sum::<f32>();
    let (mut seconds, mut echo, mut left, mut noticed) = (Vec::new(), 0.0, 0.0, false);
    let mut waiting = Vec::new();
    for (step, block) in played.chunks(160).enumerate() {
        let now_s = step as f64 / 100.0;
        let sounds_at = begun + Duration::from_secs_f64(now_s + 0.06 + off_ms(now_s) / 1000.0);
        waiting.push(Played { first: step as u64 * 160, frames: 160, sounds_at, samples: block });
        if !away(step) {
            waiting.drain(..).for_each(|piece| stage.played(&piece));
        }
        let lost = (lost_ms(now_s) * 16.0) as usize;
        let at = |index: usize| (step * 160 + index + lost).checked_sub(1600).map_or(0.0, |at| played[at]);
        let mut samples: Vec<f32> = (0..160).map(at).collect();
        echo += power(&samples);
        stage.process(&mut samples, Some(begun + Duration::from_secs_f64(now_s + 0.01)));
        left += power(stage.words());
        noticed |= stage.report().leaking;
        if step % 100 == 99 {
            seconds.push((10.0 * (left / echo).log10(), noticed));
            (echo, left, noticed) = (0.0, 0.0, false);
        }
    }
    (seconds, stage)
}

#[test]
fn a_sound_server_that_changes_its_mind_about_its_delay_does_no_harm() {
    // As PulseAudio does after a stream has begun: 10 ms within some seconds, and back.
    let off_ms = |s: f64| 10.0 * (s / 2.5).sin();
    let (seconds, stage) = left_of_an_echo(off_ms, |_| 0.0, |_| false);
    assert!(seconds[3..].iter().all(|(left_db, _)| *left_db < -15.0), "{seconds:?}");
    let report = stage.report();
    assert_eq!(report.realigned, 0);
    assert!(report.drift_ppm.abs() < 5.0 && !report.learning, "{report:?}");
}

#[test]
fn sound_that_the_loudspeaker_loses_is_found_missing_within_a_second() {
    let lost_ms = |s: f64| if s < 6.0 { 0.0 } else { 15.0 };
    let (seconds, stage) = left_of_an_echo(|_| 0.0, lost_ms, |_| false);
    let well = |(left_db, noticed): &(f32, bool)| *left_db < -15.0 && !noticed;
    assert!(seconds[3..6].iter().all(well) && seconds[7..].iter().all(well), "{seconds:?}");
    assert!(seconds[6].1, "what comes through is noticed: {seconds:?}");
    assert_eq!(stage.report().realigned, 1);
    assert!(!stage.report().learning);
}

#[test]
fn sound_that_comes_a_little_too_late_all_the_time_is_read_later() {
    // Once in 400 ms it is handed over 50 ms late.
    let (seconds, stage) = left_of_an_echo(|_| 0.0, |_| 0.0, |step| step > 100 && step % 40 < 5);
    assert!(seconds[5..].iter().all(|(left_db, _)| *left_db < -15.0), "{seconds:?}");
    assert_eq!(stage.report().realigned, 0);
}
