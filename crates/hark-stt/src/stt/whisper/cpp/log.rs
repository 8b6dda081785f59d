//! Brings what whisper.cpp writes to stderr into our own log.

use std::cell::RefCell;
use std::ffi::{CStr, c_char, c_uint, c_void};
use std::sync::Once;

/// ggml's number of its level "error".
const ERROR: c_uint = 4;

thread_local! {
    /// The first error told on this thread since it was last asked for: the reason behind the bare
    /// "failed" that follows.
    static COMPLAINT: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Routes whisper.cpp's and ggml's messages to `tracing`, at debug level: what matters comes back as
/// an error, and an interrupted decode is reported by them as one.
pub(super) fn route() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // SAFETY: `take` fits the type of the callback, never unwinds, and needs no user data.
        unsafe { whisper_rs::set_log_callback(Some(take), std::ptr::null_mut()) };
    });
}

/// The first error whisper.cpp told on this thread since the last call, taken away; empty for none.
pub(super) fn complaint() -> String {
    COMPLAINT.with_borrow_mut(std::mem::take)
}

/// # Safety
/// `text` is null or a C string, which is what ggml promises its log callback.
unsafe extern "C" fn take(level: c_uint, text: *const c_char, _user_data: *mut c_void) {
    if text.is_null() {
        return;
    }
    // SAFETY: not null, and a C string by the contract above; it is copied before it can change.
    let text = unsafe { CStr::from_ptr(text) }.to_string_lossy();
    let text = text.trim();
    if level == ERROR {
        COMPLAINT.with_borrow_mut(|first| {
            if first.is_empty() {
                text.clone_into(first);
            }
        });
    }
    if !text.is_empty() {
        tracing::debug!(target: "hark::whisper", "{text}");
    }
}
