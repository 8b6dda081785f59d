//! Tests of the playback ring: both ends in one thread, then in two.

use super::*;
use proptest::prelude::*;

const RATE_HZ: u32 = 48_000;

fn reports(feeder: &mut PlaybackFeeder) -> Vec<(u64, ItemReport)> {
    let mut all = Vec::new();
    feeder.take_stop(|id, report| all.push((id, report)));
    feeder.poll(|id, report| all.push((id, report)));
    all
}

fn filled(source: &mut PlaybackSource, samples: usize) -> Vec<f32> {
    let mut out = vec![9.0; samples];
    source.fill(&mut out);
    out
}

fn steepest(samples: &[f32]) -> f32 {
    samples.windows(2).map(|pair| (pair[1] - pair[0]).abs()).fold(0.0, f32::max)
}

#[test]
fn every_channel_gets_the_samples_and_then_silence() {
    let (mut feeder, mut source) = playback(RATE_HZ, 2, 100);
    feeder.begin(1);
    assert_eq!(feeder.push(&[0.1, 0.2, 0.0]), 3);
    feeder.end();
    assert_eq!(filled(&mut source, 10), [0.1, 0.1, 0.2, 0.2, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
    assert_eq!(source.shared.underruns.load(Ordering::Relaxed), 0);
}

#[test]
fn begun_and_drained_are_told_once_and_in_order() {
    let (mut feeder, mut source) = playback(RATE_HZ, 1, 100);
    for id in [1, 2, 3] {
        feeder.begin(id);
        feeder.push(&vec![0.1; if id == 2 { 0 } else { 100 }]);
    }
    assert_eq!(reports(&mut feeder), []);
    filled(&mut source, 60);
    assert_eq!(reports(&mut feeder), [(1, ItemReport::Begun)]);
    filled(&mut source, 60);
    assert_eq!(
        reports(&mut feeder),
        [(1, ItemReport::Drained), (2, ItemReport::Drained), (3, ItemReport::Begun)]
    );
    filled(&mut source, 100);
    assert_eq!(reports(&mut feeder), [], "the last item is still open");
    feeder.end();
    assert_eq!(reports(&mut feeder), [(3, ItemReport::Drained)]);
    assert_eq!(reports(&mut feeder), []);
    assert!(feeder.is_idle());
}

#[test]
fn stop_fades_within_5_ms_and_throws_the_rest_away() {
    for callback in [32, 100, 480, 2000] {
        let (mut feeder, mut source) = playback(RATE_HZ, 1, 1000);
        feeder.begin(1);
        feeder.push(&vec![0.5; 40_000]);
        let before = filled(&mut source, callback);
        feeder.control().stop();
        // Written by a voice thread that has not heard of the stop yet.
        feeder.push(&vec![0.5; 500]);
        let mut after = Vec::new();
        while after.len() < 2000 {
            after.extend(filled(&mut source, callback));
        }
        assert_eq!(before[callback - 1], 0.5);
        assert!(after[120] > 0.1 && after[120] < 0.4, "{callback}: {}", after[120]);
        assert!(after[240..].iter().all(|sample| sample.abs() < 0.003), "{callback}");
        assert!(after[400..].iter().all(|sample| *sample == 0.0), "{callback}");
        assert!(steepest(&after) < 0.01, "{callback}: {}", steepest(&after));
        assert_eq!(reports(&mut feeder), [(1, ItemReport::Stopped)]);
        feeder.begin(2);
        feeder.push(&[0.25; 10]);
        feeder.end();
        assert_eq!(filled(&mut source, 10), [0.25; 10], "what comes after sounds in full");
        assert_eq!(reports(&mut feeder), [(2, ItemReport::Begun), (2, ItemReport::Drained)]);
    }
}

#[test]
fn a_stop_taken_before_the_callback_leaves_what_follows() {
    let (mut feeder, mut source) = playback(RATE_HZ, 1, 1000);
    feeder.begin(1);
    feeder.push(&vec![0.5; 1000]);
    feeder.control().stop();
    assert_eq!(reports(&mut feeder), [(1, ItemReport::Stopped)]);
    feeder.begin(2);
    feeder.push(&[0.25; 300]);
    feeder.end();
    let out = filled(&mut source, 600);
    assert_eq!(out[..300], [0.25; 300], "nothing had sounded, so there is nothing to fade");
    assert_eq!(out[599], 0.0);
    assert_eq!(reports(&mut feeder), [(2, ItemReport::Begun), (2, ItemReport::Drained)]);
}

#[test]
fn volume_changes_without_a_click() {
    let (mut feeder, mut source) = playback(RATE_HZ, 1, 1000);
    feeder.control().set_volume(80);
    feeder.begin(1);
    feeder.push(&vec![1.0; 20_000]);
    let mut out = filled(&mut source, 480);
    assert!((out[0] - 0.64).abs() < 1e-6, "the first sample is at the volume already");
    for (volume, gain) in [(0, 0.0), (100, 1.0), (50, 0.25)] {
        feeder.control().set_volume(volume);
        out.extend(filled(&mut source, 480));
        assert!((out[out.len() - 1] - gain).abs() < 1e-4, "{volume}");
    }
    assert!(steepest(&out) <= 1.0 / 479.0, "{}", steepest(&out));
}

fn db(level: f32) -> f32 {
    20.0 * level.log10()
}

#[test]
fn ducking_is_18_db_within_60_ms_and_comes_back() {
    for (volume, gain) in [(100, 1.0_f32), (80, 0.64), (50, 0.25)] {
        let (mut feeder, mut source) = playback(RATE_HZ, 1, 1000);
        feeder.control().set_volume(volume);
        feeder.begin(1);
        feeder.push(&vec![1.0; 40_000]);
        let mut out = filled(&mut source, 480);
        let control = source.control();
        control.duck(18.0);
        out.extend(filled(&mut source, 60 * 48));
        let settled = &out[480 + 10 * 48..];
        assert!(settled.iter().all(|sample| (db(*sample) - db(gain) + 18.0).abs() < 0.1), "{volume}");
        // The volume may change meanwhile.
        control.set_volume(100);
        out.extend(filled(&mut source, 480));
        assert!((db(out[out.len() - 1]) + 18.0).abs() < 0.1, "{volume}");
        control.unduck();
        out.extend(filled(&mut source, 60 * 48));
        assert!((out[out.len() - 1] - 1.0).abs() < 1e-4, "{volume}");
        assert!(steepest(&out) <= 1.0 / 479.0, "no click: {}", steepest(&out));
    }
}

#[test]
fn a_pause_is_silent_and_loses_nothing() {
    let (mut feeder, mut source) = playback(RATE_HZ, 1, 1000);
    feeder.begin(1);
    feeder.push(&vec![1.0; 9_600]);
    let control = source.control();
    let mut out = filled(&mut source, 4_800);
    control.duck(18.0);
    control.pause();
    out.extend(filled(&mut source, 9_600));
    assert!(out[9_600..].iter().all(|sample| *sample == 0.0), "{:?}", out.last());
    assert_eq!(control.underruns(), 0, "what waits has not run out");
    control.unduck();
    let resumed = filled(&mut source, 4_800);
    assert!(steepest(&resumed) <= 1.0 / 479.0 && (resumed[4_799] - 1.0).abs() < 1e-4, "it fades in");
    feeder.end();
    assert_eq!(reports(&mut feeder), [(1, ItemReport::Begun), (1, ItemReport::Drained)]);
}

#[test]
fn a_stop_ends_a_pause_without_a_sound() {
    let (mut feeder, mut source) = playback(RATE_HZ, 1, 1000);
    feeder.begin(1);
    feeder.push(&vec![1.0; 9_600]);
    filled(&mut source, 480);
    source.control().pause();
    filled(&mut source, 4_800);
    source.control().stop();
    assert!(filled(&mut source, 4_800).iter().all(|sample| *sample == 0.0));
    reports(&mut feeder);
    feeder.begin(2);
    feeder.push(&[0.5; 100]);
    assert_eq!(filled(&mut source, 100), [0.5; 100], "what comes next sounds at once");
}

#[test]
fn what_comes_after_a_stop_is_not_ducked() {
    let (mut feeder, mut source) = playback(RATE_HZ, 1, 1000);
    feeder.begin(1);
    feeder.push(&vec![0.5; 10_000]);
    source.control().duck(18.0);
    filled(&mut source, 2_000);
    source.control().stop();
    let stopped = filled(&mut source, 2_000);
    assert!(stopped.iter().all(|sample| *sample < 0.1), "the fade does not get louder first");
    reports(&mut feeder);
    feeder.begin(2);
    feeder.push(&[0.5; 100]);
    assert_eq!(filled(&mut source, 100), [0.5; 100]);
}

#[test]
fn running_dry_is_counted_and_does_not_click() {
    let (mut feeder, mut source) = playback(RATE_HZ, 1, 1000);
    feeder.begin(1);
    feeder.push(&[0.5; 100]);
    let out = filled(&mut source, 480);
    assert!(steepest(&out) < 0.03, "{}", steepest(&out));
    assert_eq!(feeder.control().underruns(), 0, "the item had only begun in this callback");
    feeder.push(&[0.5; 500]);
    filled(&mut source, 480);
    filled(&mut source, 480);
    assert_eq!(feeder.control().underruns(), 1);
}

#[test]
fn two_threads_lose_and_double_nothing() {
    let (mut feeder, mut source) = playback(RATE_HZ, 1, 20);
    let total = 200_000_u32;
    let player = std::thread::spawn(move || {
        let (mut heard, mut out) = (Vec::new(), [0.0; 333]);
        while heard.len() < total as usize {
            let available = source.samples.occupied_len();
            let played = source.play(&mut out, 333, available);
            heard.extend_from_slice(&out[..played]);
        }
        heard
    });
    feeder.begin(1);
    let samples: Vec<f32> = (1..=total).map(|n| n as f32).collect();
    let mut sent = 0;
    while sent < samples.len() {
        sent += feeder.push(&samples[sent..]);
    }
    feeder.end();
    assert!(player.join().unwrap() == samples);
}

#[test]
fn nothing_stopped_sounds_after_what_came_later() {
    let (mut feeder, mut source) = playback(RATE_HZ, 1, 20);
    // No tails, so that every sample heard is one that was written.
    (source.decay, source.fade_samples) = (0.0, 1.0);
    let over = Arc::new(AtomicBool::new(false));
    let player = std::thread::spawn({
        let over = Arc::clone(&over);
        move || {
            let mut heard = Vec::new();
            while !over.load(Ordering::Relaxed) {
                heard.extend(filled(&mut source, 37).into_iter().filter(|sample| *sample != 0.0));
            }
            heard
        }
    });
    for id in 1..=2000_u64 {
        feeder.begin(id);
        feeder.push(&vec![id as f32; 50 + (id as usize * 37) % 500]);
        let control = feeder.control();
        let calls = control.calls() + id % 3;
        while control.calls() < calls {
            std::thread::yield_now();
        }
        control.stop();
        // The voice thread goes on for a while before it takes note.
        feeder.push(&vec![id as f32; (id as usize * 13) % 90]);
        let mut told = 0;
        feeder.take_stop(|_, _| told += 1);
        assert_eq!(told, 1);
    }
    feeder.begin(3000);
    let mut sent = 0;
    while sent < 100 {
        sent += feeder.push(&[3000.0; 100][sent..]);
    }
    feeder.end();
    while !feeder.is_idle() {
        feeder.poll(|_, _| {});
    }
    over.store(true, Ordering::Relaxed);
    let heard = player.join().unwrap();
    assert!(heard.len() > 10_000, "much was heard before its stop: {}", heard.len());
    assert!(heard.is_sorted(), "an item was heard again after its stop");
    assert_eq!(heard.iter().filter(|sample| **sample == 3000.0).count(), 100);
}

/// What may happen to a ring.
#[derive(Debug, Clone)]
enum Step {
    Say(usize),
    Play(usize),
    Stop,
    Poll,
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn every_item_ends_once_and_only_whole_items_drain(steps in prop::collection::vec(prop_oneof![
        (0_usize..300).prop_map(Step::Say),
        (1_usize..200).prop_map(Step::Play),
        Just(Step::Stop),
        Just(Step::Poll),
    ], 1..60)) {
        let (mut feeder, mut source) = playback(8_000, 1, 50);
        let mut told = Vec::new();
        let (mut items, mut played) = (0_u64, Vec::new());
        for step in steps {
            match step {
                Step::Say(length) => {
                    items += 1;
                    feeder.begin(items);
                    // Each item is one constant, so that it can be told by ear.
                    feeder.push(&vec![items as f32; length]);
                    feeder.end();
                }
                Step::Play(length) => played.extend(filled(&mut source, length)),
                Step::Stop => feeder.control().stop(),
                Step::Poll => told.extend(reports(&mut feeder)),
            }
        }
        for _ in 0..10 {
            played.extend(filled(&mut source, 200));
            told.extend(reports(&mut feeder));
        }
        prop_assert!(feeder.is_idle());
        prop_assert_eq!(played[played.len() - 1], 0.0);
        for item in 1..=items {
            let of_item: Vec<_> = told.iter().filter(|(id, _)| *id == item).map(|(_, r)| *r).collect();
            use ItemReport::{Begun, Drained, Stopped};
            prop_assert!(
                [&[Begun, Drained][..], &[Drained], &[Begun, Stopped], &[Stopped]].contains(&&of_item[..]),
                "{}: {:?}", item, of_item
            );
            if of_item == [Begun, Drained] {
                prop_assert!(played.contains(&(item as f32)), "{} drained unheard", item);
            }
        }
    }
}
