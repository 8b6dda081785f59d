//! The capture callback is real-time safe: it runs here under an allocator that counts every call made
//! by this thread, so an allocation or a release inside it fails the test.

use hark_stt::capture::capture_ring;
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
fn the_callback_neither_allocates_nor_frees() {
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
