//! Interrupting whisper.cpp in the middle of a decode.

use std::ffi::c_void;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether the flag behind `flag` asks to stop; ggml calls it between steps of its work.
///
/// # Safety
/// `flag` points to a live `AtomicBool`.
pub(super) unsafe extern "C" fn asked(flag: *mut c_void) -> bool {
    // SAFETY: a live `AtomicBool` by the contract above, only read here.
    unsafe { &*flag.cast::<AtomicBool>() }.load(Ordering::Acquire)
}

/// Makes a state.
pub(super) fn reachable<T>(_interrupt: &Arc<AtomicBool>, make: impl FnOnce() -> T) -> T {
    make()
}
