//! The audio callbacks are real-time safe: they run here under an allocator that counts every call made by this thread,
//! so an allocation or a release inside one fails the test. A binary of its own, because it has one allocator.

use hark_stt::capture::capture_ring;
use hark_tts::playback::{PlaybackSource, playback};
use hark_tts::tap::tap;
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::time::Instant;

thread_local! {
    static CALLS: Cell<u64> = const { Cell::new(0) };
}

/// The system's allocator with a count for each thread.
struct Counting;

fn count() {
    // Not there any more while a thread ends; nothing is measured then.
    let _ = CALLS.try_with(|calls| calls.set(calls.get() + 1));
}

// SAFETY: every call is passed on to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count();
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        count();
        // SAFETY: the caller keeps the contract of `dealloc`.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count();
        // SAFETY: the caller keeps the contract of `realloc`.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn allocator_calls(work: impl FnOnce()) -> u64 {
    let before = CALLS.with(Cell::get);
    work();
    CALLS.with(Cell::get) - before
}

#[test]
fn the_allocator_counts() {
    assert!(allocator_calls(|| drop(std::hint::black_box(vec![1_u8; 100]))) >= 2);
}

#[test]
fn the_capture_callback_neither_allocates_nor_frees() {
    let (mut writer, mut reader) = capture_ring(48_000, 2, 100).expect("ring");
    let floats = vec![0.25_f32; 2 * 4800];
    let (shorts, longs) = (vec![1_i16; 2 * 4800], vec![1_i32; 2 * 4800]);
    let bytes = vec![128_u8; 2 * 4800];
    let mut out = Vec::new();
    for _ in 0..20 {
        let calls = allocator_calls(|| {
            for piece in 0..10 {
                writer.stamp(Instant::now());
                writer.push(&floats[piece * 960..(piece + 1) * 960]);
            }
            // More than the scratch holds at once, in every width.
            writer.push(&shorts);
            writer.push(&longs);
            writer.push(&bytes);
        });
        assert_eq!(calls, 0, "allocator calls in the callback");
        reader.read(&mut out);
    }
    // The ring of 100 ms was filled with 400 ms each time: overflow was part of the run.
    assert!(reader.dropped_frames() > 0);
}

fn fill(source: &mut PlaybackSource, out: &mut [f32]) {
    assert_eq!(allocator_calls(|| source.fill_at(out, Instant::now())), 0, "the callback allocates");
}

#[test]
fn the_playback_callback_neither_allocates_nor_frees_in_any_state() {
    for channels in [1, 2, 6] {
        let (mut feeder, mut source) = playback(48_000, channels, 100);
        // A tap that is read now and then, and overflows in between.
        let (copy, mut tapped) = tap(48_000, channels);
        source.set_tap(copy);
        let mut out = vec![0.0; 480 * usize::from(channels)];
        // Silence, before anything was written.
        fill(&mut source, &mut out);
        for round in 0..30 {
            feeder.begin(round);
            feeder.push(&vec![0.5; 700 + 13 * round as usize]);
            // Playing, over the end of the ring's memory too.
            fill(&mut source, &mut out);
            assert!(out.iter().any(|sample| *sample != 0.0), "it plays in round {round}");
            feeder.control().set_volume(if round % 2 == 0 { 20 } else { 90 });
            fill(&mut source, &mut out);
            if round % 3 == 0 {
                // A stop, its fade in callbacks of all lengths, and what is thrown away after it.
                feeder.push(&vec![0.5; 3000]);
                fill(&mut source, &mut out[..usize::from(channels) * 16]);
                feeder.control().stop();
                fill(&mut source, &mut out[..usize::from(channels) * 16]);
                fill(&mut source, &mut out);
                feeder.take_stop(|_, _| {});
            } else if round % 3 == 1 {
                feeder.end();
            }
            // Running dry in an open item, and in none.
            for _ in 0..12 {
                fill(&mut source, &mut out);
            }
            feeder.poll(|_, _| {});
            if round % 10 == 0 {
                let mut pieces = 0;
                tapped.read(|_| pieces += 1);
                assert!(pieces > 0);
            }
        }
        assert!(feeder.control().underruns() > 0);
    }
}
