//! The output callback must not allocate or free: an allocator that counts both, on the thread and
//! for the time that the callback runs. A binary of its own, because it has one allocator.

use hark_tts::playback::{PlaybackSource, playback};
use hark_tts::tap::tap;
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::time::Instant;

thread_local! {
    static WATCHED: Cell<bool> = const { Cell::new(false) };
    static COUNT: Cell<u32> = const { Cell::new(0) };
}

struct Watching;

fn note() {
    // A thread that is just ending has no such variables any more; it runs no callback either.
    let watched = WATCHED.try_with(Cell::get).unwrap_or(false);
    if watched {
        let _ = COUNT.try_with(|count| count.set(count.get() + 1));
    }
}

// SAFETY: every call goes to the system allocator unchanged; counting touches only two thread-local
// cells that need no allocation and no destructor.
unsafe impl GlobalAlloc for Watching {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        note();
        // SAFETY: the caller's contract is the system allocator's.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        note();
        // SAFETY: as above; the pointer came from the system allocator.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        note();
        // SAFETY: as above.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Watching = Watching;

/// Allocations and frees that `work` makes on this thread.
fn count(work: impl FnOnce()) -> u32 {
    COUNT.set(0);
    WATCHED.set(true);
    work();
    WATCHED.set(false);
    COUNT.get()
}

fn fill(source: &mut PlaybackSource, out: &mut [f32]) {
    assert_eq!(count(|| source.fill_at(out, Instant::now())), 0, "the callback allocates");
}

#[test]
fn the_counter_counts() {
    assert_eq!(count(|| drop(std::hint::black_box(Box::new(7)))), 2);
}

#[test]
fn no_state_of_the_callback_allocates() {
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
